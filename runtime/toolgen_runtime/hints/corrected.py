"""Write the line of a hint that shows the corrected arguments. It is written only if every correction is
certain.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from toolgen_runtime.hints.called_tool import CalledTool
from toolgen_runtime.hints.edits import Edit, apply_edits
from toolgen_runtime.hints.proposals import Finding
from toolgen_runtime.hints.quoting import compact
from toolgen_runtime.validation.helpers import equal
from toolgen_runtime.validation.issues import MISSING

MAX_CORRECTED = 300
"""The most characters of corrected arguments; of longer ones, only the changed fields are shown."""


def corrected_arguments(
    called: CalledTool,
    parsed: Any,
    sent: Any,
    findings: Sequence[Finding],
    edits: Sequence[Edit],
) -> str | None:
    """Return the line that shows the corrected arguments; None if an edit is uncertain or the result is not
    valid.

    A model would follow such a line more readily than a question, even if the line contained a wrong guess.

    Args:
        called: the tool, with its check and the places of secrets in its arguments.
        parsed: the arguments without what `sent` has around them, if `sent` is a text.
        sent: the arguments as the model sent them.
        findings: the problems of the arguments; each must have an edit.
        edits: the edits of `sent`.
    """
    if not edits or not all(edit.certain for edit in edits):
        return None
    check, secrets = called.check, called.secrets
    if check is None or (secrets is None and called.facts.has_secrets):
        return None
    if not all(finding.proposal.edits for finding in findings):
        return None
    try:
        after = apply_edits(sent, edits)
    except ValueError:
        return None
    if not isinstance(after, dict) or check(after):
        return None
    if secrets is not None and any(secrets.hides((key,), value=value) for key, value in after.items()):
        return None
    if whole := compact(after, MAX_CORRECTED):
        return f"Corrected arguments: {whole}"
    if not isinstance(parsed, dict):
        return None
    changed = {k: v for k, v in after.items() if not equal(parsed.get(k, MISSING), v)}
    if changed:
        fields = compact(changed, MAX_CORRECTED)
    else:
        fields = ""
    if fields:
        return f"Corrected fields: {fields}"
    return None
