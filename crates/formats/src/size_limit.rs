//! Rows with texts that are too large to compare.

use crate::{
    row_iterator::{BoxedRows, RowIterator},
    row_view::RowView,
};

/// Turns rows with a text that is too large into bad ones.
pub(crate) fn reject_large_texts(rows: BoxedRows<'_>) -> RowIterator<'_> {
    let checked: BoxedRows<'_> = Box::new(rows.map(|row| {
        let row = row?;
        RowView::from(&row).check_size()?;
        Ok(row)
    }));
    checked.into()
}
