"""The report as one HTML page that holds all it shows: styles, charts and texts; no script, and no network."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape
from typing import Any, Final

from toolgen.audit.charts import COLOURS, bars

MAX_PROBLEMS: Final = 200
"""Constraints with a section of their own."""
MAX_SHOWN: Final = 5
SAVED, LEFT = "repair makes it valid", "needs another try"

_STYLE: Final = """
:root { color-scheme: light dark; --line: #8884; --soft: #8881; }
body { font: 16px/1.5 system-ui, sans-serif; max-width: 62rem; margin: 0 auto; padding: 1rem; overflow-wrap: anywhere; }
h1, h2, h3 { line-height: 1.2; }
dl { display: flex; flex-wrap: wrap; gap: .75rem; margin: 1rem 0; }
dl div { border: 1px solid var(--line); border-radius: .5rem; padding: .5rem .9rem; }
dt { font-size: .85rem; }
dd { margin: 0; font-size: 1.35rem; font-variant-numeric: tabular-nums; }
figure { margin: 1rem 0; overflow-x: auto; }
figcaption { font-weight: 600; }
svg { max-width: 100%; height: auto; }
.wide { overflow-x: auto; }
table { border-collapse: collapse; width: 100%; }
caption { text-align: left; font-weight: 600; padding: .3rem 0; }
th, td { text-align: left; vertical-align: top; padding: .3rem .6rem; border-bottom: 1px solid var(--line); }
th, td { overflow-wrap: break-word; }
td.n, th.n { text-align: right; font-variant-numeric: tabular-nums; }
pre, code { font: .85rem/1.45 ui-monospace, monospace; }
pre { white-space: pre-wrap; background: var(--soft); padding: .6rem; border-radius: .4rem; margin: .4rem 0; }
details { border-bottom: 1px solid var(--line); padding: .35rem 0; }
summary { cursor: pointer; }
summary:focus-visible { outline: 2px solid; outline-offset: 2px; }
.note { border-left: 4px solid COLOUR; padding: .3rem .8rem; }
@media print { details:not([open]) > * { display: block; } figure, details { break-inside: avoid; } }
""".replace("COLOUR", COLOURS[0])


def page(report: dict[str, Any]) -> str:
    """Return the page of what `report` returns.

    Raises:
        SpecError: `missing-extra`: what draws the charts is not installed.
    """
    parts = [
        "<h1>Recorded tool calls</h1>",
        _notes(report),
        _facts(report),
        *_charts(report),
        _descriptions(report["descriptions"]),
        _tools(report["tools"]),
        _problems(report["tools"]),
        _others(report),
    ]
    head = (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">\n"
        f"<title>Recorded tool calls</title>\n<style>{_STYLE}</style>\n</head>\n<body>\n<main>\n"
    )
    return head + "\n".join(filter(None, parts)) + "\n</main>\n</body>\n</html>\n"


def _notes(report: dict[str, Any]) -> str:
    found = []
    if report["interrupted"]:
        found.append("Interrupted: this is what was seen until then.")
    if count := report["malformed"]["records"]:
        found.append(f"{_number(count)} record{'' if count == 1 else 's'} could not be read.")
    return "".join(f'<p class="note">{escape(text)}</p>' for text in found)


def _facts(report: dict[str, Any]) -> str:
    facts = [
        ("Calls", _number(report["calls"])),
        ("Invalid", f"{_number(report['invalid'])} ({_share(report['invalid'], report['calls'])})"),
        (
            "Made valid by repair",
            f"{_number(report['repaired'])} ({_share(report['repaired'], report['invalid'])})",
        ),
        ("Tools called", _number(len(report["tools"]))),
        ("Never called", _number(len(report["never_called"]))),
    ]
    return "<dl>" + "".join(f"<div><dt>{name}</dt><dd>{value}</dd></div>" for name, value in facts) + "</dl>"


def _charts(report: dict[str, Any]) -> Iterable[str]:
    failing = [tool for tool in report["tools"] if tool["invalid"]]
    if not failing:
        return
    rows: list[tuple[str, str, float]] = []
    for tool in failing:
        rows += [
            (tool["name"], SAVED, tool["repaired"]),
            (tool["name"], LEFT, tool["invalid"] - tool["repaired"]),
        ]
    yield _figure("Invalid calls by tool", rows, "calls")
    named = [(f"{tool}: {_title(problem)}", "calls", problem["calls"]) for tool, problem in _worst(failing)]
    yield _figure("Constraints that most calls break", named, "calls")
    tokens = report["tokens"]
    if tokens["calls"]:
        texts = [
            ("hint", tokens["hint"]),
            ("pydantic", tokens["pydantic"]),
            ("jsonschema", tokens["jsonschema"]),
        ]
        caption = f"Estimated tokens of what the model is told about {_number(tokens['calls'])} invalid calls"
        yield _figure(caption, [(name, "tokens", value) for name, value in texts], "tokens")


def _figure(caption: str, rows: Sequence[tuple[str, str, float]], unit: str) -> str:
    svg = bars(rows, unit).replace("<svg ", f'<svg role="img" aria-label="{escape(caption)}" ', 1)
    return f"<figure><figcaption>{escape(caption)}</figcaption>{svg}</figure>"


def _worst(tools: Sequence[dict[str, Any]]) -> list[tuple[str, dict[str, Any]]]:
    found = [(tool["name"], problem) for tool in tools for problem in tool["problems"]]
    return sorted(found, key=lambda each: (-each[1]["calls"], each[0], each[1]["pointer"]))[:MAX_PROBLEMS]


def _descriptions(advice: Sequence[dict[str, Any]]) -> str:
    rows = [
        [
            ("n", _number(each["calls"])),
            ("", _code(each["tool"])),
            ("", escape(each["reason"])),
            ("", _code(each["pointer"])),
        ]
        for each in advice
    ]
    return _table("Descriptions to change", ("calls", "tool", "why", "where"), rows)


def _tools(tools: Sequence[dict[str, Any]]) -> str:
    rows = []
    for tool in tools:
        tokens = tool["tokens"] or {}
        cells = [_number(tool["calls"]), _number(tool["invalid"]), _share(tool["invalid"], tool["calls"])]
        cells += [
            _number(tool["repaired"]),
            *(_number(tokens.get(key)) for key in ("hint", "pydantic", "jsonschema")),
        ]
        rows.append([("", _code(tool["name"])), *(("n", cell) for cell in cells)])
    head = ("tool", "calls", "invalid", "share", "repaired", "hint tokens", "pydantic", "jsonschema")
    return _table("Tools", head, rows)


def _table(title: str, head: Sequence[str], rows: Sequence[Sequence[tuple[str, str]]]) -> str:
    if not rows:
        return ""
    kinds = [kind for kind, _ in rows[0]]
    heads = "".join(
        f'<th scope="col" class="{kind}">{name}</th>' for name, kind in zip(head, kinds, strict=True)
    )
    body = "".join(
        "<tr>" + "".join(f'<td class="{kind}">{text}</td>' for kind, text in row) + "</tr>\n" for row in rows
    )
    return (
        f'<h2>{title}</h2>\n<div class="wide"><table><thead><tr>{heads}</tr></thead>\n'
        f"<tbody>\n{body}</tbody></table></div>"
    )


def _problems(tools: Sequence[dict[str, Any]]) -> str:
    found = _worst(tools)
    if not found:
        return ""
    return "<h2>What fails, and how</h2>\n" + "\n".join(_problem(tool, problem) for tool, problem in found)


def _problem(tool: str, problem: dict[str, Any]) -> str:
    title = f"{_number(problem['calls'])} &times; {_code(tool)} {escape(_title(problem))}"
    parts = [f"<p>{_code(problem['pointer'] or '(text)')}"]
    parts.append(f", expected {_code(problem['expected'])}" if problem["expected"] else "")
    parts.append(f"; {_number(problem['repaired'])} of the calls made valid by repair</p>")
    if problem["sent"]:
        shown = ", ".join(
            f"{_code(e['value'])}&nbsp;&times; {_number(e['count'])}" for e in problem["sent"][:MAX_SHOWN]
        )
        more = "" if problem["sent_complete"] and len(problem["sent"]) <= MAX_SHOWN else ", …"
        parts.append(f"<p>Sent: {shown}{more}</p>")
    for example in problem["examples"]:
        place = f" <small>{escape(example['place'])}</small>" if example["place"] else ""
        parts.append(f"<pre>{escape(example['arguments'])}</pre>{place}<pre>{escape(example['hint'])}</pre>")
    return f"<details><summary>{title}</summary>{''.join(parts)}</details>"


def _others(report: dict[str, Any]) -> str:
    unknown, malformed = report["unknown_tools"], report["malformed"]
    parts = []
    if unknown["calls"]:
        rows = [[("", _code(each["name"])), ("n", _number(each["count"]))] for each in unknown["names"]]
        parts.append(_table("Calls of tools that are not there", ("name", "calls"), rows))
    if malformed["records"]:
        rows = [[("", _code(each["place"])), ("", escape(each["reason"]))] for each in malformed["first"]]
        parts.append(_table("Records that could not be read", ("place", "why"), rows))
    if report["never_called"]:
        listed = ", ".join(map(_code, report["never_called"]))
        parts.append(f"<h2>Never called</h2>\n<p>{listed}</p>")
    return "\n".join(parts)


def _title(problem: dict[str, Any]) -> str:
    return f"{problem['field'] or '(the arguments)'} {problem['constraint']}"


def _code(text: str) -> str:
    return f"<code>{escape(text)}</code>"


def _number(value: int | None) -> str:
    return "" if value is None else f"{value:,}"


def _share(part: int, whole: int) -> str:
    return f"{100 * part / whole:.1f} %" if whole else "0 %"
