//! Rate limits: a number of requests a minute for each token, and few with tokens that do not work from one network.

use std::{
    collections::HashMap,
    hash::Hash,
    net::IpAddr,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use domain::ids::ApiTokenId;
use service::accounts::network;

/// The most requests a minute from one network with tokens that do not work. This need not stop guessing, which is
/// hopeless anyway. Tokens that work are never refused because of others, since people share networks.
const FAILURES_PER_MINUTE: f64 = 60.0;

/// How long a token that does not work is not looked up again, in milliseconds: a script that keeps sending a revoked
/// token costs no reads, and the tokens of an account that is enabled again work soon.
const REFUSED_FOR_MS: i64 = 10_000;

/// The most entries of a table. Beyond it, full buckets are dropped and refused tokens forgotten.
const MAX_ENTRIES: usize = 10_000;

/// The limits on all requests of this process. Clones share them.
#[derive(Debug, Clone)]
pub(super) struct RateLimit {
    /// Requests a minute for each token.
    per_minute: f64,
    state: Arc<Mutex<LimitState>>,
}

#[derive(Debug, Default)]
struct LimitState {
    by_token: RequestBuckets<ApiTokenId>,
    failures: RequestBuckets<IpAddr>,
    /// The last look-up of each token that does not work, by its hash, in milliseconds.
    refused: HashMap<String, i64>,
}

/// Token buckets: for each key the requests left, and the time in milliseconds at which that was so. They refill
/// steadily, up to a minute's worth.
#[derive(Debug)]
struct RequestBuckets<K>(HashMap<K, (f64, i64)>);

impl<K> Default for RequestBuckets<K> {
    fn default() -> Self {
        Self(HashMap::new())
    }
}

impl RateLimit {
    pub(super) fn new(per_minute: u32) -> Self {
        Self {
            per_minute: f64::from(per_minute),
            state: Arc::default(),
        }
    }

    /// Whether the token with this hash did not work at its last look-up, a moment ago.
    pub(super) fn is_refused(&self, token_hash: &str, now_ms: i64) -> bool {
        let looked_up = self.state().refused.get(token_hash).copied();
        looked_up.is_some_and(|at| (at..at + REFUSED_FOR_MS).contains(&now_ms))
    }

    /// Counts a request with a token that does not work.
    ///
    /// # Errors
    /// The seconds to wait, if its network has sent too many.
    pub(super) fn count_failure(
        &self,
        address: IpAddr,
        token_hash: &str,
        now_ms: i64,
    ) -> Result<(), u64> {
        let mut state = self.state();
        if state.refused.len() >= MAX_ENTRIES {
            state.refused.clear();
        }
        let looked_up = state.refused.entry(token_hash.to_owned()).or_insert(now_ms);
        if !(*looked_up..*looked_up + REFUSED_FOR_MS).contains(&now_ms) {
            *looked_up = now_ms;
        }

        state
            .failures
            .take(network(address), FAILURES_PER_MINUTE, now_ms)
    }

    /// Counts a request with a token that works.
    ///
    /// # Errors
    /// The seconds to wait, if it has sent too many.
    pub(super) fn count(&self, token: ApiTokenId, now_ms: i64) -> Result<(), u64> {
        self.state().by_token.take(token, self.per_minute, now_ms)
    }

    fn state(&self) -> MutexGuard<'_, LimitState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<K: Copy + Eq + Hash> RequestBuckets<K> {
    /// Checks that a request is left, or returns the seconds until one is.
    fn check(&mut self, key: K, per_minute: f64, now_ms: i64) -> Result<(), u64> {
        let left = self.left(key, per_minute, now_ms);
        match left >= 1.0 {
            true => Ok(()),
            false => Err(seconds_until((1.0 - left) / per_minute * 60.0)),
        }
    }

    /// Takes one request from the bucket, or returns the seconds until one is left.
    fn take(&mut self, key: K, per_minute: f64, now_ms: i64) -> Result<(), u64> {
        self.check(key, per_minute, now_ms)?;
        let left = self.left(key, per_minute, now_ms) - 1.0;
        if self.0.len() >= MAX_ENTRIES {
            self.0
                .retain(|_, (left, at)| refill(*left, *at, per_minute, now_ms) < per_minute);
        }
        self.0.insert(key, (left, now_ms));
        Ok(())
    }

    fn left(&self, key: K, per_minute: f64, now_ms: i64) -> f64 {
        let entry = self.0.get(&key);
        entry.map_or(per_minute, |(left, at)| {
            refill(*left, *at, per_minute, now_ms)
        })
    }
}

fn refill(left: f64, at_ms: i64, per_minute: f64, now_ms: i64) -> f64 {
    let minutes = (now_ms - at_ms).max(0) as f64 / 60_000.0;
    (left + minutes * per_minute).min(per_minute)
}

fn seconds_until(seconds: f64) -> u64 {
    (seconds.ceil() as u64).max(1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::clock;

    #[test]
    fn a_token_has_a_minutes_worth_which_comes_back() {
        let limit = RateLimit::new(60);
        let [one, other] = [(); 2].map(|()| ApiTokenId(clock::new_id()));
        for _ in 0..60 {
            assert_eq!(limit.count(one, 0), Ok(()));
        }
        assert_eq!(limit.count(one, 0), Err(1));
        assert_eq!(limit.count(other, 0), Ok(()));
        assert_eq!(limit.count(one, 1_000), Ok(()));
        assert!(limit.count(one, 1_000).is_err());
    }

    #[test]
    fn wrong_tokens_are_looked_up_seldom_and_refused_when_there_are_too_many() {
        let limit = RateLimit::new(60);
        let [near, far] = ["192.0.2.1", "192.0.2.2"].map(|ip| ip.parse().unwrap());
        assert!(!limit.is_refused("bad", 0));
        for _ in 0..60 {
            assert_eq!(limit.count_failure(near, "bad", 0), Ok(()));
        }

        assert!(limit.is_refused("bad", 9_999) && !limit.is_refused("good", 0));
        assert!(
            !limit.is_refused("bad", 10_000),
            "the account may be enabled again"
        );

        assert_eq!(limit.count_failure(near, "bad", 0), Err(1));
        assert_eq!(limit.count_failure(near, "another", 0), Err(1));
        assert_eq!(limit.count_failure(far, "bad", 0), Ok(()));
        assert_eq!(limit.count_failure(near, "bad", 60_000), Ok(()));
    }
}
