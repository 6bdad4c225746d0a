"""What the adapters share: a conversation for each run or client, and the tools that it is about."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Awaitable, Callable, Hashable, Iterator, Mapping
from contextlib import contextmanager
from threading import Lock
from typing import Any, TypeVar, Unpack
from weakref import WeakKeyDictionary, ref

from toolgen_runtime.calls.options import CallOptions, Options, refuse_unknown
from toolgen_runtime.calls.output import ToolOutput
from toolgen_runtime.conversation import Conversation
from toolgen_runtime.dynamic import tools_of
from toolgen_runtime.registry import Registry
from toolgen_runtime.validation.tool import Tool
from toolgen_runtime.validation.toolset import Toolset

ResultT = TypeVar("ResultT")
MOST = 1000
"""How many conversations are kept; the one that was used longest ago goes first."""
FORGET_AFTER = 900
"""Seconds without a call after which a conversation forgets: its next call belongs to another question."""


KeyT = TypeVar("KeyT", bound=Hashable)
ValueT = TypeVar("ValueT")


class Recent(OrderedDict[KeyT, ValueT]):
    """A dict of bounded size: the oldest go first."""

    def __setitem__(self, key: KeyT, value: ValueT) -> None:
        super().__setitem__(key, value)
        if len(self) > MOST:
            self.popitem(last=False)


class Checks:
    """The conversations of one adapter; safe to share between threads and tasks.

    Frameworks list their tools again and again, other ones for other users: each conversation has its own, and a
    tool that was compiled before is not compiled again. One that cannot be compiled is not checked.
    """

    def __init__(self, where: str, tools: Any = None, **options: Unpack[Options]) -> None:
        """Begin with the tools that are known already.

        Args:
            where: what the user called, for the error of a misspelt option.
            tools: a registry, a toolset, or what a framework lists; more are learnt as they are seen.
            options: those of `Registry`; of `Conversation`, if `tools` is a registry.

        Raises:
            TypeError: there is no such option.
        """
        given = isinstance(tools, Registry)
        refuse_unknown(where, options, CallOptions if given else Options)
        self._options: Any = options if given else {}
        self._registry: Registry = tools if given else Registry(**options)
        if not given and tools:
            self._registry = self.compiled(tools)
        self._conversations: Recent[Hashable, Conversation] = Recent()
        self._steps: WeakKeyDictionary[Conversation, Hashable] = WeakKeyDictionary()
        """The step that each conversation is at."""
        self._read: Recent[str, tuple[Any, Mapping[str, Tool[Any]]]] = Recent()
        """Objects of a framework by name, with what they were compiled to."""
        self._described: Recent[str, tuple[Any, Any]] = Recent()
        self._lock = Lock()

    def conversation(self, key: Hashable, step: Hashable = None) -> Conversation:
        """Return the conversation of a run or client.

        Its calls are compared with those of earlier rounds alone: where the framework shows no `step` and the host
        begins no round, with none.

        Args:
            key: what the framework knows it by; a new conversation each time where it is None.
            step: what the framework knows an answer of the model by, if it does: another one begins a round.
        """
        with self._lock:
            found = None if key is None else self._conversations.get(key)
            if found is None:
                found = self._registry.conversation(forget_after=FORGET_AFTER, **self._options)
                found.begin_round()
            if key is not None:
                self._conversations[key] = found
                self._conversations.move_to_end(key)
            if step is not None and self._steps.get(found) != step:
                self._steps[found] = step
                found.begin_round()
            return found

    def compiled(self, tools: Any) -> Registry:
        """Return a registry of what a framework lists, with the options of the adapter."""
        return self._registry.with_tools(tools_of(tools, keep_going=True))

    def learn(self, conversation: Conversation, *tools: Any) -> None:
        """Add tools of a framework to a conversation, in place of others of their names.

        Those that were given to the constructor stay as they are.
        """
        with self._lock:
            now = conversation.registry
            found = {name: tool for given in tools for name, tool in self._compiled(given).items()}
            added = {
                name: tool
                for name, tool in found.items()
                if name not in self._registry and now.find(name) is not tool
            }
            if added:
                kept = {name: tool for name in now if (tool := now.find(name)) is not None}
                conversation.update({**kept, **added})

    def described(self, tool: Any, name: str, describe: Callable[[], Any]) -> Any:
        """Return a tool's spec for `learn`: made once a tool, by `describe`."""
        known, spec = self._described.get(name, (None, None))
        if known is not tool:
            spec = {"name": name, "inputSchema": describe() or {}}
            self._described[name] = tool, spec
        return spec

    def _compiled(self, given: Any) -> Mapping[str, Tool[Any]]:
        if isinstance(given, dict):
            name = given["name"]
        else:
            name = given.tool_name if hasattr(given, "tool_name") else given.name
        read, compiled = self._read.get(name, (None, {}))
        if read is not given:
            compiled = tools_of([given], keep_going=True)
            self._read[name] = (given, compiled)
        return compiled


class HostRounds:
    """Base of what sees neither the model's answers nor the user's questions, and is told of them by the host."""

    conversation: Conversation
    """The calls, counted."""

    def begin_turn(self) -> None:
        """Begin a turn, at a question of the user: the calls before are forgotten."""
        self.conversation.begin_turn()

    def begin_round(self) -> None:
        """Begin a round, at an answer of the model: its calls are compared with those of earlier rounds."""
        self.conversation.begin_round()


def names_of(tools: Any) -> set[str]:
    """Return the names of what a framework lists; tools that are compiled already have none to tell."""
    if isinstance(tools, (Registry, Toolset)):
        return set()
    tools = getattr(tools, "tools", tools)
    listed = tools.get("tools", ()) if isinstance(tools, Mapping) else tools
    names = (
        tool.get("name") if isinstance(tool, Mapping) else getattr(tool, "name", None) for tool in listed
    )
    return {name for name in names if isinstance(name, str)}


def facts(output: ToolOutput) -> dict[str, Any]:
    """Return what a host may want to know of a call that was refused, as JSON; nothing that a model reads."""
    kind = None if output.kind is None else output.kind.value
    hint = output.retry_hint
    fields = [] if hint is None else [field.field for field in hint.fields]
    return {"kind": kind, "recovery": output.recovery, "executed": output.executed, "fields": fields}


def reported(text: str, is_error: bool) -> dict[str, Any]:
    """Return what a tool answered in the form in which a conversation sees whether it is an error."""
    return {"content": [{"type": "text", "text": text}], "isError": is_error}


@contextmanager
def failures_counted(
    conversation: Conversation, output: ToolOutput, unfinished: tuple[type[Exception], ...] = ()
) -> Iterator[None]:
    """Count a call that was checked if it raises or is canceled; `unfinished` are exceptions that put it off."""
    try:
        yield
    except unfinished:
        raise
    except Exception as error:
        conversation.returned(output, error)
        raise
    except BaseException:
        conversation.abandoned(output)
        raise


async def ended(
    conversation: Conversation,
    output: ToolOutput,
    call: Awaitable[ResultT],
    unfinished: tuple[type[Exception], ...] = (),
) -> tuple[ResultT, str]:
    """Await a call that was checked and count it.

    Returns:
        Its result as it came, and what the model is to read beside it; mostly nothing.
    """
    with failures_counted(conversation, output, unfinished):
        result = await call
    return result, "\n".join(conversation.returned(output, result).notes)


def client_of(context: Any) -> Hashable:
    """Return whose request it is, from the request context of an MCP server: the connection.

    From MCP 2026-07-28 on each request is a connection, and nothing says which requests belong together.
    """
    session = getattr(context, "session", None)
    if session is None:
        return None
    return ref(getattr(session, "_connection", session))  # mcp 2 makes a session for each request
