//! Ending a source: handed in, reopened, skipped.

use domain::{
    ids::{AssignmentId, OutputId, PersonId},
    study::{AssignmentState, SourcePurpose},
    work::change::{Answer, Slot},
};
use sqlx::{AnyConnection, Row};

use super::save::own_as_annotator;
use crate::{
    Error, Result, Store,
    assignments::{Place, lease_end, renew, set_state},
    items,
    qualification::admit_by_answers,
    read::parsed,
    task,
};

/// What came of handing in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum HandIn {
    /// It is handed in, now or before.
    Done,
    /// It stays open: these scores are missing.
    Missing(Vec<Unrated>),
}

/// A score that is missing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unrated {
    /// Of which output.
    pub output: OutputId,
    /// On what.
    pub dimension: String,
}

impl Store {
    /// Hands the person's source in, if every output has a score on every dimension (a category it
    /// always has). The last source for qualification admits the annotator, where the study admits
    /// by answers and they are near enough. `None` where they have no such assignment.
    ///
    /// # Errors
    /// Refused where it was skipped or taken back, or the person is no longer an annotator.
    pub async fn hand_in(
        &self,
        person: PersonId,
        assignment: AssignmentId,
        now_ms: i64,
    ) -> Result<Option<HandIn>> {
        in_transaction!(self, |tx| {
            match own_as_annotator(&mut tx, person, assignment).await? {
                None => None,
                Some((place, _)) if place.state == AssignmentState::HandedIn => Some(HandIn::Done),
                Some((place, settings)) => {
                    only_open(&place)?;
                    let missing = unrated(&mut tx, &place, &settings.dimensions).await?;
                    if missing.is_empty() {
                        set_state(&mut tx, &place, AssignmentState::HandedIn, "", now_ms).await?;
                        if purpose(&mut tx, &place).await? == SourcePurpose::Qualification {
                            let Place { study, rater, .. } = place;
                            admit_by_answers(&mut tx, study, rater, person, &settings, now_ms)
                                .await?;
                        }
                        Some(HandIn::Done)
                    } else {
                        Some(HandIn::Missing(missing))
                    }
                }
            }
        })
    }

    /// Opens a source again that the person has handed in; until it is handed in anew its answers do
    /// not count. `None` where they have no such assignment.
    ///
    /// # Errors
    /// Refused where it was not handed in, is a qualification (that is judged once), or the person is
    /// no longer an annotator.
    pub async fn reopen(
        &self,
        person: PersonId,
        assignment: AssignmentId,
        now_ms: i64,
    ) -> Result<Option<()>> {
        in_transaction!(self, |tx| {
            match own_as_annotator(&mut tx, person, assignment).await? {
                None => None,
                Some((place, _)) if place.state == AssignmentState::Open => Some(()),
                Some((place, settings)) => {
                    if place.state != AssignmentState::HandedIn {
                        return refuse("Only a source that was handed in can be opened again.");
                    }
                    if purpose(&mut tx, &place).await? == SourcePurpose::Qualification {
                        return refuse("A source for qualification is judged once.");
                    }
                    renew(&mut tx, assignment, lease_end(&settings, now_ms)).await?;
                    set_state(&mut tx, &place, AssignmentState::Open, "", now_ms).await?;
                    Some(())
                }
            }
        })
    }

    /// Gives the person's open source up for good, with the reason that the lead reads. `None` where
    /// they have no such assignment.
    ///
    /// # Errors
    /// Refused where it is not open, no reason is given, or the person is no longer an annotator.
    pub async fn skip(
        &self,
        person: PersonId,
        assignment: AssignmentId,
        reason: &str,
        now_ms: i64,
    ) -> Result<Option<()>> {
        if reason.trim().is_empty() {
            return refuse("Say in a few words why you skip this source.");
        }
        in_transaction!(self, |tx| {
            match own_as_annotator(&mut tx, person, assignment).await? {
                None => None,
                Some((place, _)) if place.state == AssignmentState::Skipped => Some(()),
                Some((place, _)) => {
                    only_open(&place)?;
                    set_state(
                        &mut tx,
                        &place,
                        AssignmentState::Skipped,
                        reason.trim(),
                        now_ms,
                    )
                    .await?;
                    Some(())
                }
            }
        })
    }
}

fn only_open(place: &Place) -> Result<()> {
    match place.state {
        AssignmentState::Open => Ok(()),
        AssignmentState::HandedIn => refuse("This source was handed in already."),
        AssignmentState::Skipped => refuse("This source was skipped."),
        AssignmentState::Released => refuse("This source was taken back and is no longer yours."),
    }
}

async fn unrated(
    tx: &mut AnyConnection,
    place: &Place,
    dimensions: &[domain::study::Dimension],
) -> Result<Vec<Unrated>> {
    let answers = task::answers(tx, place.assignment).await?;
    let rated = |output: OutputId, name: &str| {
        answers.iter().any(|given| {
            matches!(
                (&given.slot, &given.answer),
                (Slot::Rating { output: o, dimension }, Answer::Rating(Some(_)))
                    if *o == output && dimension == name
            )
        })
    };
    let mut missing = vec![];
    for item in items::of(tx, place.source).await? {
        for dimension in dimensions {
            if !rated(item.output, &dimension.name) {
                missing.push(Unrated {
                    output: item.output,
                    dimension: dimension.name.clone(),
                });
            }
        }
    }
    Ok(missing)
}

async fn purpose(tx: &mut AnyConnection, place: &Place) -> Result<SourcePurpose> {
    let row = sqlx::query("SELECT purpose FROM source WHERE id = $1")
        .bind(place.source.to_string())
        .fetch_one(tx)
        .await?;
    parsed("source", place.source, "purpose", row.try_get("purpose")?)
}

fn refuse<T>(sentence: &str) -> Result<T> {
    Err(Error::Refused(sentence.to_owned()))
}
