//! Counts of an annotator's remaining work. Nothing is assigned here.

use domain::{
    ids::{AssignmentId, PersonId, RaterId, StudyId},
    study::{QualificationRule, SourcePurpose, StudySettings},
};
use sqlx::AnyConnection;
use uuid::Uuid;

use super::{
    attention::RaterAttention,
    choice::{SourceCandidate, SourceChoice, choose_ready},
    crowd_limit::CrowdLimit,
    source_candidates::{CandidateQuery, count_purposes, load_choice},
};
use crate::{
    Result, Store,
    columns::{BindId, TableRow, parse_text},
    experiments::expected_column,
};

/// The assignment that an annotator would be given next.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum UpcomingAssignment {
    /// They have this open.
    Open(AssignmentId, SourcePurpose),
    /// A source for this purpose.
    Source(SourcePurpose),
    /// Nothing until they are admitted to the sources of the study.
    AwaitsAdmission,
    /// Nothing until the best available aligner has made the edits of new outputs.
    Preparing,
    /// Nothing: they have done each source, or it has its number of raters.
    Nothing,
}

/// An annotator's progress with the sources for one purpose.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct PurposeProgress {
    /// The number of sources.
    pub sources: u32,
    /// The number that the annotator has handed in or skipped.
    pub done: u32,
    /// The number that the annotator has open or could be given now. For main sources this is an
    /// estimate, because others may be given some of them first.
    pub available: u32,
}

/// An annotator's remaining work.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct UpcomingWork {
    /// The next assignment.
    pub next: UpcomingAssignment,
    /// Sources that are shown with the expected answers.
    pub tutorial: PurposeProgress,
    /// Sources whose expected answers are shown once they are handed in.
    pub training: PurposeProgress,
    /// Sources that decide whether the annotator may begin.
    pub qualification: PurposeProgress,
    /// Sources of the study itself, with the attention items that the annotator had or will get.
    pub main: PurposeProgress,
}

impl Store {
    /// The assignment that the person would be given next; they need not be a rater of the study
    /// yet. `None` if there is no such study.
    ///
    /// # Errors
    /// When the database fails or a row does not read.
    pub async fn upcoming_assignment(
        &self,
        study: StudyId,
        person: PersonId,
        now_ms: i64,
    ) -> Result<Option<UpcomingAssignment>> {
        // One transaction, so that everything is read at the same moment.
        let mut tx = self.reader().begin().await?;
        choose_upcoming_assignment(&mut tx, study, person, now_ms).await
    }

    /// The person's remaining work in the study; they need not be a rater of it yet. `None` if
    /// there is no such study.
    ///
    /// # Errors
    /// When the database fails or a row does not read.
    pub async fn upcoming_work(
        &self,
        study: StudyId,
        person: PersonId,
        now_ms: i64,
    ) -> Result<Option<UpcomingWork>> {
        let mut tx = self.reader().begin().await?;
        let Some(annotator) = load_annotator(&mut tx, study, person, now_ms).await? else {
            return Ok(None);
        };
        let next = choose_upcoming(&mut tx, &annotator).await?;
        let counts = count_purposes(&mut tx, &annotator.query).await?;

        let part = |purpose| {
            let counted = counts.iter().find(|counted| counted.purpose == purpose);
            counted.map_or_else(PurposeProgress::default, |counted| counted.progress)
        };
        let (main, items) = (part(SourcePurpose::Main), part(SourcePurpose::Attention));
        let main = match items.sources {
            0 => main,
            _ => RaterAttention::load(&mut tx, &annotator.query)
                .await?
                .hide_among(main, items),
        };
        Ok(Some(UpcomingWork {
            next,
            tutorial: part(SourcePurpose::Tutorial),
            training: part(SourcePurpose::Training),
            qualification: part(SourcePurpose::Qualification),
            main: annotator.limit.cap(main),
        }))
    }
}

/// An annotator with what the choice of their next source depends on.
#[derive(Debug)]
struct UpcomingAnnotator {
    query: CandidateQuery,
    admitted: bool,
    limit: CrowdLimit,
}

/// The assignment that the person would be given next. `None` if there is no such study.
pub(crate) async fn choose_upcoming_assignment(
    tx: &mut AnyConnection,
    study: StudyId,
    person: PersonId,
    now_ms: i64,
) -> Result<Option<UpcomingAssignment>> {
    match load_annotator(tx, study, person, now_ms).await? {
        None => Ok(None),
        Some(annotator) => choose_upcoming(tx, &annotator).await.map(Some),
    }
}

async fn load_annotator(
    tx: &mut AnyConnection,
    study: StudyId,
    person: PersonId,
    now_ms: i64,
) -> Result<Option<UpcomingAnnotator>> {
    let row = sqlx::query(
        "SELECT s.settings AS settings, m.admitted_at AS admitted_at, m.group_id AS group_id, r.id AS rater_id
         FROM study s
         LEFT JOIN member m ON m.study_id = s.id AND m.person_id = $2
         LEFT JOIN rater r ON r.study_id = s.id AND r.person_id = $2
         WHERE s.id = $1",
    )
    .bind_id(study)
    .bind_id(person)
    .fetch_optional(&mut *tx)
    .await?;
    let Some(row) = row else { return Ok(None) };

    let row = TableRow::named("study", &row, study);
    let settings: StudySettings = row.json("settings")?;
    let rater = match row.get::<Option<&str>>("rater_id")? {
        Some(id) => parse_text("rater", id, "id", id)?,
        // A person who isn't a rater has no assignments.
        None => RaterId(Uuid::nil()),
    };

    let limit = CrowdLimit::load(&mut *tx, study, person, &settings.crowd).await?;
    let group = row.get::<Option<&str>>("group_id")?;
    let square_column = expected_column(tx, study, person).await?;

    Ok(Some(UpcomingAnnotator {
        limit,
        query: CandidateQuery::new(study, rater, group, &settings, now_ms).in_square(square_column),
        admitted: row.is_set("admitted_at")? || settings.qualification == QualificationRule::None,
    }))
}

async fn choose_upcoming(
    tx: &mut AnyConnection,
    annotator: &UpcomingAnnotator,
) -> Result<UpcomingAssignment> {
    let UpcomingAnnotator {
        query,
        admitted,
        limit,
    } = annotator;
    let (candidates, held_back) = load_choice(tx, query).await?;
    let purpose_of = |is_it: &dyn Fn(&SourceCandidate) -> bool| {
        let candidate = candidates.iter().find(|candidate| is_it(candidate));
        candidate.map_or(SourcePurpose::Main, |candidate| {
            candidate.purpose.as_shown()
        })
    };

    Ok(
        match limit.apply(choose_ready(&candidates, &held_back, *admitted)) {
            SourceChoice::Resume(open) => {
                let is_it = |candidate: &SourceCandidate| {
                    let mine = candidate.mine.as_ref();
                    mine.is_some_and(|(id, ..)| *id == open)
                };
                UpcomingAssignment::Open(open, purpose_of(&is_it))
            }
            SourceChoice::GiveAgain(_, source) | SourceChoice::New(source) => {
                UpcomingAssignment::Source(purpose_of(&|candidate| candidate.source == source))
            }
            SourceChoice::Wait => UpcomingAssignment::AwaitsAdmission,
            SourceChoice::Preparing => UpcomingAssignment::Preparing,
            SourceChoice::Nothing => UpcomingAssignment::Nothing,
        },
    )
}
