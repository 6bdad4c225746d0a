"""`compile_tools`: what `build` does, in memory, each tool when it is asked for."""

from __future__ import annotations

import gc
import inspect
import linecache
import sys
import traceback
from pathlib import Path
from typing import Any, get_args

import pytest
from helpers.support import for_each, obj

from toolgen import SpecError, compile_tools

GOOD = {"name": "good", "description": "d", "inputSchema": {"type": "object", "required": ["a"]}}
BAD = {"name": "bad", "inputSchema": {"type": "nope"}}
WORSE = {"name": "worse", "inputSchema": {"properties": {"a": {"$ref": "#/nowhere"}}}}


def compiled() -> set[str]:
    return {name for name in sys.modules if name.startswith("_toolgen_compiled_")}


IDLE = {"name": "idle", "inputSchema": {"properties": {"a": {"type": "string", "minLenght": 3}}}}


def test_what_there_is_to_say_of_the_specs_is_read_from_the_toolset() -> None:
    listed: list[Any] = [IDLE, GOOD, {**IDLE, "name": "later", "defer_loading": True}]
    first = compile_tools(listed)
    said = [(d.level, d.tool, d.place.pointer) for d in first.diagnostics]
    assert ("warning", "idle", "/0/inputSchema/properties/a/minLenght") in said
    assert ("note", "later", "/2/defer_loading") in said
    assert "minLength" in " ".join(map(str, first.diagnostics))
    again = compile_tools({"tools": [GOOD, IDLE]})  # what is compiled already says it again, at its place now
    assert again["idle"] is first["idle"]
    assert [d.place.pointer for d in again.diagnostics] == ["/tools/1/inputSchema/properties/a/minLenght"]
    assert compile_tools([GOOD]).diagnostics == ()


def test_a_bad_spec_lists_every_problem() -> None:
    with pytest.raises(SpecError) as failure:
        compile_tools([BAD, GOOD, WORSE])
    assert [(d.tool, d.code) for d in failure.value.diagnostics] == [
        ("bad", "invalid-keyword"),
        ("worse", "unresolvable-reference"),
    ]
    assert "invalid-keyword" in str(failure.value)
    assert "unresolvable-reference" in str(failure.value)


def test_keep_going_leaves_the_bad_out_and_says_so() -> None:
    toolset = compile_tools([BAD, GOOD, WORSE], keep_going=True)
    assert list(toolset) == ["good"]
    assert [(d.level, d.tool) for d in toolset.diagnostics] == [("error", "bad"), ("error", "worse")]
    assert len(compile_tools([BAD], keep_going=True)) == 0


def test_nothing_is_compiled_before_it_is_asked_for() -> None:
    before = compiled()
    toolset = compile_tools([GOOD, {"name": "other", "schema": {}}])
    assert compiled() <= before
    toolset["good"].validate({})
    (module,) = compiled() - before
    assert module.endswith(".good")
    model = toolset["good"].payload_type
    assert len(compiled() - before) == 4, "two modules and the packages that they are in"
    assert model is toolset["good"].payload_type


def test_modules_go_when_nothing_of_theirs_is_held() -> None:
    gc.collect()
    before = compiled()
    toolset = compile_tools([GOOD])
    tool = toolset["good"]
    tool.parse({"a": 1})
    del toolset
    gc.collect()
    assert compiled() - before, "a tool that is held keeps its modules"
    assert tool.parse({"a": 1}).model_dump() == {"a": 1}
    del tool
    gc.collect()
    assert compiled() <= before


# -- reading compiled code -------------------------------------------------------------------------------------

NESTED = {
    "name": "deep-tool",
    "schema": obj(a=obj(b={"minimum": 1})),
}


class Broken(dict[str, Any]):
    """A payload that raises out of the check."""

    def __iter__(self) -> Any:
        raise ZeroDivisionError

    keys = __iter__


def test_the_source_of_a_check_can_be_read(tmp_path: Path) -> None:
    source = inspect.getsource(compile_tools([NESTED])["deep-tool"].validate)  # nothing else is held
    assert source.startswith("def validate(payload: Any) -> list[ValidationIssue]:\n")
    assert '"minimum", 1' in source
    toolset = compile_tools([NESTED])
    payload_type = toolset["deep-tool"].payload_type
    assert inspect.getsource(payload_type).startswith("class DeepToolPayload(Payload, ")
    nested = get_args(payload_type.model_fields["a"].annotation)[0]
    assert inspect.getsource(nested).startswith("class DeepToolPayloadA(Payload, ")
    file = tmp_path / "a.json"
    file.write_text('{"maxLength": 11}')
    spec = [{"name": "t", "schema": {"properties": {"a": {"$ref": "http://x.test/a.json"}}}}]
    tool = compile_tools(spec, ref_dir={"http://x.test/": str(tmp_path)})["t"]
    assert tool.validate({"a": "x" * 12}) != []
    file.write_text('{"maxLength": 22}')
    assert "11" in inspect.getsource(tool.validate), "what was compiled, whatever the file is now"


@for_each([True, False], ids=["toolset held", "check alone"])
def test_tracebacks_show_the_generated_lines(held: bool) -> None:
    gc.collect()
    before = set(linecache.cache)
    toolset = compile_tools([NESTED])
    validate = toolset["deep-tool"].validate
    if not held:
        del toolset
        gc.collect()
    with pytest.raises(ZeroDivisionError) as failure:
        validate(Broken(a=1))
    shown = "".join(traceback.format_exception(failure.value))
    assert "(payload := as_object(payload)).__class__" in shown
    if not held:
        del validate, failure
        gc.collect()
        assert {file for file in linecache.cache if "_toolgen_compiled_" in file} <= before


# -- names that are not there -----------------------------------------------------------------------------------
