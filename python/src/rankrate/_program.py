"""The program as a child process that is kept running and answers calls."""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import signal
import subprocess
import sys
import sysconfig
import tempfile
import threading
import warnings
import weakref
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import IO, Any, Self

from ._progress import OnProgress, progress_bars
from .errors import (
    ArgumentError,
    ComputationError,
    ProgramEndedError,
    ProgramNotFoundError,
    RankrateError,
    RankrateWarning,
    UnavailableError,
)

StrPath = str | os.PathLike[str]

# How long the program may take to end once its input has ended, in seconds.
_END_TIMEOUT = 5.0
# How a line of a command begins that tells its progress.
_PROGRESS = b'{"progress":'
# How much of what it wrote to standard error an exception repeats, in bytes.
_SHOWN_LOG = 2000

_ERRORS: Mapping[str, type[RankrateError]] = {
    "bad-request": ArgumentError,
    "bad-arguments": ArgumentError,
    "unavailable": UnavailableError,
    "failed": ComputationError,
}


def find_program() -> Path:
    """The path of the program.

    The environment variable ``RANKRATE_PROGRAM`` names it; otherwise it is looked for where ``pip`` puts the
    programs of this Python, then on the path.

    Raises:
        ProgramNotFoundError: There is none.
    """
    named = os.environ.get("RANKRATE_PROGRAM")
    if named:
        if not Path(named).is_file():
            raise ProgramNotFoundError(f"RANKRATE_PROGRAM names no file: {named}")
        return Path(named)
    name = "rankrate" + (sysconfig.get_config_var("EXE") or "")
    user_scheme = sysconfig.get_preferred_scheme("user")
    folders = [
        Path(sysconfig.get_path("scripts")),
        Path(sysconfig.get_path("scripts", user_scheme)),
        # `pip install --target` puts programs beside packages.
        Path(__file__).resolve().parent.parent / "bin",
    ]
    for folder in folders:
        if (folder / name).is_file():
            return folder / name
    on_path = shutil.which("rankrate")
    if on_path is None:
        raise ProgramNotFoundError(
            "the program rankrate is not installed: install the package with pip, "
            "or name the program in the environment variable RANKRATE_PROGRAM"
        )
    return Path(on_path)


class Program:
    """The program ``rankrate``, which starts at the first call and stays warm.

    One call is answered at a time; threads may share it. A forked or spawned process starts a program of its own, also
    where a program came to it pickled. It is a context manager, and ends with :meth:`close`, when it is collected as
    garbage, or with the interpreter, however that ends.

    Args:
        path: The program; by default the one that :func:`find_program` finds.
        encoder: A folder with a sentence encoder; by default the one that was installed with the program.
        threads: How many threads the encoder computes with; 0 for one a core.
        learned_metrics: Files of ``rankrate train``, which stand behind the names of their kinds
            (``learned-free``, ``learned-ref``, ``lens``, ``cross-encoder``).
    """

    def __init__(
        self,
        *,
        path: StrPath | None = None,
        encoder: StrPath | None = None,
        threads: int = 0,
        learned_metrics: Iterable[StrPath] = (),
    ) -> None:
        self._path = None if path is None else Path(path)
        self._options: list[str] = []
        if encoder is not None:
            self._options += ["--encoder", os.fspath(encoder)]
        if threads:
            self._options += ["--encoder-threads", str(threads)]
        for model in learned_metrics:
            self._options += ["--learned-metric", os.fspath(model)]
        self._forget_child()

    def __repr__(self) -> str:
        path = "rankrate" if self._path is None else os.fspath(self._path)
        state = "not running" if self.pid is None else f"process {self.pid}"
        return f"Program({' '.join([path, *self._options])}; {state})"

    def __reduce__(self) -> tuple[object, ...]:
        # Another process starts a program of its own, and shares the one that its own calls share.
        if self is _shared:
            return shared_program, ()
        return _restored_program, (self._path, self._options)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @property
    def pid(self) -> int | None:
        """The id of the running process; ``None`` before the first call and after :meth:`close`."""
        return self._child.pid if self._child is not None else None

    def close(self) -> None:
        """End the program, if it runs. A later call starts a new one."""
        with self._lock:
            self._end_child()

    def version(self) -> str:
        """The version of the program."""
        return str(self.call("version", {})["version"])

    def call(self, name: str, arguments: Mapping[str, object], *, progress: bool = False) -> dict[str, Any]:
        """The result of a call, as ``rankrate stdio --help`` describes it.

        Args:
            name: The call: ``score``, ``rerank``, ``align``, ``categorise``, ``metrics`` or ``version``.
            arguments: Its arguments, as JSON holds them.
            progress: Draw a bar of tqdm for each stage.

        Returns:
            The result, as JSON holds it. What it warns of is a :class:`RankrateWarning` here.

        Raises:
            ArgumentError: The arguments are wrong.
            UnavailableError: Something that the call needs is missing, or ``progress`` is set and tqdm is not
                installed.
            ComputationError: The computation failed.
            ProgramEndedError: The program ended before it answered.
            ProgramNotFoundError: There is no program.
        """
        if self._owner != os.getpid():
            # The pipes of a forked process are its parent's.
            self._forget_child()
        with self._lock:
            self._calls += 1
            request: dict[str, object] = {"id": self._calls, "call": name, "arguments": arguments}
            # Programs of earlier versions do not know it.
            if progress:
                request["progress"] = True
            try:
                line = json.dumps(request, ensure_ascii=False, allow_nan=False).encode("utf-8") + b"\n"
            except UnicodeEncodeError as error:
                raise ArgumentError(f"a text is no valid Unicode: {error}") from error
            with progress_bars(progress) as show:
                answer = self._exchange(line, show)
            if answer.get("id") != self._calls:
                self._end_child(kill=True)
                raise ComputationError(f"the program answered another request than {self._calls}: {answer}")
        if "error" in answer:
            failure = answer["error"]
            raise _ERRORS.get(failure["kind"], ComputationError)(failure["message"])
        result: dict[str, Any] = answer["result"]
        for warning in result.get("warnings", ()):
            warnings.warn(warning, RankrateWarning, stacklevel=3)
        return result

    def run(self, command: Sequence[str], *, progress: bool = False) -> Any:
        """The report that a command prints with ``--json``, from a process of its own.

        Args:
            command: The command with its arguments, such as ``["agreement", "ratings.csv"]``.
            progress: Draw a bar of tqdm for each stage, of commands that take long.

        Returns:
            The report, as JSON holds it.

        Raises:
            ComputationError: The command failed; the message has its reason.
            ArgumentError: It does not know an argument.
            UnavailableError: ``progress`` is set, and tqdm is not installed.
            ProgramNotFoundError: There is no program.
        """
        arguments = [os.fspath(self._program_path()), *self._options, *command, "--json"]
        with progress_bars(progress) as show:
            if show is not None:
                arguments.append("--json-progress")
            status, printed, messages = _run_to_end(arguments, show)
        if status != 0:
            # The command line's own status for wrong usage is 2.
            raise (ArgumentError if status == 2 else ComputationError)(messages.strip().removeprefix("rankrate: "))
        return json.loads(printed)

    def _program_path(self) -> Path:
        if self._path is None:
            self._path = find_program()
        return self._path

    def _forget_child(self) -> None:
        self._owner = os.getpid()
        self._lock = threading.Lock()
        self._calls = 0
        self._child: subprocess.Popen[bytes] | None = None
        self._log: IO[bytes] | None = None
        self._at_end: weakref.finalize[..., Program] | None = None

    def _exchange(self, line: bytes, show: OnProgress | None) -> dict[str, Any]:
        child = self._child
        if child is None or child.poll() is not None:
            self._end_child()
            child = self._start_child()
        assert child.stdin is not None
        assert child.stdout is not None
        try:
            child.stdin.write(line)
            child.stdin.flush()
            answer, parsed = _read_line(child.stdout)
            while show is not None and "progress" in parsed:
                show(parsed["progress"])
                answer, parsed = _read_line(child.stdout)
        except OSError:
            answer = b""
        except BaseException:
            # After an interrupt the answer to this call would be taken for that to the next one.
            self._end_child(kill=True)
            raise
        if not answer.endswith(b"\n"):
            raise self._ended_error(child)
        return parsed

    def _start_child(self) -> subprocess.Popen[bytes]:
        arguments = [os.fspath(self._program_path()), *self._options, "stdio", "--end-with-parent"]
        log = tempfile.TemporaryFile()  # noqa: SIM115 - it is closed with the child
        # Of an interrupt at the terminal only this process is told: it decides what becomes of the child.
        apart: dict[str, Any] = (
            {"creationflags": getattr(subprocess, "CREATE_NEW_PROCESS_GROUP", 0)}
            if sys.platform == "win32"
            else {"process_group": 0}
        )
        try:
            child = _start(arguments, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=log, **apart)
        except ProgramNotFoundError:
            log.close()
            raise
        self._child, self._log = child, log
        self._at_end = weakref.finalize(self, _end_process, child, log, kill=False)
        return child

    def _end_child(self, *, kill: bool = False) -> None:
        if self._child is not None and self._log is not None:
            if self._at_end is not None:
                self._at_end.detach()
            _end_process(self._child, self._log, kill=kill)
        self._child = self._log = self._at_end = None

    def _ended_error(self, child: subprocess.Popen[bytes]) -> ProgramEndedError:
        try:
            status: int | None = child.wait(_END_TIMEOUT)
        except subprocess.TimeoutExpired:
            status = None
        how = _describe_status(status)
        written = ""
        if self._log is not None:
            size = self._log.seek(0, os.SEEK_END)
            self._log.seek(max(0, size - _SHOWN_LOG))
            written = self._log.read().decode("utf-8", "replace").strip()
        self._end_child(kill=True)
        message = f"the program {how} before it answered; the next call starts it again"
        return ProgramEndedError(f"{message}. It wrote: {written}" if written else message, status)


def _read_line(output: IO[bytes]) -> tuple[bytes, dict[str, Any]]:
    """A line with the object that it holds, which is empty where the program ended before the line did."""
    line = output.readline()
    return line, json.loads(line) if line.endswith(b"\n") else {}


def _start(arguments: list[str], **options: Any) -> subprocess.Popen[bytes]:
    try:
        return subprocess.Popen(arguments, **options)
    except OSError as error:
        raise ProgramNotFoundError(f"the program does not start: {error}") from error


def _run_to_end(arguments: list[str], show: OnProgress | None) -> tuple[int, bytes, str]:
    """The status of a command, with what it wrote to its output, and the messages beside its progress."""
    messages: list[bytes] = []
    with (
        tempfile.TemporaryFile() as printed,
        _start(arguments, stdin=subprocess.DEVNULL, stdout=printed, stderr=subprocess.PIPE) as child,
    ):
        assert child.stderr is not None
        try:
            for line in child.stderr:
                if show is not None and line.startswith(_PROGRESS):
                    show(json.loads(line)["progress"])
                else:
                    messages.append(line)
        except BaseException:
            child.kill()
            raise
        status = child.wait()
        printed.seek(0)
        return status, printed.read(), b"".join(messages).decode("utf-8", "replace")


def _describe_status(status: int | None) -> str:
    if status is None:
        return "closed its output"
    if status >= 0:
        return f"ended with status {status}"
    try:
        return f"was killed by {signal.Signals(-status).name}"
    except ValueError:
        return f"was killed by signal {-status}"


def _end_process(child: subprocess.Popen[bytes], log: IO[bytes], *, kill: bool) -> None:
    """End a child by the end of its input, or by force, and release all that belongs to it."""
    if kill:
        child.kill()
    for pipe in (child.stdin, child.stdout):
        if pipe is not None:
            # What was still to be written may have no reader any more.
            with contextlib.suppress(OSError):
                pipe.close()
    try:
        child.wait(_END_TIMEOUT)
    except subprocess.TimeoutExpired:
        child.kill()
        child.wait()
    log.close()


_shared: Program | None = None
_shared_lock = threading.Lock()


def _restored_program(path: Path | None, options: list[str]) -> Program:
    program = Program(path=path)
    program._options = options
    return program


def shared_program() -> Program:
    """The program that calls use which are given none."""
    global _shared
    with _shared_lock:
        if _shared is None:
            _shared = Program()
        return _shared
