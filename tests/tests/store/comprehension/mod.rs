//! Reading comprehension from the import to the figures.

mod answering;
mod erasing;
mod figures;
mod joining;
mod leaving;
mod limits;
mod material;
mod screening;

use std::collections::{BTreeMap, BTreeSet};

use domain::{
    comprehension::{
        AnswerChoice, ComprehensionDesign, ComprehensionSettings, ConditionSpread, MaterialName,
        NonBlankText, Passage, PassagePurpose, Question, TieBreak, figures_by_condition,
    },
    ids::{AnnotationId, ParticipantId, StudyId},
    statistics::bootstrap::ResamplingOptions,
};
use store::{
    Error, InvitationTarget, NewInvitation, Store,
    comprehension::{
        ComprehensionImportAnswer, ExitReason, NewParticipant, NewParticipantAnswer,
        ParticipantAnswerOutcome, ParticipantSession, ParticipantTabTime, PlatformIds,
        ReadingStart,
    },
};
use stories::{MINUTE, NOW, TestDatabase, fresh_id, on_both};

const HOUR: i64 = 60 * MINUTE;

fn refused<T: std::fmt::Debug>(result: store::Result<T>) -> String {
    match result {
        Err(Error::Refused(sentence) | Error::Taken(sentence)) => sentence,
        other => panic!("refused, not {other:?}"),
    }
}

/// The number of texts that a participant was given.
fn count_given(start: ReadingStart) -> u32 {
    match start {
        ReadingStart::Begun(texts) => texts,
        ReadingStart::NoPlace => 0,
        ReadingStart::Ended(reason) => panic!("{reason}"),
    }
}

fn name(text: &str) -> MaterialName {
    text.parse().unwrap()
}

fn passage(number: usize, conditions: &[&str]) -> Passage {
    let text = |condition: &&str| {
        let text = format!("Text {number} as {condition} has it.");
        (name(condition), NonBlankText::try_from(text).unwrap())
    };
    let question = |at: usize| {
        let text = format!("Question {at} on {number}?");
        let question = Question::new(&text, &["right", "misread", "elsewhere", "unsupported"]);
        (name(&format!("q{at}")), question.unwrap())
    };
    Passage {
        name: name(&format!("p{number}")),
        title: format!("Passage {number}"),
        texts: conditions.iter().map(text).collect(),
        questions: (1..=3).map(question).collect(),
        spans: vec![],
        purpose: PassagePurpose::Main,
    }
}

struct ComprehensionFixture<'a> {
    story: &'a TestDatabase,
    study: StudyId,
}

const LINK: &str = "link";

impl<'a> ComprehensionFixture<'a> {
    async fn new(
        story: &'a TestDatabase,
        design: ComprehensionDesign,
        passages: usize,
        conditions: &[&str],
        uses: i64,
    ) -> Self {
        let study = story.add_study("reading", None).await;
        let store = &story.store;
        let settings = set_design(store, study, design).await;
        assert_eq!(
            store.comprehension_settings(study).await.unwrap(),
            Some(settings)
        );

        let passages: Vec<_> = (1..=passages).map(|at| passage(at, conditions)).collect();
        let added = store
            .import_comprehension(study, &passages, &[], fresh_id, NOW)
            .await
            .unwrap();
        assert_eq!(added.questions as usize, 3 * passages.len());

        link(store, study, LINK, uses).await;
        Self { story, study }
    }

    /// A study with original passages only, the usual design, and a link for `uses` participants.
    async fn with_passages(story: &'a TestDatabase, passages: usize, uses: i64) -> Self {
        let design = ComprehensionDesign::default();
        Self::new(story, design, passages, &["Original"], uses).await
    }

    async fn join(&self, session: &str, now_ms: i64) -> u32 {
        join(&self.story.store, session, None, now_ms)
            .await
            .unwrap();
        self.begin(session, now_ms).await
    }

    async fn begin(&self, session: &str, now_ms: i64) -> u32 {
        let store = &self.story.store;
        let begun = store
            .begin_comprehension(session, &["English".into()], fresh_id, now_ms)
            .await;
        count_given(begun.unwrap())
    }

    async fn session(&self, session: &str) -> ParticipantSession {
        self.story
            .store
            .participant_session(session)
            .await
            .unwrap()
            .unwrap()
    }

    /// Answers everything with `choice`, and finishes.
    async fn answer_all(&self, session: &str, choice: AnswerChoice, now_ms: i64) {
        let store = &self.story.store;
        for reading in self.session(session).await.texts {
            let answers: Vec<_> = reading
                .questions
                .iter()
                .map(|question| NewParticipantAnswer {
                    id: AnnotationId(fresh_id()),
                    reading: reading.id,
                    question: question.id,
                    place: question.order.place_of(choice),
                })
                .collect();

            let saved = store
                .save_participant_answers(session, &answers, now_ms)
                .await
                .unwrap();
            assert!(
                saved
                    .iter()
                    .all(|outcome| *outcome == ParticipantAnswerOutcome::Saved),
                "{saved:?}"
            );
            store
                .finish_participant_text(session, reading.id, now_ms)
                .await
                .unwrap();
        }

        store
            .finish_participant_session(session, "short", now_ms)
            .await
            .unwrap();
    }

    async fn events(&self) -> i64 {
        self.story
            .store
            .newest_event(self.study)
            .await
            .unwrap()
            .unwrap()
    }
}

/// Sets the study up with this design, and returns its settings.
async fn set_design(
    store: &Store,
    study: StudyId,
    design: ComprehensionDesign,
) -> ComprehensionSettings {
    let settings = ComprehensionSettings {
        design,
        ..ComprehensionSettings::default()
    };
    store
        .set_comprehension_settings(study, &settings, NOW)
        .await
        .unwrap();
    settings
}

/// Makes a link for `uses` participants.
async fn link(store: &Store, study: StudyId, token_hash: &str, uses: i64) {
    let new = NewInvitation {
        token_hash,
        target: InvitationTarget::Comprehension,
        label: "a course",
        uses,
        expires_at: NOW + 100 * HOUR,
        created_by: None,
        group: None,
    };
    store.create_invitation(study, &new, NOW).await.unwrap();
}

/// Joins from an address of its own.
async fn join(
    store: &Store,
    session: &str,
    platform: Option<&str>,
    now_ms: i64,
) -> store::Result<StudyId> {
    join_from(session, store, session, platform, now_ms).await
}

async fn join_from(
    network: &str,
    store: &Store,
    session: &str,
    platform: Option<&str>,
    now_ms: i64,
) -> store::Result<StudyId> {
    let id = fresh_id();
    let new = NewParticipant {
        id: ParticipantId(id),
        session_hash: session,
        link_hash: LINK,
        platform: PlatformIds {
            participant: platform,
            ..PlatformIds::default()
        },
        network,
        seed: i64::from_le_bytes(id.as_bytes()[..8].try_into().unwrap()),
    };
    store.join_comprehension(&new, now_ms).await
}
