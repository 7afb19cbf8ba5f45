//! The released half of ATS-EVAL, articles with an even number.

use domain::{
    comprehension::{
        AnswerChoice, AnswerEvidence, AnswerabilityDenominator, StabilityOptions, StopWords,
        SupportTarget, SupportVariant, answerability_on, answerable_questions, double_agreement,
        figures_by_condition, figures_by_passage, figures_by_question, predict_unanswerable,
        stability,
    },
    statistics::{bootstrap::ResamplingOptions, roc::roc},
};
use serde_json::Value;
use testdata::needs_released_data;

use crate::shared::{parse_answers, read_golden, read_questions, stop_words};

#[track_caller]
fn close(found: f64, expected: &Value, what: &str) {
    let expected = expected.as_f64().unwrap();
    let off = (found - expected).abs();
    assert!(off < 1e-9, "{what}: {found} instead of {expected}");
}

#[test]
fn ats_eval_figures_of_eleven_conditions() {
    let golden = read_golden();
    let answers = parse_answers(&golden);
    let expected = golden["expected"].as_object().unwrap();
    let humans = ["Original", "Elementary"].map(|name| answers.condition(name).unwrap());
    let both = answerable_questions(&answers, &humans);
    let on = |denominator| answerability_on(&answers, &both, denominator);
    let (chosen, paper) = (
        on(AnswerabilityDenominator::Chosen),
        on(AnswerabilityDenominator::Paper),
    );
    let figures = figures_by_condition(&answers, ResamplingOptions::default());
    assert_eq!(figures.len(), expected.len());
    for actual in figures {
        let name = &answers.conditions()[actual.condition];
        let expected = &expected[name];
        let percent =
            |share: domain::statistics::quality::Proportion| 100.0 * share.rate().unwrap();
        assert_eq!(actual.tally.n() as u64, expected["n"].as_u64().unwrap());
        for (choice, key) in AnswerChoice::ALL
            .into_iter()
            .zip(["correct", "B", "C", "D", "UA"])
        {
            close(percent(actual.tally.share(choice)), &expected[key], name);
        }
        close(
            percent(actual.tally.answerability()),
            &expected["answerability"],
            name,
        );
        assert_eq!(
            actual.rank.unwrap() as u64,
            expected["rank"].as_u64().unwrap(),
            "{name}"
        );
        let (chosen, paper) = (chosen[actual.condition], paper[actual.condition]);
        assert_eq!(
            chosen.total as u64,
            expected["n_subset"].as_u64().unwrap(),
            "{name}"
        );
        close(
            percent(chosen),
            &expected["answerability_subset_proper"],
            name,
        );
        close(
            percent(paper),
            &expected["answerability_subset_notebook"],
            name,
        );
        let interval = actual.over_passages.unwrap();
        let rate = actual.tally.share(AnswerChoice::A).rate().unwrap();
        assert!(
            interval.low < rate && rate < interval.high,
            "{name}: {interval:?}"
        );
    }
}

#[test]
fn ats_eval_by_question_and_passage_adds_up() {
    let golden = read_golden();
    let answers = parse_answers(&golden);
    let (questions, passages) = (figures_by_question(&answers), figures_by_passage(&answers));
    assert_eq!((questions.len(), passages.len()), (90, 30));
    for items in [questions, passages] {
        assert_eq!(items.iter().map(|item| item.all.n()).sum::<usize>(), 987);
        for item in items {
            assert_eq!(
                item.by_condition
                    .iter()
                    .copied()
                    .sum::<domain::comprehension::ChoiceTally>(),
                item.all
            );
        }
    }
    // Its answers name no participant, so nobody knows who agreed with whom.
    assert_eq!(double_agreement(&answers).items, 0);
}

#[test]
fn ats_eval_rankings_grow_stable_with_passages() {
    let golden = read_golden();
    let answers = parse_answers(&golden);
    let rankings: Vec<_> = stability(&answers, &[5, 10, 20, 30, 60], StabilityOptions::default())
        .into_iter()
        .map(Result::unwrap)
        .collect();
    for pair in rankings.windows(2) {
        assert!(pair[0].mean <= pair[1].mean, "{pair:?}");
        assert!(pair[0].low <= pair[1].low, "{pair:?}");
    }
    let (all, beyond) = (rankings[3], rankings[4]);
    assert_eq!(all, beyond, "there are 30 passages");
    for figure in [all.mean, all.low, all.high] {
        assert!((figure - 1.0).abs() < 1e-12);
    }
    let again = stability(&answers, &[5, 10, 20, 30, 60], StabilityOptions::default());
    assert_eq!(
        again.into_iter().map(Result::unwrap).collect::<Vec<_>>(),
        rankings
    );
    println!("{rankings:#?}");
}

/// The curve itself, on support as NLTK's tokeniser gives it: exactly scikit-learn's. The file has
/// rounded numbers; the product is made again of the fractions that they stand for, since equal
/// products of different fractions differ in their last bits, which parts ties.
#[test]
fn scikit_learn_roc_of_nltk_support() {
    let golden = read_golden();
    let expected = &golden["roc_UA_vs_correct"];
    let labels = expected["label_UA"].as_array().unwrap();
    let support = |variant: &str| -> Vec<f64> {
        let listed = expected[variant]["support"].as_array().unwrap();
        listed
            .iter()
            .map(|s| fraction(s.as_f64().unwrap()))
            .collect()
    };
    let product = || {
        let (questions, answers) = (support("Q_stop"), support("A_stop"));
        questions.iter().zip(answers).map(|(q, a)| q * a).collect()
    };
    for variant in ["A_nb", "Q_stop", "A_stop", "QA_stop"] {
        let support = match variant {
            "QA_stop" => product(),
            other => support(other),
        };
        let items: Vec<_> = support
            .into_iter()
            .zip(labels.iter().map(|ua| ua == 1))
            .collect();
        let curve = roc(&items).unwrap();
        close(curve.area, &expected[variant]["auc"], variant);
        let best = &expected[variant]["best_gmean"];
        close(curve.best.true_positive_rate, &best["tpr"], variant);
        close(curve.best.false_positive_rate, &best["fpr"], variant);
        let threshold = &best["threshold_predict_UA_if_support<="];
        close(curve.best.threshold, threshold, variant);
    }
}

/// The fraction that a rounded number stands for.
fn fraction(rounded: f64) -> f64 {
    let near =
        |denominator: &f64| (rounded * denominator - (rounded * denominator).round()).abs() < 1e-9;
    let denominator = (1..100).map(f64::from).find(near).unwrap();
    (rounded * denominator).round() / denominator
}

/// Support by our own tokeniser, against NLTK's: how many of 711 cells differ, and the areas. What
/// differs is written out in `support`.
#[needs_released_data("rc")]
#[test]
fn support_by_our_tokeniser_is_nearly_nltk_s() {
    let golden = read_golden();
    let expected = &golden["roc_UA_vs_correct"];
    let nltk = StopWords::new("NLTK", stop_words());
    let all = (parse_answers(&golden), read_questions());
    let right: Vec<_> = golden["records"]
        .as_array()
        .unwrap()
        .iter()
        .map(|record| record["options_ABCD_first_is_correct"][0].as_str().unwrap())
        .collect();
    let (answers, asked) = &all;
    let systems = answers
        .answers()
        .iter()
        .zip(asked)
        .zip(&right)
        .filter(|((answer, _), _)| {
            !["Original", "Elementary"].contains(&answers.conditions()[answer.condition].as_str())
        });
    let evidence: Vec<_> = systems
        .map(|((answer, record), right)| AnswerEvidence {
            text: &record.text,
            question: &record.question,
            right,
            choice: answer.choice,
        })
        .filter(|evidence| {
            matches!(
                evidence.choice,
                AnswerChoice::A | AnswerChoice::Unanswerable
            )
        })
        .collect();
    assert_eq!(evidence.len(), 711);
    for (key, of, stop, most) in [
        ("A_nb", SupportTarget::Answer, false, 18),
        ("Q_stop", SupportTarget::Question, true, 16),
        ("A_stop", SupportTarget::Answer, true, 4),
        ("QA_stop", SupportTarget::Both, true, 17),
    ] {
        let variant = SupportVariant {
            target: of,
            without: stop.then_some(&nltk),
        };
        let theirs = expected[key]["support"].as_array().unwrap();
        let cells = evidence.iter().zip(theirs);
        let differ: Vec<_> = cells
            .filter(|(own, theirs)| (own.support(variant) - theirs.as_f64().unwrap()).abs() > 1e-9)
            .collect();
        let curve = predict_unanswerable(&evidence, variant).unwrap();
        let area = expected[key]["auc"].as_f64().unwrap();
        println!(
            "{key}: {} of 711 cells differ, area {:.4} for {area:.4}, best {:?}",
            differ.len(),
            curve.area,
            curve.best
        );
        for (own, theirs) in differ.iter().take(6) {
            println!(
                "  {:.3} for {theirs}: {} | {}",
                own.support(variant),
                own.right,
                own.question
            );
        }
        assert!(
            (curve.area - area).abs() < 0.002,
            "{key}: {} for {area}",
            curve.area
        );
        assert!(differ.len() <= most, "{key}: {}", differ.len());
    }
}
