"""The benchmark of recovery, without a model: cases, scores of known log-probabilities, wordings, the loop."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from typing import Any

import measure
import pytest
import tables
from endpoint_loop import Endpoint, attempts, loop_table, teller
from error_texts import own
from helpers.support import ROOT
from results import Results
from rival_texts import stored_texts
from wordings import WORDINGS, wordings
from wrong_calls import Call, Case, holds_answer, is_valid, judge, load, read_call

FOLDER = ROOT / "benchmarks" / "recovery"
KINDS = {"missing", "key", "type", "enum", "list", "nesting", "json", "null", "union", "name"}
TOOL = {
    "name": "paint",
    "description": "Paint a wall.",
    "inputSchema": {
        "type": "object",
        "properties": {"color": {"enum": ["red", "blue"]}, "coats": {"type": "integer"}},
        "required": ["color"],
        "additionalProperties": False,
    },
}
CASE = Case("enum-0", "enum", None, (TOOL,), Call("paint", {"color": "RED"}), Call("paint", {"color": "red"}))


class Letters:
    """A model whose tokens are characters: each costs 1, a capital letter 3; it writes what it is given."""

    def __init__(self, writes: str) -> None:
        self.writes, self.asked = writes, 0

    def prompt(self, messages: list[Any], tools: list[Any]) -> str:
        del tools
        return "\n".join(str(message["content"]) for message in messages)

    def tokens(self, text: str, *, start: bool = False) -> list[int]:
        del start
        return [ord(letter) for letter in text]

    def greedy(self, prompt: list[int], limit: int, stop: str) -> Any:
        del prompt
        return self._written(self.writes.partition(stop)[0][:limit])

    def forced(self, prompt: list[int], tokens: list[int]) -> Any:
        del prompt
        self.asked += len(tokens)
        return self._written("".join(map(chr, tokens)))

    def _written(self, text: str) -> Any:
        costs = tuple(-3.0 if letter.isupper() else -1.0 for letter in text)
        return type("W", (), {"tokens": tuple(map(ord, text)), "logprobs": costs, "text": text})()


def test_cases_are_enough_and_fair() -> None:
    cases = load()
    assert len(cases) >= 150
    assert {case.kind for case in cases} == KINDS
    assert len({case.id for case in cases}) == len(cases)
    for kind in KINDS:
        assert sum(case.kind == kind for case in cases) >= 15, kind
    for case in cases:
        assert is_valid(case, case.intended), case.id
        assert not is_valid(case, case.wrong), case.id
        own(case)  # toolgen rejects it, too


@pytest.mark.parametrize(
    ("writes", "outcome"),
    [
        (' {"color": "red"}}\n', "intended"),
        (' {"color": "RED"}}\n', "same"),
        (' {"color": "blue"}}\n', "other valid"),
        (' {"color": "green"}}\n', "other invalid"),
        (" no call", "no call"),
        (' {\n "color": "red"}}\n</tool_call>', "intended"),
    ],
)
def test_log_odds_do_not_depend_on_what_greedy_decoding_showed(writes: str, outcome: str) -> None:
    model = Letters(writes)
    found = measure.measure(model, CASE, "wrong")
    assert found.outcome == outcome
    assert (
        found.log_odds == 6.0
    )  # the tokens after the shared start: three small letters against three capital ones
    assert found.tokens == len("wrong")


def test_tokens_that_greedy_decoding_showed_are_not_asked_again() -> None:
    agreeing, other = Letters(' {"color": "red"}}\n</tool_call>'), Letters("no")
    measure.measure(agreeing, CASE, "wrong")
    measure.measure(other, CASE, "wrong")
    assert agreeing.asked < other.asked


def test_a_wrong_name_is_written_by_the_model() -> None:
    case = replace(CASE, kind="name", wrong=Call("Paint", {"color": "red"}))
    found = measure.measure(Letters('paint", "arguments": {"color": "red"}}\n'), case, "wrong")
    assert (found.outcome, found.log_odds) == ("intended", 2.0)


@pytest.mark.parametrize(
    ("text", "call"),
    [
        ('{"name": "a", "arguments": {}} and more', Call("a", {})),
        ('{"name": "a"}', None),
        ('["a"]', None),
        ("{", None),
    ],
)
def test_calls_are_read(text: str, call: Call | None) -> None:
    assert read_call(text) == call


def test_equality_is_that_of_json() -> None:
    case = replace(CASE, intended=Call("paint", {"color": "red", "coats": 1}))
    assert judge(case, Call("paint", {"coats": 1.0, "color": "red"})) == "intended"
    assert judge(case, Call("paint", {"coats": True, "color": "red"})) == "other invalid"


@pytest.mark.parametrize(
    ("wrong", "intended", "text", "holds"),
    [
        ({"color": "RED"}, {"color": "red"}, "color: send red", True),
        ({"color": "RED"}, {"color": "red"}, "color: not allowed", False),
        ({"colour": "red"}, {"color": "red"}, "rename it to color", False),
        ({"colour": "red"}, {"color": "red"}, "rename it to color, red", True),
        ({"color": "red", "x": 1}, {"color": "red"}, "x: not a field", False),
    ],
)
def test_a_text_holds_the_answer(wrong: Any, intended: Any, text: str, holds: bool) -> None:
    case = replace(CASE, wrong=Call("paint", wrong), intended=Call("paint", intended))
    assert holds_answer(case, text) is holds


def test_wordings_are_described_and_do_not_know_the_intention() -> None:
    seen = set()
    for case in load()[::2]:
        found = own(case)
        made = wordings(case, found)
        seen |= made.keys()
        unknown = replace(case, intended=Call("unknown", {}))
        assert wordings(unknown, found) == made, case.id
        assert found.text not in made.values()
    assert seen == WORDINGS.keys()


def test_stored_texts_belong_to_cases() -> None:
    known = {case.id for case in load()}
    for rival, texts in stored_texts().items():
        assert texts.keys() <= known, rival
        assert len(texts) > 100, rival


def test_results_are_kept_and_found_again(tmp_path: Path) -> None:
    path = tmp_path / "folder" / "model.jsonl"
    found = measure.measure(Letters("no"), CASE, "wrong")
    Results(path).add(CASE, "wrong", found)
    assert Results(path).get(CASE, "wrong") == found
    assert Results(path).get(CASE, "another text") is None


def measured(odds: list[float]) -> list[tables.Row]:
    """Return rows of toolgen's text with these log-odds; a positive one wrote the intended call."""
    found = own(CASE)
    return [
        tables.Row(
            CASE,
            found,
            "toolgen",
            found.text,
            measure.Measurement(9, each, "", (CASE.intended if each > 0 else CASE.wrong).text()),
        )
        for each in odds
    ]


def test_a_figure_is_worse_if_it_is_below_its_interval() -> None:
    stored = tables.figures(measured([1.0, -1.0] * 20))
    assert stored["intended, all"]["value"] == 0.5
    assert tables.worse(stored, stored) == []
    assert (
        tables.worse(stored, tables.figures(measured([1.0, -1.0] * 20 + [-1.0] * 4))) == []
    )  # within the interval
    assert tables.worse(stored, tables.figures(measured([5.0] * 40))) == []
    assert [
        line.partition(":")[0] for line in tables.worse(stored, tables.figures(measured([-1.0] * 40)))
    ] == [
        "intended, all",
        "log-odds, all",
        "intended, certain",
        "log-odds, certain",
    ]
    assert "not measured" in tables.worse(stored, {})[0]


def test_the_stored_figures_are_those_that_the_nightly_run_compares() -> None:
    stored = json.loads((FOLDER / "stored.json").read_text("utf-8"))
    assert stored.keys() == tables.figures(measured([1.0])).keys()
    assert all(each["low"] <= each["value"] <= each["high"] for each in stored.values())
    workflow = (ROOT / ".github" / "workflows" / "nightly.yml").read_text("utf-8")
    assert "--compare benchmarks/recovery/stored.json" in workflow


def test_the_report_counts_what_was_measured() -> None:
    rival = [
        replace(row, name="rival", measured=replace(row.measured, log_odds=-2.0))
        for row in measured([1.0, 1.0])
    ]
    text = tables.report("a model", [*measured([1.0, -1.0]), *rival])
    assert "| toolgen | 2 | 9 | 1 (50%) | 1 (50%) [0%, 100%] | 1 (50%) | 0 |" in text
    assert "| rival | 2 | 9 | 2 (100%) | 2 (100%) [100%, 100%] | 0 (0%) | 0 |" in text
    assert "| rival | -2.00 [-2.00, -2.00] | 0 (0%) | 1 | 1 (100%) | +1.00 [+1.00, +1.00] |" in text


def test_intervals_hold_the_mean_and_shrink() -> None:
    few, many = tables.interval([0.0, 1.0] * 5), tables.interval([0.0, 1.0] * 200)
    assert few[0] < 0.5 < few[1]
    assert many[1] - many[0] < few[1] - few[0]
    assert tables.interval([2.0] * 9) == (2.0, 2.0)


@contextmanager
def scripted(*answers: Any) -> Iterator[tuple[Endpoint, list[Any]]]:
    """Serve chat completions from a script: the arguments of a call, a text, or None for an error."""
    asked: list[Any] = []

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            asked.append(json.loads(self.rfile.read(int(self.headers["Content-Length"]))))
            answer = answers[len(asked) - 1]
            message: Any = {"role": "assistant", "content": answer}
            if isinstance(answer, dict):
                function = {"name": "paint", "arguments": json.dumps(answer)}
                calls = [{"id": f"c{len(asked)}", "type": "function", "function": function}]
                message = {"role": "assistant", "content": None, "tool_calls": calls * 2}
            body = json.dumps({"choices": [{"message": message}]}).encode()
            self.send_response(500 if answer is None else 200)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *args: Any) -> None:
            pass

    server = HTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield Endpoint(f"http://127.0.0.1:{server.server_port}/v1/", "small"), asked
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


@pytest.mark.parametrize(
    ("answers", "outcomes"),
    [
        ([{"color": "red"}], ["intended"]),
        ([{"color": "RED"}, {"colour": "red"}, {"color": "red"}], ["same", "other invalid", "intended"]),
        ([{"color": "RED"}, {"color": "blue"}], ["same", "other valid"]),
        ([{"color": "RED"}] * 3, ["same"] * 3),
        (["I give up."], ["no call"]),
    ],
)
def test_a_loop_ends_with_a_valid_call_or_after_three_attempts(answers: Any, outcomes: list[str]) -> None:
    with scripted(*answers) as (endpoint, asked):
        made = attempts(endpoint, CASE, teller("toolgen", CASE, Path()))
    assert made is not None
    assert [each.outcome for each in made] == outcomes
    assert len(asked) == len(outcomes)


def test_each_error_text_of_a_loop_is_about_the_last_call() -> None:
    with scripted({"color": "red", "coats": "2"}, {"color": "red"}) as (endpoint, asked):
        made = attempts(endpoint, CASE, teller("toolgen", CASE, Path()))
    assert made is not None
    assert "RED" in made[0].text
    assert "coats" in made[1].text
    last = asked[1]["messages"]
    assert [message["role"] for message in last] == ["user", "assistant", "tool", "assistant", "tool"]
    assert last[3]["tool_calls"][0]["id"] == last[4]["tool_call_id"] == "c1"
    assert len(last[3]["tool_calls"]) == 1  # each call needs a result, so the other one is left out
    assert asked[0]["tools"][0]["function"]["name"] == "paint"
    table = loop_table({"toolgen": [made]})
    assert "| toolgen | 1 | 0, 1, 1 | 1 (100%) [100%, 100%] | 0 | 0 |" in table


def test_an_endpoint_that_fails_says_so() -> None:
    with scripted(None) as (endpoint, _), pytest.raises(OSError, match="500"):
        attempts(endpoint, CASE, teller("bare", CASE, Path()))


def test_a_library_without_a_text_has_no_loop() -> None:
    with scripted() as (endpoint, asked):
        assert attempts(endpoint, CASE, lambda _: None) is None
    assert not asked
