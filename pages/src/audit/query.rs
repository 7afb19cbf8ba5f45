use domain::ids::{AuditEntryId, StudyId};
use leptos::prelude::WithUntracked as _;
use leptos_router::hooks::use_query_map;
use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};
use store::audit::{AuditFilter, AuditKind};

/// The longest name to search for, in characters.
const MAX_NAME_CHARS: usize = 100;

/// The search and its place, as the page's address has them. Parts that cannot be parsed are left
/// out.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct AuditQuery {
    pub(super) kind: Option<AuditKind>,
    /// A part of the name of the actor or the subject; empty for any.
    pub(super) name: String,
    /// The entry before which the page begins; `None` for the newest entries.
    pub(super) before: Option<AuditEntryId>,
}

impl AuditQuery {
    /// The query of the current address.
    pub(super) fn from_url() -> Self {
        use_query_map()
            .with_untracked(|query| Self::parse(|name| query.get(name).unwrap_or_default()))
    }

    fn parse(parameter: impl Fn(&str) -> String) -> Self {
        let name = parameter("name");
        // PostgreSQL takes no NUL character, and names have no other control characters.
        let name = name.trim().chars().filter(|c| !c.is_control());
        Self {
            kind: parameter("kind").parse().ok(),
            name: name.take(MAX_NAME_CHARS).collect(),
            before: parameter("before").parse().ok(),
        }
    }

    /// The filter for the entries of one study or of all.
    pub(super) fn filter(&self, study: Option<StudyId>) -> AuditFilter<'_> {
        AuditFilter {
            study,
            kind: self.kind,
            name: &self.name,
            before: self.before,
        }
    }

    /// The same search from another place on.
    pub(super) fn before(&self, before: Option<AuditEntryId>) -> Self {
        Self {
            before,
            ..self.clone()
        }
    }

    /// The address of the search on the page at `page`.
    pub(super) fn address(&self, page: &str) -> String {
        let kind = self.kind.map_or("", AuditKind::name);
        let name: String = utf8_percent_encode(&self.name, NON_ALPHANUMERIC).collect();
        let before = self.before.map(|id| format!("&before={id}"));
        format!(
            "{page}?kind={kind}&name={name}{}",
            before.unwrap_or_default()
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_reads_as_the_search_that_made_it() {
        let id = "01890a5d-ac96-774b-bcce-b302099a8057";
        let parameter = |name: &str| {
            let value = match name {
                "kind" => "role-changed",
                "name" => " Öne\u{0} & two ",
                _ => id,
            };
            value.to_owned()
        };
        let query = AuditQuery::parse(parameter);
        assert_eq!(query.kind, Some(AuditKind::RoleChanged));
        assert_eq!(query.name, "Öne & two");
        assert_eq!(
            query.address("/audit"),
            format!("/audit?kind=role-changed&name=%C3%96ne%20%26%20two&before={id}")
        );
        assert_eq!(query.before(None).before, None);
        let other = |_: &str| "none of these".to_owned();
        let query = AuditQuery::parse(other);
        assert_eq!((query.kind, query.before), (None, None));
    }
}
