"""`FakeBedrock` asked by a socket: every bad request has an answer, nothing is printed, nobody else can ask."""

from __future__ import annotations

import json
import socket
from collections.abc import Iterator

import pytest

from toolgen_runtime.testing import FakeBedrock, Reply, fake_bedrock, request_body, text

HEAD = b"POST /model/m/converse HTTP/1.1\r\nHost: x\r\n"
GOOD = json.dumps({"messages": [{"role": "user", "content": [{"text": "hi"}]}]}).encode()
DEEP = b'{"messages":' + b'[{"content":' * 50_000


def sized(body: bytes) -> bytes:
    return HEAD + b"Content-Length: %d\r\n\r\n" % len(body) + body


def with_length(length: bytes) -> bytes:
    return HEAD + b"Content-Length: " + length + b"\r\n\r\n{}"


def chunked(body: bytes, *headers: bytes) -> bytes:
    return HEAD + b"".join(h + b"\r\n" for h in (b"Transfer-Encoding: chunked", *headers)) + b"\r\n" + body


REQUESTS: dict[str, tuple[bytes, int]] = {
    "good": (sized(GOOD), 200),
    "no length": (HEAD + b"\r\n", 400),
    **{
        f"length {ascii(length)[1:30]}": (with_length(length), 400)
        for length in (b"abc", b"-5", b"+2", b"0x2", b"2.0", b"1_0", b"\xb2", b"9" * 5000, b"", b"2, 3", b"2 2")
    },
    "two lengths": (HEAD + b"Content-Length: 2\r\nContent-Length: 3\r\n\r\n{}", 400),
    "huge": (with_length(b"99999999999999"), 413),
    "short": (with_length(b"50"), 400),
    "chunks": (chunked(b"5;x=y\r\n%b\r\n%x\r\n%b\r\n0\r\nT: 1\r\n\r\n" % (GOOD[:5], len(GOOD) - 5, GOOD[5:])), 200),
    "no hexadecimal": (chunked(b"zz\r\n{}\r\n0\r\n\r\n"), 400),
    "negative chunk": (chunked(b"-2\r\n{}\r\n0\r\n\r\n"), 400),
    "long chunk": (chunked(b"2\r\n{}x\r\n0\r\n\r\n"), 400),
    "huge chunk": (chunked(b"ffffffffffff\r\n{}"), 413),
    "endless chunk line": (chunked(b"2;" + b"x" * 5000), 400),
    "no end of chunks": (chunked(b"2\r\n{}\r\n"), 400),
    "both lengths": (chunked(b"2\r\n{}\r\n0\r\n\r\n", b"Content-Length: 2"), 400),
    "other coding": (HEAD + b"Transfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n", 400),
    **{
        name: (sized(body), 400)
        for name, body in {
            "deep": DEEP,
            "deep list": b"[" * 200_000,
            "list": b"[]",
            "number": b"5",
            "many digits": b"9" * 5000,
            "digits inside": b'{"messages": ' + b"9" * 5000 + b"}",
            "no JSON": b"{",
            "NaN": b'{"a": NaN}',
            "no UTF-8": b"\xff\xfe\xfd",
            "surrogate": b'{"messages": "\\ud800"}',
            "odd messages": b'{"messages": [null, 5, {"role": []}]}',
        }.items()
    },
    "unknown path": (b"POST /x/\xff%zz HTTP/1.1\r\nContent-Length: 0\r\n\r\n", 404),
    "no such method": (b"GET /model/m/converse HTTP/1.1\r\n\r\n", 501),
    "long path": (b"POST /" + b"a" * 70_000 + b" HTTP/1.1\r\n\r\n", 414),
    "many headers": (HEAD + b"a: 1\r\n" * 200 + b"\r\n", 431),
}  # fmt: skip


@pytest.fixture(scope="module")
def fake() -> Iterator[FakeBedrock]:
    with FakeBedrock(otherwise=Reply([text("x")])) as bedrock:
        yield bedrock


def port_of(fake: FakeBedrock) -> int:
    return int(fake.url.rpartition(":")[2])


def answer(fake: FakeBedrock, request: bytes, *, ends: bool = True) -> bytes:
    """What comes back until the other side closes, or has answered once."""
    with socket.create_connection(("127.0.0.1", port_of(fake)), timeout=20) as client:
        client.sendall(request)
        if ends:
            client.shutdown(socket.SHUT_WR)
        got = b""
        while piece := client.recv(65536):
            got += piece
            if not ends and b"\r\n\r\n" in got:
                break
        return got


@pytest.mark.parametrize("name", REQUESTS)
def test_every_request_has_an_answer_and_no_traceback(
    name: str, fake: FakeBedrock, capfd: pytest.CaptureFixture[str]
) -> None:
    request, status = REQUESTS[name]
    assert answer(fake, request).startswith(b"HTTP/1.1 %d " % status)
    assert answer(fake, sized(GOOD)).startswith(b"HTTP/1.1 200 ")
    assert capfd.readouterr() == ("", "")


def test_a_connection_is_used_again_only_where_the_next_request_is_known(fake: FakeBedrock) -> None:
    assert answer(fake, sized(GOOD) + sized(GOOD)).count(b"HTTP/1.1 200 ") == 2
    assert answer(fake, with_length(b"abc") + sized(GOOD)).count(b"HTTP/1.1") == 1


def test_slow_clients_are_told_so(monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(fake_bedrock._Handler, "timeout", 0.1)
    with FakeBedrock(otherwise=Reply([text("x")])) as fake:
        assert answer(fake, with_length(b"50"), ends=False).startswith(b"HTTP/1.1 408 ")
        assert answer(fake, HEAD, ends=False) == b""  # no request yet: nothing to answer
        assert answer(fake, sized(GOOD)).startswith(b"HTTP/1.1 200 ")
    assert capfd.readouterr() == ("", "")


def test_a_body_that_comes_byte_by_byte_has_an_end(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = iter(range(100))
    monkeypatch.setattr(request_body.time, "monotonic", lambda: next(clock))
    monkeypatch.setattr(request_body, "MAX_SECONDS", 3)

    class Slow:
        def read1(self, size: int) -> bytes:
            return b"x"

    headers = request_body.Message()
    headers["Content-Length"] = "50"
    with pytest.raises(request_body.BadBodyError, match="too slowly") as problem:
        request_body.read_body(headers, Slow(), seconds=5)  # type: ignore[arg-type]
    assert problem.value.status == 408


def test_clients_that_go_away_are_not_spoken_of(fake: FakeBedrock, capfd: pytest.CaptureFixture[str]) -> None:
    for request in (b"", HEAD, sized(GOOD), with_length(b"50"), sized(DEEP)):
        client = socket.create_connection(("127.0.0.1", port_of(fake)))
        client.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\1\0\0\0\0\0\0\0")  # closes with a reset
        client.sendall(request)
        client.close()
    assert answer(fake, sized(GOOD)).startswith(b"HTTP/1.1 200 ")
    assert capfd.readouterr() == ("", "")


def test_it_listens_on_the_loopback_only(fake: FakeBedrock) -> None:
    assert fake._server.server_address[0] == "127.0.0.1"
    others = {info[4][0] for info in socket.getaddrinfo(socket.gethostname(), None, socket.AF_INET)}
    for address in others - {"127.0.0.1"}:
        with pytest.raises((ConnectionRefusedError, TimeoutError)):
            socket.create_connection((str(address), port_of(fake)), timeout=2).close()
