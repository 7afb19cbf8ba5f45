//! Raters who submitted the same source agree on one judgement.

use domain::{
    consensus::OpenQuestion,
    edit::{Edit, EditKind},
    ids::{AssignmentId, DiscussionId, OutputId, PersonId, RaterId, SourceId, StudyId},
    protocol::{AnswerStep, MarkSpansStep, ProtocolStep, RateStep, StudyProtocol},
    questions::{AnswerOption, AskedQuestion, QuestionAbout, QuestionAnswer, QuestionKind},
    score::RatingScale,
    span::Span,
    span_marks::{
        SpanMark,
        taxonomy::{MarkLevel, SpanTaxonomy, SpanType},
    },
    study::{SourcePurpose, StudySettings},
    work::{
        change::{AnnotationAnswer, AnnotationSlot},
        unjudged::UnjudgedReason,
    },
};
use service::live::LiveStudies;
use store::{
    Error,
    annotator_answers::HandInOutcome,
    consensus::{ConsensusChange, ConsensusPerson, ConsensusState},
    discussions::{NewDiscussion, QuestionScope},
    rating_rows::RatingScope,
};
use stories::{MINUTE, NOW, TestDatabase, fresh_id, on_both};

use crate::study_fixture::{
    StoreFixture, add_annotator, create_study_with, new_change, rating_change, save_changes,
};

/// One source with three outputs, two of them alike.
const TEXTS: &[&[&str]] = &[&["Zero is.", "Same.", "Same."]];

/// A study in which two annotators submitted the same source.
struct TwoRaters {
    ground: StoreFixture,
    source: SourceId,
    people: [PersonId; 2],
    assignments: [AssignmentId; 2],
}

fn settings() -> StudySettings {
    let taxonomy = SpanTaxonomy {
        types: vec![SpanType {
            name: "Addition".to_owned(),
            ..SpanType::default()
        }],
        levels: ["right", "wrong"]
            .map(|name| MarkLevel {
                name: name.to_owned(),
                ..MarkLevel::default()
            })
            .to_vec(),
        rules: vec![],
    };
    let steps = vec![
        ProtocolStep::MarkSpans(MarkSpansStep {
            taxonomy,
            prefills: false,
        }),
        ProtocolStep::Rate(RateStep::default()),
    ];
    StudySettings {
        protocol: StudyProtocol::new(steps).unwrap(),
        annotators_agree: true,
        ..StudySettings::default()
    }
}

fn addition(end: usize, level: &str) -> SpanMark {
    SpanMark {
        kind: "Addition".to_owned(),
        level: Some(level.to_owned()),
        source: vec![],
        output: vec![Span::new(0, end)],
    }
}

fn rating(output: OutputId, score: i32) -> ConsensusChange {
    let change = rating_change(output, score);
    ConsensusChange {
        slot: change.slot,
        answer: change.answer,
        left_out: vec![],
    }
}

fn marks(output: OutputId, kept: Vec<SpanMark>, left_out: Vec<SpanMark>) -> ConsensusChange {
    ConsensusChange {
        slot: AnnotationSlot::Marks { output },
        answer: AnnotationAnswer::Marks(Some(kept)),
        left_out,
    }
}

impl TwoRaters {
    async fn start(story: &TestDatabase) -> Self {
        Self::start_with(story, &settings()).await
    }

    async fn start_with(story: &TestDatabase, settings: &StudySettings) -> Self {
        let ground = create_study_with(story, settings, SourcePurpose::Main, TEXTS).await;
        let mut people = vec![];
        let mut assignments = vec![];
        for name in ["one", "two"] {
            let person = add_annotator(story, ground.study, name).await;
            assignments.push(ground.expect_assignment(story, person, NOW).await);
            people.push(person);
        }
        Self {
            source: ground.sources[0],
            ground,
            people: people.try_into().unwrap(),
            assignments: assignments.try_into().unwrap(),
        }
    }

    /// Gives the outputs the rater's scores and the first its marks, and submits.
    async fn submit(
        &self,
        story: &TestDatabase,
        rater: usize,
        scores: [i32; 2],
        marked: Vec<SpanMark>,
    ) {
        let [zero, same] = self.outputs();
        let marks = |output, marks| {
            new_change(
                AnnotationSlot::Marks { output },
                AnnotationAnswer::Marks(Some(marks)),
            )
        };

        let changes = [
            rating_change(zero, scores[0]),
            rating_change(same, scores[1]),
            marks(zero, marked),
            marks(same, vec![]),
        ];

        let (person, assignment) = (self.people[rater], self.assignments[rater]);
        save_changes(story, person, assignment, &changes).await;
        let outcome = story.store.hand_in(person, assignment, NOW).await.unwrap();
        assert_eq!(outcome, Some(HandInOutcome::Done));
    }

    fn outputs(&self) -> [OutputId; 2] {
        [self.ground.outputs[0][0], self.ground.outputs[0][1]]
    }

    fn study(&self) -> StudyId {
        self.ground.study
    }

    async fn begin(&self, story: &TestDatabase, person: ConsensusPerson) -> Option<()> {
        let (study, source) = (self.study(), self.source);
        let begun = story
            .store
            .begin_consensus(study, source, person, fresh_id, NOW + MINUTE);
        begun.await.unwrap()
    }

    async fn decide(
        &self,
        story: &TestDatabase,
        person: ConsensusPerson,
        changes: &[ConsensusChange],
    ) -> Result<Option<()>, Error> {
        let (study, source) = (self.study(), self.source);
        story
            .store
            .decide_consensus(study, source, person, changes, fresh_id, NOW + MINUTE)
            .await
    }

    async fn finish(&self, story: &TestDatabase) -> Option<Vec<OpenQuestion>> {
        let (study, source) = (self.study(), self.source);
        let person = ConsensusPerson::Annotator(self.people[0]);
        let finished = story
            .store
            .finish_consensus(study, source, person, NOW + 2 * MINUTE);
        finished.await.unwrap()
    }

    /// The state of each source in the list that is kept in memory, which must equal that of the database.
    async fn listed(&self, story: &TestDatabase, live: &LiveStudies) -> Vec<ConsensusState> {
        let (store, study) = (&story.store, self.study());
        let kept = live.consensus_list(store, study).await.unwrap();
        assert_eq!(*kept, store.consensus_list(study).await.unwrap());
        kept.iter().map(|entry| entry.state).collect()
    }

    async fn values(&self, story: &TestDatabase, scope: RatingScope) -> Vec<(RaterId, f64)> {
        let rows = story.store.ratings(self.study(), scope).await.unwrap();
        rows.into_iter().map(|row| (row.rater, row.value)).collect()
    }
}

fn refusal<T: std::fmt::Debug>(result: Result<T, Error>) -> String {
    match result {
        Err(Error::Refused(reason)) => reason,
        other => panic!("refused, not {other:?}"),
    }
}

#[tokio::test]
async fn two_raters_agree_and_both_of_their_judgements_stay() {
    on_both(async |story| {
        let of = TwoRaters::start(story).await;
        let (store, study) = (&story.store, of.study());
        let [zero, same] = of.outputs();
        let [one, two] = of.people.map(ConsensusPerson::Annotator);
        of.submit(
            story,
            0,
            [70, 20],
            vec![addition(4, "right"), addition(8, "wrong")],
        )
        .await;
        assert_eq!(
            store.consensus_list(study).await.unwrap(),
            [],
            "one rater alone"
        );
        assert_eq!(of.begin(story, one).await, None);
        of.submit(story, 1, [50, 20], vec![addition(4, "wrong")])
            .await;

        let listed = store.consensus_list(study).await.unwrap();
        assert_eq!(listed.len(), 1);
        assert_eq!(listed[0].state, ConsensusState::NotBegun);
        let labels: Vec<_> = listed[0]
            .raters
            .iter()
            .map(|rater| &rater.label[..])
            .collect();
        assert_eq!(labels, ["annotator 1", "annotator 2"]);
        for person in of.people {
            let own = store.own_consensus_list(study, person).await.unwrap();
            assert_eq!(own, listed);
        }
        let nothing = of.decide(story, one, &[]).await;
        assert!(refusal(nothing).starts_with("Nobody has begun"));

        let stranger = add_annotator(story, study, "three").await;
        assert_eq!(store.own_consensus_list(study, stranger).await.unwrap(), []);
        let stranger = ConsensusPerson::Annotator(stranger);
        assert_eq!(
            of.begin(story, stranger).await,
            None,
            "who did not submit it"
        );
        assert_eq!(of.begin(story, one).await, Some(()));
        assert_eq!(of.begin(story, two).await, Some(()), "it is begun");
        let reopened = store
            .reopen(of.people[1], of.assignments[1], NOW + MINUTE)
            .await;
        assert!(refusal(reopened).contains("stay as they are"));

        let question = NewDiscussion {
            id: DiscussionId(fresh_id()),
            output: zero,
            scope: QuestionScope::Output,
            note: "Sure?",
            asked_by: of.people[0],
        };
        let asked = store.discuss(study, question, NOW + MINUTE).await;
        assert!(refusal(asked).contains("stay as they are"));

        let open = vec![
            OpenQuestion::Answer(rating(zero, 0).slot),
            OpenQuestion::Marks(zero, 2),
        ];
        assert_eq!(of.finish(story).await, Some(open));
        let decisions = [
            rating(zero, 60),
            marks(zero, vec![addition(4, "wrong")], vec![addition(8, "wrong")]),
        ];
        assert_eq!(of.decide(story, two, &decisions).await.unwrap(), Some(()));
        assert_eq!(
            of.values(story, RatingScope::Consensus).await,
            [],
            "it is open"
        );
        let events = store.newest_event(study).await.unwrap();
        assert_eq!(of.decide(story, one, &decisions).await.unwrap(), Some(()));
        assert_eq!(
            store.newest_event(study).await.unwrap(),
            events,
            "nothing changed"
        );
        assert_eq!(of.finish(story).await, Some(vec![]));

        let consensus = RaterId(study.0);
        let expect = [60.0, 20.0, 20.0].map(|value| (consensus, value));
        assert_eq!(of.values(story, RatingScope::Consensus).await, expect);
        let raters = store
            .scope_raters(study, RatingScope::Consensus)
            .await
            .unwrap();
        assert_eq!((raters.len(), &raters[0].label[..]), (1, "consensus"));
        let originals = of.values(story, RatingScope::HandedIn).await;
        let mut originals: Vec<_> = originals.iter().map(|(_, value)| *value).collect();
        originals.sort_by(f64::total_cmp);
        assert_eq!(originals, [20.0, 20.0, 20.0, 20.0, 50.0, 70.0]);
        let agreed = store
            .study_marks(study, RatingScope::Consensus)
            .await
            .unwrap();
        let agreed: Vec<_> = agreed
            .judgements
            .iter()
            .map(|record| (&record.rater[..], record.output, record.marks.clone()))
            .collect();
        assert!(
            agreed.contains(&("consensus", zero, vec![addition(4, "wrong")])),
            "{agreed:?}"
        );
        assert!(agreed.contains(&("consensus", same, vec![])), "{agreed:?}");

        let late = of.decide(story, one, &[rating(zero, 1)]).await;
        assert!(refusal(late).contains("is finished"));
        let reopened = store
            .reopen_consensus(study, of.source, two, NOW)
            .await
            .unwrap();
        assert_eq!(reopened, Some(()));
        assert_eq!(of.values(story, RatingScope::Consensus).await, []);
        assert_eq!(
            of.decide(story, one, &[rating(zero, 1)]).await.unwrap(),
            Some(())
        );
        assert_eq!(of.finish(story).await, Some(vec![]));
        assert_eq!(of.values(story, RatingScope::Consensus).await[0].1, 1.0);
    })
    .await;
}

#[tokio::test]
async fn the_list_in_memory_follows_every_change() {
    on_both(async |story| {
        let of = TwoRaters::start(story).await;
        let (store, study) = (&story.store, of.study());
        let live = LiveStudies::new(|| NOW);
        let one = ConsensusPerson::Annotator(of.people[0]);

        of.submit(story, 0, [70, 20], vec![]).await;
        assert_eq!(of.listed(story, &live).await, []);
        of.submit(story, 1, [50, 20], vec![]).await;
        assert_eq!(of.listed(story, &live).await, [ConsensusState::NotBegun]);
        let taken_back = store.reopen(of.people[1], of.assignments[1], NOW).await;
        assert!(taken_back.unwrap().is_some());
        assert_eq!(of.listed(story, &live).await, []);
        let outcome = store.hand_in(of.people[1], of.assignments[1], NOW).await;
        assert_eq!(outcome.unwrap(), Some(HandInOutcome::Done));
        assert_eq!(of.listed(story, &live).await, [ConsensusState::NotBegun]);

        of.begin(story, one).await;
        assert_eq!(of.listed(story, &live).await, [ConsensusState::Open]);

        let decision = rating(of.outputs()[0], 60);
        of.decide(story, one, &[decision]).await.unwrap();
        assert_eq!(of.finish(story).await, Some(vec![]));
        let agreed = of.listed(story, &live).await;
        assert!(
            matches!(agreed[..], [ConsensusState::Agreed(_)]),
            "{agreed:?}"
        );

        let reopened = store.reopen_consensus(study, of.source, one, NOW).await;
        assert_eq!(reopened.unwrap(), Some(()));
        assert_eq!(of.listed(story, &live).await, [ConsensusState::Open]);
        assert!(store.withdraw(study, of.people[1], NOW).await.unwrap());
        of.listed(story, &live).await;
    })
    .await;
}

#[tokio::test]
async fn decisions_that_fit_no_question_are_refused_and_change_nothing() {
    on_both(async |story| {
        let of = TwoRaters::start(story).await;
        let [zero, _] = of.outputs();
        of.submit(story, 0, [70, 20], vec![addition(4, "right")])
            .await;
        of.submit(story, 1, [50, 20], vec![addition(4, "wrong")])
            .await;
        let lead = ConsensusPerson::Lead(story.add_person("Lea").await);
        assert_eq!(of.begin(story, lead).await, Some(()));
        let before = story
            .store
            .source_consensus(of.study(), of.source)
            .await
            .unwrap();

        let score = |score| {
            RatingScale {
                low: -500,
                high: 500,
            }
            .score(score)
            .ok()
        };
        let rated = |output, score| ConsensusChange {
            answer: AnnotationAnswer::Rating(score),
            ..rating(output, 0)
        };
        let added = addition(3, "right");
        let unknown = SpanMark {
            kind: "Omission".to_owned(),
            ..added.clone()
        };
        let other = OutputId(fresh_id());

        for (changes, words) in [
            (
                vec![rating(zero, 60), rated(zero, score(101))],
                "outside the scale",
            ),
            (
                vec![rating(zero, 60), rating(other, 5)],
                "gave no such answer",
            ),
            (
                vec![marks(zero, vec![unknown], vec![])],
                "gave no such answer",
            ),
            (
                vec![marks(zero, vec![], vec![added])],
                "gave no such answer",
            ),
            (
                vec![ConsensusChange {
                    answer: AnnotationAnswer::Note("?".into()),
                    ..rating(zero, 0)
                }],
                "not of the kind",
            ),
        ] {
            let reason = refusal(of.decide(story, lead, &changes).await);
            assert!(reason.contains(words), "{reason}");
        }

        let after = story
            .store
            .source_consensus(of.study(), of.source)
            .await
            .unwrap();
        assert_eq!(after, before);
    })
    .await;
}

#[tokio::test]
async fn a_mark_that_no_rater_made_is_added_needs_a_level_and_can_be_left_out_again() {
    on_both(async |story| {
        let of = TwoRaters::start(story).await;
        let [zero, _] = of.outputs();
        of.submit(story, 0, [70, 20], vec![]).await;
        of.submit(story, 1, [70, 20], vec![]).await;
        let lead = ConsensusPerson::Lead(story.add_person("Lea").await);
        assert_eq!(of.begin(story, lead).await, Some(()));
        assert_eq!(of.finish(story).await, Some(vec![]));
        let reopen = story
            .store
            .reopen_consensus(of.study(), of.source, lead, NOW);
        assert_eq!(reopen.await.unwrap(), Some(()));

        let added = SpanMark {
            level: None,
            ..addition(3, "right")
        };
        let decide = async |kept: Vec<SpanMark>, left_out: Vec<SpanMark>| {
            let change = marks(zero, kept, left_out);
            of.decide(story, lead, &[change]).await.unwrap();
            of.finish(story).await
        };

        let open = Some(vec![OpenQuestion::Marks(zero, 1)]);
        assert_eq!(decide(vec![added.clone()], vec![]).await, open);
        assert_eq!(decide(vec![], vec![added.clone()]).await, Some(vec![]));
        let reopen = story
            .store
            .reopen_consensus(of.study(), of.source, lead, NOW);
        assert_eq!(reopen.await.unwrap(), Some(()));
        let whole = addition(3, "right");
        assert_eq!(decide(vec![whole.clone()], vec![]).await, Some(vec![]));
        let records = story
            .store
            .study_marks(of.study(), RatingScope::Consensus)
            .await
            .unwrap();
        let kept: Vec<_> = records
            .judgements
            .iter()
            .flat_map(|record| &record.marks)
            .collect();
        assert_eq!(kept, [&whole]);
    })
    .await;
}

#[tokio::test]
async fn only_leads_agree_where_the_study_says_so_and_nobody_once_it_is_archived() {
    on_both(async |story| {
        let of = TwoRaters::start(story).await;
        let (store, study) = (&story.store, of.study());
        of.submit(story, 0, [70, 20], vec![]).await;
        of.submit(story, 1, [70, 20], vec![]).await;

        let leads_only = StudySettings {
            annotators_agree: false,
            ..settings()
        };
        assert!(store.set_settings(study, &leads_only, NOW).await.unwrap());

        let annotator = ConsensusPerson::Annotator(of.people[0]);
        assert_eq!(of.begin(story, annotator).await, None);
        let lead = ConsensusPerson::Lead(story.add_person("Lea").await);
        assert_eq!(of.begin(story, lead).await, Some(()));
        let finished = store
            .finish_consensus(study, of.source, lead, NOW + MINUTE)
            .await;
        assert_eq!(finished.unwrap(), Some(vec![]), "both said the same");

        assert!(store.close_study(study, NOW).await.unwrap());
        assert!(store.archive_study(study, NOW).await.unwrap());
        let archived = store.reopen_consensus(study, of.source, lead, NOW).await;
        assert!(refusal(archived).contains("archived"));
        let counted = of.values(story, RatingScope::Consensus).await;
        assert_eq!(counted.len(), 3);
    })
    .await;
}

#[tokio::test]
async fn an_output_of_a_consensus_has_either_scores_or_a_reason() {
    on_both(async |story| {
        let of = TwoRaters::start(story).await;
        let [zero, _] = of.outputs();
        of.submit(story, 0, [70, 20], vec![]).await;
        // The other rater cannot judge the first output.
        let (person, assignment) = (of.people[1], of.assignments[1]);
        let slot = AnnotationSlot::Unjudged { output: zero };
        let reason = AnnotationAnswer::Unjudged(Some(UnjudgedReason::Unclear));
        let marks = AnnotationAnswer::Marks(Some(vec![]));
        let [_, same] = of.outputs();
        let changes = [
            new_change(slot.clone(), reason.clone()),
            rating_change(same, 20),
            new_change(AnnotationSlot::Marks { output: zero }, marks.clone()),
            new_change(AnnotationSlot::Marks { output: same }, marks),
        ];
        save_changes(story, person, assignment, &changes).await;
        let outcome = story.store.hand_in(person, assignment, NOW).await.unwrap();
        assert_eq!(outcome, Some(HandInOutcome::Done));

        let one = ConsensusPerson::Annotator(of.people[0]);
        assert_eq!(of.begin(story, one).await, Some(()));
        let unjudged = |answer| ConsensusChange {
            slot: slot.clone(),
            answer,
            left_out: vec![],
        };
        let judged = [unjudged(slot.unanswered()), rating(zero, 60)];
        assert_eq!(of.decide(story, one, &judged).await.unwrap(), Some(()));
        let both = [unjudged(reason.clone()), rating(zero, 50)];
        assert!(refusal(of.decide(story, one, &both).await).contains("has no score"));
        let cannot = [unjudged(reason)];
        assert_eq!(of.decide(story, one, &cannot).await.unwrap(), Some(()));
        let late = refusal(of.decide(story, one, &[rating(zero, 50)]).await);
        assert!(late.contains("has no score"));
        assert_eq!(of.finish(story).await, Some(vec![]));
        let values = of.values(story, RatingScope::Consensus).await;
        let values: Vec<_> = values.into_iter().map(|(_, value)| value).collect();
        assert_eq!(
            values,
            [20.0, 20.0],
            "of the other output and its copy alone"
        );
    })
    .await;
}

/// The settings of a study with one question about each output by an option, and an optional one in words.
fn asking() -> StudySettings {
    let option = |key: &str| AnswerOption {
        key: key.to_owned(),
        label: key.to_owned(),
    };
    let asked = |key: &str, kind, required| AskedQuestion {
        key: key.to_owned(),
        text: format!("{key}?"),
        hint: String::new(),
        about: QuestionAbout::Output,
        kind,
        required,
        condition: None,
    };
    let yes_no = QuestionKind::One(vec![option("yes"), option("no")]);
    let questions = vec![
        asked("missing", yes_no, true),
        asked("what", QuestionKind::Text(40), false),
    ];
    StudySettings {
        protocol: StudyProtocol::new(vec![ProtocolStep::Answer(AnswerStep { questions })]).unwrap(),
        annotators_agree: true,
        ..StudySettings::default()
    }
}

fn answer_slot(output: OutputId, key: &str) -> AnnotationSlot {
    AnnotationSlot::Question {
        output: Some(output),
        key: key.to_owned(),
    }
}

#[tokio::test]
async fn raters_agree_on_edits_one_by_one() {
    on_both(async |story| {
        let checking = StudySettings {
            protocol: StudyProtocol::new(vec![ProtocolStep::CheckEdits, ProtocolStep::RankAndRate])
                .unwrap(),
            annotators_agree: true,
            ..StudySettings::default()
        };
        let of = TwoRaters::start_with(story, &checking).await;
        let [zero, same] = of.outputs();
        let slot = AnnotationSlot::Edits { output: zero };
        let paraphrase = |end| Edit {
            kind: EditKind::Paraphrase,
            source: vec![],
            output: vec![Span::new(0, end)],
            confidence: None,
        };
        let edits = |edits| AnnotationAnswer::Edits(Some(edits));

        for (rater, own) in [paraphrase(4), paraphrase(7)].into_iter().enumerate() {
            let (person, assignment) = (of.people[rater], of.assignments[rater]);
            let changes = [
                new_change(slot.clone(), edits(vec![own])),
                rating_change(zero, 70),
                rating_change(same, 20),
            ];
            save_changes(story, person, assignment, &changes).await;
            let outcome = story.store.hand_in(person, assignment, NOW).await.unwrap();
            assert_eq!(outcome, Some(HandInOutcome::Done));
        }

        let rater = ConsensusPerson::Annotator(of.people[0]);
        assert_eq!(of.begin(story, rater).await, Some(()));
        let open = Some(vec![OpenQuestion::Marks(zero, 2)]);
        assert_eq!(of.finish(story).await, open);

        let mark_of = |edit: &Edit| SpanMark {
            kind: edit.kind.title().to_owned(),
            level: None,
            source: vec![],
            output: edit.output.clone(),
        };
        let change = |kept: Vec<Edit>, left_out: Vec<Edit>| ConsensusChange {
            slot: slot.clone(),
            answer: edits(kept),
            left_out: left_out.iter().map(mark_of).collect(),
        };
        let both = change(vec![paraphrase(4), paraphrase(7)], vec![]);
        let reason = refusal(of.decide(story, rater, &[both]).await);
        assert!(
            reason.contains("Of output 1 you keep “Zero is”"),
            "{reason}"
        );
        let unknown = change(vec![paraphrase(1)], vec![]);
        let reason = refusal(of.decide(story, rater, &[unknown]).await);
        assert!(reason.contains("no such answer"), "{reason}");
        let one = change(vec![paraphrase(7)], vec![paraphrase(4)]);
        assert_eq!(of.decide(story, rater, &[one]).await.unwrap(), Some(()));
        assert_eq!(of.finish(story).await, Some(vec![]));

        // An export of the consensus has them, and none of the raters'.
        let mut export = story
            .store
            .begin_export(of.study(), RatingScope::Consensus)
            .await
            .unwrap();
        let page = export.next_page(10).await.unwrap();
        let consensus = RaterId(of.study().0);
        assert_eq!(page[0].edits, [(consensus, vec![paraphrase(7)])]);
    })
    .await;
}

#[tokio::test]
async fn raters_agree_on_answers_and_their_own_stay_as_they_are() {
    on_both(async |story| {
        let texts: &[&[&str]] = &[&["Zero is.", "Same."]];
        let ground = create_study_with(story, &asking(), SourcePurpose::Main, texts).await;
        let (store, study, source) = (&story.store, ground.study, ground.sources[0]);
        let [zero, same] = [ground.outputs[0][0], ground.outputs[0][1]];

        let one = |key: &str| AnnotationAnswer::Question(Some(QuestionAnswer::One(key.to_owned())));
        let words =
            |text: &str| AnnotationAnswer::Question(Some(QuestionAnswer::Text(text.to_owned())));
        let mut own = vec![];
        for (name, missing, what) in [("a", "yes", "The verb."), ("b", "no", "A verb.")] {
            let person = add_annotator(story, study, name).await;
            let assignment = ground.expect_assignment(story, person, NOW).await;
            let changes = [
                new_change(answer_slot(zero, "missing"), one(missing)),
                new_change(answer_slot(zero, "what"), words(what)),
                new_change(answer_slot(same, "missing"), one("no")),
            ];
            save_changes(story, person, assignment, &changes).await;
            let task = store.task(person, assignment).await.unwrap().unwrap();
            assert!(!task.is_being_agreed);
            let outcome = store.hand_in(person, assignment, NOW).await.unwrap();
            assert_eq!(outcome, Some(HandInOutcome::Done));
            own.push((person, assignment));
        }

        let rater = ConsensusPerson::Annotator(own[0].0);
        let begun = store.begin_consensus(study, source, rater, fresh_id, NOW + MINUTE);
        assert_eq!(begun.await.unwrap(), Some(()));
        for (person, assignment) in &own {
            let task = store.task(*person, *assignment).await.unwrap().unwrap();
            assert!(task.is_being_agreed);
        }

        let of = store
            .source_consensus(study, source)
            .await
            .unwrap()
            .unwrap();
        let slots: Vec<_> = of
            .decided
            .iter()
            .map(|answer| &answer.stored.slot)
            .collect();
        assert_eq!(slots, [&answer_slot(same, "missing")], "what both said");

        let decide = async |slot, answer| {
            let change = ConsensusChange {
                slot,
                answer,
                left_out: vec![],
            };
            let changes = [change];
            let decided =
                store.decide_consensus(study, source, rater, &changes, fresh_id, NOW + MINUTE);
            decided.await
        };
        let finish = async || {
            let finished = store.finish_consensus(study, source, rater, NOW + 2 * MINUTE);
            finished.await.unwrap()
        };

        let open = vec![OpenQuestion::Answer(answer_slot(zero, "missing"))];
        assert_eq!(finish().await, Some(open));
        let other = decide(answer_slot(zero, "missing"), one("perhaps")).await;
        assert!(refusal(other).contains("does not offer this answer"));
        let long = decide(answer_slot(zero, "what"), words(&"x".repeat(41))).await;
        assert!(refusal(long).contains("at most 40"));
        let unknown = decide(answer_slot(zero, "why"), words("So.")).await;
        assert!(refusal(unknown).contains("gave no such answer"));
        for (key, answer) in [("missing", one("yes")), ("what", words("Its verb."))] {
            let decided = decide(answer_slot(zero, key), answer).await;
            assert_eq!(decided.unwrap(), Some(()));
        }

        let agreed = async || {
            let answers = store.study_answers(study, RatingScope::Consensus).await;
            let answers = answers.unwrap().answers.into_iter();
            let mut rows: Vec<_> = answers
                .map(|record| {
                    let output = record.output.unwrap();
                    (record.rater, output == zero, record.question, record.answer)
                })
                .collect();
            rows.sort_by_key(|row| (row.1, row.2.clone()));
            rows
        };
        assert_eq!(agreed().await, [], "it is open");
        assert_eq!(finish().await, Some(vec![]));

        let row =
            |is_zero, key: &str, answer| ("consensus".to_owned(), is_zero, key.to_owned(), answer);
        assert_eq!(
            agreed().await,
            [
                row(false, "missing", QuestionAnswer::One("no".to_owned())),
                row(true, "missing", QuestionAnswer::One("yes".to_owned())),
                row(true, "what", QuestionAnswer::Text("Its verb.".to_owned())),
            ]
        );

        let originals = store.study_answers(study, RatingScope::HandedIn).await;
        assert_eq!(originals.unwrap().answers.len(), 6);
    })
    .await;
}
