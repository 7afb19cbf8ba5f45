use domain::ids::{OutputId, RaterId, SourceId, StudyId};

use crate::{
    Result, Store,
    columns::TableRow,
    rating_rows::{StudyPart, part},
};

/// The order in which an annotator put the outputs of a source.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RaterOrder {
    /// The rater.
    pub rater: RaterId,
    /// The source.
    pub source: SourceId,
    /// All outputs that they were shown, best first, without those that they should look at again.
    /// The order within a group is the order here.
    pub order: Vec<OutputId>,
}

impl Store {
    /// The orders that annotators set in main sources of a part of the study that they handed in,
    /// in the order of raters. Leaves out raters who kept the shuffled order or withdrew.
    ///
    /// # Errors
    /// When the database fails or a row does not read.
    pub async fn orders(&self, study: StudyId, part: StudyPart) -> Result<Vec<RaterOrder>> {
        let statement = part!(
            part,
            "SELECT a.id, a.rater_id, a.source_id, a.body
             FROM annotation a
             JOIN source s ON s.id = a.source_id
             JOIN rater r ON r.id = a.rater_id
             JOIN assignment x ON x.id = a.assignment_id
             LEFT JOIN member m ON m.study_id = r.study_id AND m.person_id = r.person_id",
            whole: "WHERE a.study_id = $1 AND $2 = ''",
            source: "WHERE s.study_id = $1 AND x.source_id = $2",
            "AND a.kind = 'order' AND a.current = 1
               AND s.purpose = 'main' AND x.state = 'handed-in' AND m.withdrawn_at IS NULL
             ORDER BY r.position, s.position, s.id"
        );

        let rows = self.part_rows(statement, study, part).await?;
        let asked = self.outputs_to_check(study, part).await?;
        let orders = self.readable_rows("annotation", study, &rows, read_order)?;

        let mut orders: Vec<_> = orders.into_iter().flatten().collect();
        for RaterOrder { rater, order, .. } in &mut orders {
            order.retain(|output| !asked.contains(&(*rater, *output)));
        }

        Ok(orders)
    }
}

/// The order; `None` if it was taken back.
fn read_order(row: &TableRow<'_>) -> Result<Option<RaterOrder>> {
    let order: Option<Vec<OutputId>> = row.json("body")?;
    let Some(order) = order else { return Ok(None) };
    Ok(Some(RaterOrder {
        rater: row.parse("rater_id")?,
        source: row.parse("source_id")?,
        order,
    }))
}
