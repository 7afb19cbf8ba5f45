use domain::{
    comprehension::{Choice, ConditionFigures, Denominator, Stability},
    statistics::{Undefined, quality::Share},
};
use serde_json::{Map, Value, json};

use super::{Chosen, Figures};

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

/// Percentages from 0 to 100; null where there is no answer.
fn condition(of: &ConditionFigures) -> Value {
    let share = |choice| percent(of.tally.share(choice));
    json!({
        "n": of.tally.n(),
        "correct": share(Choice::A),
        "B": share(Choice::B),
        "C": share(Choice::C),
        "D": share(Choice::D),
        "unanswerable": share(Choice::Unanswerable),
        "answerability": percent(of.tally.answerability()),
        "rank": of.rank,
    })
}

fn chosen(of: &Chosen, answers: &domain::comprehension::Answers) -> Value {
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
