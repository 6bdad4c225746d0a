"""Other wordings of toolgen's text, made from the hint and its own edits; no wording knows the intended call."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from typing import Any

from error_texts import Own
from wrong_calls import Call, Case

from toolgen_runtime.hints.quoting import choices
from toolgen_runtime.hints.retry_hint import FieldHint
from toolgen_runtime.hints.sentence import Sentence

WORDINGS = {
    "without corrected arguments": "without the last line, where there is one",
    "corrected first": "that line stands first",
    "corrected only": "that line alone",
    "changed fields": "only the changed fields in that line",
    "changed fields only": "only the changed fields, and nothing else",
    "corrected for guesses": "the line is there for guesses, too",
    "corrected for guesses as a question": 'for guesses it is "Did you mean: {...}?"',
    "send B not A": "instead of `change A to B`",
    "wrong value not quoted": "`send B` instead of `change A to B`",
    "a renamed field first": '`b (missing; string): rename "a" to "b"` instead of `change the key "a" to "b"`',
    "a missing field first": '`b (missing; string)` instead of `add the key "b" (string)`',
    "allowed values last": '`"a" is not allowed. Allowed: b, c` instead of `change "a" to one of: "b", "c"`',
    "the type first": '`send an integer, not "a"` instead of `change "a" to an integer`',
    "left out": '`a: leave it out, or send a string, not null` instead of `remove the key "a", or send a string`',
    "a capital letter": "at the start of the only line, unless it begins with a field",
    "the key last": '`send a string, or remove the key "a"` instead of `remove the key "a", or send a string`',
    "allowed values quoted": "in double quotes, as JSON",
    "orders": "no question marks: guesses are orders",
    "without 'was not run'": "without the first sentence",
    "call again": "a last line that asks for another call",
    "schema": "the JSON Schema of each wrong field",
    "fields quoted": "names of fields in double quotes",
    "compact JSON": "no spaces after commas and colons",
}
"""Each wording that is measured, and what it changes."""

_LINE = re.compile(r"^(?:- )?(?P<field>[^\s(:]+)(?= \(|: )", re.MULTILINE)
_CORRECTED = re.compile(r"\nCorrected (?:arguments|call): .*")
_TYPE = re.compile(r'change (?P<value>"[^"\n]*"|\S+) to (?P<type>an? [^\n]*)$', re.MULTILINE)
_NULL = re.compile(r'remove the key "(?P<key>[^"\n]*)", or send (?P<other>[^\n]*)')
_ALONE = re.compile(r"(?P<head>was not run\. )(?P<first>[a-z])(?!\S*: |\S* \()")
_ALLOWED = re.compile(r"(?P<start>Allowed: |one of: )(?P<values>[^\n);]+)")
_LONGEST_SCHEMA = 400


def wordings(case: Case, own: Own) -> dict[str, str]:
    """Return the wordings that differ from toolgen's text, by their names in `WORDINGS`."""
    found = _rewritten(case, own) | _with_corrected(case, own)
    return {name: text for name, text in found.items() if text != own.text}


def _rewritten(case: Case, own: Own) -> dict[str, str]:
    """Return the wordings that are a rewritten text."""
    text, head = own.text, f"{case.wrong.name} was not run. "
    orders = re.sub(r"did you mean to (.+?)\?", r"\1", text)
    orders = re.sub(r"did you mean (.+?)\?", r"send \1", orders)
    orders = _with_changes(orders, lambda was, becomes: f"change {was} to {becomes}")
    orders = re.sub(r'(change the key "[^"\n]+" to "[^"\n]+")\?', r"\1", orders)
    found = {
        "orders": orders,
        "send B not A": _with_changes(
            text, lambda was, becomes: f"send {becomes}, not {was}", keep_asking=True
        ),
        "wrong value not quoted": _with_changes(text, lambda _, becomes: f"send {becomes}", keep_asking=True),
        "a renamed field first": _with_fields(own, _renamed_first),
        "a missing field first": _with_fields(own, _missing_first),
        "allowed values last": _with_fields(own, _not_allowed),
        "the type first": _TYPE.sub(r"send \g<type>, not \g<value>", text),
        "left out": _NULL.sub(r"\g<key>: leave it out, or send \g<other>, not null", text),
        "a capital letter": _ALONE.sub(lambda m: m["head"] + m["first"].upper(), text),
        "the key last": _NULL.sub(r'send \g<other>, or remove the key "\g<key>"', text),
        "allowed values quoted": _ALLOWED.sub(_with_quotes, text),
        "without 'was not run'": text.removeprefix(head),
        "call again": f"{text}\nCall it again with these changes.",
        "fields quoted": head + _LINE.sub(_quoted, text.removeprefix(head)),
        "compact JSON": _compact(text),
    }
    schemas = _schemas(case, own)
    if schemas:
        found["schema"] = f"{text}\nSchema: {_json(schemas)}"
    return found


def _with_fields(own: Own, word: Callable[[FieldHint], Sentence]) -> str:
    """Return the text with other sentences about the fields."""
    fields = [field._replace(sentence=word(field)) for field in own.hint.fields]
    return own.hint._replace(fields=tuple(fields)).render()


def _renamed_first(field: FieldHint) -> Sentence:
    sentence = field.sentence
    if not sentence.core.startswith("change the key"):
        return sentence
    core = sentence.core.replace("change the key", "rename", 1)
    if field.constraint != "required":
        core = re.sub(r'rename .* to (?="[^"]*"$)', "not a field: rename it to ", core)
    return sentence._replace(core=core, subject=None)


def _missing_first(field: FieldHint) -> Sentence:
    sentence = field.sentence
    if not sentence.core.startswith("add the key"):
        return sentence
    return sentence._replace(core="", description="", subject=None)


def _not_allowed(field: FieldHint) -> Sentence:
    sentence = field.sentence
    if not sentence.short:
        return sentence
    listed = f"Allowed: {choices(field.allowed_values or ())}"
    return sentence._replace(core=sentence.short, short="", listed=listed)


def _with_changes(text: str, word: Callable[[str, str], str], *, keep_asking: bool = False) -> str:
    """Return the text with another wording for each `change A to B`; A and B are JSON."""
    out, position = "", 0
    while (start := text.find("change ", position)) >= 0:
        out += text[position:start]
        was, position = _value_at(text, start + len("change "))
        becomes = None
        if was is not None and text.startswith(" to ", position):
            becomes, position = _value_at(text, position + len(" to "))
        if was is None or becomes is None:
            out += text[start:position]
            continue
        out += word(was, becomes)
        if text.startswith("?", position) and not keep_asking:
            position += 1
    return out + text[position:]


def _value_at(text: str, start: int) -> tuple[str | None, int]:
    """Return the JSON at a place of a text, and where it ends; None if there is none."""
    try:
        _, end = json.JSONDecoder().raw_decode(text, start)
    except ValueError:
        return None, start
    return text[start:end], end


def _quoted(match: re.Match[str]) -> str:
    dash = "- " if match[0].startswith("- ") else ""
    return f'{dash}"{match["field"]}"'


def _with_quotes(match: re.Match[str]) -> str:
    values = match["values"].split(", ")
    return match["start"] + ", ".join(value if value == "…" else f'"{value}"' for value in values)


def _with_corrected(case: Case, own: Own) -> dict[str, str]:
    """Return the wordings that differ in the line of corrected arguments."""
    if own.corrected is None:
        return {}
    is_name = own.corrected.name != case.wrong.name
    shown = own.corrected.text() if is_name else _json(own.corrected.arguments)
    line = f"Corrected {'call' if is_name else 'arguments'}: {shown}"
    text, head = _CORRECTED.sub("", own.text), f"{case.wrong.name} was not run."
    if own.edits == "guess":
        return {
            "corrected for guesses": f"{text}\n{line}",
            "corrected for guesses as a question": f"{text}\nDid you mean: {shown}?",
        }
    fields = _changed_fields(case.wrong, own.corrected)
    return {
        "without corrected arguments": text,
        "corrected first": f"{line}\n{text}",
        "corrected only": f"{head} {line}",
        "changed fields": f"{text}\n{fields}",
        "changed fields only": f"{head} {fields}",
    }


def _changed_fields(wrong: Call, corrected: Call) -> str:
    """Return one line with the top-level fields that the edits change, and the names of those that must go."""
    was, becomes = wrong.arguments, corrected.arguments
    put = {key: value for key, value in becomes.items() if key not in was or was[key] != value}
    gone = [_json(key) for key in was if key not in becomes]
    parts = [f"Send: {_json(put)}"] if put else []
    if gone:
        parts.append(f"Leave out: {', '.join(gone)}")
    return ". ".join(parts)


def _schemas(case: Case, own: Own) -> dict[str, Any]:
    """Return the schemas of the first three fields with problems that are not long."""
    found = {}
    for field in own.hint.fields[:3]:
        schema = case.schema(case.wrong.name)
        for step in re.findall(r"[^.\[\]]+", field.field):
            part = schema.get("items") if step.isdigit() else schema.get("properties", {}).get(step)
            schema = part if isinstance(part, dict) else {}
        if schema and len(_json(schema)) < _LONGEST_SCHEMA:
            found[field.field] = schema
    return found


def _compact(text: str) -> str:
    """Return the text with the arrays and objects in it as compact JSON."""
    out, position = "", 0
    while position < len(text):
        value, end = _value_at(text, position) if text[position] in "[{" else (None, position)
        if value is None:
            out += text[position]
            position += 1
        else:
            out += json.dumps(json.loads(value), ensure_ascii=False, separators=(",", ":"))
            position = end
    return out


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)
