//! A person's own assignment, held for a write.

use domain::ids::{AssignmentId, PersonId};
use sqlx::AnyConnection;

use crate::{Error, Result, assignments::AssignmentRecord, lock, membership::barred_reason};

/// A person's own assignment whose study is held.
pub(super) struct OwnAssignment {
    pub(super) place: AssignmentRecord,
    pub(super) settings: domain::study::StudySettings,
    /// Why the person may not judge in the study now.
    pub(super) barred_reason: Option<&'static str>,
}

/// Holds the study of the person's own assignment and checks whether they may judge there now.
/// `None` if the assignment is not theirs.
pub(super) async fn lock_own_assignment(
    tx: &mut AnyConnection,
    person: PersonId,
    assignment: AssignmentId,
) -> Result<Option<OwnAssignment>> {
    let place = crate::assignments::load_assignment(tx, assignment).await?;
    // A request for another person's assignment must not wait for the study.
    let place = place.filter(|place| place.person == Some(person));
    let Some(AssignmentRecord { study, .. }) = place else {
        return Ok(None);
    };

    let locked_study = lock::lock_study(tx, study).await?;

    // Checked while the study is held: a lead who removes the person has done so, or waits.
    let barred = if locked_study.closed_reason.is_some() {
        locked_study.closed_reason
    } else {
        barred_reason(tx, study, person).await?
    };

    let place = crate::assignments::load_assignment(tx, assignment).await?;
    Ok(place.map(|place| OwnAssignment {
        place,
        settings: locked_study.settings,
        barred_reason: barred,
    }))
}

/// [`lock_own_assignment`] for changes to the assignment itself, which only an active annotator may make.
///
/// # Errors
/// Refused where the study is closed, or the person is no longer an annotator of it, withdrew or has
/// not consented.
pub(super) async fn lock_own_as_annotator(
    tx: &mut AnyConnection,
    person: PersonId,
    assignment: AssignmentId,
) -> Result<Option<(AssignmentRecord, domain::study::StudySettings)>> {
    match lock_own_assignment(tx, person, assignment).await? {
        Some(OwnAssignment {
            barred_reason: Some(reason),
            ..
        }) => Err(Error::Refused(reason.to_owned())),
        own => Ok(own.map(|own| (own.place, own.settings))),
    }
}
