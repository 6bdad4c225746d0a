"""How often a small model recovers from a wrong call after toolgen's text and after others' texts; see README.md."""

from __future__ import annotations

import argparse
import json
import os
import sys
import time
from collections.abc import Iterable, Iterator
from itertools import zip_longest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2] / "scripts"))

from endpoint_loop import Attempt, Endpoint, attempts, loop_table, teller
from environments import default_folder
from error_texts import Own, own
from local_model import LocalModel, default_model, sha256
from measure import measure
from results import Results
from rival_texts import stored_texts
from tables import Row, figures, report, worse
from wordings import WORDINGS, wordings
from wrong_calls import Case, load

BARE = "Invalid arguments."


def in_turn(cases: Iterable[Case]) -> list[Case]:
    """Return the cases with the kinds in turn, so that the first N are a fair part of them."""
    kinds: dict[str, list[Case]] = {}
    for case in cases:
        kinds.setdefault(case.kind, []).append(case)
    return [case for row in zip_longest(*kinds.values()) for case in row if case is not None]


def texts_of(case: Case, found: Own, rivals: dict[str, dict[str, str]], chosen: set[str]) -> dict[str, str]:
    """Return the chosen texts for a case: toolgen's, a bare one, those of rivals, other wordings."""
    texts = {"toolgen": found.text, "bare": BARE}
    texts |= {name: told[case.id] for name, told in rivals.items() if case.id in told}
    if chosen & set(WORDINGS):
        texts |= wordings(case, found)
    return {name: text for name, text in texts.items() if name in chosen}


def rows(options: argparse.Namespace, results: Results, model: LocalModel | None) -> Iterator[Row]:
    """Measure what is not known yet, and yield everything that is known."""
    rivals = stored_texts() | {name: json.loads(Path(path).read_text("utf-8")) for name, path in options.also}
    chosen = set(options.texts or ["toolgen", "bare", *rivals])
    if options.wordings:
        chosen |= {"toolgen", *WORDINGS}
    end = time.monotonic() + options.minutes * 60
    cases = [case for case in in_turn(load()) if options.edits in (None, own(case).edits)][: options.first]
    # A model evaluates the start that two prompts in a row share, the tools, only once.
    for case in sorted(cases, key=lambda case: [*(tool["name"] for tool in case.tools), case.request or ""]):
        found = own(case)
        for name, text in texts_of(case, found, rivals, chosen).items():
            known = results.get(case, text)
            if known is None and model is not None and time.monotonic() < end:
                known = measure(model, case, text)
                results.add(case, text, known)
            if known is not None:
                yield Row(case, found, name, text, known)


def loops(options: argparse.Namespace, folder: Path) -> dict[str, list[list[Attempt]]]:
    """Run the loop of each text with an endpoint."""
    endpoint = Endpoint(options.endpoint, options.endpoint_model, os.environ.get(options.endpoint_key))
    found: dict[str, list[list[Attempt]]] = {}
    for name in options.texts or ["toolgen", "bare"]:
        for case in in_turn(load())[: options.first]:
            made = attempts(endpoint, case, teller(name, case, folder))
            if made is not None:
                found.setdefault(name, []).append(made)
    return found


def save_texts(path: Path) -> None:
    """Write toolgen's texts by case, to measure them with another version later."""
    texts = {case.id: own(case).text for case in load()}
    path.write_text(json.dumps(texts, ensure_ascii=False, indent=1) + "\n", "utf-8")


def held(path: Path, found: list[Row]) -> int:
    """Compare the figures with stored ones; return the exit code."""
    lost = worse(json.loads(path.read_text("utf-8")), figures(found))
    print(
        "\n".join(["worse than the stored figures by more than their interval:", *lost])
        if lost
        else "nothing is worse"
    )
    return 1 if lost else 0


def named_file(text: str) -> tuple[str, str]:
    """Return the parts of NAME=FILE."""
    name, _, path = text.partition("=")
    return name, path


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--model", type=Path, help="a GGUF file (default: the model that a package ships)")
    parser.add_argument("--texts", type=lambda s: s.split(","), help="names of texts, separated by commas")
    parser.add_argument("--wordings", action="store_true", help="measure toolgen's other wordings, too")
    parser.add_argument("--save-texts", type=Path, help="only write toolgen's texts to this file")
    parser.add_argument(
        "--also",
        type=named_file,
        action="append",
        default=[],
        help="NAME=FILE: measure the texts of such a file, too",
    )
    parser.add_argument("--first", type=int, help="only so many cases, with the kinds in turn")
    parser.add_argument(
        "--edits", choices=("certain", "guess", "none"), help="only cases with such edits of the hint"
    )
    parser.add_argument(
        "--minutes", type=float, default=1e6, help="measure nothing new after so many minutes"
    )
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--known", action="store_true", help="measure nothing, print what is known")
    parser.add_argument("--results", type=Path, help="a folder for the measurements (the user's cache)")
    parser.add_argument("--store", type=Path, help="write the figures of toolgen's text to this file")
    parser.add_argument("--compare", type=Path, help="fail if a figure is worse than in this file")
    parser.add_argument("--endpoint", help="the base URL of an OpenAI-compatible API: run the loop there")
    parser.add_argument("--endpoint-model", default="default", help="the model's name there")
    parser.add_argument(
        "--endpoint-key", default="OPENAI_API_KEY", help="the environment variable with the key"
    )
    options = parser.parse_args()
    if options.save_texts:
        save_texts(options.save_texts)
        return 0
    folder = options.results or default_folder("recovery")
    if options.endpoint:
        print(loop_table(loops(options, folder)))
        return 0
    path = options.model or default_model(folder)
    checksum = sha256(path)
    model = None if options.known else LocalModel(path, options.threads)
    found = list(rows(options, Results(folder / f"{checksum[:12]}.jsonl"), model))
    print(report(f"{path.name}, sha256 {checksum}", found))
    if options.store:
        options.store.write_text(json.dumps(figures(found), indent=1) + "\n", "utf-8")
    return held(options.compare, found) if options.compare else 0


if __name__ == "__main__":
    sys.exit(main())
