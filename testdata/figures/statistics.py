"""Agreement, correlation, tests and scores of systems."""

import csv
import math
from collections import Counter

import krippendorff
import numpy as np
from scipy import stats
from sklearn.metrics import cohen_kappa_score, roc_auc_score, roc_curve
from statsmodels.stats.inter_rater import aggregate_raters, fleiss_kappa


def simpeval(released):
    """Raw ratings and z-scores of the released file by (system, source), or nothing without it."""
    path = released / "simpeval" / "simpeval_past.csv"
    if not path.is_file():
        return None
    with path.open(newline="") as file:
        return [{"system": row["system"], "source": int(row["original_id"]),
                 "raw": [float(row[f"rating_{n}"]) for n in range(1, 6)],
                 "z": [float(row[f"rating_{n}_z_score"]) for n in range(1, 6)]}
                for row in csv.DictReader(file)]


def alpha(rows, level):
    table = np.array([[np.nan if x is None else x for x in row] for row in rows], float)
    try:
        return krippendorff.alpha(table, level_of_measurement=level)
    except ValueError as error:
        return {"error": f"ValueError: {error}"}


def agreement(golden, released):
    rows = simpeval(released)
    for name, case in golden["cases"].items():
        table = case.get("raters_x_units")
        if table is None and rows:
            table = list(zip(*[row["z" if name.endswith("z") else "raw"] for row in rows]))
        if table is None:
            continue
        for level in case["expected_alpha"]:
            yield ("cases", name, "expected_alpha", level), alpha(table, level)
        if "n_units_pairable" in case:
            counts = [sum(x is not None for x in unit) for unit in zip(*table)]
            yield ("cases", name, "n_pairable_values"), sum(n for n in counts if n > 1)
            yield ("cases", name, "n_units_pairable"), sum(n > 1 for n in counts)


def kappa(golden, _):
    for name, case in golden["cohen"].items():
        a, b = case["a"], case["b"]
        weights = {"cohen": None, "cohen_linear": "linear", "cohen_quadratic": "quadratic"}
        for key, weight in weights.items():
            # Weights need labels with an order.
            figure = math.nan if weight and isinstance(a[0], str) else cohen_kappa_score(a, b, weights=weight)
            yield ("cohen", name, "expected", key), None if math.isnan(figure) else float(figure)
        share = sum(x == y for x, y in zip(a, b)) / len(a)
        yield ("cohen", name, "expected", "percent_agreement"), share
    for name, case in golden["fleiss"].items():
        counts, _ = aggregate_raters(np.array(case["units_x_raters"]))
        for method in ["fleiss", "randolph"]:
            yield ("fleiss", name, f"expected_{method}"), float(fleiss_kappa(counts, method=method))


def correlation(golden, _):
    for name, case in golden["cases"].items():
        x, y = case["x"], case["y"]
        pearson, spearman = stats.pearsonr(x, y), stats.spearmanr(x, y)
        kendall = stats.kendalltau(x, y)
        interval = pearson.confidence_interval(0.95)
        yield ("cases", name, "expected"), {
            "pearson": float(pearson.statistic), "pearson_p": float(pearson.pvalue),
            "pearson_ci95_fisher": [float(interval.low), float(interval.high)],
            "spearman": float(spearman.statistic), "spearman_p": float(spearman.pvalue),
            "kendall_b": float(kendall.statistic), "kendall_b_p_default": float(kendall.pvalue),
            "kendall_b_p_asymptotic": float(stats.kendalltau(x, y, method="asymptotic").pvalue),
            "kendall_c": float(stats.kendalltau(x, y, variant="c").statistic),
            "weightedtau": float(stats.weightedtau(x, y).statistic),
        }
    case = golden["bootstrap_fixed_indices"]
    x, y = np.array(case["x"]), np.array(case["y"])
    draws = [np.array(draw) for draw in case["resample_indices"]]
    pearsons = [float(stats.pearsonr(x[draw], y[draw]).statistic) for draw in draws]
    kendalls = [float(stats.kendalltau(x[draw], y[draw]).statistic) for draw in draws]

    def ends(values):
        return [float(end) for end in np.quantile(values, [0.025, 0.975])]
    yield ("bootstrap_fixed_indices", "expected"), {
        "pearson_replicates": pearsons,
        "pearson_ci95_percentile_linear": ends(pearsons),
        "kendall_b_ci95_percentile_linear": ends(kendalls),
        "mean_x_ci95": ends([x[draw].mean() for draw in draws]),
    }


def description(values):
    n, mean, sd = len(values), float(np.mean(values)), float(np.std(values, ddof=1))
    error = sd / math.sqrt(n)
    half = float(stats.t.ppf(0.975, n - 1)) * error
    return {"n": n, "mean": mean, "sd_ddof1": sd, "sem": error, "ci95_t": [mean - half, mean + half],
            "halfwidth_t": half, "halfwidth_z1.959964": float(stats.norm.ppf(0.975)) * error}


def wilcoxon(a, b, key):
    if key == "wilcoxon_default(auto)":
        found = stats.wilcoxon(a, b)
        return {"W_min": float(found.statistic), "p": float(found.pvalue)}
    _, zeros, method, correction = key.split("_")
    found = stats.wilcoxon(a, b, zero_method=zeros, method=method, correction=correction == "corrTrue")
    z = float(found.zstatistic) if method == "asymptotic" else None
    return {"W_min": float(found.statistic), "p": float(found.pvalue), "z": z}


def paired_tests(golden, _):
    for name, case in golden["cases"].items():
        a, b, expected = np.array(case["a"]), np.array(case["b"]), case["expected"]
        place = ("cases", name, "expected")
        yield (*place, "desc_a"), description(a)
        yield (*place, "desc_b"), description(b)
        found, greater = stats.ttest_rel(a, b), stats.ttest_rel(a, b, alternative="greater")
        interval = found.confidence_interval(0.95)
        yield (*place, "ttest_rel"), {
            "t": float(found.statistic), "p_two_sided": float(found.pvalue), "df": int(found.df),
            "p_greater": float(greater.pvalue), "mean_diff": float(np.mean(a - b)),
            "ci95_diff": [float(interval.low), float(interval.high)]}
        welch = stats.ttest_ind(a, b, equal_var=False)
        yield (*place, "welch"), {"t": float(welch.statistic), "p": float(welch.pvalue), "df": float(welch.df)}
        ranks = stats.mannwhitneyu(a, b, method="asymptotic", use_continuity=True)
        yield (*place, "mannwhitney_asym_cc"), {"U_a": float(ranks.statistic), "p": float(ranks.pvalue)}
        for key in expected:
            if key.startswith("wilcoxon"):
                yield (*place, key), wilcoxon(a, b, key)
        differences = (a - b)[a != b]
        signed = stats.rankdata(abs(differences)) * np.sign(differences)
        plus, minus = float(signed[signed > 0].sum()), float(-signed[signed < 0].sum())
        yield (*place, "W_plus"), plus
        yield (*place, "W_minus"), minus
        yield (*place, "n_nonzero"), len(differences)
        yield (*place, "rank_biserial"), (plus - minus) / (plus + minus)


def z_scores(golden, _):
    table = np.array(golden["raters_x_units"], float)
    mean, sd = np.nanmean(table, 1, keepdims=True), np.nanstd(table, 1, keepdims=True)
    yield ("expected_z_ddof0",), ((table - mean) / sd).tolist()


def system_scores(golden, released):
    rows = simpeval(released)
    if not rows:
        return
    means = {kind: {system: [float(np.mean(row[kind])) for row in rows if row["system"] == system]
                    for system in golden["expected"]} for kind in ["raw", "z"]}
    for system in golden["expected"]:
        def rank(kind):
            own = np.mean(means[kind][system])
            return 1 + sum(np.mean(other) > own for other in means[kind].values())
        raw = means["raw"][system]
        yield ("expected", system), {
            "n": len(raw), "mean_raw": float(np.mean(raw)), "mean_z": float(np.mean(means["z"][system])),
            "sd_item_means": float(np.std(raw, ddof=1)), "median_item_mean": float(np.median(raw)),
            "rank_z": int(rank("z")), "rank_raw": int(rank("raw"))}


def tau_like(golden, _):
    case = golden["case"]
    metrics = {"char_ratio": case["metric_char_ratio"], "tokens": case["metric_tokens(with ties)"]}
    for key in case["expected"]:
        metric, rule, threshold = key.split("|")
        count = Counter(judge(case, metrics[metric], rule, float(threshold[3:])))
        good, bad = count["for"], count["against"] + count["tie"]
        tau = (good - bad) / (good + bad)
        yield ("case", "expected", key), {
            "tau_all": tau, "concordant": good, "discordant(incl metric ties)": bad,
            "skipped": count["skipped"], "metric_ties_counted_discordant": count["tie"],
            "by_type": {"all": {"tau": tau, "conc": good, "disc": bad, "skipped": count["skipped"]}}}


def judge(case, scores, rule, threshold):
    """What each pair of outputs of one source says of the metric."""
    ratings = case["ratings"]
    for j in range(len(ratings)):
        for i in range(j):
            if case["group"][i] != case["group"][j]:
                continue
            signs = Counter(0 if abs(a - b) <= threshold else 1 if a > b else -1
                            for a, b in zip(ratings[i], ratings[j]))
            sign, votes = signs.most_common(1)[0]
            raters = len(ratings[i])
            agreed = votes > raters / 2 if rule == "majority" else votes == raters
            metric = scores[i] - scores[j]
            yield ("skipped" if not agreed or sign == 0 else "tie" if metric == 0
                   else "for" if metric * sign > 0 else "against")


def comprehension(golden, _):
    records = golden["records"]
    chosen = {key: Counter() for key in golden["expected"]}
    answerable = None
    for system in ["Original", "Elementary"]:
        right = {r["item"] for r in records
                 if r["system"] == system and r["selected_index(4=unanswerable)"] != 4}
        answerable = right if answerable is None else answerable & right
    subset = {key: Counter() for key in golden["expected"]}
    for record in records:
        index = record["selected_index(4=unanswerable)"]
        chosen[record["system"]][index] += 1
        if record["item"] in answerable:
            subset[record["system"]][index] += 1
    correct = {system: 100 * count[0] / count.total() for system, count in chosen.items()}
    for system, count in chosen.items():
        n, of = count.total(), subset[system].total()
        answered = of - subset[system][4]
        yield ("expected", system), {
            "n": n, "correct": correct[system], "B": 100 * count[1] / n, "C": 100 * count[2] / n,
            "D": 100 * count[3] / n, "UA": 100 * count[4] / n, "answerability": 100 - 100 * count[4] / n,
            "answerability_subset_notebook": 100 * (n - subset[system][4]) / n,
            "answerability_subset_proper": 100 * answered / of, "n_subset": of,
            "rank": 1 + sum(other > correct[system] for other in correct.values())}
    roc = golden["roc_UA_vs_correct"]
    fractions = {key: [fraction(x) for x in roc[key]["support"]] for key in ["A_nb", "Q_stop", "A_stop"]}
    fractions["QA_stop"] = [a * b for a, b in zip(fractions["Q_stop"], fractions["A_stop"])]
    for key, support in fractions.items():
        scores = [-x for x in support]
        false, true, thresholds = roc_curve(roc["label_UA"], scores, drop_intermediate=False)
        best = np.argmax(np.sqrt(true * (1 - false)))
        yield ("roc_UA_vs_correct", key, "auc"), float(roc_auc_score(roc["label_UA"], scores))
        yield ("roc_UA_vs_correct", key, "best_gmean"), {
            "tpr": float(true[best]), "fpr": float(false[best]),
            "threshold_predict_UA_if_support<=": float(-thresholds[best])}


def fraction(rounded):
    """The fraction that a share rounded to twelve digits is."""
    of = next(n for n in range(1, 100) if abs(rounded * n - round(rounded * n)) < 1e-9)
    return round(rounded * of) / of


MAKERS = {
    "krippendorff.json": agreement,
    "kappa.json": kappa,
    "correlation.json": correlation,
    "paired_tests.json": paired_tests,
    "zscore.json": z_scores,
    "system_scores.json": system_scores,
    "tau_like.json": tau_like,
    "rc_eval.json": comprehension,
}
