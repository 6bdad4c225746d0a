"""`classify_llm_error` and `classify_mcp_error`: real exceptions of the SDKs, then texts alone."""

from __future__ import annotations

import asyncio
import json
import socket
import threading
from collections.abc import Callable, Iterator
from functools import cache, partial
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import anthropic
import boto3
import httpx
import openai
import pytest
from botocore.config import Config
from helpers.support import for_each, table

from toolgen_runtime.calls.handler_errors import classify_handler_error
from toolgen_transcripts.errors import classify_llm_error, classify_mcp_error
from toolgen_transcripts.errors.llm_tables import LLM_RETRYABLE
from toolgen_transcripts.testing import event_frame

pytestmark = pytest.mark.usefixtures("own_servers")
SLOW = 0.15  # seconds a client waits for a server that never answers


class Script(BaseHTTPRequestHandler):
    """Answers every request with what the test put into `server.answer`."""

    protocol_version = "HTTP/1.1"

    def do_POST(self) -> None:
        self.rfile.read(int(self.headers.get("Content-Length") or 0))
        answer = self.server.answer  # type: ignore[attr-defined]
        if answer == "hang":
            self.server.released.wait(5)  # type: ignore[attr-defined]
        if isinstance(answer, str):
            self.close_connection = True
            self.connection.shutdown(socket.SHUT_RDWR)
            return
        status, headers, body = answer
        self.send_response(status)
        for name, value in {"Content-Type": "application/json", **headers}.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    do_GET = do_POST  # noqa: N815  the name is http.server's

    def log_message(self, *_: object) -> None:
        pass


class Server(ThreadingHTTPServer):
    daemon_threads = True
    answer: Any = None

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Script)
        self.released = threading.Event()
        self.url = f"http://127.0.0.1:{self.server_port}"

    def says(self, status: int, body: object, headers: dict[str, str] | None = None) -> None:
        raw = body if isinstance(body, bytes) else json.dumps(body).encode()
        self.answer = (status, headers or {}, raw)

    def handle_error(self, *_: object) -> None:
        pass


@pytest.fixture(scope="module")
def server() -> Iterator[Server]:
    server = Server()
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
    thread.start()
    yield server
    server.released.set()
    server.shutdown()
    server.server_close()


def closed_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def raised_by(action: Callable[[], object]) -> BaseException:
    with pytest.raises(Exception) as caught:  # noqa: PT011  whatever the SDK makes of it is what is tested
        action()
    return caught.value


def verdict(error: BaseException | str) -> tuple[str, str]:
    found = classify_llm_error(error)
    assert found.retryable == (found.kind in LLM_RETRYABLE)
    return str(found.kind), found.decided_by


# ---- what a server answers -------------------------------------------------------------------------------

ROWS: dict[str, list[list[Any]]] = table("error_responses.json")
MESSAGES = [{"role": "user", "content": "hi"}]


def openai_call(url: str, *, stream: bool = False, timeout: float = 5) -> Callable[[], object]:
    client = openai.OpenAI(api_key="k", base_url=url, max_retries=0, timeout=timeout)
    made = lambda: client.chat.completions.create(model="m", messages=MESSAGES, stream=stream)  # noqa: E731
    return (lambda: list(made())) if stream else made


def anthropic_call(url: str, *, stream: bool = False, timeout: float = 5) -> Callable[[], object]:
    client = anthropic.Anthropic(api_key="k", base_url=url, max_retries=0, timeout=timeout)
    made = lambda: client.messages.create(model="m", max_tokens=9, messages=MESSAGES, stream=stream)  # noqa: E731
    return (lambda: list(made())) if stream else made


@cache
def bedrock(url: str, *, keys: bool = True, timeout: float = 5) -> Any:
    secrets = {"aws_access_key_id": "k", "aws_secret_access_key": "s"} if keys else {}
    config = Config(retries={"total_max_attempts": 1}, read_timeout=timeout, connect_timeout=1, proxies={})
    return boto3.client(
        "bedrock-runtime", region_name="us-east-1", endpoint_url=url, config=config, **secrets
    )


def bedrock_call(
    url: str, *, stream: bool = False, timeout: float = 5, keys: bool = True, content: object = "hi"
) -> Callable[[], object]:
    client = bedrock(url, keys=keys, timeout=timeout)
    asked: dict[str, Any] = {"modelId": "m", "messages": [{"role": "user", "content": [{"text": content}]}]}
    return lambda: list(client.converse_stream(**asked)["stream"]) if stream else client.converse(**asked)


def httpx_call(url: str, *, stream: bool = False, timeout: float = 5, package: str = "httpx") -> Any:
    httpx = pytest.importorskip(package, reason=f"{package} is not installed")
    return lambda: httpx.get(url, trust_env=False, timeout=timeout).raise_for_status()


CALLS: dict[str, Callable[..., Callable[[], object]]] = {
    "openai": openai_call,
    "anthropic": anthropic_call,
    "bedrock": bedrock_call,
    "httpx": httpx_call,
    "httpx2": partial(httpx_call, package="httpx2"),
}


@for_each(ROWS["responses"])
def test_what_an_sdk_raises_of_an_answer(
    sdk: str, status: int, headers: dict[str, str], body: Any, kind: str, by: str, *, server: Server
) -> None:
    """A status is believed, not the text; a code that says more than its status before it."""
    server.says(status, body.encode() if isinstance(body, str) else body, headers)
    assert verdict(raised_by(CALLS[sdk](server.url, stream=status == 200))) == (kind, by)


@pytest.mark.parametrize("sdk", CALLS)
def test_a_connection_that_fails(server: Server, sdk: str) -> None:
    call = CALLS[sdk]
    assert verdict(raised_by(call(f"http://127.0.0.1:{closed_port()}"))) == ("network_error", "name")
    server.answer = "hang up"
    assert verdict(raised_by(call(server.url))) == ("network_error", "name")
    if sdk.startswith("httpx"):
        assert verdict(raised_by(call(server.url.replace("http:", "https:")))) == ("network_error", "name")
    server.answer = "hang"
    assert verdict(raised_by(call(server.url, timeout=SLOW))) == ("timeout", "name")


def test_botocore_before_any_request(server: Server) -> None:
    assert verdict(raised_by(bedrock_call(server.url, keys=False))) == ("auth_error", "name")
    assert verdict(raised_by(bedrock_call(server.url, content=3))) == ("model_error", "name")


def test_botocore_exception_in_a_stream(server: Server) -> None:
    frame = event_frame({"throttlingException": {"message": "slow down"}})
    server.says(200, frame, {"Content-Type": "application/vnd.amazon.eventstream"})
    error = raised_by(bedrock_call(server.url, stream=True))
    assert type(error).__name__ == "EventStreamError"
    assert verdict(error) == ("rate_limit", "code")


# ---- the standard library, wrapping, objects ---------------------------------------------------------------


def test_standard_library(server: Server) -> None:
    from urllib.request import urlopen

    server.says(429, {})
    assert verdict(raised_by(lambda: urlopen(server.url)))[0] == "rate_limit"
    refused = raised_by(lambda: socket.create_connection(("127.0.0.1", closed_port())))
    assert verdict(refused) == ("network_error", "name")
    unknown_host = raised_by(lambda: socket.create_connection(("host.invalid", 1)))
    assert verdict(unknown_host) == ("network_error", "name")
    assert verdict(TimeoutError()) == ("timeout", "name")
    assert verdict(OSError(101, "Network is unreachable")) == ("network_error", "code")
    assert verdict(ValueError("no idea")) == ("unknown", "default")


def raise_from(outer: Exception, inner: BaseException) -> BaseException:
    def action() -> None:
        raise outer from inner

    return raised_by(action)


def test_what_an_error_was_raised_from_is_read_before_its_text() -> None:
    assert verdict(raise_from(RuntimeError("billing"), TimeoutError())) == ("timeout", "name")
    group = ExceptionGroup("several", [ValueError("x"), ConnectionResetError()])
    assert verdict(group) == ("network_error", "name")
    ring = RuntimeError("ring")
    ring.__cause__ = ring
    assert verdict(ring) == ("unknown", "default")


def test_a_foreign_exception_that_fights_back() -> None:
    class HostileError(Exception):
        @property
        def response(self) -> object:
            raise RuntimeError("no response")

        def __str__(self) -> str:
            raise RuntimeError("no text")

    assert verdict(HostileError()) == ("unknown", "default")


def test_error_objects() -> None:
    gemini = {
        "error": {
            "code": 400,
            "message": "API key not valid.",
            "status": "INVALID_ARGUMENT",
            "details": [{"reason": "API_KEY_INVALID"}],
        }
    }
    found = classify_llm_error(gemini)
    assert (found.kind, found.decided_by, found.evidence) == ("auth_error", "code", "API_KEY_INVALID")
    assert classify_llm_error({"error": {"status": "RESOURCE_EXHAUSTED"}}).kind == "rate_limit"
    assert classify_llm_error({"code": 400, "message": "API key not valid"}).kind == "auth_error"


# ---- MCP ---------------------------------------------------------------------------------------------------


@for_each(ROWS["rpc"])
def test_json_rpc_codes(code: int, message: str, kind: str, by: str) -> None:
    error = {"code": code, "message": message}
    for shape in (error, {"jsonrpc": "2.0", "id": 1, "error": error}):
        found = classify_mcp_error(shape)
        assert (found.kind, found.decided_by) == (kind, by)
        assert found.retryable == (kind in ("timeout", "transport_error"))


@for_each(ROWS["rpc"][::5])
def test_mcp_errors_of_a_real_server(code: int, message: str, kind: str, by: str) -> None:
    error = mcp_failure(code, message)
    found = classify_mcp_error(error)
    assert (found.kind, found.decided_by) == (kind, by)
    assert classify_handler_error(error).kind == kind


def mcp_failure(code: int, message: str, *, timeout: float | None = None) -> BaseException:
    pytest.importorskip("mcp.client.client", reason="mcp 2 or later is not installed")
    import anyio
    from mcp.client.client import Client
    from mcp.server.lowlevel import Server as MCPServer
    from mcp.shared.exceptions import MCPError

    async def fail(*_: object) -> Any:
        if timeout is not None:
            await anyio.sleep(5)
        raise MCPError(code, message)

    async def tools(*_: object) -> Any:
        from mcp_types import ListToolsResult

        return ListToolsResult(tools=[])

    async def session() -> None:
        async with Client(MCPServer("s", on_list_tools=tools, on_call_tool=fail)) as client:
            await client.call_tool("t", {}, timeout)

    def leaf(error: BaseException) -> BaseException:
        return leaf(error.exceptions[0]) if isinstance(error, BaseExceptionGroup) else error

    return leaf(raised_by(lambda: asyncio.run(session())))


def test_mcp_timeout_of_the_sdk() -> None:
    found = classify_mcp_error(mcp_failure(0, "", timeout=SLOW))
    assert (found.kind, found.decided_by, found.evidence) == ("timeout", "code", "-32001")


def test_mcp_over_http(server: Server) -> None:
    for status, kind in (
        (401, "not_permitted"),
        (404, "transport_error"),
        (408, "timeout"),
        (429, "limit_exceeded"),
        (500, "internal_error"),
        (503, "transport_error"),
    ):
        server.says(status, {})
        error = raised_by(lambda: httpx.post(server.url, trust_env=False).raise_for_status())
        found = classify_mcp_error(error)
        assert (found.kind, found.decided_by) == (kind, "status")
        # the same out of a handler: the tool ran, and its own server refused it
        executed = {408: "timeout", 503: "transport_error"}.get(status, "execution_error")
        assert classify_handler_error(error).kind == executed


@for_each(
    [
        (TimeoutError(), "timeout"),
        (ConnectionResetError(), "transport_error"),
        (FileNotFoundError(2, "no such file"), "execution_error"),
        (PermissionError(13, "denied"), "execution_error"),
        (ValueError("no such issue"), "execution_error"),
        (RuntimeError("upstream timed out"), "timeout"),
        (KeyError("id"), "internal_error"),
        (TypeError("None is not callable"), "internal_error"),
        (ZeroDivisionError(), "internal_error"),
        (AttributeError("x timed out"), "internal_error"),
    ]
)
def test_exceptions_of_handlers(error: Exception, kind: str) -> None:
    assert classify_handler_error(error).kind == kind
