use super::{Proportion, SampleMean};
use crate::purpose::OutputPurpose;

/// A rater's scores of quality-control items, in points of the scale, and how the rater did on attention items.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct QualityControlScores {
    /// The mean score of unchanged copies of sources; the guidelines state their expected score.
    pub copies: SampleMean,
    /// The mean score of outputs whose words were scrambled.
    pub scrambled: SampleMean,
    /// Scrambled outputs that scored below the output that they were made from, of those where both
    /// have a score. A tie is not below.
    pub scrambled_below: Proportion,
    /// The mean absolute difference between the two scores of a repeated output.
    pub repeated: SampleMean,
    /// Attention items whose answers were as expected, of those whose answers tell something.
    pub attention: Proportion,
}

impl QualityControlScores {
    /// Computes the figures from items, without [`Self::attention`]: the purpose of each, its score, and the rater's score of the
    /// output that it was made from.
    pub fn from_items<I>(items: I) -> Self
    where
        I: IntoIterator<Item = (OutputPurpose, f64, Option<f64>), IntoIter: Clone>,
    {
        let items = items.into_iter();
        let items_with = |purpose| {
            let items = items.clone().filter(move |item| item.0 == purpose);
            items.map(|(_, score, original)| (score, original))
        };
        let both =
            |purpose| items_with(purpose).filter_map(|(score, original)| Some((score, original?)));
        Self {
            copies: items_with(OutputPurpose::Copy).map(|item| item.0).collect(),
            scrambled: items_with(OutputPurpose::Scrambled)
                .map(|item| item.0)
                .collect(),
            scrambled_below: Proportion::from_answers(
                both(OutputPurpose::Scrambled).map(|(score, original)| score < original),
            ),
            repeated: both(OutputPurpose::Repeated)
                .map(|(score, original)| (score - original).abs())
                .collect(),
            attention: Proportion::default(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_kind_is_measured_in_its_own_way() {
        let scores = QualityControlScores::from_items([
            (OutputPurpose::Copy, 20.0, None),
            (OutputPurpose::Copy, 30.0, None),
            (OutputPurpose::Scrambled, 10.0, Some(60.0)),
            (OutputPurpose::Scrambled, 60.0, Some(60.0)),
            (OutputPurpose::Scrambled, 5.0, None),
            (OutputPurpose::Repeated, 70.0, Some(64.0)),
            (OutputPurpose::Repeated, 60.0, Some(64.0)),
        ]);
        assert_eq!(scores.copies.value(), Ok(25.0));
        assert_eq!(
            (scores.scrambled.value(), scores.scrambled.n),
            (Ok(25.0), 3)
        );
        assert_eq!(scores.scrambled_below, Proportion { count: 1, total: 2 });
        assert_eq!((scores.repeated.value(), scores.repeated.n), (Ok(5.0), 2));
        assert_eq!(
            QualityControlScores::from_items([]),
            QualityControlScores::default()
        );
    }
}
