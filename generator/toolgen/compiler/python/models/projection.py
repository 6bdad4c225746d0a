"""Reduce a schema graph to types, which become payload models.

It accepts every valid payload; only the check enforces constraints.

If a type is uncertain, the view shows a wider type, up to `Any`; it is never narrower than the schema. Dumping a value
of a shown type gives exactly the original value, so a union may choose any branch that fits.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from math import isfinite
from typing import Any

from toolgen.compiler.python.identifiers import Identifier, attribute_names
from toolgen.compiler.python.models.class_names import ClassNames
from toolgen.compiler.python.models.views import (
    ANY,
    BOOL,
    INTEGER,
    MOST_MEMBERS,
    NONE,
    NUMBER,
    STR,
    ClassView,
    DictOf,
    FieldView,
    ListOf,
    Strings,
    Union,
    View,
    breadth,
    parts_of,
    union,
)
from toolgen.compiler.schema.facts import (
    branches,
    conjuncts,
    has_parts,
    is_closed,
    types_of,
    values_of,
)
from toolgen.compiler.schema.ir import Schema
from toolgen.compiler.schema.kinds import ALL_TYPES, Types, type_of

MOST_SHOWN = 20_000
"""The maximum number of fields and strings in a tool's payload models. A definition may be shown for each reference."""
MOST_JOINED = 500_000
"""The maximum number of schemas to read for a tool's payload models, counted each time `$ref` or `allOf` adds them."""
_MAX_ARRAYS = 4
"""The number of levels of arrays to search for keys."""
_MAX_NESTING = 24
"""The maximum nesting of lists, objects and unions without a class between them; a deeper view is `Any`."""

_DEFAULT_LIMIT = 2**53
_CONDITIONAL = frozenset(("then", "else", "dependentSchemas"))
_Path = tuple[Schema, ...]
"""The branches of unions that a class shows together with the schema of the unions."""


def project(root: Schema, name: Identifier) -> ClassView:
    """Return the class for a tool's payload, whose fields lead to all other classes."""
    return _Projection(root, name).root_class


class _Projection:
    """The projection of one tool: its classes by schema, and the classes whose fields have not been read yet."""

    def __init__(self, root: Schema, name: Identifier) -> None:
        self._names = ClassNames(root, name)
        self._classes: dict[tuple[Schema, _Path], ClassView] = {}
        self._waiting: list[tuple[ClassView, Sequence[Schema]]] = []
        self._views: dict[Schema, View] = {}
        self._joint: dict[tuple[Schema, ...], Schema] = {}
        self._keys_of: dict[Schema, set[str]] = {}
        self._hidden: dict[tuple[Schema, _Path], list[Schema]] = {}
        """The branches with fields for which a class has no room."""
        self._open: set[Schema] = set()
        self._shown_of: dict[Schema, tuple[bool, Types]] = {}
        self._left, self._joined = MOST_SHOWN, MOST_JOINED
        self.root_class = self._root(root, name)
        while self._waiting:
            self._fill(*self._waiting.pop())

    def _root(self, root: Schema, name: Identifier) -> ClassView:
        together = conjuncts(root)
        top = ClassView(name, root, _about(together))
        is_choice = self._shown_union(together, (), ALL_TYPES) or _all_values(together)
        if types_of(together) == {"object"} and not is_choice:
            self._classes[root, ()] = top
            self._views[root] = top
            self._waiting.append((top, together))
        else:
            self._open.add(root)
            top.root = self._view(together, root)
            self._open.discard(root)
        return top

    def view(self, schema: Schema) -> View:
        """Return the type for the values of a schema. It is `Any` if it would contain itself without a class
        in between.
        """
        known = self._views.get(schema)
        if known is not None:
            return known
        if schema in self._open or len(self._open) > _MAX_NESTING:
            return ANY
        self._open.add(schema)
        together = self._conjuncts(schema)
        telling = self._telling(together)
        if len(telling) == 1 and telling[0] is not schema:
            view = self.view(telling[0])
        else:
            view = None
        self._views[schema] = view = view or self._view(together, schema)
        self._open.discard(schema)
        return view

    def _conjuncts(self, schema: Schema) -> tuple[Schema, ...]:
        """Return a schema's conjuncts as long as the limit allows it, and after that only the schema itself."""
        if self._joined < 0:
            return (schema,)
        found = conjuncts(schema)
        self._joined -= len(found)
        return found

    def _has_room(self, size: int) -> bool:
        """Return whether the limit allows `size` more fields or strings. If so, count them."""
        fits = size <= self._left
        self._left -= size if fits else 0
        return fits

    def _telling(self, together: Sequence[Schema]) -> list[Schema]:
        """Return the schemas in a conjunction that contribute to the view. A repeated `type` counts once."""
        shown = [(one, *self._shown(one)) for one in together]
        telling = [(one, types) for one, is_full, types in shown if one.types or is_full]
        full = [(one, types) for one, is_full, types in shown if is_full]
        if len(full) == 1 and full[0][1] <= ALL_TYPES.intersection(*[types for _, types in telling]):
            telling = full
        return [one for one, _ in telling]

    def _shown(self, one: Schema) -> tuple[bool, Types]:
        """Return whether a schema itself shows more than a type, and its own types. The result is cached."""
        known = self._shown_of.get(one)
        if known is None:
            is_full = has_parts(one) or bool(branches(one)) or values_of(one) is not None
            known = self._shown_of[one] = is_full, types_of((one,))
        return known

    def _view(
        self, together: Sequence[Schema], owner: Schema, path: _Path = (), room: int = MOST_MEMBERS
    ) -> View:
        """Return the type of the values that some schemas allow together, with the branches in `path` among them.

        At most `room` classes are shown for the unions in these branches and beside them.
        """
        allowed = types_of(together)
        values = _all_values(together)
        if values is not None:
            return _of_values([value for value in values if type_of(value) in allowed])
        members = self._shown_union(together, path, allowed)
        if path and len(members) > room:
            self._hidden.setdefault((owner, path), []).extend(members)
            members = ()
        if not members:
            return self._of_kinds(together, allowed, owner, path)
        bare = not any(map(has_parts, together))
        found: list[View] = []
        for member in members:
            own = conjuncts(member)
            joined = [*together, *(one for one in own if one not in together)]
            if bare and types_of(own) <= allowed:
                found.append(self.view(member))
            elif types_of(joined):
                found.append(self._view(joined, owner, (*path, member), room // len(members)))
        return union(found)

    def _shown_union(self, together: Sequence[Schema], path: _Path, allowed: Types) -> tuple[Schema, ...]:
        """Return the branches to show one by one: those of the first union that adds keys to the named ones.

        Inside a branch of another union, only unions of objects count.
        """
        named = {key for one in together for key in one.properties}
        for one in together:
            members = branches(one)
            if not members or any(member in path for member in members):
                continue
            if not (path or named):
                return members
            if path and "object" not in allowed:
                continue
            if any(not self._keys(member) <= named for member in members):
                return members
        return ()

    def _keys(self, schema: Schema) -> set[str]:
        """Return the keys that a schema and the branches of its unions describe."""
        known = self._keys_of.get(schema)
        if known is None:
            known = self._keys_of[schema] = set()  # also the answer for a branch that refers to it
            for one in self._conjuncts(schema):
                known.update(one.properties)
                for member in branches(one):
                    known.update(self._keys(member))
        return known

    def _together(self, schemas: Sequence[Schema]) -> View:
        """Return the type of a value to which several schemas apply. They are combined if several describe its keys."""
        describing = dict.fromkeys(self._described_by(one) for one in schemas if self._has_keys(one))
        if len(describing) < 2:
            return min((self.view(one) for one in schemas), key=breadth)
        parts = tuple(dict.fromkeys(schemas))
        joint = self._joint.get(parts)
        if joint is None:
            joint = Schema(parts[0].document, parts[0].pointer, listed={"allOf": parts})
            self._joint[parts] = joint
        return self.view(joint)

    def _described_by(self, schema: Schema) -> Schema:
        """Return the only schema that describes a value, such as the target of a reference, or the schema itself."""
        telling = self._telling(self._conjuncts(schema))
        if len(telling) == 1:
            return telling[0]
        return schema

    def _has_keys(self, schema: Schema, depth: int = 0) -> bool:
        """Return whether a schema describes keys of an object, or of the items of an array."""
        return bool(self._keys(schema)) or (
            depth < _MAX_ARRAYS
            and any(
                one.items is not None and self._has_keys(one.items, depth + 1)
                for one in self._conjuncts(schema)
            )
        )

    def _of_kinds(self, together: Sequence[Schema], allowed: Types, owner: Schema, path: _Path) -> View:
        if allowed == ALL_TYPES and not any(map(has_parts, together)):
            return ANY
        return _of_types(
            allowed, lambda: STR, lambda: self._array(together), lambda: self._object(together, owner, path)
        )

    def _array(self, together: Sequence[Schema]) -> View:
        plain = [one.items for one in together if one.items is not None and not one.prefix_items]
        if len(plain) > 1:
            return ListOf(self._together(plain))
        return ListOf(min((self._item(one) for one in together), key=breadth))

    def _item(self, schema: Schema) -> View:
        first = schema.prefix_items
        rest = schema.items
        if rest is None:
            return ANY
        return union(self.view(one) for one in (*first, rest) if one.verdict is not False)

    def _object(self, together: Sequence[Schema], owner: Schema, path: _Path) -> View:
        if not any(one.properties for one in together):
            return DictOf(min((self._value(one) for one in together), key=breadth))
        known = self._classes.get((owner, path))
        if known is None:
            if not self._has_room(sum(len(one.properties) for one in together)):
                return DictOf(ANY)
            about = _about(conjuncts(path[-1] if path else owner))
            known = self._classes[owner, path] = ClassView(self._names.claim(owner, path), owner, about)
            known.hidden = tuple(self._hidden.get((owner, path), ()))
            self._waiting.append((known, together))
        return known

    def _value(self, schema: Schema) -> View:
        rest = schema.additional_properties
        if rest is None:
            return ANY
        allowed = (*schema.pattern_properties.values(), rest)
        return union(self.view(one) for one in allowed if one.verdict is not False)

    def _fill(self, view: ClassView, together: Sequence[Schema]) -> None:
        members: dict[str, list[Schema]] = {}
        for one in together:
            for key, member in one.properties.items():
                members.setdefault(key, []).append(member)
        forbidden = {key for key, found in members.items() if any(one.verdict is False for one in found)}
        attributes = attribute_names(key for key in members if key not in forbidden)
        view.hidden += tuple(
            child
            for one in together
            for facts, children in one.in_place()
            if facts.name in _CONDITIONAL
            for child in children
            if not self._keys(child) <= members.keys()
        )
        required = {key for one in together for key in one.required}
        view.closed = any(map(is_closed, together))
        view.fields = tuple(
            self._field(key, attribute, members[key], key in required)
            for key, attribute in attributes.items()
        )

    def _field(self, key: str, attribute: Identifier, schemas: list[Schema], required: bool) -> FieldView:
        view = self._together(schemas)
        if not self._has_room(sum(len(p.values) for p in parts_of(view) if isinstance(p, Strings))):
            view = STR if isinstance(view, Strings) else ANY
        joined = [self._conjuncts(one) for one in schemas]
        if required:
            default = None
        else:
            default = next(_defaults(joined, view), None)
        about = next(filter(None, map(_description, joined)), "")
        return FieldView(key, attribute, view, required, default, about, tuple(schemas))


def _all_values(together: Sequence[Schema]) -> list[Any] | None:
    """Return the shortest list of values that the conjunction allows, or None."""
    lists = [values for one in together if (values := values_of(one)) is not None]
    if lists:
        return min(lists, key=len)
    return None


def _of_values(values: list[Any]) -> View:
    strings = tuple(dict.fromkeys(value for value in values if isinstance(value, str)))
    found = frozenset(map(type_of, values))
    return _of_types(found, lambda: Strings(strings), lambda: ListOf(ANY), lambda: DictOf(ANY))


def _of_types(
    types: Types, string: Callable[[], View], array: Callable[[], View], mapping: Callable[[], View]
) -> View:
    """Return the union of the views of some types. Views of strings, arrays and objects are created only if needed."""
    makers: dict[str, Callable[[], View]] = {
        "string": string,
        "boolean": lambda: BOOL,
        "fraction": lambda: NUMBER,
        "integer": lambda: INTEGER,
        "array": array,
        "object": mapping,
        "null": lambda: NONE,
    }
    return union(make() for name, make in makers.items() if name in types)


def _about(together: Sequence[Schema]) -> str:
    """Return a class's docstring: the title and description of the first schema that has one, as paragraphs."""
    title, description = _annotation(together[:1], "title"), _description(together)
    if title in description:
        return description
    return f"{title}\n\n{description}".strip()


def _description(together: Sequence[Schema]) -> str:
    return _annotation(together, "description")


def _annotation(together: Sequence[Schema], keyword: str) -> str:
    values = [one.annotations.get(keyword) for one in together]
    return next((value.strip() for value in values if isinstance(value, str) and value.strip()), "")


def _defaults(joined: Iterable[Sequence[Schema]], view: View) -> Iterator[Any]:
    """Yield the defaults of these schemas that are scalars of the shown type."""
    for together in joined:
        for one in together:
            default = one.annotations.get("default")
            if default is not None and _fits(default, view):
                yield default


def _fits(default: Any, view: View) -> bool:
    match view:
        case Union(members):
            return any(_fits(default, member) for member in members)
        case Strings(values):
            return isinstance(default, str) and default in values
        case _ if isinstance(default, str):
            return view == STR
        case _ if isinstance(default, bool):
            return view == BOOL
        case _ if isinstance(default, int):
            return view in (INTEGER, NUMBER) and abs(default) < _DEFAULT_LIMIT
        case _:
            return isinstance(default, float) and view == NUMBER and isfinite(default)
