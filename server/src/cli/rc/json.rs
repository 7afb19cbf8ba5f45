use domain::{
    comprehension::{
        Answers, Choice, ConditionFigures, Denominator, ItemFigures, Stability, SupportOf, Tally,
    },
    metrics::Direction,
    statistics::{Undefined, correlation::Correlation, quality::Share, roc::Roc},
};
use serde_json::{Map, Value, json};

use super::figures::{Chosen, Figures, Metrics, Support};

/// The figures of each condition; what was asked for beside them stands under keys of its own.
pub(super) fn all(of: &Figures) -> Value {
    let name = |figures: &ConditionFigures| of.answers.conditions()[figures.condition].clone();
    let conditions = of
        .conditions
        .iter()
        .map(|figures| (name(figures), condition(figures)));
    let mut all = json!({ "conditions": conditions.collect::<Map<_, _>>() });
    if let Some(chosen) = &of.chosen {
        all["answerable_in"] = self::chosen(chosen, &of.answers);
    }
    if !of.stability.is_empty() {
        all["stability"] = of.stability.iter().map(stability).collect();
    }
    if let Some(items) = &of.items {
        let each = |items: &[ItemFigures]| -> Value {
            items.iter().map(|it| item(it, &of.answers)).collect()
        };
        all["passages"] = each(&items.passages);
        all["questions"] = each(&items.questions);
    }
    if let Some(of) = &of.support {
        all["support"] = support(of);
    }
    if let Some(of) = &of.metrics {
        all["metrics"] = metrics(of);
    }
    if of.agreement.items > 0 {
        all["agreement"] = json!({
            "items": of.agreement.items,
            "kappa": of.agreement.kappa.ok(),
            "kappa_correct": of.agreement.kappa_correct.ok(),
            "same": of.agreement.same.ok(),
        });
    }
    all
}

fn condition(of: &ConditionFigures) -> Value {
    let mut all = tally(of.tally);
    all["rank"] = json!(of.rank);
    all
}

/// Percentages from 0 to 100; null where there is no answer.
fn tally(of: Tally) -> Value {
    let share = |choice| percent(of.share(choice));
    json!({
        "n": of.n(),
        "correct": share(Choice::A),
        "B": share(Choice::B),
        "C": share(Choice::C),
        "D": share(Choice::D),
        "unanswerable": share(Choice::Unanswerable),
        "answerability": percent(of.answerability()),
    })
}

/// All answers together, and those of each condition that has some.
fn item(of: &ItemFigures, answers: &Answers) -> Value {
    let mut all = tally(of.all);
    all["passage"] = json!(answers.passages()[of.passage]);
    if let Some(question) = of.question {
        all["question"] = json!(answers.questions()[question].1);
    }
    let each = answers.conditions().iter().zip(&of.by_condition);
    let each = each.filter(|(_, of)| of.n() > 0);
    let each = each.map(|(name, of)| (name.clone(), tally(*of)));
    all["conditions"] = each.collect::<Map<_, _>>().into();
    all
}

/// One key a variant; those without stop words end in `_content`.
fn support(of: &Support) -> Value {
    let variant = |(of, content, found): &(SupportOf, bool, Result<Roc, Undefined>)| {
        let name = if *content {
            format!("{}_content", of.name())
        } else {
            of.name().to_owned()
        };
        let found = match found {
            Ok(found) => json!({
                "auc": found.area,
                "threshold": found.best.threshold,
                "tpr": found.best.true_positive_rate,
                "fpr": found.best.false_positive_rate,
                "unanswerable": found.positive,
                "right": found.negative,
            }),
            Err(reason) => json!({ "auc": null, "undefined": reason.to_string() }),
        };
        (name, found)
    };
    let variants = of.variants.iter().map(variant);
    json!({
        "stop_words": of.stop_words,
        "variants": variants.collect::<Map<_, _>>(),
    })
}

fn metrics(of: &Metrics) -> Value {
    let each = |(name, direction, found): &(String, Direction, Result<Correlation, Undefined>)| {
        let mut found = match found {
            Ok(of) => json!({ "spearman": of.coefficient, "p": of.p, "conditions": of.n }),
            Err(reason) => json!({ "spearman": null, "undefined": reason.to_string() }),
        };
        found["direction"] = json!(direction);
        (name.clone(), found)
    };
    json!({
        "original": of.against.original,
        "references": of.against.references,
        "metrics": of.found.iter().map(each).collect::<Map<_, _>>(),
    })
}

fn chosen(of: &Chosen, answers: &Answers) -> Value {
    let names = answers.conditions().iter();
    let shares = names.zip(&of.shares).map(|(name, share)| {
        (
            name.clone(),
            json!({ "answerability": percent(*share), "n": share.of }),
        )
    });
    let denominator = match of.denominator {
        Denominator::Chosen => "chosen",
        Denominator::Paper => "paper",
    };
    json!({
        "chosen": of.conditions,
        "questions": of.questions,
        "denominator": denominator,
        "conditions": shares.collect::<Map<_, _>>(),
    })
}

fn stability(of: &Result<Stability, Undefined>) -> Value {
    match of {
        Ok(of) => json!({
            "passages": of.passages,
            "mean": of.mean,
            "p5": of.low,
            "p95": of.high,
            "draws": of.draws,
            "undefined_draws": of.undefined,
        }),
        Err(reason) => json!({ "mean": null, "undefined": reason.to_string() }),
    }
}

fn percent(of: Share) -> Option<f64> {
    // 100 first, as those who compute percentages of counts do.
    of.rate()
        .ok()
        .map(|_| 100.0 * of.count as f64 / of.of as f64)
}
