"""`BuildOptions`: what a build depends on besides the specs."""

from __future__ import annotations

from dataclasses import dataclass, field, fields
from typing import TYPE_CHECKING, Literal

from toolgen.cache import pipeline_fingerprint
from toolgen.schema.ref_dirs import RefDir

if TYPE_CHECKING:
    from toolgen.schema.lower import LowerOptions

SAME_TEXT = {"same_text": True}
"""Marks an option that does not change the text of a file."""


@dataclass(frozen=True, slots=True)
class BuildOptions:
    """What a build depends on besides the specs."""

    package: str = field(default="agent_tools", metadata=SAME_TEXT)
    formats: Literal["assert", "annotate"] = "assert"
    keep_going: bool = field(default=False, metadata=SAME_TEXT)
    ref_dirs: tuple[RefDir, ...] = ()
    slow_patterns: Literal["refuse", "allow"] = "refuse"
    client: bool = field(default=False, metadata=SAME_TEXT)
    """Whether each toolset has a typed client."""

    @property
    def lower_options(self) -> LowerOptions:
        """The options of lowering."""
        from toolgen.schema.lower import LowerOptions

        return LowerOptions(self.formats, self.ref_dirs, self.slow_patterns)

    def fingerprint(self) -> str:
        """Return the fingerprint of the generator and of every option but those marked `SAME_TEXT`."""
        options = {f.name: getattr(self, f.name) for f in fields(self) if not f.metadata.get("same_text")}
        return pipeline_fingerprint(options)
