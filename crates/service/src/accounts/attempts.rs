//! A limit on failed sign-ins, which makes guessing passwords slow.

use std::net::{IpAddr, Ipv6Addr};

use store::{Person, Store, people::folded_name};

use super::{
    digest,
    password::{self, PasswordError},
};

const MINUTE_MS: i64 = 60_000;
/// The time for which a failed attempt counts.
pub const WINDOW_MS: i64 = 15 * MINUTE_MS;
/// The limit for one name from one address. The block holds for this address only, so that guesses from
/// elsewhere do not keep the owner of the name out.
const PER_NAME_AND_ADDRESS: i64 = 5;
/// The limit for one name from all addresses together.
const PER_NAME: i64 = 50;
/// The limit for one address and all names together: a whole class may share an address.
const PER_ADDRESS: i64 = 50;

/// Why a sign-in failed.
#[derive(Debug, thiserror::Error)]
pub enum LoginError {
    /// The name or the password is wrong; the message does not say which.
    #[error("The name or the password is wrong.")]
    Wrong,
    /// An administrator closed the account.
    #[error("This account is closed. Ask an administrator to open it again.")]
    Closed,
    /// Too many attempts failed before this one. Holds the time to wait, in milliseconds.
    #[error("{}", wait_sentence(*.0))]
    TooMany(i64),
    /// The database failed.
    #[error(transparent)]
    Store(#[from] store::Error),
    /// Verifying the password failed internally.
    #[error(transparent)]
    Password(#[from] PasswordError),
}

/// Returns the person with this name and password.
///
/// A wrong name and a wrong password are refused with the same words after the same time.
///
/// # Errors
/// [`LoginError::Wrong`] where name and password do not match, and [`LoginError::TooMany`] with the time to
/// wait after too many failures.
pub async fn check(
    store: &Store,
    address: IpAddr,
    name: &str,
    password: &str,
    now_ms: i64,
) -> Result<Person, LoginError> {
    let subjects = subjects(name, address);
    // The permit limits how many sign-ins run at a time, so that parallel guesses do not slip in between the
    // check of the limits and the counting of a failure.
    let _permit = password::verification_permit().await;
    let mut blocked_until = None;
    for (subject, limit) in &subjects {
        let failures = store.login_failures(subject, now_ms - WINDOW_MS).await?;
        blocked_until = blocked_until.max(blocked_until_ms(&failures, *limit));
    }
    if let Some(until) = blocked_until {
        return Err(LoginError::TooMany(until - now_ms));
    }
    let (person, hash) = store.person_named(name).await?.unzip();
    let is_right = password::verify(password, hash.flatten()).await?;
    match person.filter(|_| is_right) {
        Some(person) if person.disabled => Err(LoginError::Closed),
        Some(person) => {
            let [(name_here, _), ..] = &subjects;
            store.clear_login_failures(name_here).await?;
            Ok(person)
        }
        None => {
            for (subject, _) in &subjects {
                store.record_login_failure(subject, now_ms).await?;
            }
            Err(LoginError::Wrong)
        }
    }
}

/// The keys by which failures are counted, with their limits. They are hashed, so that a password typed into
/// the field for the name is not stored.
fn subjects(name: &str, address: IpAddr) -> [(String, i64); 3] {
    // Folded as the store compares names; otherwise each spelling of a name would have its own limit.
    let name = folded_name(name).unwrap_or_default();
    let address = network(address);
    [
        (digest(format!("{address} {name}")), PER_NAME_AND_ADDRESS),
        (digest(format!("name {name}")), PER_NAME),
        (digest(format!("address {address}")), PER_ADDRESS),
    ]
}

/// The address by which attempts are counted. For IPv6 it is the /64 network: one person usually
/// controls a whole one.
pub fn network(address: IpAddr) -> IpAddr {
    match address.to_canonical() {
        IpAddr::V4(address) => address.into(),
        IpAddr::V6(address) => Ipv6Addr::from_bits(address.to_bits() >> 64 << 64).into(),
    }
}

/// The time until which attempts are blocked; `None` where they are allowed now. `failures` are times with
/// the number of failures at each, newest first.
fn blocked_until_ms(failures: &[(i64, i64)], limit: i64) -> Option<i64> {
    let mut count = 0;
    failures.iter().find_map(|(at_ms, failed)| {
        count += failed;
        (count >= limit).then_some(at_ms + WINDOW_MS)
    })
}

fn wait_sentence(wait_ms: i64) -> String {
    let minutes = wait_ms.max(0) / MINUTE_MS + 1;
    let unit = if minutes == 1 { "minute" } else { "minutes" };
    format!("There were too many attempts. Try again in {minutes} {unit}.")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_oldest_failure_that_counts_decides_the_end() {
        let check = |failures: &[(i64, i64)], expect: Option<i64>| {
            assert_eq!(
                blocked_until_ms(failures, 3),
                expect.map(|at| at + WINDOW_MS),
                "{failures:?}"
            );
        };
        check(&[], None);
        check(&[(9, 1), (8, 1)], None);
        check(&[(9, 1), (8, 1), (7, 1)], Some(7));
        check(&[(9, 1), (8, 1), (7, 1), (6, 1)], Some(7));
        check(&[(9, 2), (8, 2)], Some(8));
        check(&[(9, 5)], Some(9));
    }

    #[test]
    fn the_wait_is_in_whole_minutes() {
        assert_eq!(
            wait_sentence(1),
            "There were too many attempts. Try again in 1 minute."
        );
        assert!(wait_sentence(WINDOW_MS - 1).contains("in 15 minutes"));
    }

    #[test]
    fn neighbours_in_one_ipv6_network_share_their_attempts() {
        let same = |a: &str, b: &str| {
            subjects("n", a.parse().unwrap())[2] == subjects("n", b.parse().unwrap())[2]
        };
        assert!(same("2001:db8::1", "2001:db8::ffff:2"));
        assert!(!same("2001:db8::1", "2001:db8:0:1::1"));
        assert!(same("::ffff:192.0.2.1", "192.0.2.1"));
        assert!(!same("192.0.2.1", "192.0.2.2"));
    }

    #[test]
    fn a_name_is_the_same_however_it_is_written() {
        let address = "192.0.2.1".parse().unwrap();
        for same in ["Annotator 1", " annotator  1", "ａnnotator 1"] {
            assert_eq!(
                subjects("annotator 1", address),
                subjects(same, address),
                "{same}"
            );
        }
        assert_ne!(
            subjects("annotator 1", address),
            subjects("annotator 2", address)
        );
    }
}
