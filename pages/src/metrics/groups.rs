//! Rows of metrics in interval charts.

use domain::{
    metrics::meta::IntervalEstimate,
    statistics::{UndefinedReason, bootstrap::BootstrapInterval},
};

use crate::charts::{ChartCell, IntervalRow, IntervalRowGroup, MarkShape, decimal};
use service::figures::metrics::WriterGroup;

/// The mark of a part of the outputs.
pub(super) const fn shape(written: WriterGroup) -> MarkShape {
    match written {
        WriterGroup::All => MarkShape::Circle,
        WriterGroup::People => MarkShape::Square,
        WriterGroup::Machines => MarkShape::Diamond,
    }
}

/// A figure of a metric as a row; `None` if it is undefined.
pub(super) fn row(
    label: &str,
    what: &str,
    shape: MarkShape,
    of: IntervalEstimate,
) -> Option<IntervalRow> {
    let value = of.value.ok()?;
    let interval = of
        .interval
        .ok()
        .map(|interval| (interval.low, interval.high));
    let ends = interval.map_or_else(String::new, |(low, high)| {
        format!(
            ", 95 % interval {} to {}",
            decimal(low, 3),
            decimal(high, 3)
        )
    });

    Some(IntervalRow {
        name: label.to_owned(),
        shape,
        value,
        interval,
        shown: decimal(value, 3),
        description: format!("{label}: {what} {}{ends}", decimal(value, 3)),
    })
}

/// Rows under a heading; `None` if there are no rows.
pub(super) fn group(
    name: impl Into<String>,
    rows: impl Iterator<Item = IntervalRow>,
) -> Option<IntervalRowGroup> {
    let rows: Vec<_> = rows.collect();
    (!rows.is_empty()).then(|| IntervalRowGroup {
        name: Some(name.into()),
        rows,
    })
}

/// All values and ends of intervals of rows.
pub(super) fn values(groups: &[IntervalRowGroup]) -> impl Iterator<Item = f64> {
    let rows = groups.iter().flat_map(|group| &group.rows);
    rows.flat_map(|row| {
        let (low, high) = row.interval.unwrap_or((row.value, row.value));
        [low, row.value, high]
    })
}

/// A figure in a cell; a dash if it is undefined.
pub(super) fn cell(value: Result<f64, UndefinedReason>) -> ChartCell {
    value.map_or_else(|_| ChartCell::none(), |value| ChartCell::number(value, 3))
}

/// The ends of an interval in two cells.
pub(super) fn ends(interval: Result<BootstrapInterval, UndefinedReason>) -> [ChartCell; 2] {
    [
        cell(interval.map(|interval| interval.low)),
        cell(interval.map(|interval| interval.high)),
    ]
}
