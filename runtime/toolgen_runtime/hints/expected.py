"""What a place expects, in few words: `string, max 80`, `integer >= 1`, `array of strings, 1-5 items`.

All of it comes from the schema alone and is kept with the place.
"""

from __future__ import annotations

import re
from typing import Any, NamedTuple

from toolgen_runtime.hints.text import MAX_VALUE, bounded, choices, clean, prose, shown
from toolgen_runtime.schema.keywords import LIMITS, Measure
from toolgen_runtime.schema.node import SchemaNode
from toolgen_runtime.schema.shapes import TYPES
from toolgen_runtime.validation.issues import ANY_ITEM

MAX_DESCRIPTION = 100
MAX_PATTERN = 60
MAX_NAMED = 5
MAX_FORMS = 3
MAX_KEYS = 80
"""Characters that the keys of an object may take, with those of the objects in it."""
MAX_LISTED = 160
"""Characters that allowed values may take together before they are cut to the first `MAX_NAMED`."""
_INFORMATIVE = re.compile(
    r"\d|e\.g|example|format|ISO|YYYY|such as|percent|prefix|must|[<{].+[>}]", re.IGNORECASE
)
"""What a description has in it that can help with a wrong value."""
_SAFE_INTEGER = 2**53 - 1
"""What zod writes as the limits of every integer; as a limit it says nothing."""
_CONSONANT = ("uri", "url", "uuid", "unique", "unix")
"""Words that begin with a vowel and are not spoken with one."""
_NUMBERS = (("integer",), ("number",))

Bound = tuple[int | float, bool]
"""A limit, and whether a value must not be equal to it."""


class Summary(NamedTuple):
    """What hints say of a place, from its schema alone."""

    expects: str
    """Type and limits in brief."""
    wanted: str
    """What to send: `a string or an integer`, or one type with its limits, each with its article."""
    kind: tuple[str | None, str | None, str]
    """The description, the type, and what it expects, as a `FieldHint` has them."""
    limits: tuple[Any, ...]
    """The pattern, the least, the greatest and the format, likewise."""
    allowed_values: tuple[Any, ...] | None
    listed: str
    """Them as text, all of them if they are short together: `Allowed: low, medium, high`."""
    explanation: str
    """The description, if there is anything in it that can help with a wrong value; `""` else."""


def summary_of(node: SchemaNode) -> Summary:
    """Return what hints repeat of a place's schema; every hint about the place shares it."""
    kept: Summary | None = node.kept.get("summary")
    return node.memo("summary", _summary) if kept is None else kept


def _summary(node: SchemaNode) -> Summary:
    description, allowed = prose(node.first("description", str) or "", MAX_DESCRIPTION) or None, node.allowed
    kinds = [_named_type(node, name) for name in node.types]
    listed = choices(allowed[:MAX_LISTED])
    listed = listed if len(listed) <= MAX_LISTED else choices(allowed[:MAX_NAMED]) + ", …"
    kind, bounds, pattern = " or ".join(kinds), _bounds_of(node), _pattern_of(node)
    least, most = next(iter(bounds.values()), (None, None))
    span = "".join([_within(measure, *pair) for measure, pair in bounds.items()])
    expects = _expects(node, kind, listed, span, pattern)
    several = allowed or len(kinds) > 1
    helps = description is not None and _INFORMATIVE.search(description)
    return Summary(
        expects,
        " or ".join(map(with_article, kinds)) if several else with_article(expects),
        (description, kind or None, expects),
        (pattern, _inclusive(node, least, 1), _inclusive(node, most, -1), node.first("format", str)),
        tuple([bounded(v, MAX_VALUE) for v in allowed[:MAX_NAMED]]) or None,
        f"Allowed: {listed}",
        description or "" if helps else "",
    )


def with_article(phrase: str) -> str:
    """Return a type with its article: `a string, max 80`, `an array of strings`; what has one stays as it is."""
    if not phrase or phrase.startswith(("one of", "a ", "an ", "null")) or not phrase[0].isalpha():
        return phrase
    vowel = phrase[0] in "aeiouAEIOU" and not phrase.startswith(_CONSONANT)
    return f"{'an' if vowel else 'a'} {phrase}"


def _named_type(node: SchemaNode, name: str) -> str:
    if name != "array":
        return name if name in TYPES else clean(name[:20])
    items = node.child(ANY_ITEM).types
    return f"array of {items[0]}s" if len(items) == 1 and items[0] in TYPES else "array"


def _expects(node: SchemaNode, kind: str, listed: str, span: str, pattern: str | None) -> str:
    if node.allowed:
        return listed if len(node.allowed) == 1 else f"one of: {listed}"
    parts = [kind + span] if kind else []
    if (name := node.first("format", str)) is not None:
        parts = [f"{clean(name[:30])} {kind or 'string'}{span}"]
    elif pattern is not None:
        parts.append(f"matching {pattern}")
    if node.types == ("object",):
        forms = [" ".join(_members(form)) for form in _forms(node)]
        if len(forms) > 1:
            forms = [form.replace(", ", " and ") for form in forms]
        return " ".join([*parts, ", or one ".join(forms)]).strip()
    if node.types == ("array",):
        item = node.child(ANY_ITEM)
        if item.types == ("object",) and len(item.unions) == 0:
            parts[:1] = [" ".join([kind, *_members(item)]) + span]
    return " ".join(parts)


def _forms(node: SchemaNode) -> list[SchemaNode]:
    """Return the forms of an object of a union, if they are few; else the object with what all of them have."""
    forms = node.leaf_nodes if node.unions and not node.required else []
    return forms if 1 < len(forms) <= MAX_FORMS and all(map(_members, forms)) else [node]


def _members(node: SchemaNode) -> list[str]:
    """Return `with title, body`: the keys that an object must have; where none must be there, some that it may have."""
    names = [n for n in node.properties if n in node.required] or sorted(node.required)
    if names:
        return ["with " + _names(names, [_with_its_own(node.child(n), n) for n in names[:MAX_NAMED]])]
    return ["with any of " + _names([*node.properties], [])] if node.properties else []


def _names(names: list[str], told: list[str]) -> str:
    text = ", ".join(told)
    if not told or len(text) > MAX_KEYS:
        text = choices(names[:MAX_NAMED])
    return text + ("" if len(names) <= MAX_NAMED else ", …")


def _with_its_own(node: SchemaNode, name: str) -> str:
    """Return a key, and of an object or a list of objects the keys that must be in it: `start {dateTime}`."""
    is_list = node.types == ("array",)
    inner = node.child(ANY_ITEM) if is_list else node
    needed = [n for n in inner.properties if n in inner.required] if inner.types == ("object",) else []
    if not needed:
        return choices([name])
    keys = f"{{{choices(needed[:MAX_NAMED])}{', …' if len(needed) > MAX_NAMED else ''}}}"
    return f"{choices([name])} {f'[{keys}]' if is_list else keys}"


def _inclusive(node: SchemaNode, bound: Bound | None, step: int) -> int | float | None:
    """Return the last value within a bound: of a number that must be more than it, none, of an integer the next."""
    if bound is None or not bound[1]:
        return bound and bound[0]
    return int(bound[0]) + step if node.types == ("integer",) and bound[0] == int(bound[0]) else None


def _bounds_of(node: SchemaNode) -> dict[Measure, tuple[Bound | None, Bound | None]]:
    """Return the least and the greatest that a place takes by what they measure, the number or usual count first.

    A draft-04 `exclusiveMinimum: true` makes `minimum` strict.
    """
    kind = "number" if node.types in _NUMBERS else "".join(node.types) if len(node.types) == 1 else ""
    found: dict[Measure, tuple[Bound | None, Bound | None]] = {}
    for row in LIMITS.values():
        measure, comparison = row.measure, row.comparison
        if row.kind != kind or measure is None or comparison is None or not comparison.side:
            continue
        flag = f"exclusive{row.name[:1].upper()}{row.name[1:]}"
        for raw in node.raws:
            limit = raw.get(row.name)
            if isinstance(limit, bool) or not isinstance(limit, (int, float)) or abs(limit) == _SAFE_INTEGER:
                continue
            bound = (limit, comparison.strict or raw.get(flag) is True)
            least, most = found.get(measure, (None, None))
            if comparison.side == "least":
                least = max(least or bound, bound)
            else:
                most = min(most or bound, bound, key=lambda b: (b[0], not b[1]))
            found[measure] = (least, most)
    return found


def _within(measure: Measure, least: Bound | None, most: Bound | None) -> str:
    if measure.unit:
        return ", " + _size(least and least[0], most and most[0], measure.unit)
    if least and most and not least[1] and not most[1]:
        return f" {shown(least[0])} to {shown(most[0])}"
    out = f" {'>' if least[1] else '>='} {shown(least[0])}" if least else ""
    return out + (f" {'<' if most[1] else '<='} {shown(most[0])}" if most else "")


def _size(least: int | float | None, most: int | float | None, unit: str) -> str:
    """Return `exactly 2 items`, `1-2 items`, `at least 1 item`; of a text `max 80`."""
    if least is not None and most is not None:
        count = f"exactly {shown(least)}" if least == most else f"{shown(least)}-{shown(most)}"
        return f"{count} {unit}{'' if most == 1 else 's'}"
    bound = most if least is None else least
    if unit == "character":
        return f"{'max' if least is None else 'min'} {shown(bound or 0)}"
    return f"at {'most' if least is None else 'least'} {shown(bound or 0)} {unit}{'' if bound == 1 else 's'}"


def _pattern_of(node: SchemaNode) -> str | None:
    """Return the pattern as one line of at most `MAX_PATTERN` characters."""
    pattern = node.first("pattern", str)
    if pattern is None:
        return None
    text = clean(pattern[: MAX_PATTERN + 1])
    return text if len(text) <= MAX_PATTERN else text[: MAX_PATTERN - 1] + "…"
