"""Pages and messages use one word for one thing, the one that the field uses."""

from __future__ import annotations

import ast
import inspect
import re
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path

from helpers.support import ROOT, for_each

INSTEAD = {
    r"refus(e|es|ed|ing)": "reject; a model refuses, a schema, provider or server rejects",
    r"answer(s|ed|ing)?": "response, respond",
    r"verdicts?": "result",
    r"misspelt": "misspelled",
    r"colours?": "color",
    r"behaviours?": "behavior",
    r"(author|recogn|capital|normal|serial|organ)is(e|es|ed|ing|ation)": "-iz-",
    r"cancell(ed|ing)": "canceled, canceling",
    r"(messages?|questions?) of the user": "user message",
    r"(messages?|responses?) of the model": "model response",
    r"undeclared": "unknown",
    r"a texts?(?! block| fragment)": "a string, a message, text",
    r"tool specs?": "tool definition; spec file for the file",
    r"certain edits?": "safe edit",
    r"mend(s|ed|ing)?": "fix, repair",
    r"wires?": "the API's format",
}
"""What is not written, and the word for it."""


EXEMPT_PAGES = {"docs/gallery.md", "docs/limits.md", "docs/architecture.md", "docs/evidence.md"}
"""Pages for contributors, and those that quote others."""
EXEMPT_ROOMS = (
    "runtime/toolgen_runtime/hints/",  # what a model reads has wordings of its own, which are measured
    "runtime/toolgen_runtime/calls/error_decision.py",  # words that are looked for in errors of others
    "runtime/toolgen_transcripts/errors/codes_in_text.py",
)
ALLOWED = re.compile(
    r"""if\ the\ model\ refuses|strict-refused     # what a model does; a code
    |default:\ refuse|"refuse"|^refuse$           # the value of an option
    |\bquestion\ \|\ answer|without\ an\ answer     # to a question of a person
    |failed\ cancelled                             # states of APIs
    |(passes|key\ of|with)\ the\ answers?|user\ answered|with\ an\ answer  # those of a person
    """,
    re.X | re.I,
)
"""The exceptions, each with its reason."""
WORD = {re.compile(rf"\b{word}\b", re.I): better for word, better in INSTEAD.items()}


def prose(text: str) -> str:
    """Return a page's text without code, quotations of programs and hidden blocks."""
    text = re.sub(r"<!--.*?-->", "", text, flags=re.S)
    text = re.sub(r"^( *)```.*?^\1```$", "", text, flags=re.S | re.M)
    text = re.sub(r"`` .*? ``|`[^`\n]+`", "", text)
    return re.sub(r"\]\([^)]*\)", "]", text)


def found(text: str) -> list[str]:
    """Return each word that is not written, with its neighbors and the better word."""
    text = ALLOWED.sub("", text)
    return [
        f"{text[max(match.start() - 40, 0) : match.end() + 30]!r}: {better}"
        for word, better in WORD.items()
        for match in word.finditer(text)
    ]


def pages() -> dict[str, Path]:
    """Return the pages that users read, by their names."""
    names = ("README.md", "runtime/README.md", "SECURITY.md", "CONTRIBUTING.md")
    files = [*(ROOT / name for name in names), *sorted((ROOT / "docs").rglob("*.md"))]
    named = {str(file.relative_to(ROOT)): file for file in files if file.is_file()}
    return {name: file for name, file in named.items() if name not in EXEMPT_PAGES}


@for_each(pages())
def test_a_page_uses_the_words_of_the_field(page: Path) -> None:
    assert found(prose(page.read_text("utf-8"))) == []


def messages(file: Path) -> Iterator[str]:
    """Yield the strings of a module that people may read: those with a blank, and the help of commands."""
    tree = ast.parse(file.read_text("utf-8"))
    docstrings = [node.value for node in ast.walk(tree) if isinstance(node, ast.Expr)]
    for node in ast.walk(tree):
        is_text = isinstance(node, ast.Constant) and isinstance(node.value, str) and " " in node.value
        if is_text and node not in docstrings:
            yield re.sub(r"`[^`]+`", "", node.value)


ENTRY = re.compile(r"^::: ([\w.]+)$", re.M)


def documented() -> dict[str, str]:
    """Return the docstring of each name that the reference describes, and of its public methods."""
    texts: dict[str, str] = {}
    for page in sorted((ROOT / "docs" / "reference").glob("*.md")):
        for name in ENTRY.findall(page.read_text("utf-8")):
            module, _, last = name.rpartition(".")
            try:
                described = getattr(import_module(module), last)
            except ImportError:  # a framework that is not installed here
                continue
            members = vars(described).items() if inspect.isclass(described) else ()
            public = {key: value for key, value in members if key == "__init__" or not key.startswith("_")}
            texts |= {f"{name}.{key}": inspect.getdoc(value) or "" for key, value in public.items()}
            texts[name] = inspect.getdoc(described) or ""
    return texts


def test_docstrings_of_public_names_use_the_words_of_the_field() -> None:
    assert {
        f"{name}: {each}"
        for name, text in documented().items()
        for each in found(re.sub(r"`[^`]+`", "", text))
    } == set()


def sources() -> list[Path]:
    """Return the modules whose messages are looked at."""
    files = [file for room in ("runtime", "generator") for file in sorted((ROOT / room).rglob("*.py"))]
    return [file for file in files if not str(file.relative_to(ROOT)).startswith(EXEMPT_ROOMS)]


def test_messages_use_the_words_of_the_field() -> None:
    assert {
        f"{file.relative_to(ROOT)}: {each}"
        for file in sources()
        for text in messages(file)
        for each in found(text)
    } == set()


CODE = re.compile(r"^( *)```(?:python|py|sh|bash|json|yaml|toml)\n(.*?)^\1```$", re.S | re.M)
WIDEST = 84


@for_each(pages())
def test_code_of_a_page_fits_the_screen(page: Path) -> None:
    text = re.sub(r"<!--.*?-->", "", page.read_text("utf-8"), flags=re.S)
    lines = [line for _, code in CODE.findall(text) for line in code.splitlines()]
    assert [
        line for line in lines if len(line.rstrip()) > WIDEST and not line.startswith('  "description"')
    ] == []


@for_each(pages())
def test_a_table_in_a_list_is_set_apart(page: Path) -> None:
    """Markdown on the site needs four spaces and a blank line; otherwise the next item is running text."""
    assert re.findall(r"^ {1,3}\|.*\n|^ +\|.*\n- ", page.read_text("utf-8"), re.M) == []
