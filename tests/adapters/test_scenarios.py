"""What every adapter does, in one table: the same scenarios and the same calls to real servers for each framework.

`scripts/frameworks.py` says which framework (`TOOLGEN_FRAMEWORK`) and, where the table of
benchmarks/adapters/README.md is made anew, in which folder to note what was seen (`TOOLGEN_SCENARIOS`).
"""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
from collections.abc import Awaitable, Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import partial
from importlib import import_module
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from cases import CASES, CHANGED, PASSED, REPORTED, Case, Passed, example
from seams.common import Desk, Told

from toolgen_runtime import Registry

FRAMEWORK = os.environ.get("TOOLGEN_FRAMEWORK", "")
SEAMS = {
    name: import_module(f"seams.{name}")
    for name in ([FRAMEWORK, "mcp_guard"] if FRAMEWORK == "mcp" else [FRAMEWORK])
}
X, RIGHT = ("pay", '{"amount": "x"}'), ("pay", '{"amount": 3}')
HINT = 'pay was not run. amount: change "x" to an integer'
CUT = ("write", '{"path": "a", "content": "line one\\nline tw')
FRAMEWORKS_TOOLS = {"Answer", "handoff", "set_model_response", "transfer_to_agent"}


@dataclass
class Watch:
    """What the hook and the ledgers saw of a scenario."""

    ended: list[Any] = field(default_factory=list)
    issues: list[Any] = field(default_factory=list)
    conversations: list[Any] = field(default_factory=list)

    @property
    def options(self) -> dict[str, Any]:
        return {"on_call": lambda call: self.ended.append, "on_issue": self.issues.append}

    def conversation(self, make: Callable[..., Any]) -> Callable[..., Any]:
        """Return a method of a registry that makes conversations, and records them."""

        def conversation(registry: Registry, **options: Any) -> Any:
            self.conversations.append(make(registry, **options))
            return self.conversations[-1]

        return conversation

    def hook(self) -> list[str]:
        """How the calls ended, sorted: calls of one answer run at once. Those of the framework's tools are left out."""
        ended = [each for each in self.ended if not self._is_frameworks(each)]
        return sorted("canceled" if each is None else str(each.kind or "ok") for each in ended)

    def ledger(self) -> tuple[int, int, int]:
        """How many calls were attempted, executed, and succeeded; without those of the framework's tools."""
        totals = [each.ledger.total for each in self.conversations]
        keys = ("attempted", "executed", "succeeded")
        others = sum(map(self._is_frameworks, self.ended))
        a, e, s = (sum(getattr(total, key) for total in totals) - others for key in keys)
        return a, e, s

    @staticmethod
    def _is_frameworks(output: Any) -> bool:
        """Return whether a call is of a tool for a handoff or for structured output."""
        return output is not None and output.tool in FRAMEWORKS_TOOLS


@pytest.fixture
def watch(monkeypatch: pytest.MonkeyPatch) -> Watch:
    seen = Watch()
    monkeypatch.setattr(Registry, "conversation", seen.conversation(Registry.conversation))
    return seen


@dataclass
class Setting:
    """A framework, the functions of its agents, and the options of its adapter."""

    seam: Any
    options: dict[str, Any]
    desk: Desk = field(default_factory=Desk)

    def opened(self) -> Any:
        return self.seam.opened(self.desk.tools, Path(), **self.options)


Body = Callable[[Setting], Awaitable[list[Told]]]


def asked(*answers: Any) -> Body:
    async def body(at: Setting) -> list[Told]:
        async with at.opened() as ask:
            return list(await ask(*answers))

    return body


async def three_chats(at: Setting) -> list[Told]:
    async with at.opened() as ask:
        return [told for _ in range(3) for told in await ask([X])]


async def two_clients(at: Setting) -> list[Told]:
    async with at.opened() as ask:
        first, second = await asyncio.gather(ask([X], [X], client=0), ask([X], [X], client=1))
    assert first == second
    return [*first, *second]


async def cancelled(at: Setting) -> list[Told]:
    at.desk.tools.append(at.desk.wait)
    async with at.opened() as ask:
        await ask()  # whatever starts once has started
        running = asyncio.ensure_future(ask([("wait", "{}")]))
        for _ in range(3000):  # on a busy machine it takes a while until the tool runs
            await asyncio.sleep(0.02)
            if at.desk.ran:
                break
        running.cancel()
        with suppress(asyncio.CancelledError):
            await running
        for _ in range(20):  # some frameworks end in a task of their own
            await asyncio.sleep(0.02)
    return []


async def times_out(at: Setting) -> list[Told]:
    at.desk.tools.append(at.desk.slow)
    with suppress(Exception):  # some frameworks end the run, or raise what the session does
        async with at.opened() as ask:
            await ask([("slow", "{}")])
    return []


async def approval(at: Setting) -> list[Told]:
    told, asked = await at.seam.approval(at.desk.tools, [X], [RIGHT], **at.options)
    assert asked == 1, "people are asked about right calls alone"
    return list(told)


async def handed_off(at: Setting) -> list[Told]:
    return list(await at.seam.handed_off(at.desk.tools, X, **at.options))


async def added_later(at: Setting) -> list[Told]:
    async with at.opened() as ask:
        before = await ask([RIGHT])
        at.desk.tools.append(at.desk.late)
        return [*before, *await ask([("late", '{"count": "x"}')], [("late", '{"count": 3}')])]


async def repaired(at: Setting) -> list[Told]:
    return await asked([("pay", '{"amount": "3"}')])(replace(at, options=at.options | {"repair": True}))


async def two_agents(at: Setting) -> list[Told]:
    """Two agents have a tool of the same name; an agent of each kind makes a mistake of its own."""

    def pay(amount: str) -> str:
        """Pay an amount, in words."""
        return f"pays {amount}"

    calls = [("pay", '{"amount": 3}')], [("pay", '{"amount": "three"}')]
    async with at.opened() as ask:
        if getattr(at.seam, "SHARES", False):  # one adapter for both
            others: Any = ask(*calls, tools=[pay])
            first, second = await asyncio.gather(ask(*calls), others)
        else:
            async with at.seam.opened([pay], Path(), **at.options) as ask_other:
                first, second = await asyncio.gather(ask(*calls), ask_other(*calls))
    return [*first, *second]


def resumed(handed: bool) -> Body:
    async def body(at: Setting) -> list[Told]:
        """A process begins a run, until a person is asked. Another approves the call, and the model makes a mistake."""
        with TemporaryDirectory() as folder:
            for step, call in (("begun", RIGHT), ("resumed", X)):
                given = [at.seam.__name__, step, folder, json.dumps([call]), "handed" if handed else ""]
                variables = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
                run = partial(subprocess.run, capture_output=True, text=True, env=variables, check=False)
                done = await asyncio.to_thread(run, [sys.executable, __file__, *given])
                assert done.returncode == 0, done.stderr
                at.desk.elsewhere.append(json.loads(done.stdout.splitlines()[-1]))
        first, second = at.desk.elsewhere
        assert first["found"] == 1
        return [Told(*each) for each in second["found"]]

    return body


def run_step(seam: str, step: str, folder: str, calls: str, handed: str) -> None:
    """Run in a process that `resumed` starts; print what was seen."""
    watch = Watch()
    Registry.conversation = watch.conversation(Registry.conversation)  # type: ignore[method-assign]
    run, options = getattr(import_module(seam), step), watch.options
    if handed:
        options["handed"] = True
    found = asyncio.run(run(Desk().tools, Path(folder), list(map(tuple, json.loads(calls))), **options))
    if step == "resumed":
        found = [[told.text, told.is_error] for told in found]
    seen = {"hook": watch.hook(), "issues": len(watch.issues), "ledger": watch.ledger()}
    print(json.dumps({"found": found, **seen}))


async def changed(at: Setting) -> list[Told]:
    at.desk.tools.append(at.desk.grow)
    wrong, right = ("late", '{"count": "x"}'), ("late", '{"count": 3}')
    return await asked([("grow", "{}")], [wrong], [right])(at)


async def structured(at: Setting) -> list[Told]:
    assert await at.seam.structured(at.desk.tools, X, '{"number": 4}', **at.options) == 4
    return []


def cut(streamed: bool) -> Body:
    async def body(at: Setting) -> list[Told]:
        at.desk.tools.append(at.desk.write)
        told = list(await at.seam.cut_off(at.desk.tools, CUT, streamed, **at.options))
        assert at.desk.ran == []
        return told

    return body


async def hundred(at: Setting) -> list[Told]:
    at.desk.add(99)
    return await asked([X], [RIGHT])(at)


@dataclass(frozen=True)
class Scenario:
    """What is done, and what must be seen: parts of what each call is told, in order; the hook's ends; the counts."""

    says: str
    body: Body
    told: tuple[str, ...]
    ended: tuple[str, ...]
    counts: tuple[int, int, int]


AGAIN, GIVE_UP = "You sent the same arguments again", "It failed 3 times in the same way"
WRONG = "invalid_parameters"
LATE = 'late was not run. count: change "x" to an integer'
SCENARIOS = {
    "one slip": Scenario(
        "three parallel calls, one of them wrong",
        asked([("pay", '{"amount": 1}'), X, RIGHT]),
        ("paid 1", HINT, "paid 3"),
        (WRONG, "ok", "ok"),
        (3, 2, 2),
    ),
    "same slip": Scenario(
        "three parallel calls with the same mistake",
        asked([X, X, X]),
        (HINT, HINT, HINT),
        (WRONG, WRONG, WRONG),
        (3, 0, 0),
    ),
    "three answers": Scenario(
        "the same mistake in three answers of the model",
        asked([X], [X], [X]),
        (HINT, AGAIN, GIVE_UP),
        (WRONG, WRONG, WRONG),
        (3, 0, 0),
    ),
    "three chats": Scenario(
        "three chats on one session", three_chats, (HINT, HINT, HINT), (WRONG, WRONG, WRONG), (3, 0, 0)
    ),
    "two clients": Scenario(
        "two clients in one process, two answers each",
        two_clients,
        (HINT, AGAIN, HINT, AGAIN),
        (WRONG,) * 4,
        (4, 0, 0),
    ),
    "cancelled": Scenario("a cancelled call", cancelled, (), ("canceled",), (1, 1, 0)),
    "times out": Scenario("a call that times out", times_out, (), ("timeout",), (1, 1, 0)),
    "approval": Scenario("a person approves calls", approval, (HINT, "paid 3"), (WRONG, "ok"), (2, 1, 1)),
    "handoff": Scenario(
        "a handoff to another agent and back, with one mistake each time",
        handed_off,
        (),
        (WRONG,) * 3,
        (3, 0, 0),
    ),
    "added later": Scenario(
        "a tool that is added later",
        added_later,
        ("paid 3", LATE, "late 3"),
        (WRONG, "ok", "ok"),
        (3, 2, 2),
    ),
    "repaired": Scenario("a call that is repaired", repaired, ('"amount" is now 3',), ("ok",), (1, 1, 1)),
    "two agents": Scenario(
        "two agents at once, with different tools of the same name",
        two_agents,
        ("paid 3", "pay was not run. amount", "pay was not run. amount", "pays three"),
        (WRONG, WRONG, "ok", "ok"),
        (4, 2, 2),
    ),
    "resumed": Scenario(
        "an approved call that is resumed in a new process, then a wrong call",
        resumed(handed=False),
        ("paid 3", HINT),
        (WRONG, "ok"),
        (2, 1, 1),
    ),
    "resumed after a handoff": Scenario(
        "the same, of an agent that another agent has handed off to",
        resumed(handed=True),
        ("paid 3", HINT),
        (WRONG, "ok"),
        (2, 1, 1),
    ),
    "changed": Scenario(
        "a tool that a tool adds during a run",
        changed,
        ("grown", LATE, "late 3"),
        (WRONG, "ok", "ok"),
        (3, 2, 2),
    ),
    "structured": Scenario("structured output after a wrong call", structured, (), (WRONG,), (1, 0, 0)),
    "cut off": Scenario("an answer that is cut off", cut(False), ("cut off",), (WRONG,), (1, 0, 0)),
    "cut off, streamed": Scenario(
        "a streamed answer that is cut off", cut(True), ("cut off",), (WRONG,), (1, 0, 0)
    ),
    "100 tools": Scenario("100 tools", hundred, (HINT, "paid 3"), (WRONG, "ok"), (2, 1, 1)),
}


NEEDS = {"resumed": ("approval",), "resumed after a handoff": ("resumed", "approval", "handoff")}
"""The scenarios without which another makes no sense."""


def lacks(seam: str, what: str) -> None:
    lacking = SEAMS[seam].LACKS
    why = next((lacking[each] for each in (what, *NEEDS.get(what, ())) if each in lacking), "")
    if why:
        note(seam, what, why)
        pytest.skip(why)


def note(seam: str, name: str, why: str = "") -> None:
    """Note what was seen of a scenario, for the table of the documentation."""
    folder = os.environ.get("TOOLGEN_SCENARIOS")
    if folder and name in SCENARIOS:
        scenario, place = SCENARIOS[name], list(SCENARIOS).index(name)
        seen = {"seam": seam, "scenario": name, "place": place, "lacks": why, "says": scenario.says}
        seen |= {"told": scenario.told, "ended": scenario.ended, "counts": scenario.counts}
        Path(folder, f"{seam}-{place}.json").write_text(json.dumps(seen), "utf-8")


@pytest.mark.parametrize("scenario", SCENARIOS)
@pytest.mark.parametrize("seam", SEAMS)
def test_scenario(seam: str, scenario: str, watch: Watch) -> None:
    lacks(seam, scenario)
    wanted, at = SCENARIOS[scenario], Setting(SEAMS[seam], watch.options)
    told = asyncio.run(wanted.body(at))
    if wanted.told:
        texts = [each.text for each in told]
        assert len(texts) == len(wanted.told), texts
        assert all(part in text for part, text in zip(wanted.told, texts, strict=True)), texts
        assert all(each.is_error in (None, "was not run" in each.text) for each in told)
        same = [text for part, text in zip(wanted.told, texts, strict=True) if part == HINT]
        assert len(set(same)) <= 1, "a first hint says nothing of other calls"
    seen = [{"hook": watch.hook(), "issues": len(watch.issues), "ledger": watch.ledger()}, *at.desk.elsewhere]
    assert sorted(end for each in seen for end in each["hook"]) == sorted(wanted.ended)
    assert sum(each["issues"] for each in seen) >= wanted.ended.count(WRONG)
    assert tuple(map(sum, zip(*(each["ledger"] for each in seen), strict=True))) == wanted.counts
    note(seam, scenario)


def ask_server(seam: str, server: str, folder: Path, *answers: Any, watch: Watch) -> list[Told]:
    """Return what a model is told that makes these calls to a real server."""
    lacks(seam, "servers")

    async def main() -> list[Told]:
        async with SEAMS[seam].opened(server, folder, **watch.options) as ask:
            return list(await ask(*answers))

    return asyncio.run(main())


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
@pytest.mark.parametrize("seam", SEAMS)
def test_a_wrong_call_is_answered_with_a_hint_and_the_next_one_runs(
    seam: str, case: Case, tmp_path: Path, watch: Watch
) -> None:
    module: Any = SEAMS[seam]
    if case.arguments is None and not hasattr(module, "TAKES_TEXT"):
        pytest.skip("arguments come as objects")
    if case.fixed_tool and getattr(module, "OWN_NAMES", False):
        pytest.skip("the framework answers unknown names itself")
    if "self" in case.sent and hasattr(module, "RESERVED"):
        pytest.skip("the framework's tools cannot take these keys")
    answers = [(case.tool, case.sent)], [(case.next_tool, json.dumps(case.fixed))]
    refused, answered = ask_server(seam, case.server, tmp_path, *answers, watch=watch)
    assert refused.is_error is not False
    assert all(part in refused.text for part in case.told), refused.text
    assert not answered.is_error
    assert case.answer in answered.text
    if not case.fixed_tool:  # of which not every hook is told
        first, last = watch.ended
        assert (first.kind, first.recovery, first.executed) == (case.kind, case.recovery, False)
        assert (last.kind, last.executed) == (None, True)


@pytest.mark.parametrize("case", PASSED, ids=lambda case: case.name)
@pytest.mark.parametrize("seam", SEAMS)
def test_a_right_call_reaches_the_tool_whole(seam: str, case: Passed, tmp_path: Path, watch: Watch) -> None:
    if "self" in case.sent and hasattr(SEAMS[seam], "RESERVED"):
        pytest.skip("the framework's tools cannot take these keys")
    (told,) = ask_server(seam, case.server, tmp_path, [(case.tool, case.sent)], watch=watch)
    assert (told.text, bool(told.is_error)) == (case.answer, False)


@pytest.mark.parametrize("seam", SEAMS)
def test_tools_of_a_server_that_change(seam: str, tmp_path: Path, watch: Watch) -> None:
    server, grow, (new, wrong, right), (other, before, now) = CHANGED
    lacks(seam, "servers")
    lacks(seam, "server changes")

    async def main() -> list[Told]:
        async with SEAMS[seam].opened(server, tmp_path, **watch.options) as ask:
            first = await ask([(other, json.dumps(before))], [(grow, "{}")])
            sent = [(new, wrong), (new, right), (other, before), (other, now)]
            return [*first, *await ask(*([(name, json.dumps(given))] for name, given in sent))]

    texts = [told.text.split()[0] for told in asyncio.run(main())]
    assert texts == ["ran", "ran", "added", "ran", "shape", "ran"]


@pytest.mark.parametrize("seam", SEAMS)
def test_a_result_that_is_an_error_comes_as_it_is(seam: str, tmp_path: Path, watch: Watch) -> None:
    server, name, arguments, says = REPORTED
    if getattr(SEAMS[seam], "ENDS_AT_ERRORS", False):
        pytest.skip("this version ends the run")
    (told,) = ask_server(seam, server, tmp_path, [(name, json.dumps(arguments))], watch=watch)
    assert told.is_error is not False
    assert says in told.text
    assert "was not run" not in told.text


@pytest.mark.parametrize("seam", SEAMS)
def test_a_note_stands_beside_the_result(seam: str, tmp_path: Path, watch: Watch) -> None:
    lacks(seam, "noted")
    sent = '{"messageType": "success", "includeImag": false}'
    (told,) = ask_server(seam, "everything", tmp_path, [("get-annotated-message", sent)], watch=watch)
    assert not told.is_error
    assert '"includeImag"' in told.text


# -- values that only the user knows ------------------------------------------------------------------------------

KIM = {"guest_name": "Kim"}
ACCEPTED = {"action": "accept", "content": KIM}
LACKING = ("book", '{"day": "today"}')


def asked_in_each_way(
    seam: str, given: list[Any], *calls: Any, is_elsewhere: bool = False, **options: Any
) -> Iterator[Any]:
    """Yield the questions to the user, what the model is told, and the bookings, in each way in which a seam asks.

    `is_elsewhere` includes the ways in which another adapter of the same kind goes on with the user's answer.
    """
    module: Any = SEAMS[seam]
    ways = [way for way in getattr(module, "ASKS", ()) if is_elsewhere or "elsewhere" not in way]
    if not ways:
        pytest.skip("nobody can be asked here")
    for way in ways:
        yield asyncio.run(module.asking(list(given), calls, **way, **options))


@pytest.mark.parametrize("given", [ACCEPTED, KIM, "Kim"], ids=["protocol", "value", "text"])
@pytest.mark.parametrize("seam", SEAMS)
def test_the_user_is_asked_for_a_missing_value(seam: str, given: Any) -> None:
    if given != ACCEPTED and seam in ("fastmcp", "mcp_guard"):
        pytest.skip("the answers are those of the protocol")
    for (question,), told, ran in asked_in_each_way(seam, [given], LACKING, is_elsewhere=True, ask=True):
        assert question["message"] == "What should the guest name be?"
        assert question["schema"]["required"] == ["guest_name"]
        assert ran == [{"guest_name": "Kim", "day": "today"}]
        text = told[-1].text
        assert text in ("booked", 'booked\nNote: the user was asked for "guest_name" and gave "Kim".')


@pytest.mark.parametrize(
    ("given", "says"),
    [
        ({"action": "decline"}, "declined to give it. Do not ask again"),
        ({"action": "cancel"}, "closed the question without an answer"),
        (None, "closed the question without an answer"),
    ],
)
@pytest.mark.parametrize("seam", SEAMS)
def test_any_other_answer_leads_on_and_nobody_is_asked_twice(seam: str, given: Any, says: str) -> None:
    if given is None and not hasattr(SEAMS[seam], "APPROVES"):
        pytest.skip("an approval is an answer")
    calls = [LACKING] * (1 if hasattr(SEAMS[seam], "FORGETS") else 2)
    for questions, told, ran in asked_in_each_way(seam, [given], *calls, ask=True):
        assert says in told[0].text
        assert all('add the key "guest_name"' in each.text for each in told[1:])
        assert (len(questions), ran) == (1, [])


@pytest.mark.parametrize(("given", "options"), [([], {"ask": True}), ([ACCEPTED], {})])
@pytest.mark.parametrize("seam", SEAMS)
def test_nobody_is_asked_without_the_option_or_for_other_mistakes(
    seam: str, given: Any, options: Any
) -> None:
    calls = [("login", "{}"), ("book", "{}"), ("book", '{"day": 5, "guest_name": "Kim"}')]
    for questions, told, ran in asked_in_each_way(seam, given, *calls, **options):
        assert ["was not run" in each.text for each in told] == [True] * 3
        assert (questions, ran) == ([], [])


@pytest.mark.skipif(FRAMEWORK == "claude_agent", reason="its example asks the real model")
def test_the_example_runs() -> None:
    printed = example(FRAMEWORK)
    assert " was not run" in printed
    assert 'change the key "Title" to "title"' in printed
    assert "created {" in printed


if __name__ == "__main__":
    run_step(*sys.argv[1:])
