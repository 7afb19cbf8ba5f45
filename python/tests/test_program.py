"""The child process: how it starts, is shared, is killed and ends."""

from __future__ import annotations

import gc
import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest
from conftest import OUTPUTS, SOURCES

import rankrate


def _is_running(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


def _pid(program: rankrate.Program) -> int:
    pid = program.pid
    assert pid is not None
    return pid


def test_the_program_starts_once_and_stays_warm(program: rankrate.Program) -> None:
    assert program.pid is None
    assert program.version().count(".") == 2
    first = _pid(program)
    rankrate.fkgl(OUTPUTS, program=program)
    assert _pid(program) == first


def test_a_killed_program_is_an_error_and_the_next_call_starts_another(program: rankrate.Program) -> None:
    metric = rankrate.Metric("learned-free", program=program)
    before = metric.score(SOURCES, OUTPUTS)
    killed = _pid(program)
    # Killed while it computes: many pairs take longer than the pause.
    killer = threading.Timer(0.3, os.kill, (killed, signal.SIGKILL))
    killer.start()
    many = [f"{source} {number}" for number in range(2000) for source in SOURCES]
    with pytest.raises(rankrate.ProgramEndedError, match=r"was killed by SIGKILL.*starts it again") as raised:
        metric.score(many, OUTPUTS * 2000)
    killer.join()
    assert raised.value.status == -signal.SIGKILL
    assert program.pid is None
    assert metric.score(SOURCES, OUTPUTS).tolist() == before.tolist()
    assert _pid(program) != killed


def test_a_program_that_died_between_calls_is_started_again(program: rankrate.Program) -> None:
    program.version()
    os.kill(_pid(program), signal.SIGKILL)
    deadline = time.monotonic() + 10
    # Either it is noticed before the call, or the call says so; the next one works in any case.
    while time.monotonic() < deadline:
        try:
            assert program.version()
            break
        except rankrate.ProgramEndedError:
            continue
    else:
        pytest.fail("no program answers")


def test_closing_ends_the_process_and_a_later_call_starts_another(program: rankrate.Program) -> None:
    program.version()
    pid = _pid(program)
    program.close()
    program.close()
    assert program.pid is None
    assert not _is_running(pid)
    assert program.version()


def test_a_program_that_nobody_holds_any_more_ends(program_path: Path) -> None:
    program = rankrate.Program(path=program_path)
    program.version()
    pid = _pid(program)
    del program
    gc.collect()
    assert not _is_running(pid)


def test_the_shared_program_ends_with_the_interpreter(program_path: Path) -> None:
    script = (
        "import rankrate; from rankrate._program import shared_program\nrankrate.metrics(); print(shared_program().pid)"
    )
    environment = os.environ | {"RANKRATE_PROGRAM": str(program_path)}
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, check=True, env=environment)
    assert done.stderr == b""
    assert not _is_running(int(done.stdout))


def test_an_interrupted_call_does_not_leave_its_answer_to_the_next(program: rankrate.Program) -> None:
    metric = rankrate.Metric("learned-free", program=program)
    expected = metric.score(SOURCES, OUTPUTS)
    interrupted = threading.Event()

    def interrupt() -> None:
        # Again and again: Python loses an interrupt that falls into a finaliser.
        while not interrupted.wait(0.3):
            os.kill(os.getpid(), signal.SIGINT)

    def score() -> None:
        try:
            metric.score([f"{source} {n}" for n in range(2000) for source in SOURCES], OUTPUTS * 2000)
        finally:
            interrupted.set()

    interrupting = threading.Thread(target=interrupt)
    # Shells start background jobs with interrupts ignored, and Python then ignores them too.
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    interrupting.start()
    try:
        with pytest.raises(KeyboardInterrupt):
            score()
        interrupting.join()
    finally:
        signal.signal(signal.SIGINT, before)
    assert metric.score(SOURCES, OUTPUTS).tolist() == expected.tolist()


def test_threads_share_a_program(program: rankrate.Program) -> None:
    expected = rankrate.fkgl(OUTPUTS, program=program).tolist()
    results: list[list[float]] = []

    def work() -> None:
        for _ in range(20):
            results.append(rankrate.fkgl(OUTPUTS, program=program).tolist())

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert results == [expected] * 80


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system does not fork")
@pytest.mark.filterwarnings("ignore:This process .* is multi-threaded:DeprecationWarning")
def test_a_forked_process_has_a_program_of_its_own(program: rankrate.Program) -> None:
    program.version()
    ours = _pid(program)
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        program.version()
        os.write(writing, str(program.pid).encode())
        program.close()
        os._exit(0)
    os.close(writing)
    with os.fdopen(reading, "rb") as pipe:
        theirs = int(pipe.read())
    os.waitpid(child, 0)
    assert theirs != ours
    assert program.version()
    assert _pid(program) == ours


def test_a_program_that_is_missing_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RANKRATE_PROGRAM", str(tmp_path / "nothing"))
    with pytest.raises(rankrate.ProgramNotFoundError, match="RANKRATE_PROGRAM names no file"):
        rankrate.find_program()
    with pytest.raises(rankrate.ProgramNotFoundError, match="does not start"):
        rankrate.Program(path=tmp_path / "nothing").version()


def test_what_a_failing_program_wrote_is_repeated(tmp_path: Path) -> None:
    failing = tmp_path / "rankrate"
    failing.write_text("#!/bin/sh\necho the disk is full >&2\nexit 3\n")
    failing.chmod(0o755)
    with pytest.raises(rankrate.ProgramEndedError, match=r"ended with status 3.*the disk is full") as raised:
        rankrate.Program(path=failing).version()
    assert raised.value.status == 3


def test_the_module_runs_the_program(program_path: Path) -> None:
    environment = os.environ | {"RANKRATE_PROGRAM": str(program_path)}
    run = [sys.executable, "-m", "rankrate", "--version"]
    done = subprocess.run(run, capture_output=True, check=True, env=environment)
    assert done.stdout.startswith(b"rankrate ")
