"""Metrics and rewards in other processes, and the program when its Python is gone."""

from __future__ import annotations

import copy
import multiprocessing
import os
import pickle
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from conftest import OUTPUTS, SOURCES

import rankrate


def scores_of(metric: rankrate.Metric) -> tuple[int | None, list[float]]:
    scores = metric.score(SOURCES, OUTPUTS)
    return metric._program.pid, scores.tolist()


def rewards_of(reward: rankrate.Reward) -> list[float]:
    return reward(completions=OUTPUTS, source=SOURCES)


@pytest.mark.parametrize("method", ["spawn", "fork"])
@pytest.mark.filterwarnings("ignore:This process:DeprecationWarning")
def test_a_metric_and_a_reward_work_in_another_process(method: str, program_path: Path) -> None:
    metric = rankrate.Metric("compression")
    reward = rankrate.Reward("fkgl")
    pid, scores = scores_of(metric)
    with multiprocessing.get_context(method).Pool(1) as pool:
        other_pid, other_scores = pool.apply(scores_of, [metric])
        rewards = pool.apply(rewards_of, [reward])
    assert other_scores == scores
    assert other_pid not in (None, pid)
    assert rewards == rewards_of(reward)


def test_copies_are_pickled_with_their_settings(program_path: Path) -> None:
    program = rankrate.Program(path=program_path, threads=1)
    metric = rankrate.Metric("compression", program=program)
    for other in (pickle.loads(pickle.dumps(metric)), copy.deepcopy(metric)):
        assert other.name == "compression"
        assert other._program._options == ["--encoder-threads", "1"]
        assert other.score(["a b"], ["a"]).tolist() == metric.score(["a b"], ["a"]).tolist()
        other._program.close()
    program.close()
    shared = rankrate.Metric("fkgl")
    assert pickle.loads(pickle.dumps(shared))._program is shared._program


def is_alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    # A process that has ended and that nobody asked about is still listed.
    return "\nState:\tZ" not in Path(f"/proc/{pid}/status").read_text("utf-8")


BUSY = """\
import threading, time, rankrate
program = rankrate.Program()
text = "word " * 3500
program.version()
call = {"metrics": ["sari", "bleu", "chrf"], "sources": [text] * 4000, "outputs": [text] * 4000,
        "references": [[text]] * 4000}
threading.Thread(target=program.call, args=("score", call), daemon=True).start()
time.sleep(1)
print(program.pid, flush=True)
time.sleep(600)
"""


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="it looks into /proc")
def test_the_program_ends_with_its_python_in_the_middle_of_a_call(program_path: Path) -> None:
    environment = os.environ | {"RANKRATE_PROGRAM": str(program_path)}
    with subprocess.Popen([sys.executable, "-c", BUSY], stdout=subprocess.PIPE, text=True, env=environment) as python:
        assert python.stdout is not None
        child = int(python.stdout.readline())
        assert is_alive(child)
        python.send_signal(signal.SIGKILL)
    deadline = time.monotonic() + 10
    while is_alive(child) and time.monotonic() < deadline:
        time.sleep(0.1)
    assert not is_alive(child)


def test_objects_say_what_they_are(program: rankrate.Program) -> None:
    assert rankrate.__version__ == program.version()
    assert repr(rankrate.Metric("sari")) == "Metric('sari')"
    assert repr(rankrate.Reward("fkgl")) == "Reward('fkgl', sign=-1)"
    assert f"process {program.pid}" in repr(program)
    program.close()
    assert "not running" in repr(program)
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        _ = rankrate.nothing
