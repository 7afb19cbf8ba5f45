//! How the raters of a study went about it, from their raw answers.

mod conduct;

use std::sync::Arc;

use domain::{
    ids::StudyId,
    score::Scale,
    statistics::{
        Agreement,
        quality::{Concern, Conduct, RaterQuality, by_rater, concerns},
    },
    study::Dimension,
};
use store::{
    Rater, Store,
    ratings::{RatingRow, Which},
};

use self::conduct::Work;
use super::StudyCorrections;
use crate::live::{Held, Live};

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
    /// What is held of the study, with what else was recorded of the work, and the number of the
    /// newest event that it tells of. Computed once for all who ask before the next event.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn read(
        live: &Live,
        store: &Store,
        of: (StudyId, Which),
        dimension: &Dimension,
    ) -> store::Result<(i64, Arc<Self>)> {
        // The number first: what is read after it is at least as new.
        let event = store.newest_event(of.0).await?.unwrap_or(0);
        let name = format!("quality {}", dimension.name);
        let known = {
            let name = name.clone();
            let recall = move |held: &Held| held.recall::<(i64, Arc<Self>)>(&name);
            live.read(store, of, recall).await?
        };
        if let Some(known) = known.filter(|known| known.0 == event) {
            return Ok((event, known.1.clone()));
        }
        let (work, dimension) = (Work::of(store, of.0).await?, dimension.clone());
        let figures = move |held: &Held| {
            let raters = held.raters().to_vec();
            let found = Arc::new(Self::from(&dimension, held.ratings(), &work, raters));
            held.keep(name, (event, found)).1.clone()
        };
        Ok((event, live.read(store, of, figures).await?))
    }

    fn from<'a>(
        dimension: &Dimension,
        ratings: impl IntoIterator<Item = &'a RatingRow>,
        work: &Work,
        raters: Vec<Rater>,
    ) -> Self {
        // An identical output's copied rating is no rating of its own.
        let counted = |row: &&RatingRow| !row.shared && *row.dimension == *dimension.name;
        let rows: Vec<_> = ratings.into_iter().filter(counted).collect();
        let entries = rows
            .iter()
            .map(|row| (row.rater, row.source, row.output, row.value));
        let mut found = by_rater(entries, dimension.scale)
            .expect("the store keeps one finite rating a rater, output and dimension");
        let mut conducts = work.by_rater(&dimension.name, &rows);
        let entry = |rater: Rater| {
            let scores = found.figures.remove(&rater.id)?;
            let conduct = conducts(rater.id);
            let concerns = concerns(&scores, Some(&conduct), dimension.scale);
            Some(RaterEntry {
                rater,
                scores,
                conduct,
                concerns,
            })
        };
        let corrections = work.corrections(&raters);
        let mut raters: Vec<_> = raters.into_iter().filter_map(entry).collect();
        raters.sort_by_key(|entry| std::cmp::Reverse(entry.concerns.len()));
        Self {
            scale: dimension.scale,
            agreement: found.agreement,
            raters,
            corrections,
        }
    }
}
