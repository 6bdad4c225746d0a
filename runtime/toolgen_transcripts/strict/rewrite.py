"""Rewrite a tool's schema for a strict subset, and build the conversion of its payloads.

`rewrite` writes a tool's schema so that every payload with declared fields can be sent. An optional property may be
null, an object without a rule for other keys is closed, a map becomes a list of pairs, `oneOf` becomes `anyOf`, and a
keyword that the subset does not have moves to the description. Anything that cannot be expressed is a hindrance.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Any, Final

from toolgen_runtime.schema.keywords import KEYWORDS, OTHER_KEYS, UNIONS
from toolgen_runtime.schema.pointer import join, parse_fragment
from toolgen_runtime.schema.raw import follow, json_type, listed, named, required_of, values_of
from toolgen_transcripts.codec.members import Schema, text_or_none, without
from toolgen_transcripts.strict.convert_arguments import (
    MEMBERS,
    OTHERS,
    SAME,
    Form,
    Items,
    Members,
    Pairs,
    Union,
)
from toolgen_transcripts.strict.parts import (
    BUILT,
    NULL,
    Definitions,
    closed,
    conjunction,
    constraints,
    distinguish,
    noted,
    pairs_of,
)
from toolgen_transcripts.strict.subsets import Hindrance, Rewritten, StrictSubset
from toolgen_transcripts.tools.schemas import KINDS, Loss, kind_of, kinds, types_of

Part = tuple[Schema, Form]
Steps = tuple[str | int, ...]

_MOST_PARTS: Final = 20_000


def rewrite(schema: Schema, subset: StrictSubset, *, all_required: bool = False) -> Rewritten:
    """Rewrite an object schema for a subset. With `all_required`, all properties become required."""
    return _Rewriting(schema, subset, all_required=all_required or subset.all_required).run()


class _Rewriting:
    def __init__(self, root: Schema, subset: StrictSubset, *, all_required: bool) -> None:
        self.root = root
        self.subset = subset
        self.all_required = all_required
        self.losses: list[Loss] = []
        self.hindrances: list[Hindrance] = []
        self.changes: Counter[str] = Counter()
        self.definitions = Definitions()
        self.within: list[str] = []
        self.floor = 0
        self.unions: list[tuple[Steps, Union, list[tuple[Any, Part]]]] = []
        self.left = _MOST_PARTS

    def run(self) -> Rewritten:
        schema, form = self.object(self.root, (), is_root=True)
        for steps, union, branches in self.unions:  # after all definitions are known
            if not distinguish(union, branches, self.root, self.definitions.root):
                message = "branches of a union that cannot be distinguished once they are sent"
                self.hinder(steps, message, "give each branch a constant field with a different value")
        if self.changes["optional"]:
            hint = "null leaves an optional field out"
            schema["description"] = _with_notes(schema.get("description"), hint)
        if self.definitions.schemas:
            schema["$defs"] = self.definitions.schemas
        return Rewritten(schema, form, tuple(self.losses), tuple(self.hindrances), self.changes)

    def hinder(self, at: Steps, message: str, change: str) -> Part:
        found = Hindrance(message, change, join(*at))
        if found not in self.hindrances:
            self.hindrances.append(found)
        return {}, SAME

    def lose(self, at: Steps, message: str) -> None:
        self.losses.append(Loss("strict-keyword", f"{at[-1]}: {message}", join(*at)))

    def part(self, schema: Any, at: Steps, *, in_union: bool = False) -> Part:
        self.left -= 1
        if self.left < 0:
            return self.hinder((), "the schema has too many parts", "make it smaller")
        if schema is False:
            return self.hinder(at, "no value is allowed", "leave the schema `false` out")
        schema = schema if isinstance(schema, dict) else {}
        if isinstance(schema.get("$ref"), str):
            return self.reference(schema, at, in_union=in_union)
        if "$dynamicRef" in schema:
            return self.hinder(at, "a dynamic reference", "refer with $ref")
        if parts := listed(schema, "allOf"):
            if len(parts) > 1:
                self.lose((*at, "allOf"), "merged into one schema")
            return self.merged([without(schema, "allOf"), *parts], at, in_union=in_union)
        for word in UNIONS:
            if listed(schema, word):
                return self.union(schema, word, at)
        if values_of((schema,)):
            return self.values(schema, at)
        types = types_of(schema)
        if not types and ("properties" in schema or "items" in schema):
            kind = "object" if "properties" in schema else "array"
            types = (kind,)
            self.losses.append(Loss("strict-untyped", f"no type is given: treated as an {kind}", join(*at)))
        if not types:
            return self.anything(schema, at)
        if types == ("array",):
            return self.array(schema, at)
        if types == ("object",):
            return self.object(schema, at, in_union=in_union)
        return self.types(schema, types, at)

    def below(self, schema: Any, at: Steps) -> Part:
        """Rewrite a part of an object or array. Inside it, a reference may lead back to the whole."""
        floor, self.floor = self.floor, len(self.within)
        found = self.part(schema, at)
        self.floor = floor
        return found

    def types(self, schema: Schema, types: tuple[str, ...], at: Steps) -> Part:
        """Rewrite a schema by its types. If there are several, and one is `object` or `array`, make it a
        union.
        """
        if {"object", "array"}.isdisjoint(types):
            several = list(dict.fromkeys(types))
            return self.dressed(schema, {"type": several if len(types) > 1 else several[0]}, at), SAME
        rest = without(schema, "type", "description", "default")
        branches = [{**rest, "type": name} if name != "null" else dict(NULL) for name in types]
        about: Schema = {word: schema[word] for word in ("description", "default") if word in schema}
        return self.union({**about, "anyOf": branches}, "anyOf", at, at)

    def values(self, schema: Schema, at: Steps) -> Part:
        types = types_of(schema)
        found = values_of((schema,)) or []
        if types:  # a value of another type is never valid
            found = [value for value in found if not {json_type(value), kind_of(value)}.isdisjoint(types)]
        names = list(dict.fromkeys(map(json_type, found)))
        if not found or "object" in names or "array" in names:
            return self.hinder(
                at, "the allowed values are not simple ones", "list texts, numbers or booleans"
            )
        only = {"enum": found}
        if "const" in schema:
            only = {"const": found[0]}
        return self.dressed(schema, {"type": names[0] if len(names) == 1 else names, **only}, at), SAME

    def anything(self, schema: Schema, at: Steps) -> Part:
        """Rewrite a schema that accepts any JSON value. A subset without recursion cannot express it."""
        if not self.subset.recursive:
            return self.hinder(at, "any value is allowed", "say its type")
        ref, form = self.definitions.any_value()
        about = self.dressed(schema, {}, at)
        if not about:
            return ref, form
        return {**about, "anyOf": [ref]}, form

    def reference(self, schema: Schema, at: Steps, *, in_union: bool) -> Part:
        ref: str = schema["$ref"]
        target, rest = follow(self.root, ref), without(schema, "$ref", "$defs", "definitions")
        if target is None:
            return self.hinder(
                at, "a reference out of the schema", "refer to a definition of the schema itself"
            )
        if not isinstance(target, dict) or (ref in self.within and not self.subset.recursive):
            return self.hinder(at, "a schema that contains itself", "write out its levels one by one")
        if ref in self.within[self.floor :]:
            return self.hinder(at, "a reference that leads back to itself", "leave it out")
        if ref in self.within or not rest:
            return self.shared(ref, target)
        self.within.append(ref)
        whole = {**target, **rest}
        if constraints(rest):
            whole = conjunction([rest, target])
        found = self.part(whole, at, in_union=in_union)
        self.within.pop()
        return found

    def shared(self, ref: str, target: Schema) -> Part:
        """Return a reference to the rewritten form of a reference's target, which is rewritten only once."""
        name = self.definitions.name(ref)
        if name not in self.definitions.schemas:
            self.within.append(ref)
            self.definitions.schemas[name] = False  # until it is known
            strict, form = self.part(target, tuple(parse_fragment(ref[1:])), in_union=True)
            self.within.pop()
            self.definitions.schemas[name], self.definitions.forms[name] = strict, form
        return self.definitions.refer(name)

    def whole(self, parts: list[Any]) -> Schema:
        return conjunction([follow(self.root, p.get("$ref")) or p for p in parts if isinstance(p, dict)])

    def merged(self, parts: list[Any], at: Steps, *, in_union: bool) -> Part:
        """Combine several schemas into one that requires all of them, and rewrite it."""
        refs = [
            part["$ref"] for part in parts if isinstance(part, dict) and isinstance(part.get("$ref"), str)
        ]
        if any(ref in self.within for ref in refs):
            return self.hinder(
                at, "a recursive schema that is combined with others", "name its properties there"
            )
        whole = self.whole(parts)
        before = len(self.within)
        self.within += refs
        found = self.part(without(whole, "$ref"), at, in_union=in_union)
        del self.within[before:]
        return found

    def union(self, schema: Schema, word: str, at: Steps, inside: Steps | None = None) -> Part:
        rest, given = without(schema, *UNIONS), [b for b in listed(schema, word) if b is not False]
        own = constraints(rest)
        if own and not any(kinds(branch, self.root) != KINDS for branch in given):
            self.lose((*at, word), "not in the strict schema: checked when the call arrives")
            return self.part(rest, at)
        base = without(rest, "description", "title", "default")
        parts: list[tuple[Any, Part]] = []
        for index, branch in enumerate(given):
            place = inside or (*at, word, index)
            whole = branch
            if own:
                made = self.merged([base, branch], place, in_union=True)
                whole = self.whole([base, branch])
            else:
                made = self.part(branch, place, in_union=True)
            if made not in [part for _, part in parts]:
                parts.append((whole, made))
        if not parts:
            return self.hinder(at, "no value is allowed", f"give {word} a branch")
        if len(parts) == 1:
            strict, form = parts[0][1]
            about = self.dressed(rest, {}, at)
            if about and "$ref" in strict:  # no keyword may stand beside a reference
                return {**about, "anyOf": [strict]}, form
            return {**strict, **about}, form
        strict = self.dressed(without(rest, *own), {"anyOf": [part for _, (part, _) in parts]}, at)
        if all(form is SAME for _, (_, form) in parts):
            return strict, SAME
        form = Union()
        self.unions.append((at, form, parts))
        return strict, form

    def array(self, schema: Schema, at: Steps) -> Part:
        if "prefixItems" in schema:
            return self.hinder(at, "an array with a schema for each item", "make it an object")
        item, form = self.below(schema.get("items"), (*at, "items"))
        if form is not SAME:
            form = Items(form)
        return self.dressed(schema, {"type": "array", "items": item}, at), form

    def object(self, schema: Schema, at: Steps, *, is_root: bool = False, in_union: bool = False) -> Part:
        patterns, properties = named(schema, "patternProperties"), dict(named(schema, "properties"))
        openness = next((schema[word] for word in OTHER_KEYS if word in schema), None)
        is_open = bool(patterns) or (openness is not None and openness is not False)
        required = set(required_of((schema,)))
        properties |= {name: {} for name in sorted(required - properties.keys())}
        properties = {n: p for n, p in properties.items() if p is not False or n in required}
        if not properties and not is_root and (is_open or openness is None):
            values, form = self.pairs(schema, patterns, at, wrapped=in_union)
            if in_union:
                values = closed({MEMBERS: values})
            return self.dressed(schema, values, at), form
        parts = {name: self.below(each, (*at, "properties", name)) for name, each in properties.items()}
        optional = frozenset(parts) - required
        absent = frozenset(name for name in optional if self.all_required)
        self.changes["optional"] += len(absent)
        self.changes["closed"] += openness is None and not is_open
        said = {
            name: self.definitions.or_absent(part, properties[name], self.root) if name in absent else part
            for name, (part, _) in parts.items()
        }
        others: Pairs | None = None
        if is_open:
            if OTHERS in properties:
                return self.hinder(at, f"an open object with a property {OTHERS!r}", "rename the property")
            said[OTHERS], others = self.pairs(schema, patterns, at)
        left_out = optional - absent
        strict = closed(said, [name for name in said if name not in left_out])
        forms = {name: form for name, (_, form) in parts.items()}
        is_same = not absent and others is None and all(form is SAME for form in forms.values())
        return self.dressed(schema, strict, at), SAME if is_same else Members(forms, absent, others)

    def pairs(
        self, schema: Schema, patterns: Mapping[str, Any], at: Steps, *, wrapped: bool = False
    ) -> tuple[Schema, Pairs]:
        """Rewrite an object with arbitrary keys as an array of pairs."""
        self.changes["maps"] += 1
        allowed: list[tuple[Steps, Any]] = [
            (("patternProperties", pattern), each) for pattern, each in patterns.items()
        ]
        word = next((word for word in OTHER_KEYS if schema.get(word) is not None), "additionalProperties")
        rest = schema.get(word, {} if not patterns else False)
        if rest is not False:
            allowed += [((word,), rest)]
        if len(allowed) == 1:
            steps, each = allowed[0]
            value, form = self.below(each, (*at, *steps))
        else:
            floor, self.floor = self.floor, len(self.within)
            value, form = self.union({"anyOf": [each for _, each in allowed]}, "anyOf", at, at)
            self.floor = floor
        name: Any = {**named(schema, "propertyNames")}
        if len(patterns) == 1 and rest is False and not name:
            name = {"pattern": next(iter(patterns))}
        told, _ = self.part({"type": "string", **name}, (*at, "propertyNames"))
        return pairs_of(told, value), Pairs(form, wrapped)

    def dressed(self, schema: Schema, strict: Schema, at: Steps) -> Schema:
        """Add the keywords of `schema` to `strict` if the subset supports them, and otherwise note them in
        its description.
        """
        out, notes, types = dict(strict), list[str](), types_of(strict)
        for word, value in schema.items():
            row = KEYWORDS.get(word)
            if row is None or word in BUILT:
                continue
            if row.is_annotation:
                if self.subset.takes(word, value):
                    out[word] = value
                elif word == "default":
                    notes += noted(word, value)
            elif types and row.kind not in ("any", *("number" if t == "integer" else t for t in types)):
                continue
            elif self.subset.takes(word, value) and types:
                out[word] = value
            elif word != "propertyNames" or types != ("array",):
                if row.is_limit:
                    notes.append(row.said(value))
                else:
                    notes += noted(word, value)
                self.lose((*at, word), "not in the strict schema: the description says it instead")
        own = out.pop("description", "")
        text = text_or_none(schema.get("description")) or own
        if notes:
            text = _with_notes(text, "; ".join(notes))
        if text:
            return {"description": text, **out}
        return out


def _with_notes(text: str | None, notes: str) -> str:
    if text:
        return f"{text} ({notes})"
    return notes
