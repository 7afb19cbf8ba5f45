//! Rows of a file, read one at a time.

use crate::{
    columns::ColumnLayout,
    error::{FatalReadError, ReadError},
    input::{CsvRecord, CsvTable},
    row::FileRow,
    row_view::RowView,
};

/// Rows and errors in the order of the file. After a [`ReadError::Row`] the next rows follow; a
/// [`ReadError::Fatal`] is the last item.
pub struct RowIterator<'r>(RowSource<'r>);

/// Rows that are made one at a time.
pub(crate) type BoxedRows<'r> = Box<dyn Iterator<Item = Result<FileRow, ReadError>> + Send + 'r>;

enum RowSource<'r> {
    Table(Box<TableRows<'r>>),
    Rows(BoxedRows<'r>),
}

/// The rows of a table; texts that are too large to compare are refused.
struct TableRows<'r> {
    table: CsvTable<'r>,
    columns: ColumnLayout,
    ended: bool,
}

impl<'r> RowIterator<'r> {
    /// The rows of a table with this layout.
    pub(crate) fn new(table: CsvTable<'r>, columns: ColumnLayout) -> Self {
        Self(RowSource::Table(Box::new(TableRows {
            table,
            columns,
            ended: false,
        })))
    }

    /// The table that rows are read from, where there is one.
    pub(crate) fn into_table(self) -> Option<CsvTable<'r>> {
        match self.0 {
            RowSource::Table(rows) => Some(rows.table),
            RowSource::Rows(_) => None,
        }
    }

    /// Reads the next row and passes it to `view`, without making a [`FileRow`] of it.
    pub(crate) fn view_next<T>(
        &mut self,
        view: impl FnOnce(RowView<'_>) -> T,
    ) -> Option<Result<T, ReadError>> {
        match &mut self.0 {
            RowSource::Table(rows) => rows.read_next(|columns, record| {
                let row = columns.view_row(record).and_then(RowView::check_size);
                row.map(view).map_err(ReadError::Row)
            }),
            RowSource::Rows(rows) => Some(rows.next()?.map(|row| view(RowView::from(&row)))),
        }
    }
}

impl<'r> From<BoxedRows<'r>> for RowIterator<'r> {
    fn from(rows: BoxedRows<'r>) -> Self {
        Self(RowSource::Rows(rows))
    }
}

impl Iterator for RowIterator<'_> {
    type Item = Result<FileRow, ReadError>;

    fn next(&mut self) -> Option<Self::Item> {
        match &mut self.0 {
            RowSource::Table(rows) => rows.read_next(|columns, record| {
                let row = columns.read_row(record);
                row.map_err(ReadError::Row)
            }),
            RowSource::Rows(rows) => rows.next(),
        }
    }
}

impl TableRows<'_> {
    /// Reads the next record with `read`; `None` after the end or a fatal fault.
    fn read_next<T>(
        &mut self,
        read: impl FnOnce(&mut ColumnLayout, &CsvRecord) -> Result<T, ReadError>,
    ) -> Option<Result<T, ReadError>> {
        if self.ended {
            return None;
        }
        match self.table.read_record() {
            Ok(Some(record)) => Some(read(&mut self.columns, record)),
            end => {
                self.ended = true;
                end.err()
                    .map(|fault: FatalReadError| Err(ReadError::Fatal(fault)))
            }
        }
    }
}

/// The items that `next` returns, up to its first `None` or [`ReadError::Fatal`].
pub(crate) fn until_fatal<'r, T>(
    mut next: impl FnMut() -> Option<Result<T, ReadError>> + Send + 'r,
) -> Box<dyn Iterator<Item = Result<T, ReadError>> + Send + 'r> {
    let mut ended = false;
    Box::new(std::iter::from_fn(move || {
        if ended {
            return None;
        }
        let item = next();
        ended = matches!(item, None | Some(Err(ReadError::Fatal(_))));
        item
    }))
}
