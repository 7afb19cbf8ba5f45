"""Reranking, alignment and categories, against the commands."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from conftest import OUTPUTS, SOURCES, Command

import rankrate


def test_the_best_candidate_is_that_of_the_command(program: rankrate.Program, command: Command, tmp_path: Path) -> None:
    sets = [[OUTPUTS[0], SOURCES[0], "Ship."], [OUTPUTS[1]], [OUTPUTS[2], OUTPUTS[2]]]
    file = tmp_path / "candidates.jsonl"
    rows = [{"source": s, "candidates": c} for s, c in zip(SOURCES, sets, strict=False)]
    file.write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    written = [json.loads(line) for line in command("rerank", file, "--json").splitlines()]
    choices = rankrate.rerank(SOURCES[:3], sets, program=program)
    assert len(choices) == 3
    for choice, expected in zip(choices, written, strict=True):
        assert (choice.best, choice.output) == (expected["best"], expected["output"])
        np.testing.assert_array_equal(choice.scores, np.array(expected["scores"]))
    assert choices[2].best == 0
    assert rankrate.rerank([], [], program=program) == []
    with pytest.raises(rankrate.ArgumentError, match=r"source 1 \(counted from 0\) has no candidate"):
        rankrate.rerank(["a", "b"], [["a"], []], program=program)
    with pytest.raises(rankrate.UnavailableError, match="nowhere"):
        rankrate.rerank(["a"], [["a"]], model="nowhere", program=program)


@pytest.mark.parametrize("grade", ["string", "grid", "encoder"])
def test_words_and_links_are_those_of_the_command(
    program: rankrate.Program, command: Command, tmp_path: Path, grade: rankrate._pairs.Grade
) -> None:
    # Lines of a file cannot be empty.
    sources, outputs = SOURCES[:4], OUTPUTS[:4]
    file = tmp_path / "pairs.tsv"
    lines = ["\t".join(pair) for pair in zip(sources, outputs, strict=True)]
    file.write_text("\n".join(lines), encoding="utf-8")
    read = [
        [json.loads(line) for line in command("align", file, "--format", form, "--grade", grade).splitlines()]
        for form in ("json", "edits")
    ]
    alignments = rankrate.align(sources, outputs, grade=grade, program=program)
    for place, (alignment, links, edits) in enumerate(zip(alignments, *read, strict=True)):
        assert [(link.source, link.output, link.probability) for link in alignment.links] == [
            (link["source"], link["output"], link["probability"]) for link in links["links"]
        ]
        assert (alignment.grade, alignment.version) == (grade, links["version"])
        # The command's places are bytes, ours are characters: both stand for the same words.
        for text, words, spans in (
            (sources[place], alignment.source_words, links["source_words"]),
            (outputs[place], alignment.output_words, links["output_words"]),
        ):
            assert [text[start:end] for start, end in words] == [_bytes(text, span) for span in spans]
        assert len(alignment.edits) == len(edits["edits"]) > 0 or sources[place] == outputs[place]
        for edit, expected in zip(alignment.edits, edits["edits"], strict=True):
            assert (edit.kind, edit.confidence) == (expected["kind"], expected["confidence"])
            for text, ours, theirs in (
                (sources[place], edit.source, expected["source"]),
                (outputs[place], edit.output, expected["output"]),
            ):
                assert [text[start:end] for start, end in ours] == [_bytes(text, span) for span in theirs]


def _bytes(text: str, span: dict[str, int]) -> str:
    return text.encode("utf-8")[span["start"] : span["end"]].decode("utf-8")


def test_the_best_aligner_is_taken_and_a_lesser_one_is_said(program: rankrate.Program, tmp_path: Path) -> None:
    [alignment] = rankrate.align(["The vessel sank."], ["The ship sank."], program=program)
    assert alignment.grade == "encoder"
    assert rankrate.align([], [], program=program) == []
    with rankrate.Program(encoder=tmp_path) as without:
        with pytest.warns(rankrate.RankrateWarning, match="without the encoder"):
            [alignment] = rankrate.align(["The vessel sank."], ["The ship sank."], program=without)
        assert alignment.grade == "grid"
        with pytest.raises(rankrate.UnavailableError):
            rankrate.align(["a"], ["a"], grade="encoder", program=without)
    with pytest.raises(rankrate.ArgumentError, match="arguments do not fit"):
        rankrate.align(["a"], ["a"], grade="best", program=program)  # type: ignore[arg-type]


def test_categories(program: rankrate.Program) -> None:
    categories = rankrate.categorise(SOURCES, OUTPUTS, program=program)
    assert categories.tolist() == ["split", "deletion", "deletion", "paraphrase", "deletion"]
    assert rankrate.categorise([], [], program=program).shape == (0,)
    [longer] = rankrate.categorise(["one two three"], ["uno dos"], threshold=0.5, program=program)
    [shorter] = rankrate.categorise(["one two three"], ["uno dos"], threshold=0.9, program=program)
    assert (longer, shorter) == ("paraphrase", "deletion")
    with pytest.raises(rankrate.ArgumentError, match="from 0 to 1"):
        rankrate.categorise(["a"], ["a"], threshold=2, program=program)
