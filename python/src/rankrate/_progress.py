"""Progress bars of long calls, drawn by tqdm."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any, TypeAlias

from .errors import UnavailableError

OnProgress: TypeAlias = Callable[[Mapping[str, Any]], None]
"""Is told how far a stage of a call has come: the steps that it counts, ``of``, how many are ``done``, and their
``total``."""


@contextmanager
def progress_bars(wanted: bool) -> Iterator[OnProgress | None]:
    """A bar for each stage of a call, one after the other; nothing where none is wanted.

    Raises:
        UnavailableError: Bars are wanted, and tqdm is not installed.
    """
    if not wanted:
        yield None
        return
    bars = _Bars()
    try:
        yield bars.show
    finally:
        bars.close()


class _Bars:
    def __init__(self) -> None:
        try:
            from tqdm.auto import tqdm
        except ImportError:
            raise UnavailableError(
                'progress=True draws bars with tqdm, which is not installed: pip install "rankrate[progress]", '
                "or leave progress=True out"
            ) from None
        self._tqdm = tqdm
        self._stage: str | None = None
        self._bar: Any = None

    def show(self, progress: Mapping[str, Any]) -> None:
        stage, done = progress["of"], progress["done"]
        if self._bar is None or stage != self._stage or done < self._bar.n:
            self.close()
            self._stage, self._bar = stage, self._tqdm(desc=stage, total=progress["total"])
        self._bar.update(done - self._bar.n)

    def close(self) -> None:
        if self._bar is not None:
            self._bar.close()
