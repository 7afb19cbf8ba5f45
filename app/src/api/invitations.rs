//! Links for joining a study or taking part as a reader, and joining by one.

use leptos::prelude::*;

use crate::error::Refusal;

#[cfg(feature = "ssr")]
use {
    super::ssr::*,
    domain::{comprehension::ParticipantCapacity, ids::PersonId, study::Role},
    store::{InvitationTarget, NewInvitation},
};

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
    let access = lead_access(&slug).await?;
    let opens: InvitationTarget = parse::choice(&role)?;
    if let InvitationTarget::Membership(Role::Lead | Role::Researcher) = opens {
        require_confirmed()?;
    }

    let group = Some(group.as_str()).filter(|group| !group.is_empty());
    if group.is_some() && access.study.settings.group(group).is_none() {
        return Err(Refusal::invalid(
            "The study no longer has this group. Reload the page and choose another.",
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
    redirect_to(page, &slug)
}

/// Revokes an invitation: its link stops working.
///
/// # Errors
/// [`Refusal::NotAllowed`] unless the person leads the study; [`Refusal::Invalid`] where the invitation does
/// not exist or has already been revoked.
#[server(endpoint = "revoke-invitation")]
pub async fn revoke_invitation(
    slug: String,
    /// The hash of the link's token, which names the invitation.
    invitation: String,
) -> Result<(), Refusal> {
    let access = lead_access_to_any(&slug).await?;

    let (study, now) = (access.study.id, services().context.now_ms());
    let subject = AuditSubject::Invitation(invitation.clone());
    let revoked = audited(AuditKind::InvitationRevoked, Some(study), subject)
        .revoke_invitation(study, &invitation, now)
        .await
        .map_err(refuse)?;

    let page = match revoked {
        Some(InvitationTarget::Membership(_)) => StudyPage::Members,
        Some(InvitationTarget::Comprehension) => StudyPage::Reading,
        Some(InvitationTarget::Crowd) => StudyPage::Crowd,
        None => {
            return Err(Refusal::invalid(
                "This invitation does not exist or has already been revoked. Reload the page.",
            ));
        }
    };

    let message = "The invitation has been revoked. Its link no longer works.";
    redirect_with(page, &slug, message)
}

/// Makes the person who is signed in a member of the study that the link invites to.
///
/// # Errors
/// [`Refusal::Invalid`] where the link does not work.
#[server(endpoint = "join")]
pub async fn join(
    /// The token at the end of the link.
    token: String,
) -> Result<(), Refusal> {
    let person = signed_in().await?;

    let (services, token) = (services(), SecretToken::from_text(&token).hash());
    let now = services.context.now_ms();

    // The link determines the study.
    let subject = AuditSubject::Member(person.id);
    let joined = audited(AuditKind::MemberJoined, None, subject)
        .redeem_invitation(&token, person.id, now)
        .await;
    let invited = joined.map_err(refuse)?;

    redirect_to(StudyPage::entrance(Some(invited.role)), &invited.slug)
}

/// Creates an account, makes it a member of the study that the link invites to, and signs it in.
///
/// # Errors
/// [`Refusal::Invalid`] where the link does not work, or where the name or password is not accepted;
/// [`Refusal::TooMany`] after too many new accounts through the link from the address.
#[server(endpoint = "register")]
pub async fn register(
    /// The token at the end of the link.
    token: String,
    name: String,
    new: String,
) -> Result<(), Refusal> {
    let (services, token) = (services(), SecretToken::from_text(&token).hash());
    let id = PersonId(services.context.new_id());
    let now = services.context.now_ms();

    // Only valid links are worth the cost of hashing a password.
    let preview = services
        .store
        .preview_invitation(&token, now)
        .await
        .map_err(refuse)?;
    let hash = hash_password(&name, &new).await?;

    let (kind, member) = (AuditKind::AccountRegistered, AuditSubject::Member(id));
    let network = network_hash(visitor().address);
    let registration = audited_as(id, kind, Some(preview.study), member)
        .register_by_invitation(&token, id, &name, &hash, &network, now)
        .await;
    let (person, invited) = registration.map_err(refuse)?;

    sessions::begin(&person, &hash).await?;
    redirect_to(StudyPage::entrance(Some(invited.role)), &invited.slug)
}
