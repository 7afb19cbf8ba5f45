use leptos::prelude::*;
use store::Person;

use super::refusal::refusal_page;
use crate::{error::Refusal, request::signed_in};

/// A page for signed-in people who pass `may`; `content` renders the whole [`super::Page`]. Others are
/// redirected to sign in, or see the reason.
///
/// ```text
/// signed_in_page(administers, async |person| Ok(view! { <Page title="People">…</Page> }))
/// ```
pub fn signed_in_page<Content, Answer, View>(
    may: fn(&Person) -> Result<(), Refusal>,
    content: Content,
) -> impl IntoView
where
    Content: FnOnce(Person) -> Answer + Send + 'static,
    Answer: Future<Output = Result<View, Refusal>> + Send + 'static,
    View: IntoView + 'static,
{
    Suspend::new(async move {
        let answer = async {
            let person = signed_in().await?;
            may(&person)?;
            content(person).await
        };

        match answer.await {
            Ok(page) => page.into_any(),
            Err(refusal) => refusal_page(&refusal),
        }
    })
}

/// Allows everyone who is signed in.
///
/// # Errors
/// None.
pub fn allow_anyone(_: &Person) -> Result<(), Refusal> {
    Ok(())
}

/// Allows administrators only; for others the page does not exist.
///
/// # Errors
/// [`Refusal::NotFound`].
pub fn require_admin(person: &Person) -> Result<(), Refusal> {
    if person.is_admin {
        Ok(())
    } else {
        Err(Refusal::NotFound)
    }
}
