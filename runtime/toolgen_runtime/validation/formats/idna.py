"""Labels of IDNA 2008: their code points (RFC 5892), their two forms (RFC 5891) and the bidi rule (RFC 5893).

The rules are computed from `unicodedata` and thus follow the interpreter's version of Unicode. A code point that is
unassigned in that version is not allowed. Only the joining types need a table, because `unicodedata` lacks them.
"""

from __future__ import annotations

import re
from functools import lru_cache
from unicodedata import bidirectional, category, combining, is_normalized, name, normalize

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

_is_ldh_label = re.compile("[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?").fullmatch


def ascii_and_unicode(label: str) -> tuple[str, str] | None:
    """Return the ASCII form and the Unicode form of a label. They are equal unless one starts with `xn--`.

    Return None if the label is invalid.
    """
    if not label.isascii():
        if len(label) > 59 or not is_u_label(label):  # Punycode has at least one digit for each character.
            return None
        ascii_form = _to_ascii(label)
        if len(ascii_form) <= 63:
            return (ascii_form, label)
        return None
    if _is_ldh_label(label) is None:
        return None
    ascii_form = label.lower()
    if not ascii_form.startswith("xn--"):
        return ascii_form, ascii_form
    try:
        unicode_form = ascii_form[4:].encode("ascii").decode("punycode")
    except ValueError:
        return None
    if unicode_form.isascii() or not is_u_label(unicode_form) or _to_ascii(unicode_form) != ascii_form:
        return None
    return ascii_form, unicode_form


def _to_ascii(label: str) -> str:
    return "xn--" + label.encode("punycode").decode("ascii")


def is_u_label(label: str) -> bool:
    """Return whether a label passes the tests of RFC 5891, section 4.2: NFC, hyphens, first character, code points."""
    if label.startswith("-") or label.endswith("-") or label[2:4] == "--":
        return False
    if not label or not is_normalized("NFC", label) or category(label[0])[0] == "M":
        return False
    for index, char in enumerate(label):
        rule = _CONTEXT_RULES.get(char)
        if not (_is_pvalid(char) if rule is None else rule(label, index)):
            return False
    return True


# ---------------------------------------------------------------- code points (RFC 5892 section 2 and 3)

_EXCEPTIONALLY_VALID = frozenset("\u00df\u03c2\u06fd\u06fe\u0f0b\u3007")
_EXCEPTIONALLY_DISALLOWED = frozenset("\u0640\u07fa\u302e\u302f\u3031\u3032\u3033\u3034\u3035\u303b")
_LETTER_DIGITS = frozenset(("Ll", "Lu", "Lo", "Nd", "Lm", "Mn", "Mc"))
# The letters and marks among old Hangul jamo, default ignorable code points and ignorable blocks.
_is_ignorable = re.compile(
    "[\u034f\u1100-\u11ff\u17b4\u17b5\u180b-\u180d\u180f\u20d0-\u20ff\ua960-\ua97c\ud7b0-\ud7c6\ud7cb-\ud7fb"
    "\ufe00-\ufe0f\U0001d100-\U0001d24f\U000e0100-\U000e01ef]"
).fullmatch


@lru_cache(maxsize=4096)
def _is_pvalid(char: str) -> bool:
    if char in _EXCEPTIONALLY_VALID or char == "-":
        return True
    if char in _EXCEPTIONALLY_DISALLOWED or category(char) not in _LETTER_DIGITS:
        return False
    if _is_ignorable(char) is not None:
        return False
    return normalize("NFKC", normalize("NFKC", char).casefold()) == char


# ---------------------------------------------------------------- contexts (RFC 5892 appendix A)

_VIRAMA = 9


def _ranges(table: str) -> str:
    """Return the inside of a character class for hexadecimal code points and ranges."""
    steps = (part.partition("-") for part in table.split())
    return "".join(f"{chr(int(a, 16))}-{chr(int(b or a, 16))}" for a, _, b in steps)


# Joining_Type, from DerivedJoiningType.txt of the Unicode Character Database, version 18: Dual_, Left_ and
# Right_Joining. Transparent follows from the general category. Update by hand with each version of Unicode.
_DUAL = """
620 626 628 62A-62E 633-63F 641-647 649-64A 66E-66F 678-687 69A-6BF 6C1-6C2 6CC 6CE 6D0-6D1 6FA-6FC 6FF
712-714 71A-71D 71F-727 729 72B 72D-72E 74E-758 75C-76A 76D-770 772 775-777 77A-77F 7CA-7EA 841-845 848
84A-853 855 860 862-865 868 886 889-88D 88F 8A0-8A9 8AF-8B0 8B3-8B8 8BA-8C8 1807 1820-1878 1887-18A8 18AA
A840-A871 10AC0-10AC4 10AD3-10AD6 10AD8-10ADC 10ADE-10AE0 10AEB-10AEE 10B80 10B82 10B86-10B88 10B8A-10B8B
10B8D 10B90 10BAD-10BAE 10D01-10D21 10D23 10EC3-10EC4 10EC6-10EC7 10F30-10F32 10F34-10F44 10F51-10F53
10F70-10F73 10F76-10F81 10FB0 10FB2-10FB3 10FB8 10FBB-10FBC 10FBE-10FBF 10FC1 10FC4 10FCA 1E900-1E943
"""
_LEFT = "A872 10ACD 10AD7 10D00 10ED9-10EEE 10FCB"
_RIGHT = """
622-625 627 629 62F-632 648 671-673 675-677 688-699 6C0 6C3-6CB 6CD 6CF 6D2-6D3 6D5 6EE-6EF 710 715-719 71E
728 72A 72C 72F 74D 759-75B 76B-76C 771 773-774 778-779 840 846-847 849 854 856-858 867 869-86A 870-882 88E
8AA-8AC 8AE 8B1-8B2 8B9 10AC5 10AC7 10AC9-10ACA 10ACE-10AD2 10ADD 10AE1 10AE4 10AEF 10B81 10B83-10B85 10B89
10B8C 10B8E-10B8F 10B91 10BA9-10BAC 10D22 10EC2 10F33 10F54 10F74-10F75 10FB4-10FB6 10FB9-10FBA 10FBD
10FC2-10FC3 10FC9
"""


_joins_what_follows = re.compile(f"[{_ranges(_DUAL + _LEFT)}]").fullmatch
_joins_what_precedes = re.compile(f"[{_ranges(_DUAL + _RIGHT)}]").fullmatch


def _non_joiner(label: str, index: int) -> bool:
    if _joiner(label, index):
        return True
    before, after = _first_opaque(reversed(label[:index])), _first_opaque(label[index + 1 :])
    return _joins_what_follows(before) is not None and _joins_what_precedes(after) is not None


def _first_opaque(chars: Iterable[str]) -> str:
    """Return the first character whose Joining_Type is not Transparent, or `""`."""
    return next((c for c in chars if category(c) not in ("Mn", "Me", "Cf")), "")


def _joiner(label: str, index: int) -> bool:
    return index > 0 and combining(label[index - 1]) == _VIRAMA


def _in_script(char: str, *prefixes: str) -> bool:
    """Return whether a character's name begins with a prefix.

    For these scripts, this is equivalent to its Script property.
    """
    if char:
        return name(char, "").startswith(prefixes)
    return False


_JAPANESE = ("HIRAGANA ", "HENTAIGANA ", "KATAKANA ", "CJK ")
_OTHER_HAN = frozenset("\u3005\u3007\U00016fe3\U00016ff0\U00016ff1")
_ARABIC_INDIC, _EXTENDED = (frozenset(map(chr, range(zero, zero + 10))) for zero in (0x660, 0x6F0))

_CONTEXT_RULES: dict[str, Callable[[str, int], bool]] = {
    "\u200c": _non_joiner,
    "\u200d": _joiner,
    "\u00b7": lambda label, at: label[max(at - 1, 0) : at + 2] == "l\u00b7l",
    "\u0375": lambda label, at: _in_script(label[at + 1 : at + 2], "GREEK "),
    **dict.fromkeys("\u05f3\u05f4", lambda label, at: _in_script(label[at - 1 : at], "HEBREW ")),
    "\u30fb": lambda label, _: any(
        c != "\u30fb" and (c in _OTHER_HAN or _in_script(c, *_JAPANESE)) for c in label
    ),
    **dict.fromkeys(_ARABIC_INDIC, lambda label, _: _EXTENDED.isdisjoint(label)),
    **dict.fromkeys(_EXTENDED, lambda label, _: _ARABIC_INDIC.isdisjoint(label)),
}
"""The context that each character requires, as a predicate of the label and the character's index."""

# ---------------------------------------------------------------- the bidi rule (RFC 5893 section 2)

_RIGHT_TO_LEFT = frozenset(("R", "AL", "AN"))
_IN_RIGHT_TO_LEFT = frozenset(("R", "AL", "AN", "EN", "ES", "CS", "ET", "ON", "BN", "NSM"))
_IN_LEFT_TO_RIGHT = frozenset(("L", "EN", "ES", "CS", "ET", "ON", "BN", "NSM"))


def satisfy_bidi_rule(labels: Sequence[str]) -> bool:
    """Return whether a domain satisfies the bidi rule, or need not satisfy it. Its labels are in Unicode
    form.
    """
    classes = [[bidirectional(c) for c in label] for label in labels]
    if all(_RIGHT_TO_LEFT.isdisjoint(label) for label in classes):
        return True
    return all(map(_obeys_bidi_rule, classes))


def _obeys_bidi_rule(classes: list[str]) -> bool:
    last = next((c for c in reversed(classes) if c != "NSM"), "")
    if classes[0] == "L":
        return last in ("L", "EN") and _IN_LEFT_TO_RIGHT.issuperset(classes)
    if classes[0] not in ("R", "AL") or ("EN" in classes and "AN" in classes):
        return False
    return last in ("R", "AL", "EN", "AN") and _IN_RIGHT_TO_LEFT.issuperset(classes)
