//! A limit on failed sign-ins. It slows down the guessing of passwords, and guesses from elsewhere do not lock people
//! out on their own devices.
//!
//! - On a *known device*, a browser in which the person signed in before, only that person's failures there count.
//!   So guesses from elsewhere cannot lock the person out. The device's cookie is a random token of 256 bits, which
//!   nobody can guess or find out by asking. A stolen cookie allows five guesses in [`WINDOW_MS`] for the names that
//!   used the device, and none for other names.
//! - Elsewhere, the failures of the name count, whether the name exists or not. Others can bring this block about on
//!   purpose; the refusal says how to get around it.
//! - An address with many failures is refused for the names that failed there, and not for the other members of a
//!   class behind the same address. Trying one password on many names does not get past the address's cap.

use std::net::IpAddr;

use store::{Person, Store, people::folded_name};

use super::{
    digest,
    network::network,
    password::{self, PasswordError},
};

const MINUTE_MS: i64 = 60_000;
/// The time for which a failed attempt counts.
pub const WINDOW_MS: i64 = 15 * MINUTE_MS;
/// The limit for one person on one known device.
const PER_DEVICE: i64 = 5;
/// The limit for one name from one address. The block holds for this address only, so that guesses from
/// elsewhere do not keep the owner of the name out.
const PER_NAME_AND_ADDRESS: i64 = 5;
/// The limit for one name from all addresses together.
const PER_NAME: i64 = 50;
/// The limit for one address, after which names that failed there are refused. It is high because a whole class
/// may share an address.
const PER_ADDRESS: i64 = 50;
/// The limit for one address and all names, whether they failed there or not.
const PER_ADDRESS_AT_ALL: i64 = 500;

/// The origin of a sign-in.
#[derive(Debug, Clone)]
pub struct LoginOrigin {
    /// The network address.
    pub address: IpAddr,
    /// The hash of the cookie that names the device; absent if the browser sends none.
    pub device: Option<String>,
}

impl From<IpAddr> for LoginOrigin {
    fn from(address: IpAddr) -> Self {
        Self {
            address,
            device: None,
        }
    }
}

/// The block of further attempts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LoginBlock {
    /// The time to wait, in milliseconds.
    wait_ms: i64,
    /// Whether the person signed in on this device before.
    is_known_device: bool,
}

impl LoginBlock {
    /// The refusal for a person who is signed in already, without advice on other ways to sign in.
    #[must_use]
    pub fn wait_sentence(&self) -> String {
        let minutes = self.wait_ms.max(0) / MINUTE_MS + 1;
        let unit = if minutes == 1 { "minute" } else { "minutes" };
        format!("There were too many attempts. Try again in {minutes} {unit}.")
    }

    /// The refusal of a sign-in.
    fn sign_in_sentence(&self) -> String {
        let wait = self.wait_sentence();
        if self.is_known_device {
            return wait;
        }
        let wait = wait.trim_end_matches('.');
        format!(
            "{wait}, or sign in on a device on which you signed in before, or ask an administrator for a link \
             to set a new password."
        )
    }
}

/// A person whose password was right.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct VerifiedPerson {
    /// The person.
    pub person: Person,
    /// The hash of the password, as it was when it was verified.
    pub password_hash: String,
}

/// Why a sign-in failed.
#[derive(Debug, thiserror::Error)]
pub enum LoginError {
    /// The name or the password is wrong; the message does not say which.
    #[error("The name or the password is wrong.")]
    Wrong,
    /// An administrator deactivated the account.
    #[error("This account is deactivated. Ask an administrator to reactivate it.")]
    Closed,
    /// Too many attempts failed before this one.
    #[error("{}", .0.sign_in_sentence())]
    TooMany(LoginBlock),
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
/// [`LoginError::Wrong`] if name and password do not match, and [`LoginError::TooMany`] with the time to wait after too
/// many failures.
pub async fn check(
    store: &Store,
    origin: impl Into<LoginOrigin>,
    name: &str,
    password: &str,
    now_ms: i64,
) -> Result<VerifiedPerson, LoginError> {
    let origin = origin.into();

    // The permit limits how many sign-ins run at a time, so that parallel guesses do not slip in between the
    // check of the limits and the counting of a failure.
    let _permit = password::verification_permit().await;

    let counters = FailureCounters::find(store, &origin, name).await?;
    let failures = counters.read(store, now_ms - WINDOW_MS).await?;
    if let Some(until) = failures.blocked_until_ms() {
        return Err(LoginError::TooMany(LoginBlock {
            wait_ms: until - now_ms,
            is_known_device: matches!(counters, FailureCounters::KnownDevice(_)),
        }));
    }

    let (person, hash) = store.person_named(name).await?.unzip();
    let hash = hash.flatten();
    let is_right = password::verify(password, hash.clone()).await?;

    match person.zip(hash).filter(|_| is_right) {
        Some((person, _)) if person.disabled => Err(LoginError::Closed),
        Some((person, password_hash)) => {
            store.clear_login_failures(counters.own()).await?;
            Ok(VerifiedPerson {
                person,
                password_hash,
            })
        }
        None => {
            for counter in counters.all() {
                store.record_login_failure(counter, now_ms).await?;
            }
            Err(LoginError::Wrong)
        }
    }
}

/// The keys under which an attempt's failures are counted. They are hashed, so that a password typed into the
/// field for the name is not stored.
#[derive(Debug, PartialEq, Eq)]
enum FailureCounters {
    /// The failures of the person on this device.
    KnownDevice(String),
    /// The failures of the name from this address, of the name from anywhere, and of the address.
    Elsewhere([String; 3]),
}

impl FailureCounters {
    /// The counters for a name. The device is looked up whether the name exists or not, and a cookie that another
    /// person got on this device does not help. The key uses the device's id rather than its cookie, whose value
    /// changes whenever anybody signs in there.
    async fn find(store: &Store, origin: &LoginOrigin, name: &str) -> store::Result<Self> {
        // Folded as the store compares names; otherwise each spelling of a name would have its own limit.
        let name = folded_name(name).unwrap_or_default();
        if let Some(device) = &origin.device
            && let Some(device) = store.known_device(device, &name).await?
        {
            return Ok(Self::KnownDevice(digest(format!("device {device} {name}"))));
        }

        Ok(Self::elsewhere(origin.address, &name))
    }

    fn elsewhere(address: IpAddr, name: &str) -> Self {
        let address = network(address);
        Self::Elsewhere([
            digest(format!("{address} {name}")),
            digest(format!("name {name}")),
            digest(format!("address {address}")),
        ])
    }

    /// The counter that a successful sign-in resets.
    fn own(&self) -> &str {
        match self {
            Self::KnownDevice(own) | Self::Elsewhere([own, ..]) => own,
        }
    }

    fn all(&self) -> &[String] {
        match self {
            Self::KnownDevice(own) => std::slice::from_ref(own),
            Self::Elsewhere(all) => all,
        }
    }

    async fn read(&self, store: &Store, since_ms: i64) -> store::Result<RecentFailures> {
        Ok(match self {
            Self::KnownDevice(device) => {
                RecentFailures::KnownDevice(store.login_failures(device, since_ms).await?)
            }
            Self::Elsewhere([here, name, address]) => RecentFailures::Elsewhere {
                here: store.login_failures(here, since_ms).await?,
                name: store.login_failures(name, since_ms).await?,
                address: store.login_failures(address, since_ms).await?,
            },
        })
    }
}

/// Times with the number of failures at each, newest first.
type FailureTimes = Vec<(i64, i64)>;

/// The failures by [`FailureCounters`].
enum RecentFailures {
    KnownDevice(FailureTimes),
    Elsewhere {
        here: FailureTimes,
        name: FailureTimes,
        address: FailureTimes,
    },
}

impl RecentFailures {
    /// The time until which attempts are blocked; `None` if they are allowed now.
    fn blocked_until_ms(&self) -> Option<i64> {
        match self {
            Self::KnownDevice(device) => blocked_until_ms(device, PER_DEVICE),
            Self::Elsewhere {
                here,
                name,
                address,
            } => {
                let failed_here = here.first().map(|(at_ms, _)| at_ms + WINDOW_MS);
                let of_address = blocked_until_ms(address, PER_ADDRESS).zip(failed_here);

                let limits = [
                    blocked_until_ms(here, PER_NAME_AND_ADDRESS),
                    blocked_until_ms(name, PER_NAME),
                    of_address.map(|(address, name)| address.min(name)),
                    blocked_until_ms(address, PER_ADDRESS_AT_ALL),
                ];
                limits.into_iter().flatten().max()
            }
        }
    }
}

/// The time until which `limit` failures block further attempts; `None` if there are fewer.
fn blocked_until_ms(failures: &[(i64, i64)], limit: i64) -> Option<i64> {
    let mut count = 0;
    failures.iter().find_map(|(at_ms, failed)| {
        count += failed;
        (count >= limit).then_some(at_ms + WINDOW_MS)
    })
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
        let sentence = |wait_ms, is_known_device| {
            let block = LoginBlock {
                wait_ms,
                is_known_device,
            };
            block.sign_in_sentence()
        };

        assert_eq!(
            sentence(1, true),
            "There were too many attempts. Try again in 1 minute."
        );
        let elsewhere = sentence(WINDOW_MS - 1, false);
        assert!(
            elsewhere
                .contains("in 15 minutes, or sign in on a device on which you signed in before")
        );
    }

    #[test]
    fn an_address_with_many_failures_is_closed_to_the_names_that_failed_there() {
        let blocked = |here: &[(i64, i64)], address| {
            let failures = RecentFailures::Elsewhere {
                here: here.to_vec(),
                name: here.to_vec(),
                address: vec![(3, address)],
            };
            failures.blocked_until_ms()
        };

        assert_eq!(blocked(&[], PER_ADDRESS_AT_ALL - 1), None);
        assert_eq!(blocked(&[(2, 1)], PER_ADDRESS - 1), None);
        assert_eq!(blocked(&[(2, 1)], PER_ADDRESS), Some(2 + WINDOW_MS));
        assert_eq!(blocked(&[], PER_ADDRESS_AT_ALL), Some(3 + WINDOW_MS));
    }

    #[test]
    fn a_name_is_the_same_however_it_is_written() {
        let counters = |name: &str| {
            let folded = folded_name(name).unwrap();
            FailureCounters::elsewhere("192.0.2.1".parse().unwrap(), &folded)
        };

        for same in ["Annotator 1", " annotator  1", "ａnnotator 1"] {
            assert_eq!(counters("annotator 1"), counters(same), "{same}");
        }
        assert_ne!(counters("annotator 1"), counters("annotator 2"));
    }
}
