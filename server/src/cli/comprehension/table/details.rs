//! Optional figures, shown after those of conditions.

use domain::{
    comprehension::{AnswerChoice, AnswerTable, ItemFigures, SupportTarget},
    metrics::ScoreDirection,
};

use super::{NONE, format_percent};
use crate::cli::{
    comprehension::report::{ItemBreakdown, MetricCorrelations, SupportPrediction},
    output::columns,
};

/// The passages, then the questions, the hardest first.
pub(super) fn item_tables(of: &ItemBreakdown, answers: &AnswerTable) -> String {
    let sorted = |items: &[ItemFigures]| {
        let mut items = items.to_vec();
        let right = |item: &ItemFigures| item.all.share(AnswerChoice::A).rate().unwrap_or(f64::NAN);
        items.sort_by(|a, b| right(a).total_cmp(&right(b)));
        items
    };

    let figures = |item: &ItemFigures| {
        let share = |choice| format_percent(item.all.share(choice));
        let shares = AnswerChoice::ALL.map(share);
        std::iter::once(item.all.n().to_string()).chain(shares)
    };

    let row = |item: &ItemFigures| -> [String; 8] {
        let question = item.question.map(|at| answers.questions()[at].1.clone());
        let names = [
            answers.passages()[item.passage].clone(),
            question.unwrap_or_default(),
        ];
        let cells: Vec<_> = names.into_iter().chain(figures(item)).collect();
        cells.try_into().expect("two names and six figures")
    };
    let rows = |items: &[ItemFigures]| sorted(items).iter().map(row).collect::<Vec<_>>();

    let head = ["passage", "question", "n", "correct", "B", "C", "D", "UA"];
    let mut text = "\nPassages, the hardest first:\n".to_owned();
    text += &columns(head, &rows(&of.passages));
    text += "\nQuestions, the hardest first:\n";
    text += &columns(head, &rows(&of.questions));
    text
}

/// The areas under the curves of support.
pub(super) fn support_table(of: &SupportPrediction) -> String {
    let row = |(support, content, curve): &(SupportTarget, bool, Result<_, _>)| {
        let words = if *content { "content" } else { "all" };
        let figures = match curve {
            Ok(domain::statistics::roc::RocCurve {
                area,
                best,
                positive,
                negative,
                ..
            }) => [
                format!("{area:.3}"),
                format!("{:.3}", best.threshold),
                format!("{:.3}", best.true_positive_rate),
                format!("{:.3}", best.false_positive_rate),
                positive.to_string(),
                negative.to_string(),
            ],
            Err(_) => [NONE; 6].map(str::to_owned),
        };
        let names = [support.name().to_owned(), words.to_owned()];
        let cells: Vec<_> = names.into_iter().chain(figures).collect();
        <[String; 8]>::try_from(cells).expect("two names and six figures")
    };

    let head = [
        "support of",
        "words",
        "AUC",
        "at most",
        "found",
        "wrongly",
        "UA",
        "right",
    ];
    let rows: Vec<_> = of.variants.iter().map(row).collect();
    format!(
        "\nLittle support in the text as a predictor of “unanswerable” against the right answer; \
         content words are those but {}; the threshold is at the largest √(found·(1 − wrongly)):\n{}",
        of.stop_words,
        columns(head, &rows),
    )
}

/// Spearman's ρ of metrics and accuracy.
pub(super) fn metrics_table(of: &MetricCorrelations) -> String {
    let row = |(name, direction, correlation): &(String, ScoreDirection, Result<_, _>)| {
        let figures = match correlation {
            Ok(domain::statistics::correlation::Correlation { coefficient, p, n }) => [
                format!("{coefficient:.3}"),
                format!("{p:.3}"),
                n.to_string(),
            ],
            Err(_) => [NONE; 3].map(str::to_owned),
        };
        let [rho, p, n] = figures;
        [direction.label(name), rho, p, n]
    };

    let rows: Vec<_> = of.correlations.iter().map(row).collect();
    let references = match &of.against.references[..] {
        [] => String::new(),
        names => format!(", references are {}", names.join(" and ")),
    };

    format!(
        "\nSpearman’s ρ of mean scores and accuracy over conditions; the original is {}{references}:\n{}",
        of.against.original,
        columns(["metric", "ρ", "p", "conditions"], &rows),
    )
}
