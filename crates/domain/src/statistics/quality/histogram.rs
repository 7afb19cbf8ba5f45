use crate::score::RatingScale;

/// The number of bins on a scale with more whole numbers than this.
const BINS: i32 = 20;

/// The distribution of scores over their scale.
#[derive(Debug, Clone, PartialEq)]
pub struct Histogram {
    /// Adjacent bins in ascending order, over the whole scale.
    pub bins: Vec<HistogramBin>,
    /// The number of values off the scale, which are in no bin.
    pub outside: usize,
}

/// A part of the scale.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct HistogramBin {
    /// Its lower end, in points; inclusive.
    pub low: f64,
    /// Its upper end; exclusive, except in the last bin.
    pub high: f64,
    /// The scores in it.
    pub count: usize,
}

impl Histogram {
    /// Counts `values` in twenty bins of the same width: five points each on 0 to 100. A scale of up
    /// to twenty steps has a bin for each whole number instead, half a point to either side of it.
    #[must_use]
    pub fn from_values(values: &[f64], scale: RatingScale) -> Self {
        let (low, high) = (f64::from(scale.low), f64::from(scale.high));
        let steps = scale.high - scale.low;
        let (start, number, width) = if steps <= BINS {
            (low - 0.5, steps.max(0) + 1, 1.0)
        } else {
            (low, BINS, (high - low) / f64::from(BINS))
        };

        let bins = (0..number).map(|at| HistogramBin {
            low: start + f64::from(at) * width,
            high: start + f64::from(at + 1) * width,
            count: 0,
        });
        let mut histogram = Self {
            bins: bins.collect(),
            outside: 0,
        };
        for value in values {
            histogram.count(*value, low, high);
        }
        histogram
    }

    fn count(&mut self, value: f64, low: f64, high: f64) {
        let within = (low..=high).contains(&value);
        let after = self.bins.partition_point(|bin| bin.low <= value);
        match self.bins.get_mut(after.wrapping_sub(1)) {
            Some(bin) if within => bin.count += 1,
            _ => self.outside += 1,
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_bin_holds_its_lower_end_and_the_last_one_both() {
        let histogram = Histogram::from_values(
            &[0.0, 4.9, 5.0, 95.0, 100.0, 100.5, -1.0],
            RatingScale::PERCENT,
        );
        let counts: Vec<_> = histogram.bins.iter().map(|bin| bin.count).collect();
        assert_eq!((counts[0], counts[1], counts[19]), (2, 1, 2));
        assert_eq!((histogram.bins.len(), histogram.outside), (20, 2));
    }

    #[test]
    fn a_short_scale_has_a_bin_a_number() {
        let histogram = Histogram::from_values(&[-2.0, -2.0, 0.0, 2.0, 3.0], RatingScale::LIKERT);
        let counts: Vec<_> = histogram.bins.iter().map(|bin| bin.count).collect();
        assert_eq!((counts, histogram.outside), (vec![2, 0, 1, 0, 1], 1));
    }

    proptest! {
        #[test]
        fn each_value_is_counted_once(
            values in prop::collection::vec(-150.0..150.0_f64, 0..60),
            low in -20..20, steps in 1..200,
        ) {
            let histogram = Histogram::from_values(&values, RatingScale { low, high: low + steps });
            let inside: usize = histogram.bins.iter().map(|bin| bin.count).sum();
            prop_assert_eq!(inside + histogram.outside, values.len());
            for pair in histogram.bins.windows(2) {
                prop_assert_eq!(pair[0].high, pair[1].low);
            }
        }
    }
}
