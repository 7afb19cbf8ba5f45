//! How the raters of a study went about it, from their raw answers.

mod conduct;

use domain::{
    score::Scale,
    statistics::{
        Agreement,
        quality::{Concern, Conduct, RaterQuality, by_rater_of, concerns},
    },
    study::Dimension,
};
use store::Rater;

use self::conduct::conducts;
use crate::live::{Held, Scored, StudyCorrections};

/// The raters of a study, one dimension of their ratings.
#[derive(Debug, Clone, PartialEq)]
pub struct StudyQuality {
    /// The scale of the dimension.
    pub scale: Scale,
    /// How far they agree, on z-scores.
    pub agreement: Agreement,
    /// Who rated: those with most to look at first, then in the order in which they joined.
    pub raters: Vec<RaterEntry>,
    /// What people corrected of the automatic edits, all together.
    pub corrections: StudyCorrections,
}

/// One of them.
#[derive(Debug, Clone, PartialEq)]
pub struct RaterEntry {
    /// The pseudonym, or the name in the imported file.
    pub rater: Rater,
    /// What the scores tell.
    pub scores: RaterQuality,
    /// What work on the platform tells beyond them, whichever ratings are asked for: of sources that
    /// were handed in.
    pub conduct: Conduct,
    /// What stands out.
    pub concerns: Vec<Concern>,
}

impl StudyQuality {
    /// What is held of the study in figures.
    #[must_use]
    pub fn of(held: &Held, dimension: &Dimension) -> Self {
        let none = Scored::default();
        let scored = held.dimension(&dimension.name).unwrap_or(&none);
        // An identical output's copied rating is no rating of its own.
        let rows = held.ratings();
        let own = rows.filter(|row| !row.shared && *row.dimension == *dimension.name);
        let scores = own.map(|row| (row.rater, row.source, row.value));
        let mut found = by_rater_of(scored.all(), scores, dimension.scale);
        let mut conduct = conducts(held.sources(), &dimension.name);
        let entry = |rater: &Rater| {
            let scores = found.figures.remove(&rater.id)?;
            let conduct = conduct(rater.id);
            let concerns = concerns(&scores, Some(&conduct), dimension.scale);
            Some(RaterEntry {
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
