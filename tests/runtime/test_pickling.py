"""What pickles is equal afterwards, in another process too; what does not says why in one line."""

from __future__ import annotations

import copy
import gc
import importlib
import multiprocessing
import pickle
import sys
from collections.abc import Callable, Iterator
from itertools import product
from typing import Any

import pytest
from helpers.support import TEST_DATA, TEXT, WHOLE, for_each, for_each_at_once, obj, put_package, read_json

from toolgen import SpecError, compile_tools
from toolgen_runtime import MISSING, Conversation, InvalidPayload, Registry, ToolErrorKind, ToolExecutionError
from toolgen_runtime.validation.issues import Secret
from toolgen_transcripts import anthropic, bedrock, check, gemini, openai, openai_responses, repair

SCHEMA = obj(
    "x",
    x=WHOLE,
    inner={"type": "object", "properties": {"class": TEXT}},
    pin={"type": "string", "format": "password", "maxLength": 4},
)
SPEC = {"name": "pickled-tool", "description": "d", "schema": SCHEMA}
PAYLOAD = {"x": 1, "inner": {"class": "s"}, "pin": "1234"}
CALLED = {"role": "assistant", "content": [{"toolUse": {"toolUseId": "a", "name": "t", "input": {"x": [1]}}}]}
COPIES: dict[str, Callable[[Any], Any]] = {
    "copy": copy.copy,
    "deepcopy": copy.deepcopy,
    **{
        f"pickle {n}": lambda value, n=n: pickle.loads(pickle.dumps(value, n))  # type: ignore[misc]
        for n in range(2, pickle.HIGHEST_PROTOCOL + 1)
    },
}


class OddError(Exception):
    """As many exceptions are: it pickles, and cannot be made again of what it pickled."""

    def __init__(self, code: int, lock: object) -> None:
        super().__init__(f"code {code}")
        self.lock = lock


def failing(_: Any) -> Any:
    raise OddError(5, sys.stdin)


@pytest.fixture(scope="module")
def package(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    """The same tool as a generated package, imported."""
    folder = tmp_path_factory.mktemp("pickling")
    put_package(folder, "pickled_tools", [SPEC])
    sys.path.insert(0, str(folder))
    try:
        yield importlib.import_module("pickled_tools")
    finally:
        sys.path.remove(str(folder))


@pytest.fixture(scope="module", params=["built", "compiled"])
def tool(request: pytest.FixtureRequest) -> Any:
    if request.param == "compiled":
        return compile_tools([SPEC])["pickled-tool"]
    return request.getfixturevalue("package").toolset["pickled-tool"]


def values(tool: Any) -> dict[str, Any]:
    conversation = Conversation([tool])
    transcript = bedrock.decode_messages([{"role": "user", "content": [{"text": "hi"}]}, CALLED])
    wrong = {"y": 1, "inner": 5, "pin": "hunter2"}
    return {
        "issues": tool.validate(wrong),
        "missing": MISSING,
        "secret": Secret("hunter2"),
        "hint": conversation.hint(tool.name, tool.validate(wrong), payload=wrong),
        "payload": tool.parse(PAYLOAD),
        "nested": tool.parse(PAYLOAD).inner,
        "payload_type": tool.payload_type,
        "done": conversation.call(tool.name, PAYLOAD, lambda _: {"r": [1]}),
        "refused": conversation.call(tool.name, wrong, lambda _: None),
        "failed": conversation.call(tool.name, PAYLOAD, failing),
        "transcript": transcript,
        "encoded": bedrock.encode_messages(transcript),
        "violations": check([CALLED], "bedrock"),
        "repaired": repair([CALLED], "bedrock"),
        "received": bedrock.read_tool_uses({"output": {"message": CALLED}, "stopReason": "tool_use"}),
        "kind": ToolErrorKind.TIMEOUT,
        "counts": conversation.begin_turn(),
        "no counts": conversation.begin_turn(),
    }


@for_each(COPIES)
def test_values_are_equal_to_their_copies(name: Any, *, tool: Any) -> None:
    for what, value in values(tool).items():
        copied = name(value)
        assert copied == value, what
        if what != "failed":
            assert repr(copied) == repr(value), what


@pytest.mark.parametrize("name", COPIES)
def test_exceptions_say_the_same(name: str, tool: Any) -> None:
    with pytest.raises(InvalidPayload) as failure:
        tool.parse({"x": "q"})
    copied = COPIES[name](failure.value)
    assert (str(copied), copied.issues()) == (str(failure.value), failure.value.issues())
    error = ToolExecutionError(ToolErrorKind.TIMEOUT, "late", 504)
    assert vars(COPIES[name](error)) == vars(error)
    with pytest.raises(KeyError) as unknown:
        compile_tools([SPEC])["pickled-tol"]
    assert str(COPIES[name](unknown.value)) == str(unknown.value)
    with pytest.raises(SpecError) as refused:
        compile_tools([{**SPEC, "schema": {"type": "strin", "minimum": "x"}}])
    of_specs = COPIES[name](refused.value)
    assert (str(of_specs), of_specs.diagnostics) == (str(refused.value), refused.value.diagnostics)
    assert len(of_specs.diagnostics) == 2


EVENTS: dict[str, list[Any]] = {
    path.stem: read_json(path) for path in sorted((TEST_DATA / "fuzz" / "stream").glob("*.json"))
}


@for_each_at_once(product(COPIES, [bedrock, openai, openai_responses, anthropic, gemini]))
def test_a_stream_is_read_on_by_a_copy(name: Any, provider: Any) -> None:
    for events in EVENTS.values():
        for at in (0, len(events) // 2, len(events)):
            first = provider.StreamAssembler()
            for event in events[:at]:
                first.feed(event)
            if name == "copy":  # shares what it has read
                assert type(COPIES[name](first)) is type(first)
                continue
            second = COPIES[name](first)
            for event in events[at:]:
                first.feed(event)
                second.feed(event)
            assert second.finish() == first.finish()


def test_a_cause_that_does_not_pickle_is_said(tool: Any) -> None:
    output = Conversation([tool]).call(tool.name, PAYLOAD, failing)
    assert isinstance(output.error.cause, OddError)
    loaded = pickle.loads(pickle.dumps(output))
    assert type(loaded.error.cause) is RuntimeError
    assert str(loaded.error.cause) == "OddError: code 5"


def test_tools_of_a_package_are_its_own_afterwards(package: Any) -> None:
    toolset = package.toolset
    for copied in COPIES.values():
        assert copied(toolset) is toolset
        assert copied(toolset["pickled-tool"]) is toolset["pickled-tool"]


@pytest.mark.parametrize("name", COPIES)
def test_what_cannot_be_pickled_says_so_in_one_line(name: str) -> None:
    tools = compile_tools([SPEC])
    conversation = Conversation(tools)
    conversation.call("pickled-tool", PAYLOAD, lambda _: None)
    shared = {"tool": tools["pickled-tool"], "toolset": tools}
    once = {
        "registry": Registry().with_tools(tools),
        "conversation": conversation,
        "ledger": conversation.ledger,
    }
    for what, value in {**shared, **once}.items():
        if not name.startswith("pickle") and what in shared:
            assert COPIES[name](value) is value
            continue
        with pytest.raises(TypeError) as refused:
            COPIES[name](value)
        said = str(refused.value)
        assert "pickled" in said, what
        assert "\n" not in said, what
        assert len(said) < 200, what


def checked(tool: Any, payload: Any) -> Any:
    return tool.validate(payload), type(payload).__module__


@for_each(["spawn", "fork"])
def test_tools_go_to_other_processes(method: str, *, package: Any) -> None:
    if method not in multiprocessing.get_all_start_methods():
        pytest.skip(f"no {method} here")
    tool = package.toolset["pickled-tool"]
    with multiprocessing.get_context(method).Pool(1) as pool:
        issues, loaded = pool.apply(checked, (tool, tool.parse(PAYLOAD)))
        assert loaded == type(tool.parse(PAYLOAD)).__module__
        assert len(issues) == 1  # a payload object is not JSON


def test_a_payload_of_a_tool_in_memory_is_never_taken_for_another_tools() -> None:
    """Its module is named after what the tool is made of, whatever number it has in another process."""

    def made_of(maximum: int) -> tuple[str, str]:
        schema = {**SCHEMA, "properties": {"x": {"maximum": maximum}}}
        payload = compile_tools([{**SPEC, "schema": schema}])["pickled-tool"].parse({"x": 1})
        number, digest = type(payload).__module__.split(".")[0].rsplit("_", 2)[1:]
        return number, digest

    (first, a), (second, b) = made_of(101), made_of(102)
    gc.collect()
    again, c = made_of(101)
    assert len({first, second, again}) == 3
    assert a == c != b
