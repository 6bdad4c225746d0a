"""Code that the adapters share: find a call's conversation, check the call, then reject or count it."""

from __future__ import annotations

import logging
import re
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from importlib import metadata
from threading import Lock
from typing import TYPE_CHECKING, Any, Unpack
from weakref import ref

from toolgen_adapters.call import Asking, Call
from toolgen_runtime.calls.options import CallOptions
from toolgen_runtime.calls.policy import CALL_OPTIONS, OPTIONS, refuse_unknown
from toolgen_runtime.calls.recent import Recent, Same
from toolgen_runtime.conversation import Conversation
from toolgen_runtime.dynamic import tools_of
from toolgen_runtime.install import install_advice
from toolgen_runtime.registered_tools import RegisteredTools
from toolgen_runtime.registry import Registry
from toolgen_runtime.validation.tool import Tool

if TYPE_CHECKING:
    from toolgen_runtime.calls.hooks import OnCall, OnIssue

log = logging.getLogger("toolgen_adapters")
log.addHandler(logging.NullHandler())  # silent unless logging is set up
_WITHOUT_SESSIONS = "2026-07-28"
"""The first version of MCP without sessions. The server asks in the result of a call, and the client calls again."""
FORGET_AFTER = 900
"""The number of seconds without a call after which the next call begins a turn: it probably belongs to a new message.
"""
LIST_SECONDS = 5.0
"""Seconds that listing the tools again may take; after that, calls continue without a new list."""
HAS_QUESTIONS = {"timeout": "the framework runs the calls, so set the timeout there"}
"""The options that adapters cannot use, with the reason."""
FRAMEWORK_RUNS = {**HAS_QUESTIONS, "ask": "the framework gives an adapter no way to ask the user"}
"""The same for frameworks that cannot interrupt a run for a question to the user."""


class AdapterOptions(CallOptions, total=False):
    """The options of an adapter for a framework that runs the calls itself. `toolgen_runtime.Registry`
    explains each option.
    """

    allow: Iterable[str] | None
    calls_per_turn: int | None
    on_call: OnCall | None
    on_issue: OnIssue | None
    secrets: Iterable[str]


@contextmanager
def framework(extra: str, package: str, floor: str) -> Iterator[None]:
    """Import a framework inside this block. If that fails, raise an error that says what to install.

    Args:
        extra: the extra of toolgen that installs the framework.
        package: the framework's distribution.
        floor: the oldest version that the adapter supports.

    Raises:
        ImportError: the framework is not installed, is too old, or lacks an imported name. The message is one line.
    """
    try:
        yield
        installed = metadata.version(package)
    except ImportError as error:
        missing = error.name or extra
        why = f"{missing} is not installed"
        if "." in missing or not isinstance(error, ModuleNotFoundError):
            why = f"this version of {missing.partition('.')[0]} does not fit ({error.msg})"
        raise ImportError(f"{why}; {install_advice(extra)}", name=missing) from None
    if _numbers(installed) < _numbers(floor):
        why = f"{package} {installed} is too old: {floor} is the oldest version that fits"
        raise ImportError(f"{why}; {install_advice(extra)}", name=package)


def _numbers(version: str) -> tuple[int, ...]:
    """Return the numbers in a release, without a suffix such as `rc1`."""
    release = re.match(r"[0-9.]*", version)
    return tuple(int(part) for part in (release[0] if release else "").split(".") if part)


class Checks:
    """The conversations of one adapter. Threads and tasks can share them safely.

    Frameworks list their tools often, and may list different tools for each user. Each conversation therefore has its
    own list of tools, but a tool is compiled only once. Tools that cannot be compiled are not checked.
    """

    def __init__(
        self,
        where: str,
        options: Mapping[str, Any],
        tools: Any = None,
        cannot: Mapping[str, str] = FRAMEWORK_RUNS,
    ) -> None:
        """Begin with the tools that are already known.

        Args:
            where: the function that the user called, for the error about a wrong option.
            options: the options of `Registry`, or those of `Conversation` if `tools` is a registry.
            tools: a registry, a toolset, or the tools that a framework lists; `learn` adds others later.
            cannot: the options that the adapter cannot use, with the reason.

        Raises:
            TypeError: an option does not exist, or the adapter cannot use it.
        """
        given = isinstance(tools, Registry)
        refuse_unknown(where, options, CALL_OPTIONS if given else OPTIONS)
        given_options = (options, *dict(options.get("per_tool") or {}).values())
        for each in given_options:
            for name, why in cannot.items():
                if each.get(name):
                    raise TypeError(f"{where} cannot honor the option {name!r}: {why}")
        self._options: Any = options if given else {}
        self.asks = any(each.get("ask") for each in given_options)
        """Whether the user may be asked about calls of some tool."""
        self.unchecked: set[str] = set()
        """The names of tools that could not be compiled."""
        self.registry: Registry = tools if given else Registry(**options)
        """The tools that were passed to the constructor."""
        self.asks |= given and tools.policy.ask
        if not given and tools:
            self.registry = self.compiled(tools)
        self._conversations: Recent[Hashable, tuple[Conversation, Hashable]] = Recent()
        """Each conversation with its current step."""
        self._compiled: Recent[Hashable, Tool[Any] | None] = Recent()
        """The compiled tool for each tool object of a framework; None if it cannot be compiled."""
        self._joined: Recent[Hashable, RegisteredTools] = Recent()
        """Registries with added tools, by the original registry and these tools, so that conversations share them."""
        self._lock = Lock()
        self.running: Recent[Any, Call] = Recent()
        """Accepted calls that have not ended, by the framework's identifier of each."""

    def conversation(self, key: Hashable, step: Hashable = None) -> Conversation:
        """Return the conversation that belongs to a run or client, and start it if there is none.

        Calls are compared only with calls of earlier rounds. If the framework has no `step` and the application does
        not begin rounds, calls are not compared.

        Args:
            key: the framework's identifier of the run or client; None returns a new conversation each time.
            step: the framework's identifier of the model response, if it has one; a new identifier begins a round.
        """
        with self._lock:
            found, at = (None, None) if key is None else self._conversations.pop(key, (None, None))
            if found is None:
                found = self.registry.conversation(forget_after=FORGET_AFTER, **self._options)
                found.begin_round()
            elif step is not None and step != at:
                found.begin_round()
            if key is not None:
                self._conversations[key] = found, at if step is None else step
            return found

    def compiled(self, tools: Any) -> Registry:
        """Compile the tools that a framework lists, and return a registry of them with the options of the
        adapter.
        """
        toolset = tools_of(tools, keep_going=True)
        for problem in getattr(toolset, "diagnostics", ()):
            if problem.tool not in toolset:
                self.leave_unchecked(problem.tool, problem.message)
        return self.registry.with_tools(toolset)

    def learn(
        self,
        conversation: Conversation,
        tools: Mapping[str, Any],
        same: Callable[[Any], Hashable] = Same,
    ) -> None:
        """Add a framework's tools to a conversation, in place of tools with the same names.

        Tools that were passed to the constructor are not replaced.

        Args:
            conversation: the conversation whose model sees the tools.
            tools: the framework's objects, by the names that the model sees; each is compiled once.
            same: a function that returns equal keys for objects with the same schema, if the framework often creates
                new ones.
        """
        with self._lock:
            now = conversation.registry
            found = {name: self._tool(name, given, same(given)) for name, given in tools.items()}
            added = {
                name: tool
                for name, tool in found.items()
                if tool is not None and now.find(name) is not tool and name not in self.registry
            }
            gone = {
                name
                for name, tool in found.items()
                if tool is None and name in now and name not in self.registry
            }
            if added or gone:
                joined = Same(now), frozenset(added.items()), frozenset(gone)
                if joined not in self._joined:
                    kept = {name: tool for name, tool in now.tools().items() if name not in gone}
                    self._joined[joined] = now.with_tools({**kept, **added})
                conversation.update(self._joined[joined])

    def _tool(self, name: str, given: Any, key: Hashable) -> Tool[Any] | None:
        """Return a framework's tool in compiled form; None if it cannot be compiled, which is logged once."""
        if key not in self._compiled:
            tool, why = None, "it has no schema"
            try:
                toolset = tools_of([given], keep_going=True)
                tool = next(iter(toolset.values()), None)
                why = next((each.message for each in getattr(toolset, "diagnostics", ())), why)
            except TypeError:
                pass
            if tool is None:
                self.leave_unchecked(name, why)
            self._compiled[key] = tool
        return self._compiled[key]

    def leave_unchecked(self, name: str, why: str) -> None:
        """Log, once for each tool, that its calls are not checked."""
        if name not in self.unchecked:
            self.unchecked.add(name)
            log.warning("%s cannot be checked, so its calls run unchecked: %s", name, why)

    def check(
        self,
        conversation: Conversation,
        name: str,
        arguments: Any,
        tool: Any = None,
        call_id: str | None = None,
        same: Callable[[Any], Hashable] = Same,
        **asking: Unpack[Asking],
    ) -> Call | None:
        """Check a call. If its tool is given, call `learn` first. Return None if the tool is unknown.

        `asking` are the options of a `Call` about questions to the user.
        """
        if tool is not None:
            self.learn(conversation, {name: tool}, same)
        if name not in conversation.registry:
            return None
        return Call(conversation, name, arguments, call_id, **asking)

    def ended(self, key: Hashable, result: Any) -> str:
        """Count the call in `running` that has this key, and return its notes. If there is none, do nothing."""
        call = self.running.pop(key, None)
        return "" if call is None else call.ended(result)


class HostRounds:
    """Base class for adapters that cannot tell when the model responds or a user message arrives.

    The application reports them. On a server, both methods take the context of a request, which identifies the client.
    """

    conversation: Conversation
    """The conversation that counts the calls."""

    def begin_turn(self, context: Any = None) -> None:
        """Begin a turn because a user message has arrived. Forget the hints for earlier calls."""
        self._conversation(context).begin_turn()

    def begin_round(self, context: Any = None) -> None:
        """Begin a round because the model has responded.

        The calls of the round are compared with those of earlier rounds.
        """
        self._conversation(context).begin_round()

    def _conversation(self, context: Any) -> Conversation:  # noqa: ARG002
        return self.conversation


def is_right(registry: Registry, name: str, arguments: Any) -> bool:
    """Return whether a call is valid without any repair."""
    tool = registry.find(name)
    if tool is None:
        return False
    is_text = isinstance(arguments, (str, bytes)) and arguments
    return not (tool.validate_json(arguments) if is_text else tool.validate(arguments or {}))


def client_of(context: Any, *, is_alone: bool = False) -> Hashable:
    """Return an object that identifies the client of a request to an MCP server.

    The identifier is the client's connection.

    Since MCP 2026-07-28, each request has its own connection, so the requests of one client cannot be recognized. With
    `is_alone`, requests that do not come over HTTP count as requests of one client, because a pipe has only one.
    """
    if is_alone and has_no_session(context) and getattr(context, "request", None) is None:
        return "pipe"
    session = getattr(context, "session", None)
    return session and ref(getattr(session, "_connection", session))  # mcp 2 has a session for each request


def has_no_session(context: Any) -> bool:
    """Return whether a request belongs to no session (MCP 2026-07-28)."""
    return str(getattr(context, "protocol_version", "")) >= _WITHOUT_SESSIONS


def reported(text: str, is_error: bool) -> Any:
    """Wrap the text of a tool's result so that a conversation can tell whether it is an error."""
    return {"content": [{"type": "text", "text": text}], "isError": True} if is_error else str(text)


def noted(result: Any, note: str, block: Callable[..., Any] = dict) -> Any:
    """Add a note for the model to a result. Without a note, the result is returned unchanged.

    The result is a string or a pydantic model with `content`; `block` creates a content block.
    """
    if not note:
        return result
    if isinstance(result, str):
        return f"{result}\n{note}"
    content = result.content
    with_note = (
        f"{content}\n{note}" if isinstance(content, str) else [*content, block(type="text", text=note)]
    )
    return result.model_copy(update={"content": with_note})
