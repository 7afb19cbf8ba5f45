use super::{
    super::{Undefined, undefined::require},
    Share,
};
use crate::score::Scale;

/// The least range of a scale, in points, on which equal scores in a row tell anything.
pub const LONG_SCALE: i32 = 50;

/// On a scale of eleven points or fewer, such as 0 to 10, round numbers tell nothing.
pub const MOST_SHORT_STEPS: i32 = 10;

/// How far a rater keeps to round numbers.
///
/// Of numbers drawn evenly from 0 to 100 some 21 % are multiples of five and 11 % of ten. Rounding
/// is a habit and no fault; who does it tells fewer outputs apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Rounding {
    /// Scores that are multiples of five, those of ten among them.
    pub fives: Share,
    /// Scores that are multiples of ten.
    pub tens: Share,
}

/// The share of `values` that are multiples of five and of ten. What is no whole number is none.
///
/// # Errors
/// [`Undefined::ShortScale`] where the scale reaches over [`MOST_SHORT_STEPS`] or less,
/// [`Undefined::TooFew`] of no value.
pub fn rounding(values: &[f64], scale: Scale) -> Result<Rounding, Undefined> {
    if scale.high - scale.low <= MOST_SHORT_STEPS {
        return Err(Undefined::ShortScale);
    }
    require(1, values.len())?;
    let multiples = |of: f64| Share::of(values.iter().map(|value| value % of == 0.0));
    Ok(Rounding {
        fives: multiples(5.0),
        tens: multiples(10.0),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_all_whole_numbers_from_0_to_100_21_and_11_are_round() {
        let all: Vec<_> = (0..=100).map(f64::from).collect();
        let found = rounding(&all, Scale::PERCENT).unwrap();
        assert_eq!((found.fives.count, found.tens.count), (21, 11));
        assert_eq!((found.fives.of, found.tens.of), (101, 101));
    }

    #[test]
    fn fractions_are_not_round_and_short_scales_say_nothing() {
        let found = rounding(&[12.5, 50.0], Scale::PERCENT).unwrap();
        assert_eq!((found.fives.count, found.tens.count), (1, 1));
        assert_eq!(rounding(&[1.0], Scale::LIKERT), Err(Undefined::ShortScale));
        assert!(rounding(&[], Scale::PERCENT).is_err());
        let scale = |high| Scale { low: 0, high };
        assert_eq!(rounding(&[5.0], scale(10)), Err(Undefined::ShortScale));
        let found = rounding(&[5.0, 7.0], scale(11)).unwrap();
        assert_eq!((found.fives.count, found.fives.of), (1, 2));
    }
}
