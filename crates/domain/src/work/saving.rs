//! The saving state as the annotator sees it, and the delay before sending is retried.

/// The result of the last attempt to send.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum ConnectionState {
    /// It succeeded, or none was made yet.
    #[default]
    Connected,
    /// An attempt is under way.
    Sending,
    /// The server could not be reached.
    Unreachable,
    /// The server answered that it cannot save, for example because its disk is full.
    Failing,
    /// The session has ended, or another user is signed in.
    SignedOut,
}

/// The saving state that the annotator sees.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SaveState {
    /// The page is not yet interactive: it accepts no answers.
    Loading,
    /// The server has everything.
    Saved,
    /// Changes are being sent.
    Saving,
    /// The number of changes that wait for the network.
    Offline(usize),
    /// The number of changes that wait for a server that cannot save.
    Failing(usize),
    /// The number of changes that wait for the annotator to sign in.
    SignedOut(usize),
    /// The number of changes that the server refused and this device keeps.
    Refused(usize),
}

impl SaveState {
    /// The state that follows from the connection, the changes that wait, and those that were refused.
    #[must_use]
    pub const fn from_connection(line: ConnectionState, waiting: usize, refused: usize) -> Self {
        match line {
            ConnectionState::SignedOut => Self::SignedOut(waiting),
            ConnectionState::Unreachable => Self::Offline(waiting),
            ConnectionState::Failing => Self::Failing(waiting),
            ConnectionState::Connected | ConnectionState::Sending if waiting > 0 => Self::Saving,
            ConnectionState::Connected | ConnectionState::Sending if refused > 0 => {
                Self::Refused(refused)
            }
            ConnectionState::Connected | ConnectionState::Sending => Self::Saved,
        }
    }

    /// The text in the header.
    #[must_use]
    pub fn sentence(self) -> String {
        match self {
            Self::Loading => "Loading…".to_owned(),
            Self::Saved => "All changes saved".to_owned(),
            Self::Saving => "Saving…".to_owned(),
            Self::Offline(0) => "Offline".to_owned(),
            Self::Offline(n) => format!("Offline: {} waiting", format_change_count(n)),
            Self::Failing(0) => "Cannot save".to_owned(),
            Self::Failing(n) => format!("Cannot save: {n} waiting"),
            Self::SignedOut(0) => "Signed out: sign in again".to_owned(),
            Self::SignedOut(n) => format!(
                "Signed out: {} waiting, sign in again",
                format_change_count(n)
            ),
            Self::Refused(n) => {
                format!("Not saved: {} kept on this device", format_change_count(n))
            }
        }
    }
}

fn format_change_count(n: usize) -> String {
    if n == 1 {
        "1 change".to_owned()
    } else {
        format!("{n} changes")
    }
}

/// The delay in milliseconds before the next attempt after `failed` failures in a row: it doubles from half a second
/// up to 15 seconds, minus up to a quarter by `jitter` (0 to 1), so that many clients do not retry at the same time.
#[must_use]
pub fn retry_delay_ms(failed: u32, jitter: f64) -> u32 {
    let whole = 500 << failed.clamp(1, 6).saturating_sub(1);
    let whole = f64::from(whole.min(15_000));
    // Between 375 and 15,000, so it fits.
    (whole * (1.0 - jitter.clamp(0.0, 1.0) / 4.0)) as u32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_the_annotator_reads() {
        let check = |line, waiting, refused, expect: &str| {
            assert_eq!(
                SaveState::from_connection(line, waiting, refused).sentence(),
                expect
            );
        };
        check(ConnectionState::Connected, 0, 0, "All changes saved");
        check(ConnectionState::Sending, 3, 0, "Saving…");
        check(ConnectionState::Connected, 3, 0, "Saving…");
        check(
            ConnectionState::Unreachable,
            30,
            0,
            "Offline: 30 changes waiting",
        );
        check(
            ConnectionState::Unreachable,
            1,
            0,
            "Offline: 1 change waiting",
        );
        check(ConnectionState::Failing, 3, 0, "Cannot save: 3 waiting");
        check(
            ConnectionState::SignedOut,
            2,
            0,
            "Signed out: 2 changes waiting, sign in again",
        );
        check(
            ConnectionState::Connected,
            0,
            2,
            "Not saved: 2 changes kept on this device",
        );
    }

    #[test]
    fn waiting_doubles_up_to_a_quarter_of_a_minute() {
        let waits: Vec<_> = (0..9).map(|failed| retry_delay_ms(failed, 0.0)).collect();
        assert_eq!(
            waits,
            [500, 500, 1_000, 2_000, 4_000, 8_000, 15_000, 15_000, 15_000]
        );
        assert_eq!(retry_delay_ms(1, 1.0), 375);
    }
}
