"""`classify_llm_error` and `classify_mcp_error`: real exceptions of the SDKs, then texts alone."""

from __future__ import annotations

import asyncio
import binascii
import json
import socket
import struct
import threading
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest

from toolgen_runtime.classify import (
    classify_handler_error,
    classify_llm_error,
    classify_mcp_error,
)
from toolgen_runtime.classify.error_tables import LLM_RETRYABLE

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


# ---- openai ----------------------------------------------------------------------------------------------

OPENAI = [
    (400, {"message": "bad", "type": "invalid_request_error", "code": None}, "model_error", "status"),
    (400, {"message": "too long", "code": "context_length_exceeded"}, "context_length_exceeded", "code"),
    (
        401,
        {"message": "no", "type": "invalid_request_error", "code": "invalid_api_key"},
        "auth_error",
        "code",
    ),
    (401, {"message": "no", "type": "invalid_request_error", "code": None}, "auth_error", "status"),
    (402, {"message": "pay"}, "quota_exceeded", "status"),
    (403, {"message": "no"}, "auth_error", "status"),
    (404, {"message": "no such model", "code": "model_not_found"}, "model_error", "code"),
    (404, {"message": "timeout"}, "model_error", "status"),  # the status is believed, not the text
    (408, {"message": "slow"}, "timeout", "status"),
    (422, {"message": "no"}, "model_error", "status"),
    (429, {"message": "slow down", "code": "rate_limit_exceeded"}, "rate_limit", "code"),
    (429, {"message": "slow down"}, "rate_limit", "status"),
    (429, {"message": "plan", "type": "insufficient_quota", "code": None}, "quota_exceeded", "code"),
    (429, {"message": "plan", "code": "insufficient_quota"}, "quota_exceeded", "code"),
    (500, {"message": "oops", "type": "server_error"}, "server_error", "status"),
    (503, {"message": "rate limit"}, "server_error", "status"),
    (504, {"message": "gateway"}, "timeout", "status"),
]


def openai_call(url: str, *, stream: bool = False, timeout: float = 5) -> Callable[[], object]:
    openai = pytest.importorskip("openai", reason="openai is not installed")
    client = openai.OpenAI(api_key="k", base_url=url, max_retries=0, timeout=timeout)
    messages = [{"role": "user", "content": "hi"}]
    if not stream:
        return lambda: client.chat.completions.create(model="m", messages=messages)
    return lambda: list(client.chat.completions.create(model="m", messages=messages, stream=True))


@pytest.mark.parametrize(("status", "error", "kind", "by"), OPENAI)
def test_openai_status(server: Server, status: int, error: dict[str, Any], kind: str, by: str) -> None:
    server.says(status, {"error": error})
    assert verdict(raised_by(openai_call(server.url))) == (kind, by)


def test_openai_error_in_a_stream(server: Server) -> None:
    event = {"error": {"message": "no", "type": "tokens", "code": "rate_limit_exceeded"}}
    server.says(200, b"data: " + json.dumps(event).encode() + b"\n\n", {"Content-Type": "text/event-stream"})
    assert verdict(raised_by(openai_call(server.url, stream=True))) == ("rate_limit", "code")


# ---- anthropic -------------------------------------------------------------------------------------------

ANTHROPIC = [
    (400, "invalid_request_error", "messages: required", "model_error", "status"),
    (
        400,
        "invalid_request_error",
        "Your credit balance is too low to use the API",
        "quota_exceeded",
        "message",
    ),
    (401, "authentication_error", "invalid x-api-key", "auth_error", "code"),
    (402, "billing_error", "pay", "quota_exceeded", "code"),
    (403, "permission_error", "no", "auth_error", "code"),
    (404, "not_found_error", "model: x", "model_error", "status"),
    (413, "request_too_large", "big", "model_error", "code"),
    (429, "rate_limit_error", "slow down", "rate_limit", "code"),
    (500, "api_error", "rate limit", "server_error", "status"),
    (504, "timeout_error", "slow", "timeout", "code"),
    (529, "overloaded_error", "busy", "rate_limit", "code"),
    (529, "", "busy", "rate_limit", "status"),
]


def anthropic_call(url: str, *, stream: bool = False, timeout: float = 5) -> Callable[[], object]:
    anthropic = pytest.importorskip("anthropic", reason="anthropic is not installed")
    client = anthropic.Anthropic(api_key="k", base_url=url, max_retries=0, timeout=timeout)
    messages = [{"role": "user", "content": "hi"}]
    create = client.messages.create
    if not stream:
        return lambda: create(model="m", max_tokens=9, messages=messages)
    return lambda: list(create(model="m", max_tokens=9, messages=messages, stream=True))


@pytest.mark.parametrize(("status", "type_", "message", "kind", "by"), ANTHROPIC)
def test_anthropic_status(server: Server, status: int, type_: str, message: str, kind: str, by: str) -> None:
    server.says(status, {"type": "error", "error": {"type": type_, "message": message}})
    assert verdict(raised_by(anthropic_call(server.url))) == (kind, by)


@pytest.mark.parametrize("call", [openai_call, anthropic_call])
def test_a_connection_that_fails(server: Server, call: Callable[..., Callable[[], object]]) -> None:
    assert verdict(raised_by(call(f"http://127.0.0.1:{closed_port()}"))) == ("network_error", "name")
    server.answer = "hang up"
    assert verdict(raised_by(call(server.url))) == ("network_error", "name")
    server.answer = "hang"
    assert verdict(raised_by(call(server.url, timeout=SLOW))) == ("timeout", "name")


@pytest.mark.parametrize(
    ("type_", "kind"), [("overloaded_error", "rate_limit"), ("api_error", "server_error")]
)
def test_anthropic_error_in_a_stream_that_began_well(server: Server, type_: str, kind: str) -> None:
    event = {"type": "error", "error": {"type": type_, "message": "x"}}
    body = b"event: error\ndata: " + json.dumps(event).encode() + b"\n\n"
    server.says(200, body, {"Content-Type": "text/event-stream"})
    assert verdict(raised_by(anthropic_call(server.url, stream=True))) == (kind, "code")


# ---- botocore --------------------------------------------------------------------------------------------

BEDROCK = [
    (400, "ValidationException", "model_error"),
    (400, "ServiceQuotaExceededException", "quota_exceeded"),
    (403, "AccessDeniedException", "auth_error"),
    (403, "ExpiredTokenException", "auth_error"),
    (404, "ResourceNotFoundException", "model_error"),
    (408, "ModelTimeoutException", "timeout"),
    (424, "ModelErrorException", "model_error"),
    (429, "ThrottlingException", "rate_limit"),
    (429, "ModelNotReadyException", "rate_limit"),
    (500, "InternalServerException", "server_error"),
    (503, "ServiceUnavailableException", "server_error"),
]


def bedrock(url: str, *, keys: bool = True, timeout: float = 5) -> Any:
    boto3 = pytest.importorskip("boto3", reason="boto3 is not installed")
    secrets = {"aws_access_key_id": "k", "aws_secret_access_key": "s"} if keys else {}
    config = pytest.importorskip("botocore.config").Config(
        retries={"total_max_attempts": 1}, read_timeout=timeout, connect_timeout=1, proxies={}
    )
    return boto3.client(
        "bedrock-runtime", region_name="us-east-1", endpoint_url=url, config=config, **secrets
    )


def converse(client: Any, content: object = "hi") -> Callable[[], object]:
    messages = [{"role": "user", "content": [{"text": content}]}]
    return lambda: client.converse(modelId="m", messages=messages)


@pytest.fixture(scope="module")
def bedrock_client(server: Server) -> Any:
    return bedrock(server.url)


@pytest.mark.parametrize(("status", "code", "kind"), BEDROCK)
def test_botocore_code(server: Server, bedrock_client: Any, status: int, code: str, kind: str) -> None:
    server.says(status, {"message": "timeout"}, {"x-amzn-ErrorType": code})
    assert verdict(raised_by(converse(bedrock_client))) == (kind, "code")


def test_botocore_status_alone(server: Server, bedrock_client: Any) -> None:
    server.says(429, {"message": "x"}, {"x-amzn-ErrorType": "BrandNewException"})
    assert verdict(raised_by(converse(bedrock_client))) == ("rate_limit", "status")


def test_botocore_before_any_answer(server: Server, bedrock_client: Any) -> None:
    refused = bedrock(f"http://127.0.0.1:{closed_port()}")
    assert verdict(raised_by(converse(refused))) == ("network_error", "name")
    assert verdict(raised_by(converse(bedrock(server.url, keys=False)))) == ("auth_error", "name")
    assert verdict(raised_by(converse(bedrock_client, content=3))) == ("model_error", "name")
    server.answer = "hang up"
    assert verdict(raised_by(converse(bedrock_client))) == ("network_error", "name")
    server.answer = "hang"
    assert verdict(raised_by(converse(bedrock(server.url, timeout=SLOW)))) == ("timeout", "name")


def test_botocore_exception_in_a_stream(server: Server, bedrock_client: Any) -> None:
    headers = b""
    for name, value in ((":message-type", "exception"), (":exception-type", "throttlingException")):
        headers += struct.pack("!B", len(name)) + name.encode() + b"\x07"
        headers += struct.pack("!H", len(value)) + value.encode()
    payload = json.dumps({"message": "slow down"}).encode()
    prelude = struct.pack("!II", 16 + len(headers) + len(payload), len(headers))
    prelude += struct.pack("!I", binascii.crc32(prelude))
    frame = prelude + headers + payload
    frame += struct.pack("!I", binascii.crc32(frame))
    server.says(200, frame, {"Content-Type": "application/vnd.amazon.eventstream"})
    messages = [{"role": "user", "content": [{"text": "hi"}]}]
    error = raised_by(lambda: list(bedrock_client.converse_stream(modelId="m", messages=messages)["stream"]))
    assert type(error).__name__ == "EventStreamError"
    assert verdict(error) == ("rate_limit", "code")


# ---- httpx -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("package", ["httpx", "httpx2"])
def test_httpx(server: Server, package: str) -> None:
    httpx = pytest.importorskip(package, reason=f"{package} is not installed")

    def get(url: str = server.url, **options: Any) -> Callable[[], object]:
        return lambda: httpx.get(url, trust_env=False, **options).raise_for_status()

    for status, kind in (
        (401, "auth_error"),
        (404, "model_error"),
        (429, "rate_limit"),
        (502, "server_error"),
    ):
        server.says(status, {})
        assert verdict(raised_by(get())) == (kind, "status")
    assert verdict(raised_by(get(f"http://127.0.0.1:{closed_port()}"))) == ("network_error", "name")
    server.answer = "hang up"
    assert verdict(raised_by(get())) == ("network_error", "name")
    assert verdict(raised_by(get(server.url.replace("http:", "https:")))) == ("network_error", "name")
    server.answer = "hang"
    assert verdict(raised_by(get(timeout=SLOW))) == ("timeout", "name")


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

RPC = [
    (-32700, "parse error", "internal_error", "code"),
    (-32600, "invalid request", "internal_error", "code"),
    (-32601, "method not found", "unknown_tool", "code"),
    (-32602, "Invalid request parameters", "invalid_parameters", "code"),
    (-32602, "Unknown tool: nope", "unknown_tool", "message"),
    (-32602, "Tool 'nope' not found", "unknown_tool", "message"),
    (-32603, "request timed out", "internal_error", "code"),  # the code is believed, not the text
    (-32001, "x", "timeout", "code"),
    (-32002, "x", "execution_error", "code"),
    (-32020, "x", "internal_error", "code"),
    (-32021, "x", "not_permitted", "code"),
    (-32022, "x", "internal_error", "code"),
    (-32042, "x", "not_permitted", "code"),
    (-32602, "Resource not found: file:///x", "execution_error", "message"),
    (-32602, "Invalid arguments for tool t", "invalid_parameters", "code"),
    (-32600, "Session not found", "transport_error", "message"),
    (-32800, "x", "canceled", "code"),
    (-32000, "Connection closed", "transport_error", "message"),
    (-32000, "index is corrupt", "execution_error", "code"),
    (-32050, "upstream timed out", "timeout", "message"),
]


@pytest.mark.parametrize(("code", "message", "kind", "by"), RPC)
def test_json_rpc_codes(code: int, message: str, kind: str, by: str) -> None:
    error = {"code": code, "message": message}
    for shape in (error, {"jsonrpc": "2.0", "id": 1, "error": error}):
        found = classify_mcp_error(shape)
        assert (found.kind, found.decided_by) == (kind, by)
        assert found.retryable == (kind in ("timeout", "transport_error"))


@pytest.mark.parametrize(("code", "message", "kind", "by"), RPC[::5])
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
    httpx = pytest.importorskip("httpx", reason="httpx is not installed")
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


@pytest.mark.parametrize(
    ("error", "kind"),
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
    ],
)
def test_exceptions_of_handlers(error: Exception, kind: str) -> None:
    assert classify_handler_error(error).kind == kind
