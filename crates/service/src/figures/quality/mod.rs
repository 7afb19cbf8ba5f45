//! How the raters of a study went about it, from their raw answers.

mod conduct;

use domain::{
    score::RatingScale,
    statistics::{
        Agreement,
        quality::{
            RaterConcern, RaterConduct, RaterQuality, compute_live_rater_quality, find_concerns,
        },
    },
    study::Dimension,
};
use store::Rater;

use self::conduct::compute_conduct;
use crate::live::{DimensionSums, StudyCorrections, StudySnapshot};

/// The raters of a study, one dimension of their ratings.
#[derive(Debug, Clone, PartialEq)]
pub struct StudyQuality {
    /// The scale of the dimension.
    pub scale: RatingScale,
    /// How far they agree, on z-scores.
    pub agreement: Agreement,
    /// Who rated: those with most to look at first, then in the order in which they joined.
    pub raters: Vec<RaterQualityEntry>,
    /// What people corrected of the automatic edits, all together.
    pub corrections: StudyCorrections,
}

/// One of them.
#[derive(Debug, Clone, PartialEq)]
pub struct RaterQualityEntry {
    /// The pseudonym, or the name in the imported file.
    pub rater: Rater,
    /// What the scores tell.
    pub scores: RaterQuality,
    /// What work on the platform tells beyond them, whichever ratings are asked for: of sources that
    /// were handed in.
    pub conduct: RaterConduct,
    /// What stands out.
    pub concerns: Vec<RaterConcern>,
}

impl StudyQuality {
    /// What is held of the study in figures.
    #[must_use]
    pub fn compute(held: &StudySnapshot, dimension: &Dimension) -> Self {
        let none = DimensionSums::default();
        let scored = held.dimension(&dimension.name).unwrap_or(&none);
        // An identical output's copied rating is no rating of its own.
        let rows = held.ratings();
        let own = rows.filter(|row| !row.shared && *row.dimension == *dimension.name);
        let scores = own.map(|row| (row.rater, row.source, row.value));
        let mut found = compute_live_rater_quality(scored.all(), scores, dimension.scale);
        let mut conduct = compute_conduct(held.sources(), &dimension.name);
        let entry = |rater: &Rater| {
            let scores = found.figures.remove(&rater.id)?;
            let conduct = conduct(rater.id);
            let concerns = find_concerns(&scores, Some(&conduct), dimension.scale);
            Some(RaterQualityEntry {
                rater: rater.clone(),
                scores,
                conduct,
                concerns,
            })
        };
        let mut raters: Vec<_> = held.raters().iter().filter_map(entry).collect();
        raters.sort_by_key(|entry| std::cmp::Reverse(entry.concerns.len()));
        Self {
            scale: dimension.scale,
            agreement: found.agreement,
            raters,
            corrections: held.corrections(),
        }
    }
}
