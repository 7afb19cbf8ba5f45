"""Scores of outputs by metrics."""

from __future__ import annotations

import os
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Literal, Self

import numpy as np
from numpy.typing import NDArray

from ._program import Program, StrPath, shared_program
from ._texts import TextLists, Texts, as_text_lists, as_texts
from .errors import ArgumentError

Direction = Literal["higher-is-better", "lower-is-better", "neither"]
Scores = NDArray[np.float64]


@dataclass(frozen=True)
class MetricInfo:
    """A metric that the program knows.

    Attributes:
        name: Its name, as on the command line.
        direction: Which of two scores is better.
        needs_references: Whether it compares outputs with references.
    """

    name: str
    direction: Direction
    needs_references: bool


@dataclass(frozen=True)
class ScoreMeaning:
    """What a score of a learned metric means.

    Attributes:
        score: The score itself.
        percent: The percentage of rated outputs whose mean rating is below the one that people are expected to give,
            from 0 to 100.
        low: 95 % of outputs with such a score have a mean rating of at least this, on the same scale …
        high: … and of at most this.
        out_of_domain: Whether the texts are unlike all that the metric learned from, so that its score is a guess;
            ``None`` of a metric that cannot tell, one whose encoder was trained.
    """

    score: float
    percent: float
    low: float
    high: float
    out_of_domain: bool | None


def metrics(*, program: Program | None = None) -> list[MetricInfo]:
    """All metrics, in the order in which ``rankrate score`` lists them.

    Args:
        program: The program to call.
    """
    result = (program or shared_program()).call("metrics", {})
    return [MetricInfo(**metric) for metric in result["metrics"]]


class Metric:
    """A metric that scores outputs in a program which stays warm.

    Scores are those of ``rankrate score`` on the same outputs, to the last digit: a call is a batch of its own, and
    does not depend on the calls before it. Give many pairs at once: a call of one pair takes nearly as long as one
    of ten.

    Args:
        name: Its name, such as ``learned-free``, ``sari`` or ``bertscore-f1``; :func:`metrics` lists them. BLEU has
            options in its name: ``bleu-lc`` is that of lower-cased texts, ``bleu-lc-intl`` that with another tokeniser.
        model: Of a learned metric, a file of ``rankrate train`` in place of the one that is shipped.
        program: The program to call; by default all metrics share one. A metric with a ``model`` has its own.

    Raises:
        ArgumentError: There is no such metric.

    Attributes:
        name: Its name.
        direction: Which of two scores is better: ``higher-is-better``, ``lower-is-better`` or ``neither``.
        needs_references: Whether :meth:`score` needs references.
        signature: The settings that the latest scores depend on, in sacreBLEU's style; ``None`` before the first.
    """

    def __init__(self, name: str, *, model: StrPath | None = None, program: Program | None = None) -> None:
        if model is not None and program is not None:
            raise ArgumentError("give a model or a program, not both: Program(learned_metrics=[…]) names models")
        self._owns_program = model is not None
        if model is not None:
            if not os.path.exists(model):
                raise ArgumentError(f"there is no model {os.fspath(model)}")
            program = Program(learned_metrics=[model])
        self._program = program or shared_program()
        known = {metric.name: metric for metric in metrics(program=self._program)}
        if name not in known:
            self.close()
            raise ArgumentError(f"there is no metric “{name}”; there are: {', '.join(known)}")
        self.name = name
        self.direction: Direction = known[name].direction
        self.needs_references = known[name].needs_references
        self.signature: str | None = None

    def __repr__(self) -> str:
        return f"Metric({self.name!r})"

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """End the program, if it is this metric's own."""
        if self._owns_program:
            self._program.close()

    def score(
        self, sources: Texts, outputs: Texts, references: TextLists | None = None, *, progress: bool = False
    ) -> Scores:
        """The score of each output.

        Args:
            sources: n texts that were simplified.
            outputs: n simplifications; ``outputs[i]`` is of ``sources[i]``.
            references: n lists of simplifications by people, of any length; needed where
                :attr:`needs_references` is set, else without effect.
            progress: Draw a bar of tqdm for each stage.

        Returns:
            Shape (n,), float64, in the units of the metric (the manual's page *Metrics* says which: SARI and BLEU from
            0 to 100, ``learned-free`` about a mean z-score). ``nan`` where an output has no score, for example for
            want of a reference.

        Raises:
            TypeError: Something in a list is no text.
            ArgumentError: The lists differ in length, a text has more than 20,000 bytes, or there is no reference at
                all.
            UnavailableError: The metric needs a file that is missing, or ``progress`` is set and tqdm is not
                installed.
        """
        [(scores, self.signature)] = _scores(
            [self.name], sources, outputs, references, self._program, progress=progress
        )
        return scores

    def meanings(
        self, sources: Texts, outputs: Texts, references: TextLists | None = None, *, progress: bool = False
    ) -> list[ScoreMeaning | None]:
        """What the score of each output means, as ``rankrate score --meaning`` says it.

        Args:
            sources: n texts that were simplified.
            outputs: n simplifications; ``outputs[i]`` is of ``sources[i]``.
            references: n lists of simplifications by people, where the metric needs some.
            progress: Draw a bar of tqdm for each stage.

        Returns:
            One for each output; ``None`` where it has no score.

        Raises:
            TypeError: Something in a list is no text.
            ArgumentError: The lists do not fit, or the metric does not know what its scores mean: only learned metrics
                whose file has been calibrated do.
            UnavailableError: The metric needs a file that is missing.
        """
        [result] = _call([self.name], sources, outputs, references, self._program, meaning=True, progress=progress)
        self.signature = result["signature"]
        values, meanings = result["values"], result.get("meanings", [])
        pairs = list(zip(values, meanings or [None] * len(values), strict=True))
        if any(value is not None and meaning is None for value, meaning in pairs):
            raise ArgumentError(f"{self.name} does not know what its scores mean")
        return [meaning and _as_meaning(value, meaning) for value, meaning in pairs]


def score(
    metrics: Iterable[str],
    sources: Texts,
    outputs: Texts,
    references: TextLists | None = None,
    *,
    progress: bool = False,
    program: Program | None = None,
) -> dict[str, Scores]:
    """The scores of each output by several metrics, in one call.

    Args:
        metrics: Their names.
        sources: n texts that were simplified.
        outputs: n simplifications.
        references: n lists of simplifications by people, where a metric needs some.
        progress: Draw a bar of tqdm for each stage.
        program: The program to call.

    Returns:
        For each name an array as :meth:`Metric.score` returns it.

    Raises:
        TypeError: Something in a list is no text.
        ArgumentError: There is no such metric, or the lists do not fit.
        UnavailableError: A metric needs a file that is missing, or ``progress`` is set and tqdm is not installed.
    """
    names = list(dict.fromkeys(as_texts(metrics, "metrics")))
    results = _scores(names, sources, outputs, references, program or shared_program(), progress=progress)
    return {name: scores for name, (scores, _) in zip(names, results, strict=True)}


def corpus_score(
    metrics: Iterable[str],
    sources: Texts,
    outputs: Texts,
    references: TextLists | None = None,
    *,
    progress: bool = False,
    program: Program | None = None,
) -> dict[str, float]:
    """The score of all outputs as one corpus, as EASSE and sacreBLEU report it: not the mean of the outputs' scores.

    Args:
        metrics: Their names: metrics that are made of counts, which are ``sari``, ``bleu``, ``self-bleu``, ``chrf`` and
            ``fkgl``.
        sources: n texts that were simplified.
        outputs: n simplifications.
        references: n lists of simplifications by people, where a metric needs some.
        progress: Draw a bar of tqdm for each stage.
        program: The program to call.

    Returns:
        A number for each name. Outputs without a score are left out.

    Raises:
        TypeError: Something in a list is no text.
        ArgumentError: There is no such metric, it has no score of a corpus, or the lists do not fit.
    """
    names = list(dict.fromkeys(as_texts(metrics, "metrics")))
    results = _call(names, sources, outputs, references, program or shared_program(), corpus=True, progress=progress)
    for name, result in zip(names, results, strict=True):
        if result.get("corpus") is None:
            raise ArgumentError(f"{name} has no score of a whole corpus, or no output has a score")
    return {name: float(result["corpus"]) for name, result in zip(names, results, strict=True)}


def sari(
    sources: Texts,
    outputs: Texts,
    references: TextLists,
    *,
    progress: bool = False,
    program: Program | None = None,
) -> Scores:
    """SARI of each output, as EASSE computes it: shape (n,), 0 to 100, ``nan`` without a reference.

    Arguments and errors as for :func:`score`.
    """
    return score(["sari"], sources, outputs, references, progress=progress, program=program)["sari"]


def bleu(
    sources: Texts,
    outputs: Texts,
    references: TextLists,
    *,
    progress: bool = False,
    program: Program | None = None,
) -> Scores:
    """Sentence BLEU of each output, as sacreBLEU computes it: shape (n,), 0 to 100, ``nan`` without a reference.

    Arguments and errors as for :func:`score`.
    """
    return score(["bleu"], sources, outputs, references, progress=progress, program=program)["bleu"]


def chrf(
    sources: Texts,
    outputs: Texts,
    references: TextLists,
    *,
    progress: bool = False,
    program: Program | None = None,
) -> Scores:
    """The score chrF2 of each output, as sacreBLEU computes it: shape (n,), 0 to 100, ``nan`` without a reference.

    Arguments and errors as for :func:`score`.
    """
    return score(["chrf"], sources, outputs, references, progress=progress, program=program)["chrf"]


def bertscore(
    sources: Texts,
    outputs: Texts,
    references: TextLists,
    *,
    progress: bool = False,
    program: Program | None = None,
) -> Scores:
    """BERTScore's F1 of each output to its nearest reference: shape (n,), at most 1, ``nan`` without a reference.

    It is on this program's own scale, that of its encoder. Arguments and errors as for :func:`score`.
    """
    return score(["bertscore-f1"], sources, outputs, references, progress=progress, program=program)["bertscore-f1"]


def fkgl(outputs: Texts, *, progress: bool = False, program: Program | None = None) -> Scores:
    """Flesch-Kincaid grade level of each output, as EASSE computes it: shape (n,), larger is harder.

    Arguments and errors as for :func:`score`.
    """
    texts = as_texts(outputs, "outputs")
    return score(["fkgl"], texts, texts, progress=progress, program=program)["fkgl"]


def _scores(
    names: list[str],
    sources: Texts,
    outputs: Texts,
    references: TextLists | None,
    program: Program,
    *,
    progress: bool,
) -> list[tuple[Scores, str | None]]:
    results = _call(names, sources, outputs, references, program, progress=progress)
    # An output without a score is null in JSON, and NaN in an array of numbers.
    return [(np.array(metric["values"], dtype=np.float64), metric["signature"]) for metric in results]


def _call(
    names: list[str],
    sources: Texts,
    outputs: Texts,
    references: TextLists | None,
    program: Program,
    *,
    meaning: bool = False,
    corpus: bool = False,
    progress: bool,
) -> list[dict[str, Any]]:
    arguments: dict[str, Any] = {
        "metrics": names,
        "sources": as_texts(sources, "sources"),
        "outputs": as_texts(outputs, "outputs"),
        "references": None if references is None else as_text_lists(references, "references"),
    }
    # Programs of earlier versions do not know these.
    if meaning:
        arguments["meaning"] = True
    if corpus:
        arguments["corpus"] = True
    results: list[dict[str, Any]] = program.call("score", arguments, progress=progress)["scores"]
    return results


def _as_meaning(score: float, meaning: dict[str, Any]) -> ScoreMeaning:
    low, high = meaning["interval"]
    return ScoreMeaning(score, meaning["percent"], low, high, meaning["out_of_domain"])
