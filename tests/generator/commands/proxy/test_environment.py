"""Which environment variables a started server gets: by `pull` and `init` few, by `proxy` those of its client."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from helpers.commands import toolgen
from helpers.support import for_each

SERVER = """
import json, os, sys
for line in sys.stdin:
    message = json.loads(line)
    if message.get("method") == "initialize":
        result = {"protocolVersion": "2025-06-18", "capabilities": {"tools": {}}}
        result["serverInfo"] = {"name": "s", "version": "1"}
    else:
        tool = {"name": "t", "description": " ".join(sorted(os.environ)), "inputSchema": {"type": "object"}}
        result = {"tools": [tool]}
    if "id" in message:
        print(json.dumps({"jsonrpc": "2.0", "id": message["id"], "result": result}), flush=True)
"""
COMMAND = ("--", sys.executable, "-c", SERVER)
ALWAYS = {"LC_CTYPE", "PWD", "SHLVL", "_"}
"""What Python or a shell sets in a new process."""


@pytest.fixture(autouse=True)
def secret(workplace: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("MY_API_KEY", "OTHER"):
        monkeypatch.setenv(name, "s3cret")
    monkeypatch.setenv("TERM", "() { :; }; run")  # a function that a shell exported


def seen(text: str) -> set[str]:
    (tool,) = json.loads(text)["tools"]
    return {*tool["description"].split()} - ALWAYS


@for_each(
    [
        ((), set()),
        (("--env", "MY_API_KEY"), {"MY_API_KEY"}),
        (("--env", "NEW=1"), {"NEW"}),
        (("--inherit-env",), {"MY_API_KEY", "OTHER", "TERM"}),
    ]
)
def test_a_pulled_server_gets_what_the_official_client_passes(
    options: tuple[str, ...], more: set[str]
) -> None:
    ran = toolgen("pull", "-o", "-", *options, *COMMAND)
    assert ran.exit_code == 0, ran.stderr
    names = seen(ran.stdout)
    few = {name for name in ("HOME", "LOGNAME", "PATH", "SHELL", "USER") if name in os.environ}
    assert names >= few | more
    assert "--inherit-env" in options or names == few | more


@for_each([((), True), (("--clean-env",), False)])
def test_a_proxy_passes_on_what_its_client_chose(options: tuple[str, ...], is_there: bool) -> None:
    request = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "tools/list"}) + "\n"
    command = [sys.executable, "-m", "toolgen", "proxy", *options, *COMMAND]
    ran = subprocess.run(command, input=request, capture_output=True, text=True, timeout=60, check=True)
    assert ("MY_API_KEY" in seen(json.dumps(json.loads(ran.stdout)["result"]))) is is_there
