"""The `\\p{...}` names of ECMA-262 (22.2.1, tables "Non-binary" and "Binary Unicode property aliases").

Names are case-sensitive. Scripts are not listed here, since new ones are added every year: only the form of
a name is checked, and the engine decides whether the script exists.
"""

from __future__ import annotations

import re

from toolgen.patterns.charsets import EVERYTHING, Ranges
from toolgen.patterns.nodes import Property

_CATEGORIES = """
C Other; Cc Control cntrl; Cf Format; Cn Unassigned; Co Private_Use; Cs Surrogate;
L Letter; LC Cased_Letter; Ll Lowercase_Letter; Lm Modifier_Letter; Lo Other_Letter; Lt Titlecase_Letter;
Lu Uppercase_Letter; M Mark Combining_Mark; Mc Spacing_Mark; Me Enclosing_Mark; Mn Nonspacing_Mark;
N Number; Nd Decimal_Number digit; Nl Letter_Number; No Other_Number;
P Punctuation punct; Pc Connector_Punctuation; Pd Dash_Punctuation; Pe Close_Punctuation;
Pf Final_Punctuation; Pi Initial_Punctuation; Po Other_Punctuation; Ps Open_Punctuation;
S Symbol; Sc Currency_Symbol; Sk Modifier_Symbol; Sm Math_Symbol; So Other_Symbol;
Z Separator; Zl Line_Separator; Zp Paragraph_Separator; Zs Space_Separator
"""
CATEGORIES = {name: names.split()[0] for names in _CATEGORIES.split(";") for name in names.split()}
"""The short name of each General_Category value, by every name of it."""

_BINARY = """
Alphabetic Alpha; Assigned; Bidi_Control Bidi_C; Bidi_Mirrored Bidi_M; Case_Ignorable CI; Cased;
Changes_When_Casefolded CWCF; Changes_When_Casemapped CWCM; Changes_When_Lowercased CWL;
Changes_When_NFKC_Casefolded CWKCF; Changes_When_Titlecased CWT; Changes_When_Uppercased CWU; Dash;
Default_Ignorable_Code_Point DI; Deprecated Dep; Diacritic Dia; Emoji; Emoji_Component EComp;
Emoji_Modifier EMod; Emoji_Modifier_Base EBase; Emoji_Presentation EPres; Extended_Pictographic ExtPict;
Extender Ext; Grapheme_Base Gr_Base; Grapheme_Extend Gr_Ext; Hex_Digit Hex; IDS_Binary_Operator IDSB;
IDS_Trinary_Operator IDST; ID_Continue IDC; ID_Start IDS; Ideographic Ideo; Join_Control Join_C;
Logical_Order_Exception LOE; Lowercase Lower; Math; Noncharacter_Code_Point NChar; Pattern_Syntax Pat_Syn;
Pattern_White_Space Pat_WS; Quotation_Mark QMark; Radical; Regional_Indicator RI; Sentence_Terminal STerm;
Soft_Dotted SD; Terminal_Punctuation Term; Unified_Ideograph UIdeo; Uppercase Upper; Variation_Selector VS;
White_Space space; XID_Continue XIDC; XID_Start XIDS
"""
BINARY = {name: names.split()[0] for names in _BINARY.split(";") for name in names.split()}
"""The long name of each binary property, by every name of it."""

_ASCII_HEX: Ranges = ((0x30, 0x39), (0x41, 0x46), (0x61, 0x66))
FIXED: dict[str, Ranges] = {
    "Any": EVERYTHING,
    "ASCII": ((0, 0x7F),),
    "ASCII_Hex_Digit": _ASCII_HEX,
    "AHex": _ASCII_HEX,
}
"""Properties that are the same in every version of Unicode."""

_SCRIPT_SHAPE = re.compile(r"[A-Z][A-Za-z]*(_[A-Z][A-Za-z]*)*")


def lookup(text: str) -> Ranges | Property | None:
    """Return the property that the text in the braces of a `\\p{...}` names; None if ECMA-262 has no such property."""
    name, equals, value = text.partition("=")
    if not equals:
        if name in FIXED:
            return FIXED[name]
        if name in CATEGORIES:
            return Property("gc", CATEGORIES[name])
        return Property("binary", BINARY[name]) if name in BINARY else None
    if name in ("General_Category", "gc"):
        return Property("gc", CATEGORIES[value]) if value in CATEGORIES else None
    if not _SCRIPT_SHAPE.fullmatch(value):
        return None
    if name in ("Script", "sc"):
        return Property("sc", value)
    return Property("scx", value) if name in ("Script_Extensions", "scx") else None
