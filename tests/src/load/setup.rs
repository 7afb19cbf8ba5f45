//! The study of a load test: signed-in annotators with a source each, leads, and earlier ratings.

use domain::{
    ids::{AssignmentId, OutputId, PersonId, RaterId, StudyId},
    random::SeededRandom,
    study::{RaterKind, Role, SourcePurpose, SystemKind},
};
use store::{
    assignments::{NewAssignment, NextAssignment},
    import::{NewOutput, NewRating},
};

use crate::{
    TestDatabase, fresh_id,
    servers::{automatic_answers, now_ms, sign_in},
};

/// The short name of the study.
pub(super) const STUDY: &str = "load-test";

/// Outputs of each source, as in a study of many systems.
const OUTPUTS: usize = 24;

/// Sources with earlier ratings, so that live pages have figures to draw.
const RATED_SOURCES: usize = 100;

/// Raters of each of them.
const RATERS: [&str; 2] = ["rater 1", "rater 2"];

/// The study, and the sessions of its members.
pub(super) struct LoadStudy {
    pub(super) desks: Vec<AnnotatorDesk>,
    /// The cookies of leads.
    pub(super) leads: Vec<String>,
}

/// The source of an annotator, and the session in which they judge it.
#[derive(Debug, Clone)]
pub(super) struct AnnotatorDesk {
    pub(super) person: PersonId,
    pub(super) cookie: String,
    pub(super) assignment: AssignmentId,
    pub(super) outputs: Vec<OutputId>,
}

/// Makes the study, its texts and its members.
pub(super) async fn prepare_study(
    database: &TestDatabase,
    annotators: usize,
    leads: usize,
) -> LoadStudy {
    // Without an administrator the server would make a link for the first one.
    database.add_admin("simulated-admin").await;
    let study = database.add_study(STUDY, None).await;
    import_texts(database, study, annotators).await;

    let mut made = LoadStudy {
        desks: Vec::with_capacity(annotators),
        leads: Vec::with_capacity(leads),
    };
    for number in 0..annotators {
        made.desks
            .push(seat_annotator(database, study, number).await);
    }
    for number in 0..leads {
        let name = format!("simulated-lead-{number}");
        let lead = add_member(database, study, &name, Role::Lead).await;
        made.leads.push(sign_in(database, lead, now_ms()).await);
    }
    made
}

/// Imports a source for each annotator, and others with ratings.
async fn import_texts(database: &TestDatabase, study: StudyId, annotators: usize) {
    let import = database.store.begin_import(study, now_ms(), fresh_id).await;
    let mut import = import.expect("nobody else imports");
    let mut random = SeededRandom::new(1);
    let raters = RATERS.map(|name| {
        let rater = import.rater(name, RaterKind::Imported);
        rater.expect("a plain name")
    });

    for number in 0..annotators + RATED_SOURCES {
        let text = format!(
            "The source number {number} has about as many words as a sentence that people simplify."
        );
        let source = import.source(None, &text, SourcePurpose::Main);
        let source = source.expect("the text is new");
        for system in 0..OUTPUTS {
            let text = format!(
                "Source {number} has about as many words as others, in the words of {system}."
            );
            let name = format!("system {system}");
            let system = import.system(&name, Some(SystemKind::Machine));
            let new = NewOutput::new(source, system.expect("a plain name"), &text);
            let output = import.output(&new, automatic_answers);
            let (output, _) = output.expect("the system has no other output");
            if number < annotators {
                continue;
            }
            let quality = random.below(60);
            for rater in raters {
                let value = (quality + random.below(40)) as f64;
                let rating = NewRating::overall(rater, output, value);
                import.rating(rating).expect("one rating for each rater");
            }
        }
    }

    import.commit().await.expect("the import is whole");
}

/// Adds an annotator, signs them in and gives them a source.
async fn seat_annotator(database: &TestDatabase, study: StudyId, number: usize) -> AnnotatorDesk {
    let (store, now_ms) = (&database.store, now_ms());
    let name = format!("simulated-annotator-{number}");
    let person = add_member(database, study, &name, Role::Annotator).await;
    let new = NewAssignment {
        id: AssignmentId(fresh_id()),
        rater: RaterId(fresh_id()),
        seed: 1,
        now_ms,
    };

    let next = store.next_assignment(study, person, new).await;
    let Ok(NextAssignment::Assignment(assignment)) = next else {
        panic!("there is a source for each annotator, not {next:?}")
    };

    let task = store.task(person, assignment).await.expect("it reads");
    let items = task.expect("it is the annotator's").items;
    AnnotatorDesk {
        person,
        cookie: sign_in(database, person, now_ms).await,
        assignment,
        outputs: items.iter().map(|item| item.output).collect(),
    }
}

async fn add_member(database: &TestDatabase, study: StudyId, name: &str, role: Role) -> PersonId {
    let (store, person, now_ms) = (&database.store, PersonId(fresh_id()), now_ms());
    let created = store.create_person(person, name, None, false, now_ms).await;
    created.expect("the name is free");
    let added = store.add_member(study, person, role, now_ms).await;
    added.expect("the study is open");
    person
}
