"""`toolgen diff`: show how changes to tools affect their callers."""

from __future__ import annotations

import io
import os
import subprocess
import tarfile
import tempfile
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from toolgen.cli.options import options
from toolgen.cli.position import position_of
from toolgen.cli.reports import Report, annotation_at
from toolgen.cli.request import Command, standard_input
from toolgen.cli.terminal import counted
from toolgen.compiler.diagnostics import Place, SpecError
from toolgen.compiler.short_text import short_json
from toolgen.compiler.specs.load import Loaded, load
from toolgen.compiler.specs.tool_spec import ToolSpec

if TYPE_CHECKING:
    from toolgen.commands.diff.changes import Change

BREAKING = 1
SIGNS = {
    "breaking": "breaking",
    "addition": "addition",
    "unknown": "cannot tell",
    "safe": "safe",
    "annotation": "annotation",
}
NOUNS = ("addition", "annotation")
COLOURS = {"breaking": "red", "addition": "cyan", "unknown": "yellow", "safe": "green", "annotation": "cyan"}
STDIN = "-"
MAX_TEXT = 30
"""The maximum number of characters to show of a text in a payload."""
MAX_WITNESS = 200
"""The maximum number of characters to show of a payload; JSON output contains all."""


@click.command("diff", cls=Command)
@click.argument("old", metavar="OLD")
@click.argument("new", metavar="NEW", required=False)
@click.option("--against", metavar="git:REF", help="Compare with OLD as it is in this commit, branch or tag.")
@click.option("--all", "everything", is_flag=True, help="Also show safe changes and changes to descriptions.")
@options("namespace", "formats", "output-format", "quiet")
def command(
    old: str, new: str | None, against: str | None, everything: bool, report: Report, **given: Any
) -> int:
    """Show which changes from OLD to NEW are breaking, additions, safe, annotations, or `cannot tell`.

    `cannot tell` means that nothing could be proved. A change is breaking if a valid call becomes invalid, or if the
    tool may return a result that it could not return before. It is only an addition if it declares an optional field
    of an object that accepts unknown keys, and all valid calls without this key stay valid. The output shows an
    example for each of these two.
    """
    # Imported late, because loading the core takes longer than printing the help.
    from toolgen.commands.diff.changes import changes
    from toolgen.compiler.schema.lower import LowerOptions

    if (new is None) == (against is None):
        raise click.UsageError("pass OLD and NEW, or one of them with --against git:REF")
    if old == STDIN and (new is None or new == STDIN):
        raise click.UsageError("standard input can be used for one side only, and not with --against")
    load_side = partial(_loaded, report=report, namespace=given["namespace"])
    sides = load_side(old) if against is None else _loaded_at(against, old, load_side), load_side(new or old)
    report.stop_if_failed()
    before, after = _tools(*sides)
    found = list(changes(before, after, LowerOptions(given["formats"], slow_patterns="allow")))
    places = {spec.name: spec for spec in after}
    _show([(change, _place(change, places, new or old)) for change in found], report, everything)
    return BREAKING if any(change.kind == "breaking" for change in found) else 0


def _loaded(source: str, report: Report, namespace: bool) -> Loaded:
    loaded = load([source], stdin=standard_input(), namespace=namespace)
    report.diagnose(d for d in loaded.diagnostics if d.level != "note")
    return loaded


def _tools(before: Loaded, after: Loaded) -> tuple[list[ToolSpec], list[ToolSpec]]:
    """Return the tools of both sides. If a side has several groups, every name begins with its group."""
    least = 2 if len(before.groups) < 2 and len(after.groups) < 2 else 1
    return before.prefixed("/", least), after.prefixed("/", least)


def _place(change: Change, specs: Mapping[str, ToolSpec], source: str) -> Place:
    """Return the place of a change in the new specs. If the tool was removed, return only the file."""
    spec = specs.get(change.tool)
    if spec is None:
        return Place(source if os.path.isfile(source) else "")
    if change.part == "input":
        return Place(spec.schema_place.file, spec.schema_place.pointer + change.pointer)
    return spec.place


def _loaded_at(against: str, path: str, load_side: Callable[[str], Loaded]) -> Loaded:
    """Return the tools that a file or folder contains in a commit of its git repository.

    Raises:
        SpecError: `bad-commit`: the commit does not exist, or does not contain the path.
    """
    kind, _, ref = against.partition(":")
    if kind != "git" or not ref or ref.startswith("-"):
        raise click.UsageError("--against takes git:REF, such as git:main")
    with tempfile.TemporaryDirectory() as folder:
        try:
            below = _extract(ref, path, folder)
        except (OSError, subprocess.CalledProcessError) as error:
            wrote = getattr(error, "stderr", None) or str(error).encode()
            reason = f"{against}: {' '.join(wrote.decode(errors='replace').split())}"
            hint = "pass a commit, branch or tag that contains the path"
            raise SpecError.of(Place(path), "bad-commit", reason, hint) from None
        return load_side(str(Path(folder, below)))


def _extract(ref: str, path: str, folder: str) -> str:
    """Extract a path from a commit of its repository to `folder`, and return the relative path of the copy.

    The path need not exist any more, and need not be below the current folder.
    """
    here = Path(path).resolve()
    start = next(parent for parent in (here, *here.parents) if parent.is_dir())
    root = _git(start, "rev-parse", "--show-toplevel").decode().removesuffix("\n")
    below = os.path.relpath(here, os.path.realpath(root))
    with tarfile.open(fileobj=io.BytesIO(_git(Path(root), "archive", ref, "--", below))) as archive:
        archive.extractall(folder, filter=_without_links_out)
    return below


def _without_links_out(member: tarfile.TarInfo, folder: str) -> tarfile.TarInfo | None:
    """Return an archive member to extract; None if it is unsafe, such as a link that points out of the folder."""
    try:
        return tarfile.data_filter(member, folder)
    except tarfile.FilterError:
        return None


def _git(folder: Path, *words: str) -> bytes:
    return subprocess.run(["git", "-C", str(folder), *words], capture_output=True, check=True).stdout


def _show(found: Sequence[tuple[Change, Place]], report: Report, everything: bool) -> None:
    counts: Counter[str] = Counter(change.kind for change, _ in found)
    report.result = {
        "counts": {kind: counts[kind] for kind in SIGNS},
        "changes": [_as_json(change, place) for change, place in found],
    }
    for change, place in found:
        if everything or change.kind in ("breaking", "addition", "unknown"):
            _print_change(change, place, report)
    numbers = {kind: f"{counts[kind]} {sign}" for kind, sign in SIGNS.items() if counts[kind]}
    numbers |= {kind: counted(counts[kind], kind) for kind in NOUNS if counts[kind]}
    report.inform(", ".join(numbers.values()) or "no changes")


def _print_change(change: Change, place: Place, report: Report) -> None:
    part = "" if change.part == "tool" else f"{change.part} "
    text = f"{change.tool}: {part}{change.message}"
    if report.format == "github":
        level = {"breaking": "error", "unknown": "warning"}.get(change.kind, "notice")
        click.echo(annotation_at(place, level, f"toolgen {SIGNS[change.kind]}", text), err=True)
        return
    report.print_marked(SIGNS[change.kind], COLOURS[change.kind], text)
    if change.part != "tool" and change.issues:
        says = "was valid" if change.part == "input" else "can be returned now"
        if change.kind == "addition":
            says = "was valid, with the key still unknown"
        report.print(f"    {says}: {short_json(_short(change.witness), MAX_WITNESS)}", wrapped=True)
        first = change.issues[0]
        report.print(f"    breaks: {first.field or '(the whole)'}: {first.constraint}", wrapped=True)


def _short(value: Any) -> Any:
    """Return a value in which each long text is cut and its length is added."""
    if isinstance(value, str) and len(value) > MAX_TEXT:
        return f"{value[:MAX_TEXT]}… ({len(value):,} characters)"
    if isinstance(value, list):
        return [_short(item) for item in value]
    if isinstance(value, dict):
        return {key: _short(item) for key, item in value.items()}
    return value


def _as_json(change: Change, place: Place) -> dict[str, Any]:
    line, column = position_of(place) or (None, None)
    entry = {
        "tool": change.tool,
        "kind": change.kind,
        "part": change.part,
        "message": change.message,
        "pointer": change.pointer,
        "file": place.file,
        "line": line,
        "column": column,
    }
    if change.issues:
        entry |= {"witness": change.witness, "issues": [issue.to_dict() for issue in change.issues]}  # type: ignore[dict-item]
    return entry
