"""Write tools as function declarations for the context of a model.

The declarations are in a programming language and contain only what calls need.
"""

from __future__ import annotations

import json
import re
from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from toolgen.compiler.codegen.literals import literal
from toolgen.compiler.python.identifiers import Identifier, class_name, module_names
from toolgen.compiler.python.models.views import (
    ClassView,
    DictOf,
    FieldView,
    ListOf,
    Scalar,
    Strings,
    Union,
    View,
)
from toolgen.compiler.schema.lower import LowerOptions
from toolgen.compiler.short_text import printable
from toolgen.compiler.signatures.client_files import parameters, type_code, typing_names
from toolgen.compiler.signatures.signature import (
    Signature,
    about,
    is_parameter_name,
    signatures_of,
)
from toolgen.compiler.specs.tool_spec import ToolSpec

RESERVED: Final = frozenset((
    "Any", "Array", "Item", "Literal", "NotRequired", "Promise", "Record", "Result", "TypedDict", "Unpack",
))  # fmt: skip
"""Names that the declarations use themselves, and words that mean little on their own."""
_WORD: Final = re.compile("[A-Z]")


def stubs(specs: Sequence[ToolSpec], language: str, options: LowerOptions) -> str:
    """Return the declarations of tools as text.

    The format is `python-stubs` (a `.pyi`) or `typescript-stubs` (a `.d.ts`).

    A function has the same name as the tool's method in a client. Tools that cannot be built are left out.
    """
    names = module_names(spec.name for spec in specs)
    return _LANGUAGES[language](signatures_of([(spec, names[spec.name]) for spec in specs], options)).text()


class _Declarations(ABC):
    """The declarations that some signatures need.

    Object types have short names, and types with the same body share one name.
    """

    def __init__(self, signatures: Sequence[Signature]) -> None:
        self.signatures = signatures
        self._names: dict[ClassView, str] = {}
        self.bodies: dict[str, str] = {}
        """The bodies by name, each after those that it names unless it is recursive."""
        for signature in signatures:
            for suffix, classes in (("", signature.classes), ("Result", signature.result_classes)):
                prefix = class_name(signature.spec.name, suffix)
                for view in classes:
                    self._add(view, _without(view.name, prefix))

    def _add(self, view: ClassView, whole: str) -> None:
        for name in (*_endings(whole), view.name):
            self._names[view] = name
            body = self.body(view)
            if self.bodies.setdefault(name, body) == body:
                return

    def name(self, view: ClassView) -> str:
        """Return the name for an object type."""
        return self._names.get(view, view.name)

    def text(self) -> str:
        """Return the text of the whole file."""
        functions = [self.function(signature) for signature in self.signatures]
        types = [self.declared(name, body) for name, body in self.bodies.items()]
        return "\n".join([*self.head(), *types, *functions]) + "\n"

    @abstractmethod
    def head(self) -> list[str]:
        """Return the first lines of the file."""

    @abstractmethod
    def declared(self, name: str, body: str) -> str:
        """Return the declaration of an object type."""

    @abstractmethod
    def body(self, view: ClassView) -> str:
        """Return the inside of an object type's declaration, between the braces or below the first line."""

    @abstractmethod
    def function(self, signature: Signature) -> str:
        """Return the declaration of a tool as a function."""


def _without(name: str, prefix: str) -> str:
    """Remove the tool's own name from the beginning of a name, unless the rest is not a valid name."""
    rest = name.removeprefix(prefix)
    return rest if rest[:1].isalpha() and rest[:1].isupper() else name


def _endings(name: str) -> Iterator[str]:
    """Yield the endings of a name in whole words, starting with the shortest: `Edit`, `FileEdit`."""
    starts = [match.start() for match in _WORD.finditer(name)]
    yield from (name[start:] for start in reversed(starts) if name[start:] not in RESERVED)


class _Python(_Declarations):
    def head(self) -> list[str]:
        used = sorted(typing_names(self.signatures))
        if used:
            return [f"from typing import {', '.join(used)}"]
        return []

    def type(self, view: View) -> str:
        return type_code(view, self.name).text

    def body(self, view: ClassView) -> str:
        if all(is_parameter_name(field.key) for field in view.fields):
            members = (_with_comment(f"{one.key}: {self._member(one)}", one) for one in view.fields)
            return "\n".join(members) or "..."
        return self._items(view.fields)

    def _items(self, fields: Sequence[FieldView]) -> str:
        items = (
            _with_comment(f"{literal(field.key).text}: {self._member(field)},", field) for field in fields
        )
        return "{\n" + "\n".join(items) + "\n}"

    def _member(self, field: FieldView) -> str:
        written = self.type(field.type)
        if field.required:
            return written
        return f"NotRequired[{written}]"

    def declared(self, name: str, body: str) -> str:
        if body.startswith("{"):
            return f"{name} = TypedDict({literal(name).text}, {body})"
        lines = body.replace("\n", "\n ")
        return f"class {name}(TypedDict):\n {lines}"

    def function(self, signature: Signature) -> str:
        head, end = f"async def {signature.name}(", f") -> {self.type(signature.result)}: "
        more = Identifier(f"{signature.name}_more")
        if signature.has_more:  # parameters whose names Python does not allow
            head = f"{self.declared(more, self._items(signature.other_fields))}\n{head}"
        given = [*parameters(signature, more, self.name, has_defaults=True)]
        lines = [_with_comment(f"{code.text},", field) if field else f"{code.text}," for code, field in given]
        if any("#" in line for line in lines):
            inner = "\n " + "\n ".join(lines) + "\n"
        else:
            inner = " ".join(lines).removesuffix(",")
        text = printable(signature.spec.description.strip())
        return f"{head}{inner}{end}{_docstring(text) if text else '...'}"


def _with_comment(code: str, field: FieldView) -> str:
    text = about(field)
    if text:
        return f"{code}  # {text}"
    return code


def _docstring(text: str) -> str:
    text = text.replace("\\", "\\\\").replace('"""', '\\"\\"\\"')
    if text.endswith('"'):
        return f'"""{text} """'
    return f'"""{text}"""'


_SCALARS: Final = {
    "Any": "unknown",
    "None": "null",
    "bool": "boolean",
    "str": "string",
    "JsonInteger": "number",
    "JsonNumber": "number",
}
_NAME: Final = re.compile(r"[A-Za-z_$][A-Za-z0-9_$]*", re.ASCII)
_KEYWORDS: Final = frozenset((
    "break", "case", "catch", "class", "const", "continue", "debugger", "default", "delete", "do", "else",
    "enum", "export", "extends", "false", "finally", "for", "function", "if", "import", "in", "instanceof",
    "new", "null", "return", "super", "switch", "this", "throw", "true", "try", "typeof", "var", "void",
    "while", "with",
))  # fmt: skip


class _TypeScript(_Declarations):
    def head(self) -> list[str]:
        return ["export {}"]  # a module, so that its types do not merge with the DOM's

    def type(self, view: View) -> str:
        match view:
            case Scalar(kind):
                return _SCALARS[kind]
            case Strings(values):
                return " | ".join(_string(value) for value in values)
            case ListOf(item):
                inner = self.type(item)
                if " | " in inner:
                    return f"({inner})[]"
                return f"{inner}[]"
            case DictOf(value):
                return f"Record<string, {self.type(value)}>"
            case Union(members):
                return " | ".join(map(self.type, members))
            case ClassView():
                if view.root is None:
                    return self.name(view)
                return self.type(view.root)

    def declared(self, name: str, body: str) -> str:
        return f"interface {name} {body}"

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
        default = "" if field.default is None else f"default {json.dumps(field.default)}"
        text = ", ".join(filter(None, (about(field), default)))
        if text:
            return f"{declared} // {text}"
        return declared

    def function(self, signature: Signature) -> str:
        if signature.payload is not None:
            parameters = f"args: {self.type(signature.payload)}"
        elif signature.fields or signature.extra is not None:
            optional = "" if any(field.required for field in signature.fields) else "?"
            parameters = f"args{optional}: {self._braced(signature.fields, signature.extra)}"
        else:
            parameters = ""
        name = f"{signature.name}_" if signature.name in _KEYWORDS else signature.name
        declared = f"declare function {name}({parameters}): Promise<{self.type(signature.result)}>"
        text = printable(signature.spec.description.strip()).replace("*/", "*\\/")
        if text:
            return f"/** {text} */\n{declared}"
        return declared


def _string(text: str) -> str:
    return json.dumps(printable(text), ensure_ascii=False)


_LANGUAGES: Final[Mapping[str, type[_Declarations]]] = {
    "python-stubs": _Python,
    "typescript-stubs": _TypeScript,
}
