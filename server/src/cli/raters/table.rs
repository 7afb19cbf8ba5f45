use domain::statistics::{
    UndefinedReason,
    quality::{Proportion, RaterConduct, RaterQuality, SampleMean},
};

use super::{RaterReport, RatersReport};
use crate::cli::output::{columns, warning_lines};

/// The explanation of the columns.
const LEGEND: &str = "\
fives, tens: scores that are multiples of 5 and of 10. flat: sources with 3 or more rated outputs whose
scores span at most 5 % of the scale. run: the most equal scores in a row. without: α of the others (on
z-scores), and by how much it is above α of all. pairs: the mean of α with each other rater. –: undefined.
";
const WORK_LEGEND: &str = "\
median: active seconds a source. fast, slow: sources whose time is an outlier among all raters' (|ln t −
median| > 3.5 · 1.4826 · MAD). against: pairs ordered against their scores. groups: categories changed.
edits: correction rate. copies: mean score. scrambled: noticed, by a score below the original, a lost
comparison or marks. repeated: mean distance of the two scores. attention: items answered as expected.
In brackets, how many.
";

/// The figures as text.
pub(super) fn report_table(of: &RatersReport) -> String {
    let mut text = String::new();
    let scores: Vec<_> = of.raters.iter().filter_map(score_cells).collect();
    if !scores.is_empty() || of.raters.is_empty() {
        text += &columns(
            [
                "rater", "ratings", "mean", "sd", "fives", "tens", "flat", "run", "without", "",
                "pairs",
            ],
            &scores,
        );
        text += &match of.agreement.alpha {
            Ok(alpha) => format!("\nalpha of all, z-scores: {alpha:.4}\n"),
            Err(reason) => format!("\nalpha of all, z-scores: undefined: {reason}\n"),
        };
        text += LEGEND;
    }

    let works = of
        .raters
        .iter()
        .filter_map(|entry| Some((entry, entry.conduct?)));
    let works: Vec<_> = works
        .map(|(entry, conduct)| conduct_cells(entry, &conduct))
        .collect();

    if !works.is_empty() {
        text += if text.is_empty() { "" } else { "\n" };
        text += &columns(
            [
                "rater",
                "sources",
                "median",
                "fast",
                "slow",
                "against",
                "groups",
                "edits",
                "copies",
                "scrambled",
                "repeated",
                "attention",
            ],
            &works,
        );
        text += "\n";
        text += WORK_LEGEND;
    }

    let mut first = true;
    for entry in of.raters.iter().filter(|entry| !entry.concerns.is_empty()) {
        text += if first { "\nTo be looked at:\n" } else { "" };
        first = false;
        text += &format!("{}\n", entry.name());
        for concern in &entry.concerns {
            text += &format!("  {}\n", concern.sentence());
        }
    }

    text + &warning_lines(&of.warnings)
}

impl RaterReport {
    /// The rater with their group.
    fn name(&self) -> String {
        match &self.group {
            Some(group) => format!("{} ({group})", self.label),
            None => self.label.clone(),
        }
    }
}

fn score_cells(entry: &RaterReport) -> Option<[String; 11]> {
    let quality: &RaterQuality = entry.scores.as_ref()?;
    let round =
        |share: fn(&domain::statistics::quality::RoundingShares) -> Proportion| match &quality
            .rounding
        {
            Ok(rounding) => format_percent(share(rounding)),
            Err(_) => NONE.to_owned(),
        };

    Some([
        entry.name(),
        quality.ratings.to_string(),
        format!("{:.1}", quality.mean),
        format_number(quality.sd, |sd| format!("{sd:.1}")),
        round(|rounding| rounding.fives),
        round(|rounding| rounding.tens),
        format_count(quality.straight.flat),
        quality.straight.longest_run.to_string(),
        format_number(quality.others.without, |alpha| format!("{alpha:.4}")),
        format_number(quality.others.gain, |gain| format!("{gain:+.4}")),
        format_number(quality.others.pairwise.value(), |alpha| {
            format!("{alpha:.4}")
        }),
    ])
}

fn conduct_cells(entry: &RaterReport, of: &RaterConduct) -> [String; 12] {
    let times = |share: Result<Proportion, UndefinedReason>| match share {
        Ok(share) => share.count.to_string(),
        Err(_) => NONE.to_owned(),
    };

    [
        entry.name(),
        of.pace.sources.to_string(),
        format_number(of.pace.median_ms, |ms| format!("{:.0} s", ms / 1000.0)),
        times(of.pace.fast),
        times(of.pace.slow),
        format_count(of.conflicts),
        format_count(of.categories),
        format_count(of.edits),
        format_mean(of.checks.copies),
        format_count(of.checks.scrambled_noticed()),
        format_mean(of.checks.repeated),
        format_count(of.checks.attention),
    ]
}

/// The text for an undefined figure.
const NONE: &str = "–";

fn format_number(of: Result<f64, UndefinedReason>, shown: impl Fn(f64) -> String) -> String {
    of.map_or_else(|_| NONE.to_owned(), shown)
}

fn format_percent(of: Proportion) -> String {
    format_number(of.rate(), |rate| format!("{:.1} %", 100.0 * rate))
}

fn format_count(of: Proportion) -> String {
    format_number(of.rate(), |rate| {
        format!("{:.1} % ({})", 100.0 * rate, of.total)
    })
}

fn format_mean(of: SampleMean) -> String {
    format_number(of.value(), |mean| format!("{mean:.1} ({})", of.n))
}
