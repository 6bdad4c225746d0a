"""Other wordings of toolgen's text, made from the hint and its own edits; no wording knows the intended call."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

from error_texts import Own
from wrong_calls import Call, Case

from toolgen_runtime import Edit, apply_edits

WORDINGS = {
    "corrected where certain": "a last line with the corrected arguments, only if every edit is certain",
    "corrected": "the same wherever the edits give a valid call, guesses too",
    "corrected as a question": 'the same, but "Did you mean: {...}?" where an edit is a guess',
    "corrected first": "the line stands first",
    "corrected only": "the line alone, without the problems",
    "changed fields": "a last line with only the changed fields as JSON",
    "changed fields only": "that line alone",
    "change X to Y": "a line for each edit; orders for guesses too",
    "change X to Y?": "a line for each edit; guesses are questions",
    "change X to Y? + corrected": "the same, and the corrected arguments where every edit is certain",
    "orders": "today's questions as orders",
    "right value last": "`not A, but send B`",
    "wrong value not quoted": "without the value that was sent",
    "without 'was not run'": "without the first sentence",
    "call again": "a last line that asks for another call",
    "schema": "the JSON Schema of each wrong field",
    "spaced JSON": "JSON in the text with spaces, as models write it",
    "fields quoted": "names of fields in double quotes",
}
"""Each wording that is measured, and what it changes."""

_LINE = re.compile(r"^(?:- )?(?P<field>[^\s(:]+)(?= \(|: )", re.MULTILINE)
_SCALAR = r'(?:the string )?(?:"[^"\n]*"|-?[\d.]+|true|false|null)'


def wordings(case: Case, own: Own) -> dict[str, str]:
    """Return the wordings that differ from toolgen's text, by their names in `WORDINGS`."""
    found = {**_rewritten(case, own), **_changes(case, own)}
    if own.corrected is not None:
        found |= _with_corrected(case, own, own.corrected)
    return {name: text for name, text in found.items() if text != own.text}


def _rewritten(case: Case, own: Own) -> dict[str, str]:
    """Return the wordings that are a rewritten text."""
    text, head = own.text, f"{case.wrong.name} was not run. "
    orders = re.sub(r"did you mean to (.+?)\?", r"\1", text)
    orders = re.sub(r"did you mean (.+?)\?", r"send \1", orders)
    orders = re.sub(r'(rename (?:it|"[^"\n]+") to "[^"\n]+")\?', r"\1", orders)
    last = re.sub(rf"send ({_SCALAR}), not ({_SCALAR})", r"not \2, but send \1", text)
    silent = re.sub(rf", not {_SCALAR}", "", text)
    silent = re.sub(r'"[^"\n]*" is not allowed: did you mean', "did you mean", silent)
    found = {
        "orders": orders,
        "right value last": last,
        "wrong value not quoted": silent,
        "without 'was not run'": text.removeprefix(head),
        "call again": f"{text}\nCall it again with these changes.",
        "spaced JSON": _with_spaces(text),
        "fields quoted": head + _LINE.sub(_quoted, text.removeprefix(head)),
    }
    schemas = _schemas(case, own)
    if schemas:
        found["schema"] = f"{text}\nSchema: {_json(schemas)}"
    return found


def _quoted(match: re.Match[str]) -> str:
    dash = "- " if match[0].startswith("- ") else ""
    return f'{dash}"{match["field"]}"'


def _with_corrected(case: Case, own: Own, corrected: Call) -> dict[str, str]:
    """Return the wordings that show the call after all edits."""
    is_name = corrected.name != case.wrong.name
    shown = corrected.text() if is_name else _json(corrected.arguments)
    line = f"{'Corrected call' if is_name else 'Corrected arguments'}: {shown}"
    head = f"{case.wrong.name} was not run."
    is_certain = own.edits == "certain"
    asked = line if is_certain else f"Did you mean: {shown}?"
    found = {
        "corrected": f"{own.text}\n{line}",
        "corrected as a question": f"{own.text}\n{asked}",
        "corrected first": f"{line}\n{own.text}",
        "corrected only": f"{head} {line}",
    }
    if is_certain:
        found["corrected where certain"] = f"{own.text}\n{line}"
    fields = None if is_name else _changed_fields(case.wrong.arguments, corrected.arguments)
    if fields is not None:
        found["changed fields"] = f"{own.text}\n{fields}"
        found["changed fields only"] = f"{head} {fields}"
    return found


def _changed_fields(wrong: Any, corrected: Any) -> str | None:
    """Return one line with the top-level fields that the edits change, and the names of those that must go."""
    if not isinstance(wrong, dict) or not isinstance(corrected, dict):
        return None
    put = {k: v for k, v in corrected.items() if k not in wrong or wrong[k] != v}
    gone = [key for key in wrong if key not in corrected]
    parts = [f"Send: {_json(put)}"] if put else []
    if gone:
        parts.append(f"Leave out: {', '.join(map(_json, gone))}")
    return ". ".join(parts)


def _changes(case: Case, own: Own) -> dict[str, str]:
    """Return the wordings with a line for each edit, and today's lines for problems without an edit."""
    if not own.hint.edits or case.schema(case.wrong.name) is None:
        return {}
    orders, questions, value = [], [], case.wrong.arguments
    for edit in own.hint.edits:
        try:
            after = apply_edits(value, [edit])
        except (KeyError, IndexError, TypeError, ValueError):
            return {}
        if edit.op == "unwrap":  # today's sentence names the keys; both values would be long
            value = after
            continue
        sentence = _change(value, after, edit) + _allowed(own, edit)
        value = after
        orders.append(sentence)
        questions.append(sentence if edit.certain else _asked(sentence))
    others = list(_lines_without_edit(own))
    found = {
        "change X to Y": _listed(case, [*orders, *others]),
        "change X to Y?": _listed(case, [*questions, *others]),
    }
    if own.edits == "certain":
        corrected = f"\nCorrected arguments: {_json(value)}"
        found["change X to Y? + corrected"] = found["change X to Y?"] + corrected
    else:
        found["change X to Y? + corrected"] = found["change X to Y?"]
    return found


def _change(before: Any, after: Any, edit: Edit) -> str:
    """Return one edit as a sentence."""
    field = _field(edit.path)
    if edit.op in ("rename", "move") and edit.to is not None:
        if edit.path[:-1] == edit.to[:-1]:
            return f"{_inside(edit.path)}change the key {_json(edit.path[-1])} to {_json(edit.to[-1])}"
        return f"move {field} to {_field(edit.to)}"
    if edit.op == "remove":
        return f"{_inside(edit.path)}leave out {_json(edit.path[-1])}"
    was, becomes = _value(before, edit.path), _value(after, edit.path)
    if was is _ABSENT:
        return f"{field}: add {_json(becomes)}"
    return f"{field}: change {_json(was)} to {_json(becomes)}"


def _allowed(own: Own, edit: Edit) -> str:
    """Return the list of allowed values of today's sentence about a field."""
    advice = next((each.advice for each in own.hint.fields if each.field == _field(edit.path)), "")
    found = re.search(r" Allowed: .*", advice)
    return f".{found[0]}" if found is not None else ""


def _asked(sentence: str) -> str:
    first, dot, allowed = sentence.partition(". Allowed: ")
    return f"{first}?{dot[1:]}{allowed}"


_ABSENT = object()


def _value(value: Any, path: tuple[str | int, ...]) -> Any:
    for step in path:
        try:
            value = value[step]
        except (KeyError, IndexError, TypeError):
            return _ABSENT
    return value


def _lines_without_edit(own: Own) -> Iterator[str]:
    """Yield today's sentences about fields that no edit touches."""
    paths = [path for edit in own.hint.edits if edit.op != "unwrap" for path in (edit.path, edit.to) if path]
    touched = [_field(path) for path in paths]
    for field in own.hint.fields:
        if not any(name.startswith(field.field) for name in touched):
            yield f"{field.field}: {field.advice}" if field.field else field.advice


def _listed(case: Case, sentences: list[str]) -> str:
    head = f"{case.wrong.name} was not run."
    if len(sentences) == 1:
        return f"{head} {sentences[0]}"
    return f"{head} Fix {len(sentences)} problems:\n" + "\n".join(f"- {each}" for each in sentences)


def _field(path: tuple[str | int, ...]) -> str:
    """Return a path as hints write it: `rows[0].qty`."""
    text = ""
    for step in path:
        if isinstance(step, int):
            text += f"[{step}]"
        else:
            text += f".{step}" if text else step
    return text or "arguments"


def _inside(path: tuple[str | int, ...]) -> str:
    return f"{_field(path[:-1])}: " if len(path) > 1 else ""


def _schemas(case: Case, own: Own) -> dict[str, Any]:
    """Return the schemas of the fields with problems that are not long."""
    found = {}
    for field in own.hint.fields[:3]:
        schema = case.schema(case.wrong.name)
        for step in re.findall(r"[^.\[\]]+", field.field):
            part = schema.get("items") if step.isdigit() else schema.get("properties", {}).get(step)
            schema = part if isinstance(part, dict) else {}
        if schema and len(_json(schema)) < 400:
            found[field.field] = schema
    return found


def _with_spaces(text: str) -> str:
    """Return the text with the JSON in it written as models write it."""
    out, position = "", 0
    while position < len(text):
        if text[position] in "[{":
            try:
                value, position = json.JSONDecoder().raw_decode(text, position)
            except ValueError:
                pass
            else:
                out += _json(value)
                continue
        out += text[position]
        position += 1
    return out


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)
