"""The options of a conversation on the proxy's command line.

They have the same names and defaults as in Python.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, Final, TypeVar, cast

import click

from toolgen.cli.settings import read_toml
from toolgen.compiler.diagnostics import Place
from toolgen_runtime.calls.options import CallOptions
from toolgen_runtime.calls.policy import CHOICES, MAX_CHARS, Policy
from toolgen_runtime.calls.rules import CallRule

Decorated = TypeVar("Decorated", bound=Callable[..., Any])

_HELP: Final = {
    "repairs": "Whether to tell the model what was repaired.",
    "defaults": "Fill in the default of a required field that was not sent, or require the field.",
    "nulls": "Treat null for an optional field as the schema does, or leave it out.",
    "unknown-keys": (
        "How to treat unknown keys: add a note about misspelled fields, follow the schema, reject the call, or "
        "drop the key."
    ),
    "absent": "Treat a call without arguments as {}, or reject it.",
    "check-results": "How to treat a structured result that breaks the output schema.",
}


def conversation_options(command: Decorated) -> Decorated:
    """Add the options of a conversation to a command."""
    options = [
        click.option(
            "--repair",
            is_flag=True,
            help="Repair arguments that have only one possible correction, and forward the call.",
        ),
        *(_choice(name, help) for name, help in _HELP.items()),
        click.option(
            "--max-chars",
            type=click.IntRange(min=1),
            default=MAX_CHARS,
            show_default=True,
            help="The maximum length of a hint.",
        ),
        click.option(
            "--max-failures",
            type=click.IntRange(min=1),
            default=Policy.max_failures,
            show_default=True,
            help="Tell the model to stop after this many failed calls of a tool in a row.",
        ),
        click.option(
            "--ask",
            is_flag=True,
            help="If the client supports it, ask the user for a missing value that only they can know.",
        ),
        click.option(
            "--rules",
            metavar="FILE",
            help="A TOML file with repair rules, in the form that `toolgen audit --propose` prints.",
        ),
    ]
    for option in reversed(options):
        command = option(command)
    return command


def _choice(name: str, help: str) -> Callable[[Decorated], Decorated]:
    choices = CHOICES[name.replace("-", "_")]
    return click.option(
        f"--{name}", type=click.Choice(choices), default=choices[0], show_default=True, help=help
    )


def policy_of(given: dict[str, Any]) -> CallOptions:
    """Return those parameters of the command that are options of a conversation."""
    options: Any = {name: given[name] for name in ("repair", "ask", "max_chars", "max_failures", *CHOICES)}
    return cast(CallOptions, options)


def read_rules(file: str | None) -> list[CallRule]:
    """Read the rules from a file; return an empty list if no file is given.

    Raises:
        SpecError: the file cannot be read, or is not TOML.
        click.BadParameter: an entry in the file is not a rule.
    """
    if file is None:
        return []
    table = read_toml(Path(file), Place(file))[1]
    try:
        return [CallRule.of(rule) for rule in table.get("rules", ())]
    except (ValueError, TypeError) as error:
        raise click.BadParameter(f"{file}: {error}", param_hint="--rules") from None
