//! A study with many ratings, each as if an annotator had given it.

use std::time::Duration;

use domain::{
    category::Category,
    ids::{PersonId, StudyId},
    random::SeededRandom,
    study::{RaterKind, Role, SourcePurpose, SystemKind},
};
use service::{figures::RatingScope, live::LiveStudies};
use store::{
    DatabaseEngine,
    import::{NewOutput, NewRating},
};
use tokio::time::Instant;

use crate::{
    TestDatabase, fresh_id,
    servers::{
        automatic_answers, now_ms, sign_in,
        usage::{own_memory_kib, processor_time},
    },
};

/// The short name of the study.
pub(super) const SHORT_NAME: &str = "growth";

/// Outputs of each source.
const OUTPUTS: usize = 24;

/// The system whose output of each source repeats another one.
const REPEATS: &str = "repeats";

/// The system of outputs that raters could not judge.
const UNREADABLE: &str = "unreadable";

/// One in this number of sources has an output that its raters could not judge.
const UNREADABLE_EVERY: usize = 20;

/// Raters of a finished source; one in five has only one so far.
const OVERLAP: usize = 3;

/// Annotators who rated.
const CREW: usize = 100;

/// Annotators who have not begun.
const NEWCOMERS: usize = 12;

/// The study, and the sessions of its members.
#[derive(Debug)]
pub(super) struct PreparedStudy {
    pub(super) study: StudyId,
    pub(super) ratings: usize,
    pub(super) lead: String,
    /// One of those who rated.
    pub(super) annotator: String,
    pub(super) newcomers: Vec<String>,
}

/// Makes a study with about that many ratings.
pub(super) async fn prepare_study(database: &TestDatabase, ratings: usize) -> PreparedStudy {
    let now_ms = now_ms();
    let lead = database.add_admin("simulated-lead").await;
    let study = database.add_study(SHORT_NAME, Some(lead)).await;
    let given = import_ratings(database, study, ratings, now_ms).await;

    let mut sessions = vec![];
    for number in 0..CREW + NEWCOMERS {
        let person = PersonId(fresh_id());
        let name = format!("simulated-annotator-{number}");
        let created = database
            .store
            .create_person(person, &name, None, false, now_ms);
        created.await.expect("the name is free");
        let added = database
            .store
            .add_member(study, person, Role::Annotator, now_ms);
        added.await.expect("the study is open");
        if number < CREW {
            become_rater(database, person, number).await;
        }
        sessions.push(sign_in(database, person, now_ms).await);
    }

    hand_in_everything(database, now_ms).await;
    PreparedStudy {
        study,
        ratings: given,
        lead: sign_in(database, lead, now_ms).await,
        newcomers: sessions.split_off(CREW),
        annotator: sessions.swap_remove(0),
    }
}

/// Imports sources with outputs and ratings, and returns the number of ratings.
async fn import_ratings(
    database: &TestDatabase,
    study: StudyId,
    ratings: usize,
    now_ms: i64,
) -> usize {
    let mut random = SeededRandom::new(1);
    let import = database.store.begin_import(study, now_ms, fresh_id).await;
    let mut import = import.expect("nobody else imports");
    let raters: Vec<_> = (0..CREW)
        .map(|number| {
            let rater = import.rater(&format!("rater {number}"), RaterKind::Imported);
            rater.expect("a plain name")
        })
        .collect();

    let mut given = 0;
    for number in 0.. {
        if given >= ratings {
            break;
        }
        let text =
            format!("The source number {number} is as long as a sentence that people simplify.");
        let source = import.source(None, &text, SourcePurpose::Main);
        let source = source.expect("the text is new");

        let first = random.below(CREW);
        let overlap = if number % 5 == 4 { 1 } else { OVERLAP };
        let names = (0..OUTPUTS).map(|system| format!("system {system}"));
        let is_unreadable = number % UNREADABLE_EVERY == 0;
        let names = names
            .chain([REPEATS.to_owned()])
            .chain(is_unreadable.then(|| UNREADABLE.to_owned()));

        for (system, name) in names.enumerate() {
            let text = format!("Sentence {number} is as long as others, in the words of {system}.");
            let writer = import.system(&name, Some(SystemKind::Machine));
            let new = NewOutput::new(source, writer.expect("a plain name"), &text);
            let automatic = || store::import::AutomaticAnswers {
                category: Category::ALL[(number + system) % 3],
                ..automatic_answers()
            };
            let (output, _) = import
                .output(&new, automatic)
                .expect("the system has no other");
            let quality = random.below(60);
            for rater in 0..overlap {
                let value = (quality + random.below(40)) as f64;
                let rater = raters[(first + rater * 7) % CREW];
                let rating = NewRating::overall(rater, output, value);
                import.rating(rating).expect("one rating for each rater");
                given += usize::from(system < OUTPUTS);
            }
        }

        // As imports of files do: rows kept until the end would be moved in memory with each transaction.
        import.flush_full().await.expect("the database is there");
    }

    import.commit().await.expect("the import is whole");
    given
}

/// Makes an imported rater the rater of a person.
async fn become_rater(database: &TestDatabase, person: PersonId, number: usize) {
    let sql = format!(
        "UPDATE stored_rater SET kind = 'person', import_id = NULL, person_id = '{person}',
             label = 'annotator {number}'
         WHERE label = 'rater {number}'"
    );
    database.execute_sql(sql).await;
}

/// Makes the imported ratings those of submitted sources.
async fn hand_in_everything(database: &TestDatabase, now_ms: i64) {
    let sql = format!(
        "UPDATE stored_output SET purpose = 'repeated', made_from =
             (SELECT o.id FROM stored_output o JOIN system y ON y.id = o.system_id
              WHERE o.source_id = stored_output.source_id AND y.name = 'system 0')
         WHERE system_id IN (SELECT id FROM system WHERE name = '{REPEATS}');
         UPDATE stored_annotation SET kind = 'unjudged', dimension = '', value = NULL, scale = NULL
         WHERE output_id IN (SELECT o.id FROM stored_output o JOIN system y ON y.id = o.system_id
                             WHERE y.name = '{UNREADABLE}');
         INSERT INTO assignment (id, study_id, source_id, rater_id, state, seed, created_at,
             leased_until, ended_at)
         SELECT MIN(id), study_id, source_id, rater_id, 'handed-in', 1, {now_ms}, {now_ms}, {now_ms}
         FROM stored_annotation GROUP BY study_id, source_id, rater_id;
         UPDATE stored_annotation SET import_id = NULL, assignment_id =
             (SELECT a.id FROM assignment a WHERE a.source_id = stored_annotation.source_id
                  AND a.rater_id = stored_annotation.rater_id),
             body = CASE WHEN kind = 'unjudged' THEN '\"unclear\"' END;
         UPDATE stored_output SET added_at = 0;
         UPDATE stored_source SET taken =
             (SELECT COUNT(*) FROM assignment a WHERE a.source_id = stored_source.id);
         INSERT INTO activity (assignment_id, tab, step, active_ms)
         SELECT id, id, 'rate', 240000 FROM assignment;"
    );

    database.execute_sql(sql).await;
    if database.store.engine() == DatabaseEngine::Postgres {
        // A server does this by itself within a minute of such a change.
        database.execute_sql("ANALYZE".to_owned()).await;
    }
}

/// The cost of reading the ratings of a study into memory.
#[derive(Debug, Clone, Copy)]
pub(super) struct ReadingCost {
    /// The memory of the study's figures for each rating, in bytes.
    pub(super) bytes: f64,
    pub(super) clock: Duration,
    pub(super) processor: Duration,
}

/// Reads the study's ratings, in this process.
pub(super) async fn measure_reading(
    database: &TestDatabase,
    study: &PreparedStudy,
    scope: RatingScope,
) -> ReadingCost {
    let live = LiveStudies::new(|| 0);
    let process = std::process::id();
    let before = (own_memory_kib(process), processor_time(&[process]));

    let begun = Instant::now();
    let ratings = live.read(&database.store, study.study, scope, |snapshot| {
        snapshot.ratings().count()
    });
    let ratings = ratings.await.expect("the study reads");
    let clock = begun.elapsed();
    assert_eq!(ratings, study.ratings);

    let grown = own_memory_kib(process).saturating_sub(before.0);
    let processor = processor_time(&[process]) - before.1;
    drop(live);

    ReadingCost {
        bytes: (grown * 1024) as f64 / ratings as f64,
        clock,
        processor,
    }
}
