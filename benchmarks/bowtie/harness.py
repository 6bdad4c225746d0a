"""toolgen for Bowtie (https://docs.bowtie.report): reads commands as lines of JSON and answers each with a line.

`start` answers with what toolgen is, `dialect` sets the dialect of schemas without `$schema`, `run` validates
the instances of a case, and `stop` ends the harness.
"""

from __future__ import annotations

import json
import platform
import sys
import traceback
from importlib.metadata import version
from typing import IO, Any

from toolgen import compile_tools
from toolgen.compiler.schema.dialects import DIALECTS, normal_uri

PROTOCOL = 1
PROJECT = "https://pypi.org/project/toolgen/"
"""The page of the project, until it names a public repository."""
WITH_HASH = "http://json-schema.org/draft-"
"""The start of the dialects whose URIs Bowtie writes with `#`."""


class Harness:
    """Answers commands; `dialect` is that of the last command of this name."""

    def __init__(self) -> None:
        self.dialect = ""
        self.is_started = False

    def answer(self, command: dict[str, Any]) -> dict[str, Any]:
        """Return the answer to a command.

        Raises:
            ValueError: the command is not known, or comes before `start`.
        """
        match command:
            case {"cmd": "start", "version": version} if version == PROTOCOL:
                self.is_started = True
                return {"version": PROTOCOL, "implementation": implementation()}
            case _ if not self.is_started:
                raise ValueError(f"expected start with version {PROTOCOL}")
            case {"cmd": "dialect", "dialect": str(dialect)}:
                self.dialect = dialect
                return {"ok": normal_uri(dialect) in DIALECTS}
            case {"cmd": "run", "seq": seq, "case": case}:
                return {"seq": seq, **self.run(case)}
            case _:
                raise ValueError(f"unknown command: {json.dumps(command)[:200]}")

    def run(self, case: dict[str, Any]) -> dict[str, Any]:
        """Return the results of a case, or the error that ended it."""
        try:
            schema = self.with_dialect(case["schema"])
            tools = compile_tools(
                [{"name": "case", "schema": schema}],
                formats="annotate",
                resources=case.get("registry") or {},
                slow_patterns="allow",
            )
            check = tools["case"].validate
            return {"results": [{"valid": not check(test["instance"])} for test in case["tests"]]}
        except Exception as error:  # Bowtie shows it beside the case, and goes on with the next one
            context = {"message": f"{type(error).__name__}: {error}", "traceback": traceback.format_exc()}
            return {"errored": True, "context": context}

    def with_dialect(self, schema: Any) -> Any:
        """Return a schema that names its dialect."""
        if not self.dialect or not isinstance(schema, dict) or "$schema" in schema:
            return schema
        return {"$schema": self.dialect, **schema}


def implementation() -> dict[str, Any]:
    """Return what Bowtie shows of an implementation."""
    return {
        "language": "python",
        "name": "toolgen",
        "version": version("toolgen"),
        **dict.fromkeys(("homepage", "issues", "source"), PROJECT),
        "dialects": [f"{uri}#" if uri.startswith(WITH_HASH) else uri for uri in [*DIALECTS][::-1]],
        "language_version": platform.python_version(),
        "os": platform.system(),
        "os_version": platform.release(),
    }


def serve(commands: IO[str], answers: IO[str]) -> None:
    """Answer commands until `stop` or the end of the input."""
    harness = Harness()
    for line in commands:
        command = json.loads(line)
        if command.get("cmd") == "stop":
            return
        print(json.dumps(harness.answer(command)), file=answers, flush=True)


if __name__ == "__main__":
    serve(sys.stdin, sys.stdout)
