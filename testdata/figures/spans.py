"""Agreement on marked spans: F1 of overlap, and Krippendorff's unitised alpha by its coincidences of units."""

import itertools

import krippendorff
import numpy as np


def stretches(text, spans):
    """Stretches of bytes as sets of characters that are no white space, numbered without them."""
    places, number = {}, 0
    offset = 0
    for character in text:
        if not character.isspace():
            places[offset] = number
            number += 1
        offset += len(character.encode())
    return [{number for at, number in places.items() if start <= at < end} for start, end in spans], number


def characters(case, output, rater, kinds):
    """The marks on each character, as (type, number of the mark), and where the output begins."""
    _, texts = case["outputs"][output]
    own = [mark for mark in case["marks"] if mark["output"] == output and mark["rater"] == rater]
    sides = []
    for text, side in zip(texts, ["source", "target"]):
        _, length = stretches(text, [])
        covering = [set() for _ in range(length)]
        for number, mark in enumerate(own):
            if mark["type"] in kinds:
                places, _ = stretches(text, mark[side])
                for place in set().union(*places):
                    covering[place].add((mark["type"], number))
        sides.append(covering)
    return sides


def judges(case, output):
    return sorted(rater for rater, outputs in case["judged"].items() if output in outputs)


def f1(case, kinds):
    """The mean over pairs of raters, pooled over outputs; None where nobody marked anything."""
    marked = {}
    for output in range(len(case["outputs"])):
        for rater in judges(case, output):
            sides = characters(case, output, rater, kinds)
            marked[output, rater] = {(side, place, kind) for side, covering in enumerate(sides)
                                     for place, marks in enumerate(covering) for kind, _ in marks}
    values = []
    for a, b in itertools.combinations(sorted(case["judged"]), 2):
        shared = set(case["judged"][a]) & set(case["judged"][b])
        both = sum(len(marked[output, a] & marked[output, b]) for output in shared)
        each = sum(len(marked[output, a]) + len(marked[output, b]) for output in shared)
        if each:
            values.append(2 * both / each)
    return float(np.mean(values)) if values else None


def units(case, output, rater, kinds):
    """The units of a continuum, as (value, first character, character after the last); a gap's value is empty."""
    found, start = [], 0
    for covering in characters(case, output, rater, kinds):
        for _, unit in itertools.groupby(enumerate(covering), key=lambda at: at[1]):
            unit = list(unit)
            value = frozenset(kind for kind, _ in unit[0][1])
            found.append((value, start + unit[0][0], start + unit[-1][0] + 1))
        start += len(covering)
    return found


def unitised(case, kinds):
    """Equations 32 to 34 of Krippendorff (2019), with coincidences added up over continua."""
    observed, self_pairs, total_self = {}, {}, 0
    for output in range(len(case["outputs"])):
        raters = judges(case, output)
        if len(raters) < 2:
            continue
        of_rater = {rater: units(case, output, rater, kinds) for rater in raters}
        for a, b in itertools.permutations(raters, 2):
            for (c, from_a, to_a), (k, from_b, to_b) in itertools.product(of_rater[a], of_rater[b]):
                shared = max(0, min(to_a, to_b) - max(from_a, from_b)) / (len(raters) - 1)
                observed[c, k] = observed.get((c, k), 0) + shared
        for value, start, end in itertools.chain(*of_rater.values()):
            length = end - start
            term = length ** 2 if value else length
            self_pairs[value] = self_pairs.get(value, 0) + term
            total_self += term
    values = sorted({value for pair in observed for value in pair}, key=sorted)
    coincidences = np.array([[observed.get((c, k), 0) for k in values] for c in values])
    total, sums = coincidences.sum(), coincidences.sum(axis=0)
    expected = np.outer(sums, sums) - np.diag([self_pairs[value] for value in values])
    expected = expected / (total - total_self / total)
    off_diagonal = 1 - np.identity(len(values))
    if not (expected * off_diagonal).sum():
        return None
    return float(1 - (coincidences * off_diagonal).sum() / (expected * off_diagonal).sum())


def per_character(case, kinds):
    """The ordinary nominal alpha with each character as a unit, which is the same for units of one character."""
    raters, columns, values = sorted(case["judged"]), [], {}
    for output in range(len(case["outputs"])):
        present = judges(case, output)
        sides = {rater: sum(characters(case, output, rater, kinds), []) for rater in present}
        for place in range(len(next(iter(sides.values()), []))):
            column = [np.nan] * len(raters)
            for rater in present:
                value = frozenset(kind for kind, _ in sides[rater][place])
                column[raters.index(rater)] = values.setdefault(value, len(values))
            columns.append(column)
    if len(values) < 2:
        return None
    return float(krippendorff.alpha(np.array(columns).T, level_of_measurement="nominal"))


def figures(case):
    scopes = {"": case["types"], **{kind: [kind] for kind in case["types"]}}
    found = {scope: {"f1": f1(case, kinds), "alpha": unitised(case, kinds)} for scope, kinds in scopes.items()}
    if case["single_characters"]:
        for scope, kinds in scopes.items():
            found[scope]["per_character"] = per_character(case, kinds)
    return found


def spans(golden, _):
    for name, case in golden.items():
        yield (name, "expected"), figures(case)


MAKERS = {"spans.json": spans}
