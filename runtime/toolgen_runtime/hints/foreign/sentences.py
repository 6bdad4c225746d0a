"""Names of fields in the sentences of others: marked as fields, quoted, dotted, or before and after certain words.

The words are data. Whether a name is one of the tool's is asked later (`places`), so that a pattern may find too much.
Every pattern begins at the boundary of a word and is bounded, so that time is linear in the text.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

MAX_CLAUSES = 60
MAX_CLAUSE = 1_000
MAX_FOUND = 12
"""Names that are looked at in one clause."""

_NAME = r"[A-Za-z_$@][\w$@\-]{0,79}(?:\.[\w$\-]{1,80}|\[[\w\-'\"]{0,40}\]){0,16}"
_POINTER = r"[#$]?(?:/[\w\-.~%]{1,80}){1,16}"
_QUOTE = "['\"`\u2018\u2019\u201c\u201d]"
_NOUN = (
    r"(?:field|property|parameter|param|argument|attribute|column|key|option|variable|input|keyword|header|arg|path|"
    r"member|element|setting|pointer|attr)"
)


class Found(NamedTuple):
    """A name in a sentence, and how sure it is that it is one: less sure ones have to be properties at the root."""

    name: str
    sentence: str
    is_marked: bool
    is_literal: bool = True
    """Whether it stands in quotes or after a word for it, so that it is a name even if the schema lacks it."""


_MARKED = [
    # field 'title', parameter: owner, Field:base, property [title], json-pointer:/channel, on field 'x'
    rf"\b{_NOUN}s?(?: name)?(?:\]?\s?[:=]\s?|\s)(?:named |called )?[\[(]?{_QUOTE}?:?(?P<a>{_NAME}|{_POINTER})",
    # Field validation for 'Age', invalid value for title, value of `n`
    rf"\b(?:for|of|at|in|on)\s{_QUOTE}(?P<c>{_NAME}|{_POINTER}){_QUOTE}",
    rf"\b(?:values?|type|format|length|validation|enum|integer|number|string|date|missing) (?:for|of|in) (?:the )?"
    rf"{_QUOTE}?(?P<d>{_NAME})",
    # KeyError: 'path', Path: $.age, Key (email)=(x), constraint failed: users.email
    rf"\bKeyError: {_QUOTE}(?P<e>{_NAME})",
    rf"\bPath: (?P<f>\$\.{_NAME})",
    rf"\bKey \((?P<g>{_NAME})\)=",
    rf"\bconstraint failed: (?:\w{{1,80}}\.)?(?P<h>{_NAME})",
    # expected int for dictionary value @ data['n']
    rf"@ (?:data|\$)\.?(?P<i>\[?['\"]?{_NAME})",
    # through reference chain: com.x.Req["items"]->java.util.ArrayList[0]->com.x.Item["qty"]
    r"\breference chain: (?P<j>.{1,400})",
]
_TRAILING = (
    r"\b(?:missing|required|requires?|unknown|unexpected|invalid|empty|unpermitted|unrecogni[sz]ed|extra|unsupported)"
    rf"[\w ()/'-]{{0,80}}:\s?[\[(]?(?P<k>[\"'`:\-]{{0,4}}{_NAME}[\"'`]?(?:(?:,| and|, and)\s[\"'`:\-]{{0,4}}{_NAME}[\"'`]?){{0,9}})"
    r"[\])]?(?=\.?$|[\s.,;)])"
)
_BEFORE_NOUN = rf"(?<![\w.\-$])(?P<b>{_NAME}){_QUOTE}?\s{_NOUN}\b"
"""The title field, 'priority' field."""
_QUOTED = rf"(?<!\w){_QUOTE}(?P<q>[^\s'\"`\u2018\u2019\u201c\u201d](?:[^'\"`\u2018\u2019\u201c\u201d\n]{{0,79}}[^\s'\"`])?){_QUOTE}(?!\w)"
_DOTTED = rf"(?<![\w.\-$/])(?P<r>[A-Za-z_$][\w$\-]{{0,79}}(?:\.[\w$\-]{{1,80}}|\[[\w\-'\"]{{0,40}}\]){{1,16}}|{_POINTER})"
_PREDICATE = (
    r"(?:(?:is|are|was|were|has|have|had|does|do|did|must|should|shall|can|could|may|might|need|needs|cannot|can't"
    r"|isn't|aren't|wasn't|doesn't|didn't|won't|mustn't|shouldn't|required|missing|invalid|exceeds|contains|already"
    r"|not|expects|expected|too|wrong|unknown|unexpected|unsupported|cannot)\b)"
)
_SUBJECT = rf"(?<![\w.\-$/'\"])(?P<s>{_NAME}(?:\s[\w\-]{{1,40}}){{0,3}}?)(?: (?:value|field|parameter|id))?:?\s(?={_PREDICATE})"
_OBJECT = (
    r"\b(?:missing|invalid|unknown|unexpected|unsupported|provide|specify|supply|requires?|bad|malformed|empty|set|"
    r"without|unrecogni[sz]ed|duplicate|no) (?:required )?(?:a |an |the |at least one )?(?:valid |non-empty )?"
    rf"(?P<t>{_NAME})(?=[\s.,:;)]|$)"
)
_CODE = (
    r"(?<![\w.])(?:(?:invalid|missing|unknown|bad|no|empty|duplicate|unsupported)_(?P<u>[a-z]\w{1,40})"
    r"|(?P<v>[a-z]\w{1,40}?)_(?:not_found|required|missing|invalid|too_long|too_short|taken|empty|not_allowed"
    r"|not_valid|is_required|is_invalid))(?![\w.])"
)
_SURE = re.compile("|".join(_MARKED), re.IGNORECASE)
_OTHERS = [re.compile(p, re.IGNORECASE) for p in (_TRAILING, _QUOTED, _DOTTED, _BEFORE_NOUN)]
_VAGUE = [re.compile(p, re.IGNORECASE) for p in (_SUBJECT, _OBJECT, _CODE)]
_LIST_PART = re.compile(rf"{_NAME}")
_CHAIN = re.compile(r"\[\"?([\w\-.]{1,80})\"?\]")
_CLAUSES = re.compile(r"\n|;\s|(?<=[a-z)'\"`])\.\s+(?=[A-Z\"'`])|(?<=[a-z)])\.$")
_ALTERNATIVES = re.compile(
    r"[,.:;(]?\s?\b(?:expected|allowed|valid|must be|should be|available|supported|permitted|known|possible|accepted|did you mean|"
    r"only|choose|use)(?: to be| values?| fields| properties| parameters| options| are| is| arguments?|:){0,4}"
    r"(?: one of|:| `| '| \"|\s\[)[^\n]{0,600}",
    re.IGNORECASE,
)
_COMMON = frozenset(
    "a an and any argument arguments body bytes class code data error errors exception field fields file for format"
    " found function in input is it json key keys line message method missing name no not null of on one or parameter"
    " parameters params property reason request response result schema server set status string that the this"
    " to token tool type types undefined url validation value values with you your".split()
)
"""Words that are names of fields only where something marks them."""
ABOUT_ANSWER = re.compile(
    r"\boutput validation|\bstructured (?:content|output)\b|\b(?:unexpected|malformed) (?:api )?(?:response|reply)"
    r"|\b(?:pars\w{1,4}|decod\w{1,4}|deseriali[sz]\w{1,5}|unmarshal\w{0,5}|validat\w{1,4}|interpret\w{0,4}) (?:the |an |its )?"
    r"(?:\w{1,30} ){0,2}(?:response|reply|answer|result|output)\b"
    r"|\b(?:response|reply|answer|result|output) (?:\w{1,20} ){0,2}(?:validation|schema|pars\w{1,4}|decod\w{1,4}|does not match)",
    re.IGNORECASE,
)
"""What says that an answer was wrong, and not what was asked."""


def clauses(text: str) -> Iterator[str]:
    """Yield the lines and sentences of a text, without lists of what would have been right."""
    for clause in _CLAUSES.split(text, MAX_CLAUSES)[:MAX_CLAUSES]:
        if clause.strip():
            yield clause.strip()[:MAX_CLAUSE]


def names_in_clause(clause: str) -> Iterator[Found]:
    """Yield the names that a clause may speak of, the surest first."""
    shorter = _ALTERNATIVES.sub(" ", clause)
    for match in _first(_SURE, shorter):
        name = _group(match)
        if match["j"]:
            yield Found(".".join(m[1] for m in _CHAIN.finditer(name)), clause, is_marked=True)
        else:
            is_plain = name.lower() in _COMMON
            yield Found(name, clause, is_marked=not is_plain, is_literal=not is_plain)
    trailing, *others = _OTHERS
    for match in _first(trailing, shorter):
        for part in _LIST_PART.finditer(match["k"]):
            yield Found(part[0], clause, is_marked=True)
    for pattern in others:
        for match in _first(pattern, shorter):
            yield Found(_group(match), clause, is_marked=True, is_literal=pattern is others[0])
    for pattern in _VAGUE:
        for match in _first(pattern, shorter):
            words = _group(match).split()
            for start in range(len(words)):
                name = " ".join(words[start:])
                if name.lower() not in _COMMON:
                    yield Found(name, clause, is_marked=False, is_literal=False)


def _first(pattern: re.Pattern[str], text: str) -> Iterator[re.Match[str]]:
    for count, match in enumerate(pattern.finditer(text)):
        if count == MAX_FOUND:
            return
        yield match


def _group(match: re.Match[str]) -> str:
    return next(group for group in match.groups() if group is not None)


IS_MISSING = re.compile(
    r"\b(?:is|are|was|field|key|value|argument|parameter|property|attribute|'required') (?:a |an )?(?:required|missing)\b"
    r"|\bmissing\b|\brequired (?:\w{1,30} ){0,2}(?:field|parameter|param|property|argument|attribute|key|value|option|columns?)s?\b"
    r"|(?:must|should|has to|needs? to) be (?:provided|present|specified|supplied|given|defined|included)"
    r"|\b(?:was|were|is|are|has|been) (?:not|n't) (?:\w{1,10} )?(?:provided|supplied|specified|given|present|set|sent|included)"
    r"|\b(?:wasn't|isn't|weren't) (?:provided|supplied|specified|given|present|set)|\bnot given\b|\bKeyError\b"
    r"|\b(?:must not|cannot|can't|may not|should not) be (?:null|undefined|none|nil)\b|not-null constraint|NOT NULL"
    r"|\bNotNull\b|_missing\b|\bmissing_|\bany\.required\b|\bnot null\b|_required\b|^required\b|^Required$",
    re.IGNORECASE,
)
"""Wordings for a field that was not sent."""
IS_UNKNOWN = re.compile(
    r"\b(?:unknown|unrecogni[sz]ed|unexpected|extra|additional|unpermitted|extraneous|unsupported|undeclared)"
    r" (?:\w{1,30} ){0,2}(?:field|parameter|param|propert(?:y|ies)|argument|attribute|key|input|option|member)"
    r"|\bshould not exist\b|\b(?:is|are) not (?:allowed|permitted|expected)(?:\W{0,3}$| here)"
    r"|\bextra (?:fields|inputs) (?:are )?not permitted|\bis not defined by type\b|\bnot marked as ignorable\b",
    re.IGNORECASE,
)
"""Wordings for a field that should not be there."""
IS_BOUND_BY_NAME = re.compile(
    r"keyword argument|parameter in input|\bshould not exist\b|additional propert", re.IGNORECASE
)
"""Wordings that only what takes the arguments uses, so that an undeclared name is one of theirs."""
