//! The names of raters on pages: leads see real names, everyone else pseudonyms.

use std::collections::HashMap;

use store::Member;

use app::{
    error::Refusal,
    request::{RequestAccess, refuse},
    services,
};

/// The names of a study's raters by pseudonym. Holds only names that the reader of the page may
/// see.
#[derive(Debug, Clone, Default)]
pub struct RaterNames(HashMap<String, String>);

impl RaterNames {
    /// Loads the names that the person may see.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn load(access: &RequestAccess) -> Result<Self, Refusal> {
        if access.require_lead().is_err() {
            return Ok(Self::default());
        }
        let members = services().store.members(access.study.id).await;
        Ok(Self::from_members(&members.map_err(refuse)?))
    }

    /// The names of these members. A crowd rater has none.
    pub fn from_members(members: &[Member]) -> Self {
        let people = members.iter().filter(|member| !member.is_crowd);
        let named = people.filter_map(|member| {
            let (_, pseudonym) = member.rater.clone()?;
            Some((pseudonym, member.name.clone()))
        });
        Self(named.collect())
    }

    /// The rater as the page names them. A name comes with the pseudonym, which exports and researchers have.
    pub fn label(&self, pseudonym: &str) -> String {
        match self.0.get(pseudonym) {
            Some(name) if name != pseudonym => format!("{name} ({pseudonym})"),
            _ => pseudonym.to_owned(),
        }
    }
}
