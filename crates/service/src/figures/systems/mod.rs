//! Scores of systems, for a study or a file: both are computed from the same form of table.

mod study;

pub use self::study::SystemsKey;

use std::collections::BTreeMap;

use domain::{
    category::Category,
    statistics::{
        RatingTable,
        ranks::competition_ranks,
        systems::{
            PairedComparison, SystemPairComparison, SystemScore, UnpairedComparison, WinTieLoss,
            compare, compare_each, compare_unpaired, paired_sources, scores_by_source,
            system_letters, system_scores, win_tie_loss,
        },
    },
    study::SystemKind,
};

/// Ratings, with the rated outputs and their systems. Of identical outputs, which are judged together, only
/// the judged one is included.
#[derive(Debug, Clone)]
pub struct JudgedRatings<R, U> {
    /// The ratings as they were entered.
    pub raw: RatingTable<R, U>,
    /// z-scores by rater. They are always based on the whole table, even if a figure uses a part of it.
    pub z: RatingTable<R, U>,
    /// The origin of the z-scores.
    pub z_from: ZScoreOrigin,
    /// The rated outputs.
    pub outputs: BTreeMap<U, JudgedOutput>,
    /// The systems that wrote outputs.
    pub systems: Vec<SystemName>,
    /// Sentences on the limits of the figures.
    pub warnings: Vec<String>,
}

/// The origin of z-scores.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ZScoreOrigin {
    /// Computed from the raw ratings, with each rater's population standard deviation.
    Ratings,
    /// Taken from the file as they are.
    File,
}

/// The system, source and category of a rated output.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct JudgedOutput {
    /// The index of its system in [`JudgedRatings::systems`].
    pub system: usize,
    /// A number for its source, the same for all outputs of the source. In a study it is the index of the
    /// source in the snapshot.
    pub source: usize,
    /// Its category: that of the majority or the file, or the automatic one. `None` for a file whose figures do not
    /// need it; an output of a study has one.
    pub category: Option<Category>,
}

/// Every rated output with its scores and its system.
///
/// If identical outputs of several systems were judged together, the ratings count for each of these systems. The
/// mean and standard deviation behind z-scores are those of the ratings that the rater entered, in which such a
/// rating counts once.
#[derive(Debug, Clone)]
pub struct SystemScores {
    outputs: Vec<ScoredOutput>,
    /// The systems that wrote outputs, without those that a lead hid.
    pub systems: Vec<SystemName>,
    /// The number of raters with ratings.
    pub raters: usize,
    /// The number of ratings, including copies at identical outputs.
    pub ratings: usize,
    /// The origin of the z-scores.
    pub z_from: ZScoreOrigin,
    /// Sentences on the limits of the figures.
    pub warnings: Vec<String>,
}

/// A rated output; its scores are means over its raters.
#[derive(Debug, Clone, Copy)]
pub(super) struct ScoredOutput {
    pub(super) output: JudgedOutput,
    /// The mean rating, in points.
    pub(super) raw: f64,
    /// The mean z-score, over the raters who have z-scores; `None` if none has.
    pub(super) z: Option<f64>,
}

/// A system by name: a person or a program that wrote outputs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SystemName {
    /// Its name.
    pub name: String,
    /// The kind of writer; `None` if a file does not say.
    pub kind: Option<SystemKind>,
    /// Whether a lead hid it from figures of systems.
    pub is_hidden: bool,
}

/// A system's scores. Intervals are those of the mean over outputs: t(.975, n−1)·s/√n.
#[derive(Debug, Clone, PartialEq)]
pub struct SystemEntry {
    /// The system.
    pub system: SystemName,
    /// The score in points of the scale; ranked among all systems.
    pub raw: SystemScore<usize>,
    /// The score in standard deviations; `None` if none of its raters has z-scores.
    pub z: Option<SystemScore<usize>>,
    /// The rank among systems of its kind, by z-scores if it has them.
    pub place_in_kind: usize,
}

impl SystemEntry {
    /// The score that decides the rank: by z-scores, or by raw ratings if there are none.
    pub fn score(&self) -> &SystemScore<usize> {
        self.z.as_ref().unwrap_or(&self.raw)
    }
}

/// Two systems compared on the sources that both have, in both units.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SystemComparison {
    /// The comparison in points.
    pub raw: PairedComparison,
    /// The comparison in standard deviations.
    pub z: PairedComparison,
}

/// Two systems compared as independent samples, in both units.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct UnpairedSystemComparison {
    /// The comparison in points.
    pub raw: UnpairedComparison,
    /// The comparison in standard deviations.
    pub z: UnpairedComparison,
}

impl<R, U: Ord> JudgedRatings<R, U> {
    /// Whether the output's system was hidden by a lead.
    pub fn is_hidden(&self, output: &U) -> bool {
        let output = self.outputs.get(output);
        output.is_some_and(|output| self.systems[output.system].is_hidden)
    }
}

impl SystemScores {
    /// The systems with a rated output of the category, or of any; best first, and those of equal rank in alphabetical
    /// order.
    pub fn ranking(&self, category: Option<Category>) -> Vec<SystemEntry> {
        let outputs = self.outputs(category);
        let raw = outputs
            .clone()
            .map(|output| (output.output.system, output.raw));
        let raw = system_scores(raw);
        let z = system_scores(outputs.filter_map(|output| Some((output.output.system, output.z?))));
        let mut z: BTreeMap<_, _> = z.into_iter().map(|score| (score.system, score)).collect();

        let entry = |raw: SystemScore<usize>| SystemEntry {
            system: self.systems[raw.system].clone(),
            z: z.remove(&raw.system),
            raw,
            place_in_kind: 0,
        };
        let mut entries: Vec<_> = raw.into_iter().map(entry).collect();

        entries.sort_by(|a, b| {
            let key = |entry: &SystemEntry| (entry.z.is_none(), entry.score().place);
            (key(a), &a.system.name).cmp(&(key(b), &b.system.name))
        });

        let kinds = [SystemKind::Human, SystemKind::Machine, SystemKind::Baseline];
        for kind in kinds.map(Some).into_iter().chain([None]) {
            let of_kind = || entries.iter().filter(|entry| entry.system.kind == kind);
            let means: Vec<_> = of_kind().map(|entry| entry.score().mean).collect();

            let ranks = competition_ranks(&means);

            let of_kind = entries.iter_mut().filter(|entry| entry.system.kind == kind);
            of_kind
                .zip(ranks)
                .for_each(|(entry, rank)| entry.place_in_kind = rank);
        }

        entries
    }

    /// Compares each system of a ranking with each one below it, by z-scores, over the sources for which both
    /// have a rated output. `a` and `b` of a comparison are indices into `ranking`.
    pub fn pairs(
        &self,
        ranking: &[SystemEntry],
        category: Option<Category>,
    ) -> Vec<SystemPairComparison<usize>> {
        let mut places = vec![None; self.systems.len()];
        for (number, entry) in ranking.iter().enumerate() {
            places[entry.raw.system] = Some(number);
        }

        let outputs = self.outputs(category);
        let scores = outputs.filter_map(|output| {
            Some((
                places[output.output.system]?,
                output.output.source,
                output.z?,
            ))
        });

        compare_each(&scores_by_source(scores), 0.0)
    }

    /// Compares two systems, given by their indices in [`SystemScores::systems`].
    pub fn compare(&self, a: usize, b: usize, category: Option<Category>) -> SystemComparison {
        let compare_in = |unit: fn(&ScoredOutput) -> Option<f64>| {
            let score = |output: &ScoredOutput| {
                Some((output.output.system, output.output.source, unit(output)?))
            };
            let scores = scores_by_source(self.outputs(category).filter_map(score));
            let scores_of = |system| scores.get(&system).map_or(&[][..], Vec::as_slice);
            compare(&paired_sources(scores_of(a), scores_of(b)), 0.0)
        };

        SystemComparison {
            raw: compare_in(|output| Some(output.raw)),
            z: compare_in(|output| output.z),
        }
    }

    /// Counts the sources on which system `a` is better than, equal to and worse than `b`. Mean raw ratings that
    /// differ by `tie_points` or less are equal.
    pub fn count_outcomes(&self, a: usize, b: usize, tie_points: f64) -> WinTieLoss {
        let outputs = self.outputs(None);
        let score =
            |scored: &ScoredOutput| (scored.output.system, scored.output.source, scored.raw);
        let scores = scores_by_source(outputs.map(score));

        let scores_of = |system| scores.get(&system).map_or(&[][..], Vec::as_slice);
        win_tie_loss(&paired_sources(scores_of(a), scores_of(b)), tie_points)
    }

    /// Compares two systems as independent samples, over all sources that each of them has.
    pub fn compare_unpaired(
        &self,
        a: usize,
        b: usize,
        category: Option<Category>,
    ) -> UnpairedSystemComparison {
        let compare_in = |unit: fn(&ScoredOutput) -> Option<f64>| {
            let score = |output: &ScoredOutput| {
                Some((output.output.system, output.output.source, unit(output)?))
            };
            let scores = scores_by_source(self.outputs(category).filter_map(score));

            let scores_of = |system| -> Vec<f64> {
                let by_source = scores.get(&system).map_or(&[][..], Vec::as_slice);
                by_source.iter().map(|(_, score)| *score).collect()
            };

            compare_unpaired(&scores_of(a), &scores_of(b))
        };

        UnpairedSystemComparison {
            raw: compare_in(|output| Some(output.raw)),
            z: compare_in(|output| output.z),
        }
    }

    /// Keeps only the outputs of sources whose numbers `keep` accepts. The numbers of raters and ratings stay those
    /// of all sources.
    pub fn retain_sources(&mut self, keep: impl Fn(usize) -> bool) {
        self.outputs.retain(|output| keep(output.output.source));
    }

    /// The rated outputs of a category, or all of them.
    pub(super) fn outputs(
        &self,
        category: Option<Category>,
    ) -> impl Iterator<Item = &ScoredOutput> + Clone {
        let outputs = self.outputs.iter();
        outputs.filter(move |output| {
            category.is_none_or(|category| output.output.category == Some(category))
        })
    }
}

impl<R: Ord + Clone, U: Ord> From<JudgedRatings<R, U>> for SystemScores {
    fn from(judged: JudgedRatings<R, U>) -> Self {
        let z: BTreeMap<&U, f64> = judged.z.means().collect();
        let score_output = |(unit, raw): (&U, f64)| {
            Some(ScoredOutput {
                output: *judged.outputs.get(unit)?,
                raw,
                z: z.get(unit).copied(),
            })
        };

        Self {
            outputs: judged.raw.means().filter_map(score_output).collect(),
            raters: judged.raw.active_raters(),
            ratings: judged.raw.len(),
            systems: judged.systems,
            z_from: judged.z_from,
            warnings: judged.warnings,
        }
    }
}

/// All figures of a study's systems.
#[derive(Debug, Clone, PartialEq)]
pub struct StudySystems {
    /// The systems of the chosen category, or of all; best first.
    pub ranking: Vec<SystemEntry>,
    /// Each system compared with each one below it, by z-scores.
    pub pairs: Vec<SystemPairComparison<usize>>,
    /// The letters of each system of the ranking: systems that share one cannot be told apart. `None` if
    /// there are too many systems or groups for letters.
    pub letters: Option<Vec<String>>,
    /// Rankings by category, in the order of [`Category::ALL`].
    pub by_category: Vec<(Category, Vec<SystemEntry>)>,
    /// The number of raters with ratings.
    pub raters: usize,
    /// The number of ratings, including copies at identical outputs.
    pub ratings: usize,
    /// Sentences on the limits of the figures.
    pub warnings: Vec<String>,
}

impl StudySystems {
    /// Computes all figures.
    pub fn from_scores(scores: &SystemScores, category: Option<Category>) -> Self {
        let ranking = scores.ranking(category);
        let by_category = Category::ALL.map(|category| (category, scores.ranking(Some(category))));
        let pairs = scores.pairs(&ranking, category);

        Self {
            letters: system_letters(ranking.len(), &pairs),
            pairs,
            ranking,
            by_category: by_category.into(),
            raters: scores.raters,
            ratings: scores.ratings,
            warnings: scores.warnings.clone(),
        }
    }
}

#[cfg(test)]
mod tests;
