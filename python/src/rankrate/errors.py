"""Everything that can go wrong, below one base class."""

from __future__ import annotations


class RankrateError(Exception):
    """The base of all errors of this package."""


class ProgramNotFoundError(RankrateError):
    """The program ``rankrate`` is not installed beside this package, and is not on the path."""


class ProgramEndedError(RankrateError):
    """The program ended before it answered; the next call starts a new one.

    Attributes:
        status: Its exit status; negative for the number of the signal that killed it.
    """

    def __init__(self, message: str, status: int | None) -> None:
        super().__init__(message)
        self.status = status


class ArgumentError(RankrateError, ValueError):
    """The arguments of a call are wrong or do not fit each other; the message says which."""


class UnavailableError(RankrateError):
    """A model, a library or a list of words that the call needs is missing; the message says how to get it."""


class ComputationError(RankrateError):
    """The program could not compute the result, or could not read a file; the message has its reason."""


class ServerError(RankrateError):
    """The server refused a request or could not be reached; the message says what to change.

    Attributes:
        status: The HTTP status; ``None`` where there was no answer, or a job failed.
    """

    def __init__(self, message: str, status: int | None) -> None:
        super().__init__(message)
        self.status = status


class RankrateWarning(UserWarning):
    """Something that the program says beside a result, such as rows that it left out."""
