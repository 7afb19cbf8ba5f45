//! The outputs of a source as people judge them: one per text.

use domain::{
    category::Category,
    edit::{Edit, repair},
    ids::{OutputId, SourceId, StudyId},
    protocol::StudyProtocol,
    study::OutputPurpose,
    work::{
        change::{AnnotationSlot, StoredAnswer},
        comparisons::ComparisonDraw,
        output_checks::CheckOutput,
        task::ExpectedAnswer,
    },
};
use sqlx::{AnyConnection, Row};

use crate::{
    Result,
    columns::{BindId, TableRow, parse_text, read_rows},
};

/// An output that represents all outputs of its source with the same text.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct SourceItem {
    pub(crate) output: OutputId,
    pub(crate) purpose: OutputPurpose,
    /// The output from which a quality-control item was made, if it was made from one.
    pub(crate) made_from: Option<OutputId>,
    pub(crate) copies: u32,
    pub(crate) text: String,
    pub(crate) category: Category,
    pub(crate) reason: String,
    pub(crate) edits: Vec<Edit>,
    pub(crate) expected: Option<ExpectedAnswer>,
}

impl SourceItem {
    /// The item as a check of comparisons; `None` if it isn't one, or was made from no other
    /// output.
    fn check(&self) -> Option<CheckOutput> {
        (self.purpose != OutputPurpose::Main).then_some(CheckOutput {
            item: self.output,
            purpose: self.purpose,
            made_from: self.made_from?,
        })
    }
}

/// The items of a source in the order of the file. Quality-control items are included where raters
/// are checked, but not where they are taught: these have no expected answers.
pub(crate) async fn load(tx: &mut AnyConnection, source: SourceId) -> Result<Vec<SourceItem>> {
    let rows = sqlx::query(
        "SELECT o.id, o.purpose, o.made_from, o.text, o.category, o.category_reason, o.edits, o.expected,
                (SELECT COUNT(*) FROM output t WHERE t.source_id = o.source_id
                 AND t.twin_of = o.id) AS twins
         FROM output o JOIN stored_source s ON s.id = o.source_id
         WHERE o.source_id = $1 AND o.twin_of IS NULL
           AND (o.purpose = 'main' OR s.purpose IN ('main', 'attention'))
         ORDER BY o.position, o.id",
    )
    .bind_id(source)
    .fetch_all(tx)
    .await?;
    read_rows("output", &rows, read_item)
}

/// The comparisons that a protocol asks of an assignment, given the pairs planned for the source,
/// if any, the assignment's seed and its answers.
pub(crate) fn draw_comparisons(
    source: SourceId,
    items: &[SourceItem],
    protocol: &StudyProtocol,
    planned: &[[OutputId; 2]],
    seed: i64,
    answers: &[StoredAnswer],
) -> Vec<Vec<OutputId>> {
    let Some(step) = protocol.compare_step() else {
        return vec![];
    };

    let mut answered: Vec<Vec<OutputId>> = vec![];
    for answer in answers {
        if let AnnotationSlot::Comparison { outputs, .. } = &answer.slot
            && answer.answer != answer.slot.unanswered()
            && !answered.contains(outputs)
        {
            answered.push(outputs.clone());
        }
    }

    let compared = items
        .iter()
        .filter(|item| item.purpose == OutputPurpose::Main);
    let outputs: Vec<_> = compared.map(|item| item.output).collect();
    let checks = items.iter().filter(|item| protocol.judges(item.purpose));
    let checks: Vec<_> = checks.filter_map(SourceItem::check).collect();

    let draw = ComparisonDraw {
        step,
        outputs: &outputs,
        planned,
        // The lower half of an id, which is random.
        source_seed: source.0.as_u64_pair().1,
        order_seed: seed.cast_unsigned(),
        answered: &answered,
        checks: &checks,
    };
    draw.comparisons()
}

/// The source of a main output that the study shows, and the output that is judged for it: itself, or the first one
/// with its text.
pub(crate) async fn find_judged(
    tx: &mut AnyConnection,
    study: StudyId,
    output: OutputId,
) -> Result<Option<(SourceId, OutputId)>> {
    let row = sqlx::query(
        "SELECT source_id, COALESCE(twin_of, id) AS judged FROM output
         WHERE id = $1 AND study_id = $2 AND purpose = 'main'",
    )
    .bind_id(output)
    .bind_id(study)
    .fetch_optional(tx)
    .await?;

    row.map(|row| {
        let judged = parse_text("output", output, "twin_of", row.try_get("judged")?)?;
        let row = TableRow::named("output", &row, output);
        Ok((row.parse("source_id")?, judged))
    })
    .transpose()
}

fn read_item(row: &TableRow<'_>) -> Result<SourceItem> {
    let twins: i64 = row.get("twins")?;
    let text: String = row.get("text")?;
    // Edits are not made again while an annotator has the source, but they must accept corrections.
    let edits = repair(row.json("edits")?, &text);
    Ok(SourceItem {
        output: row.parse("id")?,
        purpose: row.parse("purpose")?,
        made_from: row.parse_optional("made_from")?,
        copies: u32::try_from(twins + 1).unwrap_or(u32::MAX),
        text,
        category: row.parse("category")?,
        reason: row.get("category_reason")?,
        edits,
        expected: row.json_optional("expected")?,
    })
}
