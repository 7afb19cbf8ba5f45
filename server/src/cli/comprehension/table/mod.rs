mod details;

use domain::{
    comprehension::{AnswerChoice, AnswerabilityDenominator, ConditionFigures, RankingStability},
    statistics::{UndefinedReason, quality::Proportion},
};

use super::report::ComprehensionReport;
use crate::cli::output::{columns, warning_lines};

/// The explanation of the columns.
const LEGEND: &str = "\
n: answered questions. Percentages of n, in brackets the 95 % interval: of the answers as independent
ones (Wilson), and of the accuracy over resampled passages. UA: unanswerable. rank: by accuracy, ties
share the smallest. –: undefined.
";

/// The figures as text, the best condition first.
pub(super) fn report_table(report: &ComprehensionReport) -> String {
    let mut sorted: Vec<_> = report.conditions.iter().collect();
    sorted.sort_by_key(|figures| figures.rank.unwrap_or(usize::MAX));
    let rows: Vec<_> = sorted
        .into_iter()
        .map(|figures| condition_cells(report, figures))
        .collect();
    let mut text = columns(
        [
            "condition",
            "n",
            "correct",
            "(Wilson)",
            "(passages)",
            "B",
            "C",
            "D",
            "UA",
            "answerability",
            "(Wilson)",
            "rank",
        ],
        &rows,
    );
    text += LEGEND;

    if let Some(chosen) = &report.chosen_answerability {
        let names = report.answers.conditions().iter().zip(&chosen.shares);
        let rows: Vec<_> = names
            .map(|(name, share)| {
                [
                    name.clone(),
                    share.total.to_string(),
                    format_percent(*share),
                ]
            })
            .collect();

        let by = match chosen.denominator {
            AnswerabilityDenominator::Chosen => "of the answers to them",
            AnswerabilityDenominator::Paper => "of all answers, as in the paper",
        };
        text += &format!(
            "\nAnswerability on the {} questions that {} make answerable, {by}:\n",
            chosen.questions,
            chosen.conditions.join(" and "),
        );
        text += &columns(["condition", "n", "answerability"], &rows);
    }

    if !report.stability.is_empty() {
        text += "\nSpearman's ρ of the ranking on random passages to the full one:\n";
        let rows: Vec<_> = report.stability.iter().map(stability_cells).collect();
        text += &columns(["passages", "mean", "5 %", "95 %", "draws"], &rows);
    }

    text += &report.items.as_ref().map_or_else(String::new, |items| {
        details::item_tables(items, &report.answers)
    });
    text += &report
        .support
        .as_ref()
        .map_or_else(String::new, details::support_table);
    text += &report
        .metrics
        .as_ref()
        .map_or_else(String::new, details::metrics_table);

    if report.agreement.items > 0 {
        let number =
            |figure: Result<f64, _>| figure.map_or_else(|_| NONE.to_owned(), |k| format!("{k:.3}"));
        text += &format!(
            "\nCohen's κ on {} questions with two readers: {} on the five answers, {} on right or not.\n",
            report.agreement.items,
            number(report.agreement.kappa),
            number(report.agreement.kappa_correct),
        );
    }

    text + &warning_lines(&report.warnings)
}

/// The text for an undefined figure.
const NONE: &str = "–";

fn condition_cells(report: &ComprehensionReport, figures: &ConditionFigures) -> [String; 12] {
    let share = |choice| format_percent(figures.tally.share(choice));
    let over_passages = figures
        .over_passages
        .map(|interval| (interval.low, interval.high));

    [
        report.answers.conditions()[figures.condition].clone(),
        figures.tally.n().to_string(),
        share(AnswerChoice::A),
        format_interval(figures.tally.share(AnswerChoice::A).wilson(0.95)),
        format_interval(over_passages),
        share(AnswerChoice::B),
        share(AnswerChoice::C),
        share(AnswerChoice::D),
        share(AnswerChoice::Unanswerable),
        format_percent(figures.tally.answerability()),
        format_interval(figures.tally.answerability().wilson(0.95)),
        figures
            .rank
            .map_or_else(|| NONE.to_owned(), |rank| rank.to_string()),
    ]
}

fn stability_cells(of: &Result<RankingStability, UndefinedReason>) -> [String; 5] {
    match of {
        Ok(stability) => [
            stability.passages.to_string(),
            format!("{:.3}", stability.mean),
            format!("{:.3}", stability.low),
            format!("{:.3}", stability.high),
            stability.draws.to_string(),
        ],
        Err(_) => [NONE; 5].map(str::to_owned),
    }
}

fn format_percent(of: Proportion) -> String {
    of.rate()
        .map_or_else(|_| NONE.to_owned(), |rate| format!("{:.2}", 100.0 * rate))
}

fn format_interval<E>(of: Result<(f64, f64), E>) -> String {
    match of {
        Ok((low, high)) => format!("{:.1}–{:.1}", 100.0 * low, 100.0 * high),
        Err(_) => NONE.to_owned(),
    }
}
