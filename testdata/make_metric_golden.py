#!/usr/bin/env python3
"""Writes golden/learned_metric.json again: features of texts by real encoders, and the scores that the shipped metrics give.

    testdata/make_metric_golden.py target/debug/rankrate .tools/encoder all-mpnet-base-v2 \\
        --frequencies .tools/frequencies/large_en.msgpack.gz --onnx-runtime .tools/runtime/libonnxruntime.so

The folders are those of all encoders that a metric is shipped for. The texts are the file's own. A training, whose
model is thrown away, leaves the features of its data in its file; the scores are those of `rankrate score --meaning`.
"""

import json
import pathlib
import struct
import subprocess
import sys
import tempfile

GOLDEN = pathlib.Path(__file__).resolve().parent / "golden" / "learned_metric.json"


def read_model(path):
    """The description of a model, and the rows of features and numbers of outputs that are stored with it."""
    data = path.read_bytes()
    (length,) = struct.unpack("<Q", data[:8])
    header = json.loads(data[8 : 8 + length])

    def tensor(name, kind):
        entry = header[name]
        begin, end = (8 + length + at for at in entry["data_offsets"])
        numbers = struct.unpack(f"<{(end - begin) // 4}{kind}", data[begin:end])
        width = entry["shape"][1]
        return [numbers[at : at + width] for at in range(0, len(numbers), width)]

    card = json.loads(header["__metadata__"]["rankrate-metric"])
    return card, tensor("table.values", "f"), tensor("table.outputs", "I")


def main():
    program, *arguments = sys.argv[1:]
    options_from = next(at for at, argument in enumerate(arguments) if argument.startswith("--"))
    folders, options = arguments[:options_from], arguments[options_from:]
    golden = json.loads(GOLDEN.read_text())
    # The program sorts texts by their bytes.
    sources = sorted(golden["texts"], key=str.encode)
    pairs = [(source, output) for source in sources for output in sorted(golden["texts"][source], key=str.encode)]
    golden["metrics"] = []
    with tempfile.TemporaryDirectory() as folder:
        ratings, model = (pathlib.Path(folder, name) for name in ["ratings.jsonl", "model"])
        with ratings.open("w") as file:
            for at, (source, output) in enumerate(pairs):
                row = {"source": source, "output": output, "system": str(at), "rater": "a", "rating": at % 7}
                file.write(json.dumps({**row, "dimension": "overall"}) + "\n")
        for encoder in folders:
            common = ["--encoder", encoder, "--encoder-threads", "1", *options]
            train = ["train", ratings, "--dimension", "overall", "--from", "none", "--held-out", "0", "--output", model, *common]
            score = ["score", ratings, "--metrics", "learned-free", "--meaning", "--format", "jsonl", *common]
            subprocess.run([program, *train], check=True, stdout=subprocess.DEVNULL)
            scored = subprocess.run([program, *score], check=True, stdout=subprocess.PIPE, text=True).stdout
            scored = [json.loads(line) for line in scored.splitlines()]
            card, values, outputs = read_model(model)
            rated = [values[first] for _, first, _, made in outputs if not made]
            assert len(rated) == len(pairs) and [(row["source"], row["output"]) for row in scored] == pairs
            golden["metrics"].append({
                "encoder": card["features"]["encoder"],
                "outputs": [make_case(row, features) for row, features in zip(scored, rated)],
            })
    GOLDEN.write_text(json.dumps(golden, ensure_ascii=False, separators=(",", ":")) + "\n")


def make_case(row, features):
    return {
        "score": row["learned-free"],
        # Percentages, with one decimal.
        **row["meanings"]["learned-free"],
        # Nine digits give the same number of single precision again.
        "features": [float(f"{value:.9g}") for value in features],
    }


main()
