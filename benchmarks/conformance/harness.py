"""The frame of every probe: run its library on each case against a `FakeBedrock` and print the observations as JSON.

A probe has three functions. `send(url, history)` sends the history; `receive(url) -> list[Seen]` reads the stream and
returns the input with which each tool was, or would be, run; `request(url, case)` sends a history to another API, and
may return the rules that the library reports as broken.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable
from importlib import import_module
from importlib.metadata import version
from typing import Any

from api_cases import REQUESTS, Request
from api_server import Recorder, rules_broken
from cases import HISTORIES, STREAMS, History, Stream

from toolgen_transcripts.testing import FakeBedrock, Reply, text

MODEL = "anthropic.claude-3-5-sonnet-20241022-v2:0"
THINKER = "anthropic.claude-sonnet-4-20250514-v1:0"


def model_of(history: History) -> str:
    """Return the model for a history."""
    return THINKER if history.thinking else MODEL


class NoFormError(Exception):
    """The library cannot express such a history."""


Seen = dict[str, Any]
"""`id`, `name` and `input` of a call (a text if the library does not parse it), or `stop`, the stop reason."""

Send = Callable[[str, History], Any]
Receive = Callable[[str], list[Seen]]
Ask = Callable[[str, Request], "list[int] | None"]


def _raised(error: BaseException) -> str:
    """Return the name of the exception's class, and of its innermost cause if the library wraps one."""
    inner = error
    while (cause := inner.__cause__ or inner.__context__) is not None:
        inner = cause
    outer, name = type(error).__name__, type(inner).__name__
    return outer if outer == name else f"{outer} ({name})"


def _history(send: Send, history: History) -> Seen:
    with FakeBedrock(Reply([text("Done.")]), Reply([text("Done.")])) as bedrock:
        seen: Seen = {}
        try:
            send(bedrock.url, history)
        except NoFormError:
            return {"no_form": True}
        except Exception as error:
            seen["raised"] = _raised(error)
        if bedrock.requests:
            seen["sent"] = bedrock.requests[0].body
            seen["rules"] = [violation.rule for violation in bedrock.refusals]
    return seen


def _stream(receive: Receive, stream: Stream) -> Seen:
    with FakeBedrock(stream.reply, Reply([text("Done.")]), enforce=False) as bedrock:
        seen: Seen = {}
        try:
            seen["calls"] = receive(bedrock.url)
        except Exception as error:
            seen["raised"] = _raised(error)
    return seen


def _request(ask: Ask, case: Request) -> Seen:
    with Recorder() as recorder:
        seen: Seen = {}
        try:
            seen["told"] = ask(recorder.url, case) or []
        except NoFormError:
            return {"no_form": True}
        except Exception as error:
            seen["raised"] = _raised(error)
        if recorder.bodies:
            body = seen["sent"] = recorder.bodies[0]
            seen["rules"] = rules_broken(case, body)
            turns = import_module(f"toolgen_transcripts.{case.api}").decode_messages(body)
            seen["calls"] = sum(len(turn.calls) for turn in turns)
    return seen


def run(distributions: tuple[str, ...], send: Send, receive: Receive, ask: Ask) -> None:
    """Run every case and print the observations; `distributions` are the library's, its own one first."""
    for name in ("AWS_BEARER_TOKEN_BEDROCK", "AWS_PROFILE", "HTTP_PROXY", "HTTPS_PROXY"):
        os.environ.pop(name, None)
    keys = {"AWS_ACCESS_KEY_ID": "fake", "AWS_SECRET_ACCESS_KEY": "fake", "AWS_REGION": "us-east-1"}
    os.environ.update(keys, AWS_EC2_METADATA_DISABLED="true", NO_PROXY="127.0.0.1")
    report = {
        "version": version(distributions[0]),
        "also": {name: version(name) for name in distributions[1:]},
        "boto3": version("boto3"),
        "histories": {history.key: _history(send, history) for history in HISTORIES},
        "streams": {stream.key: _stream(receive, stream) for stream in STREAMS},
        "requests": {case.key: _request(ask, case) for case in REQUESTS},
    }
    json.dump(report, sys.stdout, default=str)
