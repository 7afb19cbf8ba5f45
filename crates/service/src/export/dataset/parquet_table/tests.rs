use bytes::Bytes;
use parquet::{
    basic::{Compression, Encoding},
    file::reader::{FileReader, SerializedFileReader},
    record::RowAccessor,
};

use super::*;

const COLUMNS: [TableColumn; 4] = [
    TableColumn::required("name", ColumnKind::Text),
    TableColumn::optional("z", ColumnKind::Number),
    TableColumn::required("place", ColumnKind::Whole),
    TableColumn::required("words", ColumnKind::Texts),
];

fn row(number: usize) -> [TableCell<'static>; 4] {
    let z = match number % 3 {
        0 => TableCell::Missing,
        _ => TableCell::Number(number as f64 / 8.0),
    };

    [
        TableCell::text(format!("rater {}", number % 7)),
        z,
        TableCell::Whole(number as i64),
        TableCell::Texts(vec!["a"; number % 3]),
    ]
}

fn write_rows(
    rows: impl IntoIterator<Item = [TableCell<'static>; 4]>,
) -> SerializedFileReader<Bytes> {
    let mut out = vec![];
    let mut table =
        ParquetTable::new(&mut out, COLUMNS, vec![("key", "value".to_owned())]).unwrap();
    for row in rows {
        table.push(row).unwrap();
    }

    table.finish().unwrap();
    SerializedFileReader::new(Bytes::from(out)).unwrap()
}

fn sizes(reader: &SerializedFileReader<Bytes>) -> Vec<i64> {
    let groups = reader.metadata().row_groups().iter();
    groups.map(|group| group.num_rows()).collect()
}

#[test]
fn many_rows_are_several_row_groups_and_come_back_in_order() {
    let count = 2 * MAX_ROWS + 10;
    let reader = write_rows((0..count).map(row));
    assert_eq!(sizes(&reader), [MAX_ROWS as i64, MAX_ROWS as i64, 10]);

    let mut rows = 0;
    for (number, own) in reader.get_row_iter(None).unwrap().enumerate() {
        let own = own.unwrap();
        assert_eq!(*own.get_string(0).unwrap(), format!("rater {}", number % 7));
        match number % 3 {
            0 => assert!(own.get_double(1).is_err(), "{number} has no value"),
            _ => assert_eq!(own.get_double(1).unwrap(), number as f64 / 8.0),
        }
        assert_eq!(own.get_long(2).unwrap(), number as i64);
        assert_eq!(own.get_list(3).unwrap().len(), number % 3);
        rows += 1;
    }

    assert_eq!(rows, count);
    for column in reader.metadata().row_group(0).columns() {
        assert_eq!(column.compression(), Compression::SNAPPY);
    }

    let mut encodings = reader.metadata().row_group(0).column(0).encodings();
    assert!(encodings.any(|encoding| encoding == Encoding::RLE_DICTIONARY));
}

#[test]
fn a_row_group_ends_where_its_texts_are_long() {
    let long = |number: usize| {
        let [_, z, place, words] = row(number);
        let text = number.to_string().repeat(MAX_TEXT_BYTES / 3 + 1);
        [TableCell::text(text), z, place, words]
    };
    // Three such texts exceed the limit of a row group; the same text again is in memory once.
    let reader = write_rows((1..=8).map(long));
    assert_eq!(sizes(&reader), [3, 3, 2]);

    let reader = write_rows((1..=8).map(|_| long(1)));
    assert_eq!(sizes(&reader), [8]);
}

#[test]
fn a_table_without_rows_has_its_columns() {
    let reader = write_rows([]);
    assert_eq!(sizes(&reader), [] as [i64; 0]);

    let schema = reader.metadata().file_metadata().schema();
    let names: Vec<_> = schema
        .get_fields()
        .iter()
        .map(|field| field.name())
        .collect();
    assert_eq!(names, ["name", "z", "place", "words"]);
}

#[test]
fn a_cell_that_is_not_of_its_column_is_refused_by_name() {
    let mut out = vec![];
    let mut table = ParquetTable::new(&mut out, COLUMNS, vec![]).unwrap();
    let [name, z, _, words] = row(1);

    let error = table
        .push([name, z, TableCell::Missing, words])
        .unwrap_err();

    let ExportFailure::Parquet(error) = error else {
        panic!("{error:?}");
    };
    assert_eq!(
        error.to_string(),
        "Parquet error: the column place cannot hold Missing"
    );

    assert!(table.push([]).is_err());
}

#[test]
fn an_output_that_is_closed_is_a_failure_to_write() {
    struct ClosedOutput;
    impl Write for ClosedOutput {
        fn write(&mut self, _: &[u8]) -> io::Result<usize> {
            Err(io::ErrorKind::BrokenPipe.into())
        }
        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    let mut closed = ClosedOutput;
    let mut table = ParquetTable::new(&mut closed, COLUMNS, vec![]).unwrap();
    table.push(row(1)).unwrap();
    let error = table.finish().unwrap_err();
    assert!(matches!(error, ExportFailure::Write(_)), "{error:?}");
}
