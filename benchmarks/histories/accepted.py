"""Requests that servers accepted: every violation is a false alarm, and every change is damage."""

from __future__ import annotations

import argparse
from collections import Counter
from pathlib import Path
from typing import Any

from recorded import requests

from toolgen_transcripts import check, repair
from toolgen_transcripts.codec.wire import wire_of


def given(request: dict[str, Any], provider: str) -> Any:
    """The messages of a request; a single text is returned as its message."""
    messages = request[wire_of(provider).messages.list_key]
    return [{"role": "user", "content": messages}] if isinstance(messages, str) else messages


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("requests", type=Path)
    file = parser.parse_args().requests
    if not file.is_file():
        parser.error(f"{file} is not a file")
    seen, alarms, changed = Counter[str](), Counter[str](), Counter[str]()
    for row in requests(file):
        provider, request = row["provider"], row["request"]
        said: dict[str, Any] = {"model": row["model"], "streaming": bool(row["stream"])}
        seen[provider] += 1
        found = check(request, provider, **said)
        fixed = repair(request, provider, **said)
        same = fixed.messages == given(request, provider) and fixed.system == request.get(
            wire_of(provider).messages.system_key
        )
        if found:
            alarms[provider] += 1
            print(row.get("source", ""), row["model"], [(v.slug, v.place) for v in found])
        if fixed.changes or not same:
            changed[provider] += 1
            print(row.get("source", ""), row["model"], [(c.slug, c.action) for c in fixed.changes])
    print("\n| provider | requests | false alarms | changed |\n| --- | --- | --- | --- |")
    for provider in sorted(seen):
        print(f"| {provider} | {seen[provider]} | {alarms[provider]} | {changed[provider]} |")
    print(f"| all | {seen.total()} | {alarms.total()} | {changed.total()} |")


if __name__ == "__main__":
    main()
