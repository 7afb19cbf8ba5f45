use domain::statistics::{
    UndefinedReason,
    quality::{Histogram, Proportion, RaterConcern, RaterConduct, SampleMean},
};
use serde_json::{Value, json};

use super::{RaterReport, RatersReport};

/// Everything, for programs.
pub(super) fn report_json(of: &RatersReport) -> Value {
    json!({
        "dimension": of.dimension.name,
        "scale": of.dimension.scale,
        "agreement": statistic_json("alpha", of.agreement.alpha),
        "raters": of.raters.iter().map(rater_json).collect::<Vec<_>>(),
        "warnings": of.warnings,
    })
}

fn rater_json(of: &RaterReport) -> Value {
    let scores = &of.scores;
    let mut all = json!({
        "rater": of.label,
        "ratings": scores.ratings,
        "mean": scores.mean,
        "sd": statistic_json("value", scores.sd),
        "histogram": histogram_json(&scores.histogram),
        "multiples_of_5": share_or_null(scores.rounding.map(|rounding| rounding.fives)),
        "multiples_of_10": share_or_null(scores.rounding.map(|rounding| rounding.tens)),
        "flat_sources": share_json(scores.straight.flat),
        "longest_run": scores.straight.longest_run,
        "without": statistic_json("alpha", scores.others.without),
        "gain_without": statistic_json("alpha", scores.others.gain),
        "pairwise": mean_json(scores.others.pairwise),
        "concerns": of.concerns.iter().map(concern_json).collect::<Vec<_>>(),
    });
    if let Some(conduct) = &of.conduct {
        all["work"] = conduct_json(conduct);
    }
    all
}

fn conduct_json(of: &RaterConduct) -> Value {
    json!({
        "timed_sources": of.pace.sources,
        "median_active_ms": statistic_json("value", of.pace.median_ms),
        "fast_sources": share_or_null(of.pace.fast),
        "unread_sources": share_json(of.unread),
        "slow_sources": share_or_null(of.pace.slow),
        "order_against_scores": share_json(of.conflicts),
        "categories_changed": share_json(of.categories),
        "edits_corrected": share_json(of.edits),
        "copies": mean_json(of.checks.copies),
        "scrambled": mean_json(of.checks.scrambled),
        "scrambled_below_original": share_json(of.checks.scrambled_below),
        "repeated_difference": mean_json(of.checks.repeated),
    })
}

fn histogram_json(of: &Histogram) -> Value {
    let bin = |bin: &domain::statistics::quality::HistogramBin| json!({ "low": bin.low, "high": bin.high, "count": bin.count });
    json!({ "bins": of.bins.iter().map(bin).collect::<Vec<_>>(), "outside": of.outside })
}

fn concern_json(of: &RaterConcern) -> Value {
    json!({ "name": of.title(), "sentence": of.sentence() })
}

fn mean_json(of: SampleMean) -> Value {
    let mut all = statistic_json("mean", of.value());
    all["n"] = json!(of.n);
    all
}

fn share_json(of: Proportion) -> Value {
    let mut all = statistic_json("share", of.rate());
    all["count"] = json!(of.count);
    all["of"] = json!(of.total);
    all
}

fn share_or_null(of: Result<Proportion, UndefinedReason>) -> Value {
    match of {
        Ok(of) => share_json(of),
        Err(reason) => statistic_json("share", Err(reason)),
    }
}

fn statistic_json(name: &str, of: Result<f64, UndefinedReason>) -> Value {
    match of {
        Ok(value) => json!({ name: value }),
        Err(reason) => json!({ name: null, "undefined": reason.to_string() }),
    }
}
