"""Effect's Schema 3: a tree of lines, whose branches are steps and whose leaves say what is wrong.

```
{ readonly items: ReadonlyArray<string> }
└─ ["items"]
   └─ [0]
      └─ Expected string, actual 5
```
"""

from __future__ import annotations

import re
from itertools import pairwise

from toolgen_runtime.hints.foreign.issue_reader import ForeignIssue
from toolgen_runtime.hints.foreign.phrases import MAX_MESSAGE, bracket_path
from toolgen_runtime.hints.foreign.value_claims import REPORTED
from toolgen_runtime.schema.node import Path

_LINE = re.compile(
    r"^(?P<indent>[\u2502 ]{0,300})[\u251c\u2514]\u2500 (?P<text>[^\n]{1,2000})$", re.MULTILINE
)
_SAYS = (
    ("required", re.compile(r"is missing$")),
    ("additionalProperties", re.compile(r"is unexpected\b")),
)


def read(text: str) -> list[ForeignIssue]:
    """Return the problems of a ParseError's text."""
    lines = [(len(match["indent"]), match["text"]) for match in _LINE.finditer(text)]
    found: list[ForeignIssue] = []
    above: list[tuple[int, Path]] = []
    for (indent, said), (after, _) in pairwise([*lines, (0, "")]):
        while above and above[-1][0] >= indent:
            above.pop()
        path = above[-1][1] if above else ()
        if after > indent:
            above.append((indent, path + bracket_path(said if said.startswith("[") else "")))
        else:
            found.append(_issue(path, said))
    return found


def _issue(path: Path, said: str) -> ForeignIssue:
    constraint = next((keyword for keyword, pattern in _SAYS if pattern.match(said)), REPORTED)
    if constraint == "additionalProperties" and path:
        return ForeignIssue(constraint, path[:-1], names=(str(path[-1]),), message=said[:MAX_MESSAGE])
    return ForeignIssue(constraint, path, message=said[:MAX_MESSAGE])
