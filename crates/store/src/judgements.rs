//! Categories and edits from algorithms and annotators. Only submitted answers count; a rater who
//! handed in a source without a correction agrees with the automatic answer.

use std::{
    collections::{HashMap, HashSet},
    sync::Arc,
};

use domain::{
    category::{Category, majority_category},
    edit::Edit,
    ids::{OutputId, RaterId, SourceId, StudyId, SystemId},
};
use sqlx::Row;

use crate::{
    Result, Store,
    columns::{BindId, TableRow},
    packed_rows::{PackedRow, packed_rows},
    rating_rows::{StudyPart, part},
};

/// The category of a main output.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OutputCategory {
    /// The output.
    pub output: OutputId,
    /// The source.
    pub source: SourceId,
    /// The system that wrote it.
    pub system: SystemId,
    /// The first output of the source with the same text, which annotators judge for all of them;
    /// this output if there is no earlier one.
    pub judged_as: OutputId,
    /// The automatic category.
    pub automatic: Category,
    /// The categories from each annotator who handed in the source, and from imported and simulated
    /// raters who gave one, in the order of raters.
    pub given: Vec<(RaterId, Category)>,
    /// The category that counts.
    pub majority: Category,
}

/// The edits of a main output that an annotator has reviewed.
#[derive(Debug, Clone, PartialEq)]
pub struct OutputEdits {
    /// The output.
    pub output: OutputId,
    /// The source.
    pub source: SourceId,
    /// Its text.
    pub source_text: Arc<str>,
    /// The output's text.
    pub text: String,
    /// The first output of the source with the same text, which annotators judge for all of them;
    /// this output if there is no earlier one.
    pub judged_as: OutputId,
    /// The automatic edits.
    pub automatic: Vec<Edit>,
    /// The version of the aligner that made them.
    pub version: String,
    /// The edits from each annotator who handed in the source, in the order of raters; `None` if
    /// they left the automatic ones. Never empty.
    pub given: Vec<(RaterId, Option<Vec<Edit>>)>,
}

impl Store {
    /// The categories of the study's main outputs, in their order.
    ///
    /// # Errors
    /// When the database fails or a row does not read.
    pub async fn categories(&self, study: StudyId) -> Result<Vec<OutputCategory>> {
        self.categories_of(study, StudyPart::Whole).await
    }

    /// The categories of the main outputs of a part of the study, in their order.
    ///
    /// # Errors
    /// When the database fails or a row does not read.
    pub async fn categories_of(
        &self,
        study: StudyId,
        part: StudyPart,
    ) -> Result<Vec<OutputCategory>> {
        let statement = part!(
            part,
            "SELECT s.id, (
                SELECT string_agg(concat_ws($3, o.id, o.position, o.system_id,
                        COALESCE(o.twin_of, ''), o.category), $4)
                FROM output o WHERE o.source_id = s.id AND o.purpose = 'main') AS outputs
             FROM source s WHERE s.study_id = $1 AND s.purpose = 'main'",
            whole: "AND $2 = ''",
            source: "AND s.id = $2",
            ""
        );

        let rater_answers = self
            .load_rater_answers::<Category>(study, part, "category")
            .await?;

        let read = |source: SourceId, mut row: PackedRow<'_>| {
            let position: i64 = row.parse("position")?;
            let system = row.parse("system_id")?;
            let ids = MainOutputIds::read(source, &mut row)?;
            let automatic = row.parse("category")?;
            let given = rater_answers.answers_to(&ids).into_iter();
            let mut given: Vec<_> = given
                .map(|(rater, own)| (rater, own.unwrap_or(automatic)))
                .collect();
            given.shrink_to_fit();
            let output = OutputCategory {
                output: ids.output,
                source,
                system,
                judged_as: ids.stands_for,
                automatic,
                majority: majority_category(given.iter().map(|(_, category)| *category), automatic),
                given,
            };
            Ok((position, output))
        };

        let mut outputs = Vec::new();
        self.each_packed_source(statement, study, part, |row| {
            let source: SourceId = TableRow::new("source", row)?.parse("id")?;
            for output in packed_rows("output", row.try_get("outputs")?) {
                outputs.extend(self.tolerate(study, read(source, output))?);
            }
            Ok(())
        })
        .await?;

        outputs.sort_by_key(|(position, output)| (*position, output.output));
        Ok(outputs.into_iter().map(|(_, output)| output).collect())
    }

    /// Passes `each` the edits of those main outputs of a part of the study that annotators have
    /// reviewed, source by source and in the order of each source's outputs: a whole study's edits
    /// take much memory.
    ///
    /// # Errors
    /// When the database fails or a row does not read.
    pub async fn each_edits(
        &self,
        study: StudyId,
        part: StudyPart,
        mut each: impl FnMut(OutputEdits) + Send,
    ) -> Result<()> {
        let statement = part!(
            part,
            "SELECT s.id, s.text, (
                SELECT string_agg(concat_ws($3, o.id, o.position, COALESCE(o.twin_of, ''),
                        o.edits_version, o.edits, REPLACE(REPLACE(o.text, $3, ' '), $4, ' ')), $4)
                FROM output o WHERE o.source_id = s.id AND o.purpose = 'main') AS outputs
             FROM source s
             WHERE s.study_id = $1 AND s.purpose = 'main'",
            whole: "AND $2 = ''",
            source: "AND s.id = $2",
            "AND (EXISTS (SELECT 1 FROM assignment x
                          WHERE x.source_id = s.id AND x.state = 'handed-in')
                  OR EXISTS (SELECT 1 FROM annotation a
                             WHERE a.source_id = s.id AND a.kind = 'edits' AND a.current = 1))"
        );

        let rater_answers = self
            .load_rater_answers::<Vec<Edit>>(study, part, "edits")
            .await?;

        let read = |source: SourceId, source_text: &Arc<str>, mut row: PackedRow<'_>| {
            let position: i64 = row.parse("position")?;
            let ids = MainOutputIds::read(source, &mut row)?;
            let given = rater_answers.answers_to(&ids);
            if given.is_empty() {
                return Ok(None);
            }
            let edits = OutputEdits {
                output: ids.output,
                source,
                source_text: source_text.clone(),
                judged_as: ids.stands_for,
                version: row.text("edits_version")?.to_owned(),
                automatic: row.json("edits")?,
                text: row.text("text")?.to_owned(),
                given,
            };
            Ok(Some((position, edits)))
        };

        self.each_packed_source(statement, study, part, |row| {
            let source = TableRow::new("source", row)?;
            let (id, text): (SourceId, Arc<str>) =
                (source.parse("id")?, source.get::<&str>("text")?.into());
            let mut outputs = Vec::new();
            for output in packed_rows("output", row.try_get("outputs")?) {
                outputs.extend(self.tolerate(study, read(id, &text, output))?.flatten());
            }
            outputs.sort_by_key(|(position, edits)| (*position, edits.output));
            for (_, edits) in outputs {
                each(edits);
            }
            Ok(())
        })
        .await
    }

    /// Raters' answers of the kind.
    async fn load_rater_answers<T>(
        &self,
        study: StudyId,
        part: StudyPart,
        kind: &str,
    ) -> Result<RaterAnswers<T>>
    where
        T: serde::de::DeserializeOwned,
    {
        let mut rater_answers = RaterAnswers {
            handed_in: HashMap::new(),
            to_check: self.outputs_to_check(study, part).await?,
            answers: HashMap::new(),
            imported: HashMap::new(),
        };

        let statement = part!(
            part,
            "SELECT x.source_id, x.rater_id, r.position FROM assignment x
             JOIN rater r ON r.id = x.rater_id
             LEFT JOIN member m ON m.study_id = r.study_id AND m.person_id = r.person_id",
            whole: "WHERE x.study_id = $1 AND $2 = ''",
            source: "WHERE r.study_id = $1 AND x.source_id = $2",
            "AND x.state = 'handed-in' AND m.withdrawn_at IS NULL
             ORDER BY r.position"
        );
        let rows = self.part_rows(statement, study, part).await?;
        for row in &rows {
            let row = TableRow::keyed("assignment", row, "source_id")?;
            let handed_in = rater_answers.handed_in.entry(row.parse("source_id")?);
            handed_in.or_default().push(row.parse("rater_id")?);
        }

        let statement = part!(
            part,
            "SELECT a.id, a.rater_id, a.output_id, a.body,
                    CASE WHEN a.assignment_id IS NULL THEN 1 ELSE 0 END AS imported
             FROM output o JOIN annotation a ON a.output_id = o.id
             JOIN rater r ON r.id = a.rater_id",
            whole: "WHERE a.study_id = $1 AND $3 = ''",
            source: "WHERE r.study_id = $1 AND a.source_id = $3",
            "AND a.kind = $2 AND a.current = 1
             ORDER BY r.position"
        );

        let rows = sqlx::query(statement)
            .bind_id(study)
            .bind(kind)
            .bind(part.source())
            .fetch_all(self.reader())
            .await?;
        let answers = self.readable_rows("annotation", study, &rows, |row| {
            let rater = row.parse("rater_id")?;
            let output = row.parse("output_id")?;
            let answer: Option<T> = row.json("body")?;
            let imported = row.flag("imported")?;
            Ok(answer.map(|answer| (rater, output, answer, imported)))
        })?;
        for (rater, output, answer, imported) in answers.into_iter().flatten() {
            if imported {
                rater_answers
                    .imported
                    .entry(output)
                    .or_default()
                    .push((rater, answer));
            } else {
                rater_answers.answers.insert((rater, output), answer);
            }
        }

        Ok(rater_answers)
    }
}

struct MainOutputIds {
    output: OutputId,
    source: SourceId,
    /// The output that people judge: this one, or the first with its text.
    stands_for: OutputId,
}

impl MainOutputIds {
    /// The ids of an output whose next column is `twin_of`.
    fn read(source: SourceId, row: &mut PackedRow<'_>) -> Result<Self> {
        let output = row.id()?;
        Ok(Self {
            output,
            source,
            stands_for: row.parse_optional("twin_of")?.unwrap_or(output),
        })
    }
}

/// Raters' answers.
struct RaterAnswers<T> {
    handed_in: HashMap<SourceId, Vec<RaterId>>,
    /// Outputs that raters should look at again: until then, their answers to these do not count.
    to_check: HashSet<(RaterId, OutputId)>,
    answers: HashMap<(RaterId, OutputId), T>,
    imported: HashMap<OutputId, Vec<(RaterId, T)>>,
}

impl<T: Clone> RaterAnswers<T> {
    /// Each rater's answer about an output; `None` for those who left the automatic answer.
    fn answers_to(&self, ids: &MainOutputIds) -> Vec<(RaterId, Option<T>)> {
        let MainOutputIds {
            output,
            source,
            stands_for,
        } = *ids;

        let imported = self.imported.get(&output).into_iter().flatten();
        let imported = imported.map(|(rater, answer)| (*rater, Some(answer.clone())));
        let handed_in = self.handed_in.get(&source).into_iter().flatten();
        let counts = |rater: &&RaterId| !self.to_check.contains(&(**rater, stands_for));
        let people = handed_in.filter(counts).map(|rater| {
            let own = self.answers.get(&(*rater, stands_for));
            (*rater, own.cloned())
        });

        imported.chain(people).collect()
    }
}
