"""Find the names of fields in sentences that other programs wrote, the most certain names first.

`field_places` later checks whether a name is a field of the tool, so a pattern may find too many names. Every pattern
begins at a word boundary and limits its repetitions, so that the search takes linear time.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from toolgen_runtime.hints.names import word_set


def _one_of(names: str) -> str:
    return f"(?:{'|'.join(names.split())})"


def _compiled(*patterns: str) -> re.Pattern[str]:
    return re.compile("|".join(patterns), re.IGNORECASE)


_STEP = r"(?:\.[\w$\-]{1,80}|\[[\w\-'\"]{0,40}\])"
NAME = rf"[A-Za-z_$@][\w$@\-]{{0,79}}{_STEP}{{0,16}}"
_POINTER = r"[#$]?(?:/[\w\-.~%]{1,80}){1,16}"
_QUOTE = "['\"`\u2018\u2019\u201c\u201d\u00ab\u00bb]"
_UNQUOTED = "[^'\"`\u2018\u2019\u201c\u201d\u00ab\u00bb\n]"
_BRACKETS = r"(?:\[(?:\d{1,9}|'[^'\n\]]{1,80}'|\"[^\"\n\]]{1,80}\")\]){1,16}"
_NOUN = _one_of(
    "field property properties parameter param argument attribute column key option variable input keyword header"
    " arg path member element setting pointer attr"
)
_VALUE = _one_of("values? choice type format length validation enum integer number string date missing")
_AUXILIARY = _one_of(
    "is are was were has have had does do did must should shall can could may might need needs cannot can't isn't"
    " aren't wasn't doesn't didn't won't mustn't shouldn't required missing invalid exceeds contains already not"
    " expects expected too wrong unknown unexpected unsupported requires allows accepts takes only conflicts overlaps"
)
_LINK = _one_of("in of for at is are was must should to on with and or has not from by expected received got")

MARKED = _compiled(
    # field 'title', parameter: owner, Field:base, property [title], json-pointer:/channel
    rf"\b{_NOUN}s?(?: name)?(?:\]?\s?[:=]\s?|\s)(?:named |called )?"
    rf"(?!{_LINK}\b)[\[(]?(?:\u00ab\s?|{_QUOTE})?:?(?P<noun>{NAME}|{_POINTER})",
    # querystring/limit, request/body/name
    rf"(?<![\w/])(?:request/)?(?:body|querystring|query|params|headers|path)(?P<below>{_POINTER})",
    # invalid value for title, Invalid value 'm5.huge' for InstanceType
    rf"\b{_VALUE} (?:{_QUOTE}{_UNQUOTED}{{1,80}}{_QUOTE} )?(?:for|of|in) (?:the )?(?!{_NOUN}\b){_QUOTE}?(?P<of>{NAME})",
    # → at title, $['items'][0]['price']
    rf"\u2192 at (?P<arrow>{NAME})$",
    rf"(?:@ )?(?:\bat |\$|\bdata|\binstance|\binput|\bbody)(?P<brackets>{_BRACKETS})",
)
"""Names that a word or the form of the sentence marks as fields."""
_LISTED = rf"[\"'`:\-]{{0,4}}{NAME}[\"'`]?"
TRAILING = _compiled(
    # Missing required fields: a, b
    r"\b(?:missing|required|requires?|unknown|unexpected|invalid|empty|unpermitted|unrecogni[sz]ed|extra|unsupported"
    rf"|unspecified)[\w ()/'-]{{0,80}}(?::\s?[\[(]?|(?:s|s found) \()"
    rf"(?P<listed>{_LISTED}(?:(?:,| and|, and)\s{_LISTED}){{0,9}})"
    r"[\])]?(?=\.?$|[\s,;)]|\.\s)"
)
QUOTED = _compiled(rf"(?<!\w){_QUOTE}(?P<quoted>(?!\s){_UNQUOTED}{{1,80}}(?<!\s)){_QUOTE}(?!\w)")
DOTTED = _compiled(rf"(?<![\w.\-$/])(?P<dotted>[A-Za-z_$][\w$\-]{{0,79}}{_STEP}{{1,16}}|{_POINTER})")
# title: value length must be at least 3 characters
LABEL = _compiled(
    rf"(?:^|[-*|>\u2022]\s|:\s|\)\.)(?P<label>{NAME}):\s"
    rf"(?=[^:\n]{{0,60}}\b(?:{_AUXILIARY}|error|(?:lower|less|fewer|greater|more|longer|shorter) than)\b)"
)
# due date is not a date
SUBJECT = _compiled(
    rf"(?<![\w.\-$/'\"])(?P<subject>{NAME}(?:\s[\w\-]{{1,40}}){{0,3}}?)(?: (?:value|field|parameter))?:?\s"
    rf"(?={_AUXILIARY}\b)"
)
# invalid cursor, provide a valid timezone, no such customer
OBJECT = _compiled(
    r"\b(?:missing|invalid|unknown|unexpected|unsupported|provide|specify|supply|requires?|bad|malformed|empty|set"
    r"|without|unrecogni[sz]ed|duplicate|no|(?:(?:could|can)(?:n't| not|not)|(?:unable|failed) to)"
    r" (?:find|parse|resolve|read|decode|locate|load|access)) (?:such |required )?"
    rf"(?:a |an |the |at least one )?(?:valid |non-empty )?(?!name \"[^\"]{{1,80}}\")(?P<object>{NAME})(?=[\s.,:;)]|$)"
)
# channel_not_found, invalid_blocks
CODE = _compiled(
    r"(?<![\w.])(?:(?:invalid|missing|unknown|bad|no|empty|duplicate|unsupported)_(?P<after>[a-z]\w{1,40})"
    r"|(?P<first>[a-z]\w{1,40}?)_(?:not_found|required|missing|invalid|too_long|too_short|taken|empty|not_allowed"
    r"|not_valid|is_required|is_invalid))(?![\w.])"
)

# use bounty_id or issueNumber, not both
IDENTIFIER = _compiled(
    r"(?<![\w.$/-])(?P<id>(?-i:[a-z][a-z0-9]{0,40}(?:(?:_[a-z0-9]{1,40}){1,8}|(?:[A-Z]{1,8}[a-z0-9]{0,40}){1,8})))"
    r"(?![\w.(=])"
)

WITHIN = (
    # "colour" at 'event'
    (re.compile(rf"(?<!\w){_QUOTE}({NAME}){_QUOTE} (?:at|in|of|on) {_QUOTE}({NAME}){_QUOTE}"), r"'\2.\1'"),
    # in Filters[0]: "Name"; Kubernetes: ValidationError(Deployment.spec): missing required field "selector"
    (
        re.compile(rf"(?:\bin (?!input\b)|\()({NAME})\)?: ((?:[a-z]+ ){{0,3}}){_QUOTE}({NAME}){_QUOTE}"),
        r"\2'\1.\3'",
    ),
)
"""Patterns with the name of an object and of its member, and the template that joins them to one path."""
LIST_PART = re.compile(NAME)
CLAUSE_ENDS = re.compile(r"\n|;\s|(?<=[a-z)'\"`])\.\s+(?=[A-Z\"'`])|(?<=[a-z)])\.$")
ALTERNATIVES = re.compile(
    r"[,.:;(]?\s?(?<!not )(?<!can't )(?<!-)\b(?!expected \"[^\"\n]{1,80}\" but received undefined)"
    r"(?:expected|allowed|valid|must be|should be|available|supported|permitted|known|possible|accepted"
    r"|did you mean|only|choose|use)"
    r"(?: to be| values?| fields| properties| parameters| options| are| is| arguments?|:){0,4}"
    r"(?: one of|:| `| '| \"|\s\[)"
    rf"(?:(?! for (?:the |\w{{1,20}} )?{_NOUN}\b|\s\({_NOUN}\b|\s-\sat\s`)[^\n\u2192]){{0,600}}",
    re.IGNORECASE,
)
"""Lists of valid alternatives."""
COMMON = word_set(
    "a an and any argument arguments body bytes class code data error errors exception field fields for format"
    " found function in input is it json key keys method missing no not null object of on one or parameter"
    " parameters params property reason request response result schema server set string that the this"
    " to token tool type types undefined validation value values with you your"
)
"""Words that are field names only in quotes."""
NOT_LISTED = word_set("expected received got must should is are was were")
"""Words that begin a sentence after a colon, not a list of names: `Invalid key: Expected never`."""
NO_SUBJECTS = COMMON.union(("resource", "entity", "record")) - word_set(
    "body class code data format input json key keys method object schema token type types url"
)
"""Those of `COMMON` that are not field names even as the subject of a sentence, and similar words."""
ABOUT_CODE = re.compile(
    r"\bhas no attribute\b|\bCannot read propert|\bis not a function\b|\bNameError\b|\bAttributeError\b"
    r"|\bundefined (?:local variable|method)\b|^\w{1,40} = \w{1,40}[\[(.]"
    r"|\bobject is not (?:subscriptable|callable|iterable)\b|\bFile name too long\b"
    r"|\b(?:not|n't) (?:yet )?(?:been )?(?:verified|activated)\b|^\s{0,8}File \"|\bCannot query field\b",
    re.IGNORECASE,
)
"""Texts about the code of a program or the text of a query, which name no field of the arguments."""
ABOUT_SOMETHING_ELSE = re.compile(
    r"\A\s{0,20}<(?:!doctype|html|\?xml)\b"
    r"|\boutput validation|\bstructured (?:content|output)\b|\b(?:unexpected|malformed) (?:api )?(?:response|reply)"
    r"|\b(?:pars\w{1,4}|decod\w{1,4}|deseriali[sz]\w{1,5}|unmarshal\w{0,5}|validat\w{1,4}|interpret\w{0,4})"
    r" (?:the |an |its )?(?:\w{1,30} ){0,2}(?:response|reply|answer|result|output)\b"
    r"|\b(?:response|reply|answer|result|output) (?:\w{1,20} ){0,2}"
    r"(?:validation|schema|pars\w{1,4}|decod\w{1,4}|does not match)"
    r"|\binvalid schema for\b|\bfunction_?declarations?\b|\btools(?:\[\d|\.\d)",
    re.IGNORECASE,
)
"""Texts about an error in a response or in a tool's definition, not in the arguments."""
IS_MISSING = re.compile(
    r"\b(?:is|are|was|field|key|value|argument|parameter|property|attribute|'required') (?:a |an )?required\b"
    r"|\bmissing\b|\brequired (?:\w{1,30} ){0,2}"
    r"(?:(?:field|parameter|param|property|argument|attribute|key|value|option|column)s?|properties)\b"
    r"|(?:must|should|has to|needs? to) be (?:provided|present|specified|supplied|given|defined|included)"
    r"|\b(?:was|were|is|are|has|been) (?:not|n't) (?:\w{1,10} )?"
    r"(?:provided|supplied|specified|given|present|set|sent|included)\b"
    r"|\b(?:wasn't|isn't|weren't) (?:provided|supplied|specified|given|present|set)|\bnot given\b|\bKeyError\b"
    r"|\b(?:must not|cannot|can't|may not|should not) be (?:null|undefined|none|nil)\b|not-null constraint|NOT NULL"
    r"|\breceived undefined\b|\bNotNull\b|_missing\b|\bmissing_|\bany\.required\b|\bnot null\b|_required\b|^required\b",
    re.IGNORECASE,
)
"""Wordings for a missing field."""
IS_UNKNOWN = re.compile(
    r"\b(?:unknown|unrecogni[sz]ed|unexpected|extra|additional|unpermitted|extraneous|unsupported|undeclared)"
    r" (?:\w{1,30} ){0,2}(?:field|parameter|param|propert(?:y|ies)|argument|attribute|key|input|option|member)"
    r"|\bunknown name \"|\bdisallowed additional|\bunspecified keys|\bwrong key\b|\bmust be removed\b"
    r"|\bexpected never\b|\btype `never`|\bextra fields found|NoAdditionalPropertiesAllowed"
    r"|\bcould not (?:find member|be mapped to any)\b"
    r"|\bshould not exist\b|\b(?:is|are) not (?:allowed|permitted|expected)(?:\W{0,3}$| here)"
    r"|\bextra (?:fields|inputs) (?:are )?not permitted|\bis not defined by type\b|\bnot marked as ignorable\b",
    re.IGNORECASE,
)
"""Wordings for a field that is not allowed."""
IS_BOUND_BY_NAME = re.compile(
    r"keyword argument|parameter in input|^json: unknown field|\bshould not exist\b|additional propert",
    re.IGNORECASE,
)
"""Wordings of programs that receive the arguments directly, so that an undeclared name is a key of them."""
CONSTRAINT = re.compile(
    rf"\b(?:constraint|index:?|for key) {_QUOTE}?(?:\w{{1,80}}\.)?(?P<name>\w{{1,80}})", re.IGNORECASE
)
"""The name of a database constraint or index, which contains that of a column: `orders_quantity_check`, `email_1`."""
MAX_CLAUSE = 1_000


class Found(NamedTuple):
    """A name in a sentence that may be the name of a field."""

    name: str
    is_marked: bool
    """Whether the text marks it as a field or it has the form of one; if not, it must be a property at the root."""
    is_literal: bool = True
    """Whether it is in quotes or after a word such as "field", so that it is a name even if the schema lacks it."""


def clauses(text: str) -> Iterator[str]:
    """Split a text into lines and sentences. Leave out those about the source code of a program."""
    for clause in CLAUSE_ENDS.split(text):
        short = clause[:MAX_CLAUSE].strip()
        if short and not ABOUT_CODE.search(short):
            yield short


def names_in_clause(clause: str) -> Iterator[Found]:
    """Yield the names that a clause may complain about, but not the valid names that it lists."""
    text = ALTERNATIVES.sub(_without_list, clause)
    for pattern, path in WITHIN:
        text = pattern.sub(path, text)
    for match in MARKED.finditer(text):
        name = _group(match)
        is_name = name.lower() not in COMMON
        yield Found(name, is_name, is_literal=is_name)
    for match in TRAILING.finditer(text):
        listed = [part[0] for part in LIST_PART.finditer(match["listed"])]
        yield from (Found(name, True) for name in listed if name.lower() not in NOT_LISTED)
    shaped = [match for pattern in (QUOTED, DOTTED) for match in pattern.finditer(text)]
    for match in sorted(shaped, key=re.Match.start):  # the field is named before the sent value
        yield Found(_group(match), True, is_literal=match.re is QUOTED)
    for pattern in (LABEL, SUBJECT, OBJECT, CODE, IDENTIFIER):
        for match in pattern.finditer(text):
            parts = _group(match).split()
            wholes = (" ".join(parts[start:]) for start in range(len(parts)))  # The due date, due date, date
            for whole in wholes:
                if whole.lower() not in (NO_SUBJECTS if pattern is SUBJECT else COMMON):
                    yield Found(whole, False, is_literal=False)


def _without_list(match: re.Match[str]) -> str:
    """Return the text that replaces a list of valid names.

    The verb is kept, because it shows that the subject is wrong.
    """
    if match[0].lstrip(" ,.:;(").lower().startswith(("must be", "should be")):
        return " must be "
    return " "


def _group(match: re.Match[str]) -> str:
    return next(group for group in match.groups() if group is not None)


def listed_as_right(text: str) -> frozenset[str]:
    """Return the words that a text lists as valid, such as `expected one of a, b` or `3 known properties:
    "a"`.
    """
    lists = [match[0] for match in ALTERNATIVES.finditer(text)]
    return frozenset(part[0] for line in lists for part in LIST_PART.finditer(line))
