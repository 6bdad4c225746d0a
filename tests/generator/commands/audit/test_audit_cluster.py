"""`toolgen audit --scheduler` on a real Dask cluster of several processes, one of which is killed in the middle."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from helpers.support import TEST_DATA, read_json

from toolgen.cli import program
from toolgen.commands.audit import AuditTools
from toolgen.commands.audit.engines import audit, cluster, processes
from toolgen.commands.audit.sources import sources_of

pytestmark = pytest.mark.cluster

DATA = TEST_DATA / "audit"
TOOLS = AuditTools.of_specs(read_json(DATA / "tools.json"))
COPIES = 200
PART = 20_000
"""Bytes: about 45 parts, more than the cluster is given at once."""


@pytest.fixture(scope="module")
def local_cluster() -> Iterator[Any]:
    distributed = pytest.importorskip("distributed")
    with distributed.LocalCluster(
        n_workers=3, threads_per_worker=1, processes=True, dashboard_address=None
    ) as cluster:
        yield cluster


@pytest.fixture
def calls(tmp_path: Path) -> str:
    path = tmp_path / "calls.jsonl"
    path.write_bytes((DATA / "calls.jsonl").read_bytes() * COPIES)
    return str(path)


def test_a_killed_worker_changes_nothing(local_cluster: Any, calls: str) -> None:
    sources = sources_of([calls])
    alone = audit(sources, TOOLS, processes(1), lambda done: None, PART)
    pids = [worker.pid for worker in local_cluster.workers.values()]
    assert len(set(pids)) == 3
    seen: list[int] = []

    def kill_one(done: int) -> None:
        seen.append(done)
        if len(seen) == 5:
            os.kill(pids[0], signal.SIGKILL)

    together = audit(sources, TOOLS, cluster(local_cluster.scheduler_address), kill_one, PART)
    assert len(seen) > 20
    assert together.summary == alone.summary
    assert together.done == alone.done == Path(calls).stat().st_size


def test_a_scheduler_that_is_not_there_is_one_line(calls: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("toolgen.commands.audit.engines.TIMEOUT", 1.0)
    command = ["audit", calls, "--specs", str(DATA / "tools.json"), "--scheduler", "tcp://127.0.0.1:1"]
    result = CliRunner().invoke(program, command)
    assert result.exit_code == 2
    assert "error[scheduler-failed]" in result.stderr
    assert len(result.stderr.splitlines()) == 1
