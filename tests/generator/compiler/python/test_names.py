"""Names of generated code: usable, injective, and the same whatever stands beside them."""

from __future__ import annotations

import keyword
import unicodedata
from random import Random
from typing import Any

import pydantic
import pytest
from helpers.support import for_each
from hypothesis import given, strategies as st

from toolgen.compiler.python.identifiers import (
    MAX_IDENTIFIER,
    RESERVED_MODULES,
    attribute_name,
    attribute_names,
    class_name,
    distinct_class_name,
    module_name,
    module_names,
    nested_class_name,
)

NAMES = st.one_of(
    st.text(max_size=12),
    st.text("aAbB1_- .é", max_size=6),
    st.sampled_from(["a-b", "a_b", "aB", "AB", "class", "toolset", "con", "_a", "x" * 300, "日本", "\ud800"]),
)


@given(NAMES)
def test_any_text_gives_usable_names(text: str) -> None:
    module, cls, attribute = module_name(text), class_name(text), attribute_name(text)
    for name in (module, cls, attribute, nested_class_name(cls, text)):
        assert name.isidentifier()
        assert name.isascii()
        assert not keyword.iskeyword(name)
        assert unicodedata.normalize("NFKC", name) == name
    assert module == module.lower()
    assert not module.startswith("_")
    assert module not in RESERVED_MODULES
    assert len(module) <= MAX_IDENTIFIER + 1
    assert not attribute.startswith(("_", "model_"))


def test_the_tool_that_is_spelt_so_keeps_a_shared_name() -> None:
    names = module_names(["a-b", "a_b", "aB", "other"])
    assert names == {"a-b": "a_b_d44362d6", "a_b": "a_b", "aB": "a_b_042ac5b8", "other": "other"}
    assert list(names) == ["a-b", "a_b", "aB", "other"]
    assert set(module_names(["a-b", "aB"]).values()) == {"a_b_d44362d6", "a_b_042ac5b8"}
    made = module_names(["a-b", "a_b", "a_b_d44362d6"])  # the last is spelt as the first one's suffix
    assert (made["a_b"], made["a_b_d44362d6"], len({*made.values()})) == ("a_b", "a_b_d44362d6", 3)


@for_each([(module_names, module_name), (attribute_names, attribute_name)])
@given(keys=st.lists(NAMES, unique=True, min_size=1, max_size=8), random=st.randoms(use_true_random=False))
def test_names_are_injective_in_any_order_and_stable(
    names_of: Any, name_of: Any, *, keys: list[str], random: Random
) -> None:
    """A key renames only those whose name it shares."""
    *others, one = keys
    before, after = names_of(others), names_of(keys)
    assert len(set(after.values())) == len(keys)
    for other in others:
        assert before[other] == after[other] or name_of(other) == name_of(one)
    random.shuffle(keys)
    assert names_of(keys) == after


@pytest.mark.filterwarnings("error")
def test_no_attribute_shadows_what_pydantic_classes_have() -> None:
    words = {*dir(pydantic.BaseModel), *dir(type(pydantic.BaseModel)), *dir(pydantic.RootModel)}
    names = attribute_names(sorted(words))
    pydantic.create_model("Shadowing", **dict.fromkeys(names.values(), (int, ...)))  # type: ignore[call-overload]


def test_class_names_grow_no_longer_than_needed_and_can_be_told_apart() -> None:
    name = class_name("t")
    for _ in range(100):
        name = nested_class_name(name, "longer and longer")
    assert len(name) == 2 * MAX_IDENTIFIER
    assert distinct_class_name(name, "#/a") != distinct_class_name(name, "#/b")
