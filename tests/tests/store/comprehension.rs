//! Reading comprehension from the import to the figures.

use std::collections::{BTreeMap, BTreeSet};

use domain::{
    comprehension::{
        Choice, Design, Name, Passage, PassagePurpose, Question, Settings, Spread, Text, Ties,
        by_condition,
    },
    ids::{AnnotationId, ParticipantId, StudyId},
    statistics::bootstrap::Resampling,
};
use store::{
    Error, Store,
    comprehension::{
        ImportedAnswer, Left, NewAnswer, NewLink, NewParticipant, Outcome, Platform, Session, Spent,
    },
};
use stories::{MINUTE, NOW, Story, both, fresh};

const HOUR: i64 = 60 * MINUTE;

fn refused<T: std::fmt::Debug>(result: store::Result<T>) -> String {
    match result {
        Err(Error::Refused(sentence) | Error::Taken(sentence)) => sentence,
        other => panic!("refused, not {other:?}"),
    }
}

fn name(text: &str) -> Name {
    text.parse().unwrap()
}

fn passage(number: usize, conditions: &[&str]) -> Passage {
    let text = |condition: &&str| {
        let text = format!("Text {number} as {condition} has it.");
        (name(condition), Text::try_from(text).unwrap())
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
    }
}

struct Reading<'a> {
    story: &'a Story,
    study: StudyId,
}

const LINK: &str = "link";

impl<'a> Reading<'a> {
    async fn new(
        story: &'a Story,
        design: Design,
        passages: usize,
        conditions: &[&str],
        uses: u32,
    ) -> Self {
        let study = story.study("reading", None).await;
        let settings = Settings {
            design,
            ..Settings::default()
        };
        let store = &story.store;
        store
            .set_comprehension(study, &settings, NOW)
            .await
            .unwrap();
        assert_eq!(store.comprehension(study).await.unwrap(), Some(settings));
        let passages: Vec<_> = (1..=passages).map(|at| passage(at, conditions)).collect();
        let added = store
            .import_comprehension(study, &passages, &[], fresh, NOW)
            .await
            .unwrap();
        assert_eq!(added.questions as usize, 3 * passages.len());
        let link = NewLink {
            token_hash: LINK,
            label: "a course",
            expires_at: NOW + 100 * HOUR,
            uses,
        };
        store.create_reading_link(study, &link, NOW).await.unwrap();
        Self { story, study }
    }

    async fn join(&self, session: &str, now_ms: i64) -> u32 {
        join(&self.story.store, session, None, now_ms)
            .await
            .unwrap();
        self.begin(session, now_ms).await
    }

    async fn begin(&self, session: &str, now_ms: i64) -> u32 {
        let store = &self.story.store;
        store
            .begin_reading(session, &["English".into()], fresh, now_ms)
            .await
            .unwrap()
    }

    async fn session(&self, session: &str) -> Session {
        self.story
            .store
            .reading_session(session)
            .await
            .unwrap()
            .unwrap()
    }

    /// Answers everything with `choice`, and finishes.
    async fn answer_all(&self, session: &str, choice: Choice, now_ms: i64) {
        let store = &self.story.store;
        for reading in self.session(session).await.readings {
            let answers: Vec<_> = reading
                .asked
                .iter()
                .map(|asked| NewAnswer {
                    id: AnnotationId(fresh()),
                    reading: reading.id,
                    question: asked.id,
                    choice,
                })
                .collect();
            let saved = store
                .save_reading_answers(session, &answers, now_ms)
                .await
                .unwrap();
            assert!(
                saved.iter().all(|outcome| *outcome == Outcome::Saved),
                "{saved:?}"
            );
            store
                .finish_reading(session, reading.id, now_ms)
                .await
                .unwrap();
        }
        store
            .finish_session(session, "short", now_ms)
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

async fn join(
    store: &Store,
    session: &str,
    platform: Option<&str>,
    now_ms: i64,
) -> store::Result<StudyId> {
    let id = fresh();
    let new = NewParticipant {
        id: ParticipantId(id),
        session_hash: session,
        link_hash: LINK,
        platform: Platform {
            participant: platform,
            ..Platform::default()
        },
        seed: i64::from_le_bytes(id.as_bytes()[..8].try_into().unwrap()),
    };
    store.join_reading(&new, now_ms).await
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn two_hundred_join_at_once_and_no_text_has_more_readers_than_its_quota() {
    both(async |story| {
        for (spread, slug_of) in [(Spread::Between, "between"), (Spread::Within, "within")] {
            let study = story.study(slug_of, None).await;
            let design = Design {
                readers: 5,
                spread,
                ties: Ties::Random,
                ..Design::default()
            };
            let settings = Settings {
                design,
                ..Settings::default()
            };
            let store = &story.store;
            store
                .set_comprehension(study, &settings, NOW)
                .await
                .unwrap();
            let conditions = ["Original", "Human", "System 1", "System 2"];
            let passages: Vec<_> = (1..=30).map(|at| passage(at, &conditions)).collect();
            store
                .import_comprehension(study, &passages, &[], fresh, NOW)
                .await
                .unwrap();
            let link_hash = format!("link to {slug_of}");
            let link = NewLink {
                token_hash: &link_hash,
                label: "",
                expires_at: NOW + HOUR,
                uses: 200,
            };
            store.create_reading_link(study, &link, NOW).await.unwrap();
            let mut joining = tokio::task::JoinSet::new();
            for at in 0..200 {
                // Every tenth comes through another process.
                let store: Store = match at % 10 {
                    0 => story.another_store().await,
                    _ => store.clone(),
                };
                let (session, link_hash) = (format!("{slug_of} {at}"), link_hash.clone());
                joining.spawn(async move {
                    let new = NewParticipant {
                        id: ParticipantId(fresh()),
                        session_hash: &session,
                        link_hash: &link_hash,
                        platform: Platform::default(),
                        seed: at,
                    };
                    store.join_reading(&new, NOW).await.unwrap();
                    store
                        .begin_reading(&session, &[], fresh, NOW)
                        .await
                        .unwrap()
                });
            }
            let given: u32 = joining.join_all().await.into_iter().sum();
            // 30 passages × 4 conditions × 5 readers, 6 texts each: 100 participants read.
            assert_eq!(given, 600, "{slug_of}");
            let cells = store.reading_cells(study).await.unwrap();
            assert_eq!(cells.len(), 120);
            assert!(cells.iter().all(|cell| cell.given == 5), "{cells:?}");
            let mut seen = BTreeMap::<String, BTreeSet<String>>::new();
            for row in story
                .rows(&format!(
                    "SELECT r.participant_id, r.passage_id FROM reading r
                     JOIN participant p ON p.id = r.participant_id
                     WHERE p.study_id = '{study}'"
                ))
                .await
            {
                let fresh = seen
                    .entry(row[0].clone())
                    .or_default()
                    .insert(row[1].clone());
                assert!(fresh, "nobody gets a passage twice");
            }
            assert_eq!(seen.len(), 100);
        }
    })
    .await;
}

#[tokio::test]
async fn an_answer_is_stored_once_and_superseded_by_the_next() {
    both(async |story| {
        let reading = Reading::new(story, Design::default(), 6, &["Original"], 3).await;
        let store = &story.store;
        assert_eq!(reading.join("one", NOW).await, 6);
        assert_eq!(
            reading.begin("one", NOW).await,
            6,
            "asked again it changes nothing"
        );
        let session = reading.session("one").await;
        assert_eq!(session.label, "participant 1");
        let first = &session.readings[0];
        let answer = |id, choice| NewAnswer {
            id: AnnotationId(id),
            reading: first.id,
            question: first.asked[0].id,
            choice,
        };
        let (one, two) = (
            answer(fresh(), Choice::B),
            answer(fresh(), Choice::Unanswerable),
        );
        let before = reading.events().await;
        let save = async |answers: &[NewAnswer]| {
            store
                .save_reading_answers("one", answers, NOW)
                .await
                .unwrap()
        };
        assert_eq!(save(&[one, two]).await, [Outcome::Saved, Outcome::Saved]);
        assert_eq!(reading.events().await, before + 2);
        // Sent again, late and in another order: nothing changes.
        assert_eq!(save(&[two, one, one]).await, vec![Outcome::Saved; 3]);
        assert_eq!(reading.events().await, before + 2);
        let chosen = reading.session("one").await.readings[0].asked[0].choice;
        assert_eq!(chosen, Some(Choice::Unanswerable));
        let recorded = store.reading_answers(reading.study).await.unwrap();
        assert_eq!(recorded.len(), 1);
        assert_eq!(recorded[0].order, Some(first.asked[0].order));
        assert_eq!(
            story.rows("SELECT COUNT(*) FROM reading_answer").await,
            [["2"]]
        );

        let missing = refused(store.finish_reading("one", first.id, NOW).await);
        assert_eq!(
            missing,
            "2 questions have no answer yet: answer them, then go on."
        );
        assert!(refused(store.finish_session("one", "", NOW).await).contains("17 questions"));
        // What is not theirs.
        reading.join("two", NOW).await;
        let theirs = [answer(fresh(), Choice::A), one];
        let stolen = store
            .save_reading_answers("two", &theirs, NOW)
            .await
            .unwrap();
        assert!(
            stolen
                .iter()
                .all(|outcome| matches!(outcome, Outcome::Refused(_))),
            "{stolen:?}"
        );
        assert!(refused(store.save_reading_answers("?", &[one], NOW).await).contains("not known"));

        // Times: the largest total of each tab, tabs added up.
        let tabs = [fresh(), fresh()];
        let spent = |tab: usize, question: bool, active_ms| Spent {
            reading: first.id,
            question: question.then_some(first.asked[0].id),
            tab: tabs[tab],
            active_ms,
        };
        for of in [
            spent(0, false, 5_000),
            spent(0, false, 3_000),
            spent(1, false, 1_000),
        ] {
            store
                .save_reading_times("one", &[of, spent(0, true, 700)], NOW)
                .await
                .unwrap();
        }
        let recorded = store.reading_answers(reading.study).await.unwrap();
        assert_eq!(recorded[0].passage_active_ms, Some(6_000));
        assert_eq!(recorded[0].active_ms, Some(700));

        reading.answer_all("one", Choice::A, NOW).await;
        let late = save(&[answer(fresh(), Choice::D)]).await;
        assert!(matches!(&late[0], Outcome::Refused(why) if why.contains("finished")));
    })
    .await;
}

#[tokio::test]
async fn whoever_leaves_counts_no_more_and_their_texts_are_read_by_others() {
    both(async |story| {
        let design = Design {
            texts: 3,
            ..Design::default()
        };
        let reading = Reading::new(story, design, 3, &["Original", "Simple"], 9).await;
        let (store, study) = (&story.store, reading.study);
        for session in ["one", "two"] {
            assert_eq!(reading.join(session, NOW).await, 3);
        }
        assert_eq!(
            reading.join("three", NOW).await,
            0,
            "all texts have their readers"
        );
        reading.answer_all("one", Choice::A, NOW).await;
        reading.answer_all("two", Choice::B, NOW).await;
        let counted = async || {
            let answers = store.comprehension_answers(study).await.unwrap();
            let figures = by_condition(&answers, Resampling::default());
            figures.iter().map(|of| of.tally.n()).collect::<Vec<_>>()
        };
        assert_eq!(counted().await.iter().sum::<usize>(), 18);

        let two = store.readers(study).await.unwrap()[1].clone();
        assert_eq!((two.texts, two.done, two.comment.as_str()), (3, 3, "short"));
        assert!(refused(store.exclude_reader(study, two.id, " ", NOW).await).contains("Say why"));
        let before = reading.events().await;
        assert!(
            store
                .exclude_reader(study, two.id, "answered B only", NOW)
                .await
                .unwrap()
        );
        assert!(
            !store
                .exclude_reader(study, two.id, "again", NOW)
                .await
                .unwrap()
        );
        assert_eq!(reading.events().await, before + 1);
        assert_eq!(counted().await.iter().sum::<usize>(), 9);
        // Let in again while the place is free, excluded again, and then it is taken.
        assert!(store.include_reader(study, two.id, NOW).await.unwrap());
        assert_eq!(counted().await.iter().sum::<usize>(), 18);
        store
            .exclude_reader(study, two.id, "answered B only", NOW)
            .await
            .unwrap();
        assert_eq!(reading.begin("three", NOW).await, 3);
        let again = refused(store.include_reader(study, two.id, NOW).await);
        assert!(again.contains("all places are taken"), "{again}");

        // Who withdraws makes room, and so does who is not seen for the lease.
        store.withdraw_reader("one", NOW).await.unwrap();
        assert!(refused(store.withdraw_reader("one", NOW).await).contains("has ended"));
        assert_eq!(counted().await.iter().sum::<usize>(), 0);
        assert_eq!(reading.join("four", NOW).await, 3);
        assert_eq!(reading.join("five", NOW + 2 * HOUR).await, 0);
        let later = NOW + 4 * HOUR;
        assert_eq!(reading.begin("five", later).await, 3);
        assert_eq!(reading.session("three").await.left, Some(Left::Lapsed));
        let entries = store.readers(study).await.unwrap();
        assert_eq!(entries[1].left, Some(Left::Excluded));
        assert_eq!(entries[1].reason, "answered B only");
        let cells = store.reading_cells(study).await.unwrap();
        assert!(cells.iter().all(|cell| cell.given <= 1), "{cells:?}");
    })
    .await;
}

#[tokio::test]
async fn a_link_begins_so_many_sessions_one_for_each_person() {
    both(async |story| {
        let reading = Reading::new(story, Design::default(), 6, &["Original"], 2).await;
        let store = &story.store;
        join(store, "one", Some("worker 1"), NOW).await.unwrap();
        let again = refused(join(store, "two", Some("worker 1"), NOW).await);
        assert!(again.contains("taken part in this study before"), "{again}");
        join(store, "two", Some("worker 2"), NOW).await.unwrap();
        assert!(refused(join(store, "three", None, NOW).await).contains("as often as it may"));
        let link = store.reading_link(LINK).await.unwrap().unwrap();
        assert_eq!((link.uses_left, link.study), (0, reading.study));
        assert!(link.check(NOW).is_err());
        assert!(
            store
                .revoke_reading_link(reading.study, LINK, NOW)
                .await
                .unwrap()
        );
        assert!(
            !store
                .revoke_reading_link(reading.study, LINK, NOW)
                .await
                .unwrap()
        );
        assert!(refused(join(store, "four", None, NOW).await).contains("was taken back"));
        assert!(store.reading_session("nobody").await.unwrap().is_none());
        assert_eq!(store.reading_links(reading.study).await.unwrap().len(), 1);
    })
    .await;
}

#[tokio::test]
async fn practice_comes_first_and_checks_stand_in_the_middle() {
    both(async |story| {
        let design = Design {
            texts: 4,
            ..Design::default()
        };
        let reading = Reading::new(story, design, 6, &["Original"], 1).await;
        let (store, study) = (&story.store, reading.study);
        let material = store.material(study).await.unwrap();
        for (at, purpose) in [(0, PassagePurpose::Check), (5, PassagePurpose::Practice)] {
            let id = material.passages[at].id;
            assert!(
                store
                    .set_passage_purpose(study, id, purpose, NOW)
                    .await
                    .unwrap()
            );
        }
        let other = Question::new("Another?", &["1", "2", "3", "4"]).unwrap();
        let first = material.passages[1].questions[0];
        assert!(store.set_question(study, first, &other, NOW).await.unwrap());
        assert_eq!(reading.join("one", NOW).await, 6);
        let session = reading.session("one").await;
        let purposes: Vec<_> = session
            .readings
            .iter()
            .map(|reading| reading.purpose)
            .collect();
        use PassagePurpose::{Check, Main, Practice};
        assert_eq!(purposes, [Practice, Main, Main, Check, Main, Main]);
        let late = refused(store.set_question(study, first, &other, NOW).await);
        assert!(late.contains("stays as it was asked"), "{late}");
        let id = material.passages[0].id;
        assert!(refused(store.set_passage_purpose(study, id, Main, NOW).await).contains("stays"));
        reading.answer_all("one", Choice::A, NOW).await;
        let entry = store.readers(study).await.unwrap().remove(0);
        assert_eq!((entry.checks_passed, entry.checks), (3, 3));
        // Only the main passages count.
        assert_eq!(store.reading_answers(study).await.unwrap().len(), 12);
    })
    .await;
}

#[tokio::test]
async fn a_file_brought_in_twice_counts_once() {
    both(async |story| {
        let reading = Reading::new(story, Design::default(), 2, &["Original"], 1).await;
        let (store, study) = (&story.store, reading.study);
        let names = (name("p1"), name("q1"), name("Original"), name("reader 7"));
        let answer = |id: &'static str, participant: bool| ImportedAnswer {
            id,
            passage: &names.0,
            question: &names.1,
            condition: &names.2,
            participant: participant.then_some(&names.3),
            choice: Choice::A,
            order: None,
            active_ms: Some(1_500),
        };
        let answers = [
            answer("f:2:1", false),
            answer("f:3:1", false),
            answer("f:4:1", true),
        ];
        let import = async |passages: &[Passage], answers: &[ImportedAnswer<'_>]| {
            store
                .import_comprehension(study, passages, answers, fresh, NOW)
                .await
        };
        assert_eq!(import(&[], &answers).await.unwrap().answers, 3);
        assert_eq!(
            import(&[passage(1, &["Original"])], &answers)
                .await
                .unwrap(),
            Default::default()
        );
        let recorded = store.reading_answers(study).await.unwrap();
        assert_eq!(
            recorded.len(),
            3,
            "the same answer in two rows counts twice"
        );
        assert_eq!(recorded[2].participant.as_deref(), Some("reader 7"));
        assert_eq!(recorded[2].active_ms, Some(1_500));

        let mut other = passage(1, &["Original"]);
        other.texts[0].1 = Text::try_from("Something else.".to_owned()).unwrap();
        let told = refused(import(&[passage(9, &["Original"]), other], &[]).await);
        assert!(
            told.contains("Passage p1 is in the study with another text in Original"),
            "{told}"
        );
        assert_eq!(
            store.material(study).await.unwrap().passages.len(),
            2,
            "all or nothing"
        );
        let nowhere = name("p9");
        let lost = ImportedAnswer {
            passage: &nowhere,
            ..answer("f:5:1", false)
        };
        assert!(refused(import(&[], &[lost]).await).contains("bring texts and questions in first"));
    })
    .await;
}
