"""The names of the hints that other rooms use, each with its module. The program reads this list, too."""

from toolgen_runtime.hints.build import (
    build_hint as build_hint,
    unknown_tool as unknown_tool,
)
from toolgen_runtime.hints.edits import Edit as Edit, apply_edits as apply_edits
from toolgen_runtime.hints.recovery import Recovery as Recovery
from toolgen_runtime.hints.retry_hint import (
    FieldHint as FieldHint,
    Reason as Reason,
    RetryHint as RetryHint,
)
