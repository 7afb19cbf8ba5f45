"""Rank & Rate from Python: metrics, reranking, alignment and agreement, computed by the program ``rankrate``.

    import rankrate

    learned = rankrate.Metric("learned-free")
    learned.score(["The vessel foundered off the coast."], ["The ship sank near the coast."])

Texts are lists of strings, scores NumPy arrays; :func:`agreement`, :func:`systems` and :func:`meta_eval` take and
return pandas frames. The program starts with the first call, stays warm, and ends with the interpreter.
"""

from __future__ import annotations

from ._commands import compare, pairwise, protocols, raters, rc, spans, train
from ._dataset import export_dataset
from ._frames import agreement, meta_eval, systems
from ._metrics import (
    Metric,
    MetricInfo,
    ScoreMeaning,
    bertscore,
    bleu,
    chrf,
    corpus_score,
    fkgl,
    metrics,
    sari,
    score,
)
from ._pairs import Alignment, Choice, Edit, Link, align, categorise, rerank
from ._program import Program, find_program, shared_program
from ._reward import Reward
from ._study import Study
from .errors import (
    ArgumentError,
    ComputationError,
    ProgramEndedError,
    ProgramNotFoundError,
    RankrateError,
    RankrateWarning,
    ServerError,
    UnavailableError,
)

__all__ = [
    "Alignment",
    "ArgumentError",
    "Choice",
    "ComputationError",
    "Edit",
    "Link",
    "Metric",
    "MetricInfo",
    "Program",
    "ProgramEndedError",
    "ProgramNotFoundError",
    "RankrateError",
    "RankrateWarning",
    "Reward",
    "ScoreMeaning",
    "ServerError",
    "Study",
    "UnavailableError",
    "agreement",
    "align",
    "bertscore",
    "bleu",
    "categorise",
    "chrf",
    "compare",
    "corpus_score",
    "export_dataset",
    "find_program",
    "fkgl",
    "meta_eval",
    "metrics",
    "pairwise",
    "protocols",
    "raters",
    "rc",
    "rerank",
    "sari",
    "score",
    "spans",
    "systems",
    "train",
]


def __getattr__(name: str) -> str:
    # The program knows its version, which is that of the package.
    if name == "__version__":
        return shared_program().version()
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
