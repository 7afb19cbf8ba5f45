//! A forecast of a study's end.

/// A week, in milliseconds: the period that determines the current pace.
const WEEK_MS: i64 = 7 * DAY_MS;
const DAY_MS: i64 = 24 * 60 * 60 * 1000;

/// The fewest hand-ins that give a pace.
const MIN_HAND_INS: usize = 3;

/// The shortest work that gives a pace, in milliseconds: nobody keeps up the pace of the first hours day and night.
const MIN_SPAN_MS: i64 = DAY_MS;

/// A forecast from the current pace.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct CompletionForecast {
    /// Sources handed in per day by all annotators together.
    pub per_day: f64,
    /// The time of the last hand-in at that pace, in milliseconds since 1970.
    pub done_at_ms: i64,
}

/// Predicts when `left` further hand-ins will be complete, at the pace of the last week, or since the first hand-in
/// if that is later. `handed_in_ms` holds the times of all hand-ins so far, in any order, in milliseconds since 1970.
///
/// `None` if nothing is left, if fewer than three came in that time, if the first came less than a day ago, or if the
/// end exceeds the range of a timestamp.
#[must_use]
pub fn forecast_completion(
    left: usize,
    handed_in_ms: &[i64],
    now_ms: i64,
) -> Option<CompletionForecast> {
    let last_week = now_ms - WEEK_MS..=now_ms;
    let hand_ins = handed_in_ms
        .iter()
        .filter(|at| last_week.contains(*at))
        .count();
    let first = handed_in_ms.iter().min()?;
    let since = (now_ms - first).min(WEEK_MS);
    if left == 0 || hand_ins < MIN_HAND_INS || since < MIN_SPAN_MS {
        return None;
    }

    let days = since as f64 / DAY_MS as f64;
    let per_day = hand_ins as f64 / days;
    let to_go = left as f64 / per_day * DAY_MS as f64;
    let done_at_ms = now_ms.checked_add(to_go as i64)?;
    Some(CompletionForecast {
        per_day,
        done_at_ms,
    })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const NOW: i64 = 1_700_000_000_000;

    #[test]
    fn the_pace_is_that_of_the_last_week_or_since_the_first() {
        let days = |all: &[f64]| -> Vec<i64> {
            let before = |day: &f64| NOW - (day * DAY_MS as f64) as i64;
            all.iter().map(before).collect()
        };
        // Four in two days, two a day: six more take three days.
        let forecast = forecast_completion(6, &days(&[2.0, 1.5, 1.0, 0.1]), NOW).unwrap();
        assert!((forecast.per_day - 2.0).abs() < 1e-9);
        assert_eq!(forecast.done_at_ms, NOW + 3 * DAY_MS);
        // Of ten, seven are of the last week: one a day.
        let long = days(&[30.0, 20.0, 10.0, 6.9, 6.0, 5.0, 4.0, 3.0, 2.0, 1.0]);
        assert!((forecast_completion(1, &long, NOW).unwrap().per_day - 1.0).abs() < 1e-9);
        for (left, times) in [
            (0, days(&[2.0, 1.0, 0.5])),
            (5, days(&[2.0, 1.0])),
            (5, days(&[30.0, 20.0, 9.0])),
            (5, days(&[0.001, 0.001, 0.001])),
            (5, days(&[0.9, 0.8, 0.7, 0.1])),
            (5, vec![]),
        ] {
            assert_eq!(
                forecast_completion(left, &times, NOW),
                None,
                "{left} {times:?}"
            );
        }
    }

    proptest! {
        #[test]
        fn more_to_do_is_done_later(
            left in 1..1_000_usize,
            times in prop::collection::vec(NOW - 3 * WEEK_MS..NOW, 0..40),
        ) {
            if let Some(forecast) = forecast_completion(left, &times, NOW) {
                prop_assert!(forecast.done_at_ms > NOW && forecast.per_day > 0.0);
                let more = forecast_completion(left + 1, &times, NOW).unwrap();
                prop_assert!(more.done_at_ms >= forecast.done_at_ms);
            }
        }
    }
}
