//! Scores of systems, of a study or of a file: the same computation over the same kind of table.

mod study;

use std::collections::BTreeMap;

use domain::{
    category::Category,
    statistics::{
        RatingTable,
        ranks::competition_ranks,
        systems::{
            PairedComparison, SystemPairComparison, SystemScore, UnpairedComparison, compare,
            compare_each, compare_unpaired, paired_sources, scores_by_source, system_scores,
        },
    },
    study::SystemKind,
};

/// Ratings, and whose outputs were rated. Of identical outputs, which are judged together, the one
/// that was judged.
#[derive(Debug, Clone)]
pub struct JudgedRatings<R, U> {
    /// As entered.
    pub raw: RatingTable<R, U>,
    /// z-scores by rater over the whole of the table, whatever part of it is looked at.
    pub z: RatingTable<R, U>,
    /// Where the z-scores come from.
    pub z_from: ZScoreOrigin,
    /// What was rated.
    pub outputs: BTreeMap<U, JudgedOutput>,
    /// Who wrote outputs.
    pub systems: Vec<SystemName>,
    /// What speaks against taking the figures as they are.
    pub warnings: Vec<String>,
}

/// Where z-scores come from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ZScoreOrigin {
    /// They were computed from the raw ratings, with each rater's population deviation.
    Ratings,
    /// They stood in the file, and are taken to the letter.
    File,
}

/// Where a rated output belongs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct JudgedOutput {
    /// The place of its system in [`Judged::systems`].
    pub system: usize,
    /// A number for its source, the same for all outputs of it.
    pub source: usize,
    /// Its group: the majority's, or the file's, or the automatic one.
    pub category: Category,
}

/// Every rated output with its scores, and whose it is.
///
/// The ratings of an output that was judged together with an identical one of another system stand
/// here for both: each system has earned them. The mean and the spread that z-scores take out are
/// those of what the rater entered, where such a rating counts once.
#[derive(Debug, Clone)]
pub struct SystemScores {
    outputs: Vec<ScoredOutput>,
    /// Who wrote outputs.
    pub systems: Vec<SystemName>,
    /// How many raters rated.
    pub raters: usize,
    /// How many ratings they gave, copies at identical outputs counted as well.
    pub ratings: usize,
    /// Where the z-scores come from.
    pub z_from: ZScoreOrigin,
    /// What speaks against taking the figures as they are.
    pub warnings: Vec<String>,
}

/// A rated output. Its scores are means over its raters.
#[derive(Debug, Clone, Copy)]
struct ScoredOutput {
    output: JudgedOutput,
    /// In points.
    raw: f64,
    /// In standard deviations, over the raters who have z-scores; `None` where nobody has.
    z: Option<f64>,
}

/// Somebody, or something, that wrote outputs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SystemName {
    /// Its name.
    pub name: String,
    /// Who that is; `None` in a file that does not say.
    pub kind: Option<SystemKind>,
}

/// A system's scores. Intervals are of the mean over outputs, t(.975, n−1)·s/√n.
#[derive(Debug, Clone, PartialEq)]
pub struct SystemEntry {
    /// Whose.
    pub system: SystemName,
    /// In points of the scale; ranked among all systems.
    pub raw: SystemScore<usize>,
    /// In standard deviations; `None` where no rater of it has z-scores.
    pub z: Option<SystemScore<usize>>,
    /// The place among systems of its kind, by z-scores where it has them.
    pub place_in_kind: usize,
}

impl SystemEntry {
    /// The score that ranks: of z-scores, or of raw ratings where there are none.
    pub fn score(&self) -> &SystemScore<usize> {
        self.z.as_ref().unwrap_or(&self.raw)
    }
}

/// Two systems compared in both units. Of the category that was asked for, where one was.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SystemComparison {
    /// In points.
    pub raw: PairedComparison,
    /// In standard deviations.
    pub z: PairedComparison,
}

/// Two systems compared as independent samples, in both units.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct UnpairedSystemComparison {
    /// In points.
    pub raw: UnpairedComparison,
    /// In standard deviations.
    pub z: UnpairedComparison,
}

impl SystemScores {
    /// The systems with a rated output of the category, or of any, best first; those with the same
    /// rank in the order of their names.
    pub fn ranking(&self, category: Option<Category>) -> Vec<SystemEntry> {
        let outputs = self.outputs(category);
        let raw = system_scores(outputs.clone().map(|it| (it.output.system, it.raw)));
        let z = system_scores(outputs.filter_map(|it| Some((it.output.system, it.z?))));
        let mut z: BTreeMap<_, _> = z.into_iter().map(|it| (it.system, it)).collect();
        let entry = |raw: SystemScore<usize>| SystemEntry {
            system: self.systems[raw.system].clone(),
            z: z.remove(&raw.system),
            raw,
            place_in_kind: 0,
        };
        let mut entries: Vec<_> = raw.into_iter().map(entry).collect();
        entries.sort_by(|a, b| {
            let key = |it: &SystemEntry| (it.z.is_none(), it.score().place);
            (key(a), &a.system.name).cmp(&(key(b), &b.system.name))
        });
        let kinds = [SystemKind::Human, SystemKind::Machine, SystemKind::Baseline];
        for kind in kinds.map(Some).into_iter().chain([None]) {
            let of_kind = || entries.iter().filter(|it| it.system.kind == kind);
            let means: Vec<_> = of_kind().map(|it| it.score().mean).collect();
            let ranks = competition_ranks(&means);
            let same = entries.iter_mut().filter(|it| it.system.kind == kind);
            same.zip(ranks)
                .for_each(|(it, place)| it.place_in_kind = place);
        }
        entries
    }

    /// Each system of a ranking against each below it, over the sources that both have a rated
    /// output of, by z-scores; a and b are places in `ranking`.
    pub fn pairs(
        &self,
        ranking: &[SystemEntry],
        category: Option<Category>,
    ) -> Vec<SystemPairComparison<usize>> {
        let mut place = vec![None; self.systems.len()];
        for (number, entry) in ranking.iter().enumerate() {
            place[entry.raw.system] = Some(number);
        }
        let scored = self.outputs(category);
        let scored =
            scored.filter_map(|it| Some((place[it.output.system]?, it.output.source, it.z?)));
        compare_each(&scores_by_source(scored), 0.0)
    }

    /// One system against another, both given by their places in [`SystemScores::systems`].
    pub fn compare(&self, a: usize, b: usize, category: Option<Category>) -> SystemComparison {
        let of = |unit: fn(&ScoredOutput) -> Option<f64>| {
            let score = |it: &ScoredOutput| Some((it.output.system, it.output.source, unit(it)?));
            let scores = scores_by_source(self.outputs(category).filter_map(score));
            let of = |system| scores.get(&system).map_or(&[][..], Vec::as_slice);
            compare(&paired_sources(of(a), of(b)), 0.0)
        };
        SystemComparison {
            raw: of(|it| Some(it.raw)),
            z: of(|it| it.z),
        }
    }

    /// The same of all sources that each has, as independent samples.
    pub fn compare_unpaired(
        &self,
        a: usize,
        b: usize,
        category: Option<Category>,
    ) -> UnpairedSystemComparison {
        let of = |unit: fn(&ScoredOutput) -> Option<f64>| {
            let score = |it: &ScoredOutput| Some((it.output.system, it.output.source, unit(it)?));
            let scores = scores_by_source(self.outputs(category).filter_map(score));
            let of = |system| -> Vec<f64> {
                let own = scores.get(&system).map_or(&[][..], Vec::as_slice);
                own.iter().map(|(_, score)| *score).collect()
            };
            compare_unpaired(&of(a), &of(b))
        };
        UnpairedSystemComparison {
            raw: of(|it| Some(it.raw)),
            z: of(|it| it.z),
        }
    }

    /// The rated outputs of a category, or all.
    fn outputs(&self, category: Option<Category>) -> impl Iterator<Item = &ScoredOutput> + Clone {
        let all = self.outputs.iter();
        all.filter(move |it| category.is_none_or(|category| it.output.category == category))
    }
}

impl<R: Ord + Clone, U: Ord> From<JudgedRatings<R, U>> for SystemScores {
    fn from(judged: JudgedRatings<R, U>) -> Self {
        let z: BTreeMap<&U, f64> = judged.z.means().collect();
        let scored = |(unit, raw): (&U, f64)| {
            Some(ScoredOutput {
                output: *judged.outputs.get(unit)?,
                raw,
                z: z.get(unit).copied(),
            })
        };
        Self {
            outputs: judged.raw.means().filter_map(scored).collect(),
            raters: judged.raw.active_raters(),
            ratings: judged.raw.len(),
            systems: judged.systems,
            z_from: judged.z_from,
            warnings: judged.warnings,
        }
    }
}

/// Everything that is shown of a study's systems.
#[derive(Debug, Clone, PartialEq)]
pub struct StudySystems {
    /// Best first, of the category that was asked for or of all.
    pub ranking: Vec<SystemEntry>,
    /// Each against each below it, by z-scores.
    pub pairs: Vec<SystemPairComparison<usize>>,
    /// Rankings by category, in the order of [`Category::ALL`].
    pub by_category: Vec<(Category, Vec<SystemEntry>)>,
    /// How many raters rated.
    pub raters: usize,
    /// How many ratings they gave, copies at identical outputs counted as well.
    pub ratings: usize,
    /// What speaks against taking the figures as they are.
    pub warnings: Vec<String>,
}

impl StudySystems {
    /// Computes all of them.
    pub fn from_scores(scores: &SystemScores, category: Option<Category>) -> Self {
        let ranking = scores.ranking(category);
        let by_category = Category::ALL.map(|of| (of, scores.ranking(Some(of))));
        Self {
            pairs: scores.pairs(&ranking, category),
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
