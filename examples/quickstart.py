"""Check an invalid payload with the package that `toolgen build examples/specs -o build/agent_tools` writes."""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "build"))

from agent_tools import toolset

from toolgen_runtime import InvalidPayload, Registry

INVALID = {
    "project": "OPS",
    "titel": "Login broken on Safari",
    "priority": "HIGH",
    "labels": '["auth", "safari"]',
    "links": [{"relation": "blocks", "issue": "OPS-1"}, {"relation": "blocked"}],
}


def main() -> None:
    registry = Registry()
    registry.register(toolset)
    print(f"{len(toolset)} tools: {', '.join(toolset)}\n")
    try:
        toolset["create_issue"].parse(INVALID)
    except InvalidPayload as invalid:
        for issue in invalid.issues():
            print(f"  {issue.field}: {issue.constraint}, expected {issue.expected!r}")
        print("\nThe hint for the model:\n")
        print(registry.hint("create_issue", invalid, payload=INVALID).render())


if __name__ == "__main__":
    main()
