use domain::statistics::{
    Undefined,
    quality::{Conduct, Mean, RaterQuality, Share},
};

use super::{Entry, Figures};
use crate::cli::output::columns;

/// What the columns say that their headings do not.
const LEGEND: &str = "\
fives, tens: scores that are multiples of 5 and of 10. flat: sources with 3 or more rated outputs whose
scores span at most 5 % of the scale. run: the most equal scores in a row. without: α of the others (on
z-scores), and by how much it is above α of all. pairs: the mean of α with each other rater. –: undefined.
";
const WORK_LEGEND: &str = "\
median: active seconds a source. fast, slow: sources whose time is an outlier among all raters' (|ln t −
median| > 3.5 · 1.4826 · MAD). against: pairs ordered against their scores. groups: categories changed.
edits: correction rate. copies: mean score. scrambled: scored below the original. repeated: mean distance
of the two scores. In brackets, how many.
";

/// The figures for people.
pub(super) fn all(of: &Figures) -> String {
    let mut text = columns(
        [
            "rater", "ratings", "mean", "sd", "fives", "tens", "flat", "run", "without", "",
            "pairs",
        ],
        &of.raters.iter().map(scores).collect::<Vec<_>>(),
    );
    let works = of
        .raters
        .iter()
        .filter_map(|entry| Some((entry, entry.conduct?)));
    let works: Vec<_> = works
        .map(|(entry, conduct)| work(entry, &conduct))
        .collect();
    text += &match of.agreement.alpha {
        Ok(alpha) => format!("\nalpha of all, z-scores: {alpha:.4}\n"),
        Err(reason) => format!("\nalpha of all, z-scores: undefined: {reason}\n"),
    };
    text += LEGEND;
    if !works.is_empty() {
        text += "\n";
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
        text += &format!("{}\n", entry.label);
        for concern in &entry.concerns {
            text += &format!("  {}\n", concern.sentence());
        }
    }
    for warning in &of.warnings {
        text += &format!("! {warning}\n");
    }
    text
}

fn scores(entry: &Entry) -> [String; 11] {
    let of: &RaterQuality = &entry.scores;
    let round = |share: fn(&domain::statistics::quality::Rounding) -> Share| match &of.rounding {
        Ok(rounding) => percent(share(rounding)),
        Err(_) => NONE.to_owned(),
    };
    [
        entry.label.clone(),
        of.ratings.to_string(),
        format!("{:.1}", of.mean),
        number(of.sd, |sd| format!("{sd:.1}")),
        round(|rounding| rounding.fives),
        round(|rounding| rounding.tens),
        counted(of.straight.flat),
        of.straight.longest_run.to_string(),
        number(of.others.without, |alpha| format!("{alpha:.4}")),
        number(of.others.gain, |gain| format!("{gain:+.4}")),
        number(of.others.pairwise.value(), |alpha| format!("{alpha:.4}")),
    ]
}

fn work(entry: &Entry, of: &Conduct) -> [String; 11] {
    let times = |share: Result<Share, Undefined>| match share {
        Ok(share) => share.count.to_string(),
        Err(_) => NONE.to_owned(),
    };
    [
        entry.label.clone(),
        of.pace.sources.to_string(),
        number(of.pace.median_ms, |ms| format!("{:.0} s", ms / 1000.0)),
        times(of.pace.fast),
        times(of.pace.slow),
        counted(of.conflicts),
        counted(of.categories),
        counted(of.edits),
        mean(of.checks.copies),
        counted(of.checks.scrambled_below),
        mean(of.checks.repeated),
    ]
}

/// In place of what is undefined.
const NONE: &str = "–";

fn number(of: Result<f64, Undefined>, shown: impl Fn(f64) -> String) -> String {
    of.map_or_else(|_| NONE.to_owned(), shown)
}

fn percent(of: Share) -> String {
    number(of.rate(), |rate| format!("{:.1} %", 100.0 * rate))
}

fn counted(of: Share) -> String {
    number(of.rate(), |rate| {
        format!("{:.1} % ({})", 100.0 * rate, of.of)
    })
}

fn mean(of: Mean) -> String {
    number(of.value(), |mean| format!("{mean:.1} ({})", of.n))
}
