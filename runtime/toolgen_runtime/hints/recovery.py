"""Definitions that calls and hints share: the possible next steps after a failure, and the default length of
a hint.
"""

from __future__ import annotations

from typing import Final, Literal

Recovery = Literal["correct", "retry", "check_first", "ask_user", "give_up"]
"""The next step: correct the call; repeat it later; first check whether it took effect; ask the user; stop."""
MAX_CHARS: Final = 600
"""The default maximum length of a hint's text."""
