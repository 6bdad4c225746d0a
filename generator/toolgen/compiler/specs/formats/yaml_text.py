"""Parse YAML as JSON values: with YAML 1.2's core schema, string keys, and a limit for aliases.

PyYAML resolves scalars as YAML 1.1 does (`on` is true, `2024-01-01` a date, `1:30` ninety), so only its parser is used,
and values are built from its events. This also limits the depth, which its C composer does not do.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Any

import yaml

from toolgen.compiler.diagnostics import Place, SpecError
from toolgen.compiler.specs.formats import syntax_advice
from toolgen.compiler.specs.formats.json_values import MAX_SPEC_DEPTH, MAX_SPEC_VALUES, pairs_to_object

_LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
_CORRECT = "correct the text here"
_TAG = "tag:yaml.org,2002:"
_NULL = ("", "~", "null", "Null", "NULL")
_BOOL = {"true": True, "True": True, "TRUE": True, "false": False, "False": False, "FALSE": False}
_INT = re.compile(r"[-+]?[0-9]+\Z|0o[0-7]+\Z|0x[0-9a-fA-F]+\Z")
_FLOAT = re.compile(r"[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?\Z")
_NOT_FINITE = re.compile(r"([-+]?)\.(inf|Inf|INF)\Z|\.(nan|NaN|NAN)\Z")


def value(text: str, place: Place) -> Any:
    """Parse a YAML text with one document. An alias becomes the same object as its anchor.

    Raises:
        SpecError: `bad-yaml` with line and column, `yaml-tag`, `too-deep`, `too-large`.
    """
    try:
        return _Builder(yaml.parse(text, Loader=_LOADER), place).document()
    except yaml.MarkedYAMLError as error:
        problem = " ".join(str(error.problem or error.context or "not YAML").split())
        at = _marked(place, error.problem_mark or error.context_mark)
        if "nesting depth" in problem:  # libyaml since PyYAML 6.0.4: 1,000 levels, seen before our own limit
            raise _too_deep(place) from None
        raise SpecError.of(at, "bad-yaml", problem, syntax_advice.of_yaml(problem)) from None
    except yaml.YAMLError as error:
        raise SpecError.of(place, "bad-yaml", " ".join(str(error).split()), _CORRECT) from None
    except ValueError:
        raise SpecError.of(place, "bad-yaml", "a number has too many digits", "use fewer digits") from None


def _marked(place: Place, mark: yaml.Mark | None) -> Place:
    if mark:
        return replace(place, line=mark.line + 1, column=mark.column + 1)
    return place


def _too_deep(place: Place) -> SpecError:
    return SpecError.of(place, "too-deep", f"nested deeper than {MAX_SPEC_DEPTH} levels", "use $defs")


@dataclass
class _Builder:
    events: Iterator[Any]
    place: Place
    anchors: dict[str, Any] = field(default_factory=dict)
    copied: int = 0
    """The number of values that `<<` has copied: a list of merges is quadratic in the text."""

    def document(self) -> Any:
        next(self.events)  # the stream's start
        if isinstance(next(self.events), yaml.StreamEndEvent):
            raise SpecError.of(
                self.place, "empty-file", "the file has no value", "export the tools into it again"
            )
        result = self.node(next(self.events), 0)
        next(self.events)  # the document's end
        after = next(self.events)
        if not isinstance(after, yaml.StreamEndEvent):
            raise self.at(after, "bad-yaml", "a second document", "keep one document in a file")
        return result

    def at(self, event: Any, code: str, message: str, hint: str = _CORRECT) -> SpecError:
        return SpecError.of(_marked(self.place, event.start_mark), code, message, hint)

    def node(self, event: Any, depth: int) -> Any:
        if depth > MAX_SPEC_DEPTH:
            raise _too_deep(self.place)
        if isinstance(event, yaml.AliasEvent):
            if event.anchor not in self.anchors:
                raise self.at(
                    event, "bad-yaml", f"*{event.anchor} has no anchor before it", "write the value itself"
                )
            return self.anchors[event.anchor]
        if isinstance(event, yaml.ScalarEvent):
            result = self.scalar(event)
        elif isinstance(event, yaml.SequenceStartEvent):
            self.only_tags(event, "seq")
            result = self.sequence(depth)
        else:
            self.only_tags(event, "map")
            result = self.mapping(depth)
        if event.anchor:
            self.anchors[event.anchor] = result
        return result

    def sequence(self, depth: int) -> list[Any]:
        items: list[Any] = []
        while not isinstance(event := next(self.events), yaml.SequenceEndEvent):
            items.append(self.node(event, depth + 1))
        return items

    def mapping(self, depth: int) -> dict[Any, Any]:
        pairs: list[tuple[Any, Any]] = []
        merged: list[dict[Any, Any]] = []
        while not isinstance(event := next(self.events), yaml.MappingEndEvent):
            key = self.node(event, depth + 1)
            if isinstance(key, dict | list):
                raise self.at(event, "non-string-key", "a key that is a mapping or a list", "use a string")
            item = self.node(next(self.events), depth + 1)
            if key == "<<" and isinstance(event, yaml.ScalarEvent) and event.implicit[0]:
                merged += self.merge(event, item)
            else:
                pairs.append((key, item))
        result = pairs_to_object(pairs)
        for base in merged:
            self.copied += len(base)
            if self.copied > MAX_SPEC_VALUES:
                message = f"<< copies more than {MAX_SPEC_VALUES:,} values"
                raise SpecError.of(self.place, "too-large", message, "split the file, or merge less")
            for key, item in base.items():
                result.setdefault(key, item)
        return result

    def merge(self, event: Any, item: Any) -> list[dict[Any, Any]]:
        if isinstance(item, list):
            bases = item
        else:
            bases = [item]
        if not all(isinstance(base, dict) for base in bases):
            raise self.at(
                event, "bad-yaml", "<< without a mapping", "give << a mapping or a list of mappings"
            )
        return bases

    def only_tags(self, event: Any, *allowed: str) -> str:
        if event.tag is None or event.tag == "!":
            return ""
        name = event.tag.removeprefix(_TAG)
        if name not in allowed:
            raise self.at(event, "yaml-tag", f"the tag {event.tag} is not allowed", "remove the tag")
        return str(name)

    def scalar(self, event: Any) -> Any:
        tag = self.only_tags(event, "str", "int", "float", "bool", "null")
        if tag == "str" or (not tag and not event.implicit[0]):
            return event.value
        result = _resolve(event.value)
        if tag == "float" and isinstance(result, int):
            return float(result)
        if tag and tag != {type(None): "null", bool: "bool", int: "int", float: "float"}.get(type(result)):
            raise self.at(event, "yaml-tag", f"{event.value!r} is not !!{tag}", "remove the tag")
        return result


def _resolve(text: str) -> Any:
    """Return the value of a plain scalar by the core schema of YAML 1.2 (section 10.3.2)."""
    if text in _NULL:
        return None
    if text in _BOOL:
        return _BOOL[text]
    if _INT.match(text):
        return int(text, {"0o": 8, "0x": 16}.get(text[:2], 10))
    if _FLOAT.match(text):
        return float(text)
    if match := _NOT_FINITE.match(text):
        return float(f"{match[1]}inf" if match[2] else "nan")
    return text
