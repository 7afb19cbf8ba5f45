"""Figures from comparisons: Bradley-Terry, Davidson's ties, agreement, sign tests, best-worst counting."""

import choix
import krippendorff
import numpy as np
from scipy import optimize, stats


def bradley_terry(case):
    """Log strengths of choix, from counts (a, b, wins of a, ties, wins of b) without ties."""
    won = []
    for a, b, wins, _, losses in case["pairs"]:
        won += [(a, b)] * wins + [(b, a)] * losses
    penalty = case["penalty"]
    figures = {"opt_pairwise": choix.opt_pairwise(case["systems"], won, alpha=penalty, tol=1e-14)}
    if not penalty:
        figures["ilsr_pairwise"] = choix.ilsr_pairwise(case["systems"], won, max_iter=10_000, tol=1e-13)
    return {name: (strengths - strengths.mean()).tolist() for name, strengths in figures.items()}


def davidson(case):
    """Log strengths and the tie parameter where the gradient of the log-likelihood is zero."""
    pairs, systems, penalty = np.array(case["pairs"]), case["systems"], case["penalty"]
    a, b, counts = pairs[:, 0], pairs[:, 1], pairs[:, 2:]

    def log_likelihood(parameters):
        strengths = np.append(parameters[:-1], -parameters[:-1].sum())
        pi, nu = np.exp(strengths), np.exp(parameters[-1])
        chances = np.stack([pi[a], nu * np.sqrt(pi[a] * pi[b]), pi[b]], axis=1)
        chances /= chances.sum(axis=1, keepdims=True)
        return (counts * np.log(chances)).sum() - penalty * (strengths ** 2).sum()

    def gradient(parameters):
        # The derivative by a complex step has no rounding error.
        steps = 1e-30j * np.identity(len(parameters))
        return np.array([log_likelihood(parameters + step).imag for step in steps]) / 1e-30

    start = optimize.minimize(lambda x: -log_likelihood(x), np.zeros(systems), jac=lambda x: -gradient(x)).x
    found = optimize.root(gradient, start, tol=1e-14).x
    assert abs(gradient(found)).max() < 1e-9
    strengths = np.append(found[:-1], -found[:-1].sum())
    return {"strengths": strengths.tolist(), "tie_parameter": float(np.exp(found[-1]))}


def alpha(rows):
    """Nominal alpha on the outcomes of unordered pairs, of (rater, source, a, b, outcome)."""
    sign = {"a": 1, "b": -1, "tie": 0}
    raters = sorted({row[0] for row in rows})
    units = sorted({(source, *sorted([a, b])) for _, source, a, b, _ in rows})
    table = np.full((len(raters), len(units)), np.nan)
    for rater, source, a, b, outcome in rows:
        unit = units.index((source, *sorted([a, b])))
        table[raters.index(rater), unit] = sign[outcome] if a < b else -sign[outcome]
    return float(krippendorff.alpha(table, level_of_measurement="nominal"))


def best_worst(rows):
    """(best - worst)/shown by system, of (systems shown, best, worst)."""
    systems = sorted({system for shown, _, _ in rows for system in shown})
    return {system: sum((best == system) - (worst == system) for _, best, worst in rows)
            / sum(system in shown for shown, _, _ in rows) for system in systems}


def comparisons(golden, _):
    for name, case in golden["bradley_terry"].items():
        yield ("bradley_terry", name, "expected"), bradley_terry(case)
    for name, case in golden["davidson"].items():
        yield ("davidson", name, "expected"), davidson(case)
    for place, case in enumerate(golden["sign_test"]):
        test = stats.binomtest(case["wins"], case["wins"] + case["losses"])
        yield ("sign_test", place, "expected_p"), float(test.pvalue)
    for name, case in golden["agreement"].items():
        yield ("agreement", name, "expected_alpha"), alpha(case["rows"])
    yield ("best_worst", "expected"), best_worst(golden["best_worst"]["rows"])


MAKERS = {"pairwise.json": comparisons}
