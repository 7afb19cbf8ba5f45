use domain::statistics::{
    Undefined,
    quality::{Concern, Conduct, Histogram, Mean, Share},
};
use serde_json::{Value, json};

use super::{Entry, Figures};

/// Everything, for programs.
pub(super) fn all(of: &Figures) -> Value {
    json!({
        "dimension": of.dimension.name,
        "scale": of.dimension.scale,
        "agreement": named("alpha", of.agreement.alpha),
        "raters": of.raters.iter().map(entry).collect::<Vec<_>>(),
        "warnings": of.warnings,
    })
}

fn entry(of: &Entry) -> Value {
    let scores = &of.scores;
    let mut all = json!({
        "rater": of.label,
        "ratings": scores.ratings,
        "mean": scores.mean,
        "sd": named("value", scores.sd),
        "histogram": histogram(&scores.histogram),
        "multiples_of_5": maybe(scores.rounding.map(|rounding| rounding.fives)),
        "multiples_of_10": maybe(scores.rounding.map(|rounding| rounding.tens)),
        "flat_sources": share(scores.straight.flat),
        "longest_run": scores.straight.longest_run,
        "without": named("alpha", scores.others.without),
        "gain_without": named("alpha", scores.others.gain),
        "pairwise": mean(scores.others.pairwise),
        "concerns": of.concerns.iter().map(concern).collect::<Vec<_>>(),
    });
    if let Some(conduct) = &of.conduct {
        all["work"] = work(conduct);
    }
    all
}

fn work(of: &Conduct) -> Value {
    json!({
        "timed_sources": of.pace.sources,
        "median_active_ms": named("value", of.pace.median_ms),
        "fast_sources": maybe(of.pace.fast),
        "unread_sources": share(of.unread),
        "slow_sources": maybe(of.pace.slow),
        "order_against_scores": share(of.conflicts),
        "categories_changed": share(of.categories),
        "edits_corrected": share(of.edits),
        "copies": mean(of.checks.copies),
        "scrambled": mean(of.checks.scrambled),
        "scrambled_below_original": share(of.checks.scrambled_below),
        "repeated_difference": mean(of.checks.repeated),
    })
}

fn histogram(of: &Histogram) -> Value {
    let bin = |bin: &domain::statistics::quality::Bin| json!({ "low": bin.low, "high": bin.high, "count": bin.count });
    json!({ "bins": of.bins.iter().map(bin).collect::<Vec<_>>(), "outside": of.outside })
}

fn concern(of: &Concern) -> Value {
    json!({ "name": of.title(), "sentence": of.sentence() })
}

fn mean(of: Mean) -> Value {
    let mut all = named("mean", of.value());
    all["n"] = json!(of.n);
    all
}

fn share(of: Share) -> Value {
    let mut all = named("share", of.rate());
    all["count"] = json!(of.count);
    all["of"] = json!(of.of);
    all
}

fn maybe(of: Result<Share, Undefined>) -> Value {
    match of {
        Ok(of) => share(of),
        Err(reason) => named("share", Err(reason)),
    }
}

fn named(name: &str, of: Result<f64, Undefined>) -> Value {
    match of {
        Ok(value) => json!({ name: value }),
        Err(reason) => json!({ name: null, "undefined": reason.to_string() }),
    }
}
