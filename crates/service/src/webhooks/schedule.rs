/// The pause after the first try, in milliseconds; each later one is four times as long.
const FIRST_PAUSE_MS: i64 = 10_000;

/// The factor by which each pause is longer than the previous one.
const GROWTH: i64 = 4;

/// The pause after the try with this number (from 1), in milliseconds: 10 s, 40 s, 3 min, 11 min, 43 min, 3 h, 11 h.
/// Each is up to a fifth shorter or longer, so that receivers that were away do not get all notices at once. The
/// eight tries take most of a day.
#[must_use]
pub fn retry_pause_ms(attempt: i64, random: [u8; 32]) -> i64 {
    let exponent = u32::try_from(attempt.clamp(1, 12) - 1).unwrap_or(0);
    let pause = FIRST_PAUSE_MS * GROWTH.pow(exponent);

    let [high, low, ..] = random;
    let fraction = i64::from(u16::from_be_bytes([high, low]));
    pause * 4 / 5 + pause * 2 / 5 * fraction / i64::from(u16::MAX)
}

#[cfg(test)]
mod tests {
    use store::webhooks::MOST_ATTEMPTS;

    use super::retry_pause_ms;

    #[test]
    fn pauses_grow_and_all_tries_take_less_than_a_day() {
        let (shortest, longest) = ([0; 32], [255; 32]);
        assert_eq!(retry_pause_ms(1, shortest), 8_000);
        assert_eq!(retry_pause_ms(1, longest), 12_000);
        assert_eq!(retry_pause_ms(2, shortest), 32_000);

        for attempt in 1..MOST_ATTEMPTS {
            assert!(retry_pause_ms(attempt, longest) < retry_pause_ms(attempt + 1, shortest));
        }

        let total: i64 = (1..MOST_ATTEMPTS)
            .map(|attempt| retry_pause_ms(attempt, longest))
            .sum();
        let hours = total / 3_600_000;
        assert!((12..24).contains(&hours), "{hours}");
        assert!(retry_pause_ms(i64::MAX, longest) > 0);
    }
}
