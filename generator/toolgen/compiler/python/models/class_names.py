"""Name nested payload classes by where their schemas are, never by a counter."""

from __future__ import annotations

from toolgen.compiler.python.identifiers import Identifier, distinct_class_name, nested_class_name
from toolgen.compiler.schema.cycles import everything
from toolgen.compiler.schema.facts import conjuncts, label, types_of
from toolgen.compiler.schema.ir import Schema
from toolgen_runtime.schema import shapes
from toolgen_runtime.schema.keywords import GRAPH
from toolgen_runtime.schema.pointer import unescape

_DEFINITIONS = ("$defs", "definitions")
_STEP_NAMES = {
    "items": "item",
    "additionalItems": "item",
    "additionalProperties": "value",
    "patternProperties": "value",
}


class ClassNames:
    """Chooses the names of one tool's classes. A name that is taken gets a hash of the schema's location."""

    def __init__(self, root: Schema, name: Identifier) -> None:
        self._root_name = name
        self._at: dict[tuple[str, str], Schema] = {}
        for schema in everything(root):
            self._at.setdefault((schema.document, schema.pointer), schema)
        self._taken: set[Identifier] = {name}
        self._lone: dict[tuple[Schema, ...], bool] = {}

    def claim(self, owner: Schema, path: tuple[Schema, ...] = ()) -> Identifier:
        """Return the name for the class of `owner` with one branch of each union in `path`."""
        name = self._from_place(owner)
        place = f"{owner.document}#{owner.pointer}"
        for branch in path:
            name = nested_class_name(name, self._branch_step(branch, (branch,)))
            place += f"|{branch.document}#{branch.pointer}"
        free = name
        while free in self._taken:  # repeats if a dynamic scope makes several schemas of one place
            free = distinct_class_name(name, place)
            place += "'"
        self._taken.add(free)
        return free

    def _from_place(self, schema: Schema) -> Identifier:
        name = self._root_name
        raw = schema.pointer.split("/")
        steps = [unescape(token) for token in raw[1:]]
        index = 0
        while index < len(steps):
            keyword = steps[index]
            width = 2 if _takes_two_steps(keyword) and index + 1 < len(steps) else 1
            here = self._at.get((schema.document, "/".join(raw[: index + width + 1])))
            above = self._at.get((schema.document, "/".join(raw[: index + 1])))
            if keyword in _DEFINITIONS:
                name = self._root_name
            step = self._step(keyword, steps[index + width - 1], here, above)
            if step:
                name = nested_class_name(name, step)
            index += width
        return name

    def _step(self, keyword: str, last: str, here: Schema | None, above: Schema | None) -> str:
        facts = GRAPH.get(keyword)
        if facts is None:
            if keyword in _DEFINITIONS:
                return last
            return _STEP_NAMES.get(keyword, keyword)
        if facts.is_union:
            if above:
                siblings = above.below(keyword)
            else:
                siblings = ()
            if here:
                return self._branch_step(here, siblings)
            return f"{keyword} {last}"
        if facts.subject == "item":
            return f"item {last}"
        if facts.shape is shapes.SCHEMA_MAP and facts.subject != "any member":
            return last
        if facts.joins == "all":
            return ""
        return _STEP_NAMES.get(keyword, keyword)

    def _branch_step(self, branch: Schema, siblings: tuple[Schema, ...]) -> str:
        """Return the tag, name or position of a branch; `""` if no other branch can be an object."""
        if self._has_lone_object(siblings):
            return ""
        named = label(branch)
        if named is not None:
            return named
        for one in conjuncts(branch):
            steps = one.pointer.split("/")
            if len(steps) > 1 and steps[-2] in _DEFINITIONS:
                return steps[-1]
            title = one.annotations.get("title")
            if isinstance(title, str) and title:
                return title
        return " ".join(branch.pointer.split("/")[-2:])

    def _has_lone_object(self, branches: tuple[Schema, ...]) -> bool:
        known = self._lone.get(branches)
        if known is None:
            objects = sum("object" in types_of(conjuncts(branch)) for branch in branches)
            known = self._lone[branches] = objects == 1 < len(branches)
        return known


def _takes_two_steps(keyword: str) -> bool:
    """Return whether the pointers of a keyword's subschemas have a name or an index after the keyword."""
    facts = GRAPH.get(keyword)
    if facts is None:
        return keyword in _DEFINITIONS
    return facts.shape in (shapes.SCHEMAS, shapes.SCHEMA_MAP)
