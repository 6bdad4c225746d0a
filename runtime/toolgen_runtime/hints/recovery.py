"""What calls and hints share: the next step after a failure, and the length of a text."""

from __future__ import annotations

from typing import Final, Literal

Recovery = Literal["correct", "retry", "check_first", "ask_user", "give_up"]
"""The next step: correct the call; repeat it later; first check whether it took effect; ask the user; stop."""
MAX_CHARS: Final = 600
"""The default maximum length of a hint's text."""
