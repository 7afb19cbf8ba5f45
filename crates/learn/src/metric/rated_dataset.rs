//! Datasets of judged outputs, each with its own scales and raters.

use std::collections::{BTreeMap, BTreeSet};

use super::{TrainingRating, TrainingSource};

/// Outputs of a source whose mean z differ by this or less are a tie.
const MIN_Z_DIFFERENCE: f64 = 0.2;

/// The z-score of an output that was only compared with others and neither won nor lost: that of a good output, because
/// outputs are compared if all of them are adequate.
const COMPARED_LEVEL: f64 = 0.5;
/// The difference in z-score between such an output and one that always won.
const COMPARED_SPREAD: f64 = 0.5;

/// A dataset. Targets of datasets are comparable: each rater's judgements were standardised on their own.
#[derive(Debug, Clone, PartialEq)]
pub struct RatedDataset {
    /// The name, for reports.
    pub name: String,
    /// The sources in the order of their texts.
    pub sources: Vec<DatasetSource>,
}

/// A source of a dataset.
#[derive(Debug, Clone, PartialEq)]
pub struct DatasetSource {
    /// Its text, and its judged outputs.
    pub training: TrainingSource,
    /// For each output, whether a person wrote it.
    pub human: Vec<bool>,
    /// The pairs of outputs of which people prefer one.
    pub preferences: Vec<OutputPreference>,
}

/// Two outputs of a source, by their indices.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct OutputPreference {
    /// The one that people prefer.
    pub better: usize,
    /// The other one.
    pub worse: usize,
    /// Whether both are good outputs: their mean z is above 0, or they were compared.
    pub both_good: bool,
}

/// A rating in a dataset.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct DatasetRating<'a> {
    /// The source, the output, and the z-score among the ratings of the rater on the dimension.
    pub rating: TrainingRating<'a>,
    /// Whether a person wrote the output.
    pub human: bool,
}

/// A comparison in a dataset.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct DatasetComparison<'a> {
    /// The text that was simplified.
    pub source: &'a str,
    /// The first output.
    pub a: &'a str,
    /// The second one.
    pub b: &'a str,
    /// 1 where the first is better, -1 where the second is, 0 for a tie.
    pub outcome: i8,
    /// For each of both, whether a person wrote it.
    pub human: [bool; 2],
}

impl RatedDataset {
    /// A dataset of ratings. An output's z is the mean over all its ratings, on any dimension. People prefer one of two
    /// outputs if these means differ by more than 0.2.
    #[must_use]
    pub fn from_ratings(name: String, ratings: &[DatasetRating<'_>]) -> Self {
        let human = ratings.iter().filter(|rating| rating.human);
        let human: BTreeSet<(&str, &str)> = human
            .map(|rating| (rating.rating.source, rating.rating.output))
            .collect();

        let sources = TrainingSource::group_ratings(ratings.iter().map(|rating| rating.rating));

        Self {
            name,
            sources: sources
                .into_iter()
                .map(|training| DatasetSource {
                    human: mark_human(&training, &human),
                    preferences: find_preferences(&training),
                    training,
                })
                .collect(),
        }
    }

    /// A dataset of comparisons. People prefer the output that won more comparisons of the pair than it lost,
    /// by any rater and on any dimension. Two identical texts are not a pair.
    #[must_use]
    pub fn from_comparisons(name: String, comparisons: &[DatasetComparison<'_>]) -> Self {
        let (mut human, mut wins) = (BTreeSet::new(), BTreeMap::<_, i64>::new());
        let mut ratings = Vec::new();
        for comparison in comparisons {
            let DatasetComparison { source, a, b, .. } = *comparison;
            if a == b {
                continue;
            }
            for (output, is_human) in [a, b].into_iter().zip(comparison.human) {
                if is_human {
                    human.insert((source, output));
                }
            }

            // A pair is the same in either order.
            let (pair, outcome) = match a < b {
                true => ((source, a, b), comparison.outcome),
                false => ((source, b, a), -comparison.outcome),
            };
            *wins.entry(pair).or_default() += i64::from(outcome);

            let change = COMPARED_SPREAD * f64::from(comparison.outcome);
            ratings.extend(
                [(a, COMPARED_LEVEL + change), (b, COMPARED_LEVEL - change)]
                    .map(|(output, z)| TrainingRating { source, output, z }),
            );
        }

        let sources = TrainingSource::group_ratings(ratings);
        Self {
            name,
            sources: sources
                .into_iter()
                .map(|training| build_compared_source(training, &wins, &human))
                .collect(),
        }
    }

    /// The number of judged outputs.
    #[must_use]
    pub fn outputs(&self) -> usize {
        let outputs = self.sources.iter();
        outputs.map(|source| source.training.outputs.len()).sum()
    }
}

/// A source with the preferences that follow from `wins`: by source and pair of outputs, the comparisons that the first
/// output won, less those that it lost.
fn build_compared_source(
    training: TrainingSource,
    wins: &BTreeMap<(&str, &str, &str), i64>,
    human: &BTreeSet<(&str, &str)>,
) -> DatasetSource {
    let source_wins = wins
        .iter()
        .filter(|((source, ..), net)| *source == training.text && **net != 0);
    let preferences = source_wins.filter_map(|((_, a, b), net)| {
        let (a, b) = (find_output(&training, a)?, find_output(&training, b)?);
        let (better, worse) = if *net > 0 { (a, b) } else { (b, a) };
        Some(OutputPreference {
            better,
            worse,
            both_good: true,
        })
    });

    DatasetSource {
        preferences: preferences.collect(),
        human: mark_human(&training, human),
        training,
    }
}

fn find_output(source: &TrainingSource, text: &str) -> Option<usize> {
    source.outputs.iter().position(|output| output.text == text)
}

fn mark_human(source: &TrainingSource, human: &BTreeSet<(&str, &str)>) -> Vec<bool> {
    let outputs = source.outputs.iter();
    outputs
        .map(|output| human.contains(&(&source.text[..], &output.text[..])))
        .collect()
}

fn find_preferences(source: &TrainingSource) -> Vec<OutputPreference> {
    let z = |at: usize| source.outputs[at].z;
    let mut preferences = Vec::new();
    for a in 0..source.outputs.len() {
        for b in a + 1..source.outputs.len() {
            if (z(a) - z(b)).abs() > MIN_Z_DIFFERENCE {
                let (better, worse) = if z(a) > z(b) { (a, b) } else { (b, a) };
                preferences.push(OutputPreference {
                    better,
                    worse,
                    both_good: z(worse) > 0.0,
                });
            }
        }
    }
    preferences
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ratings_far_enough_apart_are_preferences() {
        let rating = |output, z, human| DatasetRating {
            rating: TrainingRating {
                source: "s",
                output,
                z,
            },
            human,
        };
        let ratings = [
            rating("a", 1.0, false),
            rating("b", 0.9, true),
            rating("c", 0.4, false),
            rating("d", -1.0, false),
        ];
        let dataset = RatedDataset::from_ratings("made".to_owned(), &ratings);
        let [source] = &dataset.sources[..] else {
            panic!("one source: {dataset:?}");
        };
        assert_eq!(source.human, [false, true, false, false]);
        let pairs: Vec<_> = source
            .preferences
            .iter()
            .map(|pair| (pair.better, pair.worse, pair.both_good))
            .collect();
        // a and b are a tie.
        let expected = [
            (0, 2, true),
            (0, 3, false),
            (1, 2, true),
            (1, 3, false),
            (2, 3, false),
        ];
        assert_eq!(pairs, expected);
    }

    #[test]
    fn comparisons_of_a_pair_are_counted_in_either_order() {
        let compare = |a, b, outcome| DatasetComparison {
            source: "s",
            a,
            b,
            outcome,
            human: [true, false],
        };
        let comparisons = [
            compare("x", "y", 1),
            compare("y", "x", 1),
            compare("x", "y", 1),
            compare("x", "z", 0),
            compare("x", "x", 1),
        ];
        let dataset = RatedDataset::from_comparisons("made".to_owned(), &comparisons);
        let [source] = &dataset.sources[..] else {
            panic!("one source: {dataset:?}");
        };
        let x_over_y = OutputPreference {
            better: 0,
            worse: 1,
            both_good: true,
        };
        assert_eq!(source.preferences, [x_over_y]);
        assert_eq!(source.human, [true, true, false]);
        let z: Vec<f64> = source.training.outputs.iter().map(|o| o.z).collect();
        assert!(
            (z[0] - 0.625).abs() < 1e-9 && (z[2] - 0.5).abs() < 1e-9,
            "{z:?}"
        );
        assert!(z[1] < z[0]);
    }
}
