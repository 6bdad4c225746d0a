"""Tokens that hints cost beside the texts of other validators, from a sample of the invalid calls."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from toolgen.audit.other_validators import Text, has_other_validators, jsonschema_text, pydantic_text
from toolgen.audit.summarize import MAX_HINT
from toolgen.audit.summary import ToolSummary
from toolgen.audit.tools import AuditTools, LoadedTools
from toolgen_runtime.validation.json_text import read
from toolgen_runtime.validation.tool import Tool

CHARACTERS_PER_TOKEN: Final = 4
"""The usual estimate for English and JSON; no tokenizer is asked."""
MAX_TOOLS: Final = 50
"""Tools, those with most invalid calls first, whose calls are compared."""


@dataclass
class Tokens:
    """Estimated tokens of one text for each of some calls; `calls` are those that it is of."""

    calls: int = 0
    hint: float = 0.0
    pydantic: float = 0.0
    jsonschema: float = 0.0

    def scaled(self, calls: int) -> Tokens:
        """Return the tokens of this many calls like these."""
        share = calls / self.calls if self.calls else 0.0
        return Tokens(calls, self.hint * share, self.pydantic * share, self.jsonschema * share)

    def add(self, other: Tokens) -> None:
        """Add those of other calls."""
        self.calls += other.calls
        self.hint += other.hint
        self.pydantic += other.pydantic
        self.jsonschema += other.jsonschema


def compared(called: Mapping[str, ToolSummary], tools: AuditTools) -> dict[str, Tokens]:
    """Return, by tool, what its invalid calls cost in each text, scaled from its sample to all of them.

    Without jsonschema there is nothing to compare with, and the result is empty.
    """
    if not has_other_validators():
        return {}
    loaded = tools.load()
    most = sorted(called.items(), key=lambda item: (-item[1].invalid, item[0]))[:MAX_TOOLS]
    found = {name: _of_tool(name, summary, loaded) for name, summary in most if summary.invalid}
    return {name: tokens.scaled(called[name].invalid) for name, tokens in found.items() if tokens.calls}


def _of_tool(name: str, summary: ToolSummary, loaded: LoadedTools) -> Tokens:
    audited = loaded.find(name)
    tokens = Tokens()
    texts = None if audited is None else _texts(audited.tool)
    if audited is None or texts is None:
        return tokens
    for _, (times, text) in summary.compared.items():
        payload, unreadable = read(text)
        issues = audited.tool.validate(payload)
        if unreadable or not issues:  # a text that is not JSON, or one whose fault was in what is masked
            continue
        hint = loaded.registry.hint(name, issues, payload=payload).render(MAX_HINT)
        try:
            tokens.add(
                Tokens(
                    times, *(_tokens(told) * times for told in (hint, texts[0](payload), texts[1](payload)))
                )
            )
        except Exception:  # whatever another library raises: this call is not compared
            continue
    return tokens


def _texts(tool: Tool[Any]) -> tuple[Text, Text] | None:
    schema = json.loads(json.dumps(tool.schema))
    try:
        return pydantic_text(schema, tool.name), jsonschema_text(schema)
    except Exception:  # whatever another library raises: this tool is not compared
        return None


def _tokens(text: str) -> float:
    return len(text) / CHARACTERS_PER_TOKEN
