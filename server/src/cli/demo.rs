use std::fmt;

use domain::ids::PersonId;
use serde::Serialize;
use service::accounts::password;
use store::{
    Store,
    audit::{AuditKind, AuditSubject},
};
use utoipa::ToSchema;

use super::output::CommandOutput;
use crate::{audit::command_entry, clock, database, demo, settings::DataSettings};

/// The name of the demonstration's lead.
const LEAD: &str = "lead";

/// Loads the study and prints how to sign in.
pub(super) async fn run(
    mut output: CommandOutput,
    data: &DataSettings,
    with_metrics: bool,
) -> anyhow::Result<()> {
    let store = database::open(data).await?;
    let loaded = load(&store, with_metrics).await?;
    output.print(&loaded, || loaded.to_string())
}

/// The result of loading the study.
#[derive(Debug, Serialize, ToSchema)]
pub(super) struct DemoReport {
    /// Whether the study is new.
    loaded: bool,
    /// The name to sign in with.
    name: &'static str,
    /// The password, where the account is new.
    password: Option<String>,
}

impl fmt::Display for DemoReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.loaded {
            writeln!(f, "The demonstration study is loaded.")?;
        }

        let name = self.name;
        match &self.password {
            Some(password) => {
                write!(
                    f,
                    "Sign in as “{name}” with the password {password} (shown this once)."
                )
            }
            None => {
                write!(
                    f,
                    "Sign in as “{name}”; `rankrate user reset {name}` makes a new password."
                )
            }
        }
    }
}

/// Loads the study, unless it exists, and makes sure that it has a lead.
pub(super) async fn load(store: &Store, with_metrics: bool) -> anyhow::Result<DemoReport> {
    let (id, password) = find_or_create_lead(store).await?;
    let loaded = demo::load(store, Some(id), with_metrics).await?;
    Ok(DemoReport {
        loaded,
        name: LEAD,
        password,
    })
}

/// Returns the demonstration's lead, with the password if the account is new. A new lead becomes an administrator if
/// there is none.
async fn find_or_create_lead(store: &Store) -> anyhow::Result<(PersonId, Option<String>)> {
    if let Some((person, _)) = store.person_named(LEAD).await? {
        return Ok((person.id, None));
    }

    let password = password::generate(clock::random());
    let hash = password::hash(LEAD, &password, clock::random()).await?;
    let is_admin = store.count_admins().await? == 0;
    let id = PersonId(clock::new_id());
    let kind = match is_admin {
        true => AuditKind::AdminAdded,
        false => AuditKind::AccountAdded,
    };

    store
        .audited(command_entry(kind, None, AuditSubject::Person(id)))
        .create_person(id, LEAD, Some(&hash), is_admin, clock::now_ms())
        .await?;
    Ok((id, Some(password)))
}
