//! Pages of long lists.

use std::collections::BTreeSet;

use domain::ids::SourceId;
use serde::Deserialize;
use store::{Store, Study, figure_changes::FigureChanges};
use utoipa::IntoParams;

use super::Problem;

/// The number of rows of a page if the request names none.
const DEFAULT_LIMIT: u32 = 100;
/// The most rows of a page.
const MAX_LIMIT: u32 = 500;

/// The part of a list that is asked for.
#[derive(Debug, Clone, Default, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(deny_unknown_fields)]
pub(super) struct PageQuery {
    /// Where the page before ended, as `next` of its answer says; nothing for the first page.
    pub(super) cursor: Option<String>,
    /// The most rows: 1 to 500.
    #[param(minimum = 1, maximum = 500)]
    pub(super) limit: Option<u32>,
    /// Only what changed after the event with this number, as `event` of an earlier answer says.
    #[param(minimum = 0)]
    pub(super) since: Option<i64>,
}

/// Where a page begins.
#[derive(Debug, Clone)]
pub(super) struct PageStart {
    /// The study's newest event at the time of the first page's request.
    pub(super) event: i64,
    /// The place after which the page begins.
    pub(super) place: i64,
    /// The rest of the cursor, which its list reads.
    pub(super) rest: Option<String>,
    pub(super) limit: u32,
    pub(super) since: i64,
}

impl PageQuery {
    /// Parses where the page starts.
    ///
    /// # Errors
    /// For a cursor that cannot be parsed, and for numbers out of range.
    pub(super) fn start(&self, study: &Study) -> Result<PageStart, Problem> {
        let limit = self.limit.unwrap_or(DEFAULT_LIMIT);
        if !(1..=MAX_LIMIT).contains(&limit) {
            let sentence = format!("“limit” must be a whole number from 1 to {MAX_LIMIT}.");
            return Err(Problem::invalid(sentence));
        }

        let since = self.since.unwrap_or(0);
        if since < 0 {
            return Err(Problem::invalid(
                "“since” is the number of an event: 0 or more.",
            ));
        }

        let (event, place, rest) = match &self.cursor {
            None => (study.events, i64::MIN, None),
            Some(cursor) => parse_cursor(cursor).ok_or_else(|| {
                Problem::invalid("“cursor” is not one: take it from “next” of the page before.")
            })?,
        };

        Ok(PageStart {
            event,
            place,
            rest,
            limit,
            since,
        })
    }
}

fn parse_cursor(text: &str) -> Option<(i64, i64, Option<String>)> {
    let mut parts = text.splitn(3, '.');
    let event = parts.next()?.parse().ok().filter(|event| *event >= 0)?;
    let place = parts.next()?.parse().ok()?;
    Some((event, place, parts.next().map(str::to_owned)))
}

impl PageStart {
    /// The cursor of the page after one that ends at this place.
    pub(super) fn next(&self, place: i64) -> String {
        format!("{}.{place}", self.event)
    }

    /// Like [`Self::next`], with more for the list itself to read.
    pub(super) fn next_with(&self, place: i64, rest: impl std::fmt::Display) -> String {
        format!("{}.{place}.{rest}", self.event)
    }

    /// The sources that changed after `since`; `None` for all.
    pub(super) async fn changed_sources(
        &self,
        store: &Store,
        study: &Study,
    ) -> store::Result<Option<BTreeSet<SourceId>>> {
        if self.since == 0 {
            return Ok(None);
        }
        Ok(
            match store.figure_changes_after(study.id, self.since).await? {
                FigureChanges::Sources(sources) => Some(sources),
                FigureChanges::Everything => None,
            },
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cursor_comes_back_as_it_was_sent() {
        let start = PageStart {
            event: 7,
            place: 0,
            rest: None,
            limit: 1,
            since: 0,
        };

        assert_eq!(parse_cursor(&start.next(-3)), Some((7, -3, None)));
        let with = start.next_with(4, "a.b");
        assert_eq!(parse_cursor(&with), Some((7, 4, Some("a.b".to_owned()))));
        for bad in ["", "7", "7.", "a.b", "-1.2", "7.2e3"] {
            assert_eq!(parse_cursor(bad), None, "{bad}");
        }
    }
}
