//! The quality of a study's ratings: each rater's scores and conduct, computed from the raw answers.

mod conduct;

use domain::{
    score::RatingScale,
    statistics::{
        Agreement,
        quality::{RaterConcern, RaterConduct, RaterQuality, RaterQualityReport, find_concerns},
    },
    study::Dimension,
};
use store::Rater;

use self::conduct::compute_conduct;
use crate::live::{CacheKey, FigureKey, StudyCorrections, StudySnapshot};

/// The key of [`StudyQuality`].
#[derive(Debug, Clone, PartialEq)]
pub struct QualityKey {
    /// The dimension of the ratings.
    pub dimension: Dimension,
}

impl CacheKey for QualityKey {
    type Value = StudyQuality;
}

impl FigureKey for QualityKey {
    fn compute(&self, snapshot: &StudySnapshot) -> StudyQuality {
        StudyQuality::compute(snapshot, &self.dimension)
    }
}

/// The quality of a study's ratings on one dimension.
#[derive(Debug, Clone, PartialEq)]
pub struct StudyQuality {
    /// The scale of the dimension.
    pub scale: RatingScale,
    /// The agreement of the raters, on z-scores.
    pub agreement: Agreement,
    /// The raters with ratings or other submitted work: those with the most concerns first, then in the order in
    /// which they joined.
    pub raters: Vec<RaterQualityEntry>,
    /// The corrections of automatic edits in the whole study.
    pub corrections: StudyCorrections,
}

/// The quality of one rater's ratings.
#[derive(Debug, Clone, PartialEq)]
pub struct RaterQualityEntry {
    /// The pseudonym, or the name in the imported file.
    pub rater: Rater,
    /// Figures of the scores; `None` without scores on the dimension.
    pub scores: Option<RaterQuality>,
    /// Figures of the work on the platform. They always cover sources that were handed in, whatever the scope of the
    /// ratings.
    pub conduct: RaterConduct,
    /// The unusual figures of the rater.
    pub concerns: Vec<RaterConcern>,
}

impl StudyQuality {
    /// Computes the quality of the ratings on a dimension.
    #[must_use]
    pub fn compute(snapshot: &StudySnapshot, dimension: &Dimension) -> Self {
        let rows = snapshot.own_ratings(&dimension.name);
        let scores = rows.map(|row| (row.rater, row.source, row.value));
        let ratings = snapshot.ratings_on(&dimension.name);
        let z = &ratings.standardised.z;
        let mut quality = RaterQualityReport::new(z, scores, dimension.scale);

        let mut conduct_of = compute_conduct(snapshot.sources(), &dimension.name);
        let entry = |rater: &Rater| {
            let scores = quality.figures.remove(&rater.id);
            let conduct = conduct_of(rater.id);
            let concerns = find_concerns(scores.as_ref(), Some(&conduct), dimension.scale);
            (scores.is_some() || !conduct.is_empty()).then_some(RaterQualityEntry {
                rater: rater.clone(),
                scores,
                conduct,
                concerns,
            })
        };

        let mut raters: Vec<_> = snapshot.raters().iter().filter_map(entry).collect();
        raters.sort_by_key(|entry| std::cmp::Reverse(entry.concerns.len()));

        Self {
            scale: dimension.scale,
            agreement: quality.agreement,
            raters,
            corrections: snapshot.corrections(),
        }
    }
}
