"""Tools as TypeScript declarations: what a model needs to write calls, and no more."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence

from toolgen.python.models.views import ClassView, DictOf, FieldView, ListOf, Scalar, Strings, Union, View
from toolgen.signatures.field_text import about, printable
from toolgen.signatures.shared_types import SharedTypes
from toolgen.signatures.signature import Signature

_SCALARS = {
    "Any": "unknown",
    "None": "null",
    "bool": "boolean",
    "str": "string",
    "JsonInteger": "number",
    "JsonNumber": "number",
}
_NAME = re.compile(r"[A-Za-z_$][A-Za-z0-9_$]*", re.ASCII)
_RESERVED = frozenset((
    "break", "case", "catch", "class", "const", "continue", "debugger", "default", "delete", "do", "else",
    "enum", "export", "extends", "false", "finally", "for", "function", "if", "import", "in", "instanceof",
    "new", "null", "return", "super", "switch", "this", "throw", "true", "try", "typeof", "var", "void",
    "while", "with",
))  # fmt: skip


def typescript_stubs(signatures: Sequence[Signature]) -> str:
    """Return the declarations of some tools as the text of a `.d.ts` file."""
    types = _Types(signatures)
    functions = [types.function(signature) for signature in signatures]
    interfaces = [f"interface {name} {body}" for name, body in types.bodies]
    return (
        "\n".join(["export {}", *interfaces, *functions]) + "\n"
    )  # a module: nothing merges with the DOM's types


class _Types(SharedTypes):
    """The types as TypeScript writes them."""

    def type(self, view: View) -> str:
        match view:
            case Scalar(kind):
                return _SCALARS[kind]
            case Strings(values):
                return " | ".join(_string(value) for value in values)
            case ListOf(item):
                inner = self.type(item)
                return f"({inner})[]" if " | " in inner else f"{inner}[]"
            case DictOf(value):
                return f"Record<string, {self.type(value)}>"
            case Union(members):
                return " | ".join(map(self.type, members))
            case ClassView():
                return self.name(view) if view.root is None else self.type(view.root)

    def body(self, view: ClassView) -> str:
        return self._braced(view.fields)

    def _braced(self, fields: Sequence[FieldView], extra: View | None = None) -> str:
        members = [self._member(field) for field in fields]
        if extra is not None:
            members.append(f"[key: string]: {'unknown' if fields else self.type(extra)}")
        if any("//" in member for member in members):
            return "{\n" + "\n".join(members) + "\n}"
        return "{" + "; ".join(members) + "}"

    def _member(self, field: FieldView) -> str:
        key = field.key if _NAME.fullmatch(field.key) else _string(field.key)
        declared = f"{key}{'' if field.required else '?'}: {self.type(field.type)}"
        text = about(field)
        if field.default is not None:
            default = f"default {json.dumps(field.default)}"
            text = f"{text}, {default}" if text else default
        return f"{declared} // {text}" if text else declared

    def function(self, signature: Signature) -> str:
        """Return the declaration of a tool."""
        if signature.payload is not None:
            parameters = f"args: {self.type(signature.payload)}"
        elif signature.fields or signature.extra is not None:
            optional = "" if any(field.required for field in signature.fields) else "?"
            parameters = f"args{optional}: {self._braced(signature.fields, signature.extra)}"
        else:
            parameters = ""
        name = f"{signature.name}_" if signature.name in _RESERVED else signature.name
        declared = f"declare function {name}({parameters}): Promise<{self.type(signature.result)}>"
        text = printable(signature.spec.description.strip()).replace("*/", "*\\/")
        return f"/** {text} */\n{declared}" if text else declared


def _string(text: str) -> str:
    return json.dumps(printable(text), ensure_ascii=False)
