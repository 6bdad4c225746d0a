r"""The format `regex`: ECMA-262 regular expressions with the `u` flag (edition 11, which 2020-12 cites).

The check is one pass over the tokens with a stack of open groups, so neither depth nor length is limited. Nothing is
matched here; patterns are compiled when a package is generated. For a script (`\p{Script=...}`), only the form of the
name is checked, because each version of Unicode adds more scripts.
"""

from __future__ import annotations

import re

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Literal

_HEX = "[0-9A-Fa-f]"
_ESCAPE = (
    rf"\\(?:[bfnrtv]|c[A-Za-z]|0(?![0-9])|x{_HEX}{{2}}|[\^$\\.*+?()\[\]{{}}|/]"
    rf"|u(?:[Dd][89ABab]{_HEX}{{2}}\\u[Dd][C-Fc-f]{_HEX}{{2}}|{_HEX}{{4}}"
    rf"|\{{(?:0*+(?:10{_HEX}{{4}}|{_HEX}{{1,5}})|0++)\}}))"
)
_SET = r"\\[dDsSwW]|\\[pP]\{(?P<property>[^}]*+)\}"
_token = re.compile(
    rf"(?P<set>{_SET})|(?P<assertion>[\^$]|\\[bB])|(?P<atom>[^\\^$*+?()\[\]{{}}|]++|{_ESCAPE})"
    r"|(?P<quantifier>(?:[*+?]|\{(?P<low>[0-9]++)(?:,(?P<high>[0-9]++)?)?\})\??)"
    r"|(?P<look>\(\?<?[=!])|(?P<group>\((?:\?:|(?!\?)|\?<(?P<name>[^>]++)>))|(?P<close>\))|(?P<bar>\|)"
    r"|(?P<open>\[\^?)|(?P<reference>\\(?:(?P<number>[1-9][0-9]*+)|k<(?P<named>[^>]++)>))"
).match
_class_atom = re.compile(rf"(?P<set>{_SET})|(?P<character>[^\\\]]|\\-|{_ESCAPE})").match
ESCAPE = re.compile(_ESCAPE)
r"""An escape of one character outside a class; also `\b`, which stands for a character only inside a class."""
_ATOMS = frozenset(("set", "atom", "open", "reference"))
_is_script = re.compile(
    "(?:Script|sc)(?:_Extensions|x)?=(?:[A-Z][a-z]+(?:_[A-Z][a-z]*)*|SignWriting)"
).fullmatch


def is_regex(text: str) -> bool:
    """Return whether a string is a `Pattern[+U, +N]`.

    Escapes, braces and brackets are strict, and every reference must have a target.
    """
    at = groups = highest = 0
    names, references = set[str](), set[str]()
    open_groups: list[bool] = []  # Whether a quantifier may follow the group.
    is_quantifiable = False
    while at < len(text):
        token = _token(text, at)
        if token is None or not _has_valid_property(token):
            return False
        at, kind = token.end(), token.lastgroup
        after_atom, is_quantifiable = is_quantifiable, kind in _ATOMS
        if kind == "quantifier":
            if not after_atom or _is_out_of_order(token["low"], token["high"]):
                return False
        elif kind == "close":
            if not open_groups:
                return False
            is_quantifiable = open_groups.pop()
        elif kind in ("look", "group"):
            open_groups.append(kind == "group")
            groups += kind == "group" and token[0] != "(?:"
            if name := token["name"]:
                if name in names or not _is_name(name):
                    return False
                names.add(name)
        elif kind == "open":
            at = _class_end(text, at)
        elif kind == "reference":
            highest = max(highest, int((token["number"] or "0")[:9]))
            references.update((token["named"],) if token["named"] else ())
        if at < 0:
            return False
    return not open_groups and references <= names and highest <= groups


def _is_name(text: str) -> bool:
    """Return whether a string can name a group: an identifier of ECMAScript, which may contain escapes."""
    return "\\u" in text or re.sub("^[$]|(?<!^)[$\u200c\u200d]", "_", text).isidentifier()


def _is_out_of_order(low: str | None, high: str | None) -> bool:
    """Return whether a quantifier's lower bound exceeds its upper bound. The bounds may have any number of digits."""
    low, high = (low or "").lstrip("0"), None if high is None else high.lstrip("0")
    return high is not None and (len(low), low) > (len(high), high)


def _has_valid_property(token: re.Match[str]) -> bool:
    r"""Return whether the `\p{...}` in a token names a property that exists.

    Return True for a token without such a name.
    """
    return token["property"] is None or property_of(token["property"]) is not None


def property_of(text: str) -> tuple[Literal["gc", "sc", "scx", "binary"], str] | None:
    """Parse the content of a `\\p{...}` into the kind and value of a property; return None if ECMA-262 has no
    such property.
    """
    kind, _, value = text.partition("=")
    category = GENERAL_CATEGORIES.get(value if kind in ("General_Category", "gc") else text)
    if category is not None:
        return "gc", category
    if _is_script(text):
        return ("sc" if kind in ("Script", "sc") else "scx"), value
    if text in BINARY_PROPERTIES:
        return ("binary", text)
    return None


def _class_end(text: str, at: int) -> int:
    """Return the index after the `]` of a character class whose members start at `at`; -1 if it is malformed."""
    while text[at : at + 1] != "]":
        atom = _class_atom(text, at)
        if atom is None or not _has_valid_property(atom):
            return -1
        at = atom.end()
        if text[at : at + 1] == "-" and text[at + 1 : at + 2] != "]":
            last = _class_atom(text, at + 1)
            low, high = atom["character"], None if last is None else last["character"]
            if last is None or not low or not high or code_point(low) > code_point(high):
                return -1
            at = last.end()
    return at + 1


_CONTROLS = {"b": 8, "t": 9, "n": 10, "v": 11, "f": 12, "r": 13, "0": 0}


def code_point(character: str) -> int:
    """Return the code point of a character, or of a character escape, in a character class."""
    if len(character) == 1:
        return ord(character)
    kind, digits = character[1], character[2:]
    if kind == "u" and digits[4:6] == "\\u":  # a surrogate pair
        return 0x10000 + ((int(digits[:4], 16) & 0x3FF) << 10) + (int(digits[6:], 16) & 0x3FF)
    if kind in "ux":
        return int(digits.strip("{}"), 16)
    if kind == "c":
        return ord(digits) % 32
    return _CONTROLS.get(kind, ord(kind))


# ---------------------------------------------------------------- names in `\p{...}` (section 22.2.1.1), case-sensitive

_GENERAL_CATEGORIES = """
C Other Cc Control cntrl Cf Format Cn Unassigned Co Private_Use Cs Surrogate L Letter LC Cased_Letter Ll
Lowercase_Letter Lm Modifier_Letter Lo Other_Letter Lt Titlecase_Letter Lu Uppercase_Letter M Mark
Combining_Mark Mc Spacing_Mark Me Enclosing_Mark Mn Nonspacing_Mark N Number Nd Decimal_Number digit Nl
Letter_Number No Other_Number P Punctuation punct Pc Connector_Punctuation Pd Dash_Punctuation Pe
Close_Punctuation Pf Final_Punctuation Pi Initial_Punctuation Po Other_Punctuation Ps Open_Punctuation S
Symbol Sc Currency_Symbol Sk Modifier_Symbol Sm Math_Symbol So Other_Symbol Z Separator Zl Line_Separator Zp
Paragraph_Separator Zs Space_Separator
"""


def _short_names() -> dict[str, str]:
    found: dict[str, str] = {}
    short = ""
    for name in _GENERAL_CATEGORIES.split():
        short = name if len(name) <= 2 else short
        found[name] = short
    return found


GENERAL_CATEGORIES = _short_names()
"""The short name of each value of General_Category, looked up by any of its names."""

_BINARY_PROPERTIES = """
ASCII ASCII_Hex_Digit AHex Alphabetic Alpha Any Assigned Bidi_Control Bidi_C Bidi_Mirrored Bidi_M
Case_Ignorable CI Cased Changes_When_Casefolded CWCF Changes_When_Casemapped CWCM Changes_When_Lowercased
CWL Changes_When_NFKC_Casefolded CWKCF Changes_When_Titlecased CWT Changes_When_Uppercased CWU Dash
Default_Ignorable_Code_Point DI Deprecated Dep Diacritic Dia Emoji Emoji_Component EComp Emoji_Modifier EMod
Emoji_Modifier_Base EBase Emoji_Presentation EPres Extended_Pictographic ExtPict Extender Ext Grapheme_Base
Gr_Base Grapheme_Extend Gr_Ext Hex_Digit Hex IDS_Binary_Operator IDSB IDS_Trinary_Operator IDST ID_Continue
IDC ID_Start IDS Ideographic Ideo Join_Control Join_C Logical_Order_Exception LOE Lowercase Lower Math
Noncharacter_Code_Point NChar Pattern_Syntax Pat_Syn Pattern_White_Space Pat_WS Quotation_Mark QMark Radical
Regional_Indicator RI Sentence_Terminal STerm Soft_Dotted SD Terminal_Punctuation Term Unified_Ideograph
UIdeo Uppercase Upper Variation_Selector VS White_Space space XID_Continue XIDC XID_Start XIDS
"""
BINARY_PROPERTIES = frozenset(_BINARY_PROPERTIES.split())
"""Every name of a binary property."""
