//! Links for joining a study or taking part as a reader.

use leptos::prelude::*;

use crate::error::Refusal;

/// Creates a link that a number of people can follow once each, to join the study, or to read or rate for it
/// without an account. The next page shows it, and no page after that.
///
/// # Errors
/// [`Refusal::NotAllowed`] unless the person leads the study; [`Refusal::Invalid`] for numbers out of range,
/// an unknown group, or a missing information sheet; [`Refusal::ConfirmPassword`] where the link makes leads
/// or researchers and the password was typed too long ago.
#[server(endpoint = "invite")]
pub async fn invite(
    slug: String,
    /// The role of people who follow the link: a study role, `participant` or `crowd`.
    role: String,
    /// The id of the group that annotators are put into; empty for none.
    #[server(default)]
    group: String,
    /// The lead's label for the link, such as a course; may be empty.
    #[server(default)]
    label: String,
    /// The number of people who may follow it.
    uses: String,
    /// The number of days for which the link works.
    days: String,
) -> Result<(), Refusal> {
    use domain::{comprehension::ParticipantCapacity, study::Role};
    use store::{
        InvitationTarget, NewInvitation,
        audit::{AuditKind, AuditSubject},
    };

    use crate::{
        flash::{self, Flash},
        links::{self, StudyPage},
        request::{absolute, audited, lead_access, parse, refuse, require_confirmed, see_other},
        services,
    };
    use service::accounts::SecretToken;

    let access = lead_access(&slug).await?;
    let opens: InvitationTarget = parse::choice(&role)?;
    if let InvitationTarget::Membership(Role::Lead | Role::Researcher) = opens {
        require_confirmed()?;
    }

    let group = Some(group.as_str()).filter(|group| !group.is_empty());
    if group.is_some() && access.study.settings.group(group).is_none() {
        return Err(Refusal::invalid(
            "The study has no such group any more. Reload the page and choose another.",
        ));
    }
    let makes_annotators = matches!(
        opens,
        InvitationTarget::Membership(Role::Annotator) | InvitationTarget::Crowd
    );
    if group.is_some() && !makes_annotators {
        return Err(Refusal::invalid(
            "Only annotators are in groups. Choose “Annotator” as the role, or “no group”.",
        ));
    }

    let label = parse::optional_line(&label, "The label", 80)?;
    let uses = parse::integer(&uses, "The number of people", 1..=10_000)?;
    let days = parse::integer(&days, "The number of days", 1..=365)?;

    let services = services();
    let mut warning = String::new();
    if opens == InvitationTarget::Crowd && access.study.information.trim().is_empty() {
        return Err(Refusal::invalid(
            "There is no information sheet yet that crowd raters can agree to. Write it under Settings, Texts, then \
             make the link.",
        ));
    }

    let now = services.context.now_ms();
    if opens == InvitationTarget::Comprehension {
        let (store, study) = (&services.store, access.study.id);
        let settings = store.comprehension_settings(study).await.map_err(refuse)?;
        if settings.is_none_or(|settings| settings.information.is_empty()) {
            return Err(Refusal::invalid(
                "There is no information sheet for readers yet. Write it under Set-up on this page, then make \
                 the link.",
            ));
        }
        let outlook = store
            .comprehension_outlook(study, ParticipantCapacity::MAX_PLACES, now)
            .await
            .map_err(refuse)?;
        let places = i64::from(outlook.unwrap_or_default().places);
        if uses > places && places < i64::from(ParticipantCapacity::MAX_PLACES) {
            warning = format!(
                "Only {places} of the {uses} people can take part, because there are no more places. The \
                 others will see that before they begin. "
            );
        }
    }

    let token = SecretToken::new(services.context.random_bytes());
    let hash = token.hash();
    let new = NewInvitation {
        token_hash: &hash,
        target: opens,
        label: &label,
        uses,
        expires_at: now + days * 24 * 60 * 60 * 1000,
        created_by: Some(access.person.id),
        group,
    };

    let (study, subject) = (access.study.id, AuditSubject::Invitation(hash.clone()));
    audited(AuditKind::InvitationMade, Some(study), subject)
        .create_invitation(study, &new, now)
        .await
        .map_err(refuse)?;

    let secret = token.secret();
    let (purpose, link, page) = match opens {
        InvitationTarget::Membership(_) => ("join", links::invitation(secret), StudyPage::Members),
        InvitationTarget::Comprehension => {
            ("read", links::participant_link(secret), StudyPage::Reading)
        }
        InvitationTarget::Crowd => {
            if !access.study.settings.crowd.is_open {
                warning =
                    "Nobody can begin by it before you open the study to crowd raters below. "
                        .to_owned();
            }
            ("rate", links::crowd_link(secret), StudyPage::Crowd)
        }
    };

    let sentence = format!(
        "{warning}This is the only time this link is shown. Copy it now and send it to the people who will {purpose}."
    );
    let address = absolute(&link);
    flash::set(&match opens {
        InvitationTarget::Crowd => Flash::CrowdLink(sentence, address),
        _ => Flash::Link(sentence, address),
    });
    see_other(&page.path(&slug));
    Ok(())
}
