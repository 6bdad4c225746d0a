"""A call that an adapter has checked: it is rejected, asked about, or counted when it ends."""

from __future__ import annotations

from collections.abc import Awaitable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, TypedDict, TypeVar

from toolgen_runtime.conversation import Conversation

if TYPE_CHECKING:
    from toolgen_runtime.calls.user_question import Action, UserQuestion

T = TypeVar("T")


class Asking(TypedDict, total=False):
    """The options of a `Call` that decide whether the user is asked."""

    can_ask: bool
    is_repeated: bool


class Call:
    """A call that has been checked (see `Conversation.check`). If it was rejected, it is already counted."""

    def __init__(
        self,
        conversation: Conversation,
        name: str,
        arguments: Any,
        call_id: str | None = None,
        problem: Exception | None = None,
        *,
        can_ask: bool = False,
        is_repeated: bool = False,
    ) -> None:
        """Check a call.

        Args:
            conversation, name, arguments, call_id, problem: see `Conversation.check`.
            can_ask: whether the application can ask the user; a rejected call may then have a `question`.
            is_repeated: whether the application already has a response to the question of this call.
        """
        self.conversation = conversation
        self.output = conversation.check(name, arguments, call_id=call_id, problem=problem)
        """The output of the check and, after the end of the call, that of the call."""
        self._is_completed = False
        self.question: UserQuestion | None = None
        """The question to the user that decides whether the call is rejected, until it is `answered`."""
        if can_ask:
            self.question = conversation.question(self.output, is_repeated=is_repeated)
        if not self.output.ok and self.question is None:
            self.reject()

    def reject(self) -> None:
        """Count the call as rejected, although the user did not respond to the question about it."""
        self.question = None
        self.output = self.conversation.returned(self.output)

    def answered(self, action: Action, content: Any = None) -> None:
        """Continue the call with the user's response; see `Conversation.answered`."""
        if self.question is not None:
            self.output = self.conversation.answered(self.question, action, content)
            self.question, self._is_completed = None, True
            if not self.output.ok:
                self.reject()

    @property
    def is_changed(self) -> bool:
        """Whether the call runs with other arguments than the model sent, because of a repair or the user's
        response.
        """
        return self._is_completed or bool(self.output.repairs)

    def ended(self, result: Any) -> str:
        """Count an accepted call that has ended, with a result or an exception.

        Returns:
            The notes that the model must read in addition to the result; usually empty.
        """
        if isinstance(result, BaseException) and not isinstance(result, Exception):
            self.conversation.abandoned(self.output)  # canceled
            return ""
        self.output = self.conversation.returned(self.output, result)
        return "\n".join(self.output.notes)

    def repair(self, arguments: dict[str, Any]) -> None:
        """Correct the arguments in place, if the check has changed them."""
        if self.is_changed:
            arguments.clear()
            arguments.update(self.output.payload)

    @contextmanager
    def running(self, *unfinished: type[Exception]) -> Iterator[None]:
        """Count the call if it raises an exception, or is canceled, inside this block.

        An exception in `unfinished` means that the call goes on later, so it is not counted yet.
        """
        try:
            yield
        except unfinished:
            raise
        except BaseException as error:
            self.ended(error)
            raise

    async def result_of(self, running: Awaitable[T], *unfinished: type[Exception]) -> tuple[T, str]:
        """Wait for the result of the call, and count it. Return the unchanged result, and the notes for the
        model.
        """
        with self.running(*unfinished):
            result = await running
        return result, self.ended(result)
