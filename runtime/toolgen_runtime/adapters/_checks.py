"""What the adapters share: the conversation that a call belongs to, its verdict, its refusal, its count."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Hashable, Iterator, Mapping
from contextlib import contextmanager
from threading import Lock
from typing import Any, TypeVar, Unpack
from weakref import ref

from toolgen_runtime.calls.policy import CALL_OPTIONS, OPTIONS, refuse_unknown
from toolgen_runtime.calls.recent import Recent, Same
from toolgen_runtime.conversation import Conversation, Options
from toolgen_runtime.dynamic import tools_of
from toolgen_runtime.registry import Registry
from toolgen_runtime.validation.tool import Tool

T = TypeVar("T")
FORGET_AFTER = 900
"""Seconds without a call after which a conversation forgets: its next call belongs to another question."""


@contextmanager
def framework(extra: str) -> Iterator[None]:
    """Import a framework in this block: where that fails, say what to install.

    Args:
        extra: the extra of toolgen that brings the framework.

    Raises:
        ImportError: the framework is not installed, or lacks what is imported; the message is one line.
    """
    try:
        yield
    except ImportError as error:
        missing = error.name or extra
        why = f"{missing} is not installed"
        if "." in missing or not isinstance(error, ModuleNotFoundError):
            why = f"this version of {missing.partition('.')[0]} does not fit ({error.msg})"
        raise ImportError(f"{why}; run: pip install 'toolgen[{extra}]'", name=missing) from None


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
        refuse_unknown(where, options, CALL_OPTIONS if given else OPTIONS)
        self._options: Any = options if given else {}
        self.unchecked: set[str] = set()
        """The names of tools that could not be compiled."""
        self.registry: Registry = tools if given else Registry(**options)
        """The tools that were given to the constructor."""
        if not given and tools:
            self.registry = self.compiled(tools)
        self._conversations: Recent[Hashable, tuple[Conversation, Hashable]] = Recent()
        """Each with the step that it is at."""
        self._compiled: Recent[Same, Tool[Any] | None] = Recent()
        """What each tool of a framework was compiled to."""
        self._joined: Recent[Hashable, Registry] = Recent()
        """Registries with the tools that were added to them, for conversations that begin in the same way."""
        self._lock = Lock()
        self.running: Recent[Any, Call] = Recent()
        """Calls that were let through and have not ended, by what the framework knows each by."""

    def conversation(self, key: Hashable, step: Hashable = None) -> Conversation:
        """Return the conversation of a run or client.

        Its calls are compared with those of earlier rounds alone: where the framework shows no `step` and the host
        begins no round, with none.

        Args:
            key: what the framework knows it by; a new conversation each time where it is None.
            step: what the framework knows an answer of the model by, if it does: another one begins a round.
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
        """Return a registry of what a framework lists, with the options of the adapter."""
        toolset = tools_of(tools, keep_going=True)
        self.unchecked.update(problem.tool for problem in getattr(toolset, "diagnostics", ()))
        return self.registry.with_tools(toolset)

    def learn(self, conversation: Conversation, tools: Mapping[str, Any]) -> None:
        """Add tools of a framework to a conversation, in place of others of their names.

        Those that were given to the constructor stay as they are.

        Args:
            conversation: whose model is shown the tools.
            tools: the framework's objects, by the names that the model sees; each is compiled once.
        """
        with self._lock:
            now = conversation.registry
            added: dict[str, Tool[Any]] = {}
            for name, given in tools.items():
                key = Same(given)
                try:
                    tool = self._compiled[key]
                except KeyError:
                    tool = self._compiled[key] = _compiled(given)
                if tool is not None and now.find(name) is not tool and name not in self.registry:
                    added[name] = tool
            if added:
                joined = Same(now), frozenset(added.items())
                if joined not in self._joined:
                    self._joined[joined] = now.with_tools({**now.tools(), **added})
                conversation.update(self._joined[joined])

    def check(
        self,
        conversation: Conversation,
        name: str,
        arguments: Any,
        tool: Any = None,
        call_id: str | None = None,
    ) -> Call | None:
        """Check a call of a tool, see `learn`; return None if there is nothing to check it with."""
        if tool is not None:
            self.learn(conversation, {name: tool})
        return Call(conversation, name, arguments, call_id) if name in conversation.registry else None

    def ended(self, key: Hashable, result: Any) -> str:
        """Count one of the calls in `running`, if it is there; see `Call.ended`."""
        call = self.running.pop(key, None)
        return "" if call is None else call.ended(result)


def _compiled(tool: Any) -> Tool[Any] | None:
    """Return what a framework's tool is compiled to; None if it cannot be."""
    try:
        return next(iter(tools_of([tool], keep_going=True).values()), None)
    except TypeError:  # it has no schema
        return None


class HostRounds:
    """Base of what sees neither the model's answers nor the user's questions, and is told of them by the host.

    On a server both methods take the context of a request, to know the client.
    """

    conversation: Conversation
    """The calls, counted."""

    def begin_turn(self, context: Any = None) -> None:
        """Begin a turn, at a question of the user: the calls before are forgotten."""
        self._conversation(context).begin_turn()

    def begin_round(self, context: Any = None) -> None:
        """Begin a round, at an answer of the model: its calls are compared with those of earlier rounds."""
        self._conversation(context).begin_round()

    def _conversation(self, context: Any) -> Conversation:  # noqa: ARG002
        return self.conversation


class Call:
    """A call that is checked, see `Conversation.check`; a refused one is counted at once."""

    def __init__(
        self,
        conversation: Conversation,
        name: str,
        arguments: Any,
        call_id: str | None = None,
        problem: Exception | None = None,
    ) -> None:
        output = conversation.check(name, arguments, call_id=call_id, problem=problem)
        self.conversation = conversation
        self.output = output if output.ok else conversation.returned(output)
        """The verdict; when the call has ended, what became of it."""

    def ended(self, result: Any) -> str:
        """Count the call, which was let through and has ended in a result or an exception.

        Returns:
            What the model is to read beside the result; mostly nothing.
        """
        if isinstance(result, BaseException) and not isinstance(result, Exception):
            self.conversation.abandoned(self.output)  # canceled
            return ""
        self.output = self.conversation.returned(self.output, result)
        return "\n".join(self.output.notes)

    def repair(self, arguments: dict[str, Any]) -> None:
        """Correct the arguments of the call in place, if it was repaired."""
        if self.output.repairs:
            arguments.clear()
            arguments.update(self.output.payload)

    @contextmanager
    def running(self, *unfinished: type[Exception]) -> Iterator[None]:
        """Count the call if it raises or is canceled in this block; `unfinished` are exceptions that put it off."""
        try:
            yield
        except unfinished:
            raise
        except BaseException as error:
            self.ended(error)
            raise

    async def result_of(self, running: Awaitable[T], *unfinished: type[Exception]) -> tuple[T, str]:
        """Await the call and count it; return its result as it came, and the note of `ended`."""
        with self.running(*unfinished):
            result = await running
        return result, self.ended(result)


def is_right(registry: Registry, name: str, arguments: Any) -> bool:
    """Return whether a call is valid as it is."""
    tool = registry.find(name)
    if tool is None:
        return False
    is_text = isinstance(arguments, (str, bytes)) and arguments
    return not (tool.validate_json(arguments) if is_text else tool.validate(arguments or {}))


def client_of(context: Any) -> Hashable:
    """Return whose request it is, from the request context of an MCP server: the connection.

    From MCP 2026-07-28 on each request is a connection, and nothing says which requests belong together.
    """
    session = getattr(context, "session", None)
    return session and ref(getattr(session, "_connection", session))  # mcp 2 makes a session for each request


def reported(text: str, is_error: bool) -> Any:
    """Return what a tool answered in a form in which a conversation sees whether it is an error."""
    return {"content": [{"type": "text", "text": text}], "isError": True} if is_error else str(text)


def noted(result: Any, note: str, block: Callable[..., Any] = dict) -> Any:
    """Return a result, a text or a model with content, with what the model is to read beside it, if anything.

    `block` makes a block of content.
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
