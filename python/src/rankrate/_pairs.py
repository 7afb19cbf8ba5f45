"""Calls on pairs of texts that are no scores: reranking, alignment and categories."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from ._program import Program, StrPath, shared_program
from ._texts import TextLists, Texts, as_text_lists, as_texts

Grade = Literal["string", "grid", "encoder"]
Stretch: TypeAlias = tuple[int, int]
"""The first character of a stretch of a text, and the one after its last, as a slice takes them."""


@dataclass(frozen=True, eq=False)
class Choice:
    """The best of several candidates.

    Attributes:
        best: The place of the best candidate; of equally good ones the first.
        output: The best candidate.
        scores: The score of each candidate: about a mean z-score, larger for better. NaN of one candidate alone where
            the metric compares candidates with each other.
    """

    best: int
    output: str
    scores: NDArray[np.float64]


@dataclass(frozen=True)
class Link:
    """Two words that correspond.

    Attributes:
        source: The place of the word among the words of the source.
        output: The place of the word among the words of the output.
        probability: How sure the aligner is, 0 to 1.
    """

    source: int
    output: int
    probability: float


@dataclass(frozen=True)
class Edit:
    """A change that an output makes to its source.

    Attributes:
        kind: What was done.
        source: The stretches of the source that went; empty of an insertion.
        output: The stretches of the output that came; of a deletion the place where words are missing.
        confidence: How sure the aligner is, 0 to 1.
    """

    kind: Literal["deletion", "paraphrase", "split"]
    source: tuple[Stretch, ...]
    output: tuple[Stretch, ...]
    confidence: float | None


@dataclass(frozen=True)
class Alignment:
    """The words of a source and an output that correspond, and the edits that follow from them.

    Attributes:
        source_words: The stretches of the source's words.
        output_words: The stretches of the output's words.
        links: The words that correspond.
        edits: The edits.
        grade: The quality of the aligner.
        version: The version of the aligner.
        banded: Whether the texts were too long to compare every word with every other.
    """

    source_words: tuple[Stretch, ...]
    output_words: tuple[Stretch, ...]
    links: tuple[Link, ...]
    edits: tuple[Edit, ...]
    grade: Grade
    version: int
    banded: bool


def rerank(
    sources: Texts,
    candidates: TextLists,
    *,
    model: StrPath | None = None,
    progress: bool = False,
    program: Program | None = None,
) -> list[Choice]:
    """The best of the candidates of each source, by a learned metric.

    A metric with references takes the other candidates as references (minimum Bayes risk); one without, such as the
    one that is shipped, judges each by itself.

    Args:
        sources: n texts.
        candidates: n lists of simplifications, none of them empty.
        model: A file of ``rankrate train``; by default the metric that is shipped.
        progress: Draw a bar of tqdm.
        program: The program to call.

    Returns:
        n choices, one for each source.

    Raises:
        TypeError: Something in a list is no text.
        ArgumentError: The lists differ in length, one is empty, or a text has more than 20,000 bytes.
        UnavailableError: The model, the encoder or the list of words is missing, or ``progress`` is set and tqdm is
            not installed.
    """
    lists = as_text_lists(candidates, "candidates")
    arguments = {
        "sources": as_texts(sources, "sources"),
        "candidates": lists,
        "model": None if model is None else os.fspath(model),
    }
    result = (program or shared_program()).call("rerank", arguments, progress=progress)
    return [
        Choice(choice["best"], texts[choice["best"]], np.array(choice["scores"], dtype=np.float64))
        for choice, texts in zip(result["choices"], lists, strict=True)
    ]


def align(
    sources: Texts,
    outputs: Texts,
    *,
    grade: Grade | None = None,
    progress: bool = False,
    program: Program | None = None,
) -> list[Alignment]:
    """The alignment of each pair of a source and an output.

    Args:
        sources: n texts.
        outputs: n simplifications.
        grade: The quality of the aligner: ``encoder``, ``grid`` or ``string``. By default the best that the installed
            models allow, with a :class:`RankrateWarning` where that is not ``encoder``.
        progress: Draw a bar of tqdm.
        program: The program to call.

    Returns:
        n alignments, one for each pair. Places in texts are characters, as slices take them.

    Raises:
        TypeError: Something in a list is no text.
        ArgumentError: The lists differ in length, or a text has more than 20,000 bytes.
        UnavailableError: The grade is ``encoder``, and there is none, or ``progress`` is set and tqdm is not installed.
    """
    arguments = {
        "sources": as_texts(sources, "sources"),
        "outputs": as_texts(outputs, "outputs"),
        "grade": grade,
    }
    result = (program or shared_program()).call("align", arguments, progress=progress)
    return [
        Alignment(
            source_words=_stretches(pair["source_words"]),
            output_words=_stretches(pair["output_words"]),
            links=tuple(Link(*link) for link in pair["links"]),
            edits=tuple(
                Edit(edit["kind"], _stretches(edit["source"]), _stretches(edit["output"]), edit["confidence"])
                for edit in pair["edits"]
            ),
            grade=pair["grade"],
            version=pair["version"],
            banded=pair["banded"],
        )
        for pair in result["pairs"]
    ]


def categorise(
    sources: Texts,
    outputs: Texts,
    *,
    rule: Literal["tuned", "paper"] | None = None,
    threshold: float | None = None,
    program: Program | None = None,
) -> NDArray[np.str_]:
    """The automatic category of each output: ``split``, ``deletion`` or ``paraphrase``.

    Args:
        sources: n texts.
        outputs: n simplifications.
        rule: What decides between deletion and paraphrase; by default ``tuned``.
        threshold: The ratio of lengths, 0 to 1, below which an output is a deletion; by default the rule's own.
        program: The program to call.

    Returns:
        Shape (n,), texts.

    Raises:
        TypeError: Something in a list is no text.
        ArgumentError: The lists differ in length, a text has more than 20,000 bytes, or the threshold is out of range.
    """
    arguments = {
        "sources": as_texts(sources, "sources"),
        "outputs": as_texts(outputs, "outputs"),
        "rule": rule,
        "threshold": threshold,
    }
    result = (program or shared_program()).call("categorise", arguments)
    return np.array([pair["category"] for pair in result["pairs"]], dtype=np.str_)


def _stretches(pairs: list[list[int]]) -> tuple[Stretch, ...]:
    return tuple((start, end) for start, end in pairs)
