use super::{
    super::{UndefinedReason, require},
    Proportion,
};
use crate::score::RatingScale;

/// The least range of a scale, in points, on which equal scores in a row are informative.
pub const LONG_SCALE: i32 = 50;

/// On a scale of eleven points or fewer, such as 0 to 10, round numbers are not informative.
pub const MOST_SHORT_STEPS: i32 = 10;

/// The shares of round numbers in a rater's scores.
///
/// Some 21 % of numbers uniform on 0 to 100 are multiples of five, and 11 % of ten. Rounding
/// is a habit and not a fault, but it distinguishes fewer outputs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RoundingShares {
    /// Scores that are multiples of five, including those of ten.
    pub fives: Proportion,
    /// Scores that are multiples of ten.
    pub tens: Proportion,
}

/// The share of `values` that are multiples of five and of ten. Decimal values are multiples of neither.
///
/// # Errors
/// [`UndefinedReason::ShortScale`] if the range of the scale is [`MOST_SHORT_STEPS`] or less,
/// [`UndefinedReason::TooFew`] without values.
pub fn rounding(values: &[f64], scale: RatingScale) -> Result<RoundingShares, UndefinedReason> {
    if scale.high - scale.low <= MOST_SHORT_STEPS {
        return Err(UndefinedReason::ShortScale);
    }
    require(1, values.len())?;

    Ok(RoundingShares {
        fives: share_of_multiples(values, 5.0),
        tens: share_of_multiples(values, 10.0),
    })
}

fn share_of_multiples(values: &[f64], divisor: f64) -> Proportion {
    Proportion::from_answers(values.iter().map(|value| value % divisor == 0.0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_all_whole_numbers_from_0_to_100_21_and_11_are_round() {
        let all: Vec<_> = (0..=100).map(f64::from).collect();
        let shares = rounding(&all, RatingScale::PERCENT).unwrap();
        assert_eq!((shares.fives.count, shares.tens.count), (21, 11));
        assert_eq!((shares.fives.total, shares.tens.total), (101, 101));
    }

    #[test]
    fn fractions_are_not_round_and_short_scales_say_nothing() {
        let shares = rounding(&[12.5, 50.0], RatingScale::PERCENT).unwrap();
        assert_eq!((shares.fives.count, shares.tens.count), (1, 1));
        assert_eq!(
            rounding(&[1.0], RatingScale::LIKERT),
            Err(UndefinedReason::ShortScale)
        );
        assert!(rounding(&[], RatingScale::PERCENT).is_err());
        let scale = |high| RatingScale { low: 0, high };
        assert_eq!(
            rounding(&[5.0], scale(10)),
            Err(UndefinedReason::ShortScale)
        );
        let shares = rounding(&[5.0, 7.0], scale(11)).unwrap();
        assert_eq!((shares.fives.count, shares.fives.total), (1, 2));
    }
}
