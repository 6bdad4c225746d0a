"""Check a tool's annotations, and what directories of servers require.

They must not contradict each other or the tool's verb, and must meet the requirements of server directories.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from toolgen.commands.lint.subject import Subject
from toolgen.compiler.diagnostics import Diagnostic
from toolgen_runtime.hints.names import word_set, words_of
from toolgen_runtime.schema.raw import listed

OPENAI_APPS: Final = "openai-apps"
"""https://developers.openai.com/apps-sdk (app submission), read 2026-11-28: all three hints are true or false."""
CLAUDE_DIRECTORY: Final = "claude-directory"
"""https://claude.com/docs/connectors/building/review-criteria, read 2026-11-28: a title, `readOnlyHint` or
`destructiveHint`, names of at most 64 characters, and safe and unsafe HTTP methods in separate tools."""
DIRECTORIES: Final = (OPENAI_APPS, CLAUDE_DIRECTORY)
MAX_DIRECTORY_NAME: Final = 64
"""The maximum length of a name in Claude's directory."""
_HINTS: Final = ("readOnlyHint", "destructiveHint", "openWorldHint")
# Verbs that can also make a new value from what they are given are no contradiction: `create_diagram`, `edit_image`,
# `remove_background`, `truncate_text`. Nor are words that are often nouns: `post_comments`, `move_count`.
_DELETES: Final = word_set("delete drop destroy purge erase wipe uninstall")
_WRITES: Final = _DELETES | word_set("update send publish rename")
_READS: Final = word_set("get list search find read fetch show describe view count check")
_ABOUT: Final = _READS | word_set(
    "status history preview info detail log report summary result query request available"
)
"""Last words of a name that only describe what the verb does: `upload_status`, `update_check`."""
_MOST_BEFORE: Final = 2
"""The maximum number of words before the verb in a name: `browser_tab_close`."""


def contradictions(subject: Subject) -> Iterator[Diagnostic]:
    """Yield a finding if annotations contradict each other, or contradict the verb in the tool's name."""
    hints = subject.spec.annotations
    is_read_only, is_destructive = hints.get("readOnlyHint") is True, hints.get("destructiveHint")
    verb = _verb(subject.spec.name)
    said = ""
    if is_read_only and is_destructive is True:
        said = "readOnlyHint and destructiveHint are both true"
    elif is_read_only and verb in _WRITES:
        said = f"readOnlyHint is true, but the name says {verb!r}"
    elif not is_read_only and is_destructive is False and verb in _DELETES:
        said = f"destructiveHint is false, but the name says {verb!r}"
    if said:
        yield subject.finding_of_tool("contradictory-annotations", said)


def _verb(name: str) -> str:
    """Return the first verb among the first words of a name; empty if there is none."""
    words = [word for word in words_of(name) if word.isalpha()]
    if words and words[-1] in _ABOUT:
        return ""
    return next((word for word in words[: _MOST_BEFORE + 1] if word in _WRITES | _READS), "")


def requirements(subject: Subject) -> Iterator[Diagnostic]:
    """Yield a finding for each requirement of the selected directories that the tool does not meet."""
    for directory in subject.directories:
        missing = list(_missing(subject, directory))
        if missing:
            message = f"{directory} requires {' and '.join(missing)}"
            yield subject.finding_of_tool("missing-annotations", message)
    if CLAUDE_DIRECTORY not in subject.directories:
        return
    if len(subject.spec.name) > MAX_DIRECTORY_NAME:
        yield subject.finding_of_tool("provider-name", f"rejected by {CLAUDE_DIRECTORY}")
    for steps, schema in subject.schemas:
        values = {each.upper() for each in listed(schema, "enum") if isinstance(each, str)}
        if {"GET", "HEAD", "OPTIONS"} & values and {"POST", "PUT", "PATCH", "DELETE"} & values:
            yield subject.finding(
                "read-and-write", "the tool accepts HTTP methods that read and that write", *steps
            )


def _missing(subject: Subject, directory: str) -> Iterator[str]:
    hints = subject.spec.annotations
    is_set = {hint: isinstance(hints.get(hint), bool) for hint in _HINTS}
    if directory == OPENAI_APPS:
        yield from (hint for hint in _HINTS if not is_set[hint])
        return
    if not (subject.spec.title or hints.get("title")):
        yield "a title"
    if hints.get("readOnlyHint") is not True and not is_set["destructiveHint"]:
        yield "destructiveHint" if is_set["readOnlyHint"] else "readOnlyHint or destructiveHint"
