"""The formats `duration` (RFC 3339), `uuid` (RFC 4122), `json-pointer` (RFC 6901) and `relative-json-pointer`
(draft of 2020).
"""

from __future__ import annotations

import re

_HEX = "[0-9A-Fa-f]"
_STEPS = "/[^~]*+(?:~[01][^~]*+)*+"
_NUMBER = "(?:0|[1-9][0-9]*+)"

is_uuid = re.compile(f"{_HEX}{{8}}+-{_HEX}{{4}}+-{_HEX}{{4}}+-{_HEX}{{4}}+-{_HEX}{{12}}+").fullmatch
"""Matches the hyphenated form of a UUID of any version and variant."""

is_json_pointer = re.compile(f"(?:{_STEPS}|)").fullmatch
"""Matches a JSON pointer as a string, not as a URI fragment: empty or starting with `/`, with each `~` before `0` or
`1`.
"""

is_relative_json_pointer = re.compile(f"{_NUMBER}(?:[+-]{_NUMBER}|)(?:{_STEPS}|#|)").fullmatch
"""Matches a number of levels to go up, an optional index offset (`0-1`), then a JSON pointer or `#`."""

# Letters of an ABNF match in either case (RFC 5234 section 2.3).
_TIME = "[Tt][0-9]++(?:[Hh](?:[0-9]++[Mm](?:[0-9]++[Ss]|)|)|[Mm](?:[0-9]++[Ss]|)|[Ss])"
_DATE = "[0-9]++(?:[Yy](?:[0-9]++[Mm](?:[0-9]++[Dd]|)|)|[Mm](?:[0-9]++[Dd]|)|[Dd])"

is_duration = re.compile(f"[Pp](?:{_DATE}(?:{_TIME}|)|{_TIME}|[0-9]++[Ww])").fullmatch
"""Matches a duration: units in order without gaps and without fractions; weeks stand alone."""
