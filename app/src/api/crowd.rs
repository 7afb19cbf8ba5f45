//! Crowd raters: set up by leads; they begin through a link, can continue in another browser, and end with a code.

use domain::crowd::CrowdEnd;
use leptos::prelude::*;
use serde::{Deserialize, Serialize};

use crate::error::Refusal;

#[cfg(feature = "ssr")]
use {
    super::ssr::*,
    crate::sessions::LinkSession,
    domain::{
        crowd::{CompletionCodes, CrowdSettings, FailedChecksRule},
        ids::{ParticipantId, PersonId},
        screening::RaterScreening,
    },
    store::{
        comprehension::PlatformIds,
        crowd::{NewCrowdRater, NotAResumeKey, ResumeKey},
    },
};

/// The codes shown at the end, as form fields; empty for none.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct CodeFields {
    /// The code for raters who did their sources.
    pub completed: String,
    /// The code for raters who are screened out.
    pub screened_out: String,
    /// The code for raters who failed attention items.
    pub failed_checks: String,
    /// The code for raters who come when no place is left.
    pub quota_full: String,
    /// The return link shown next to the codes.
    pub return_link: String,
}

/// The rule for failed attention items, as form fields.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct FailedItemFields {
    /// The number of failed items that has a consequence; 0 for never.
    pub from: String,
    /// The consequence.
    pub consequence: String,
}

/// Opens the study to crowd raters or closes it, and saves what they are asked and told.
///
/// # Errors
/// [`Refusal::NotAllowed`] unless the person leads the study; [`Refusal::Invalid`] for invalid fields, and for opening a
/// study without an information sheet, or without a code for each end.
#[server(endpoint = "set-crowd")]
pub async fn set_crowd(
    slug: String,
    /// Present where crowd raters may begin.
    #[server(default)]
    is_open: Option<String>,
    /// Sources for each crowd rater; 0 for all.
    sources_each: String,
    /// Present where crowd raters need the platform's ID in their link.
    #[server(default)]
    needs_platform_id: Option<String>,
    /// Screening questions, one a line.
    #[server(default)]
    screening: String,
    /// The rule for failed attention items.
    #[server(default)]
    failed: FailedItemFields,
    /// The codes shown at the end.
    #[server(default)]
    codes: CodeFields,
) -> Result<(), Refusal> {
    let access = lead_access(&slug).await?;
    if is_open.is_some() && access.study.information.trim().is_empty() {
        return Err(Refusal::invalid(
            "There is no information sheet yet that crowd raters can agree to. Write it under Settings, Texts, then \
             open the study to them.",
        ));
    }

    let experiment = services().store.experiment_of(access.study.id).await;
    if is_open.is_some() && experiment.map_err(refuse)?.is_some() {
        return Err(Refusal::invalid(
            "This study is part of an experiment. Crowd raters see one study only, so they cannot take part in it: invite \
             annotators.",
        ));
    }

    let return_link = parse::optional_line(&codes.return_link, "The link at the end", 2_000)?;
    if !return_link.is_empty() && !return_link.starts_with("https://") {
        return Err(Refusal::invalid(
            "The link at the end must start with https://.",
        ));
    }

    let screening = parse::text(&screening, "The screening questions")?;
    let screening = RaterScreening::parse(&screening)
        .map_err(|bad| Refusal::invalid(format!("Screening questions, {bad}.")))?;

    let code =
        |text: &str, name: &str| parse::optional_line(text, name, CrowdSettings::LONGEST_CODE);
    let crowd = CrowdSettings {
        is_open: is_open.is_some(),
        sources_each: parse::integer(
            &sources_each,
            "The number of sources",
            0..=CrowdSettings::MOST_SOURCES,
        )?,
        needs_platform_id: needs_platform_id.is_some(),
        screening,
        failed_checks: FailedChecksRule {
            from: parse::integer(
                &failed.from,
                "The number of failed attention items",
                0..=FailedChecksRule::MOST,
            )?,
            consequence: parse::choice(&failed.consequence)?,
        },
        codes: CompletionCodes {
            completed: code(&codes.completed, "The completion code")?,
            screened_out: code(
                &codes.screened_out,
                "The code for people who are screened out",
            )?,
            failed_checks: code(&codes.failed_checks, "The code for failed attention items")?,
            quota_full: code(&codes.quota_full, "The code for when all places are taken")?,
        },
        return_link,
    };

    let settings = StudySettings {
        crowd,
        ..access.study.settings.clone()
    };
    require_codes(&settings)?;

    store_settings(access.study.id, &settings).await?;

    let message = match settings.crowd.is_open {
        true => "The settings have been saved. Crowd raters can begin by a link.",
        false => "The settings have been saved. Nobody new can begin by a link.",
    };
    redirect_with(StudyPage::Crowd, &slug, message)
}

/// The name of an end's code, as its form field is called.
pub const fn code_name(end: CrowdEnd) -> &'static str {
    match end {
        CrowdEnd::Completed | CrowdEnd::Withdrawn | CrowdEnd::Excluded | CrowdEnd::Lapsed => {
            "Completion code"
        }
        CrowdEnd::ScreenedOut => "Code for people who are screened out",
        CrowdEnd::FailedChecks | CrowdEnd::Paused => "Code for failed attention items",
        CrowdEnd::QuotaFull => "Code for when all places are taken",
    }
}

/// Refuses settings that open the study to crowd raters while their work can end without a code.
///
/// # Errors
/// [`Refusal::Invalid`], which names the missing codes.
#[cfg(feature = "ssr")]
pub(super) fn require_codes(
    settings: &domain::study::StudySettings,
) -> Result<(), crate::error::Refusal> {
    let lacking = settings.ends_without_code();
    if !settings.crowd.is_open || lacking.is_empty() {
        return Ok(());
    }

    let names: Vec<_> = lacking.into_iter().map(code_name).collect();
    Err(crate::error::Refusal::invalid(format!(
        "Everybody who works must get a code, however their work ends, or they are not paid. Fill in under Crowd raters: \
         {}.",
        names.join(", ")
    )))
}

/// Begins a crowd rater's session through a link: with a new account without a password, or with the account
/// of the platform's participant. Leads to their work, or back to the link's page where their answers or a
/// lack of places end it.
///
/// # Errors
/// [`Refusal::Invalid`] where the link does not work, the study isn't open to crowd raters, consent, a
/// screening answer or a required platform ID is missing, or an account is signed in in this browser;
/// [`Refusal::TooMany`] after too many people from the address.
#[server(endpoint = "crowd/begin")]
pub async fn begin_crowd(
    /// The token at the end of the link.
    token: String,
    /// Present where the person consents.
    #[server(default)]
    consent: String,
    /// Present where the page said that no place is left, and the person asks for the code.
    #[server(default)]
    full: String,
    /// The answers to the screening questions, in their order.
    #[server(default)]
    screening: Vec<String>,
    /// The recruitment platform's id for the person; may be empty.
    #[server(default)]
    participant: String,
    /// The platform's id for its study.
    #[server(default)]
    platform_study: String,
    /// The platform's id for its session.
    #[server(default)]
    platform_session: String,
) -> Result<(), Refusal> {
    let visitor = visitor();
    require_no_account(&visitor)?;
    if consent.is_empty() && full.is_empty() {
        return Err(Refusal::invalid(
            "Tick the box to confirm that you have read the information and want to take part, or close this page.",
        ));
    }

    let line = |text: &str| parse::optional_line(text, "The platform's ID", 200);
    let (participant, platform_study, platform_session) = (
        line(&participant)?,
        line(&platform_study)?,
        line(&platform_session)?,
    );

    let answers = screening
        .iter()
        .take(100)
        .map(|answer| parse::optional_line(answer, "An answer", 300))
        .collect::<Result<Vec<_>, _>>()?;

    let services = services();
    let session = LinkSession::begin();
    // Never 0, which means that there is none.
    let secret = services.context.new_seed() | 1;

    let place = services
        .store
        .join_crowd(
            &NewCrowdRater {
                id: ParticipantId(services.context.new_id()),
                person: PersonId(services.context.new_id()),
                signed_in: visitor.session.map(|session| session.person.id),
                secret,
                link_hash: &SecretToken::from_text(&token).hash(),
                platform: PlatformIds {
                    participant: Some(participant.as_str()).filter(|id| !id.is_empty()),
                    study: &platform_study,
                    session: &platform_session,
                },
                consents: !consent.is_empty(),
                screening: &answers,
                network: &network_hash(visitor.address),
                session: session.stored(),
            },
            services.context.now_ms(),
        )
        .await
        .map_err(refuse)?;

    session.send();
    let study = services.store.study(place.study).await.map_err(refuse)?;
    match (place.end, study) {
        (None, Some(study)) => see_other(&StudyPage::Work.path(&study.slug)),
        _ => see_other(&links::crowd_link(&token)),
    }
    Ok(())
}

/// Refuses a visitor who is signed in with an account.
///
/// # Errors
/// [`Refusal::Invalid`] where they are.
#[cfg(feature = "ssr")]
fn require_no_account(visitor: &crate::visitor::Visitor) -> Result<(), Refusal> {
    match &visitor.session {
        Some(session) if !session.person.is_crowd => Err(Refusal::invalid(
            "You are signed in with an account in this browser. Open the link in a private window.",
        )),
        _ => Ok(()),
    }
}

/// Begins a session for the crowd rater that the key belongs to, and leads to their work.
///
/// # Errors
/// [`Refusal::Invalid`] where the key leads to no place, or an account is signed in in this browser;
/// [`Refusal::TooMany`] after too many people from the address.
#[server(endpoint = "crowd/resume")]
pub async fn resume_crowd(
    /// The end of the address that the crowd rater was shown.
    key: String,
) -> Result<(), Refusal> {
    let visitor = visitor();
    require_no_account(&visitor)?;

    let key: ResumeKey = key
        .parse()
        .map_err(|error: NotAResumeKey| Refusal::invalid(error.to_string()))?;

    let (store, now) = store_and_now();
    let session = LinkSession::begin();
    let place = store
        .resume_crowd(key, &network_hash(visitor.address), session.stored(), now)
        .await
        .map_err(refuse)?;

    session.send();
    let study = store.study(place.study).await.map_err(refuse)?;
    let study = study.ok_or(Refusal::NotFound)?;
    redirect_to(StudyPage::Work, &study.slug)
}

/// Ends a crowd rater's work and stores their comment; the next page shows their code.
///
/// # Errors
/// [`Refusal::NotAllowed`] unless the person is a crowd rater; [`Refusal::Invalid`] where there is still
/// something to judge.
#[server(endpoint = "crowd/finish")]
pub async fn finish_crowd(
    slug: String,
    /// An optional comment.
    #[server(default)]
    comment: String,
) -> Result<(), Refusal> {
    let access = access(&slug).await?;
    if !access.person.is_crowd {
        return Err(Refusal::NotAllowed);
    }

    let comment = parse::text(&comment, "The comment")?;

    let (store, now) = store_and_now();
    store
        .finish_crowd_work(access.study.id, access.person.id, &comment, now)
        .await
        .map_err(refuse)?;

    redirect_to(StudyPage::Work, &access.study.slug)
}
