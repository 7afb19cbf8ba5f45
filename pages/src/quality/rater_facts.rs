//! Figures in words, with what they are based on.

use domain::{
    protocol::StudyProtocol,
    score::RatingScale,
    statistics::{
        UndefinedReason,
        quality::{
            AgreementWithOthers, Proportion, QualityControlScores, RaterConduct, RaterQuality,
            SampleMean,
        },
    },
    study::RaterKind,
};
use leptos::prelude::*;

use crate::charts::{decimal, signed};
use service::wording::count_noun;

/// A figure of a rater.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RaterFact {
    /// The name in the legend.
    pub name: &'static str,
    /// The displayed value, or the reason why there is none.
    pub value: Result<String, String>,
    /// The data behind the value.
    pub base: String,
}

/// The facts from scores.
pub fn score_facts(of: &RaterQuality, scale: RatingScale) -> Vec<RaterFact> {
    let decimals = scale.decimals();
    let sd = match of.sd {
        Ok(sd) => fact_with_value(
            "Standard deviation",
            decimal(sd, decimals),
            "points".to_owned(),
        ),
        Err(reason) => fact_without_value("Standard deviation", format!("undefined: {reason}")),
    };
    let round = |name, share: Result<Proportion, UndefinedReason>| match share {
        Ok(share) => share_of(name, share, ""),
        Err(reason) => fact_without_value(name, format!("undefined: {reason}")),
    };
    let run = of.straight.longest_run;

    vec![
        fact_with_value(
            "Mean",
            decimal(of.mean, decimals),
            format!("({})", count_noun(of.ratings, "rating")),
        ),
        sd,
        round("Multiples of 5", of.rounding.map(|rounding| rounding.fives)),
        round("Multiples of 10", of.rounding.map(|rounding| rounding.tens)),
        share_of(
            "Flat sources",
            of.straight.flat,
            "undefined: no source with 3 rated outputs",
        ),
        fact_with_value("Longest run", run.to_string(), "equal scores".to_owned()),
    ]
}

/// The facts from agreement with the other raters.
pub fn agreement_facts(of: &AgreementWithOthers) -> Vec<RaterFact> {
    let without = match of.without {
        Ok(alpha) => fact_with_value(
            "α without the rater",
            decimal(alpha, 3),
            of.gain
                .map_or_else(|_| String::new(), |gain| format!("({})", signed(gain, 3))),
        ),
        Err(reason) => fact_without_value("α without the rater", format!("undefined: {reason}")),
    };
    let pairs = match of.pairwise.value() {
        Ok(alpha) => fact_with_value(
            "α in pairs",
            decimal(alpha, 3),
            format!("(mean of {})", count_noun(of.pairwise.n, "pair")),
        ),
        Err(_) => fact_without_value("α in pairs", "undefined: with no other rater".to_owned()),
    };

    vec![without, pairs]
}

/// α without the rater, and the difference to α of all, in short.
pub fn alpha_change(of: &AgreementWithOthers) -> String {
    match (of.without, of.gain) {
        (Ok(alpha), Ok(gain)) => format!("{} ({})", decimal(alpha, 3), signed(gain, 3)),
        (Ok(alpha), Err(_)) => decimal(alpha, 3),
        (Err(_), _) => "undefined".to_owned(),
    }
}

/// The facts from work on the platform. For raters who did not work here, only the available ones.
pub fn conduct_facts(
    of: &RaterConduct,
    kind: RaterKind,
    protocol: &StudyProtocol,
) -> Vec<RaterFact> {
    let median = match of.pace.median_ms {
        Ok(ms) => {
            let base = format!("({})", count_noun(of.pace.sources, "source"));
            fact_with_value("Median time", time(ms), base)
        }
        Err(_) => fact_without_value("Median time", "no time was recorded".to_owned()),
    };
    let outliers = |name, share: Result<Proportion, UndefinedReason>| match share {
        Ok(share) => share_of(name, share, "no time was recorded"),
        Err(reason) => fact_without_value(name, format!("undefined: {reason}")),
    };

    let mut facts = vec![
        median,
        outliers("Unusually fast", of.pace.fast),
        outliers("Unusually slow", of.pace.slow),
        share_of("Faster than reading", of.unread, "no time was recorded"),
    ];

    // Steps that the study no longer has may have left answers.
    if protocol.ranks() || of.conflicts.total > 0 {
        let conflicts = share_of("Order against scores", of.conflicts, "no order was set");
        facts.push(conflicts);
    }
    if protocol.categorises() {
        let changed = share_of("Categories changed", of.categories, "nothing was submitted");
        facts.push(changed);
    }
    if protocol.shows_edits() {
        facts.push(share_of("Edits corrected", of.edits, "there was no edit"));
    }
    let is_person = kind == RaterKind::Person;

    facts
        .into_iter()
        .filter(|fact| is_person || fact.value.is_ok())
        .collect()
}

/// The facts from quality-control and attention items; nothing if the rater met none.
pub fn check_facts(of: &QualityControlScores, scale: RatingScale) -> Vec<RaterFact> {
    let mean = |name, mean: SampleMean, unit: &str| {
        let value = mean.value().ok()?;
        Some(fact_with_value(
            name,
            decimal(value, scale.decimals()),
            format!("{unit}({})", count_noun(mean.n, "output")),
        ))
    };
    let share = |name, share: Proportion| {
        let fact = share_of(name, share, "");
        fact.value.is_ok().then_some(fact)
    };

    let overlap = of.repeated_marks.value().ok().map(|overlap| {
        let outputs = count_noun(of.repeated_marks.n, "output");
        let base = format!("F1 with the first ones ({outputs})");
        fact_with_value("Marks of repeated outputs", decimal(overlap, 2), base)
    });

    [
        mean("Copies of the source", of.copies, ""),
        share("Copies without marks", of.copies_unmarked),
        mean("Scrambled outputs", of.scrambled, ""),
        share("Scrambled lower", of.scrambled_below),
        share("Scrambled lost", of.scrambled_lost),
        share("Scrambled with marks", of.scrambled_marked),
        mean("Repeated outputs", of.repeated, "apart "),
        share("Same choice again", of.repeated_choices),
        overlap,
        share("Attention items passed", of.attention),
    ]
    .into_iter()
    .flatten()
    .collect()
}

/// The kind of a rater who is not a person at work here.
pub fn kind_tag(kind: RaterKind) -> impl IntoView {
    (kind != RaterKind::Person).then(|| view! { " " <span class="tag">{kind.name()}</span> })
}

fn fact_with_value(name: &'static str, value: String, base: String) -> RaterFact {
    RaterFact {
        name,
        value: Ok(value),
        base,
    }
}

fn fact_without_value(name: &'static str, reason: String) -> RaterFact {
    RaterFact {
        name,
        value: Err(reason),
        base: String::new(),
    }
}

/// A proportion with its base; `none` if the base is empty.
fn share_of(name: &'static str, of: Proportion, none: &str) -> RaterFact {
    match of.rate() {
        Ok(rate) => fact_with_value(name, percent(rate), format!("{} of {}", of.count, of.total)),
        Err(_) => fact_without_value(name, none.to_owned()),
    }
}

/// A fraction in percent: below ten with one decimal, but zero without.
pub fn percent(rate: f64) -> String {
    let percent = 100.0 * rate;
    let decimals = usize::from(percent > 0.0 && percent < 9.95);
    format!("{} %", decimal(percent, decimals))
}

/// A duration to the second.
pub fn time(ms: f64) -> String {
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
        let fact = share_of(
            "Flat sources",
            Proportion {
                count: 3,
                total: 40,
            },
            "none",
        );
        assert_eq!(fact.value, Ok("7.5 %".to_owned()));
        assert_eq!(fact.base, "3 of 40");
        let none = share_of("Flat sources", Proportion::default(), "none");
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
    fn a_mean_does_not_read_as_a_fraction() {
        let sample = |values: &[f64]| values.iter().copied().collect::<SampleMean>();
        let checks = QualityControlScores {
            copies: sample(&[60.0, 70.0, 80.0]),
            scrambled: sample(&[5.0]),
            repeated: sample(&[3.0, 4.0]),
            repeated_marks: sample(&[0.5]),
            ..QualityControlScores::default()
        };
        let facts = check_facts(&checks, RatingScale::PERCENT);
        let shown = facts.into_iter().map(|fact| {
            let value = fact.value.unwrap_or_default();
            format!("{}: {value} {}", fact.name, fact.base)
        });
        assert_eq!(
            shown.collect::<Vec<_>>(),
            [
                "Copies of the source: 70.0 (3 outputs)",
                "Scrambled outputs: 5.0 (1 output)",
                "Repeated outputs: 3.5 apart (2 outputs)",
                "Marks of repeated outputs: 0.50 F1 with the first ones (1 output)",
            ]
        );
    }

    #[test]
    fn times_are_told_to_the_second() {
        for (ms, text) in [(0.0, "0 s"), (59_400.0, "59 s"), (95_000.0, "1 min 35 s")] {
            assert_eq!(time(ms), text);
        }
    }

    #[test]
    fn raters_from_files_have_no_empty_figures_of_work() {
        let nothing = RaterConduct {
            pace: domain::statistics::quality::PaceSummary::from_times(
                &[],
                Err(UndefinedReason::Constant),
            ),
            unread: Proportion::default(),
            conflicts: Proportion::default(),
            categories: Proportion { count: 1, total: 2 },
            edits: Proportion::default(),
            checks: QualityControlScores::default(),
        };
        assert_eq!(
            conduct_facts(&nothing, RaterKind::Imported, &StudyProtocol::default()).len(),
            1
        );
        assert_eq!(
            conduct_facts(&nothing, RaterKind::Person, &StudyProtocol::default()).len(),
            7
        );
        assert!(check_facts(&nothing.checks, RatingScale::PERCENT).is_empty());
    }
}
