"""The public names of `toolgen_runtime`, each with its module. The program reads this list, too."""

from toolgen_runtime._version import __version__ as __version__
from toolgen_runtime.calls.errors import (
    TOOL_ERROR_KIND_MEANINGS as TOOL_ERROR_KIND_MEANINGS,
    MalformedCallError as MalformedCallError,
    MalformedResponseError as MalformedResponseError,
    ToolErrorKind as ToolErrorKind,
    ToolExecutionError as ToolExecutionError,
)
from toolgen_runtime.calls.output import ToolError as ToolError, ToolOutput as ToolOutput
from toolgen_runtime.calls.rules import CallRule as CallRule
from toolgen_runtime.calls.spread import spread as spread
from toolgen_runtime.calls.turn_ledger import TurnLedger as TurnLedger
from toolgen_runtime.calls.user_question import UserQuestion as UserQuestion
from toolgen_runtime.conversation import Conversation as Conversation
from toolgen_runtime.hints import (
    Edit as Edit,
    FieldHint as FieldHint,
    RetryHint as RetryHint,
    apply_edits as apply_edits,
    build_hint as build_hint,
)
from toolgen_runtime.hints.repair import Repair as Repair, repair as repair
from toolgen_runtime.mcp_result import InputRequest as InputRequest
from toolgen_runtime.registry import Registry as Registry
from toolgen_runtime.validation.issues import (
    MISSING as MISSING,
    InvalidPayload as InvalidPayload,
    ValidationIssue as ValidationIssue,
)
from toolgen_runtime.validation.tool import Tool as Tool
from toolgen_runtime.validation.toolset import (
    Toolset as Toolset,
    Toolsets as Toolsets,
)
