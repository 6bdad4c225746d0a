"""`toolgen audit`: what is counted, that it does not depend on how it is parted, and what is shown of it."""

from __future__ import annotations

import gzip
import json
import os
import pickle
import random
import re
import shutil
import signal
import subprocess
import sys
from functools import partial
from itertools import product
from operator import add
from pathlib import Path
from typing import Any

import pytest
from helpers import commands
from helpers.html_page import seen
from helpers.support import (
    ROOT,
    TEST_DATA,
    JsonObject,
    for_each,
    for_each_at_once,
    hear_ctrl_c,
    table,
    write_json,
)
from hypothesis import given, strategies as st

from toolgen.commands.audit import (
    AuditTools,
    Summary,
    partitions as partitions_module,
    summarize,
)
from toolgen.commands.audit.engines import Audited, audit, processes
from toolgen.commands.audit.partitions import parts_of
from toolgen.commands.audit.records.call import parsed
from toolgen.commands.audit.records.recognize import calls_of
from toolgen.commands.audit.report import report as report_of
from toolgen.commands.audit.sources import Source, sources_of
from toolgen.commands.audit.summary import Smallest
from toolgen.commands.audit.table import lines

DATA = TEST_DATA / "audit"
SPECS, RECORDS = table("audit/tools.json"), table("audit/records.json")
TOOLS = AuditTools.of_specs(SPECS)
toolgen = partial(commands.toolgen, "audit")
SECRETS = ("4711", "4930", "493027", "553311", "sk-live-0000")
"""What the recorded calls have under keys that are secret, by the schema or by `--secret api_key`."""


@pytest.fixture(autouse=True)
def _calls(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("calls.jsonl", "tools.json"):
        shutil.copy(DATA / name, tmp_path)
    monkeypatch.chdir(tmp_path)


def found(*args: str, stdin: bytes | None = None) -> JsonObject:
    result = toolgen(*args, "--specs", "tools.json", "--output-format", "json", stdin=stdin)
    assert result.exit_code == 0, result.output
    return json.loads(result.stdout)["result"]  # type: ignore[no-any-return]


def plain_calls() -> list[JsonObject]:
    """The calls of the file that are one to a line."""
    lines = [line for line in Path("calls.jsonl").read_text("utf-8").splitlines() if line[-1] == "}"]
    return [call for call in map(json.loads, lines) if "tool" in call]


def codes(*args: str) -> list[str]:
    result = toolgen(*args, "--output-format", "json")
    assert result.exit_code == 2
    return [diagnostic["code"] for diagnostic in json.loads(result.stdout)["diagnostics"]]


def problems(schema: Any, *payloads: Any) -> set[tuple[str, str, str]]:
    """(pointer, constraint, field) of what some arguments break."""
    tools = AuditTools.of_specs([{"name": "t", "description": "d", "schema": schema}])
    summary = summarize([{"tool": "t", "arguments": payload} for payload in payloads], tools)
    return {(*key, each.shortest[1]) for key, each in summary.tools["t", False].problems.items()}


# -- records ---------------------------------------------------------------------------------------------------


@for_each_at_once(product(RECORDS, [False, True]))
def test_each_shape_is_recognized_by_content(case: Any, as_text: Any) -> None:
    record = json.dumps(case["record"]) if as_text else case["record"]
    if "error" in case:
        with pytest.raises(ValueError, match=case["error"]):
            calls_of(record)
    else:
        found = [[tool, parsed(arguments), executed] for tool, arguments, executed in calls_of(record)]
        assert found == [[tool, parsed(arguments), executed] for tool, arguments, executed in case["calls"]]


def filled(template: Any, **given: Any) -> Any:
    """A record of a table: `$name` is what is given of this name, `{"$json": ...}` a JSON text."""
    if isinstance(template, dict):
        if template.keys() == {"$json"}:
            return json.dumps(filled(template["$json"], **given))
        return {key: filled(value, **given) for key, value in template.items()}
    if isinstance(template, list):
        return [filled(value, **given) for value in template]
    is_given = isinstance(template, str) and template.startswith("$")
    return given[template[1:]] if is_given else template


EXPORTS = table("audit/exports.json")
"""One call in each shape of an export."""
WITH_TOOLS = {name: filled(record) for name, record in table("audit/with_tools.json").items()}
"""Exports of a wrong call of the tool `add`, with the tool's definition."""


@for_each(EXPORTS)
def test_the_same_calls_count_the_same_in_every_export(export: Any) -> None:
    calls = [call for call in plain_calls() if isinstance(call.get("arguments"), dict)]
    plain = summarize(calls, TOOLS)
    records = [filled(export, name=each["tool"], arguments=each["arguments"]) for each in calls]
    summary = summarize(records, TOOLS)
    assert summary.malformed == 0
    assert summary.tools == plain.tools
    assert (plain.tools["create_ticket", False].invalid, len(calls)) > (5, 20)


ODD = st.sampled_from([None, 5, "", "{", "[]", '{"a": 1}', [], [None], {}, {"role": "assistant"}, [[]], True])


@for_each(WITH_TOOLS)
def test_an_export_with_its_tools_is_enough(export: Any) -> None:
    Path("export.jsonl").write_text(json.dumps(export) + "\nnot JSON\n", "utf-8")
    done = toolgen("export.jsonl", "--output-format", "json")
    result = json.loads(done.stdout)["result"]
    assert [(t["name"], t["calls"], t["invalid"]) for t in result["tools"]] == [("add", 1, 1)], result


def test_an_export_without_tools_asks_for_them() -> None:
    Path("export.jsonl").write_text('{"tool": "add", "arguments": {}}\n', "utf-8")
    assert "define no tools" in toolgen("export.jsonl").stderr
    assert "define no tools" in toolgen("-", stdin=json.dumps(WITH_TOOLS["Langfuse"]).encode()).stderr


@for_each(
    [
        ("jinja2", ("calls.jsonl", "--html", "page.html")),
        ("distributed", ("calls.jsonl", "--scheduler", "tcp://127.0.0.1:1")),
        ("pyarrow", ("calls.jsonl", "more.parquet")),
    ]
)
def test_an_extra_is_asked_for_before_the_work(
    missing: str, options: tuple[str, ...], *, monkeypatch: pytest.MonkeyPatch
) -> None:
    Path("more.parquet").write_bytes(b"PAR1")
    monkeypatch.setitem(sys.modules, missing, None)
    monkeypatch.delitem(sys.modules, "toolgen.commands.html_template", raising=False)
    monkeypatch.setattr("toolgen.commands.audit.cli._tools", lambda *_: pytest.fail("the work has begun"))
    done = toolgen(*options, "--specs", "tools.json")
    assert isinstance(done.exception, ModuleNotFoundError) or "missing-extra" in done.stderr
    assert done.exit_code != 0


@st.composite
def damaged(draw: st.DrawFn) -> Any:
    """A record of some shape with one of its values replaced."""
    record = json.loads(json.dumps(draw(st.sampled_from(RECORDS))["record"]))
    holder = record
    while isinstance(holder, dict | list) and holder:
        keys = list(holder) if isinstance(holder, dict) else list(range(len(holder)))
        key = draw(st.sampled_from(keys))
        if not isinstance(holder[key], dict | list) or draw(st.booleans()):
            holder[key] = draw(ODD)
            break
        holder = holder[key]
    return record


@given(damaged())
def test_a_damaged_record_is_counted_and_not_fatal(record: Any) -> None:
    summary = summarize([record, json.dumps(record)], TOOLS)
    assert summary.records == 2


def test_a_sample_says_whether_there_was_more() -> None:
    few, many = Smallest[int, int](2, add), Smallest[int, int](2, add)
    for key in (1, 2, 1):
        few.add(key, 1)
    for key in (3, 1, 2, 1):
        many.add(key, 1)
    assert [*many.items()] == [*few.items()] == [(1, 2), (2, 1)]
    assert many != few


# -- partitioning ----------------------------------------------------------------------------------------------


def parted(sources: list[Source], size: int) -> Summary:
    summaries = [summarize(pickle.loads(pickle.dumps(part)), TOOLS) for part in parts_of(sources, size)]
    random.Random(size).shuffle(summaries)
    total = Summary()
    for summary in summaries:
        total.merge(pickle.loads(pickle.dumps(summary)))
    return total


@for_each([1, 100, 700, 10**6])
def test_the_whole_is_the_same_however_it_is_parted(size: int, *, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(partitions_module, "_READ", 64)
    sources = sources_of(["calls.jsonl"])
    assert size > 10**5 or len(list(parts_of(sources, size))) > 5
    assert parted(sources, size) == parted(sources, 10**7)


RIGHT = b'{"tool": "list_projects", "arguments": {}}'
ODD_LINES = {
    "a list of calls": (b"[" + RIGHT + b", " + RIGHT + b"]", 2, 0, 0),
    "four lists in each other": (b"[[[[" + RIGHT + b"]]]]", 1, 0, 0),
    "five": (b"[[[[[" + RIGHT + b"]]]]]", 0, 1, 0),
    "no arguments": (b'{"tool": "list_projects"}', 1, 0, 0),
    "arguments as text": (b'{"tool": "list_projects", "arguments": "{}"}', 1, 0, 0),
    "control characters around it": (b"\x0c\t" + RIGHT + b"\x0b\r", 1, 0, 0),
    "a tool that is a number": (b'{"tool": 5, "arguments": {}}', 0, 1, 0),
    "a tool that is a list": (b'{"tool": [5], "arguments": {}}', 0, 1, 0),
    "an unknown tool": (b'{"tool": "none", "arguments": {}}', 0, 0, 1),
    "not JSON": (b"{", 0, 1, 0),
    "spaces": (b" \t\r", 0, 0, 0),
    "nothing": (b"", 0, 0, 0),
}


@for_each(ODD_LINES)
def test_an_odd_line_changes_nothing_for_the_lines_beside_it(
    line: Any, calls: Any, malformed: Any, unknown: Any
) -> None:
    Path("odd.jsonl").write_bytes(b"\n".join([RIGHT, RIGHT, line, RIGHT]) + b"\n")
    summary = parted(sources_of(["odd.jsonl"]), 10**6)
    assert summary.tools["list_projects", False].calls == 3 + calls
    assert (summary.malformed, summary.unknown) == (malformed, unknown)
    assert summary.records == 3 + bool(line.strip())


@for_each(["gz", "crlf", "bom", "no newline at the end"])
def test_each_form_of_a_text_file_is_the_same(kind: str, *, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(partitions_module, "_READ", 256)
    data = Path("calls.jsonl").read_bytes()
    plain = found("calls.jsonl")
    forms = {
        "gz": gzip.compress(data),
        "crlf": data.replace(b"\n", b"\r\n"),
        "bom": b"\xef\xbb\xbf" + data,
        "no newline at the end": data.rstrip(),
    }
    Path("calls.jsonl").write_bytes(forms[kind])
    assert found("calls.jsonl") == plain
    assert parted(sources_of(["calls.jsonl"]), 500).records == 46


def test_a_document_over_many_lines_is_read_item_by_item(monkeypatch: pytest.MonkeyPatch) -> None:
    """Langfuse downloads a trace in this form, and a session as a list of traces."""
    records, file = [*plain_calls(), {"no": "calls"}], Path("trace.json")
    Path("lines.jsonl").write_text("\n".join(map(json.dumps, records)), "utf-8")
    file.write_text(json.dumps(records, indent=2), "utf-8")
    lines = json.dumps(found("lines.jsonl")).replace("lines.jsonl", "trace.json")
    assert json.dumps(found("trace.json")) == lines
    with monkeypatch.context() as smaller:
        smaller.setattr(partitions_module, "MAX_LINE", 500)
        assert "bad-calls" in codes("trace.json", "--specs", "tools.json")
    file.write_text(json.dumps({"observations": [], "n": 1}, indent=2) + "\n", "utf-8")
    assert (found("trace.json")["records"], found("trace.json")["malformed"]["records"]) == (1, 0)
    file.write_text("{\n" + json.dumps(records[0]), "utf-8")
    assert "bad-calls" in codes("trace.json", "--specs", "tools.json")


def test_standard_input_is_read() -> None:
    read = found("-", stdin=Path("calls.jsonl").read_bytes())
    assert read["calls"] == 42
    assert read["malformed"]["first"][0]["place"] == "-:10"


def test_a_folder_is_all_of_its_files() -> None:
    Path("logs/deep").mkdir(parents=True)
    shutil.copy("calls.jsonl", "logs/a.jsonl")
    Path("logs/deep/b.ndjson.gz").write_bytes(gzip.compress(Path("calls.jsonl").read_bytes()))
    Path("logs/notes.txt").write_text("nothing")
    assert found("logs")["calls"] == 84


def test_parquet_rows_are_as_lines_are() -> None:
    arrow, parquet = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
    records = [each for each in plain_calls() if isinstance(each.get("arguments"), dict)]
    Path("plain.jsonl").write_text("".join(json.dumps(each) + "\n" for each in records))
    columns = {
        "tool": [each["tool"] for each in records],
        "arguments": [json.dumps(each["arguments"]) for each in records],
    }
    parquet.write_table(arrow.table(columns), "calls.parquet", row_group_size=7)
    lines, rows = found("plain.jsonl"), found("calls.parquet")
    assert len(list(parts_of(sources_of(["calls.parquet"])))) > 5
    for key in ("calls", "invalid", "repaired", "descriptions"):
        assert rows[key] == lines[key]
    place = rows["tools"][0]["problems"][0]["examples"][0]["place"]
    assert re.fullmatch(r"calls\.parquet:\d+", place)
    structs = [{"project": "OPS", "title": "a"}, {"project": "OPS", "title": "b", "labels": ["x"]}]
    parquet.write_table(arrow.table({"tool": ["create_ticket"] * 2, "arguments": structs}), "c.parquet")
    assert found("c.parquet")["invalid"] == 0, "a struct has no keys for its nulls"


def test_a_line_too_long_is_malformed_and_the_next_is_read(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(partitions_module, "MAX_LINE", 500)
    monkeypatch.setattr(partitions_module, "_READ", 64)
    call = json.dumps({"tool": "list_projects"})
    text = f"{call}\n{json.dumps({'tool': 'list_projects', 'x': 'y' * 5_000})}\n{call}\n".encode()
    Path("long.jsonl").write_bytes(text)
    Path("long.jsonl.gz").write_bytes(gzip.compress(text))
    for file in ("long.jsonl", "long.jsonl.gz"):
        for size in (1, 10_000):
            summary = parted(sources_of([file]), size)
            assert summary.tools["list_projects", False].calls == 2
            assert [place.line for place, _ in summary.malformed_at.items()] == [2], (file, size)


def test_a_pipe_is_read_from_its_first_byte() -> None:
    """As `<(zcat calls.gz)` gives one: what is read to recognize it does not come again."""
    os.mkfifo("pipe")
    lines = b'{"tool": "list_projects"}\n' * 3
    writer = os.open("pipe", os.O_RDWR)
    try:
        for data in (lines, gzip.compress(lines)):
            os.write(writer, data)
            (source,) = sources_of(["pipe"])
            os.close(writer)
            assert parted([source], 10_000).tools["list_projects", False].calls == 3
            writer = os.open("pipe", os.O_RDWR)
    finally:
        os.close(writer)


# -- what is counted -------------------------------------------------------------------------------------------


@for_each(table("audit/places.json"))
def test_a_problem_is_where_its_keyword_stands(schema: Any, payload: Any, expected: list[str]) -> None:
    assert problems(schema, payload) == {tuple(expected)}


def test_a_call_that_was_sent_and_executed_counts_once() -> None:
    sent = {"role": "assistant", "content": [{"type": "tool_use", "name": "list_projects", "input": {}}]}
    executed = {"run_type": "tool", "name": "list_projects", "inputs": {}}
    summary = summarize([sent, executed, executed], TOOLS)
    assert {name: tool.calls for name, tool in summary.called().items()} == {"list_projects": 1}
    assert summarize([executed], TOOLS).called()["list_projects"].calls == 1


def test_memory_is_bounded_whatever_is_sent() -> None:
    calls = [{"tool": f"no_tool_{n}"} for n in range(1_000)]
    calls += [
        {"tool": "create_ticket", "arguments": {"project": "OPS", "title": "x", f"key{n}": n}}
        for n in range(1_000)
    ]
    summary = summarize([*calls, *(f"bad {n}" for n in range(1_000))], TOOLS)
    assert (summary.unknown, summary.malformed, summary.tools["create_ticket", False].invalid) == (1_000,) * 3
    assert len(pickle.dumps(summary)) < 40_000


# -- secrets ---------------------------------------------------------------------------------------------------


@for_each(["text", "json", "github", "html"])
def test_no_secret_is_shown(output: str) -> None:
    form = ["--html", "page.html"] if output == "html" else ["--output-format", output]
    result = toolgen("calls.jsonl", "--specs", "tools.json", "--secret", "api_key", *form)
    assert result.exit_code == 0
    shown = Path("page.html").read_text("utf-8") if output == "html" else result.stdout
    assert "fridge" in shown
    assert [secret for secret in SECRETS if secret in shown] == []
    lines = Path("calls.jsonl").read_text("utf-8").splitlines()
    summary = pickle.dumps(summarize(lines, AuditTools.of_specs(SPECS, secrets=["api_key"])))
    assert not [secret for secret in SECRETS if secret.encode() in summary]


def test_texts_that_are_not_json_are_not_shown_of_tools_with_secrets() -> None:
    summary = summarize([{"tool": "sign_in", "arguments": '{"user": "ann", "pin": "493027"'}], TOOLS)
    assert b"493027" not in pickle.dumps(summary)


# -- the command -----------------------------------------------------------------------------------------------


def test_the_page_of_the_docs_has_what_is_printed() -> None:
    page = (ROOT / "docs" / "audit.md").read_text("utf-8")
    command = "toolgen audit calls.jsonl --specs tools.json --secret api_key"
    result = toolgen(*command.split()[2:])
    assert f"```console\n$ {command}\n{result.stdout}```\n" in page
    shown = re.search(r"```json\n(\{\n  \"pointer\".*?)```\n", page, re.DOTALL)
    every = found(*command.split()[2:3], "--secret", "api_key")["tools"][0]["problems"]
    short, whole = json.loads(shown[1]), every[0]
    assert short | {name: whole[name] for name in ("sent", "examples")} == whole
    assert short["sent"] == whole["sent"][:2]


def test_the_page_is_self_contained_and_takes_hostile_texts() -> None:
    hostile = "<script>alert(1)</script>\"'&"
    write_json("hostile.json", {"name": hostile, "schema": {"properties": {hostile: {"type": "null"}}}})
    Path("h.jsonl").write_text(json.dumps({"tool": hostile, "arguments": {hostile: hostile}}) + "\n<b>\n")
    result = toolgen("h.jsonl", "--specs", "hostile.json", "--html", "page.html")
    assert result.exit_code == 0, result.output
    text = Path("page.html").read_text("utf-8")
    page = seen(text)
    assert page.asked == []
    assert not {"script", "link", "iframe", "img", "b", "foreignobject"} & page.tags
    assert "url(" not in text
    assert len(text) < 200_000


@for_each([[], ["--namespace"]])
def test_the_tools_of_a_built_package(
    flags: list[str], *, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    name = f"audited_tools{len(flags)}"
    assert commands.toolgen("build", "tools.json", "-o", f"out/{name}", *flags).exit_code == 0
    monkeypatch.setattr(sys, "path", [*sys.path])
    result = commands.document("audit", "calls.jsonl", "--package", f"out/{name}")["result"]
    assert {**result, "never_called": []} == {**found("calls.jsonl"), "never_called": []}
    sys.path.insert(0, str(tmp_path / "out"))
    assert commands.document("audit", "calls.jsonl", "--package", name)["result"] == result


@for_each([False, True])
def test_tools_of_several_servers_have_the_names_of_a_conversation(package: bool, *, tmp_path: Path) -> None:
    for file, names in (("one", "xy"), ("two", "xz")):
        tools = [{"name": name, "inputSchema": {"type": "object", "required": ["a"]}} for name in names]
        write_json(f"{file}.json", tools)
    called = ("one_x", "two/x", "y")
    Path("calls.jsonl").write_text("".join(json.dumps({"tool": n, "arguments": {}}) + "\n" for n in called))
    options = ["--specs", "one.json", "--specs", "two.json", "--namespace"]
    if package:
        options = ["--package", f"{tmp_path}/several_servers"]
        assert (
            commands.toolgen("build", "one.json", "two.json", "--namespace", "-o", options[1]).exit_code == 0
        )
    result = commands.document("audit", "calls.jsonl", *options)["result"]
    assert {tool["name"]: tool["invalid"] for tool in result["tools"]} == dict.fromkeys(called, 1)
    assert (result["unknown_tools"]["calls"], result["never_called"]) == (0, ["z"])


ADVICE: JsonObject = {
    "give the limit (at most 0)": {"properties": {"x": {"maximum": 0}}},
    "give the limit (more than 1)": {"additionalProperties": {"exclusiveMinimum": 1}},
    "but the tool takes none": {"type": "object", "additionalProperties": False},
    "has a default: take it out of `required`": {"properties": {"a": {"default": 1}}, "required": ["a"]},
    "state that it is required": {"properties": {"a": {}}, "required": ["a"]},
    "name the fields in the description": {"properties": {"a": {}}, "additionalProperties": False},
}


@pytest.mark.parametrize("reason", ADVICE)
def test_the_advice_says_what_the_schema_says(reason: str) -> None:
    tools = AuditTools.of_specs([{"name": "t", "description": "d", "schema": ADVICE[reason]}])
    audited = Audited(summarize([{"tool": "t", "arguments": {"x": 1}}] * 3, tools))
    (advice,) = report_of(audited, tools)["descriptions"]
    assert reason in advice["reason"]


def test_no_examples_are_kept_if_none_are_wanted() -> None:
    result = found("calls.jsonl", "--examples", "0")
    assert not any(problem["examples"] for tool in result["tools"] for problem in tool["problems"])


@for_each(
    [
        ("calls.jsonl --package json", "bad-package"),
        ("cut.jsonl.gz --specs tools.json", "bad-calls"),
        ("bad.jsonl.gz --specs tools.json", "bad-calls"),
        ("other.jsonl --specs tools.json", "bad-calls"),
        ("packed.jsonl.zst --specs tools.json", "bad-calls"),
        ("calls.jsonl --specs tools.json --secret !", "bad-usage"),
        ("calls.jsonl --specs tools.json --jobs 2 --scheduler tcp://x", "bad-usage"),
    ]
)
def test_what_cannot_be_done_is_one_line_with_a_code(line: str, code: str) -> None:
    Path("other.jsonl").write_text('{"level": "info"}\n')
    Path("packed.jsonl.zst").write_bytes(b"\x28\xb5\x2f\xfd\0\0")
    data = gzip.compress(os.urandom(5_000))
    Path("cut.jsonl.gz").write_bytes(data[:3_000])
    Path("bad.jsonl.gz").write_bytes(data[:100] + b"\0" * 500 + data[600:])
    assert codes(*line.split()) == [code]


def test_a_broken_parquet_file_is_named() -> None:
    pytest.importorskip("pyarrow")
    Path("bad.parquet").write_bytes(b"PAR1 and nothing more")
    assert codes("bad.parquet", "--specs", "tools.json") == ["bad-calls"]


# -- engines ---------------------------------------------------------------------------------------------------


def test_processes_give_what_one_process_gives() -> None:
    sources = sources_of(["calls.jsonl"])
    seen: list[int] = []
    one = audit(sources, TOOLS, processes(1), seen.append)
    two = audit(sources, TOOLS, processes(2), lambda done: None, 1_000)
    assert one.summary == two.summary
    assert report_of(one, TOOLS) == report_of(two, TOOLS)
    assert seen == [one.done] == [two.done] == [Path("calls.jsonl").stat().st_size]


def test_ctrl_c_says_what_it_has_seen_and_exits_with_130() -> None:
    command = [sys.executable, "-m", "toolgen", "audit", "-", "--specs", "tools.json", "--jobs", "1"]
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    child = subprocess.Popen(command, preexec_fn=hear_ctrl_c, **pipes)
    line = json.dumps({"tool": "list_projects", "padding": "x" * 100_000}).encode() + b"\n"
    for _ in range(100):  # two parts, and more than a pipe holds, so the rest is waited for
        child.stdin.write(line)
    child.stdin.flush()
    child.send_signal(signal.SIGINT)
    out, err = child.communicate(timeout=120)
    assert child.returncode == 130, err
    assert b"interrupted: this report contains only the calls read so far" in out
    assert b"Traceback" not in err


@for_each([60, 80, 120])
def test_the_tables_fit_a_terminal(width: int) -> None:
    tool, field = "a" * 50, "f" * 50
    tools = AuditTools.of_specs([{"name": tool, "schema": {"properties": {field: {"type": "integer"}}}}])
    calls = [{"tool": tool, "arguments": {field: f"text {n} " * 9}} for n in range(3)]
    shown = "\n".join(lines(report_of(Audited(summarize(calls, tools)), tools), width)).split("\n")
    rows = [line for line in shown if "  " in line.strip() and ":" not in line]
    assert len(rows) == 4
    assert all(len(line) <= width for line in rows)
