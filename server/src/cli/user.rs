use std::{
    io::{BufRead as _, stdin},
    str::FromStr,
};

use anyhow::{Context as _, bail};
use domain::{
    ids::PersonId,
    study::{Role, Slug, UnknownRole},
};
use serde::Serialize;
use service::accounts::password;
use store::{
    Person, Store,
    audit::{AuditKind, AuditSubject},
    erasure::AccountErasure,
};
use utoipa::ToSchema;

use super::output::CommandOutput;
use crate::{audit::command_entry, clock, database, settings::DataSettings};

/// Commands for user accounts. They may be used while the server runs.
#[derive(Debug, clap::Subcommand)]
pub(crate) enum UserCommand {
    /// Add a person who can sign in.
    Add {
        /// The name to sign in with.
        name: String,
        /// Make them an administrator of the platform: of every study and every account.
        #[arg(long)]
        admin: bool,
        #[command(flatten)]
        password: PasswordArgs,
    },
    /// List all accounts.
    List,
    /// Give a person a new password, which signs them out everywhere.
    Reset {
        /// The name they sign in with.
        name: String,
        #[command(flatten)]
        password: PasswordArgs,
    },
    /// Set a person's role in a study; an administrator needs none.
    Role {
        /// The name they sign in with.
        name: String,
        /// The study's short name.
        study: Slug,
        /// lead, researcher or annotator; none takes them out of the study.
        role: StudyRole,
    },
    /// Erase a person's account: name, password, roles. Their ratings stay under a pseudonym.
    Erase {
        /// The name they sign in with.
        name: String,
        /// Also erase their notes, reasons for skipping and questions to raters.
        #[arg(long)]
        comments: bool,
        /// Also erase their ratings and other answers in every study.
        #[arg(long)]
        ratings: bool,
        /// Erase it; otherwise the command only says what would go.
        #[arg(long)]
        yes: bool,
    },
}

/// A role in a study, or none.
#[derive(Debug, Clone, Copy)]
pub(crate) struct StudyRole(Option<Role>);

impl FromStr for StudyRole {
    type Err = UnknownRole;

    fn from_str(text: &str) -> Result<Self, UnknownRole> {
        if text == "none" {
            Ok(Self(None))
        } else {
            text.parse().map(|role| Self(Some(role)))
        }
    }
}

/// The origin of a new password; by default it is generated and printed once.
#[derive(Debug, clap::Args)]
pub(crate) struct PasswordArgs {
    /// Read it from the first line of standard input.
    #[arg(long, conflicts_with = "prompt")]
    password_stdin: bool,
    /// Ask for it on the terminal.
    #[arg(long)]
    prompt: bool,
}

/// A person, as commands print them.
#[derive(Debug, Serialize, ToSchema)]
pub(super) struct AccountDetails<'a> {
    /// The person.
    id: PersonId,
    /// The name to sign in with.
    name: &'a str,
    /// Whether they manage accounts.
    admin: bool,
    /// Whether they can no longer sign in.
    disabled: bool,
    /// The password, where it was generated.
    #[serde(skip_serializing_if = "Option::is_none")]
    password: Option<&'a str>,
}

/// All accounts, as they are printed.
#[derive(Debug, Serialize, ToSchema)]
pub(super) struct AccountListing<'a> {
    /// All accounts.
    users: Vec<AccountDetails<'a>>,
}

/// The parts that go with an account, or went, as they are printed.
#[derive(Debug, Serialize, ToSchema)]
pub(super) struct ErasedAccount<'a> {
    /// The name.
    name: &'a str,
    /// Whether it was erased, or this is what would go.
    erased: bool,
    /// Whether comments go as well.
    comments: bool,
    /// Whether ratings go as well.
    ratings: bool,
    /// The names of the studies in which the person has a role or ratings.
    studies: Vec<&'a str>,
}

/// A person's new role in a study, as it is printed.
#[derive(Debug, Serialize, ToSchema)]
pub(super) struct GrantedRole<'a> {
    /// The name.
    name: &'a str,
    /// Short name of the study.
    study: &'a Slug,
    /// The role.
    role: &'static str,
}

impl UserCommand {
    pub(crate) async fn run(
        self,
        mut output: CommandOutput,
        data: &DataSettings,
    ) -> anyhow::Result<()> {
        let store = match self {
            Self::Add { .. } => database::open(data).await?,
            Self::List => database::open_to_read(data).await?,
            _ => database::open_existing(data).await?,
        };

        match self {
            Self::Add {
                name,
                admin,
                password,
            } => {
                let (password, made) = password.get(&name)?;
                let hash = password::hash(&name, &password, clock::random()).await?;
                let id = PersonId(clock::new_id());
                let now = clock::now_ms();
                let kind = match admin {
                    true => AuditKind::AdminAdded,
                    false => AuditKind::AccountAdded,
                };

                let person = store
                    .audited(command_entry(kind, None, AuditSubject::Person(id)))
                    .create_person(id, &name, Some(&hash), admin, now)
                    .await?;

                let generated_password = made.then_some(&*password);
                output.print(&account_details(&person, generated_password), || {
                    lines("added", &person, generated_password)
                })
            }
            Self::List => {
                let people = store.people().await?;
                let entries: Vec<_> = people
                    .iter()
                    .map(|person| account_details(person, None))
                    .collect();
                output.print(&AccountListing { users: entries }, || {
                    people.iter().map(line).collect()
                })
            }
            Self::Reset { name, password } => {
                let person = find_person(&store, &name).await?;
                let (password, made) = password.get(&name)?;
                let hash = password::hash(&name, &password, clock::random()).await?;

                let subject = AuditSubject::Person(person.id);
                store
                    .audited(command_entry(AuditKind::PasswordReset, None, subject))
                    .set_password_hash(person.id, Some(&hash))
                    .await?;

                let generated_password = made.then_some(&*password);
                output.print(&account_details(&person, generated_password), || {
                    lines("has a new password", &person, generated_password)
                })
            }
            Self::Role { name, study, role } => {
                let person = find_person(&store, &name).await?;
                set_role(&store, &person, &study, role.0).await?;
                let role = role.0.map_or("none", Role::name);
                let granted = GrantedRole {
                    name: &person.name,
                    study: &study,
                    role,
                };
                output.print(&granted, || format!("{}: {role} in {study}", person.name))
            }
            Self::Erase {
                name,
                comments,
                ratings,
                yes,
            } => {
                let person = find_person(&store, &name).await?;
                let also = AccountErasure { comments, ratings };
                erase(output, &store, &person, also, yes).await
            }
        }
    }
}

impl PasswordArgs {
    /// Reads or generates the password. The flag is `true` if it was generated.
    fn get(&self, name: &str) -> anyhow::Result<(String, bool)> {
        if self.password_stdin {
            let mut line = String::new();
            stdin()
                .lock()
                .read_line(&mut line)
                .context("no password came on standard input")?;
            return Ok((line.trim_end_matches(['\r', '\n']).to_owned(), false));
        }

        if self.prompt {
            let ask = |label: &str| {
                rpassword::prompt_password(format!("{label} for {name}: "))
                    .context("there is no terminal to ask for a password on")
            };
            let password = ask("New password")?;
            if password != ask("The same once more")? {
                bail!("these were two different passwords: nothing was changed");
            }
            return Ok((password, false));
        }

        Ok((password::generate(clock::random()), true))
    }
}

/// Erases a person's account, or says what would go.
async fn erase(
    mut output: CommandOutput,
    store: &Store,
    person: &Person,
    also: AccountErasure,
    yes: bool,
) -> anyhow::Result<()> {
    let studies = store.account_studies(person.id).await?;
    if yes {
        let subject = AuditSubject::Person(person.id);
        store
            .audited(command_entry(AuditKind::PersonErased, None, subject))
            .erase_person(person.id, also, clock::now_ms())
            .await?;
        store.finish_erasures().await?;
    }

    let account = ErasedAccount {
        name: &person.name,
        erased: yes,
        comments: also.comments,
        ratings: also.ratings,
        studies: studies.iter().map(|study| study.name.as_str()).collect(),
    };
    output.print(&account, || erasure_lines(&account))
}

fn erasure_lines(account: &ErasedAccount<'_>) -> String {
    let ErasedAccount { name, studies, .. } = account;
    let mut goes = vec!["name, password, sessions and roles"];
    if account.comments {
        goes.push("comments");
    }
    if account.ratings {
        goes.push("ratings");
    }
    let goes = goes.join("; ");

    let studies = match &studies[..] {
        [] => "none".to_owned(),
        studies => studies.join(", "),
    };

    if account.erased {
        format!(
            "{name}: erased: {goes}\nstudies: {studies}\nBackups made before still hold the account."
        )
    } else {
        format!("{name}: nothing was erased; with --yes this goes: {goes}\nstudies: {studies}")
    }
}

/// Sets a person's role in a study; `None` takes them out of it.
async fn set_role(
    store: &Store,
    person: &Person,
    slug: &Slug,
    role: Option<Role>,
) -> anyhow::Result<()> {
    let study = store.study_by_slug(slug).await?;
    let study = study
        .with_context(|| format!("there is no study “{slug}”"))?
        .id;

    let now = clock::now_ms();
    let audited = |kind, subject| store.audited(command_entry(kind, Some(study), subject));

    let Some(role) = role else {
        audited(AuditKind::MemberRemoved, AuditSubject::Person(person.id))
            .remove_member(study, person.id, now)
            .await?;
        return Ok(());
    };

    let member = AuditSubject::Member(person.id);
    let has_changed = audited(AuditKind::RoleChanged, member.clone())
        .set_role(study, person.id, role, now)
        .await?;
    if !has_changed {
        audited(AuditKind::MemberAdded, member)
            .add_member(study, person.id, role, now)
            .await?;
    }
    Ok(())
}

/// Finds the person with this name.
pub(super) async fn find_person(store: &Store, name: &str) -> anyhow::Result<Person> {
    let account = store.person_named(name).await?;
    let (person, _) =
        account.with_context(|| format!("nobody is called “{name}”: see `rankrate user list`"))?;
    Ok(person)
}

fn account_details<'a>(person: &'a Person, password: Option<&'a str>) -> AccountDetails<'a> {
    let Person {
        id,
        name,
        is_admin,
        disabled,
        is_crowd: _,
    } = person;
    AccountDetails {
        id: *id,
        name,
        admin: *is_admin,
        disabled: *disabled,
        password,
    }
}

fn line(person: &Person) -> String {
    let admin = if person.is_admin {
        "  administrator"
    } else {
        ""
    };
    let disabled = if person.disabled { "  disabled" } else { "" };
    format!("{}{admin}{disabled}\n", person.name)
}

fn lines(what: &str, person: &Person, made: Option<&str>) -> String {
    let mut text = format!("{}: {what}", person.name);
    if let Some(password) = made {
        text.push_str(&format!("\npassword (shown this once): {password}"));
    }
    text
}
