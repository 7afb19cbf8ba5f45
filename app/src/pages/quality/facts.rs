//! Figures in words, with what they stand on.

use domain::{
    score::Scale,
    statistics::{
        Undefined,
        quality::{Checks, Conduct, Mean, RaterQuality, Share, WithOthers},
    },
    study::RaterKind,
};
use leptos::prelude::*;

use crate::{
    charts::{decimal, signed},
    components::counted,
};

/// A figure of a rater.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fact {
    /// What it is called in the legend.
    pub name: &'static str,
    /// As it is shown, or why there is none.
    pub value: Result<String, String>,
    /// What it was counted of.
    pub base: String,
}

/// What scores tell.
pub fn scores(of: &RaterQuality, scale: Scale) -> Vec<Fact> {
    let decimals = scale.decimals();
    let sd = match of.sd {
        Ok(sd) => found(
            "Standard deviation",
            decimal(sd, decimals),
            "points".to_owned(),
        ),
        Err(reason) => missing("Standard deviation", format!("undefined: {reason}")),
    };
    let round = |name, share: Result<Share, Undefined>| match share {
        Ok(of) => share_of(name, of, ""),
        Err(reason) => missing(name, format!("undefined: {reason}")),
    };
    let run = of.straight.longest_run;
    vec![
        found(
            "Mean",
            decimal(of.mean, decimals),
            format!("of {}", of.ratings),
        ),
        sd,
        round("Multiples of 5", of.rounding.map(|it| it.fives)),
        round("Multiples of 10", of.rounding.map(|it| it.tens)),
        share_of(
            "Flat sources",
            of.straight.flat,
            "undefined: no source with 3 rated outputs",
        ),
        found("Longest run", run.to_string(), "equal scores".to_owned()),
    ]
}

/// How far the rater agrees with the others.
pub fn others(of: &WithOthers) -> Vec<Fact> {
    let without = match of.without {
        Ok(alpha) => found(
            "α without the rater",
            decimal(alpha, 3),
            of.gain
                .map_or_else(|_| String::new(), |gain| format!("({})", signed(gain, 3))),
        ),
        Err(reason) => missing("α without the rater", format!("undefined: {reason}")),
    };
    let pairs = match of.pairwise.value() {
        Ok(alpha) => found(
            "α in pairs",
            decimal(alpha, 3),
            format!("mean of {}", counted(of.pairwise.n, "pair")),
        ),
        Err(_) => missing("α in pairs", "undefined: with no other rater".to_owned()),
    };
    vec![without, pairs]
}

/// α without the rater and by how much it moves, in short.
pub fn alpha_change(of: &WithOthers) -> String {
    match (of.without, of.gain) {
        (Ok(alpha), Ok(gain)) => format!("{} ({})", decimal(alpha, 3), signed(gain, 3)),
        (Ok(alpha), Err(_)) => decimal(alpha, 3),
        (Err(_), _) => "undefined".to_owned(),
    }
}

/// How work on the platform went. Of raters who did not work here, only what there is.
pub fn work(of: &Conduct, kind: RaterKind) -> Vec<Fact> {
    let median = match of.pace.median_ms {
        Ok(ms) => found("Median time", time(ms), format!("of {}", of.pace.sources)),
        Err(_) => missing("Median time", "no time was recorded".to_owned()),
    };
    let outliers = |name, share: Result<Share, Undefined>| match share {
        Ok(of) => share_of(name, of, "no time was recorded"),
        Err(reason) => missing(name, format!("undefined: {reason}")),
    };
    let facts = vec![
        median,
        outliers("Unusually fast", of.pace.fast),
        outliers("Unusually slow", of.pace.slow),
        share_of("Faster than reading", of.unread, "no time was recorded"),
        share_of("Order against scores", of.conflicts, "no order was set"),
        share_of("Groups changed", of.categories, "nothing was handed in"),
        share_of("Edits corrected", of.edits, "there was no edit"),
    ];
    let here = kind == RaterKind::Person;
    facts
        .into_iter()
        .filter(|fact| here || fact.value.is_ok())
        .collect()
}

/// What quality-control items were given; nothing where the rater met none.
pub fn checks(of: &Checks, scale: Scale) -> Vec<Fact> {
    let mean = |name, mean: Mean, unit: &str| {
        let value = mean.value().ok()?;
        Some(found(
            name,
            decimal(value, scale.decimals()),
            format!("{unit}of {}", mean.n),
        ))
    };
    let below = of.scrambled_below;
    let below = share_of("Scrambled lower", below, "");
    [
        mean("Copies of the source", of.copies, ""),
        mean("Scrambled outputs", of.scrambled, ""),
        below.value.is_ok().then_some(below),
        mean("Repeated outputs", of.repeated, "apart, "),
    ]
    .into_iter()
    .flatten()
    .collect()
}

/// What stands behind a rater, where it is no person at work here.
pub fn kind_tag(kind: RaterKind) -> impl IntoView {
    (kind != RaterKind::Person).then(|| view! { " " <span class="tag">{kind.name()}</span> })
}

fn found(name: &'static str, value: String, base: String) -> Fact {
    Fact {
        name,
        value: Ok(value),
        base,
    }
}

fn missing(name: &'static str, reason: String) -> Fact {
    Fact {
        name,
        value: Err(reason),
        base: String::new(),
    }
}

/// A share with what it is of; where it is of nothing, `none`.
fn share_of(name: &'static str, of: Share, none: &str) -> Fact {
    match of.rate() {
        Ok(rate) => found(name, percent(rate), format!("{} of {}", of.count, of.of)),
        Err(_) => missing(name, none.to_owned()),
    }
}

/// A fraction in percent: below ten with one decimal, but none has none.
pub fn percent(rate: f64) -> String {
    let percent = 100.0 * rate;
    let decimals = usize::from(percent > 0.0 && percent < 9.95);
    format!("{} %", decimal(percent, decimals))
}

/// A length of time to the second.
fn time(ms: f64) -> String {
    let seconds = (ms / 1_000.0).round() as u64;
    match (seconds / 60, seconds % 60) {
        (0, seconds) => format!("{seconds} s"),
        (minutes, seconds) => format!("{minutes} min {seconds:02} s"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_are_percents_with_what_they_are_of() {
        let fact = share_of("Flat sources", Share { count: 3, of: 40 }, "none");
        assert_eq!(fact.value, Ok("7.5 %".to_owned()));
        assert_eq!(fact.base, "3 of 40");
        let none = share_of("Flat sources", Share::default(), "none");
        assert_eq!(none.value, Err("none".to_owned()));
        for (rate, text) in [
            (0.0, "0 %"),
            (0.004, "0.4 %"),
            (0.0996, "10 %"),
            (1.0, "100 %"),
        ] {
            assert_eq!(percent(rate), text);
        }
    }

    #[test]
    fn times_are_told_to_the_second() {
        for (ms, text) in [(0.0, "0 s"), (59_400.0, "59 s"), (95_000.0, "1 min 35 s")] {
            assert_eq!(time(ms), text);
        }
    }

    #[test]
    fn raters_from_files_have_no_empty_figures_of_work() {
        let nothing = Conduct {
            pace: domain::statistics::quality::Pace::of(&[], Err(Undefined::Constant)),
            unread: Share::default(),
            conflicts: Share::default(),
            categories: Share { count: 1, of: 2 },
            edits: Share::default(),
            checks: Checks::default(),
        };
        assert_eq!(work(&nothing, RaterKind::Imported).len(), 1);
        assert_eq!(work(&nothing, RaterKind::Person).len(), 7);
        assert!(checks(&nothing.checks, Scale::PERCENT).is_empty());
    }
}
