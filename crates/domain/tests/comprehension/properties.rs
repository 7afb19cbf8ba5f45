//! Properties of the figures for any answers.

use domain::{
    comprehension::{
        AnswerChoice, AnswerTable, AnswerabilityDenominator, ReaderAnswer, answerability_on,
        answerable_questions, double_agreement, figures_by_condition, figures_by_passage,
    },
    statistics::bootstrap::ResamplingOptions,
};
use proptest::prelude::*;

const NAMES: [&str; 4] = ["a", "b", "c", "d"];

prop_compose! {
    fn answer()(
        condition in 0..4_usize,
        passage in 0..3_usize,
        question in 0..3_usize,
        participant in prop::option::of(0..4_usize),
        choice in 0..5_usize,
    ) -> ReaderAnswer<'static> {
        ReaderAnswer {
            condition: NAMES[condition],
            passage: NAMES[passage],
            question: NAMES[question],
            participant: participant.map(|at| NAMES[at]),
            choice: AnswerChoice::from_index(choice).unwrap(),
            place: None,
        }
    }
}

const FEW: ResamplingOptions = ResamplingOptions {
    replicates: 20,
    seed: 1,
    confidence: 0.95,
};

proptest! {
    #[test]
    fn the_order_of_answers_changes_no_figure_of_a_condition(
        given in prop::collection::vec(answer(), 0..60),
    ) {
        let figures = |rows: &[ReaderAnswer<'static>]| {
            let mut answers = AnswerTable::with_conditions(NAMES);
            answers.extend(rows.iter().copied());
            let conditions = figures_by_condition(&answers, FEW);
            conditions.into_iter().map(|condition| (condition.tally, condition.rank, condition.passages)).collect::<Vec<_>>()
        };
        let mut turned = given.clone();
        turned.reverse();
        prop_assert_eq!(figures(&given), figures(&turned));
    }

    #[test]
    fn ranks_count_the_better_conditions(given in prop::collection::vec(answer(), 1..60)) {
        let answers: AnswerTable = given.into_iter().collect();
        let conditions = figures_by_condition(&answers, FEW);
        for condition in &conditions {
            let rate = |condition: &domain::comprehension::ConditionFigures| condition.tally.share(AnswerChoice::A).rate().unwrap();
            let better = conditions.iter().filter(|other| rate(other) > rate(condition)).count();
            prop_assert_eq!(condition.rank, Some(better + 1));
            let (low, high) = condition.tally.share(AnswerChoice::A).wilson(0.95).unwrap();
            prop_assert!(low <= rate(condition) && rate(condition) <= high);
        }
        let all: usize = figures_by_passage(&answers).iter().map(|item| item.all.n()).sum();
        prop_assert_eq!(all, answers.answers().len());
    }

    #[test]
    fn of_all_questions_answerability_is_the_plain_one(
        given in prop::collection::vec(answer(), 1..60),
    ) {
        let answers: AnswerTable = given.into_iter().collect();
        let every = answerable_questions(&answers, &[]);
        let plain: Vec<_> = figures_by_condition(&answers, FEW).iter().map(|condition| condition.tally.answerability()).collect();
        for denominator in [AnswerabilityDenominator::Chosen, AnswerabilityDenominator::Paper] {
            prop_assert_eq!(&answerability_on(&answers, &every, denominator), &plain);
        }
    }

    #[test]
    fn readers_who_answer_alike_agree(given in prop::collection::vec(answer(), 1..60)) {
        let doubled = given.iter().flat_map(|answer| {
            ["x", "y"].map(|participant| ReaderAnswer { participant: Some(participant), ..*answer })
        });
        let answers: AnswerTable = doubled.collect();
        let agreement = double_agreement(&answers);
        prop_assert!(agreement.items > 0);
        prop_assert_eq!(agreement.same, Ok(1.0));
        prop_assert!(agreement.kappa.is_err() || agreement.kappa == Ok(1.0));
    }
}
