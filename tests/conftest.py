"""What every test needs: a cache of its own, never the user's; Hypothesis without clocks."""

from __future__ import annotations

import compileall
import gc
import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from helpers.support import PACKAGES
from hypothesis import HealthCheck, settings

from toolgen.package import cache

# Few examples and no deadline: a busy machine is no fault of a strategy. CI asks for the same examples at every run, so
# that it speaks of the change; other runs try new ones.
settings.register_profile(
    "steady",
    max_examples=40,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow],
    derandomize=bool(os.environ.get("TOOLGEN_SAME_EXAMPLES")),
)
settings.load_profile("steady")


writes_bytecode = not sys.dont_write_bytecode
sys.dont_write_bytecode = False  # while tests are collected: the next run does not compile them again


@pytest.hookimpl(tryfirst=True)
def pytest_configure() -> None:
    """Compile the packages once for all processes of a run, also if Python is told not to keep what it compiles."""
    if "PYTEST_XDIST_WORKER" not in os.environ:
        for folder in PACKAGES.values():
            compileall.compile_dir(folder, quiet=2)


@pytest.hookimpl(tryfirst=True)
def pytest_collection() -> None:
    """Collect tests without collecting garbage, which takes a fourth of the time."""
    gc.disable()


@pytest.hookimpl(trylast=True)
def pytest_collection_finish() -> None:
    """Keep the modules and cases of all tests out of garbage collections, of which each would look at them again."""
    sys.dont_write_bytecode = not writes_bytecode
    gc.collect()
    gc.freeze()
    gc.enable()


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> Any:
    """Give each worker whole files: what a file's tests share is made once."""
    from xdist.scheduler import LoadFileScheduling

    return LoadFileScheduling(config, log)


@pytest.fixture(scope="session", autouse=True)
def cache_folder(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Where builds keep what they made, those in other processes too."""
    folder = tmp_path_factory.mktemp("cache")
    before = os.environ.get(cache.VARIABLE)
    os.environ[cache.VARIABLE] = str(folder)
    yield folder
    os.environ.pop(cache.VARIABLE)
    if before is not None:
        os.environ[cache.VARIABLE] = before


@pytest.fixture
def own_servers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let clients talk to the servers of a test: no proxy, no settings of AWS, no slow load of authorities."""
    proxies = ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "http_proxy", "https_proxy", "all_proxy")
    settings = ("AWS_BEARER_TOKEN_BEDROCK", "AWS_PROFILE", "AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY")
    for name in (*proxies, *settings, "SSL_CERT_FILE"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    monkeypatch.setenv("SSL_CERT_DIR", str(tmp_path))
    monkeypatch.setenv("AWS_EC2_METADATA_DISABLED", "true")
    for name in ("AWS_CONFIG_FILE", "AWS_SHARED_CREDENTIALS_FILE"):
        monkeypatch.setenv(name, str(tmp_path / "none"))


@pytest.fixture
def workplace(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Work in an empty folder, print without colour, and forget the packages that other tests built and imported."""
    for name in [name for name in sys.modules if name.partition(".")[0] == "agent_tools"]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("NO_COLOR", "1")
    return tmp_path
