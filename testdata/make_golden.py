#!/usr/bin/env python3
"""Computes the figures of the golden files again, with the libraries that they come from.

    testdata/make_golden.py            compares: what differs, and what no library here gives
    testdata/make_golden.py --write    also writes the figures into testdata/golden

Inputs are the golden files' own and, where those name one, the released files (see README.md; figures
on files that are absent are left as they are). Missing libraries are installed into
target/golden-python. Ends with 1 where a figure differs by more than 1e-9 of its size.
"""

import json
import os
import pathlib
import subprocess
import sys
import venv

HERE = pathlib.Path(__file__).resolve().parent
TARGET = pathlib.Path(os.environ.get("CARGO_TARGET_DIR", HERE.parent / "target"))
NEEDED = [
    "Levenshtein==0.27.5",
    "choix==0.4.1",
    "krippendorff==0.9.0",
    "nltk==3.10.4",
    "numpy==2.4.6",
    "ppi-python==0.2.3",
    "sacrebleu==2.6.0",
    "scikit-learn==1.9.1",
    "scipy==1.17.1",
    "statsmodels==0.15.0",
]
TOLERANCE = 1e-9


def in_own_python():
    """Starts this script again in a Python that has the libraries."""
    folder = TARGET / "golden-python"
    python = folder / "bin" / "python"
    ready = folder / "installed"
    if pathlib.Path(sys.prefix).resolve() == folder.resolve():
        return
    if not ready.exists() or ready.read_text().split() != NEEDED:
        venv.create(folder, with_pip=True, clear=True)
        pip = [python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
        subprocess.run([*pip, *NEEDED], check=True)
        ready.write_text("\n".join(NEEDED))
    os.execv(python, [python, "-W", "ignore", __file__, *sys.argv[1:]])


def released_folder():
    """The folder with the released data, found as the tests find it."""
    named = os.environ.get("RANKRATE_RELEASED")
    fetched, beside = HERE / "released", HERE.parent.parent / "shared" / "data"
    return HERE.parent / named if named else fetched if fetched.is_dir() else beside


def leaves(value, path=()):
    """Every number, text or null below a value, with its path."""
    children = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else None
    if children is None:
        yield path, value
    else:
        for key, child in children:
            yield from leaves(child, (*path, key))


def at(value, path):
    for key in path:
        value = value[key]
    return value


def close(found, expected):
    if isinstance(found, (int, float)) and isinstance(expected, (int, float)):
        return abs(found - expected) <= TOLERANCE * max(1, abs(expected))
    return found == expected


def compare(name, golden, figures):
    """Puts `figures`, as (path, value), into `golden`; returns how many there are and which differ."""
    count, differing, done = 0, [], set()
    for place, figure in figures:
        for path, found in leaves(figure, place):
            try:
                expected = at(golden, path)
            except (IndexError, KeyError):
                sys.exit(f"{name}: {'/'.join(map(str, path))} is new: {found!r}")
            count += 1
            done.add(path)
            if not close(found, expected):
                differing.append(f"  {'/'.join(map(str, path))}: {found!r} instead of {expected!r}")
                at(golden, path[:-1])[path[-1]] = found
    kept = {"/".join(str(key) for key in path if not isinstance(key, int))
            for path, _ in leaves(golden)
            if path not in done and any(str(key).startswith("expected") for key in path)}
    print(f"{name}: {count} figures computed, {len(differing)} differ")
    print("\n".join(differing[:10]), end="\n" if differing else "")
    kept = sorted({path.split("/")[-1] for path in kept})
    if kept:
        print(f"  not computed here: {', '.join(kept)}")
    return differing


def main():
    from figures import comparisons, predictions, spans, statistics, texts
    released, differing = released_folder(), []
    makers = {**statistics.MAKERS, **comparisons.MAKERS, **predictions.MAKERS, **spans.MAKERS, **texts.MAKERS}
    for name, make in makers.items():
        path = HERE / "golden" / name
        golden = json.loads(path.read_text())
        found = compare(name, golden, list(make(golden, released)))
        if found and "--write" in sys.argv:
            path.write_text(json.dumps(golden, ensure_ascii=False))
        differing += found
    sys.exit(1 if differing else 0)


in_own_python()
main()
