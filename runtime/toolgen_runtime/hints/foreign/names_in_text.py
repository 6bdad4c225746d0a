"""Find the names of fields in sentences that other programs wrote, the most certain names first.

`places` later checks whether a name is a field of the tool, so a pattern may find too many names. Every pattern
begins at a word boundary and limits its repetitions, so that the search takes linear time.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from toolgen_runtime.hints.foreign.places import steps_in
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
_NOUN = _one_of(
    "field property properties parameter param argument attribute column key option variable input keyword header"
    " arg path member element setting pointer attr"
)
_AUXILIARY = _one_of(
    "is are was were has have had does do did must should shall can could may might need needs cannot can't isn't"
    " aren't wasn't doesn't didn't won't mustn't shouldn't required missing invalid exceeds contains already not"
    " expects expected too wrong unknown unexpected unsupported requires allows accepts takes only conflicts overlaps"
)

_TOKEN = _compiled(
    rf"(?P<noun>\b{_NOUN}s?(?: name)?\]?[:=]?\s?|\bfor (?!(?:\w+ )?{_NOUN}\b)|\u2192 at )?"
    r"(?:[\[(](?=\w))?"
    rf"(?:{_QUOTE}(?P<quoted>(?!\s|{_UNQUOTED}{{1,80}}@ ){_UNQUOTED}{{1,80}}(?<!\s)){_QUOTE}(?!\w)"
    rf"|(?<![\w.\-$/)])(?P<path>\$?(?:[A-Za-z_$][\w$\-]{{0,79}})?(?:{_STEP}{{1,16}}|{_POINTER}))"
    rf"|(?<![\w.\-$/])(?P<word>[A-Za-z_$@][\w$@\-]{{0,79}}))"
)
_LISTED = rf"[\"'`:\-]{{0,4}}{NAME}[\"'`]?"
TRAILING = _compiled(
    # Missing required fields: a, b
    r"\b(?:missing|required|requires?|unknown|unexpected|invalid|empty|unpermitted|unrecogni[sz]ed|extra|unsupported"
    rf"|unspecified)[\w ()/'-]{{0,80}}(?::\s?[\[(]?|(?:s|s found) \()"
    rf"(?P<listed>{_LISTED}(?:(?:,| and|, and)\s{_LISTED}){{0,9}})"
    r"[\])]?(?=\.?$|[\s,;)]|\.\s)"
)
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
    "a an and any are argument arguments at by bytes entity error errors exception expected field fields for found"
    " from function got has in is it missing must no not null of on one or parameter parameters params property reason"
    " received record request resource response result schema server set should string that the this to tool undefined"
    " validation value values was were with you your"
)
"""Words that are field names only in quotes."""
VAGUE = COMMON | word_set(
    "body class code data format input json key keys method object token type types url"
)
"""These, and words that are field names only as the subject of a sentence: not in `invalid token`."""
NOT_LISTED = word_set("expected received got must should could is are was were")
"""Words that begin a sentence after a colon, not a list of names: `Invalid key: Expected never`."""
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
    r"|\"loc\": ?\[\"response\"|\binvalid schema for\b|\bfunction_?declarations?\b|\btools(?:\[\d|\.\d)",
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
    r" (?:\w{1,30} ){0,2}(?:field|parameter|param|propert(?:y|ies)|argument|attribute|key|input|option|member)(?! name)"
    r"|\bunknown name \"|\bdisallowed additional|\bunspecified keys|\bwrong key\b|\bmust be removed\b"
    r"|\bexpected never\b|\btype `never`|\bextra fields found|NoAdditionalPropertiesAllowed"
    r"|\bcould not (?:find member|be mapped to any)\b"
    r"|\bshould not exist\b|\b(?:is|are) not (?:allowed|permitted|expected)(?:\W{0,3}$| here)"
    r"|\bextra (?:fields|inputs) (?:are )?not permitted|\bis not defined by type\b|\bnot marked as ignorable\b",
    re.IGNORECASE,
)
"""Wordings for a field that is not allowed."""
CONSTRAINT = re.compile(
    rf"\b(?:constraint|index:?|for key) {_QUOTE}?(?:\w{{1,80}}\.)?(?P<name>\w{{1,80}})", re.IGNORECASE
)
"""The name of a database constraint or index, which contains that of a column: `orders_quantity_check`, `email_1`."""
OF_REQUEST = re.compile(r"\bunknown name \"", re.IGNORECASE)
"""Google's words for a key of the request to its service, which the tool makes: it may be none of the arguments."""
MAX_CLAUSE = 1_000


class Found(NamedTuple):
    """A name in a sentence that may be the name of a field."""

    name: str
    is_marked: bool
    """Whether the text marks it as a name or it has the form of one; if not, it must be a property at the root."""

    @property
    def steps(self) -> tuple[str | int, ...]:
        """The name as a path."""
        if " " in self.name:
            return (self.name,)
        return steps_in(self.name)


def clauses(text: str) -> Iterator[str]:
    """Split a text into lines and sentences. Leave out those about the source code of a program."""
    for clause in CLAUSE_ENDS.split(text):
        short = clause[:MAX_CLAUSE].strip()
        if short and not ABOUT_CODE.search(short):
            yield short


def names_in_clause(clause: str) -> Iterator[Found]:
    """Yield the names that a clause may complain about, but not the valid names that it lists.

    The names that the text marks come first.
    """
    text = ALTERNATIVES.sub(" must be ", clause)  # the verb still shows that the subject is wrong
    for pattern, path in WITHIN:
        text = pattern.sub(path, text)
    for match in TRAILING.finditer(text):
        listed = [part[0] for part in LIST_PART.finditer(match["listed"])]
        yield from (Found(name, True) for name in listed if name.lower() not in NOT_LISTED)
    tokens = sorted(_TOKEN.finditer(text), key=lambda token: token["noun"] is None)
    for token in tokens:
        name = token["quoted"] or token["path"] or token["word"]
        if token["word"] is None or (token["noun"] and name.lower() not in COMMON):
            yield Found(name, True)
    for pattern in (LABEL, SUBJECT, OBJECT, CODE, IDENTIFIER):
        for match in pattern.finditer(text):
            words = next(filter(None, match.groups())).split()
            for start in range(len(words)):  # The due date, due date, date
                phrase = " ".join(words[start:])
                if phrase.lower() not in (COMMON if pattern is SUBJECT else VAGUE):
                    yield Found(phrase, False)
