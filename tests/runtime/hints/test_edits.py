"""`Edit` and `apply_edits`: what each edit makes of a payload, and which do not fit one."""

from __future__ import annotations

import copy
import json
import re
from typing import Any

import pytest
from helpers.support import for_each

from toolgen_runtime import Edit, apply_edits
from toolgen_runtime.validation.issues import Secret

MADE: dict[str, tuple[Any, list[Edit], Any]] = {
    "set": ({"a": {"b": 1}}, [Edit("set", ("a", "b"), value=2)], {"a": {"b": 2}}),
    "set what is missing": ({"a": 1}, [Edit("set", ("b",), value=2)], {"a": 1, "b": 2}),
    "set the next item": ([1], [Edit("set", (1,), value=2)], [1, 2]),
    "set the payload": ("[1", [Edit("set", (), value=[1])], [1]),
    "set a secret": ({"a": "1"}, [Edit("set", ("a",), value=Secret(1))], {"a": 1}),
    "remove": ({"a": 1, "b": 2}, [Edit("remove", ("a",))], {"b": 2}),
    "remove an item": ({"a": [1, 2]}, [Edit("remove", ("a", 0))], {"a": [2]}),
    "rename": ({"a": 1, "b": 2, "c": 3}, [Edit("rename", ("b",), ("x",))], {"a": 1, "x": 2, "c": 3}),
    "move": ({"a": 1, "p": {"b": 2}}, [Edit("move", ("a",), ("p", "a"))], {"p": {"b": 2, "a": 1}}),
    "move into what is missing": ({"a": 1}, [Edit("move", ("a",), ("p", 0, "q"))], {"p": [{"q": 1}]}),
    "move up": ({"p": {"a": 1}}, [Edit("move", ("p", "a"), ("a",))], {"p": {}, "a": 1}),
    "wrap into a list": ({"a": "x"}, [Edit("wrap", ("a",))], {"a": ["x"]}),
    "wrap under keys": ({"a": 1}, [Edit("wrap", (), ("p", 0))], {"p": [{"a": 1}]}),
    "unwrap": ({"x": {"a": 1}}, [Edit("unwrap", ())], {"a": 1}),
    "unwrap an item": ({"a": ["x"]}, [Edit("unwrap", ("a",))], {"a": "x"}),
    "unwrap one of many": ({"n": 1, "x": {"a": 1}}, [Edit("unwrap", (), ("x",))], {"a": 1}),
    "each as the one before leaves it": (
        {"x": {"tags": "a"}},
        [Edit("unwrap", ()), Edit("rename", ("tags",), ("labels",)), Edit("wrap", ("labels",))],
        {"labels": ["a"]},
    ),
}


@for_each(MADE)
def test_edits_make_a_new_payload(payload: Any, edits: list[Edit], made: Any) -> None:
    before = copy.deepcopy(payload)
    assert json.dumps(apply_edits(payload, edits)) == json.dumps(made)
    assert payload == before


def test_what_two_edits_share_is_copied_and_the_rest_is_not() -> None:
    payload: dict[str, Any] = {"a": {"b": 1, "c": 2}, "d": {}}
    made = apply_edits(payload, [Edit("set", ("a", "b"), value=3), Edit("remove", ("a", "c"))])
    assert made == {"a": {"b": 3}, "d": {}}
    assert made["d"] is payload["d"]
    assert payload["a"] == {"b": 1, "c": 2}
    assert apply_edits(payload, []) is payload


UNFIT = [
    ({}, Edit("remove", ("a",)), "remove of a: there is no such value"),
    ({}, Edit("remove", ()), "remove of the payload: the payload itself cannot go"),
    ({"a": 1}, Edit("set", ("a", "b"), value=1), "set of a.b: what is above it is not an object or a list"),
    ([1], Edit("set", (5,), value=1), "set of [5]: there is no such item"),
    ({"a": 1, "b": 2}, Edit("rename", ("a",), ("b",)), "rename of a: b is there already"),
    ({"a": 1}, Edit("rename", ("a",), ("b", "c")), "rename of a: only a key is renamed"),
    ({"a": 1, "b": 2}, Edit("move", ("a",), ("b",)), "move of a: b is there already"),
    ({"a": 1, "b": 2}, Edit("move", ("a",), ("b", "c")), "move of a: what is above it is not an object"),
    ({"a": 1, "b": 2}, Edit("unwrap", ()), "unwrap of the payload: there is not exactly one member"),
    ({"a": 1}, Edit("unwrap", (), ("b",)), "unwrap of the payload: there is no such value"),
    ({}, Edit("mend", ()), "an edit's op is one of set, remove"),  # type: ignore[arg-type]
]


@for_each(UNFIT)
def test_an_edit_that_does_not_fit_says_why(payload: Any, edit: Edit, message: str) -> None:
    before = copy.deepcopy(payload)
    with pytest.raises(ValueError, match=f"^{re.escape(message)}"):
        apply_edits(payload, [edit])
    assert payload == before


def test_an_edit_in_plain_json() -> None:
    assert Edit("rename", ("a", 0, "b"), ("a", 0, "c"), certain=True).to_dict() == {
        "op": "rename",
        "path": ["a", 0, "b"],
        "to": ["a", 0, "c"],
        "certain": True,
    }
    assert Edit("set", ("a",), value=None).to_dict()["value"] is None
    secret = Edit("set", ("a",), value=Secret("hunter2"))
    assert "hunter2" not in repr(secret) + json.dumps(secret.to_dict())
