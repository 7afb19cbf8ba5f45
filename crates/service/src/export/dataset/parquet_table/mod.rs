//! A Parquet file that is written row by row. Only the rows of one row group are in memory.

#[cfg(test)]
mod tests;

use std::{io, io::Write, sync::Arc};

use parquet::{
    basic::{Compression, LogicalType, Repetition, TimeUnit, Type as PhysicalType},
    data_type::{BoolType, ByteArray, ByteArrayType, DoubleType, Int64Type},
    errors::ParquetError,
    file::{
        metadata::KeyValue,
        properties::WriterProperties,
        writer::{SerializedColumnWriter, SerializedFileWriter},
    },
    schema::types::{Type, TypePtr},
};

use crate::export::{
    ExportFailure,
    table_cell::{ColumnKind, TableCell, TableColumn},
};

/// The most rows in a row group.
const MAX_ROWS: usize = 20_000;

/// The size in bytes at which the texts end a row group: texts may be whole documents.
const MAX_TEXT_BYTES: usize = 8 << 20;

/// The largest dictionary of a column in a row group, in bytes; values beyond it are written one by one. It is large
/// enough for the texts of a row group, which are repeated with each rater's rating.
const MAX_DICTIONARY_BYTES: usize = 4 << 20;

/// A Parquet file that is being written.
pub(super) struct ParquetTable<'a> {
    file: SerializedFileWriter<&'a mut (dyn Write + Send)>,
    columns: Vec<ColumnBuffer>,
    /// The number of rows that are not written yet.
    rows: usize,
    text_bytes: usize,
}

impl<'a> ParquetTable<'a> {
    /// Begins a file with these columns. `facts` are keys and values for its metadata.
    pub(super) fn new(
        out: &'a mut (dyn Write + Send),
        columns: impl IntoIterator<Item = TableColumn>,
        facts: Vec<(&str, String)>,
    ) -> Result<Self, ExportFailure> {
        let columns: Vec<_> = columns.into_iter().map(ColumnBuffer::new).collect();
        let fields = columns.iter().map(|buffer| field(&buffer.column));
        let schema = Type::group_type_builder("schema")
            .with_fields(fields.collect::<Result<_, _>>()?)
            .build()?;

        let facts = facts.into_iter();
        let facts = facts.map(|(key, value)| KeyValue::new(key.to_owned(), value));
        let properties = WriterProperties::builder()
            .set_compression(Compression::SNAPPY)
            .set_dictionary_page_size_limit(MAX_DICTIONARY_BYTES)
            .set_key_value_metadata(Some(facts.collect()))
            .build();

        Ok(Self {
            file: SerializedFileWriter::new(out, Arc::new(schema), Arc::new(properties))?,
            columns,
            rows: 0,
            text_bytes: 0,
        })
    }

    /// Adds a row, which has one cell for each column.
    pub(super) fn push<'b>(
        &mut self,
        row: impl IntoIterator<Item = TableCell<'b>>,
    ) -> Result<(), ExportFailure> {
        let mut row = row.into_iter();
        for buffer in &mut self.columns {
            let cell = row.next().ok_or_else(|| buffer.misfit("no cell"))?;
            self.text_bytes += buffer.push(&cell)?;
        }

        self.rows += 1;
        if self.rows >= MAX_ROWS || self.text_bytes >= MAX_TEXT_BYTES {
            self.write_row_group()?;
        }
        Ok(())
    }

    /// Writes the remaining rows and the end of the file.
    pub(super) fn finish(mut self) -> Result<(), ExportFailure> {
        if self.rows > 0 {
            self.write_row_group()?;
        }
        self.file.close()?;
        Ok(())
    }

    fn write_row_group(&mut self) -> Result<(), ExportFailure> {
        let mut group = self.file.next_row_group()?;
        for buffer in &mut self.columns {
            let column = group.next_column()?;
            let mut column = column.expect("the schema has a column for each buffer");
            buffer.write(&mut column)?;
            column.close()?;
        }

        group.close()?;
        (self.rows, self.text_bytes) = (0, 0);
        Ok(())
    }
}

/// The values of a column in the current row group, with the levels by which Parquet marks missing values and the
/// limits of lists.
struct ColumnBuffer {
    column: TableColumn,
    values: ColumnValues,
    /// 1 for a value, 0 for a missing one or an empty list. Empty if the column needs no such levels.
    definition_levels: Vec<i16>,
    /// 0 for the first element of a list, 1 for the others. Empty if the column does not hold lists.
    repetition_levels: Vec<i16>,
}

enum ColumnValues {
    Texts(Vec<ByteArray>),
    Numbers(Vec<f64>),
    Wholes(Vec<i64>),
    Truths(Vec<bool>),
}

impl ColumnBuffer {
    fn new(column: TableColumn) -> Self {
        let values = match column.kind {
            ColumnKind::Text | ColumnKind::Texts => ColumnValues::Texts(vec![]),
            ColumnKind::Number => ColumnValues::Numbers(vec![]),
            ColumnKind::Whole | ColumnKind::Wholes | ColumnKind::Time => {
                ColumnValues::Wholes(vec![])
            }
            ColumnKind::Truth => ColumnValues::Truths(vec![]),
        };

        Self {
            column,
            values,
            definition_levels: vec![],
            repetition_levels: vec![],
        }
    }

    /// Adds a cell. Returns the bytes of text that it takes in memory.
    fn push(&mut self, cell: &TableCell<'_>) -> Result<usize, ExportFailure> {
        let mut bytes = 0;
        let elements = match (self.column.kind, cell, &mut self.values) {
            (_, TableCell::Missing, _) if self.column.is_optional => {
                self.definition_levels.push(0);
                return Ok(0);
            }
            (ColumnKind::Text, TableCell::Text(text), ColumnValues::Texts(values)) => {
                bytes += push_text(values, text);
                None
            }
            (ColumnKind::Texts, TableCell::Texts(texts), ColumnValues::Texts(values)) => {
                bytes += texts
                    .iter()
                    .map(|text| push_text(values, text))
                    .sum::<usize>();
                Some(texts.len())
            }
            (
                ColumnKind::Number,
                TableCell::Number(number)
                | TableCell::Thousandths(number)
                | TableCell::Millionths(number),
                ColumnValues::Numbers(values),
            ) => {
                values.push(*number);
                None
            }
            (ColumnKind::Whole, TableCell::Whole(number), ColumnValues::Wholes(values))
            | (ColumnKind::Time, TableCell::Time(number), ColumnValues::Wholes(values)) => {
                values.push(*number);
                None
            }
            (ColumnKind::Wholes, TableCell::Wholes(numbers), ColumnValues::Wholes(values)) => {
                values.extend(numbers);
                Some(numbers.len())
            }
            (ColumnKind::Truth, TableCell::Truth(truth), ColumnValues::Truths(values)) => {
                values.push(*truth);
                None
            }
            (_, cell, _) => return Err(self.misfit(&format!("{cell:?}"))),
        };

        match elements {
            None if self.column.is_optional => self.definition_levels.push(1),
            None => {}
            Some(0) => {
                self.definition_levels.push(0);
                self.repetition_levels.push(0);
            }
            Some(elements) => {
                self.definition_levels.extend(vec![1; elements]);
                self.repetition_levels.push(0);
                self.repetition_levels.extend(vec![1; elements - 1]);
            }
        }

        Ok(bytes)
    }

    fn misfit(&self, cell: &str) -> ExportFailure {
        let message = format!("the column {} cannot hold {cell}", self.column.name);
        ParquetError::General(message).into()
    }

    /// Writes the values and clears them.
    fn write(&mut self, column: &mut SerializedColumnWriter<'_>) -> Result<(), ParquetError> {
        let definition = Some(&*self.definition_levels).filter(|levels| !levels.is_empty());
        let repetition = Some(&*self.repetition_levels).filter(|levels| !levels.is_empty());

        match &mut self.values {
            ColumnValues::Texts(values) => {
                let column = column.typed::<ByteArrayType>();
                column.write_batch(values, definition, repetition)?;
                values.clear();
            }
            ColumnValues::Numbers(values) => {
                let column = column.typed::<DoubleType>();
                column.write_batch(values, definition, repetition)?;
                values.clear();
            }
            ColumnValues::Wholes(values) => {
                let column = column.typed::<Int64Type>();
                column.write_batch(values, definition, repetition)?;
                values.clear();
            }
            ColumnValues::Truths(values) => {
                let column = column.typed::<BoolType>();
                column.write_batch(values, definition, repetition)?;
                values.clear();
            }
        }

        self.definition_levels.clear();
        self.repetition_levels.clear();
        Ok(())
    }
}

/// Adds a text and returns its size in bytes. A text that equals the previous one, as source texts and system names
/// often do, shares its memory and counts as 0.
fn push_text(values: &mut Vec<ByteArray>, text: &str) -> usize {
    if let Some(last) = values.last()
        && last.data() == text.as_bytes()
    {
        values.push(last.clone());
        return 0;
    }
    values.push(ByteArray::from(text));
    text.len()
}

/// The column as a field of the schema.
fn field(column: &TableColumn) -> Result<TypePtr, ParquetError> {
    let repetition = match column.is_optional {
        true => Repetition::OPTIONAL,
        false => Repetition::REQUIRED,
    };

    let (physical, logical) = match column.kind {
        ColumnKind::Text | ColumnKind::Texts => {
            (PhysicalType::BYTE_ARRAY, Some(LogicalType::String))
        }
        ColumnKind::Number => (PhysicalType::DOUBLE, None),
        ColumnKind::Whole | ColumnKind::Wholes => (PhysicalType::INT64, None),
        ColumnKind::Truth => (PhysicalType::BOOLEAN, None),
        ColumnKind::Time => {
            let time = LogicalType::timestamp(true, TimeUnit::MILLIS);
            (PhysicalType::INT64, Some(time))
        }
    };

    let value = |name: &str, repetition| {
        let value = Type::primitive_type_builder(name, physical).with_logical_type(logical.clone());
        value.with_repetition(repetition).build().map(Arc::new)
    };

    if !matches!(column.kind, ColumnKind::Texts | ColumnKind::Wholes) {
        return value(&column.name, repetition);
    }

    let elements = Type::group_type_builder("list")
        .with_repetition(Repetition::REPEATED)
        .with_fields(vec![value("element", Repetition::REQUIRED)?])
        .build()?;
    let list = Type::group_type_builder(&column.name)
        .with_repetition(repetition)
        .with_logical_type(Some(LogicalType::List))
        .with_fields(vec![Arc::new(elements)])
        .build()?;
    Ok(Arc::new(list))
}

impl From<ParquetError> for ExportFailure {
    fn from(error: ParquetError) -> Self {
        match error {
            ParquetError::External(inner) => match inner.downcast::<io::Error>() {
                Ok(error) => Self::Write(*error),
                Err(inner) => Self::Parquet(ParquetError::External(inner)),
            },
            error => Self::Parquet(error),
        }
    }
}
