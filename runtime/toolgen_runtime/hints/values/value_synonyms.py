"""Words that mean the same as values: `remove` and `delete`, `md` and `markdown`, `done` and `completed`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from toolgen_runtime.hints.words import words_of

_SYNONYMS = (
    "delete remove erase destroy rm|create add new insert make post|update edit modify change patch"
    "|get fetch read retrieve show view|list all index|wait sleep pause delay|type fill input enter write"
    "|click press tap|stop halt cancel abort kill|start begin run launch|open opened active|ask question"
    "|closed close done resolved resolve complete completed finished fixed|high urgent critical important"
    "|low minor trivial|medium normal moderate mid|asc ascending up oldest|desc descending down newest latest"
    "|success ok pass passed succeeded|failure failed fail error|warning warn|info information|markdown md"
    "|javascript js|typescript ts|python py|yaml yml|text txt plain|html htm|jpeg jpg|bash sh shell"
    "|organization org company|private secret hidden|public open|none no off disabled|any all both"
    "|day daily|week weekly|month monthly|year yearly annual annually|hour hourly|minute minutely"
    "|monday mon|tuesday tue|wednesday wed|thursday thu|friday fri|saturday sat|sunday sun"
    "|in_progress started doing wip ongoing|todo backlog pending open|english en|german de|french fr|spanish es"
    "|metric celsius metres meters|imperial fahrenheit feet|celsius c metric|fahrenheit f imperial"
    "|male m man|female f woman|yes y true on enabled|no n false off disabled|star starred favorite"
    "|walking walk foot pedestrian|driving drive car|bicycling bike bicycle cycling|transit train bus"
)
_SAME: dict[str, set[str]] = {}
"""Each word with those that mean the same, itself included."""
for _group in _SYNONYMS.split("|"):
    _words = {"".join(words_of(_word)) for _word in _group.split()}
    for _word in _words:
        _SAME.setdefault(_word, set()).update(_words)


def synonym(got: str, allowed: Sequence[Any]) -> Any:
    """Return the one allowed value that is another word for a text; None where there is none, or more than one.

    >>> synonym("remove", ["get", "delete"]), synonym("md", ["markdown", "html"])
    ('delete', 'markdown')
    """
    others = _SAME.get("".join(words_of(got)))
    if others is None:
        return None
    found = [v for v in allowed[:200] if isinstance(v, str) and "".join(words_of(v)) in others]
    return found[0] if len(found) == 1 else None
