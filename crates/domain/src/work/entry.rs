//! The meaning of keys and typed text in score and position inputs.

use crate::score::{OffScale, RatingScale, RatingScore};

/// A key on a slider.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SliderKey {
    /// One point up.
    Up,
    /// One point down.
    Down,
    /// A tenth of the scale up.
    PageUp,
    /// A tenth of the scale down.
    PageDown,
    /// The lowest score.
    Home,
    /// The highest score.
    End,
}

/// The score after `key`. On an untouched slider the first step puts the thumb in the middle: a
/// slider has no start position, and a key needs one.
#[must_use]
pub fn move_slider(scale: RatingScale, score: Option<RatingScore>, key: SliderKey) -> RatingScore {
    let page = ((scale.high - scale.low) / 10).max(1);
    let by = match key {
        SliderKey::Home => return scale.clamp(scale.low),
        SliderKey::End => return scale.clamp(scale.high),
        SliderKey::Up => 1,
        SliderKey::Down => -1,
        SliderKey::PageUp => page,
        SliderKey::PageDown => -page,
    };
    match score {
        Some(score) => scale.clamp(score.get() + by),
        None => scale.clamp(i32::midpoint(scale.low, scale.high)),
    }
}

/// The reason why a typed text is not a score.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum BadScore {
    /// It is not a whole number.
    #[error("“{text}” is not a whole number: type one from {scale}")]
    NoNumber {
        /// The typed text.
        text: String,
        /// The allowed range.
        scale: RatingScale,
    },
    /// It is off the scale.
    #[error("{0}")]
    OffScale(#[from] OffScale),
}

/// Parses a typed score; an empty text withdraws the score.
///
/// # Errors
/// A sentence for the annotator if it is not a score.
pub fn parse_score(text: &str, scale: RatingScale) -> Result<Option<RatingScore>, BadScore> {
    let text = text.trim();
    if text.is_empty() {
        return Ok(None);
    }
    // A typographic minus sign, as it may be pasted.
    let number = text.replace('−', "-").parse::<i32>();
    let number = number.map_err(|_| BadScore::NoNumber {
        text: text.to_owned(),
        scale,
    })?;
    Ok(Some(scale.score(number)?))
}

/// The reason why a typed text is not a position.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("“{text}” is not a place: type a number from 1 to {of}")]
pub struct BadPlace {
    /// The typed text.
    pub text: String,
    /// The number of positions.
    pub of: usize,
}

/// Parses a typed position, counted from 1, as an index from 0.
///
/// # Errors
/// A sentence for the annotator if it is not a position.
pub fn parse_place(text: &str, count: usize) -> Result<usize, BadPlace> {
    let place = text
        .trim()
        .parse::<usize>()
        .ok()
        .filter(|n| (1..=count).contains(n));
    place.map(|n| n - 1).ok_or_else(|| BadPlace {
        text: text.trim().to_owned(),
        of: count,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_move_a_score_and_never_off_the_scale() {
        let check = |from: Option<i32>, key, expect: i32| {
            let from = from.map(|v| RatingScale::PERCENT.clamp(v));
            assert_eq!(
                move_slider(RatingScale::PERCENT, from, key).get(),
                expect,
                "{from:?} {key:?}"
            );
        };
        check(Some(70), SliderKey::Up, 71);
        check(Some(70), SliderKey::PageDown, 60);
        check(Some(97), SliderKey::PageUp, 100);
        check(Some(0), SliderKey::Down, 0);
        check(Some(70), SliderKey::Home, 0);
        check(None, SliderKey::End, 100);
        check(None, SliderKey::Down, 50);
        assert_eq!(
            move_slider(RatingScale::LIKERT, None, SliderKey::Up).get(),
            0
        );
        assert_eq!(
            move_slider(
                RatingScale::LIKERT,
                Some(RatingScale::LIKERT.clamp(0)),
                SliderKey::PageUp
            )
            .get(),
            1
        );
    }

    #[test]
    fn a_typed_score_is_taken_as_it_is() {
        let typed = |text| parse_score(text, RatingScale::PERCENT);
        assert_eq!(typed(" 67 ").map(|s| s.map(RatingScore::get)), Ok(Some(67)));
        assert_eq!(typed(""), Ok(None));
        assert_eq!(
            typed("6x").map_err(|e| e.to_string()),
            Err("“6x” is not a whole number: type one from 0 to 100".into())
        );
        assert_eq!(
            typed("101").map_err(|e| e.to_string()),
            Err("101 is outside the scale from 0 to 100".into())
        );
        assert_eq!(
            parse_score("−2", RatingScale::LIKERT).map(|s| s.map(RatingScore::get)),
            Ok(Some(-2))
        );
    }

    #[test]
    fn a_typed_place_counts_from_one() {
        assert_eq!(parse_place("3", 12), Ok(2));
        assert_eq!(
            parse_place("0", 12).map_err(|e| e.to_string()),
            Err("“0” is not a place: type a number from 1 to 12".into())
        );
        assert!(parse_place("13", 12).is_err());
    }
}
