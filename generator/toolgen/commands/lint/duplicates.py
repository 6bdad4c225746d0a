"""Compare the tools with each other, and find servers whose tools take many tokens.

This finds tools that a model cannot tell apart, and servers with too many tools.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Final

from toolgen.commands.lint.subject import Subject
from toolgen.compiler.diagnostics import Diagnostic
from toolgen_runtime.hints.tool_names import SYNONYMS
from toolgen_runtime.schema.raw import as_raw, listed, named

MIN_WORDS: Final = 4
"""The minimum number of words in a description for comparing it."""
MAX_SERVER_TOKENS: Final = 25_000
"""The number of tokens above which a file's definitions are large: an eighth of a context of 200,000 tokens."""
_NAME_WORD: Final = re.compile("[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+")
_FILLERS: Final = frozenset(("enhanced", "improved", "robust", "better"))
"""Words that do not change what a tool does."""
_WORD: Final = re.compile(r"[a-z0-9]+")


def near_duplicates(subjects: Sequence[Subject]) -> Iterator[Diagnostic]:
    """Yield each tool that has the same description and fields as an earlier tool.

    Descriptions are the same if they have the same words, and fields if they have the same names.
    """
    earlier: dict[tuple[object, ...], Subject] = {}
    for subject in subjects:
        words = tuple(_WORD.findall(subject.spec.description.lower()))
        if len(words) >= MIN_WORDS:
            fields = tuple(sorted(named(as_raw(subject.spec.schema), "properties")))
            first = earlier.setdefault((words, fields), subject)
            if first is not subject:
                file = first.spec.place.file
                where = "" if file == subject.spec.place.file else f" in {file}"
                message = (
                    f"the description and the fields are the same as those of {first.spec.name!r}{where}"
                )
                yield subject.finding_of_tool("near-duplicate", message)


def same_names(subjects: Sequence[Subject]) -> Iterator[Diagnostic]:
    """Yield each tool whose name means the same as that of an earlier tool: `fetch_user`, `get_user`,
    `get_user_robust`.

    Only tools in the same file are compared. They can be told apart by fields that only one of them requires, or by a
    description that names the other tool.
    """
    earlier: dict[tuple[object, ...], Subject] = {}
    for subject in subjects:
        name, text = subject.spec.name, subject.spec.description
        words = (SYNONYMS.get(word, word) for word in map(str.lower, _NAME_WORD.findall(name)))
        meaning = tuple(word for word in words if word not in _FILLERS)
        first = earlier.setdefault((subject.spec.place.file, meaning), subject)
        other, required, before = first.spec.name, _required(subject), _required(first)
        is_known = name in first.spec.description or other in text
        if first is not subject and not is_known and (required <= before or before <= required):
            yield subject.finding_of_tool("near-duplicate", f"the name means the same as {other!r}")


def large_servers(subjects: Sequence[Subject]) -> Iterator[Diagnostic]:
    """Yield a finding for each file whose tools together take many tokens."""
    by_file: dict[str, list[Subject]] = {}
    for subject in subjects:
        by_file.setdefault(subject.spec.place.file, []).append(subject)
    for several in by_file.values():
        tokens = sum(subject.tokens for subject in several)
        if len(several) > 1 and tokens > MAX_SERVER_TOKENS:
            message = f"the {len(several):,} tools of this file take about {tokens:,} tokens in every request"
            yield replace(several[0].finding_of_tool("large-server", message), tool="")


def _required(subject: Subject) -> set[str]:
    return set(map(str, listed(as_raw(subject.spec.schema), "required")))
