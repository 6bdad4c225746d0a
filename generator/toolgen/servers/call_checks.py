"""`CallChecks`: the calls of one client, checked against the tools that a server lists."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final, Literal

from toolgen.compile import compile_tools
from toolgen_runtime import Registry, Tool, ToolOutput
from toolgen_runtime.adapters._checks import facts

_PARTS: Final = ("name", "description", "inputSchema")
"""What of a listed tool its check depends on."""
_MAX_REASON: Final = 300


class CallChecks:
    """Checks calls in one conversation; each tool is compiled at its first call, and again where it has changed.

    A tool that cannot be compiled, or that is listed twice, is not checked; `log` is told once.
    """

    def __init__(
        self, log: Callable[[str], None], *, formats: Literal["assert", "annotate"] = "assert", **options: Any
    ) -> None:
        """`options` are those of `toolgen_runtime.Registry`."""
        self._log = log
        self._formats: Literal["assert", "annotate"] = formats
        self._reads_texts = bool(options.get("repair"))
        self.conversation = Registry(**options).conversation()
        """The client's calls, counted. A proxy sees no rounds, so none is compared with those before."""
        self.conversation.begin_round()
        self._specs: dict[str, dict[str, Any]] = {}
        self._tools: dict[str, Tool[Any] | None] = {}
        """What the specs were compiled to so far; None where they could not be."""

    def learn(self, listed: Sequence[Mapping[str, Any]]) -> None:
        """Take the tools of a list in place of those so far."""
        names = Counter(str(tool.get("name")) for tool in listed)
        specs = {
            name: {part: tool[part] for part in _PARTS if part in tool}
            for tool in listed
            if isinstance(name := tool.get("name"), str) and names[name] == 1
        }
        same = {name for name, spec in specs.items() if self._specs.get(name) == spec}
        self._tools = {name: tool for name, tool in self._tools.items() if name in same}
        self._specs = specs
        self._publish()

    def input_schema(self, name: str) -> Any:
        """Return the input schema of a tool as it is listed; None where it is not."""
        return self._specs.get(name, {}).get("inputSchema")

    def accepts(self, params: Mapping[str, Any]) -> bool:
        """Return whether a call would go on as it came; nothing is counted."""
        name, arguments = params["name"], params.get("arguments")
        if not self._is_checked(name):
            return True
        return not isinstance(arguments, str) and self.conversation.accepts(name, arguments)

    def check(self, params: Mapping[str, Any]) -> ToolOutput | None:
        """Return the verdict on a call, as a step of the conversation; None where the tool is not checked."""
        name = params["name"]
        if not self._is_checked(name):
            return None
        output = self.conversation.check(name, self._as_sent(params.get("arguments")))
        return output if output.ok else self.conversation.returned(output)

    def returned(self, output: ToolOutput, result: object) -> str:
        """Take the result of a call that was let through; return what the model is to read beside it."""
        return "\n".join(self.conversation.returned(output, result).notes)

    def _as_sent(self, arguments: Any) -> Any:
        """Return arguments such that a text counts as a text, unless repairs may read it."""
        if isinstance(arguments, str) and not self._reads_texts:
            return json.dumps(arguments)
        return arguments

    def _is_checked(self, name: str) -> bool:
        if name not in self._tools and name in self._specs:
            self._tools[name] = self._compiled(name)
            self._publish()
        return self._tools.get(name) is not None

    def _compiled(self, name: str) -> Tool[Any] | None:
        try:
            return compile_tools([self._specs[name]], formats=self._formats)[name]
        except Exception as error:  # a server's schema may be anything, and its calls go on unchecked
            self._log(f"tool {name[:64]!r} is not checked: {' '.join(str(error).split())[:_MAX_REASON]}")
            return None

    def _publish(self) -> None:
        self.conversation.update({name: tool for name, tool in self._tools.items() if tool is not None})


def described(output: ToolOutput) -> dict[str, Any]:
    """Return what a program may want to know of a call that was refused, as JSON; nothing that a model reads."""
    hint = output.retry_hint
    return {**facts(output), "edits": [] if hint is None else [edit.to_dict() for edit in hint.edits]}
