//! A limit on how many people join from one network address.

use sqlx::AnyConnection;

use crate::{Error, Result, Store};

const MINUTE_MS: i64 = 60_000;
/// The longest window in which a join counts.
pub const LONGEST_WINDOW_MS: i64 = 60 * MINUTE_MS;

/// The largest number of joins within a window.
pub(crate) struct JoinLimit {
    most: i64,
    window_ms: i64,
}

impl JoinLimit {
    pub(crate) const fn per_minute(most: i64) -> Self {
        Self {
            most,
            window_ms: MINUTE_MS,
        }
    }

    pub(crate) const fn per_hour(most: i64) -> Self {
        Self {
            most,
            window_ms: LONGEST_WINDOW_MS,
        }
    }

    /// The time until which nobody may join; `None` if the next person may. `joins` are times with
    /// the number of joins at each, newest first.
    fn blocked_until_ms(&self, joins: &[(i64, i64)]) -> Option<i64> {
        let mut count = 0;
        joins.iter().find_map(|(at_ms, times)| {
            count += times;
            (count >= self.most).then_some(at_ms + self.window_ms)
        })
    }
}

impl Store {
    /// Forgets joins from before `before_ms`.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn sweep_recent_joins(&self, before_ms: i64) -> Result<()> {
        in_transaction!(self, |tx| {
            sqlx::query("DELETE FROM recent_join WHERE at < $1")
                .bind(before_ms)
                .execute(&mut *tx)
                .await?;
        })
    }
}

/// Counts a join by `subject` inside the transaction of the join, so that a join that fails does
/// not count. `crowd` says what many people are doing, for the refusal.
///
/// # Errors
/// [`Error::TooMany`] where a limit is reached.
pub(crate) async fn count_join(
    tx: &mut AnyConnection,
    subject: &str,
    limits: &[JoinLimit],
    crowd: &str,
    now_ms: i64,
) -> Result<()> {
    // Holds the subject until the transaction ends, so that simultaneous joins are counted one
    // after another, whichever server takes them.
    sqlx::query(
        "INSERT INTO recent_join (subject, at, times) VALUES ($1, 0, 0)
         ON CONFLICT (subject, at) DO UPDATE SET times = 0",
    )
    .bind(subject)
    .execute(&mut *tx)
    .await?;

    let joins: Vec<(i64, i64)> = sqlx::query_as(
        "SELECT at, times FROM recent_join WHERE subject = $1 AND at > $2 ORDER BY at DESC",
    )
    .bind(subject)
    .bind(now_ms - LONGEST_WINDOW_MS)
    .fetch_all(&mut *tx)
    .await?;

    let until = limits
        .iter()
        .filter_map(|limit| limit.blocked_until_ms(&joins))
        .max()
        .filter(|until| *until > now_ms);
    if let Some(until) = until {
        return Err(Error::TooMany(wait_sentence(crowd, until - now_ms)));
    }

    sqlx::query(
        "INSERT INTO recent_join (subject, at, times) VALUES ($1, $2, 1)
         ON CONFLICT (subject, at) DO UPDATE SET times = recent_join.times + 1",
    )
    .bind(subject)
    .bind(now_ms)
    .execute(tx)
    .await?;
    Ok(())
}

fn wait_sentence(crowd: &str, wait_ms: i64) -> String {
    let wait = match (wait_ms + MINUTE_MS - 1) / MINUTE_MS {
        ..=1 => "a minute".to_owned(),
        minutes => format!("{minutes} minutes"),
    };
    format!("Many people are {crowd} from your network just now. Wait {wait} and try again.")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_oldest_join_that_counts_decides_the_end() {
        let check = |joins: &[(i64, i64)], expect: Option<i64>| {
            let until = JoinLimit::per_minute(3).blocked_until_ms(joins);
            assert_eq!(until, expect.map(|at| at + MINUTE_MS), "{joins:?}");
        };
        check(&[], None);
        check(&[(9, 1), (8, 1)], None);
        check(&[(9, 1), (8, 1), (7, 1)], Some(7));
        check(&[(9, 2), (8, 2)], Some(8));
    }

    #[test]
    fn the_wait_is_in_whole_minutes() {
        assert_eq!(
            wait_sentence("beginning", MINUTE_MS),
            "Many people are beginning from your network just now. Wait a minute and try again."
        );
        assert!(wait_sentence("beginning", MINUTE_MS + 1).contains("Wait 2 minutes"));
    }
}
