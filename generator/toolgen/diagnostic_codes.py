"""The closed table of diagnostic codes; `docs/diagnostics.md` shows the same table."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

Level = Literal["error", "warning", "note"]


@dataclass(frozen=True, slots=True)
class DiagnosticCode:
    """What a code means, how to fix it, and the levels at which it is reported."""

    meaning: str
    fix: str
    levels: tuple[Level, ...] = ("error",)


_Code = DiagnosticCode

CODES: Mapping[str, DiagnosticCode] = {
    # Files and folders of specs
    "no-such-file": _Code("A source does not exist.", "Correct the path."),
    "unreadable-file": _Code("A file or folder cannot be read.", "Make it readable."),
    "empty-folder": _Code(
        "A folder has no `.json`, `.yaml` or `.yml` files.", "Name the folder that has the specs."
    ),
    "too-large": _Code("A file or the value in it is larger than toolgen reads.", "Split the file."),
    "duplicate-stem": _Code(
        "With `--namespace`, two files would be one subpackage, because their names differ only in"
        " folder or suffix.",
        "Rename one file.",
    ),
    "no-tools": _Code("The sources have no tools.", "Name files or folders with exported tools."),
    # The text of a file
    "bad-encoding": _Code("A file is not text in UTF-8.", "Save the file as UTF-8."),
    "empty-file": _Code("A file is empty.", "Export the tools again."),
    "bad-json": _Code("A file is not JSON.", "Correct the text at the line given, or export it again."),
    "bad-yaml": _Code(
        "A file is not YAML, or it uses YAML that JSON has no form for.",
        "Correct the text at the line given.",
    ),
    "yaml-tag": _Code(
        "A YAML tag is not allowed, or the value does not have the type of its tag.", "Remove the tag."
    ),
    "too-deep": _Code("Arrays and objects are nested too deeply.", "Move inner schemas to `$defs`."),
    # Values
    "not-json": _Code(
        "A value in memory is not JSON.", "Use dicts, lists, strings, numbers, booleans, None."
    ),
    "duplicate-key": _Code("An object has the same key twice.", "Remove one."),
    "non-string-key": _Code("A key of an object is not a string.", "Put the key in quotes."),
    "lone-surrogate": _Code("A string has half of a surrogate pair.", "Write the whole character."),
    "bad-number": _Code(
        "A number is NaN, infinite, or has more than 4,300 digits.", "Use a finite number with fewer digits."
    ),
    # Tools
    "not-a-spec": _Code("A file has a value in which there are no tools.", "Name files with exported tools."),
    "not-a-tool": _Code("An item of a list of tools is not an object.", "Write a tool there, or remove it."),
    "unknown-tool": _Code("An object is not of any export shape.", "Use the keys of one shape."),
    "ambiguous-tool": _Code("An object is of more than one export shape.", "Keep the keys of one shape."),
    "hosted-tool": _Code(
        "A tool that the provider hosts is skipped: it is not a function with a schema.",
        "Nothing to do.",
        ("note",),
    ),
    "unkept-field": _Code(
        "A field of a tool says how a provider is to serve it, and a generated toolset does not send it.",
        "Set it on the tools of the request.",
        ("note",),
    ),
    "empty-list": _Code("A list of tools is empty.", "Export the tools again.", ("warning",)),
    "more-pages": _Code(
        "The list of tools continues on another page.",
        "Fetch the next page and put the pages in one array.",
        ("warning",),
    ),
    "bad-name": _Code("A tool's name is missing, empty or not a string.", "Give the tool a name."),
    "bad-field": _Code("A field of a tool has the wrong type.", "Correct its type, or leave it out."),
    "bad-schema": _Code(
        "A tool's input schema is not an object or a boolean, or is not where its shape has it.",
        "Write a JSON Schema there.",
    ),
    "missing-schema": _Code(
        "A tool has no input schema, although its shape requires one. It is read as an object without"
        " properties.",
        "Export the tool again.",
        ("warning",),
    ),
    "duplicate-tool": _Code(
        "Two tools have the same name. `toolgen pull` warns of it.",
        "Rename one, or build with `--namespace` if their files differ.",
        ("error", "warning"),
    ),
    # Schemas
    "invalid-schema": _Code("A schema is not an object or a boolean.", "Write an object, true or false."),
    "invalid-keyword": _Code(
        "The value of a keyword is not what its dialect allows.", "Write a value of the shape given."
    ),
    "unknown-dialect": _Code(
        "`$schema` names a dialect that toolgen does not know.", "Use a draft from draft-04 to 2020-12."
    ),
    "unresolvable-reference": _Code(
        "A reference does not lead to a schema. toolgen never fetches one.",
        "Correct the reference, or give the folder of the schemas with `--ref-dir`.",
    ),
    "ambiguous-reference": _Code(
        "A reference names a URI that several different schemas have.",
        "Give each schema a URI of its own, or refer to one by a JSON pointer.",
    ),
    "unsupported-keyword": _Code(
        "The dialect has a keyword that toolgen does not enforce.", "Say it in other keywords."
    ),
    "obsolete-keyword": _Code(
        "A keyword of an earlier draft has no effect in this dialect.",
        "Write the keywords that replaced it.",
        ("warning",),
    ),
    "misspelled-keyword": _Code(
        "A key is not a keyword, but almost one, so it has no effect.", "Correct its spelling.", ("warning",)
    ),
    "endless-reference": _Code(
        "References lead back to the same schema for the same value.",
        "Remove the reference that closes the circle.",
    ),
    "too-many-scopes": _Code(
        "Dynamic references give too many subschemas several meanings.",
        "Refer to a fixed schema with `$ref` instead of `$dynamicRef` or `$recursiveRef`.",
    ),
    "constant-too-deep": _Code("A value of `const` or `enum` is nested too deeply.", "Use a flatter value."),
    "invalid-pattern": _Code(
        "A pattern is too long, or not an ECMA-262 regular expression that can be run.",
        "Correct or shorten the pattern.",
    ),
    "slow-pattern": _Code(
        "A pattern may take more than linear time on a hostile text.",
        "Avoid backreferences, lookarounds inside and large counted repetitions, or allow it (`--slow-patterns`).",
        ("error", "warning"),
    ),
    "heavy-pattern": _Code(
        "A pattern takes linear time, but may take seconds on a text of 100,000 characters.",
        "Repeat at most 144 characters in all.",
        ("warning",),
    ),
    # The package on disk
    "bad-package-name": _Code(
        "The last part of the output is not an import name.", "End `-o` in a name such as `agent_tools`."
    ),
    "output-in-use": _Code("The current folder is inside the output.", "Go to a folder above it."),
    "symlink-output": _Code("The output folder is a symbolic link.", "Name the folder that it leads to."),
    "not-a-folder": _Code("The output is a file.", "Name a new folder with `-o`."),
    "foreign-folder": _Code("The output folder was not written by toolgen.", "Name a new folder with `-o`."),
    "foreign-file": _Code("A file in the output was not written by toolgen.", "Move it elsewhere."),
    "name-taken": _Code(
        "A name that toolgen needs while it writes is taken by something else.",
        "Delete it or move it elsewhere, and build again.",
    ),
    "symlink-file": _Code("A symbolic link is in the way of a file of the package.", "Remove the link."),
    "unsafe-path": _Code("A file of the package would be outside its folder.", "Report this as a bug."),
    "bad-manifest": _Code(
        "The manifest of the package is not one that toolgen wrote.",
        "Restore it from version control, or delete the folder and build again.",
    ),
    "tools-removed": _Code(
        "A build of a part of the settings' specs would remove more than half of the package's tools.",
        "Run `toolgen build` without specs, or add `--prune`.",
    ),
    "write-failed": _Code(
        "The package cannot be written. Nothing was changed.",
        "Free disk space or fix the permissions, and build again.",
    ),
    # Settings and the command line
    "bad-settings": _Code(
        "`[tool.toolgen]` in pyproject.toml cannot be read, or a setting has the wrong type.",
        "Correct the file at the place given.",
    ),
    "unknown-setting": _Code(
        "`[tool.toolgen]` has a key that is not a setting.", "Use one of the known settings."
    ),
    "no-such-folder": _Code("A folder of `--ref-dir` does not exist.", "Correct `--ref-dir`."),
    "already-there": _Code("A command would overwrite what is there.", "Change it by hand."),
    "bad-commit": _Code(
        "`toolgen diff --against` names a commit that git does not have, or that does not have the path.",
        "Name a commit, branch or tag that has the path.",
    ),
    "lossy-export": _Code(
        "The shape of an export cannot express something of a tool. What it accepts is no less than before.",
        "Change the tool, if that matters, or export to `mcp`, which has the most.",
        ("warning",),
    ),
    "bad-server": _Code(
        "A server of a client's configuration, or an option that says how to reach one, is not understood.",
        "Correct the entry or the option.",
    ),
    "server-failed": _Code(
        "An MCP server cannot be reached, hangs, exits, answers with what is not MCP, or has no tools.",
        "Start the server by hand, and check its configuration.",
    ),
    "bad-package": _Code(
        "A package cannot be imported, or is not one that toolgen built.",
        "Name a package that `toolgen build` wrote, by its import name or its folder.",
    ),
    "bad-calls": _Code(
        "A file of recorded calls is broken: it ends early, or is not what its first bytes say.",
        "Export the calls again.",
    ),
    "worker-died": _Code(
        "A process of `toolgen build` or `toolgen audit` cannot be started, or ended without a result.",
        "Name fewer `--jobs`, or free memory.",
    ),
    "scheduler-failed": _Code(
        "A Dask cluster cannot be reached, has no workers, or failed.",
        "Start the scheduler and its workers, with toolgen and the files where they are.",
    ),
    "missing-extra": _Code(
        "A command needs a package that is not installed.", "Install the extra that the message names."
    ),
    "no-such-tool": _Code("The specs have no tool with this name.", "Run `toolgen list` to see every tool."),
    "ambiguous-name": _Code(
        "Several files have a tool with this name.", "Put the file's stem before it: `stem/name`."
    ),
    "bad-usage": _Code("The arguments of a command are wrong.", "See `toolgen --help`."),
    "internal-error": _Code(
        "toolgen itself failed.", "Report it with the spec and what `TOOLGEN_DEBUG=1` prints."
    ),
}
"""Every code that a diagnostic may have. A code is stable: it is never given another meaning."""
