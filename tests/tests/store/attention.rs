//! Attention items that a lead writes: who meets them, what they show, and what follows from failing them.

use domain::{
    comparison::ComparisonChoice,
    crowd::{CrowdEnd, FailedChecksConsequence, FailedChecksRule},
    edit::{Edit, EditKind},
    ids::{AssignmentId, OutputId, PersonId},
    protocol::{AnswerStep, CompareStep, MarkSpansStep, ProtocolStep, StudyProtocol},
    questions::{
        AnswerOption, AskedQuestion, QuestionAbout, QuestionAnswer, QuestionKind, QuestionOptions,
    },
    span::Span,
    span_marks::{
        SpanMark,
        taxonomy::{SpanTaxonomy, SpanType},
    },
    study::{QualificationRule, QualityControl, SourcePurpose, StudySettings},
    work::{
        attention::{AttentionProgress, AttentionSchedule},
        change::{AnnotationAnswer, AnnotationSlot},
        task::ExpectedAnswer,
    },
};
use store::{
    annotator_answers::HandInOutcome,
    assignments::{NextAssignment, UpcomingAssignment},
    rating_rows::{RatingScope, StudyPart},
};
use stories::{MINUTE, NOW, TestDatabase, on_both};

use crate::{
    crowd::{crowd_settings, join, make_link, rater},
    study_fixture::{
        StoreFixture, add_annotator, create_study_with, hand_in, new_change, save_changes,
    },
};

/// Adds attention items with one output each, for which this score is expected.
async fn add_items(story: &TestDatabase, ground: &mut StoreFixture, count: usize, score: i32) {
    let first = ground.outputs.len();
    let texts = vec![&["Choose the lowest score."][..]; count];
    ground
        .add_sources(story, SourcePurpose::Attention, &texts)
        .await;
    let expected = |outputs: &Vec<OutputId>| {
        let answer = ExpectedAnswer {
            rating: Some(score),
            ..ExpectedAnswer::default()
        };
        (outputs[0], Some(answer))
    };
    let answers: Vec<_> = ground.outputs[first..].iter().map(expected).collect();
    let set = story.store.set_expected(ground.study, &answers, NOW).await;
    assert_eq!(set.unwrap(), count as u64);
}

async fn purpose_of(story: &TestDatabase, assignment: AssignmentId) -> String {
    let sql = format!(
        "SELECT s.purpose FROM source s JOIN assignment x ON x.source_id = s.id
         WHERE x.id = '{assignment}'"
    );
    story.query_rows(&sql).await[0][0].clone()
}

fn with_attention(every: u32) -> StudySettings {
    StudySettings {
        overlap: 100,
        quality_control: QualityControl {
            attention_every: every,
            ..QualityControl::default()
        },
        ..StudySettings::default()
    }
}

async fn study_with(
    story: &TestDatabase,
    settings: &StudySettings,
    sources: usize,
) -> StoreFixture {
    let texts = vec![&["One of them is here."][..]; sources];
    create_study_with(story, settings, SourcePurpose::Main, &texts).await
}

/// Judges all sources that the person is given, with a score by the source's purpose, and returns the purposes in
/// order.
async fn judge_all(
    story: &TestDatabase,
    ground: &StoreFixture,
    person: PersonId,
    score: impl Fn(&str) -> i32,
) -> Vec<String> {
    let store = &story.store;
    let own = store.assignments_of(ground.study, person).await.unwrap();
    let mut purposes = vec![];
    loop {
        let minutes = own.len() + purposes.len();
        let now = NOW + i64::try_from(minutes).unwrap() * MINUTE;
        let next = ground.next_assignment(story, person, now).await;
        let NextAssignment::Assignment(assignment) = next else {
            return purposes;
        };
        let purpose = purpose_of(story, assignment).await;
        hand_in(story, person, assignment, |_| score(&purpose)).await;
        purposes.push(purpose);
    }
}

#[tokio::test]
async fn raters_meet_items_among_their_sources_and_are_told_nothing() {
    on_both(async |story| {
        let store = &story.store;
        let mut ground = study_with(story, &with_attention(3), 7).await;
        add_items(story, &mut ground, 3, 0).await;
        // Nothing is expected of this one, so nobody gets it.
        ground
            .add_sources(story, SourcePurpose::Attention, &[&["Nothing yet."]])
            .await;
        let study = ground.study;
        let person = add_annotator(story, study, "a rater").await;

        let mut met = vec![];
        let mut totals = vec![];
        for at in 0_u32.. {
            let now = NOW + i64::from(at) * MINUTE;
            let NextAssignment::Assignment(assignment) =
                ground.next_assignment(story, person, now).await
            else {
                break;
            };
            let purpose = purpose_of(story, assignment).await;
            let task = store.task(person, assignment).await.unwrap().unwrap();
            assert_eq!((task.purpose, task.number), (SourcePurpose::Main, at + 1));
            assert!(task.items.iter().all(|item| item.expected.is_none()));
            let upcoming = store.upcoming_work(study, person, now).await.unwrap();
            let upcoming = upcoming.unwrap();
            assert_eq!(
                upcoming.next,
                UpcomingAssignment::Open(assignment, SourcePurpose::Main)
            );
            assert_eq!(upcoming.main.done, at);
            totals.push(upcoming.main.done + upcoming.main.available);
            if purpose == "attention" {
                met.push(at - u32::try_from(met.len()).unwrap());
            }
            hand_in(story, person, assignment, |_| 50).await;
        }

        let rater = store.raters(study).await.unwrap()[0].id;
        let schedule = AttentionSchedule::for_rater(rater, 3).unwrap();
        let due = |done: &u32| {
            let before = |done| AttentionProgress {
                done,
                done_before_last: Some(done - 1),
            };
            schedule.is_due(before(*done))
        };
        let expected: Vec<u32> = (1..=7).filter(due).collect();
        assert_eq!(met, expected, "after that many sources of the study");
        assert!((2..=3).contains(&met.len()), "{met:?}");
        let all = 7 + u32::try_from(met.len()).unwrap();
        assert!(totals.iter().all(|total| *total == all), "{totals:?}");

        let own = store.assignments_of(study, person).await.unwrap();
        assert!(own.iter().all(|entry| entry.purpose == SourcePurpose::Main));
        assert_eq!(own.len(), all as usize);
        let times = store.finished_sources(study, person).await.unwrap();
        assert!(times.iter().all(|finished| finished.counts));
        let counts = store.study_counts(person).await.unwrap()[&study];
        assert_eq!((counts.mine_handed_in, counts.handed_in), (all, 7));
        assert_eq!(counts.sources, 7);
        let ratings = store.ratings(study, RatingScope::HandedIn).await.unwrap();
        assert_eq!(ratings.len(), 7, "attention items are in no figure");
        let to_leads = store.assignments(study).await.unwrap();
        let items = to_leads
            .iter()
            .filter(|entry| entry.purpose == SourcePurpose::Attention);
        assert_eq!(items.count(), met.len());
        let results = store.attention_results(study, StudyPart::Whole).await;
        let results = results.unwrap();
        assert_eq!(results.len(), met.len());
        assert!(
            results
                .iter()
                .all(|result| !result.passed && result.rater == rater)
        );
        let of_one = store
            .attention_results(study, StudyPart::Source(results[0].source))
            .await;
        assert_eq!(of_one.unwrap(), results[..1]);
    })
    .await;
}

#[tokio::test]
async fn without_the_setting_or_an_admission_nobody_gets_an_item() {
    on_both(async |story| {
        let mut settings = with_attention(0);
        let mut ground = study_with(story, &settings, 4).await;
        add_items(story, &mut ground, 2, 0).await;
        let person = add_annotator(story, ground.study, "a").await;
        assert_eq!(judge_all(story, &ground, person, |_| 50).await, ["main"; 4]);

        // Missed items are not made up for: there is one item now that they are given out, and none without other
        // sources.
        settings.quality_control.attention_every = 1;
        story
            .store
            .set_settings(ground.study, &settings, NOW)
            .await
            .unwrap();
        let late = judge_all(story, &ground, person, |_| 50).await;
        assert_eq!(late, ["attention"]);

        settings.qualification = QualificationRule::Lead;
        story
            .store
            .set_settings(ground.study, &settings, NOW)
            .await
            .unwrap();
        let other = add_annotator(story, ground.study, "b").await;
        let next = ground.next_assignment(story, other, NOW).await;
        assert_eq!(next, NextAssignment::AwaitsAdmission);
    })
    .await;
}

#[tokio::test]
async fn an_item_that_another_rater_left_open_comes_only_when_it_is_due() {
    on_both(async |story| {
        let mut ground = study_with(story, &with_attention(1), 4).await;
        add_items(story, &mut ground, 1, 0).await;
        let one = add_annotator(story, ground.study, "one").await;
        let assignment = ground.expect_assignment(story, one, NOW).await;
        hand_in(story, one, assignment, |_| 50).await;
        let left = ground.expect_assignment(story, one, NOW + MINUTE).await;
        assert_eq!(purpose_of(story, left).await, "attention");

        // The lease of the other one has run out long ago.
        let later = NOW + 100 * 24 * 60 * MINUTE;
        let two = add_annotator(story, ground.study, "two").await;
        let first = ground.expect_assignment(story, two, later).await;
        assert_eq!(purpose_of(story, first).await, "main");
        hand_in(story, two, first, |_| 50).await;
        let second = ground.expect_assignment(story, two, later + MINUTE).await;
        assert_eq!(purpose_of(story, second).await, "attention");

        let resumed = ground.expect_assignment(story, one, later).await;
        assert_eq!(resumed, left, "theirs still");
    })
    .await;
}

/// A study that is open to crowd raters, who get an item after each source and whose work ends with the second failed
/// item.
async fn crowd_study(
    story: &TestDatabase,
    consequence: FailedChecksConsequence,
    sources_each: u32,
) -> StoreFixture {
    let mut settings = crowd_settings("");
    settings.quality_control.attention_every = 1;
    settings.crowd.sources_each = sources_each;
    settings.crowd.failed_checks = FailedChecksRule {
        from: 2,
        consequence,
    };
    let mut ground = study_with(story, &settings, 9).await;
    make_link(&story.store, ground.study, 10_000).await;
    add_items(story, &mut ground, 4, 0).await;
    ground
}

#[tokio::test]
async fn a_crowd_rater_who_fails_two_items_is_excluded_and_one_who_passes_is_not() {
    on_both(async |story| {
        let store = &story.store;
        let ground = crowd_study(story, FailedChecksConsequence::Exclude, 6).await;
        let careless = join(store, "one", Some("1"), &[], NOW).await.unwrap();
        let careful = join(store, "two", Some("2"), &[], NOW).await.unwrap();

        // Items count among the six sources that each of them gets.
        let lowest = |purpose: &str| if purpose == "attention" { 10 } else { 70 };
        let done = judge_all(story, &ground, careful.person, lowest).await;
        assert_eq!(
            done,
            [
                "main",
                "attention",
                "main",
                "attention",
                "main",
                "attention"
            ]
        );
        assert_eq!(rater(store, careful).await.end, None);
        assert_eq!(rater(store, careful).await.done, 6);

        for at in 0..4 {
            assert_eq!(rater(store, careless).await.end, None, "{at}");
            let now = NOW + at * MINUTE;
            let assignment = ground.expect_assignment(story, careless.person, now).await;
            hand_in(story, careless.person, assignment, |_| 70).await;
        }
        let failed = rater(store, careless).await;
        assert_eq!(failed.end, Some(CrowdEnd::FailedChecks));
        assert_eq!(failed.reason, "2 of 2 attention items failed");
        let ratings = store.ratings(ground.study, RatingScope::HandedIn).await;
        assert_eq!(ratings.unwrap().len(), 3, "those of the careful one");

        // The shares of those who passed an item include the one who was excluded by them.
        let results = store
            .attention_results(ground.study, StudyPart::Whole)
            .await
            .unwrap();
        let passed = results.iter().filter(|result| result.passed).count();
        assert_eq!((passed, results.len()), (3, 5));

        // The lead lets the rater continue: what was failed before does not count again.
        let included = store
            .include_crowd_rater(ground.study, failed.id, NOW + 1)
            .await;
        assert!(included.unwrap());
        let assignment = ground
            .expect_assignment(story, careless.person, NOW + 9 * MINUTE)
            .await;
        hand_in(story, careless.person, assignment, |_| 70).await;
        assert_eq!(rater(store, careless).await.end, None);
    })
    .await;
}

#[tokio::test]
async fn a_crowd_rater_who_fails_two_items_is_paused_where_the_rule_says_so() {
    on_both(async |story| {
        let store = &story.store;
        let ground = crowd_study(story, FailedChecksConsequence::Pause, 0).await;
        let place = join(store, "one", Some("1"), &[], NOW).await.unwrap();
        let done = judge_all(story, &ground, place.person, |_| 70).await;
        assert_eq!(done, ["main", "attention", "main", "attention"]);
        let paused = rater(store, place).await;
        assert_eq!(paused.end, Some(CrowdEnd::Paused));
        assert_eq!(paused.reason, "2 of 2 attention items failed");
    })
    .await;
}

#[tokio::test]
async fn the_choices_of_a_study_that_compares_are_checked() {
    on_both(async |story| {
        let store = &story.store;
        let mut settings = with_attention(1);
        settings.protocol = StudyProtocol::new(vec![ProtocolStep::Compare(CompareStep {
            together: 2,
            allows_ties: false,
            times: None,
            is_adaptive: false,
            hides_source: false,
            shows_reference: false,
        })])
        .unwrap();

        let texts: &[&[&str]] = &[&["A good one.", "A bad one."]];
        let mut ground = create_study_with(story, &settings, SourcePurpose::Main, texts).await;
        ground
            .add_sources(story, SourcePurpose::Attention, texts)
            .await;
        let expected = |output, rating| {
            let answer = ExpectedAnswer {
                rating: Some(rating),
                ..ExpectedAnswer::default()
            };
            (output, Some(answer))
        };

        let item = ground.outputs[1].clone();
        let answers = [expected(item[0], 100), expected(item[1], 0)];
        store
            .set_expected(ground.study, &answers, NOW)
            .await
            .unwrap();

        for (name, better, passes) in [("a", item[0], true), ("b", item[1], false)] {
            let person = add_annotator(story, ground.study, name).await;
            for at in 0..2 {
                let now = NOW + at * MINUTE;
                let assignment = ground.expect_assignment(story, person, now).await;
                let task = store.task(person, assignment).await.unwrap().unwrap();
                let shown = &task.comparisons[0];
                let choice = if shown.contains(&better) {
                    better
                } else {
                    shown[0]
                };
                let choice = ComparisonChoice::Better(choice);
                let change = new_change(
                    AnnotationSlot::comparison(shown, "overall"),
                    AnnotationAnswer::Comparison(Some(choice)),
                );
                save_changes(story, person, assignment, &[change]).await;
                let handed_in = store.hand_in(person, assignment, now).await.unwrap();
                assert_eq!(handed_in, Some(HandInOutcome::Done));
            }

            let results = store
                .attention_results(ground.study, StudyPart::Whole)
                .await
                .unwrap();
            assert_eq!(results.last().map(|result| result.passed), Some(passes));
        }
    })
    .await;
}

/// A protocol that asks one question about each output and has its words marked; it asks for no score.
fn questions_and_marks() -> StudyProtocol {
    let option = |key: &str| AnswerOption {
        key: key.to_owned(),
        label: key.to_owned(),
    };
    let question = AskedQuestion {
        key: "missing".to_owned(),
        text: "Is anything missing?".to_owned(),
        hint: String::new(),
        about: QuestionAbout::Output,
        kind: QuestionKind::One(vec![option("yes"), option("no")]),
        required: true,
        condition: None,
    };
    let marks = MarkSpansStep {
        taxonomy: SpanTaxonomy {
            types: vec![SpanType {
                name: "Grammar".to_owned(),
                ..SpanType::default()
            }],
            ..SpanTaxonomy::default()
        },
        prefills: false,
    };
    StudyProtocol::new(vec![
        ProtocolStep::MarkSpans(marks),
        ProtocolStep::Answer(AnswerStep {
            questions: vec![question],
        }),
    ])
    .unwrap()
}

fn grammar(start: usize, end: usize) -> SpanMark {
    SpanMark {
        kind: "Grammar".to_owned(),
        output: vec![Span::new(start, end)],
        ..SpanMark::default()
    }
}

/// Answers each output of the person's next sources, marks its words, and submits it.
async fn answer_and_mark(
    story: &TestDatabase,
    ground: &StoreFixture,
    person: PersonId,
    sources: usize,
    (option, marks): (&str, &[SpanMark]),
) {
    for _ in 0..sources {
        let assignment = ground.expect_assignment(story, person, NOW).await;
        let task = story.store.task(person, assignment).await.unwrap().unwrap();
        for item in &task.items {
            let slot = AnnotationSlot::Question {
                output: Some(item.output),
                key: "missing".to_owned(),
            };
            let answer = QuestionAnswer::One(option.to_owned());
            let changes = [
                new_change(slot, AnnotationAnswer::Question(Some(answer))),
                new_change(
                    AnnotationSlot::Marks {
                        output: item.output,
                    },
                    AnnotationAnswer::Marks(Some(marks.to_vec())),
                ),
            ];
            save_changes(story, person, assignment, &changes).await;
        }

        let handed_in = story.store.hand_in(person, assignment, NOW).await.unwrap();
        assert_eq!(handed_in, Some(HandInOutcome::Done));
    }
}

/// The expectation that something is missing, and that the first four characters are marked.
fn expected_answers() -> ExpectedAnswer {
    ExpectedAnswer {
        choices: vec![QuestionOptions {
            question: "missing".to_owned(),
            options: vec!["yes".to_owned()],
        }],
        marks: Some(vec![grammar(0, 4)]),
        ..ExpectedAnswer::default()
    }
}

#[tokio::test]
async fn answers_and_marks_of_a_study_without_scores_are_checked() {
    on_both(async |story| {
        let mut settings = with_attention(1);
        settings.protocol = questions_and_marks();
        let texts: &[&[&str]] = &[&["They goes."]];
        let mut ground = create_study_with(story, &settings, SourcePurpose::Main, texts).await;
        ground
            .add_sources(story, SourcePurpose::Attention, texts)
            .await;
        let answers = [(ground.outputs[1][0], Some(expected_answers()))];
        let set = story.store.set_expected(ground.study, &answers, NOW).await;
        assert_eq!(set.unwrap(), 1);

        for (name, given, passes) in [
            ("a", ("yes", &[grammar(2, 9)][..]), true),
            ("b", ("no", &[grammar(0, 4)]), false),
            ("c", ("yes", &[grammar(5, 9)]), false),
        ] {
            let person = add_annotator(story, ground.study, name).await;
            answer_and_mark(story, &ground, person, 2, given).await;
            let results = story
                .store
                .attention_results(ground.study, StudyPart::Whole)
                .await
                .unwrap();
            assert_eq!(results.last().map(|result| result.passed), Some(passes));
        }
    })
    .await;
}

#[tokio::test]
async fn corrected_edits_of_an_item_are_checked() {
    on_both(async |story| {
        let texts: &[&[&str]] = &[&["The source."]];
        let settings = with_attention(1);
        let mut ground = create_study_with(story, &settings, SourcePurpose::Main, texts).await;
        ground
            .add_sources(story, SourcePurpose::Attention, texts)
            .await;

        // “number”, which the computer did not find.
        let left_out = Span::new(11, 17);
        let deletion = |source: Span| Edit {
            kind: EditKind::Deletion,
            source: vec![source],
            output: vec![Span::new(10, 10)],
            confidence: None,
        };
        let expected = ExpectedAnswer {
            marks: Some(vec![SpanMark {
                kind: EditKind::Deletion.title().to_owned(),
                source: vec![left_out],
                ..SpanMark::default()
            }]),
            ..ExpectedAnswer::default()
        };

        let answers = [(ground.outputs[1][0], Some(expected))];
        let set = story.store.set_expected(ground.study, &answers, NOW).await;
        assert_eq!(set.unwrap(), 1);
        for (name, edits, passes) in [
            ("a", Some(vec![deletion(left_out)]), true),
            ("b", Some(vec![deletion(Span::new(0, 3))]), false),
            ("c", None, false),
        ] {
            let person = add_annotator(story, ground.study, name).await;
            for _ in 0..2 {
                let assignment = ground.expect_assignment(story, person, NOW).await;
                let task = story.store.task(person, assignment).await.unwrap().unwrap();
                let slot = AnnotationSlot::Edits {
                    output: task.items[0].output,
                };
                let answer = AnnotationAnswer::Edits(edits.clone());
                if edits.is_some() {
                    save_changes(story, person, assignment, &[new_change(slot, answer)]).await;
                }
                hand_in(story, person, assignment, |_| 50).await;
            }

            let results = story
                .store
                .attention_results(ground.study, StudyPart::Whole)
                .await
                .unwrap();
            let last = results.last().map(|result| result.passed);
            assert_eq!(last, Some(passes), "{name}");
        }
    })
    .await;
}

#[tokio::test]
async fn answers_and_marks_admit_annotators_where_enough_are_as_expected() {
    on_both(async |story| {
        let settings = StudySettings {
            protocol: questions_and_marks(),
            qualification: QualificationRule::Answers {
                tolerance: 0.0,
                categories: 0.75,
            },
            ..StudySettings::default()
        };

        let texts: &[&[&str]] = &[&["They goes."]];
        let mut ground = create_study_with(story, &settings, SourcePurpose::Main, texts).await;
        ground
            .add_sources(story, SourcePurpose::Qualification, texts)
            .await;

        let answers = [(ground.outputs[1][0], Some(expected_answers()))];
        let set = story.store.set_expected(ground.study, &answers, NOW).await;
        assert_eq!(set.unwrap(), 1);

        for (name, given, others, admitted) in [
            ("a", ("yes", &[grammar(0, 9)][..]), 1.0, true),
            ("b", ("yes", &[]), 0.5, false),
        ] {
            let person = add_annotator(story, ground.study, name).await;
            answer_and_mark(story, &ground, person, 1, given).await;
            let status = story.store.qualification_status(ground.study, person).await;
            assert_eq!(status.unwrap().nearness.others, Some(others));
            let is_admitted = crate::qualification::is_admitted(story, ground.study, person).await;
            assert_eq!(is_admitted, admitted, "{name}");
        }
    })
    .await;
}
