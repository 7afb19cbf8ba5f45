//! Limits on open connections.

use std::{
    collections::HashMap,
    net::{IpAddr, Ipv6Addr},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use tokio::time::Instant;

/// How long people count as working from an address after a signed-in person's request from there.
const WORK_MEMORY: Duration = Duration::from_secs(60 * 60);

/// The most addresses remembered as such.
const MAX_ADDRESSES: usize = 100_000;

/// Room for other open files: databases, models, exports, logs.
const OTHER_FILES: u64 = 256;

/// Counts open connections, and admits no more than the limits allow.
#[derive(Debug, Clone)]
pub(crate) struct ConnectionLimits(Arc<SharedLimits>);

#[derive(Debug)]
struct SharedLimits {
    max_open: usize,
    /// `None` behind proxies, where many people share one address.
    max_per_address: Option<usize>,
    state: Mutex<ConnectionCounts>,
}

#[derive(Debug, Default)]
struct ConnectionCounts {
    open: usize,
    by_address: HashMap<IpAddr, usize>,
    at_work: HashMap<IpAddr, Instant>,
}

/// A permit for one connection, valid until it is dropped.
#[derive(Debug)]
pub(crate) struct ConnectionPermit {
    limits: ConnectionLimits,
    address: IpAddr,
}

impl ConnectionLimits {
    /// Limits connections to `most` in all and, if given, to `most_per_address` from one address.
    pub(crate) fn new(most: usize, most_per_address: Option<usize>) -> Self {
        Self(Arc::new(SharedLimits {
            max_open: most,
            max_per_address: most_per_address,
            state: Mutex::default(),
        }))
    }

    /// Admits a connection from this address; `None` if a limit is reached. The last quarter is kept for
    /// addresses from which people work.
    pub(super) fn admit(&self, address: IpAddr) -> Option<ConnectionPermit> {
        let SharedLimits {
            max_open: most,
            max_per_address: most_per_address,
            ..
        } = *self.0;

        let address = network_address(address);
        let mut state = self.state();
        let from_there = state.by_address.get(&address).copied().unwrap_or(0);

        if state.open >= most || most_per_address.is_some_and(|most| from_there >= most) {
            return None;
        }
        if state.open >= most - most / 4 {
            let last = state.at_work.get(&address);
            if last.is_none_or(|last| last.elapsed() > WORK_MEMORY) {
                return None;
            }
        }

        state.open += 1;
        *state.by_address.entry(address).or_default() += 1;
        Some(ConnectionPermit {
            limits: self.clone(),
            address,
        })
    }

    /// Remembers that people work from this address.
    pub(crate) fn note_work(&self, address: IpAddr) {
        let now = Instant::now();
        let mut state = self.state();
        if state.at_work.len() >= MAX_ADDRESSES {
            state
                .at_work
                .retain(|_, last| now.duration_since(*last) <= WORK_MEMORY);
        }
        if state.at_work.len() < MAX_ADDRESSES {
            state.at_work.insert(network_address(address), now);
        }
    }

    fn state(&self) -> MutexGuard<'_, ConnectionCounts> {
        self.0.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for ConnectionPermit {
    fn drop(&mut self) {
        let mut state = self.limits.state();
        state.open -= 1;
        if let Some(open) = state.by_address.get_mut(&self.address) {
            *open -= 1;
            if *open == 0 {
                state.by_address.remove(&self.address);
            }
        }
    }
}

/// The address, or for IPv6 its network: a client there has all of the last 64 bits.
fn network_address(address: IpAddr) -> IpAddr {
    match address.to_canonical() {
        IpAddr::V4(address) => address.into(),
        IpAddr::V6(address) => Ipv6Addr::from_bits(address.to_bits() >> 64 << 64).into(),
    }
}

/// Raises the process's limit on open files as far as allowed, and returns how many connections it admits, at
/// most `wanted`.
pub(crate) fn raise_file_limit(wanted: usize) -> usize {
    let Some(files) = files(wanted as u64 + OTHER_FILES) else {
        return wanted;
    };

    let room = usize::try_from(files.saturating_sub(OTHER_FILES)).unwrap_or(usize::MAX);
    // Better to run out of files than to serve nobody.
    let allowed = wanted.min(room.max(16));

    if allowed < wanted {
        tracing::warn!(
            files,
            allowed,
            wanted,
            "the limit of open files allows fewer connections than --max-connections"
        );
    }
    allowed
}

/// Raises the limit on open files to `needed`, if it is lower, and returns it; `None` if there isn't a limit.
#[cfg(unix)]
fn files(needed: u64) -> Option<u64> {
    use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

    let Rlimit { current, maximum } = getrlimit(Resource::Nofile);
    if current.is_none_or(|current| current >= needed) {
        return current;
    }
    let raised = Some(maximum.map_or(needed, |most| most.min(needed)));
    let limit = Rlimit {
        current: raised,
        maximum,
    };
    match setrlimit(Resource::Nofile, limit) {
        Ok(()) => raised,
        Err(error) => {
            tracing::warn!(%error, "the limit of open files could not be raised");
            current
        }
    }
}

#[cfg(not(unix))]
fn files(_needed: u64) -> Option<u64> {
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ip(text: &str) -> IpAddr {
        text.parse().unwrap()
    }

    #[test]
    fn an_address_has_its_share_and_gives_it_back() {
        let limits = ConnectionLimits::new(100, Some(2));
        let first = limits.admit(ip("192.0.2.1"));
        let second = limits.admit(ip("192.0.2.1"));
        assert!(first.is_some() && second.is_some());
        assert!(limits.admit(ip("192.0.2.1")).is_none());
        assert!(limits.admit(ip("192.0.2.2")).is_some());
        drop(first);
        assert!(limits.admit(ip("192.0.2.1")).is_some());
        assert_eq!(limits.state().by_address.len(), 1);
    }

    #[test]
    fn an_ipv6_network_is_one_client() {
        let limits = ConnectionLimits::new(100, Some(1));
        let _held = limits.admit(ip("2001:db8::1")).unwrap();
        assert!(limits.admit(ip("2001:db8::2")).is_none());
        assert!(limits.admit(ip("2001:db8:0:1::1")).is_some());
    }

    #[test]
    fn behind_a_proxy_all_people_come_from_one_address() {
        let limits = ConnectionLimits::new(40, None);
        let permits: Vec<_> = (0..30).map(|_| limits.admit(ip("10.0.0.1"))).collect();
        assert!(permits.iter().all(Option::is_some));
    }

    #[test]
    fn the_last_quarter_is_for_people_at_work() {
        let limits = ConnectionLimits::new(8, None);
        let _held: Vec<_> = (0..6)
            .map(|_| limits.admit(ip("192.0.2.1")).unwrap())
            .collect();
        assert!(limits.admit(ip("192.0.2.2")).is_none());
        limits.note_work(ip("192.0.2.3"));
        let _seventh = limits.admit(ip("192.0.2.3")).unwrap();
        let _eighth = limits.admit(ip("192.0.2.3")).unwrap();
        assert!(
            limits.admit(ip("192.0.2.3")).is_none(),
            "all of it is taken"
        );
    }

    #[test]
    fn the_limit_of_files_is_raised_as_far_as_it_goes() {
        assert_eq!(raise_file_limit(1), 1);
        assert!(raise_file_limit(1 << 30) >= 16);
    }
}
