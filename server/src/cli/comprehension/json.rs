use domain::{
    comprehension::{
        AnswerChoice, AnswerTable, AnswerabilityDenominator, ChoiceTally, ConditionFigures,
        ItemFigures, RankingStability, SupportTarget,
    },
    metrics::ScoreDirection,
    statistics::{UndefinedReason, correlation::Correlation, quality::Proportion, roc::RocCurve},
};
use serde_json::{Map, Value, json};

use super::report::{
    ChosenAnswerability, ComprehensionReport, MetricCorrelations, SupportPrediction,
};

/// The figures of each condition; what was asked for beside them stands under keys of its own.
pub(super) fn report_json(of: &ComprehensionReport) -> Value {
    let name = |figures: &ConditionFigures| of.answers.conditions()[figures.condition].clone();
    let conditions = of
        .conditions
        .iter()
        .map(|figures| (name(figures), condition_json(figures)));
    let mut all = json!({ "conditions": conditions.collect::<Map<_, _>>() });
    if let Some(chosen) = &of.chosen_answerability {
        all["answerable_in"] = self::answerability_json(chosen, &of.answers);
    }
    if !of.stability.is_empty() {
        all["stability"] = of.stability.iter().map(stability_json).collect();
    }
    if let Some(items) = &of.items {
        let each = |items: &[ItemFigures]| -> Value {
            items.iter().map(|it| item_json(it, &of.answers)).collect()
        };
        all["passages"] = each(&items.passages);
        all["questions"] = each(&items.questions);
    }
    if let Some(of) = &of.support {
        all["support"] = support_json(of);
    }
    if let Some(of) = &of.metrics {
        all["metrics"] = metrics_json(of);
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

fn condition_json(of: &ConditionFigures) -> Value {
    let mut all = tally_json(of.tally);
    all["rank"] = json!(of.rank);
    all
}

/// Percentages from 0 to 100; null where there is no answer.
fn tally_json(of: ChoiceTally) -> Value {
    let share = |choice| percent(of.share(choice));
    json!({
        "n": of.n(),
        "correct": share(AnswerChoice::A),
        "B": share(AnswerChoice::B),
        "C": share(AnswerChoice::C),
        "D": share(AnswerChoice::D),
        "unanswerable": share(AnswerChoice::Unanswerable),
        "answerability": percent(of.answerability()),
    })
}

/// All answers together, and those of each condition that has some.
fn item_json(of: &ItemFigures, answers: &AnswerTable) -> Value {
    let mut all = tally_json(of.all);
    all["passage"] = json!(answers.passages()[of.passage]);
    if let Some(question) = of.question {
        all["question"] = json!(answers.questions()[question].1);
    }
    let each = answers.conditions().iter().zip(&of.by_condition);
    let each = each.filter(|(_, of)| of.n() > 0);
    let each = each.map(|(name, of)| (name.clone(), tally_json(*of)));
    all["conditions"] = each.collect::<Map<_, _>>().into();
    all
}

/// One key a variant; those without stop words end in `_content`.
fn support_json(of: &SupportPrediction) -> Value {
    let variant =
        |(of, content, found): &(SupportTarget, bool, Result<RocCurve, UndefinedReason>)| {
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

fn metrics_json(of: &MetricCorrelations) -> Value {
    let each = |(name, direction, found): &(
        String,
        ScoreDirection,
        Result<Correlation, UndefinedReason>,
    )| {
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
        "metrics": of.correlations.iter().map(each).collect::<Map<_, _>>(),
    })
}

fn answerability_json(of: &ChosenAnswerability, answers: &AnswerTable) -> Value {
    let names = answers.conditions().iter();
    let shares = names.zip(&of.shares).map(|(name, share)| {
        (
            name.clone(),
            json!({ "answerability": percent(*share), "n": share.total }),
        )
    });
    let denominator = match of.denominator {
        AnswerabilityDenominator::Chosen => "chosen",
        AnswerabilityDenominator::Paper => "paper",
    };
    json!({
        "chosen": of.conditions,
        "questions": of.questions,
        "denominator": denominator,
        "conditions": shares.collect::<Map<_, _>>(),
    })
}

fn stability_json(of: &Result<RankingStability, UndefinedReason>) -> Value {
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

fn percent(of: Proportion) -> Option<f64> {
    // 100 first, as those who compute percentages of counts do.
    of.rate()
        .ok()
        .map(|_| 100.0 * of.count as f64 / of.total as f64)
}
