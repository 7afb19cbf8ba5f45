//! The study of a load test, and the annotators who are signed in and have a source each.

use domain::{
    ids::{AssignmentId, OutputId, PersonId, RaterId},
    study::{Role, SourcePurpose, SystemKind},
};
use store::{
    assignments::{NewAssignment, NextAssignment},
    import::NewOutput,
};

use crate::{
    TestDatabase, fresh_id,
    servers::{automatic_answers, now_ms, sign_in},
};

/// Outputs of each source, as in a study of many systems.
const OUTPUTS: usize = 24;

/// The source of an annotator, and the session in which they judge it.
#[derive(Debug, Clone)]
pub(super) struct AnnotatorDesk {
    pub(super) person: PersonId,
    pub(super) cookie: String,
    pub(super) assignment: AssignmentId,
    pub(super) outputs: Vec<OutputId>,
}

/// Makes the study, its texts and its annotators, and closes the database.
pub(super) async fn prepare_study(
    database: &TestDatabase,
    annotators: usize,
) -> Vec<AnnotatorDesk> {
    let (store, now_ms) = (&database.store, now_ms());
    // Without an administrator the server would make a link for the first one.
    database.add_admin("simulated-admin").await;
    let study = database.add_study("load-test", None).await;
    let import = store.begin_import(study, now_ms, fresh_id).await;
    let mut import = import.expect("nobody else imports");
    for number in 0..annotators {
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
            output.expect("the system has no other output");
        }
    }
    import.commit().await.expect("the import is whole");
    let mut desks = Vec::with_capacity(annotators);
    for number in 0..annotators {
        let person = PersonId(fresh_id());
        let name = format!("simulated-annotator-{number}");
        let created = store.create_person(person, &name, None, false, now_ms);
        created.await.expect("the name is free");
        let added = store.add_member(study, person, Role::Annotator, now_ms);
        added.await.expect("the study is open");
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
        desks.push(AnnotatorDesk {
            person,
            cookie: sign_in(database, person, now_ms).await,
            assignment,
            outputs: items.iter().map(|item| item.output).collect(),
        });
    }
    store.close().await;
    desks
}
