//! Who asks, and what they may do: the first line of every server function and of every page.

use std::ops::Deref;

use domain::study::Slug;
use leptos::prelude::use_context;
use store::Person;

use super::{refuse, services};
use crate::{accounts::Visitor, error::Refusal};

/// The person who is signed in.
///
/// # Errors
/// [`Refusal::NotSignedIn`].
pub async fn signed_in() -> Result<Person, Refusal> {
    visitor()
        .session
        .map(|session| session.person)
        .ok_or(Refusal::NotSignedIn)
}

/// The person who is signed in, where they administer the platform.
///
/// # Errors
/// [`Refusal::NotSignedIn`], or [`Refusal::NotFound`] for everybody else.
pub async fn admin() -> Result<Person, Refusal> {
    let person = signed_in().await?;
    if person.is_admin {
        Ok(person)
    } else {
        Err(Refusal::NotFound)
    }
}

/// What the person who is signed in may see and do in the study of that short name.
///
/// # Errors
/// [`Refusal::NotSignedIn`]; [`Refusal::NotFound`] alike where there is no such study and where
/// they have no role in it.
pub async fn access(slug: &str) -> Result<Access, Refusal> {
    let person = signed_in().await?;
    let slug: Slug = slug.parse().map_err(|_| Refusal::NotFound)?;
    let granted = services()
        .store
        .access(person.id, &slug)
        .await
        .map_err(refuse)?;
    Ok(Access {
        person,
        granted: granted.ok_or(Refusal::NotFound)?,
    })
}

/// Who this request comes from.
pub fn visitor() -> Visitor {
    use_context::<http::request::Parts>()
        .and_then(|parts| parts.extensions.get().cloned())
        .expect("the server finds out who a request comes from before it asks for a page")
}

/// A person in a study. Its fields are those of [`store::Access`], `person` aside; what they may
/// do is asked with the methods here, which refuse.
#[derive(Debug, Clone)]
pub struct Access {
    /// Who.
    pub person: Person,
    granted: store::Access,
}

impl Access {
    /// Lets leads and administrators pass: they set the study up, invite, assign, adjudicate.
    ///
    /// # Errors
    /// [`Refusal::NotAllowed`] for others.
    pub fn leads(&self) -> Result<(), Refusal> {
        allow(self.granted.leads())
    }

    /// Lets leads and researchers pass: they read panels and export.
    ///
    /// # Errors
    /// [`Refusal::NotAllowed`] for others.
    pub fn reads(&self) -> Result<(), Refusal> {
        allow(self.granted.researches())
    }

    /// Lets annotators pass who have not withdrawn: they judge. Whether they have consented is
    /// [`store::Access::must_consent`].
    ///
    /// # Errors
    /// [`Refusal::NotAllowed`] for others.
    pub fn annotates(&self) -> Result<(), Refusal> {
        allow(self.granted.annotates())
    }

    /// Lets everybody pass who has a role in the study.
    ///
    /// # Errors
    /// None: without a role there is no [`Access`].
    pub fn takes_part(&self) -> Result<(), Refusal> {
        Ok(())
    }
}

impl Deref for Access {
    type Target = store::Access;

    fn deref(&self) -> &store::Access {
        &self.granted
    }
}

fn allow(may: bool) -> Result<(), Refusal> {
    if may {
        Ok(())
    } else {
        Err(Refusal::NotAllowed)
    }
}
