use super::Proportion;

/// The highest possible reading speed, in words per second: good readers manage four to five, and skim
/// at ten.
pub const WORDS_A_SECOND: f64 = 10.0;

/// The least time to rate an output, in milliseconds.
pub const LEAST_MS_AN_OUTPUT: f64 = 1_000.0;

/// The amount of text that a rater was shown for a source.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct ShownText {
    /// Words of the source and of its outputs, separated by white space; identical outputs count
    /// once. In scripts without spaces this undercounts words, so no rater is reported wrongly.
    pub words: usize,
    /// The number of different outputs.
    pub outputs: usize,
}

impl ShownText {
    /// The least time to read the words and rate the outputs, in milliseconds.
    #[must_use]
    pub fn least_ms(self) -> f64 {
        let reading = self.words as f64 / WORDS_A_SECOND * 1_000.0;
        reading.max(self.outputs as f64 * LEAST_MS_AN_OUTPUT)
    }
}

/// Sources done faster than anyone can read, of those with an active time in milliseconds.
/// Unlike outliers, this does not depend on the other raters: a whole crowd can be too fast. Times of
/// 0 were not recorded and are left out.
pub fn too_fast_to_read(sources: impl IntoIterator<Item = (u64, ShownText)>) -> Proportion {
    let recorded = sources.into_iter().filter(|(active_ms, _)| *active_ms > 0);
    Proportion::from_answers(
        recorded.map(|(active_ms, shown)| (active_ms as f64) < shown.least_ms()),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn twenty_outputs_in_five_seconds_were_not_read_however_fast_others_are() {
        let shown = ShownText {
            words: 525,
            outputs: 20,
        };
        assert_eq!(shown.least_ms(), 52_500.0);
        let too_fast =
            too_fast_to_read([(5_000, shown), (52_499, shown), (52_500, shown), (0, shown)]);
        assert_eq!(too_fast, Proportion { count: 2, total: 3 });
        // Short outputs need a second each.
        let short = ShownText {
            words: 30,
            outputs: 10,
        };
        let too_fast = too_fast_to_read([(9_999, short), (10_000, short)]);
        assert_eq!(too_fast, Proportion { count: 1, total: 2 });
    }
}
