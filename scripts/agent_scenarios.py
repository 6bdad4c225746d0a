"""Write the table of scenarios in benchmarks/adapters/README.md from the results of the adapters' tests.

TOOLGEN_SCENARIOS=FOLDER python scripts/frameworks.py mcp-newest langchain-newest ... -- -k test_scenario
python scripts/agent_scenarios.py FOLDER
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

PAGE = Path(__file__).resolve().parents[1] / "benchmarks" / "adapters" / "README.md"
BEGIN, END = "<!-- scenarios -->", "<!-- end of scenarios -->"


def table(seen: list[dict[str, Any]]) -> str:
    """Return the table: the results of each scenario, and the adapters to which one does not apply."""
    lines = [
        "| scenario | text for the model after each call | kinds that `on_call` gets |"
        " attempted, executed, succeeded | adapters that pass |",
        "| --- | --- | --- | --- | --- |",
    ]
    reasons: list[str] = []
    for scenario in dict.fromkeys(each["scenario"] for each in sorted(seen, key=lambda each: each["place"])):
        rows = [each for each in seen if each["scenario"] == scenario]
        passed = [each for each in rows if not each["lacks"]]
        first = passed[0]
        told = "<br>".join(f"`{text}`" for text in first["told"]) or "the framework's own text"
        counts = ", ".join(map(str, first["counts"]))
        ended = ", ".join(f"`{kind}`" for kind in first["ended"])
        lines.append(f"| {first['says']} | {told} | {ended} | {counts} | {len(passed)} |")
        if len(passed) < len(rows):
            without = "; ".join(f"{each['seam']} ({each['lacks']})" for each in rows if each["lacks"])
            reasons.append(f"- *{first['says']}* does not apply to {without}.")
    seams = sorted({each["seam"] for each in seen})
    named = ", ".join(f"`{seam}`" for seam in seams)
    return "\n".join([f"Adapters: {named}.", "", *lines, "", *reasons])


def main() -> int:
    """Read the results, and write the page."""
    if len(sys.argv) != 2:
        print(__doc__)
        return 2
    seen = [json.loads(path.read_text("utf-8")) for path in sorted(Path(sys.argv[1]).glob("*.json"))]
    page = PAGE.read_text("utf-8")
    before, _, rest = page.partition(BEGIN)
    _, _, after = rest.partition(END)
    PAGE.write_text(f"{before}{BEGIN}\n{table(seen)}\n{END}{after}", "utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
