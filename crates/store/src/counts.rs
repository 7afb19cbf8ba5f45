//! The progress of studies, in numbers.

use std::collections::HashMap;

use domain::{
    ids::{PersonId, StudyId},
    study::StudySettings,
};

use crate::{
    Result, Store,
    columns::{BindId, TableRow},
};

/// A study's progress, and one person's progress in it. Tutorial, training and qualification don't
/// count.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct StudyCounts {
    /// The number of main sources.
    pub sources: u32,
    /// The number of judgements wanted: for each source, as many as it asks for.
    pub wanted: u32,
    /// The number of judgements handed in by all annotators, except those who withdrew.
    pub handed_in: u32,
    /// The number of annotators, including simulated ones and those who left after they judged, but
    /// not those who withdrew.
    pub annotators: u32,
    /// The number of sources that the person has handed in, including attention items, which look
    /// like any other.
    pub mine_handed_in: u32,
    /// The number that the person has open, including attention items.
    pub mine_open: u32,
}

impl Store {
    /// The progress of each study that the person may see. Their own work is found by their rater,
    /// because SQLite runs a CROSS JOIN in the order in which it is written: otherwise it would go
    /// through all assignments of the study.
    ///
    /// # Errors
    /// When the database fails or a row does not read.
    pub async fn study_counts(&self, person: PersonId) -> Result<HashMap<StudyId, StudyCounts>> {
        let rows = sqlx::query(
            "SELECT s.id AS id, s.settings AS settings,
                    (SELECT COUNT(*) FROM source x
                     WHERE x.study_id = s.id AND x.purpose = 'main') AS sources,
                    (SELECT COUNT(*) FROM source x
                     WHERE x.study_id = s.id AND x.purpose = 'main' AND x.own_overlap IS NOT NULL) AS own_sources,
                    (SELECT CAST(COALESCE(SUM(x.own_overlap), 0) AS BIGINT) FROM source x
                     WHERE x.study_id = s.id AND x.purpose = 'main') AS own_overlaps,
                    (SELECT COUNT(*) FROM assignment a
                     JOIN source x ON x.id = a.source_id
                     JOIN rater r ON r.id = a.rater_id
                     LEFT JOIN member w ON w.study_id = a.study_id AND w.person_id = r.person_id
                     WHERE a.study_id = s.id AND a.state = 'handed-in' AND x.purpose = 'main'
                       AND w.withdrawn_at IS NULL) AS handed_in,
                    (SELECT COUNT(*) FROM member o
                     WHERE o.study_id = s.id AND o.role = 'annotator'
                       AND o.withdrawn_at IS NULL) AS annotators,
                    (SELECT COUNT(*) FROM rater r
                     WHERE r.study_id = s.id AND r.kind <> 'imported'
                       AND NOT EXISTS (SELECT 1 FROM member o
                         WHERE o.study_id = s.id AND o.person_id = r.person_id
                           AND (o.role = 'annotator' OR o.withdrawn_at IS NOT NULL))) AS other_annotators,
                    (SELECT COUNT(*) FROM rater r
                     CROSS JOIN assignment a
                     JOIN source x ON x.id = a.source_id
                     WHERE r.study_id = s.id AND r.person_id = p.id AND a.rater_id = r.id
                       AND a.state = 'handed-in'
                       AND x.purpose IN ('main', 'attention')) AS mine_handed_in,
                    (SELECT COUNT(*) FROM rater r
                     CROSS JOIN assignment a
                     JOIN source x ON x.id = a.source_id
                     WHERE r.study_id = s.id AND r.person_id = p.id AND a.rater_id = r.id
                       AND a.state = 'open'
                       AND x.purpose IN ('main', 'attention')) AS mine_open
             FROM study s
             JOIN person p ON p.id = $1 AND p.disabled_at IS NULL
             LEFT JOIN member m ON m.study_id = s.id AND m.person_id = p.id
             WHERE s.erased_at IS NULL AND (m.role IS NOT NULL OR p.is_admin = 1)",
        )
        .bind_id(person)
        .fetch_all(self.reader())
        .await?;

        let mut all = HashMap::new();
        for row in &rows {
            let row = TableRow::new("study", row)?;
            let study = row.parse("id")?;

            let counts = || {
                let settings: StudySettings = row.json("settings")?;
                let sources = row.count("sources")?;
                let own_sources = row.count("own_sources")?;
                let own_overlaps = row.count("own_overlaps")?;
                Ok(StudyCounts {
                    sources,
                    wanted: (sources.saturating_mul(settings.raters_each()) + own_overlaps)
                        .saturating_sub(own_sources.saturating_mul(settings.overlap)),
                    handed_in: row.count("handed_in")?,
                    annotators: row.count("annotators")? + row.count("other_annotators")?,
                    mine_handed_in: row.count("mine_handed_in")?,
                    mine_open: row.count("mine_open")?,
                })
            };

            // One unreadable study must not hide all the others.
            all.extend(
                self.tolerate(study, counts())?
                    .map(|counts| (study, counts)),
            );
        }

        Ok(all)
    }
}
