"""The check of one schema: `type`, `enum` and `const`, the keywords of single kinds, then what other schemas say.

A schema's keywords are written kind by kind: under `type: string` the length is looked at where the value is
known to be a string, and a value of another kind breaks `type` (and `enum`) without further questions.
"""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import nullcontext
from dataclasses import replace
from functools import lru_cache
from typing import Final

from toolgen.codegen.code import TRUE, code, negated
from toolgen.codegen.function import Function
from toolgen.codegen.literals import literal
from toolgen.codegen.value import Value
from toolgen.codegen.writer import Branches
from toolgen.keywords import VOCABULARY
from toolgen.keywords.keyword import Write
from toolgen.keywords.values import any_type, choice_issue, is_listed, type_issue, without_integer
from toolgen.schema.facts import kind_of_choices, sole_kind
from toolgen.schema.ir import Schema
from toolgen.schema.kinds import Kind, kind_of_type

_WITH_KEYWORDS: Final = (Kind.STRING, Kind.NUMBER, Kind.OBJECT, Kind.ARRAY)
_WRITERS: Final = {k.name: (at, k.facts, k.write) for at, k in enumerate(VOCABULARY) if k.write is not None}
"""(place in the order of issues, facts, what writes it) of each keyword that is written by itself."""


def write_check(f: Function, schema: Schema, value: Value) -> None:
    """Write every keyword of a schema: the value's own kind first, then what other schemas say."""
    if schema.verdict is not None:
        if schema.verdict is False:  # "false" means "not": {} (2020-12 core, section 4.3.2)
            f.issue(value, "not", literal({}))
        return
    _begin(f, schema, value)
    for write in writers(schema).get(None, ()):
        write(f, schema, value)


def writers(schema: Schema) -> Mapping[Kind | None, tuple[Write, ...]]:
    """Return what writes a schema's keywords where the value is of a kind; under None: whatever the kind is.

    Where `type` leaves a single kind, unions are looked at in that kind's branch: of a value of another kind
    the issue of `type` has said enough.
    """
    return _writers_of(tuple(schema.keywords), sole_kind(schema))


@lru_cache(maxsize=1_024)  # a few combinations of keywords are nearly all schemas
def _writers_of(names: tuple[str, ...], sole: Kind | None) -> Mapping[Kind | None, tuple[Write, ...]]:
    found: dict[Kind | None, list[Write]] = {}
    inside: list[Write] = []
    for _, facts, write in sorted(_WRITERS[name] for name in names if name in _WRITERS):
        if sole is not None and facts.is_union:
            inside.append(write)
        else:
            found.setdefault(None if facts.kind == "any" else Kind(facts.kind), []).append(write)
    if inside:
        found.setdefault(sole, []).extend(inside)
    return {kind: tuple(dict.fromkeys(some)) for kind, some in found.items()}


def _begin(f: Function, schema: Schema, value: Value) -> None:
    """Write `type`, `enum`, `const` and the keywords of single kinds."""
    if value.kind is not None:
        _within(f, schema, value, value.kind)
        if value.kind not in (Kind.STRING, Kind.NUMBER):
            _choices(f, schema, value)
        return
    with_writers = writers(schema)
    work = [kind for kind in _WITH_KEYWORDS if kind in with_writers]
    kind_of_values = kind_of_choices(schema)
    if kind_of_values is not None and kind_of_values not in work:
        work.append(kind_of_values)
    if schema.types is None:
        _chain(f, schema, value, work, kind_of_values)
    elif not work:
        with f.when(negated(any_type(f, schema.types, value, schema.whole_floats))):
            _wrong_type(f, schema, value, kind_of_values)
    elif work == [sole_kind(schema)]:
        # The longer branch comes last, so that nothing is jumped over where the type is right.
        with f.when(negated(f.is_kind(work[0], value))):
            _wrong_type(f, schema, value, kind_of_values)
        with f.writer.otherwise():
            _within(f, schema, value, work[0])
    else:
        branches = _chain(f, schema, value, work, kind_of_values)
        others = [name for name in without_integer(schema.types) if kind_of_type(name) not in work]
        with (
            branches.when(negated(any_type(f, others, value, schema.whole_floats)))
            if others
            else branches.otherwise()
        ):
            _wrong_type(f, schema, value, kind_of_values)
    if kind_of_values is None:
        _choices(f, schema, value)


def _choices(f: Function, schema: Schema, value: Value) -> None:
    for constraint, values in schema.choices:
        unlisted = negated(is_listed(f, values, value))
        with nullcontext() if unlisted is TRUE else f.when(unlisted):
            choice_issue(f, constraint, values, value)


def _wrong_type(f: Function, schema: Schema, value: Value, kind_of_values: Kind | None) -> None:
    """Write the issues of a value of none of the types, or of none at all."""
    assert schema.types is not None
    branches = Branches(f.writer)
    if value.on_missing is not None:
        with branches.when(code("{v} is {missing}", v=value.var, missing=f.missing)):
            value.on_missing()
    with branches.otherwise():
        type_issue(f, schema.types, value)
        if kind_of_values is not None:
            for constraint, values in schema.choices:
                choice_issue(f, constraint, values, value)


# -- the branches by kind


def _chain(
    f: Function, schema: Schema, value: Value, work: list[Kind], kind_of_values: Kind | None
) -> Branches:
    """Write `if string: ... elif object: ...`."""
    branches = Branches(f.writer)
    for kind in work:
        with branches.when(f.is_kind(kind, value)):
            _within(f, schema, value, kind, with_choices=kind is kind_of_values)
    return branches


def _within(f: Function, schema: Schema, value: Value, kind: Kind, with_choices: bool = True) -> None:
    """Write what is left to ask of a value whose kind is known."""
    _type_within(f, schema, value, kind)
    if with_choices and kind in (Kind.STRING, Kind.NUMBER):
        _choices(f, schema, replace(value, kind=kind))
    for write in writers(schema).get(kind, ()):
        write(f, schema, replace(value, kind=kind, on_missing=None))


def _type_within(f: Function, schema: Schema, value: Value, kind: Kind) -> None:
    """Write what `type` still has to say about a value whose kind is known."""
    if schema.types is None or kind.value in schema.types:
        return
    if kind is Kind.NUMBER and "integer" in schema.types:
        with f.when(negated(f.is_integer(value, schema.whole_floats))):
            type_issue(f, schema.types, value)
    else:
        type_issue(f, schema.types, value)
