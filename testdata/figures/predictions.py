"""Means of ratings that a metric helps with: prediction-powered inference."""

import numpy as np
import ppi_py


def assisted(case):
    """Mean and standard error of ppi_py for each weight, from (source, rating, score) and scores without ratings."""
    _, ratings, scores = np.array(case["rated"]).T
    unrated = np.array(case["unrated"])
    figures = {}
    for weight in case["weights"]:
        low, high = ppi_py.ppi_mean_ci(ratings, scores, unrated, alpha=0.05, lam=weight)
        mean = ppi_py.ppi_mean_pointestimate(ratings, scores, unrated, lam=weight)
        error = (high - low) / 2 / 1.959963984540054
        figures[str(weight)] = {"mean": float(np.ravel(mean)[0]), "standard_error": float(np.ravel(error)[0])}
    return figures


def predictions(golden, _released):
    for name, case in golden["cases"].items():
        yield ("cases", name, "expected"), assisted(case)


MAKERS = {"prediction_powered.json": predictions}
