"""A metric as a reward for training loops."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Literal

from ._metrics import Metric
from .errors import ArgumentError

Completion = str | Sequence[Mapping[str, str]]
"""A text, or a conversation whose last message is the text."""


class Reward:
    """A reward function over a batch, in the form that trainers of the ``transformers`` family call.

    Such trainers (GRPO, for example) call ``reward(prompts=…, completions=…, **columns)`` with the columns of the
    dataset, each repeated for every completion, and expect a number for each. Larger is better: the scores of a
    metric where a lower score is better are negated.

    Args:
        metric: The metric, or its name.
        source_column: The column of the dataset with the texts to simplify.
        references_column: The column with lists of references, for a metric that needs some.
        empty: The reward of an empty completion, and of one that has no score; by default the metric's score where it
            has one, else ``nan``.
        sign: 1 or -1, which scores are multiplied by; by default what makes larger better.
        progress: Draw a bar of tqdm for each batch.

    Raises:
        ArgumentError: There is no such metric, it needs references and no column is named, or neither direction of it
            is better and no sign is given.

    Attributes:
        metric: The metric.
    """

    def __init__(
        self,
        metric: str | Metric = "learned-free",
        *,
        source_column: str = "source",
        references_column: str | None = None,
        empty: float | None = None,
        sign: Literal[1, -1] | None = None,
        progress: bool = False,
    ) -> None:
        self.metric = metric if isinstance(metric, Metric) else Metric(metric)
        name = self.metric.name
        if self.metric.needs_references and references_column is None:
            raise ArgumentError(f"{name} needs references: name their column in references_column")
        if sign is None and self.metric.direction == "neither":
            raise ArgumentError(f"neither direction of {name} is better: say which with sign=1 or sign=-1")
        self._sign = sign or (-1 if self.metric.direction == "lower-is-better" else 1)
        self._source_column = source_column
        self._references_column = references_column
        self._empty = empty
        self._progress = progress
        # Trainers log a reward by the name of its function.
        self.__name__ = f"rankrate_{name.replace('-', '_')}"

    def __repr__(self) -> str:
        return f"Reward({self.metric.name!r}, sign={self._sign})"

    def __call__(self, completions: Sequence[Completion], **columns: object) -> list[float]:
        """The reward of each completion.

        Args:
            completions: n texts or conversations. White space around a text is no part of it.
            columns: The columns of the dataset, n values each, among them those of sources and references; others
                are not looked at.

        Returns:
            n numbers, larger for better.

        Raises:
            ArgumentError: A column is missing, or has another length, or a message holds something else than a text.
        """
        outputs = [_text(completion).strip() for completion in completions]
        sources = self._column(columns, self._source_column, len(outputs))
        references = None
        if self._references_column is not None:
            references = self._column(columns, self._references_column, len(outputs))
        scores = self.metric.score(sources, outputs, references, progress=self._progress) * self._sign
        rewards: list[float] = scores.tolist()
        if self._empty is None:
            return rewards
        # A score that is missing is not equal to itself.
        return [
            self._empty if not output or reward != reward else reward
            for output, reward in zip(outputs, rewards, strict=True)
        ]

    @staticmethod
    def _column(columns: Mapping[str, object], name: str, length: int) -> list[Any]:
        values = columns.get(name)
        if not isinstance(values, Iterable) or isinstance(values, str):
            raise ArgumentError(
                f"there is no column “{name}” beside the completions; there are: {', '.join(columns) or 'none'}"
            )
        listed = list(values)
        if len(listed) != length:
            raise ArgumentError(f"there are {length} completions and {len(listed)} values in the column “{name}”")
        return listed


def _text(completion: Completion) -> str:
    if isinstance(completion, str):
        return completion
    content: object = completion[-1]["content"] if completion else ""
    # A message that calls a tool has no text.
    if content is None:
        return ""
    if not isinstance(content, str):
        raise ArgumentError(f"the content of a completion is a {type(content).__name__}: give texts")
    return content
