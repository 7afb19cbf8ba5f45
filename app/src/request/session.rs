//! The person behind a request and their rights: the first line of every server function and page.

use std::ops::Deref;

use domain::study::Slug;
use leptos::prelude::use_context;
use service::accounts::attempts::{LoginError, LoginOrigin};
use store::Person;

use super::{check_password, refuse_as, refuse_login, services};
use crate::{Services, error::Refusal, visitor::Visitor};

/// The person who is signed in. A crowd rater, who came by a link, does not count: their session opens only
/// the work pages of their study, through [`access`] and [`signed_in_rater`].
///
/// # Errors
/// [`Refusal::NotSignedIn`]; [`Refusal::NotAllowed`] for a crowd rater.
pub async fn signed_in() -> Result<Person, Refusal> {
    let person = signed_in_rater().await?;
    match person.is_crowd {
        false => Ok(person),
        true => Err(Refusal::NotAllowed),
    }
}

/// The person who judges, signed in or a crowd rater. The store checks that what they request is theirs.
///
/// # Errors
/// [`Refusal::NotSignedIn`].
pub async fn signed_in_rater() -> Result<Person, Refusal> {
    visitor()
        .session
        .map(|session| session.person)
        .ok_or(Refusal::NotSignedIn)
}

/// The person who is signed in, if they are an administrator.
///
/// # Errors
/// [`Refusal::NotSignedIn`], or [`Refusal::NotFound`] for others.
pub async fn admin() -> Result<Person, Refusal> {
    let person = signed_in().await?;
    if person.is_admin {
        Ok(person)
    } else {
        Err(Refusal::NotFound)
    }
}

/// Requires that the person typed their password in the last minutes. Changes of rights and erasures call it
/// after checking the person's own rights, so that neither an unattended device nor a button pressed by
/// mistake is enough.
///
/// # Errors
/// [`Refusal::ConfirmPassword`], which leads to the page that asks for the password.
pub fn require_confirmed() -> Result<(), Refusal> {
    let session = visitor().session.ok_or(Refusal::NotSignedIn)?;
    if session.is_confirmed(services().context.now_ms()) {
        Ok(())
    } else {
        Err(Refusal::ConfirmPassword)
    }
}

/// Checks the password of the person who is signed in. Failures count towards the limits of signing in.
///
/// # Errors
/// [`Refusal::Invalid`] where it is wrong, [`Refusal::TooMany`] after too many attempts.
pub async fn check_own_password(
    origin: LoginOrigin,
    person: &Person,
    password: &str,
) -> Result<(), Refusal> {
    match check_password(origin, &person.name, password).await {
        Ok(_) => Ok(()),
        Err(LoginError::Wrong) => Err(Refusal::invalid("The current password is not correct.")),
        Err(LoginError::TooMany(block)) => Err(Refusal::TooMany(block.wait_sentence())),
        Err(error) => Err(refuse_login(error)),
    }
}

/// The rights of the signed-in person in the study with that short name.
///
/// # Errors
/// [`Refusal::NotSignedIn`]; [`Refusal::NotFound`] both where the study does not exist and where they
/// have no role in it.
pub async fn access(slug: &str) -> Result<RequestAccess, Refusal> {
    access_as(&services(), &visitor(), slug).await
}

/// The rights of the signed-in person in a study that they lead, to change something in it.
///
/// # Errors
/// As for [`access`]; [`Refusal::NotAllowed`] for members who do not lead the study; [`Refusal::Invalid`]
/// where it is archived.
pub async fn lead_access(slug: &str) -> Result<RequestAccess, Refusal> {
    let access = lead_access_to_any(slug).await?;
    access.require_unarchived()?;
    Ok(access)
}

/// As [`lead_access`], but also to an archived study.
///
/// # Errors
/// As for [`access`]; [`Refusal::NotAllowed`] for members who do not lead the study.
pub async fn lead_access_to_any(slug: &str) -> Result<RequestAccess, Refusal> {
    let access = access(slug).await?;
    access.require_lead()?;
    Ok(access)
}

/// As [`access`], outside a Leptos request: the one place that decides who may enter a study.
///
/// # Errors
/// As for [`access`].
pub async fn access_as(
    services: &Services,
    visitor: &Visitor,
    slug: &str,
) -> Result<RequestAccess, Refusal> {
    let session = visitor.session.as_ref().ok_or(Refusal::NotSignedIn)?;
    access_of(services, &session.person, slug).await
}

/// As [`access`], for a person who is known by other means than a session.
///
/// # Errors
/// [`Refusal::NotFound`] as for [`access`].
pub async fn access_of(
    services: &Services,
    person: &Person,
    slug: &str,
) -> Result<RequestAccess, Refusal> {
    let person = person.clone();
    let slug: Slug = slug.parse().map_err(|_| Refusal::NotFound)?;
    let grant = services
        .store
        .study_access(person.id, &slug)
        .await
        .map_err(|error| refuse_as(error, services.context))?
        .ok_or(Refusal::NotFound)?;
    Ok(RequestAccess { person, grant })
}

/// The visitor behind this request.
pub fn visitor() -> Visitor {
    use_context::<http::request::Parts>()
        .and_then(|parts| parts.extensions.get().cloned())
        .expect("the server identifies the visitor before it renders a page")
}

/// A person's access to a study, with the fields of [`store::StudyAccess`]; the methods here check rights and refuse.
#[derive(Debug, Clone)]
pub struct RequestAccess {
    pub person: Person,
    grant: store::StudyAccess,
}

impl RequestAccess {
    /// Requires a lead or an administrator: they set up the study, invite, assign and adjudicate.
    ///
    /// # Errors
    /// [`Refusal::NotAllowed`] for others.
    pub fn require_lead(&self) -> Result<(), Refusal> {
        require(self.grant.leads())
    }

    /// Requires that the study isn't archived.
    ///
    /// # Errors
    /// [`Refusal::Invalid`] if it is.
    pub fn require_unarchived(&self) -> Result<(), Refusal> {
        match self.study.archived_at {
            None => Ok(()),
            Some(_) => Err(Refusal::invalid(
                "This study is archived: nothing in it can be changed. Take it out of the archive first, in its \
                 settings.",
            )),
        }
    }

    /// Requires a lead or a researcher: they read panels and export.
    ///
    /// # Errors
    /// [`Refusal::NotAllowed`] for others.
    pub fn require_panel_access(&self) -> Result<(), Refusal> {
        require(self.grant.researches())
    }

    /// Requires an annotator who has not withdrawn: they judge. [`store::StudyAccess::must_consent`] says
    /// whether they still have to consent.
    ///
    /// # Errors
    /// [`Refusal::NotAllowed`] for others.
    pub fn require_annotator(&self) -> Result<(), Refusal> {
        require(self.grant.annotates())
    }

    /// Accepts everyone who has a role in the study.
    ///
    /// # Errors
    /// None: nobody without a role gets a [`RequestAccess`].
    pub fn require_member(&self) -> Result<(), Refusal> {
        Ok(())
    }
}

impl Deref for RequestAccess {
    type Target = store::StudyAccess;

    fn deref(&self) -> &store::StudyAccess {
        &self.grant
    }
}

fn require(may: bool) -> Result<(), Refusal> {
    if may {
        Ok(())
    } else {
        Err(Refusal::NotAllowed)
    }
}
