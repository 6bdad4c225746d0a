"""`adapters.loop` with every provider's own client, local model servers and real MCP servers."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from cases import CASES, PASSED, Case, Passed
from model_servers import WIRES, ModelServer, Wire, model_server
from seams.mcp import on_stdio

from toolgen_runtime import Conversation
from toolgen_runtime.adapters import loop
from toolgen_runtime.transcript import check

Call = tuple[str, str]
MALFORMED = 17
"""The rule that the model's own message breaks where its arguments are not an object."""


@pytest.fixture
def model() -> Iterator[ModelServer]:
    with model_server() as server:
        yield server


class Talk:
    """A history with one provider; each `say` is an answer of the model and what its calls came to."""

    def __init__(self, wire: Wire, model: ModelServer, session: Any, tools: Any) -> None:
        self.wire, self.model, self.session = wire, model, session
        self.conversation = Conversation(tools)
        self.history = [wire.user("go")]

    async def say(self, *calls: Call) -> loop.Results:
        number = len(self.history)
        numbered = [(f"call_{number}_{index}", name, sent) for index, (name, sent) in enumerate(calls)]
        self.model.answers.append(self.wire.answer(numbered, True))
        response = await asyncio.to_thread(self.wire.ask, self.model.url, self.history)
        provider: Any = self.wire.provider
        results = await loop.aresults(response, self.conversation, self.session.call_tool, provider=provider)
        self.history += [*self.wire.reply(response), *(self.wire.wrap(results) if results else ())]
        broken = {violation.rule for violation in check(self.history, provider)} if calls else set()
        assert broken <= {MALFORMED}
        assert len(results) == len(calls)
        return results


def talk(model: ModelServer, server: str, folder: Path, work: Any, wires: list[Wire] = WIRES) -> None:
    """Do some work with a session of a server, once for each provider; `memory` keeps what it was told."""

    async def run() -> None:
        for wire in wires:
            own = folder / wire.provider
            own.mkdir()
            async with on_stdio(server, own) as session:
                for one in [wire] if server == "memory" else wires:
                    await work(Talk(one, model, session, (await session.list_tools()).tools))
            if server != "memory":
                break

    asyncio.run(run())


def wires_of(case: Case) -> list[Wire]:
    """The providers on whose wire a case can come: where arguments are objects, what is not JSON cannot.

    google-genai reads objects alone.
    """
    if case.arguments is not None or not case.sent:
        return WIRES
    try:
        json.loads(case.sent)
    except ValueError:
        return [wire for wire in WIRES if wire.text]
    return [wire for wire in WIRES if wire.provider != "gemini"]


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_a_wrong_call_is_answered_and_the_next_one_runs(
    case: Case, model: ModelServer, tmp_path: Path
) -> None:
    async def work(talk: Talk) -> None:
        wrong = await talk.say((case.tool, case.sent))
        (output,) = wrong.outputs
        assert all(part in output.text() for part in case.told), output.text()
        assert (output.kind, output.recovery, output.executed) == (case.kind, case.recovery, False)
        assert json.dumps(case.told[0])[1:-1] in json.dumps(wrong)
        right = await talk.say((case.next_tool, json.dumps(case.fixed)))
        assert right.outputs[0].ok
        assert case.answer in right.outputs[0].text()

    talk(model, case.server, tmp_path, work, wires_of(case))


@pytest.mark.parametrize("passed", PASSED, ids=lambda passed: passed.name)
def test_a_right_call_reaches_the_tool_whole(passed: Passed, model: ModelServer, tmp_path: Path) -> None:
    async def work(talk: Talk) -> None:
        results = await talk.say((passed.tool, passed.sent))
        assert results.outputs[0].text() == passed.answer

    talk(model, passed.server, tmp_path, work)
