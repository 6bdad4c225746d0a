"""`KnownTools`: the tools that a server lists, as the checks of calls need them, and when they must be read again."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from toolgen.servers.call_checks import CallChecks
from toolgen.servers.messages import Line, arguments_must_change, is_call, params_of
from toolgen.servers.tool_pages import ToolPages


class KnownTools:
    """The checks of calls, with the list of tools that they are made of."""

    def __init__(self, checks: CallChecks) -> None:
        self.checks = checks
        self._pages = ToolPages()
        self._failed = False
        """Whether the server did not list its tools when it was asked to."""

    def are_needed_for(self, line: Line) -> bool:
        """Return whether the tools must be read before these calls are judged: a refusal needs to be certain."""
        if self._pages.tools is None and not self._failed:
            return True
        if not self._pages.is_old:
            return False
        return self._failed or not all(map(self._looks_right, line.messages))

    def _looks_right(self, message: dict[str, Any]) -> bool:
        if not is_call(message):
            return True
        params = params_of(message)
        output = self.checks.looks_right(params["name"], params.get("arguments"))
        return output is None or (output.ok and not arguments_must_change(message, output))

    def learn_page(self, cursor: str | None, result: Mapping[str, Any]) -> None:
        """Take a page that the client asked for."""
        self._pages.add(cursor, result)
        self._learnt()

    def learn(self, pages: ToolPages) -> None:
        """Take a whole list in place of the one so far."""
        self._pages = pages
        self._learnt()

    def _learnt(self) -> None:
        if (tools := self._pages.tools) is not None:
            self._failed = False
            self.checks.learn(tools)

    def forget(self) -> None:
        """Count the list as unknown, as after `list_changed`."""
        self._pages.clear()
        self._failed = False

    def stay(self) -> None:
        """Go on with what is known, be it nothing, after the server was asked for its tools."""
        self._failed = self._pages.tools is None
        self._pages.keep()
