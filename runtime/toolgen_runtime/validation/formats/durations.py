"""`duration` (RFC 3339 appendix A)."""

from __future__ import annotations

import re

# Letters of an ABNF match in either case (RFC 5234 section 2.3).
_TIME = "[Tt][0-9]++(?:[Hh](?:[0-9]++[Mm](?:[0-9]++[Ss]|)|)|[Mm](?:[0-9]++[Ss]|)|[Ss])"
_DATE = "[0-9]++(?:[Yy](?:[0-9]++[Mm](?:[0-9]++[Dd]|)|)|[Mm](?:[0-9]++[Dd]|)|[Dd])"

is_duration = re.compile(f"[Pp](?:{_DATE}(?:{_TIME}|)|{_TIME}|[0-9]++[Ww])").fullmatch
"""Matches a duration: units in order without gaps, no fractions, weeks without other units."""
