"""Convert schemas of older drafts to 2020-12, because providers read every schema as 2020-12.

A keyword that is not in the schema's draft has no effect, so it is removed. Older keywords are converted to those of
2020-12. The few rules that 2020-12 cannot express are loosened and reported; of a schema with `$recursiveRef`, only the
type is sent.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from copy import deepcopy
from typing import Any, Final

from toolgen_runtime.schema.pointer import join
from toolgen_runtime.schema.raw import each_schema, map_schema
from toolgen_transcripts.codec.members import Schema, at_path, without

LATEST: Final = 2020
_DRAFT: Final = re.compile(r"^https?://json-schema\.org/(?:draft-0([3-7])|draft/(2019|2020)-\d\d)/schema#?$")
SINCE: Final = {
    **dict.fromkeys(("const", "contains", "propertyNames"), 6),
    **dict.fromkeys(("if", "then", "else"), 7),
    **dict.fromkeys(("dependentRequired", "dependentSchemas", "minContains", "maxContains"), 2019),
    **dict.fromkeys(("unevaluatedItems", "unevaluatedProperties", "$anchor"), 2019),
    **dict.fromkeys(("prefixItems", "$dynamicRef", "$dynamicAnchor"), 2020),
}
"""For each keyword that is not in draft-04, the first draft that has it."""
_BESIDE_REF: Final = frozenset(
    ("$ref", "$defs", "definitions", "title", "description", "default", "examples", "$schema")
)
"""The keywords that may be beside a `$ref` up to draft-07; all others have no effect there."""
_NEW_NAMES: Final = {
    "items": "prefixItems",
    "additionalItems": "items",
    "dependencies": "dependentSchemas",
}
_RENAMED: Final = re.compile(
    r"(?<=[#\w]/)(?<!properties/)(?<!definitions/)(?<!\$defs/)(?:items(?=/\d)|additionalItems|dependencies)(?=/|$)"
)
"""The keywords with another name in 2020-12, as steps of a pointer. Names of properties and definitions do not match.
"""


def draft_of(schema: Any) -> int:
    """Return the number or year of the draft in `$schema`, or of the latest draft if it is missing or
    unknown.
    """
    uri = at_path(schema, ("$schema",))
    found = None
    if isinstance(uri, str):
        found = _DRAFT.match(uri.strip())
    if found is None:
        return LATEST
    return max(4, int(found[1] or found[2]))


def modernize(schema: Schema) -> Schema:
    """Convert a schema to 2020-12 and remove `$schema`. The result accepts at least the same values."""
    draft = draft_of(schema)
    out = map_schema(
        deepcopy(schema), lambda each: {w: v for w, v in each.items() if SINCE.get(w, 0) <= draft}
    )
    if draft == 2019 and any("$recursiveRef" in each for _, each in each_schema(schema)):
        return {word: schema[word] for word in ("type", "title", "description") if word in schema}
    return map_schema(out, lambda each: _modern(each, draft))


def lost_rules(schema: Schema) -> Iterator[tuple[str, str]]:
    """Yield the first rule of an older draft that cannot be expressed in 2020-12, with its pointer."""
    draft = draft_of(schema)
    for steps, each in each_schema(schema):
        if draft == 4 and "integer" in repr(each.get("type")):
            yield "1.0 is not an integer in draft-04, but it is in 2020-12", join(*steps)
            return
        if draft == 2019 and not {"$recursiveRef", "unevaluatedItems"}.isdisjoint(each):
            yield (
                "`$recursiveRef` and `unevaluatedItems` of 2019-09 mean something else in 2020-12",
                join(*steps),
            )
            return


def _modern(schema: Schema, draft: int) -> Schema:
    out = without(schema, "$schema")
    if draft < LATEST and isinstance(ref := out.get("$ref"), str):
        out["$ref"] = _RENAMED.sub(lambda found: _NEW_NAMES[found[0]], ref)
    if draft <= 7:
        if "$ref" in out:
            return {word: value for word, value in out.items() if word in _BESIDE_REF}
        _name(out, "id" if draft == 4 else "$id")
        _split_dependencies(out)
    for limit, exclusive in (("minimum", "exclusiveMinimum"), ("maximum", "exclusiveMaximum")):
        if isinstance(out.get(exclusive), bool) and out.pop(exclusive) and limit in out:
            out[exclusive] = out.pop(limit)
    if isinstance(out.get("items"), list):
        out["prefixItems"] = out.pop("items")
        rest = out.pop("additionalItems", None)
        if rest is not None:
            out["items"] = rest
    return out


def _name(schema: Schema, word: str) -> None:
    """Convert an identifier to 2020-12. A fragment alone becomes an anchor."""
    name = schema.pop(word, None)
    if isinstance(name, str) and name.startswith("#"):
        schema["$anchor"] = name[1:]
    elif isinstance(name, str):
        schema["$id"] = name.removesuffix("#")


def _split_dependencies(schema: Schema) -> None:
    """Split `dependencies` into `dependentRequired` and `dependentSchemas`."""
    given = schema.pop("dependencies", None)
    if not isinstance(given, dict):
        return
    names = {key: value for key, value in given.items() if isinstance(value, list)}
    schemas = {key: value for key, value in given.items() if not isinstance(value, list)}
    if names:
        schema |= {"dependentRequired": names}
    if schemas:
        schema |= {"dependentSchemas": schemas}
