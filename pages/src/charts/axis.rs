use super::decimal;

/// The most ticks on an axis.
const MOST_TICKS: i64 = 50;

/// An axis of a chart: its label with the unit, its ends, and its ticks.
#[derive(Debug, Clone, PartialEq)]
pub struct Axis {
    /// The label with the unit: “mean z-score (standard deviations)”.
    pub label: String,
    /// Ascending; the first and the last are the ends.
    pub ticks: Vec<AxisTick>,
    /// Values to compare with, such as usual limits: thin lines with their words.
    pub references: Vec<AxisTick>,
}

/// A labelled position on an axis.
#[derive(Debug, Clone, PartialEq)]
pub struct AxisTick {
    pub value: f64,
    /// Its label.
    pub label: String,
}

impl Axis {
    /// An axis over all of `values` with about `count` round ticks. Values that are not finite are ignored.
    /// A single value gets some room on both sides; no values give 0 to 1.
    pub fn from_values(
        label: impl Into<String>,
        values: impl IntoIterator<Item = f64>,
        about: usize,
    ) -> Self {
        let finite = values.into_iter().filter(|value| value.is_finite());
        let ends = finite.fold(None, |ends: Option<(f64, f64)>, value| {
            let (low, high) = ends.unwrap_or((value, value));
            Some((low.min(value), high.max(value)))
        });

        let (low, high) = match ends {
            None => (0.0, 1.0),
            Some((low, high)) if low == high => {
                let room = (low.abs() * 0.1).max(0.5);
                (low - room, high + room)
            }
            Some(ends) => ends,
        };

        let step = round_step((high - low) / about.max(1) as f64);
        let (first, last) = ((low / step).floor() as i64, (high / step).ceil() as i64);
        let decimals = (-step.log10().floor()).clamp(0.0, 12.0) as usize;
        let tick = |count: i64| {
            let value = count as f64 * step;
            let label = decimal(value, decimals);
            AxisTick { value, label }
        };

        Self {
            label: label.into(),
            ticks: (first..=last.min(first.saturating_add(MOST_TICKS)))
                .map(tick)
                .collect(),
            references: Vec::new(),
        }
    }

    /// The same axis with lines at values to compare with; those beyond its ends are left out.
    #[must_use]
    pub fn with_references(mut self, references: impl IntoIterator<Item = AxisTick>) -> Self {
        let (low, high) = self.ends();
        let references = references.into_iter();
        self.references = references
            .filter(|reference| (low..=high).contains(&reference.value))
            .collect();
        self
    }

    /// The values at the ends.
    pub fn ends(&self) -> (f64, f64) {
        match &self.ticks[..] {
            [first, .., last] => (first.value, last.value),
            _ => (0.0, 1.0),
        }
    }

    /// The scale from values to coordinates between two positions of a drawing.
    pub fn scale(&self, start: f64, end: f64) -> AxisScale {
        let (low, high) = self.ends();
        AxisScale {
            low,
            start,
            slope: (end - start) / (high - low),
            places: (start.min(end), start.max(end)),
        }
    }

    /// Whether zero lies strictly between the ends.
    pub fn crosses_zero(&self) -> bool {
        let (low, high) = self.ends();
        low < 0.0 && 0.0 < high
    }
}

/// A linear map from values to coordinates.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct AxisScale {
    low: f64,
    start: f64,
    slope: f64,
    places: (f64, f64),
}

impl AxisScale {
    /// The coordinate of a value; values beyond the axis are drawn at its end.
    pub fn position(self, value: f64) -> f64 {
        let place = self.start + (value - self.low) * self.slope;
        place.clamp(self.places.0, self.places.1)
    }
}

/// The smallest of 1, 2 and 5 times a power of ten that is at least `least`.
fn round_step(least: f64) -> f64 {
    let power = 10f64.powi(least.log10().floor() as i32);
    let rounds = [1.0, 2.0, 5.0, 10.0].map(|factor| factor * power);
    // Tolerance for rounding errors: 0.1 · 3 would otherwise need the next step.
    let fits = |step: &f64| *step >= least * (1.0 - 1e-9);
    rounds.into_iter().find(fits).unwrap_or(10.0 * power)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn labels(values: &[f64]) -> Vec<String> {
        let axis = Axis::from_values("", values.iter().copied(), 5);
        axis.ticks.into_iter().map(|tick| tick.label).collect()
    }

    #[test]
    fn ticks_are_round_and_hold_every_value() {
        for (values, expect) in [
            (&[0.0, 100.0][..], &["0", "20", "40", "60", "80", "100"][..]),
            (&[-0.92, 0.78], &["−1.0", "−0.5", "0.0", "0.5", "1.0"]),
            (&[3.0], &["2.4", "2.6", "2.8", "3.0", "3.2", "3.4", "3.6"]),
            (&[], &["0.0", "0.2", "0.4", "0.6", "0.8", "1.0"]),
            (
                &[f64::NAN, 1e6, 3e6],
                &["1000000", "1500000", "2000000", "2500000", "3000000"],
            ),
        ] {
            assert_eq!(labels(values), expect, "{values:?}");
        }
    }

    #[test]
    fn references_beyond_the_ends_are_left_out() {
        let reference = |value| AxisTick {
            value,
            label: String::new(),
        };
        let axis = Axis::from_values("", [0.0, 1.0], 5);
        let axis = axis.with_references([-0.1, 0.667, 1.2].map(reference));
        assert_eq!(axis.references, [reference(0.667)]);
    }

    #[test]
    fn a_scale_maps_ends_to_places_and_keeps_what_is_beyond_inside() {
        let scale = Axis::from_values("", [0.0, 10.0], 5).scale(100.0, 0.0);
        for (value, place) in [(0.0, 100.0), (10.0, 0.0), (2.5, 75.0), (99.0, 0.0)] {
            assert_eq!(scale.position(value), place);
        }
    }

    proptest! {
        #[test]
        fn every_value_lies_on_its_axis(values in prop::collection::vec(-1e9..1e9f64, 1..20)) {
            let axis = Axis::from_values("", values.iter().copied(), 6);
            let (low, high) = axis.ends();
            prop_assert!((2..=MOST_TICKS as usize).contains(&axis.ticks.len()));
            prop_assert!(values.iter().all(|value| (low..=high).contains(value)));
            prop_assert!(axis.ticks.windows(2).all(|pair| pair[0].value < pair[1].value));
        }
    }
}
