"""Record the corpus in tests/data/corpus, and write the page beside it, README.md.

    python scripts/corpus.py            write the page
    python scripts/corpus.py --record   first send each request with its provider's own SDK to a server on 127.0.0.1
                                        that answers `{}`, and store the requests that arrive; and let the SDKs read
                                        each response and stream (`corpus_answers.py`)

A line of a file is a request with a name, written for this project: `sent` is true if the SDK sends it in this form,
`renamed` if it has names or ids that only some servers accept, and that toolgen encodes.
`tests/transcripts/test_corpus.py` compares the page, and the results of `check`, `repair` and the codecs for each
request.
"""

from __future__ import annotations

import argparse
import inspect
import json
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any

import corpus_answers
from corpus_files import MODULES, PROVIDERS, read_rows, write_rows

from toolgen_transcripts import Transcript, repair
from toolgen_transcripts.codec.encoding import Encoded
from toolgen_transcripts.codec.wire import wire_of

ROOT = Path(__file__).resolve().parents[1]
PAGE = ROOT / "tests" / "data" / "corpus" / "README.md"
Request = dict[str, Any]

HEAD = """# The corpus of requests and answers

`scripts/corpus.py` generates this page from the files in this folder: {count} requests, written for this project from
the providers' documentation and the types of their SDKs. They contain every kind of block, item, tool, choice and
setting, and the extensions that other servers add to OpenAI's API. The real SDKs (anthropic, boto3, google-genai,
openai) sent {sent} of them to a server on 127.0.0.1, which stored them unchanged. They were not sent to a provider's
server. `check` finds no violation in them, and `repair` does not change them. A test compares this page with the
program.

The last column of this table counts the requests that are equal after toolgen has decoded and encoded them.

"""
TO_ANOTHER = """
## To another provider

In this table the requests are converted for another provider. A cell counts the requests without a loss (*no loss*),
and those with each [diagnostic](../../../docs/providers/switching.md#losses). After `repair`, `check` finds no
violation in them.

"""


def rows(provider: str) -> list[dict[str, Any]]:
    """Return the rows of a provider, with bytes as the SDK has them."""
    return read_rows(provider)


# ---- recording ----


@contextmanager
def _server(arrived: list[Request]) -> Iterator[str]:
    """Yield the URL of a server that keeps the bodies of requests and answers `{}`."""

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            arrived.append(json.loads(self.rfile.read(int(self.headers["Content-Length"]))))
            self.send_response(200)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", "2")
            self.end_headers()
            self.wfile.write(b"{}")

        def log_message(self, format: str, *args: object) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as http:
        Thread(target=http.serve_forever, args=(0.02,), daemon=True).start()
        yield f"http://127.0.0.1:{http.server_port}"
        http.shutdown()


def _call(create: Callable[..., Any], request: Request) -> None:
    """Call a method of a client; members without a parameter go into `extra_body`."""
    known = inspect.signature(create).parameters
    extra = {key: value for key, value in request.items() if key not in known}
    create(**{k: v for k, v in request.items() if k in known}, **({"extra_body": extra} if extra else {}))


def _ask_anthropic(url: str, request: Request) -> None:
    import anthropic

    client = anthropic.Anthropic(base_url=url, api_key="fake", max_retries=0)
    _call(client.messages.create, request)


def _ask_openai(url: str, request: Request) -> None:
    import openai

    client = openai.OpenAI(base_url=url, api_key="fake", max_retries=0)
    _call(client.chat.completions.create, request)


def _ask_responses(url: str, request: Request) -> None:
    import openai

    client = openai.OpenAI(base_url=url, api_key="fake", max_retries=0)
    _call(client.responses.create, request)


def _ask_bedrock(url: str, request: Request) -> None:
    import boto3

    keys = {"aws_access_key_id": "fake", "aws_secret_access_key": "fake"}
    client: Any = boto3.client("bedrock-runtime", endpoint_url=url, region_name="us-east-1", **keys)
    client.converse(**request)


def _ask_gemini(url: str, request: Request) -> None:
    from google import genai

    client = genai.Client(api_key="fake", http_options={"base_url": url})
    config: Any = {key: value for key, value in request.items() if key not in ("model", "contents")}
    config |= config.pop("generationConfig", {})
    client.models.generate_content(model=request["model"], contents=request["contents"], config=config)


ASK: dict[str, Callable[[str, Request], None]] = {
    "anthropic": _ask_anthropic,
    "bedrock": _ask_bedrock,
    "gemini": _ask_gemini,
    "openai": _ask_openai,
    "openai_responses": _ask_responses,
}


def _as_sent(provider: str, request: Request, body: Request) -> Request:
    """Return a received body as a request of the SDK: boto3 and google-genai send the model's id separately."""
    if provider == "bedrock":  # bytes are base64 in its body, but toolgen reads boto3's arguments
        return request
    return {"model": request["model"], **body} if provider == "gemini" else body


def record(provider: str) -> None:
    """Send every request of a provider with its SDK, and store the received requests."""
    arrived: list[Request] = []
    made_rows = []
    with _server(arrived) as url:
        for row in rows(provider):
            arrived.clear()
            with suppress(Exception):  # an error of the answer, or of a request that the SDK cannot send
                ASK[provider](url, row["request"])
            made = {**row, "sent": bool(arrived)}
            if arrived:
                made["request"] = _as_sent(provider, row["request"], arrived[0])
            made_rows.append(made)
    write_rows(provider, made_rows)


# ---- the page ----


def crossed(provider: str, target: str) -> tuple[int, Counter[str], int]:
    """Return the number of requests that reach another provider without a loss, the number with each kind of loss, and
    the number with violations that remain after `repair`.
    """
    whole, left = 0, 0
    losses = Counter[str]()
    for row in rows(provider):
        transcript: Transcript = MODULES[provider].decode_messages(row["request"])
        encoded: Encoded = MODULES[target].encode_messages(transcript)
        codes = {diagnostic.code for diagnostic in encoded.diagnostics}
        whole += not codes
        losses.update(codes)
        left += bool(repair(encoded.messages, target).remaining)
    return whole, losses, left


def came_back(provider: str) -> int:
    """Return the number of requests that are equal after decoding and encoding."""
    key = wire_of(provider).messages.list_key
    count = 0
    for row in rows(provider):
        given = row["request"].get(key) or []
        if isinstance(given, str):
            given = [wire_of(provider).messages.text_message(given)]
        back = MODULES[provider].encode_messages(MODULES[provider].decode_messages(row["request"]))
        count += back.messages == given
    return count


def page() -> str:
    """Return the page."""
    found = {provider: rows(provider) for provider in PROVIDERS}
    every = [row for each in found.values() for row in each]
    out = HEAD.format(count=len(every), sent=sum(bool(row.get("sent")) for row in every))
    out += "| provider | requests | sent by its SDK | equal after decoding and encoding |\n| --- | --- | --- | --- |\n"
    for provider, each in found.items():
        sent = sum(bool(row.get("sent")) for row in each)
        out += f"| {provider} | {len(each)} | {sent} | {came_back(provider)} |\n"
    out += "\nThe other requests have names or ids that toolgen encodes"
    out += " ([names and ids](../../../docs/providers.md#names-and-ids)).\n"
    out += TO_ANOTHER
    out += f"| from \\ to | {' | '.join(PROVIDERS)} |\n| --- |{' --- |' * len(PROVIDERS)}\n"
    for provider in PROVIDERS:
        cells = []
        for target in PROVIDERS:
            if provider == target:
                cells.append("")
                continue
            whole, losses, left = crossed(provider, target)
            told = ", ".join(f"{code} {count}" for code, count in sorted(losses.items()))
            cells.append(f"no loss {whole}; {told}" + (f"; refused {left}" if left else ""))
        out += f"| {provider} | {' | '.join(cells)} |\n"
    return out + corpus_answers.section()


def main() -> None:
    """Write the page, and record the requests before if that is asked for."""
    parser = argparse.ArgumentParser(description="Record the corpus of requests and write its page.")
    parser.add_argument("--record", action="store_true", help="send the requests with the SDKs first")
    if parser.parse_args().record:
        for provider in PROVIDERS:
            record(provider)
            corpus_answers.record(provider)
    PAGE.write_text(page(), "utf-8")


if __name__ == "__main__":
    main()
