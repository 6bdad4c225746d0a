"""The real openai and anthropic clients against a local server of events, whole and cut at each event."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

import anthropic
import openai
import pytest
from helpers.model_servers import serving
from helpers.providers import MODULES, assembled
from helpers.support import for_each, table

from toolgen_transcripts.streams.reader import Assembler
from toolgen_transcripts.streams.result import Completed

pytestmark = pytest.mark.usefixtures("own_servers")
Event = dict[str, Any]

TABLES = table("provider_streams.json")["provider_streams"]
EVENTS: dict[str, list[Event]] = TABLES["events"]
"""By provider the events of one message: a text and two calls."""


# The server: it answers every request with the next script, as server-sent events.


@dataclass
class EventServer:
    """`scripts` are used up in order; a script's bytes are sent as they are."""

    scripts: list[bytes] = field(default_factory=list)
    url: str = ""


@pytest.fixture(scope="module")
def server() -> Iterator[EventServer]:
    events = EventServer()

    def answer(body: Event) -> tuple[str, str]:
        return "text/event-stream", events.scripts.pop(0).decode()

    with serving(answer) as events.url:
        yield events


def wire(events: list[Event], *, done: bool) -> list[bytes]:
    """The bytes of each event; `done` adds the line with which OpenAI ends a stream."""
    sent = []
    for number, event in enumerate(events):
        named = f"event: {event['type']}\n" if "type" in event else ""
        numbered = event | {"sequence_number": number} if "type" in event else event
        sent.append(f"{named}data: {json.dumps(numbered)}\n\n".encode())
    return [*sent, b"data: [DONE]\n\n"] if done else sent


# The clients.

TOOL = {"type": "function", "function": {"name": "weather", "parameters": {"type": "object"}}}
ASK = [{"role": "user", "content": "How is the weather?"}]
CHAT = {"model": "m", "messages": ASK, "tools": [TOOL], "stream": True}
RESPONSES = {"model": "m", "input": "How is the weather?", "stream": True}
MESSAGES = {"model": "m", "messages": ASK, "max_tokens": 100, "stream": True}


@dataclass(frozen=True)
class Client:
    """How to ask a provider's client for a stream."""

    provider: str
    kinds: tuple[Any, Any]  # of client: synchronous, asynchronous
    folder: str  # of the API, below the server's address
    create: Callable[..., Any]
    request: Event

    @property
    def module(self) -> Any:
        return MODULES[self.provider]

    def wire(self, events: list[Event]) -> list[bytes]:
        return wire(events, done=self.provider != "anthropic")

    @property
    def script(self) -> list[bytes]:
        return self.wire(EVENTS[self.provider])

    def client(self, url: str, is_async: bool = False) -> Any:
        return self.kinds[is_async](base_url=url + self.folder, api_key="fake", max_retries=0)

    def open(self, url: str, is_async: bool = False, **more: Any) -> Any:
        return self.create(self.client(url, is_async))(**self.request | more)


OPENAIS = (openai.OpenAI, openai.AsyncOpenAI)
ANTHROPICS = (anthropic.Anthropic, anthropic.AsyncAnthropic)
CLIENTS = {
    "openai chat": Client("openai", OPENAIS, "/v1", lambda c: c.chat.completions.create, CHAT),
    "openai responses": Client("openai_responses", OPENAIS, "/v1", lambda c: c.responses.create, RESPONSES),
    "anthropic": Client("anthropic", ANTHROPICS, "", lambda c: c.messages.create, MESSAGES),
}


def ask(server: EventServer, client: Client, script: list[bytes], **more: Any) -> Completed:
    server.scripts.append(b"".join(script))
    assembler: Assembler = client.module.StreamAssembler()
    for _ in assembler.read(client.open(server.url, **more)):
        pass
    return assembler.finish()


BY_PROVIDER = {client.provider: client for client in CLIENTS.values()}
STREAMS = [
    pytest.param(BY_PROVIDER[provider], events, id=label)
    for label, (provider, events, _) in TABLES["outcomes"].items()
    if provider in BY_PROVIDER
]


@for_each(STREAMS)
def test_what_comes_through_a_client_is_what_was_sent(
    client: Client, events: list[Event], *, server: EventServer
) -> None:
    through, sent = ask(server, client, client.wire(events)), assembled(client.provider, events)
    assert through.turn().blocks == sent.turn().blocks
    assert [call.ready for call in through.calls] == [call.ready for call in sent.calls]
    assert through.truncated == sent.truncated


@for_each(CLIENTS)
def test_asynchronous_clients(client: Client, *, server: EventServer) -> None:
    async def run() -> Completed:
        assembler: Assembler = client.module.StreamAssembler()
        async for _ in assembler.aread(await client.open(server.url, is_async=True)):
            pass
        return assembler.finish()

    server.scripts.append(b"".join(client.script))
    assert (
        asyncio.run(run()).turn().blocks == assembled(client.provider, EVENTS[client.provider]).turn().blocks
    )


@for_each(CLIENTS)
def test_an_event_cut_in_the_middle(client: Client, *, server: EventServer) -> None:
    """Whatever the client makes of it (an exception, silence), no call is ready."""
    ends = 2 if client.provider == "openai" else 1  # usage comes after the end
    script = wire(EVENTS[client.provider], done=False)[: 1 - ends or None]
    done = ask(server, client, [*script[:-1], script[-1][:-9]])
    assert done.truncated
    assert not done.ready_calls


def test_an_error_event_is_kept(server: EventServer) -> None:
    """The anthropic client raises it; a chat completion's error is raised by the openai client."""
    for name, error in (
        ("anthropic", {"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}}),
        ("openai chat", {"error": {"code": "server_error", "message": "x"}}),
    ):
        client = CLIENTS[name]
        done = ask(server, client, wire([*EVENTS[client.provider][:-2], error], done=False))
        assert done.error is not None
        assert "broke off" in done.why
        assert not done.ready_calls


def test_the_events_of_the_anthropic_stream_helper(server: EventServer) -> None:
    client, (start, *events) = CLIENTS["anthropic"], EVENTS["anthropic"]
    message = {"id": "m", "type": "message", "model": "m", "content": [], **start["message"]}
    server.scripts.append(b"".join(wire([{**start, "message": message}, *events], done=False)))
    assembler: Assembler = client.module.StreamAssembler()
    helper = client.client(server.url)
    with helper.messages.stream(model="m", messages=ASK, max_tokens=100) as stream:
        for _ in assembler.read(stream):
            pass
    assert assembler.finish().turn().blocks == assembled("anthropic", EVENTS["anthropic"]).turn().blocks
