//! Categories and edits as algorithms and annotators gave them. What counts is what annotators
//! handed in; a rater who handed a source in without a correction agrees with the automatic answer.

use std::collections::{HashMap, HashSet};

use domain::{
    category::{Category, majority_category},
    edit::Edit,
    ids::{OutputId, RaterId, SourceId, StudyId, SystemId},
};
use sqlx::{Row, any::AnyRow};

use crate::{
    Result, Store,
    columns::{BindId, TableRow, parse_json, parse_text},
    rating_rows::{StudyPart, part},
};

/// The category of a main output.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OutputCategory {
    /// The output.
    pub output: OutputId,
    /// The source.
    pub source: SourceId,
    /// Who simplified it.
    pub system: SystemId,
    /// The first output of the source with the same text, which annotators judge for all of them;
    /// itself where there is none before it.
    pub judged_as: OutputId,
    /// The automatic one.
    pub automatic: Category,
    /// Those of each annotator who handed the source in, and of imported and simulated raters who
    /// gave one, by the order of raters.
    pub given: Vec<(RaterId, Category)>,
    /// The one that counts.
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
    pub source_text: String,
    /// The output's text.
    pub text: String,
    /// The first output of the source with the same text, which annotators judge for all of them;
    /// itself where there is none before it.
    pub judged_as: OutputId,
    /// The automatic ones.
    pub automatic: Vec<Edit>,
    /// The version of the aligner that they come from.
    pub version: String,
    /// Those of each annotator who handed the source in, by the order of raters; `None` where they
    /// left the automatic ones. Never empty.
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
            "SELECT o.id, o.source_id, o.system_id, o.twin_of, o.category AS automatic
             FROM output o JOIN source s ON s.id = o.source_id",
            whole: "WHERE o.study_id = $1 AND $2 = ''",
            source: "WHERE s.study_id = $1 AND o.source_id = $2",
            "AND o.purpose = 'main' AND s.purpose = 'main'
             ORDER BY o.position, o.id"
        );
        let rows = self.part_rows(statement, study, part).await?;
        let rater_answers = self
            .load_rater_answers::<Category>(study, part, "category")
            .await?;
        let read = |row: &AnyRow| {
            let ids = read_output_ids(row)?;
            let id = ids.output.to_string();
            let automatic = parse_text("output", &id, "category", row.try_get("automatic")?)?;
            let rater_answers = rater_answers.answers_to(&ids).into_iter();
            let rater_answers: Vec<_> = rater_answers
                .map(|(rater, own)| (rater, own.unwrap_or(automatic)))
                .collect();
            Ok(OutputCategory {
                output: ids.output,
                source: ids.source,
                system: parse_text("output", &id, "system_id", row.try_get("system_id")?)?,
                judged_as: ids.stands_for,
                automatic,
                majority: majority_category(
                    rater_answers.iter().map(|(_, category)| *category),
                    automatic,
                ),
                given: rater_answers,
            })
        };
        self.readable(study, &rows, read)
    }

    /// The edits of those main outputs of a part of the study that annotators have reviewed, in their order.
    ///
    /// # Errors
    /// When the database fails or a row does not read.
    pub async fn edits(&self, study: StudyId, part: StudyPart) -> Result<Vec<OutputEdits>> {
        let statement = part!(
            part,
            "SELECT o.id, o.source_id, o.twin_of, o.text, o.edits, o.edits_version,
                    s.text AS source_text
             FROM output o JOIN source s ON s.id = o.source_id",
            whole: "WHERE o.study_id = $1 AND $2 = '' AND (
                        o.source_id IN (SELECT source_id FROM assignment
                                        WHERE study_id = $1 AND state = 'handed-in')
                        OR o.id IN (SELECT output_id FROM annotation
                                    WHERE study_id = $1 AND kind = 'edits' AND current = 1))",
            source: "WHERE s.study_id = $1 AND o.source_id = $2",
            "AND o.purpose = 'main' AND s.purpose = 'main'
             ORDER BY o.position, o.id"
        );
        let rows = self.part_rows(statement, study, part).await?;
        let rater_answers = self
            .load_rater_answers::<Vec<Edit>>(study, part, "edits")
            .await?;
        let read = |row: &AnyRow| {
            let ids = read_output_ids(row)?;
            let rater_answers = rater_answers.answers_to(&ids);
            if rater_answers.is_empty() {
                return Ok(None);
            }
            Ok(Some(OutputEdits {
                output: ids.output,
                source: ids.source,
                source_text: row.try_get("source_text")?,
                text: row.try_get("text")?,
                judged_as: ids.stands_for,
                automatic: parse_json("output", ids.output, "edits", row.try_get("edits")?)?,
                version: row.try_get("edits_version")?,
                given: rater_answers,
            }))
        };
        let rows_read = self.readable(study, &rows, read)?;
        Ok(rows_read.into_iter().flatten().collect())
    }

    /// Raters' answers of that kind.
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
            let source: &str = row.try_get("source_id")?;
            let rater = parse_text("assignment", source, "rater_id", row.try_get("rater_id")?)?;
            let source = parse_text("assignment", source, "source_id", source)?;
            rater_answers
                .handed_in
                .entry(source)
                .or_default()
                .push(rater);
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
        let read = |row: &AnyRow| -> Result<_> {
            let row = TableRow::new("annotation", row)?;
            let rater = row.parse("rater_id")?;
            let output = row.parse("output_id")?;
            let answer: Option<T> = row.json("body")?;
            let imported = row.get::<i64>("imported")? != 0;
            Ok(answer.map(|answer| (rater, output, answer, imported)))
        };
        let answers = self.readable(study, &rows, read)?;
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

fn read_output_ids(row: &AnyRow) -> Result<MainOutputIds> {
    let id: &str = row.try_get("id")?;
    let output = parse_text("output", id, "id", id)?;
    let twin_of: Option<&str> = row.try_get("twin_of")?;
    Ok(MainOutputIds {
        output,
        source: parse_text("output", id, "source_id", row.try_get("source_id")?)?,
        stands_for: match twin_of {
            Some(twin) => parse_text("output", id, "twin_of", twin)?,
            None => output,
        },
    })
}

/// Raters' answers.
struct RaterAnswers<T> {
    handed_in: HashMap<SourceId, Vec<RaterId>>,
    /// Outputs that raters are to look at again: until then, they say nothing about these.
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
