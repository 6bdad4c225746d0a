"""What calls and hints share: the next step after a failure."""

from __future__ import annotations

from typing import Literal

Recovery = Literal["correct", "retry", "check_first", "ask_user", "give_up"]
"""The next step: correct the call; repeat it later; first check whether it took effect; ask the user; stop."""
