//! The kinds of answers for which exports of a study have rows.

use domain::ids::StudyId;

use crate::{Result, Store, columns::BindId};

/// Whether a study has answers of each kind to its main sources, including those in progress,
/// except from raters who withdrew.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct StudyAnswerKinds {
    /// Scores of outputs.
    pub ratings: bool,
    /// Comparisons of outputs.
    pub comparisons: bool,
    /// Answers to questions.
    pub answers: bool,
    /// Texts that annotators wrote.
    pub written: bool,
    /// Marked spans.
    pub marks: bool,
    /// Corrected edits.
    pub edits: bool,
}

impl Store {
    /// The kinds of answers that a study has.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn answer_kinds(&self, study: StudyId) -> Result<StudyAnswerKinds> {
        let found: Vec<String> = sqlx::query_scalar(
            "SELECT k.kind FROM (SELECT 'rating' AS kind UNION ALL SELECT 'comparison' UNION ALL SELECT 'answer'
                   UNION ALL SELECT 'written' UNION ALL SELECT 'marks' UNION ALL SELECT 'edits') k
             WHERE EXISTS (SELECT 1 FROM annotation a
               JOIN source s ON s.id = a.source_id
               JOIN rater r ON r.id = a.rater_id
               LEFT JOIN assignment x ON x.id = a.assignment_id
               LEFT JOIN member m ON m.study_id = r.study_id AND m.person_id = r.person_id
               WHERE a.study_id = $1 AND a.kind = k.kind AND a.current = 1
                 AND (a.value IS NOT NULL OR a.body <> 'null')
                 AND (a.assignment_id IS NULL OR x.state IN ('handed-in', 'open'))
                 AND s.purpose = 'main' AND m.withdrawn_at IS NULL)",
        )
        .bind_id(study)
        .fetch_all(self.reader())
        .await?;

        let mut kinds = StudyAnswerKinds::default();
        for kind in &found {
            let is_found = match kind.as_str() {
                "rating" => &mut kinds.ratings,
                "comparison" => &mut kinds.comparisons,
                "answer" => &mut kinds.answers,
                "written" => &mut kinds.written,
                "marks" => &mut kinds.marks,
                _ => &mut kinds.edits,
            };
            *is_found = true;
        }
        Ok(kinds)
    }
}
