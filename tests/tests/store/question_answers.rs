//! Answers to questions: checked, required, read by figures and exports.

use domain::{
    category::Category,
    ids::OutputId,
    protocol::{AnswerStep, ProtocolStep, StudyProtocol},
    questions::{
        AnswerOption, AskedQuestion, QuestionAbout, QuestionAnswer, QuestionCondition,
        QuestionKind, QuestionOptions,
    },
    study::StudySettings,
    work::change::{AnnotationAnswer, AnnotationChange, AnnotationSlot, SaveOutcome},
};
use store::{
    annotator_answers::{HandInOutcome, MissingAnswer},
    rating_rows::RatingScope,
};
use stories::{NOW, TestDatabase, on_both};

use crate::assignment_fixture::{
    AssignmentFixture, is_saved, start_assignment, superseding_change,
};

fn asked(key: &str, about: QuestionAbout, kind: QuestionKind) -> AskedQuestion {
    AskedQuestion {
        key: key.to_owned(),
        text: format!("{key}?"),
        hint: String::new(),
        about,
        kind,
        required: true,
        condition: None,
    }
}

fn yes_no() -> QuestionKind {
    let option = |key: &str| AnswerOption {
        key: key.to_owned(),
        label: key.to_owned(),
    };
    QuestionKind::One(vec![option("yes"), option("no")])
}

/// Questions about whether the source is hard; for each output, whether anything is missing, and what; for deletions,
/// whether they help.
fn questions() -> Vec<AskedQuestion> {
    let what = AskedQuestion {
        condition: Some(QuestionCondition::Answered(QuestionOptions {
            question: "missing".to_owned(),
            options: vec!["yes".to_owned()],
        })),
        ..asked("what", QuestionAbout::Output, QuestionKind::Text(20))
    };
    let helps = AskedQuestion {
        condition: Some(QuestionCondition::Category(vec![Category::Deletion])),
        ..asked("helps", QuestionAbout::Output, yes_no())
    };
    vec![
        asked("hard", QuestionAbout::Source, yes_no()),
        asked("missing", QuestionAbout::Output, yes_no()),
        what,
        helps,
    ]
}

async fn set_steps(story: &TestDatabase, work: &AssignmentFixture, steps: Vec<ProtocolStep>) {
    let study = work.ground.study;
    let settings = story.store.study(study).await.unwrap().unwrap().settings;
    let settings = StudySettings {
        protocol: StudyProtocol::new(steps).unwrap(),
        ..settings
    };
    let set = story.store.set_settings(study, &settings, NOW).await;
    assert!(set.unwrap());
}

/// An annotator at work on a source with five outputs, two of them alike, about which questions are asked.
async fn start_answering(story: &TestDatabase) -> AssignmentFixture {
    let work = start_assignment(story).await;
    let step = AnswerStep {
        questions: questions(),
    };
    let steps = vec![ProtocolStep::Categorise, ProtocolStep::Answer(step)];
    set_steps(story, &work, steps).await;
    work
}

fn answer(output: Option<OutputId>, key: &str, answer: Option<QuestionAnswer>) -> AnnotationChange {
    let slot = AnnotationSlot::Question {
        output,
        key: key.to_owned(),
    };
    superseding_change(slot, AnnotationAnswer::Question(answer), None)
}

fn one(output: Option<OutputId>, key: &str, option: &str) -> AnnotationChange {
    answer(output, key, Some(QuestionAnswer::One(option.to_owned())))
}

fn place(output: OutputId, category: Category) -> AnnotationChange {
    let slot = AnnotationSlot::Category { output };
    superseding_change(slot, AnnotationAnswer::Category(Some(category)), None)
}

#[tokio::test]
async fn required_questions_that_are_shown_are_missing_and_hidden_answers_count_nowhere() {
    on_both(async |story| {
        let work = start_answering(story).await;
        let (store, study) = (&story.store, work.ground.study);
        let [zero, same, two, accent] = work.items[..] else {
            panic!("four outputs to judge")
        };

        let categories = [
            place(zero, Category::Deletion),
            place(same, Category::Split),
            place(two, Category::Split),
            place(accent, Category::Split),
        ];

        let answers = [
            one(Some(zero), "missing", "yes"),
            one(Some(same), "missing", "no"),
            // Hidden by the answer “no” and by the category.
            answer(
                Some(same),
                "what",
                Some(QuestionAnswer::Text("A name.".into())),
            ),
            one(Some(same), "helps", "no"),
            one(Some(two), "missing", "no"),
            one(Some(accent), "missing", "no"),
        ];

        let outcomes = work
            .save(story, &[&categories[..], &answers].concat())
            .await;
        assert!(outcomes.iter().all(is_saved), "{outcomes:?}");

        let hand_in = async || {
            let outcome = store.hand_in(work.person, work.assignment, NOW).await;
            outcome.unwrap().unwrap()
        };

        let missing = [(None, "hard"), (Some(zero), "what"), (Some(zero), "helps")];
        let missing = missing.map(|(output, key)| MissingAnswer {
            outputs: output.into_iter().collect(),
            dimension: Some(key.to_owned()),
        });
        assert_eq!(hand_in().await, HandInOutcome::Missing(missing.to_vec()));

        let rest = [
            one(None, "hard", "yes"),
            answer(
                Some(zero),
                "what",
                Some(QuestionAnswer::Text("Wer?".into())),
            ),
            one(Some(zero), "helps", "yes"),
        ];
        assert!(work.save(story, &rest).await.iter().all(is_saved));

        let read = async |scope| store.study_answers(study, scope).await.unwrap();
        assert_eq!(read(RatingScope::HandedIn).await.answers, []);
        assert_eq!(hand_in().await, HandInOutcome::Done);
        let submitted = read(RatingScope::HandedIn).await;
        let kept: Vec<_> = submitted
            .answers
            .iter()
            .map(|answer| (answer.output, answer.question.as_str()))
            .collect();
        let expected = [
            (Some(zero), "missing"),
            (Some(same), "missing"),
            (Some(two), "missing"),
            (Some(accent), "missing"),
            (None, "hard"),
            (Some(zero), "what"),
            (Some(zero), "helps"),
        ];
        assert_eq!(kept, expected);
        assert_eq!(submitted.answers[0].rater, "annotator 1");

        let alike = submitted.outputs.iter();
        let alike = alike.filter(|output| output.judged_as == same);
        assert_eq!(
            alike.count(),
            2,
            "an identical text is judged with the first"
        );

        let mut export = store
            .begin_export(study, RatingScope::HandedIn)
            .await
            .unwrap();
        assert_eq!(export.answers().await.unwrap(), submitted);
        assert_eq!(read(RatingScope::Consensus).await.answers, []);

        // Answers to removed questions still count, including those that were hidden.
        let mut left = questions();
        left.retain(|question| question.key == "hard");
        let step = AnswerStep { questions: left };
        set_steps(story, &work, vec![ProtocolStep::Answer(step)]).await;
        assert_eq!(read(RatingScope::HandedIn).await.answers.len(), 9);
    })
    .await;
}

#[tokio::test]
async fn answers_that_do_not_fit_their_question_are_refused() {
    on_both(async |story| {
        let work = start_answering(story).await;
        let zero = Some(work.items[0]);
        let text = |text: &str| Some(QuestionAnswer::Text(text.to_owned()));
        let several = |keys: &[&str]| {
            let keys = keys.iter().map(|key| (*key).to_owned());
            Some(QuestionAnswer::Several(keys.collect()))
        };

        let refused = [
            (one(zero, "missing", "maybe"), "does not offer"),
            (answer(zero, "missing", text("yes")), "in another way"),
            (answer(zero, "missing", several(&["yes"])), "in another way"),
            (answer(zero, "what", text(&"x".repeat(21))), "at most 20"),
            (answer(zero, "what", text("a\0b")), "NUL"),
            (one(zero, "other", "yes"), "does not ask"),
            (one(zero, "a\0b", "yes"), "does not ask"),
            (one(zero, "hard", "yes"), "does not ask"),
            (one(None, "missing", "yes"), "does not ask"),
            (
                one(Some(OutputId(uuid::Uuid::from_u128(7))), "missing", "yes"),
                "not one of those",
            ),
        ];

        for (change, expect) in refused {
            let outcome = work.save(story, std::slice::from_ref(&change)).await;
            let SaveOutcome::Refused { reason, .. } = &outcome[0] else {
                panic!("{change:?} was not refused: {outcome:?}")
            };
            assert!(reason.contains(expect), "{reason}");
        }

        assert!(is_saved(
            &work.save(story, &[answer(zero, "missing", None)]).await[0]
        ));

        // A study that asks nothing takes no answers.
        set_steps(story, &work, vec![ProtocolStep::RankAndRate]).await;
        let outcome = work.save(story, &[one(zero, "missing", "yes")]).await;
        assert!(matches!(&outcome[0], SaveOutcome::Refused { .. }));
    })
    .await;
}
