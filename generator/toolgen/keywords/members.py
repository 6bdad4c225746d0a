"""The members of an object: `properties`, `required`, `patternProperties`, `additionalProperties` at one go.

They are written together because they look at the same keys. Known keys are asked for by name and counted;
only if some key is left over are the keys gone through.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from itertools import groupby

from toolgen.checks.function import Function, Value
from toolgen.checks.kinds import Kind
from toolgen.code import Code, code, literal
from toolgen.schema.ir import Schema

_WORTH_SKIPPING = 2
"""Optional properties in a row from which it pays to ask first whether any key is left."""


@dataclass(frozen=True, slots=True)
class Members:
    """What an object's schema says of its keys, in the order in which they are checked."""

    properties: dict[str, Schema]
    required: tuple[str, ...]
    patterns: dict[str, Schema]
    rest: Schema | None
    """`additionalProperties`, where it says anything."""
    order: tuple[str, ...] = field(default=())

    @property
    def counted(self) -> bool:
        """Whether unknown keys are found by counting the known ones."""
        return self.rest is not None and not self.patterns


def members_of(schema: Schema) -> Members:
    """The members of an object's schema; names under `required` alone come after the properties."""
    properties = schema.named.get("properties", {})
    required = tuple(dict.fromkeys(schema.assertions.get("required", ())))
    rest = schema.single.get("additionalProperties")
    order = (*properties, *(name for name in required if name not in properties))
    says_nothing = rest is None or (rest.verdict is None and not _says_anything(rest)) or rest.verdict is True
    return Members(
        properties, required, schema.named.get("patternProperties", {}), None if says_nothing else rest, order
    )


def _says_anything(schema: Schema) -> bool:
    return bool(schema.assertions or schema.single or schema.listed or schema.named)


def emit(f: Function, schema: Schema, value: Value) -> None:
    """Write the checks of an object's members."""
    members = members_of(schema)
    left = f.local("left", f.hint(value)) if members.counted else None
    if left is not None:
        known = [name for name in members.required if name in members.properties]
        _start_count(f, value, left, len(known))
    fetched = _fetch_required(f, members, value, left)
    for is_optional, names in _runs(f, members, left):
        if is_optional and left is not None and len(names) >= _WORTH_SKIPPING:
            with f.block("if {left}:", left=left):
                _each(f, members, value, left, names, fetched)
        else:
            _each(f, members, value, left, names, fetched)
    if left is not None and members.rest is not None:
        with f.block("if {left}:", left=left):
            _rest(f, members, value)
    elif members.patterns:
        _patterns(f, members, value)


def _fetch_required(f: Function, members: Members, value: Value, left: Code | None) -> dict[str, Value]:
    """Read the required keys at one go: as a rule all are there, and then nothing needs to be asked."""

    def absent(name: str) -> Callable[[], None]:
        return lambda: _missing_issue(f, members, value, left, name)

    fetched = {
        name: Value(f.local("v", name), (*value.path, literal(name)), on_missing=absent(name))
        for name in members.order
        if name in members.required
        and name in members.properties
        and not f.module.is_trivial(members.properties[name])
    }
    if fetched:
        with f.block("try:"):
            for name, child in fetched.items():
                f.line("{var} = {v}[{key}]", var=child.var, v=value.var, key=literal(name))
        with f.block("except KeyError:"):
            for name, child in fetched.items():
                parts = {"var": child.var, "v": value.var, "key": literal(name), "missing": f.missing}
                f.line("{var} = {v}.get({key}, {missing})", **parts)
    return fetched


def _missing_issue(f: Function, members: Members, value: Value, left: Code | None, name: str) -> None:
    f.issue(value, "required", literal(True), f.missing, step=literal(name))
    if left is not None and name in members.properties:
        f.line("{left} += 1", left=left)


def _start_count(f: Function, value: Value, left: Code, required: int) -> None:
    if required:
        f.line("{left} = len({v}) - {n}", left=left, v=value.var, n=required)
    else:
        f.line("{left} = len({v})", left=left, v=value.var)


def _runs(f: Function, members: Members, left: Code | None) -> Iterator[tuple[bool, list[str]]]:
    """Names that need a look, in runs: (True, optional ones after the last required one), (False, others)."""
    required = set(members.required)
    last = max((i for i, name in enumerate(members.order) if name in required), default=-1)

    def is_tail(item: tuple[int, str]) -> bool:
        return item[0] > last

    for tail, items in groupby(enumerate(members.order), key=is_tail):
        names = [
            name
            for _, name in items
            if name in required or left is not None or not f.module.is_trivial(members.properties[name])
        ]
        if names:
            yield tail, names


def _each(
    f: Function,
    members: Members,
    value: Value,
    left: Code | None,
    names: list[str],
    fetched: dict[str, Value],
) -> None:
    for name in names:
        if name in fetched:
            f.apply(members.properties[name], fetched[name])
        elif name in members.required:
            with f.block("if {key} not in {v}:", key=literal(name), v=value.var):
                _missing_issue(f, members, value, left, name)
        else:
            _optional(f, members, value, left, name)


def _optional(f: Function, members: Members, value: Value, left: Code | None, name: str) -> None:
    key = literal(name)
    schema = members.properties[name]
    with f.block("if {key} in {v}:", key=key, v=value.var):
        if left is not None:
            f.line("{left} -= 1", left=left)
        if not f.module.is_trivial(schema):
            f.apply(schema, f.member(value, key, hint=name))


def _rest(f: Function, members: Members, value: Value) -> None:
    """The keys that no property is named after, where no pattern claims any."""
    known = frozenset(members.properties)

    def unknown(key: Code) -> None:
        _additional(f, members, value, key)

    _over_keys(f, value, known, unknown)


def _over_keys(f: Function, value: Value, known: frozenset[str], body: Callable[[Code], None]) -> None:
    key = f.local("k")
    with f.block("for {k} in {v}:", k=key, v=value.var):
        if not known:
            body(key)
            return
        with f.block("if {k} not in {known}:", k=key, known=literal(known)):
            body(key)


def _additional(f: Function, members: Members, value: Value, key: Code) -> None:
    assert members.rest is not None
    if members.rest.verdict is False:
        child = Value(code("{v}[{k}]", v=value.var, k=key), (*value.path, key))
        f.issue(child, "additionalProperties", literal(False))
    else:
        f.apply(members.rest, f.member(value, key, hint=f"{f.hint(value)} value"))


def _patterns(f: Function, members: Members, value: Value) -> None:
    """Every key against every pattern; what neither a property nor a pattern claims is additional."""
    key = f.local("k")
    with f.block("for {k} in {v}:", k=key, v=value.var):
        free = None
        if members.rest is not None:
            free = f.local("free")
            known = frozenset(members.properties)
            if known:
                f.line("{free} = {k} not in {known}", free=free, k=key, known=literal(known))
            else:
                f.line("{free} = True", free=free)
        for pattern, schema in members.patterns.items():
            if free is None and f.module.is_trivial(schema):
                continue
            is_name = f.is_kind(Kind.STRING, Value(key))  # Python's dicts can have other keys
            search = f.module.pattern(pattern, "key")
            with f.block("if ({is_name}) and {search}({k}):", is_name=is_name, search=search, k=key):
                if free is not None:
                    f.line("{free} = False", free=free)
                if not f.module.is_trivial(schema):
                    f.apply(schema, f.member(value, key, hint=f"{f.hint(value)} value"))
        if free is not None:
            with f.block("if {free}:", free=free):
                _additional(f, members, value, key)
