"""`compile_tools`: what `build` does, in memory, each tool when it is asked for."""

from __future__ import annotations

import gc
import inspect
import io
import json
import linecache
import pdb
import pickle
import sys
import traceback
from pathlib import Path
from typing import Any, get_args

import pytest

from toolgen import SpecError, compile_tools
from toolgen_runtime import Registry

GOOD = {"name": "good", "description": "d", "inputSchema": {"type": "object", "required": ["a"]}}
BAD = {"name": "bad", "inputSchema": {"type": "nope"}}
WORSE = {"name": "worse", "inputSchema": {"properties": {"a": {"$ref": "#/nowhere"}}}}


def compiled() -> set[str]:
    return {name for name in sys.modules if name.startswith("_toolgen_compiled_")}


@pytest.mark.parametrize("specs", [[GOOD], {"tools": [GOOD]}, GOOD], ids=range(3))
def test_specs_are_read_as_files_are(specs: Any) -> None:
    """All shapes are in test_load.py and test_tool_objects.py."""
    before = json.dumps(specs)
    toolset = compile_tools(specs)
    assert list(toolset) == ["good"]
    assert [issue.path for issue in toolset["good"].validate({})] == [("a",)]
    assert json.dumps(specs) == before


def test_a_toolset_is_a_mapping() -> None:
    toolset = compile_tools([GOOD, {"name": "an-other", "schema": True}])
    assert set(toolset) == {"good", "an-other"}
    assert len(toolset) == 2
    assert "good" in toolset
    assert "absent" not in toolset
    assert toolset["good"] is toolset["good"]
    assert toolset["good"].schema == GOOD["inputSchema"]
    assert toolset["good"].schema is not toolset["good"].schema
    assert toolset["good"].description == "d"
    with pytest.raises(KeyError):
        toolset["absent"]


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


@pytest.mark.parametrize("specs", [5, "text", None, [5], [{"name": "t", "schema": 5}], {"tools": {"a": 1}}])
def test_what_is_no_spec_is_said(specs: Any) -> None:
    with pytest.raises(SpecError):
        compile_tools(specs)


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


def test_toolsets_do_not_meet() -> None:
    one = compile_tools([{"name": "t", "schema": {"type": "string"}}])
    other = compile_tools([{"name": "t", "schema": {"type": "integer"}}])
    assert (one["t"].validate("x"), other["t"].validate(1)) == ([], [])
    assert one["t"].payload_type is not other["t"].payload_type


# -- reading compiled code -------------------------------------------------------------------------------------

NESTED = {
    "name": "deep-tool",
    "schema": {
        "type": "object",
        "properties": {"a": {"type": "object", "properties": {"b": {"minimum": 1}}}},
    },
}


class Broken(dict[str, Any]):
    """A payload that raises out of the check."""

    def __iter__(self) -> Any:
        raise ZeroDivisionError

    keys = __iter__


def lines_kept() -> set[str]:
    return {file for file in linecache.cache if "_toolgen_compiled_" in file}


def test_the_source_of_a_check_can_be_read() -> None:
    source = inspect.getsource(compile_tools([NESTED])["deep-tool"].validate)  # nothing else is held
    assert source.startswith("def validate(payload: Any) -> list[ValidationIssue]:\n")
    assert '"minimum", 1' in source
    tool = compile_tools([NESTED])["deep-tool"]
    module = inspect.getmodule(tool.validate)
    assert module is not None
    assert source in inspect.getsource(module)
    other = compile_tools([{"name": "deep-tool", "schema": {"maxLength": 77}}])["deep-tool"].validate
    assert "77" in inspect.getsource(other)
    assert "77" not in inspect.getsource(tool.validate)


ODD: Any = {
    "type": "object",
    "properties": {
        "b": {"enum": [1, 1.0, 10**40, 1e300, -0.0, "\u00e9", None, [1], {"z": 1, "a": 2}]},
        "a": {"pattern": "^[a-z]+$", "multipleOf": 0.01, "maximum": 2**70},
        "c": {"$ref": "#/$defs/c"},
    },
    "$defs": {
        "c": {"properties": {"c": {"$ref": "#/$defs/c"}, "k": {"type": "string", "format": "password"}}}
    },
}


def test_the_source_is_written_again_as_it_was() -> None:
    tool = compile_tools([{"name": "odd", "schema": ODD}])["odd"]
    assert json.dumps(tool.schema) == json.dumps(ODD), "every number as it was written, in the same order"
    for held in (tool.validate, tool.payload_type):
        module = sys.modules[held.__module__]
        assert module.__spec__ is not None
        loader: Any = module.__spec__.loader
        lines = loader.get_source(module.__name__).splitlines()
        assert loader.get_source(module.__name__).splitlines() == lines
        checks = [f for f in vars(module).values() if getattr(f, "__module__", "") == module.__name__]
        for check in (f for f in checks if inspect.isfunction(f) and f.__name__ != "<lambda>"):
            assert lines[check.__code__.co_firstlineno - 1].startswith(f"def {check.__name__}(")


def test_the_source_is_what_was_compiled_whatever_the_files_are_now(tmp_path: Path) -> None:
    file = tmp_path / "a.json"
    file.write_text('{"maxLength": 11}')
    spec = [{"name": "t", "schema": {"properties": {"a": {"$ref": "http://x.test/a.json"}}}}]
    tool = compile_tools(spec, ref_dir={"http://x.test/": str(tmp_path)})["t"]
    assert tool.validate({"a": "x" * 12}) != []
    file.write_text('{"maxLength": 22}')
    assert "11" in inspect.getsource(tool.validate)


def test_the_source_of_payload_classes_can_be_read() -> None:
    toolset = compile_tools([NESTED])
    payload_type = toolset["deep-tool"].payload_type
    assert inspect.getsource(payload_type).startswith("class DeepToolPayload(Payload, ")
    nested = get_args(payload_type.model_fields["a"].annotation)[0]
    assert inspect.getsource(nested).startswith("class DeepToolPayloadA(Payload, ")


@pytest.mark.parametrize("held", [True, False], ids=["toolset held", "check alone"])
def test_tracebacks_show_the_generated_lines(held: bool) -> None:
    toolset = compile_tools([NESTED])
    validate = toolset["deep-tool"].validate
    if not held:
        del toolset
        gc.collect()
    with pytest.raises(ZeroDivisionError) as failure:
        validate(Broken(a=1))
    shown = "".join(traceback.format_exception(failure.value))
    assert "(payload := as_object(payload)).__class__" in shown


def test_a_debugger_shows_the_generated_lines() -> None:
    gc.collect()
    before = lines_kept()
    toolset = compile_tools([NESTED])
    out = io.StringIO()
    debugger = pdb.Pdb(stdin=io.StringIO("step\nlist\ncontinue\n"), stdout=out, nosigint=True, readrc=False)
    debugger.use_rawinput = False
    tracing = sys.gettrace()
    debugger.runcall(toolset["deep-tool"].validate, {"a": {}})
    sys.settrace(
        tracing
    )  # a debugger that has been told to continue traces nothing, and coverage would end here
    assert "->" in out.getvalue()
    assert 'issues.append(ValidationIssue((), "type", "object", payload))' in out.getvalue()
    del toolset, debugger
    gc.collect()
    assert lines_kept() <= before


# -- names that are not there -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "says"),
    [
        ("create_isue", "there is no tool 'create_isue'; did you mean 'create-issue'?"),
        ("createIssue", "there is no tool 'createIssue'; did you mean 'create-issue'?"),
        ("zzz", "there is no tool 'zzz'"),
        (5, "there is no tool 5"),
        ((), "there is no tool ()"),
    ],
)
def test_a_wrong_name_has_the_near_ones(name: Any, says: str) -> None:
    toolset = compile_tools([{"name": "create-issue", "schema": {}}, {"name": "list", "schema": {}}])
    with pytest.raises(KeyError) as failure:
        toolset[name]
    assert str(failure.value) == says
    assert failure.value.args == (name,)
    assert str(pickle.loads(pickle.dumps(failure.value))) == says
    assert toolset.get(name) is None
    registry = Registry()
    registry.register(toolset)
    with pytest.raises(KeyError) as failure:
        registry.required_property_keys(name)
    assert str(failure.value) == says
