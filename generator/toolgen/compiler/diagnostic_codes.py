"""The table of all diagnostic codes, which `docs/diagnostics.md` shows too."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, Literal, NamedTuple

Level = Literal["error", "warning", "note"]


class DiagnosticCode(NamedTuple):
    """What a code means, how to fix the problem, and at which levels it is reported."""

    meaning: str
    fix: str
    levels: tuple[Level, ...] = ("error",)


_Code = DiagnosticCode
WARNING: Final[tuple[Level, ...]] = ("warning",)
NOTE: Final[tuple[Level, ...]] = ("note",)

CODES: Mapping[str, DiagnosticCode] = {
    # Files and folders of specs
    "no-such-file": _Code("A file or folder that was named does not exist.", "Correct the path."),
    "unreadable-file": _Code("A file or folder cannot be read.", "Make it readable."),
    "empty-folder": _Code(
        "A folder has no `.json`, `.yaml` or `.yml` files.", "Pass the folder that contains the specs."
    ),
    "too-large": _Code("A file, or the value in it, exceeds toolgen's size limit.", "Split the file."),
    "duplicate-stem": _Code(
        "With `--namespace`, two files would become the same subpackage, because their names"
        " differ only in folder or suffix.",
        "Rename one file.",
    ),
    "no-tools": _Code("The files contain no tools.", "Pass files or folders that contain exported tools."),
    # The text of a file
    "bad-encoding": _Code("A file is not encoded as UTF-8.", "Save the file as UTF-8."),
    "empty-file": _Code("A file is empty.", "Export the tools again."),
    "bad-json": _Code(
        "A file is not valid JSON.", "Correct the line that the message names, or export the file again."
    ),
    "bad-yaml": _Code(
        "A file is not valid YAML, or it uses YAML that cannot be converted to JSON.",
        "Correct the line that the message names.",
    ),
    "yaml-tag": _Code(
        "A YAML tag is not allowed, or the value does not have the type of its tag.", "Remove the tag."
    ),
    "too-deep": _Code(
        "Arrays and objects are nested too deeply.", "Move inner schemas to `$defs` and refer to them."
    ),
    # Values
    "not-json": _Code(
        "A value in memory is not a JSON value.", "Use dicts, lists, strings, numbers, booleans and None."
    ),
    "duplicate-key": _Code("An object has the same key twice.", "Remove one of the two."),
    "non-string-key": _Code("A key of an object is not a string.", "Put the key in quotes."),
    "lone-surrogate": _Code(
        "A string contains only one half of a surrogate pair.", "Write the complete character."
    ),
    "bad-number": _Code(
        "A number is NaN, infinite, or has more than 4,300 digits.", "Use a finite number with fewer digits."
    ),
    # Tools
    "not-a-spec": _Code(
        "A file contains a value that has no tools.", "Pass files that contain exported tools."
    ),
    "not-a-tool": _Code(
        "An item of a list of tools is not an object.", "Replace the item with a tool, or remove it."
    ),
    "unknown-tool": _Code(
        "An object does not have the keys of any known tool format.", "Use the keys of one format."
    ),
    "ambiguous-tool": _Code(
        "An object has the keys of more than one tool format.", "Keep only the keys of one format."
    ),
    "hosted-tool": _Code(
        "A tool that the provider runs is skipped, because it is not a function with a schema.",
        "No action is needed.",
        NOTE,
    ),
    "unkept-field": _Code(
        "A field of a tool is a setting for a provider, which a generated toolset does not keep.",
        "Set the field on the tools of your request.",
        NOTE,
    ),
    "empty-list": _Code("A list of tools is empty.", "Export the tools again.", WARNING),
    "more-pages": _Code(
        "The list of tools continues on another page.",
        "Fetch the next page and combine the pages in one array.",
        WARNING,
    ),
    "bad-name": _Code("A tool's name is missing, empty or not a string.", "Give the tool a name."),
    "bad-field": _Code(
        "A field of a tool has the wrong type.", "Correct the type of its value, or remove the field."
    ),
    "bad-schema": _Code(
        "A tool's input schema is neither an object nor a boolean, or is not where the tool's"
        " format requires it.",
        "Put a JSON Schema there.",
    ),
    "missing-schema": _Code(
        "A tool has no input schema, although its format requires one. toolgen uses an object"
        " without properties.",
        "Export the tool again.",
        WARNING,
    ),
    "duplicate-tool": _Code(
        "Two tools have the same name. `toolgen pull` only warns about it.",
        "Rename one, or build with `--namespace` if their files differ.",
        ("error", "warning"),
    ),
    # Schemas
    "invalid-schema": _Code("A schema is neither an object nor a boolean.", "Use an object, true or false."),
    "invalid-keyword": _Code(
        "The value of a keyword is not allowed in the schema's dialect.",
        "Use a value that the message describes.",
    ),
    "unknown-dialect": _Code(
        "`$schema` names a dialect that toolgen does not know.", "Use a draft from draft-04 to 2020-12."
    ),
    "unresolvable-reference": _Code(
        "A reference does not lead to a schema. toolgen never downloads schemas.",
        "Correct the reference, or pass the folder that contains the schema with `--ref-dir`.",
    ),
    "ambiguous-reference": _Code(
        "A reference uses a URI that several different schemas have.",
        "Give each schema a different URI, or refer to one with a JSON pointer.",
    ),
    "unsupported-keyword": _Code(
        "A schema uses a keyword that toolgen does not enforce.",
        "Express the constraint with other keywords.",
    ),
    "obsolete-keyword": _Code(
        "A keyword of an earlier draft has no effect in this dialect.",
        "Use the keywords that replaced it.",
        WARNING,
    ),
    "misspelled-keyword": _Code(
        "A key is not a keyword but resembles one, so it has no effect.",
        "Correct its spelling.",
        WARNING,
    ),
    "misplaced-keyword": _Code(
        "A keyword stands among the fields under `properties`, so it is the name of a field and has no effect.",
        "Move it out, next to `properties`.",
        WARNING,
    ),
    "endless-reference": _Code(
        "A reference leads back to its own schema for the same value, so checking it would never end.",
        "Remove the reference that closes the cycle.",
    ),
    "too-many-scopes": _Code(
        "Dynamic references (`$dynamicRef`, `$recursiveRef`) make too many subschemas depend on the referring"
        " schema.",
        "Refer to a fixed schema with `$ref` instead of `$dynamicRef` or `$recursiveRef`.",
    ),
    "constant-too-deep": _Code(
        "A value of `const` or `enum` is nested too deeply.", "Use a value with fewer levels."
    ),
    "invalid-pattern": _Code(
        "A pattern is too long, or is not an ECMA-262 regular expression that toolgen can run.",
        "Correct or shorten the pattern.",
    ),
    "slow-pattern": _Code(
        "Matching a pattern may take more than linear time on a hostile string.",
        "Avoid backreferences and large counted repetitions, pass `--slow-patterns allow`, or list the tool in the"
        " setting `allow-slow-patterns`.",
        ("error", "warning"),
    ),
    "heavy-pattern": _Code(
        "Matching a pattern takes linear time, but may take seconds on a string of 100,000 characters.",
        "Reduce the repetition counts to at most 144 characters in total.",
        WARNING,
    ),
    "broken-output-schema": _Code(
        "A tool's output schema has an error. Calls are not affected, but an MCP client may reject the whole list of"
        " tools, and results are not checked.",
        "Correct the schema; at its root, give `type: object`.",
        ("warning", "note"),
    ),
    # The package on disk
    "bad-package-name": _Code(
        "The last part of the output path is not a valid package name.",
        "Use an output path that ends in a name such as `agent_tools`.",
    ),
    "output-in-use": _Code("The current folder is inside the output folder.", "Change to a folder above it."),
    "symlink-output": _Code(
        "The output folder is a symbolic link.", "Pass the folder that the link points to."
    ),
    "not-a-folder": _Code("The output path is a file.", "Choose a new folder with `-o`."),
    "foreign-folder": _Code(
        "The output folder was not created by toolgen.", "Choose a new folder with `-o`."
    ),
    "foreign-file": _Code(
        "The output folder contains a file that toolgen did not write.", "Move the file elsewhere."
    ),
    "name-taken": _Code(
        "Another file or folder has a name that toolgen needs while it writes.",
        "Delete or move it, and build again.",
    ),
    "symlink-file": _Code(
        "A symbolic link is in the place of one of the package's files.", "Remove the link."
    ),
    "unsafe-path": _Code("A file of the package would be outside its folder.", "Report this as a bug."),
    "bad-manifest": _Code(
        "The manifest of the package was not written by toolgen.",
        "Restore it from version control, or delete the folder and build again.",
    ),
    "tools-removed": _Code(
        "A build of only some of the specs in the settings would remove more than half of the"
        " package's tools.",
        "Run `toolgen build` without arguments, or add `--prune`.",
    ),
    "write-failed": _Code(
        "The package cannot be written. Nothing was changed.",
        "Free disk space or fix the permissions, and build again.",
    ),
    # Settings and the command line
    "bad-settings": _Code(
        "`[tool.toolgen]` in pyproject.toml is invalid, or a setting has the wrong type.",
        "Correct the setting that the message names.",
    ),
    "unknown-setting": _Code(
        "`[tool.toolgen]` has a key that is not a setting.", "Use one of the known settings."
    ),
    "no-such-folder": _Code("A folder of `--ref-dir` does not exist.", "Correct `--ref-dir`."),
    "already-there": _Code("A command would overwrite an existing file or setting.", "Edit it yourself."),
    "bad-commit": _Code(
        "`toolgen diff --against` names a commit that does not exist, or that does not contain the path.",
        "Pass a commit, branch or tag that contains the path.",
    ),
    "lossy-export": _Code(
        "The export format cannot express a part of a tool. The exported tool accepts at least"
        " the same payloads.",
        "If you need this part, change the tool, or export to `mcp`, the format that keeps the most.",
        WARNING,
    ),
    "bad-server": _Code(
        "A server in a client's configuration, or an option for a server's address, is invalid.",
        "Correct the entry or the option.",
    ),
    "server-failed": _Code(
        "An MCP server cannot be reached, hangs, exits, sends an invalid response, or has no tools.",
        "Start the server yourself, and check its configuration.",
    ),
    "bad-package": _Code(
        "A package cannot be imported, or was not built by toolgen.",
        "Pass the import name or the folder of a package that `toolgen build` wrote.",
    ),
    "bad-calls": _Code(
        "A file of recorded calls is damaged: it ends early, or the rest does not have the format that the"
        " first bytes announce.",
        "Export the calls again.",
    ),
    "worker-died": _Code(
        "A worker process of `toolgen audit` cannot be started, or ended without a result.",
        "Use a smaller number for `--jobs`, or free memory.",
    ),
    "scheduler-failed": _Code(
        "A Dask cluster cannot be reached, has no workers, or failed.",
        "Start the scheduler and its workers. toolgen and the files must be on the machines of the workers.",
    ),
    "missing-extra": _Code(
        "A command needs a package that is not installed.", "Install the extra that the message names."
    ),
    "no-such-tool": _Code("The specs have no tool with this name.", "Run `toolgen list` to see every tool."),
    "ambiguous-name": _Code(
        "Several files contain a tool with this name.",
        "Write the file's name without suffix before the tool's name: `file/tool`.",
    ),
    "bad-usage": _Code("The arguments of a command are wrong.", "See `toolgen --help`."),
    "internal-error": _Code(
        "toolgen itself failed.", "Report it with the spec and the output of `TOOLGEN_DEBUG=1`."
    ),
}
"""Every code that a diagnostic may have. Codes are stable: the meaning of a code never changes."""
