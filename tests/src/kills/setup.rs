//! The study and the accounts of the simulated annotators.

use domain::{
    ids::PersonId,
    study::{Role, SourcePurpose, SystemKind},
};
use service::accounts::password;
use store::import::NewOutput;

use crate::{NOW, TestDatabase, fresh_id, servers::automatic_answers};

/// The study's short name.
pub(super) const STUDY: &str = "kill-test";

/// The password of every simulated annotator.
pub(super) const PASSWORD: &str = "correct horse";

const ANNOTATORS: usize = 8;
const SOURCES: usize = 40;
const OUTPUTS: usize = 3;

/// The account of a simulated annotator.
#[derive(Debug, Clone)]
pub(super) struct AnnotatorAccount {
    pub(super) person: PersonId,
    pub(super) name: String,
}

/// Makes the study, its texts and its annotators, and closes the database: after a kill, the server that
/// starts again must be the one to recover it.
pub(super) async fn prepare_study(database: &TestDatabase) -> Vec<AnnotatorAccount> {
    let store = &database.store;
    // Without an administrator each start of a server would make a link for the first one.
    database.add_admin("simulated-admin").await;
    let study = database.add_study(STUDY, None).await;
    let import = store.begin_import(study, NOW, fresh_id).await;
    let mut import = import.expect("nobody else imports");

    for number in 1..=SOURCES {
        let text = format!("The source number {number}.");
        let source = import.source(None, &text, SourcePurpose::Main);
        let source = source.expect("the text is new");
        for system in 1..=OUTPUTS {
            let text = format!("Output {system} of source {number}.");
            let name = format!("system {system}");
            let system = import.system(&name, Some(SystemKind::Machine));
            let new = NewOutput::new(source, system.expect("a plain name"), &text);
            let output = import.output(&new, automatic_answers);
            output.expect("the system has no other output");
        }
    }
    import.commit().await.expect("the import is whole");

    let hash = password::hash("simulated", PASSWORD, [7; 32]).await;
    let hash = hash.expect("the password is good enough");
    let mut accounts = Vec::with_capacity(ANNOTATORS);
    for number in 1..=ANNOTATORS {
        let (person, name) = (
            PersonId(fresh_id()),
            format!("simulated-annotator-{number}"),
        );
        let created = store.create_person(person, &name, Some(&hash), false, NOW);
        created.await.expect("the name is free");
        let added = store.add_member(study, person, Role::Annotator, NOW);
        added.await.expect("the study is open");
        accounts.push(AnnotatorAccount { person, name });
    }
    store.close().await;
    accounts
}
