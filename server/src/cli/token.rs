use anyhow::Context as _;
use app::components::iso_date;
use domain::{
    ids::{ApiTokenId, PersonId},
    study::Slug,
};
use serde::Serialize;
use service::accounts::SecretToken;
use store::{
    Store, StudyAccess,
    api_tokens::{ApiToken, NewApiToken, TokenAccess, TokenStudies},
    audit::{AuditKind, AuditSubject},
};
use utoipa::ToSchema;

use super::{output::CommandOutput, study::find_study, user::find_person};
use crate::{audit::command_entry, clock, database, settings::DataSettings};

const DAY_MS: i64 = 24 * 60 * 60 * 1000;

/// Commands for the tokens by which programs use the HTTP API. They may be used while the server runs.
#[derive(Debug, clap::Subcommand)]
pub(crate) enum TokenCommand {
    /// Make a token for a person, which is printed once. It can never do more than the person can.
    Add {
        /// The name the person signs in with.
        person: String,
        /// The token's name, such as the notebook it is for.
        #[arg(long, default_value = "command line")]
        name: String,
        /// Let it change studies; otherwise it only reads.
        #[arg(long)]
        write: bool,
        /// A study that it is for, by its short name; may be repeated.
        #[arg(
            long = "study",
            value_name = "STUDY",
            required_unless_present = "all_studies"
        )]
        studies: Vec<Slug>,
        /// For all studies of the person, including future ones.
        #[arg(long, conflicts_with = "studies")]
        all_studies: bool,
        /// The number of days for which it works.
        #[arg(long, default_value_t = 90, value_parser = clap::value_parser!(i64).range(1..=366))]
        days: i64,
    },
    /// List a person's tokens.
    List {
        /// The name the person signs in with.
        person: String,
    },
    /// Revoke a token, by its id in the list.
    Revoke {
        /// The name the person signs in with.
        person: String,
        /// The token's id.
        token: ApiTokenId,
    },
}

/// A token, as commands print it.
#[derive(Debug, Serialize, ToSchema)]
pub(super) struct TokenDetails<'a> {
    /// The token.
    id: ApiTokenId,
    /// Its name.
    name: &'a str,
    /// Whose it is.
    person: &'a str,
    /// `read` or `write`.
    access: &'static str,
    /// Short names; null for all studies of the person.
    studies: Option<Vec<Slug>>,
    /// When it ends, in milliseconds since 1970, UTC.
    expires_at: i64,
    /// When it was last used, in milliseconds since 1970, UTC.
    #[serde(skip_serializing_if = "Option::is_none")]
    used_at: Option<i64>,
    /// The token itself, once it was made.
    #[serde(skip_serializing_if = "Option::is_none")]
    token: Option<&'a str>,
}

/// A person's tokens, as they are printed.
#[derive(Debug, Serialize, ToSchema)]
pub(super) struct TokenListing<'a> {
    /// All tokens of the person.
    tokens: Vec<TokenDetails<'a>>,
}

/// A revoked token, as it is printed.
#[derive(Debug, Serialize, ToSchema)]
pub(super) struct RevokedToken<'a> {
    /// The token.
    id: ApiTokenId,
    /// Its name.
    name: &'a str,
    /// Whether it worked until now.
    revoked: bool,
}

impl TokenCommand {
    pub(crate) async fn run(
        self,
        mut output: CommandOutput,
        data: &DataSettings,
    ) -> anyhow::Result<()> {
        let store = match self {
            Self::List { .. } => database::open_to_read(data).await?,
            _ => database::open_existing(data).await?,
        };

        match self {
            Self::Add {
                person,
                name,
                write,
                studies,
                all_studies: _,
                days,
            } => {
                let person = find_person(&store, &person).await?;
                let chosen = choose_studies(&store, person.id, &person.name, &studies).await?;
                let token = SecretToken::new_api(clock::random());
                let now = clock::now_ms();
                let access = match write {
                    true => TokenAccess::Write,
                    false => TokenAccess::Read,
                };

                let new = NewApiToken {
                    id: ApiTokenId(clock::new_id()),
                    token_hash: &token.hash(),
                    person: person.id,
                    name: &name,
                    access,
                    studies: &chosen,
                    expires_at: now + days * DAY_MS,
                };

                let subject = AuditSubject::Person(person.id);
                store
                    .audited(command_entry(AuditKind::TokenMade, None, subject))
                    .create_api_token(&new, now)
                    .await?;

                let details = TokenDetails {
                    id: new.id,
                    name: &name,
                    person: &person.name,
                    access: access.name(),
                    studies: (chosen != TokenStudies::All).then_some(studies),
                    expires_at: new.expires_at,
                    used_at: None,
                    token: Some(token.secret()),
                };
                output.print(&details, || {
                    format!(
                        "{}: made the token “{name}” ({access}, {days} days)\ntoken (shown this once): {}",
                        person.name,
                        token.secret()
                    )
                })
            }
            Self::List { person } => {
                let person = find_person(&store, &person).await?;
                let tokens = store.api_tokens(person.id).await?;
                let mut listing = Vec::new();
                for token in &tokens {
                    listing.push(TokenDetails {
                        id: token.id,
                        name: &token.name,
                        person: &person.name,
                        access: token.access.name(),
                        studies: short_names(&store, token).await?,
                        expires_at: token.expires_at,
                        used_at: token.used_at,
                        token: None,
                    });
                }

                let report = TokenListing { tokens: listing };
                output.print(&report, || report.tokens.iter().map(token_line).collect())
            }
            Self::Revoke { person, token } => {
                let person = find_person(&store, &person).await?;
                let tokens = store.api_tokens(person.id).await?;
                let found = tokens.iter().find(|other| other.id == token);
                let found = found.with_context(|| {
                    format!(
                        "{0} has no token {token}: see `rankrate token list {0}`",
                        person.name
                    )
                })?;

                let subject = AuditSubject::Person(person.id);
                let revoked = store
                    .audited(command_entry(AuditKind::TokenRevoked, None, subject))
                    .revoke_api_token(person.id, token)
                    .await?;

                let report = RevokedToken {
                    id: token,
                    name: &found.name,
                    revoked,
                };
                output.print(&report, || {
                    format!("{}: revoked “{}”", person.name, found.name)
                })
            }
        }
    }
}

/// Finds the studies with these short names, each of which the person must lead or research. Without names, the token
/// is for all studies.
async fn choose_studies(
    store: &Store,
    person: PersonId,
    name: &str,
    slugs: &[Slug],
) -> anyhow::Result<TokenStudies> {
    if slugs.is_empty() {
        return Ok(TokenStudies::All);
    }

    let mut studies = Vec::new();
    for slug in slugs {
        let study = find_study(store, slug).await?.id;
        let access = store.study_access(person, slug).await?;
        let access = access.filter(StudyAccess::researches);
        access.with_context(|| format!("{name} neither leads nor researches {slug}"))?;
        if !studies.contains(&study) {
            studies.push(study);
        }
    }

    Ok(TokenStudies::Only(studies))
}

/// The short names of a token's studies; `None` if it is for all studies of its person.
async fn short_names(store: &Store, token: &ApiToken) -> anyhow::Result<Option<Vec<Slug>>> {
    let TokenStudies::Only(studies) = &token.studies else {
        return Ok(None);
    };
    let mut names = Vec::new();
    for study in studies {
        names.extend(store.study(*study).await?.map(|study| study.slug));
    }
    Ok(Some(names))
}

fn token_line(token: &TokenDetails<'_>) -> String {
    let studies = match &token.studies {
        None => "all studies".to_owned(),
        Some(studies) => {
            let names: Vec<_> = studies.iter().map(Slug::as_str).collect();
            names.join(", ")
        }
    };
    let state = match token.expires_at > clock::now_ms() {
        true => "works",
        false => "expired",
    };
    let used = match token.used_at {
        Some(at) => format!("last used on {}", iso_date(at)),
        None => "never used".to_owned(),
    };

    format!(
        "{}  {}  {}  {studies}  {state}  {used}\n",
        token.id, token.name, token.access
    )
}
