"""The options that several commands share, on the command line and in `[tool.toolgen]`."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

import click

Decorated = TypeVar("Decorated", bound=Callable[..., Any])

STDIN = "-"


def _below(root: Path, text: str) -> str:
    if text == STDIN:
        return text
    return (root / text).as_posix()


def _ref_dir_below(root: Path, text: str) -> str:
    uri, equals, folder = text.rpartition("=")
    return f"{uri}{equals}{_below(root, folder)}"


@dataclass(frozen=True, slots=True)
class Setting:
    """One option. `name` is its name without dashes, which is also its key in `[tool.toolgen]`."""

    name: str
    help: str
    type: click.ParamType[Any] = click.STRING
    default: Any = None
    many: bool = False
    short: str = ""
    metavar: str | None = None
    noun: str = "text"
    """The noun for a value in messages, unless it is a flag or a choice."""

    below: Callable[[Path, str], str] | None = None
    """For paths, a function that converts a path relative to the settings file to a command-line value."""

    @property
    def parameter(self) -> str:
        """The name of the Python parameter for the option."""
        return self.name.replace("-", "_")

    @property
    def expected(self) -> str:
        """Words for the values that are valid in a settings file."""
        if isinstance(self.type, click.Choice):
            return " or ".join(f'"{choice}"' for choice in self.type.choices)
        if self.type is click.BOOL:
            return "true or false"
        if isinstance(self.type, click.IntRange):
            return f"an integer of at least {self.type.min}"
        if self.many:
            return f"a {self.noun} or a list of {self.noun}s"
        return f"a {self.noun}"

    def from_file(self, value: Any, root: Path) -> Any:
        """Convert a value from a settings file to the option's default. Paths are relative to `root`.

        Raises:
            ValueError: the option does not accept the value.
        """
        kind: type = str
        if self.type is click.BOOL:
            kind = bool
        elif isinstance(self.type, click.IntRange):
            kind = int
        items = value if self.many and isinstance(value, list) else [value]
        if not all(type(item) is kind and item != "" for item in items):
            raise ValueError(f"{self.name} is not {self.expected}")
        try:
            for item in items:
                self.type(item)
        except click.BadParameter as error:
            raise ValueError(error.message.rstrip(".")) from None
        if self.below is not None:
            items = [self.below(root, item) for item in items]
        if self.many:
            return items
        return items[0]

    def option(self) -> Callable[[Decorated], Decorated]:
        """Return a decorator that adds the option to a command."""
        flags = [self.short] if self.short else []
        if self.type is click.BOOL:
            flag = f"--{self.name}/--no-{self.name}"
            return click.option(*flags, flag, self.parameter, default=self.default, help=self.help)
        return click.option(
            *flags,
            f"--{self.name}",
            self.parameter,
            type=self.type,
            default=self.default,
            multiple=self.many,
            metavar=self.metavar,
            show_default=isinstance(self.default, str),
            help=self.help,
        )


class _Arguments(click.Argument):
    def process_value(self, ctx: click.Context, value: Any) -> Any:
        """Return the arguments or, if there are none, the default from the settings."""
        default = (ctx.default_map or {}).get(self.name or "", ())
        return super().process_value(ctx, value) or super().process_value(ctx, tuple(default))


_DECLARED = (
    Setting(
        "specs",
        "A file or folder of specs, or - for standard input; repeatable.",
        many=True,
        short="-s",
        metavar="PATH",
        noun="path",
        below=_below,
    ),
    Setting(
        "exclude",
        "Leave out matching files and subfolders of spec folders; repeatable.",
        many=True,
        metavar="PATTERN",
        noun="pattern",
    ),
    Setting(
        "output",
        "The folder of the package; its name is the import name.",
        default="agent_tools",
        short="-o",
        metavar="DIR",
        noun="path",
        below=_below,
    ),
    Setting("namespace", "Create one subpackage for each spec file.", click.BOOL, default=False),
    Setting(
        "client",
        "Whether the package has a typed client with one method for each tool. By default, an existing client is kept.",
        click.BOOL,
        default=False,
    ),
    Setting(
        "keep-going",
        "Build the valid tools even if others fail; the exit code is still 2.",
        click.BOOL,
        default=False,
    ),
    Setting(
        "formats", "Whether to enforce `format`.", click.Choice(("assert", "annotate")), default="assert"
    ),
    Setting(
        "slow-patterns",
        "Whether to build patterns that may take more than linear time.",
        click.Choice(("refuse", "allow")),
        default="refuse",
    ),
    Setting(
        "allow-slow-patterns",
        "Tools whose patterns may take more than linear time even if `slow-patterns` is `refuse`.",
        many=True,
        noun="tool name",
    ),
    Setting(
        "ref-dir",
        "A folder of schemas for $refs to other documents; repeatable.",
        many=True,
        metavar="[URI=]DIR",
        noun="[URI=]folder",
        below=_ref_dir_below,
    ),
    Setting(
        "provider",
        "Also check the rules of this provider (strict mode, names) or of this server directory; repeatable.",
        click.Choice(
            (
                *("openai", "openai_responses", "anthropic", "bedrock", "gemini"),
                *("openai-apps", "claude-directory"),
            )
        ),
        many=True,
    ),
    Setting(
        "ignore",
        "Do not report findings with this code; repeatable.",
        many=True,
        metavar="CODE",
        noun="code",
    ),
    Setting(
        "fail-on",
        "Exit with 1 for findings of this level or higher.",
        click.Choice(("error", "warning", "note", "never")),
        default="warning",
    ),
    Setting(
        "jobs",
        "The number of worker processes; by default one for each processor.",
        click.IntRange(1),
        metavar="N",
    ),
    Setting(
        "output-format", "The format of the output.", click.Choice(("text", "json", "github")), default="text"
    ),
    Setting("quiet", "Print only errors and results.", click.BOOL, default=False, short="-q"),
)

SETTINGS = {setting.name: setting for setting in _DECLARED}
"""Every option that a project can set, by name."""

SHARED = (
    "exclude",
    "namespace",
    "keep-going",
    "formats",
    "slow-patterns",
    "ref-dir",
    "output-format",
    "quiet",
)
"""The options of every command that reads specs in the same way as `build`."""


def options(*names: str) -> Callable[[Decorated], Decorated]:
    """Return a decorator that adds these options to a command, in this order."""

    def decorate(command: Decorated) -> Decorated:
        for name in reversed(names):
            command = SETTINGS[name].option()(command)
        return command

    return decorate


specs_arguments = click.argument("specs", nargs=-1, cls=_Arguments)


def processors() -> int:
    """Return how many processors this process may use. This is the default of `--jobs`."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


env_option = click.option(
    "--env",
    multiple=True,
    metavar="NAME[=VALUE]",
    help="An environment variable for the server's command. NAME alone passes its current value. Repeatable.",
)
header_option = click.option(
    "--header",
    multiple=True,
    metavar="NAME:VALUE",
    help="A header for every request. ${VAR} is replaced with the environment variable VAR.",
)
inherit_env = click.option(
    "--inherit-env",
    is_flag=True,
    help="Pass all environment variables to the server's command, not only basic ones such as HOME and PATH.",
)
