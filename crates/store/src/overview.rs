//! The progress of a study.

use std::{collections::HashMap, sync::Arc};

use domain::{
    ids::{RaterId, SourceId, StudyId},
    study::{AssignmentState, RaterKind, SourcePurpose, WantedRaters},
};
use sqlx::{Row, any::AnyRow};

use crate::{
    Rater, Result, Store,
    columns::{BindId, TableRow, parse_count},
    comparisons::is_without_checks,
    own_overlap::read_own_overlap,
    packed_rows::packed_rows,
    rating_rows::{StudyPart, part},
};

/// A study in numbers. Only main sources and their main outputs count.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct StudyOverview {
    /// The number of sources.
    pub sources: u32,
    /// The sources with a number of annotators of their own, with that number.
    pub own_overlaps: HashMap<SourceId, u32>,
    /// The number of sources that as many annotators handed in as they ask for.
    pub done: u32,
    /// The number of sources that are open or handed in by a rater, but not done.
    pub in_progress: u32,
    /// Outputs of systems.
    pub outputs: u32,
    /// Systems that wrote them.
    pub systems: u32,
    /// Ratings and comparisons that came with files, or from simulated annotators.
    pub imported_judgements: u32,
    /// Annotators' ratings and comparisons in sources that were handed in.
    pub handed_in_judgements: u32,
    /// Annotators' ratings and comparisons in open sources, or of outputs that they should look at
    /// again.
    pub open_judgements: u32,
    /// The progress of each rater, in the order in which they joined the study.
    pub raters: Vec<RaterProgress>,
}

impl StudyOverview {
    /// The number of sources that nobody has begun.
    #[must_use]
    pub const fn not_started(&self) -> u32 {
        self.sources - self.done - self.in_progress
    }

    /// The number of annotators that the main source asks for in all.
    #[must_use]
    pub fn wanted_for(&self, source: SourceId, wanted: &WantedRaters) -> u32 {
        wanted.for_source(self.own_overlap(source))
    }

    /// The source's own number of annotators, if it has one.
    #[must_use]
    pub fn own_overlap(&self, source: SourceId) -> Option<u32> {
        self.own_overlaps.get(&source).copied()
    }

    /// The number of times that all sources together should be handed in.
    #[must_use]
    pub fn wanted_submissions(&self, wanted: &WantedRaters) -> u32 {
        let own = self.own_overlaps.values();
        let own: u32 = own.map(|number| wanted.for_source(Some(*number))).sum();
        let others = self.sources as usize - self.own_overlaps.len();
        u32::try_from(others).unwrap_or(u32::MAX) * wanted.for_source(None) + own
    }
}

/// A rater's progress in the main sources.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RaterProgress {
    /// The rater.
    pub rater: RaterId,
    /// The kind of rater.
    pub kind: RaterKind,
    /// The pseudonym.
    pub label: String,
    /// Whether the person withdrew; then none of their work counts.
    pub withdrawn: bool,
    /// Sources in progress.
    pub open: u32,
    /// Sources handed in.
    pub handed_in: u32,
    /// Sources skipped.
    pub skipped: u32,
    /// Current ratings and comparisons.
    pub judgements: u32,
    /// Milliseconds of activity.
    pub active_ms: u64,
}

/// A source's progress.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SourceOutline {
    /// The source.
    pub source: SourceId,
    /// Its purpose.
    pub purpose: SourcePurpose,
    /// Its own number of annotators, if it has one.
    pub own_overlap: Option<u32>,
    /// The number of its systems' outputs.
    pub outputs: u32,
    /// Its assignments, present and past.
    pub assignments: Vec<AssignmentOutline>,
    /// Its ratings and its comparisons by rater; a rater may appear once for each.
    judgements: Vec<JudgementCounts>,
}

/// An assignment without its answers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AssignmentOutline {
    /// Its source.
    pub source: SourceId,
    /// The source's name in the files it came from.
    pub key: Arc<str>,
    /// The source's purpose.
    pub purpose: SourcePurpose,
    /// Its rater.
    pub rater: RaterId,
    /// The id of the group that the rater was in when it was given.
    pub group: Option<Box<str>>,
    /// Its state.
    pub state: AssignmentState,
    /// Why it was skipped or taken back.
    pub reason: String,
    /// When it was given, milliseconds since 1970.
    pub created_at: i64,
    /// When it was handed in, skipped or taken back.
    pub ended_at: Option<i64>,
    /// Milliseconds of activity.
    pub active_ms: u64,
}

/// One rater's current ratings of a source's main outputs, or comparisons of these.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct JudgementCounts {
    rater: RaterId,
    all: u32,
    imported: u32,
    handed_in: u32,
    open: u32,
}

impl StudyOverview {
    /// Counts written texts as judgements, for a study whose annotators only write: each source has
    /// one text by each of its raters.
    pub fn count_texts(&mut self) {
        (self.handed_in_judgements, self.open_judgements) = (0, 0);
        for rater in &mut self.raters {
            rater.judgements = rater.handed_in;
            if !rater.withdrawn {
                self.handed_in_judgements += rater.handed_in;
                self.open_judgements += rater.open;
            }
        }
    }

    /// Adds up the progress of a study's sources. Leaves out the work of people who are not among
    /// `raters`.
    #[must_use]
    pub fn from_sources<'a>(
        sources: impl IntoIterator<Item = &'a SourceOutline>,
        raters: &[Rater],
        systems: u32,
        wanted: &WantedRaters,
    ) -> Self {
        let mut overview = Self {
            systems,
            raters: raters.iter().map(RaterProgress::not_begun).collect(),
            ..Self::default()
        };

        let places = raters.iter().enumerate();
        let places: HashMap<_, _> = places.map(|(place, rater)| (rater.id, place)).collect();
        for source in sources {
            if source.purpose == SourcePurpose::Main {
                overview.add(source, &places, wanted);
            }
        }

        overview
    }

    fn add(
        &mut self,
        source: &SourceOutline,
        places: &HashMap<RaterId, usize>,
        wanted: &WantedRaters,
    ) {
        self.sources += 1;
        let own_overlap = source.own_overlap.map(|number| (source.source, number));
        self.own_overlaps.extend(own_overlap);
        self.outputs += source.outputs;

        let (mut handed_in, mut in_groups, mut taken) = (0, vec![], 0);
        for assignment in &source.assignments {
            let Some(place) = places.get(&assignment.rater) else {
                continue;
            };
            let rater = &mut self.raters[*place];
            rater.active_ms += assignment.active_ms;
            let count = match assignment.state {
                AssignmentState::Open => &mut rater.open,
                AssignmentState::HandedIn => &mut rater.handed_in,
                AssignmentState::Skipped => &mut rater.skipped,
                AssignmentState::Released => continue,
            };
            *count += 1;
            if !rater.withdrawn {
                if assignment.state == AssignmentState::HandedIn {
                    handed_in += 1;
                    in_groups.extend(assignment.group.as_deref());
                }
                taken += u32::from(assignment.state != AssignmentState::Skipped);
            }
        }

        let filled = wanted.count_filled(source.own_overlap, handed_in, in_groups);
        if filled >= wanted.for_source(source.own_overlap) {
            self.done += 1;
        } else if taken > 0 {
            self.in_progress += 1;
        }

        for counts in &source.judgements {
            let Some(place) = places.get(&counts.rater) else {
                continue;
            };
            let rater = &mut self.raters[*place];
            rater.judgements += counts.all;
            if !rater.withdrawn {
                self.imported_judgements += counts.imported;
                self.handed_in_judgements += counts.handed_in;
                self.open_judgements += counts.open;
            }
        }
    }
}

impl RaterProgress {
    fn not_begun(rater: &Rater) -> Self {
        Self {
            rater: rater.id,
            kind: rater.kind,
            label: rater.label.clone(),
            withdrawn: rater.withdrawn,
            open: 0,
            handed_in: 0,
            skipped: 0,
            judgements: 0,
            active_ms: 0,
        }
    }
}

impl Store {
    /// The study in numbers.
    ///
    /// # Errors
    /// When the database fails or a row does not read.
    pub async fn study_overview(
        &self,
        study: StudyId,
        wanted: impl Into<WantedRaters>,
    ) -> Result<StudyOverview> {
        let sources = self.source_progress(study, StudyPart::Whole).await?;
        let raters = self.raters(study).await?;
        let systems = self.count_systems(study).await?;
        Ok(StudyOverview::from_sources(
            &sources,
            &raters,
            systems,
            &wanted.into(),
        ))
    }

    /// The progress of each source of a part of the study, in no particular order.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn source_progress(
        &self,
        study: StudyId,
        part: StudyPart,
    ) -> Result<Vec<SourceOutline>> {
        let statement = part!(
            part,
            concat!(
            "SELECT s.id, s.key, s.purpose, s.own_overlap,
                (SELECT COUNT(*) FROM output o WHERE o.source_id = s.id AND o.purpose = 'main') AS outputs,
                (SELECT string_agg(a.id || $3 || a.rater_id || $3 || a.state || $3 || a.created_at
                        || $3 || COALESCE(CAST(a.ended_at AS TEXT), '')
                        || $3 || (SELECT COALESCE(SUM(v.active_ms), 0) FROM activity v
                                  WHERE v.assignment_id = a.id)
                        || $3 || COALESCE(a.group_id, '') || $3 || REPLACE(REPLACE(a.reason, $3, ' '), $4, ' '), $4)
                 FROM assignment a WHERE a.study_id = $1 AND a.source_id = s.id) AS assignments,
                (SELECT string_agg(c.rater_id || $3 || c.ratings || $3 || c.imported
                        || $3 || c.handed_in || $3 || c.open, $4)
                 FROM (
                    SELECT a.rater_id, COUNT(*) AS ratings,
                           COUNT(CASE WHEN x.id IS NULL THEN 1 END) AS imported,
                           COUNT(CASE WHEN x.state = 'handed-in' AND q.output_id IS NULL THEN 1 END)
                               AS handed_in,
                           COUNT(CASE WHEN x.state = 'open'
                               OR (x.state = 'handed-in' AND q.output_id IS NOT NULL) THEN 1 END) AS open
                    FROM annotation a
                    JOIN output o ON o.id = a.output_id
                    LEFT JOIN assignment x ON x.id = a.assignment_id
                    LEFT JOIN (SELECT DISTINCT assignment_id, output_id FROM open_question) q
                        ON q.assignment_id = a.assignment_id AND q.output_id = a.output_id
                    WHERE a.source_id = s.id AND a.kind = 'rating' AND a.current = 1
                      AND a.value IS NOT NULL AND o.purpose = 'main'
                    GROUP BY a.rater_id
                 ) c) AS ratings,
                (SELECT string_agg(c.rater_id || $3 || c.comparisons || $3 || c.imported
                        || $3 || c.handed_in || $3 || c.open, $4)
                 FROM (
                    SELECT a.rater_id, COUNT(*) AS comparisons,
                           COUNT(CASE WHEN x.id IS NULL THEN 1 END) AS imported,
                           COUNT(CASE WHEN x.state = 'handed-in' THEN 1 END) AS handed_in,
                           COUNT(CASE WHEN x.state = 'open' THEN 1 END) AS open
                    FROM annotation a
                    LEFT JOIN assignment x ON x.id = a.assignment_id
                    WHERE a.source_id = s.id AND a.kind = 'comparison' AND a.current = 1
                      AND a.body <> 'null'",
                is_without_checks!(),
                " GROUP BY a.rater_id
                 ) c) AS comparisons
             FROM source s WHERE s.study_id = $1"
            ),
            whole: "AND $2 = ''",
            source: "AND s.id = $2",
            ""
        );

        let mut sources = Vec::new();
        self.each_packed_source(statement, study, part, |row| {
            sources.push(self.read_progress(study, row)?);
            Ok(())
        })
        .await?;
        Ok(sources)
    }

    fn read_progress(&self, study: StudyId, row: &AnyRow) -> Result<SourceOutline> {
        let of_source = TableRow::new("source", row)?;
        let (source, purpose) = (of_source.parse("id")?, of_source.parse("purpose")?);
        let key: Arc<str> = of_source.get::<&str>("key")?.into();

        let mut assignments = Vec::new();
        for mut row in packed_rows("assignment", row.try_get("assignments")?) {
            let mut read = || {
                Ok(AssignmentOutline {
                    source,
                    key: key.clone(),
                    purpose,
                    rater: row.parse("rater_id")?,
                    state: row.parse("state")?,
                    created_at: row.parse("created_at")?,
                    ended_at: row.parse_optional("ended_at")?,
                    active_ms: row.parse("active_ms")?,
                    group: Some(row.text("group_id")?)
                        .filter(|group| !group.is_empty())
                        .map(Box::from),
                    reason: row.text("reason")?.to_owned(),
                })
            };
            assignments.extend(self.tolerate(study, read())?);
        }
        assignments.sort_by_key(|assignment| (assignment.created_at, assignment.rater));

        let mut judgements = Vec::new();
        for column in ["ratings", "comparisons"] {
            for mut row in packed_rows("rater", row.try_get(column)?) {
                let mut read = || {
                    Ok(JudgementCounts {
                        rater: row.id()?,
                        all: row.parse(column)?,
                        imported: row.parse("imported")?,
                        handed_in: row.parse("handed_in")?,
                        open: row.parse("open")?,
                    })
                };
                judgements.extend(self.tolerate(study, read())?);
            }
        }

        Ok(SourceOutline {
            source,
            purpose,
            own_overlap: read_own_overlap(&of_source)?,
            outputs: of_source.count("outputs")?,
            assignments,
            judgements,
        })
    }

    /// The number of systems that wrote main outputs of the study's main sources, without hidden
    /// systems.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn count_systems(&self, study: StudyId) -> Result<u32> {
        let row = sqlx::query(
            "SELECT COUNT(*) AS systems FROM system y
             WHERE y.study_id = $1 AND y.hidden = 0 AND EXISTS (
                SELECT 1 FROM output o JOIN source s ON s.id = o.source_id
                WHERE o.system_id = y.id AND o.purpose = 'main' AND s.purpose = 'main')",
        )
        .bind_id(study)
        .fetch_one(self.reader())
        .await?;
        parse_count(&row, "systems")
    }
}
