//! Guessing passwords is slow: after a few wrong ones one waits.

use std::net::{IpAddr, Ipv6Addr};

use store::{Person, Store, people::folded_name};

use super::{
    digest,
    password::{self, PasswordError},
};

const MINUTE_MS: i64 = 60_000;
/// Wrong attempts count for so long.
pub const WINDOW_MS: i64 = 15 * MINUTE_MS;
/// So many for one name from one address: then its owner waits, but only there, so that nobody
/// is kept out by somebody else's guesses.
const PER_NAME_AND_ADDRESS: i64 = 5;
/// So many for one name from all addresses together.
const PER_NAME: i64 = 50;
/// So many from one address for all names together: a class may sit behind it.
const PER_ADDRESS: i64 = 50;

/// Why nobody was signed in.
#[derive(Debug, thiserror::Error)]
pub enum LoginError {
    /// The name or the password is wrong; which of them is not said.
    #[error("The name or the password is wrong.")]
    Wrong,
    /// An administrator closed the account.
    #[error("This account is closed. Ask an administrator to open it again.")]
    Closed,
    /// Too many wrong attempts came before this one; the number is how long to wait, in milliseconds.
    #[error("{}", wait_sentence(*.0))]
    TooMany(i64),
    /// The database failed.
    #[error(transparent)]
    Store(#[from] store::Error),
    /// Comparing passwords failed inside.
    #[error(transparent)]
    Password(#[from] PasswordError),
}

/// The person whose name and password these are.
///
/// A wrong name and a wrong password are refused in the same words after the same time.
///
/// # Errors
/// [`LoginError::Wrong`] where they do not belong together, [`LoginError::TooMany`] with the time to
/// wait after too many of those.
pub async fn check(
    store: &Store,
    address: IpAddr,
    name: &str,
    password: &str,
    now_ms: i64,
) -> Result<Person, LoginError> {
    let subjects = subjects(name, address);
    // From here on only a few run at a time, so that no more guesses than allowed slip in
    // between looking and counting.
    let _permit = password::verification_permit().await;
    let mut blocked_until = None;
    for (subject, limit) in &subjects {
        let failures = store.login_failures(subject, now_ms - WINDOW_MS).await?;
        blocked_until = blocked_until.max(open_again(&failures, *limit));
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

/// What failures are counted by, with how many are allowed. Hashed: a password typed in the wrong
/// field must not be stored.
fn subjects(name: &str, address: IpAddr) -> [(String, i64); 3] {
    // As the store compares names, or another way to write one would have attempts of its own.
    let name = folded_name(name).unwrap_or_default();
    let address = network(address);
    [
        (digest(&format!("{address} {name}")), PER_NAME_AND_ADDRESS),
        (digest(&format!("name {name}")), PER_NAME),
        (digest(&format!("address {address}")), PER_ADDRESS),
    ]
}

/// The address, of IPv6 the network: whoever has one address there has all of the last 64 bits.
fn network(address: IpAddr) -> IpAddr {
    match address.to_canonical() {
        IpAddr::V4(address) => address.into(),
        IpAddr::V6(address) => Ipv6Addr::from_bits(address.to_bits() >> 64 << 64).into(),
    }
}

/// When the next attempt is allowed, `None` where it is now. `failures` are times with how many
/// failed at each, newest first.
fn open_again(failures: &[(i64, i64)], limit: i64) -> Option<i64> {
    let mut count = 0;
    failures.iter().find_map(|(at, times)| {
        count += times;
        (count >= limit).then_some(at + WINDOW_MS)
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
    fn the_oldest_that_counts_says_how_long() {
        let check = |failures: &[(i64, i64)], expect: Option<i64>| {
            assert_eq!(
                open_again(failures, 3),
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
    fn one_waits_whole_minutes() {
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
        let here = "192.0.2.1".parse().unwrap();
        for same in ["Annotator 1", " annotator  1", "ａnnotator 1"] {
            assert_eq!(
                subjects("annotator 1", here),
                subjects(same, here),
                "{same}"
            );
        }
        assert_ne!(subjects("annotator 1", here), subjects("annotator 2", here));
    }
}
