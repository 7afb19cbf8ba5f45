//! A first look at a file.

use formats::{FileField, FileFormat, preview};

fn check(name: &str, file: &str, format: FileFormat, header: &[&str], rows: &[&[&str]]) {
    let file_preview = preview(name, file.as_bytes(), 2).unwrap();
    assert_eq!(file_preview.format, format);
    assert_eq!(file_preview.header, header);
    assert_eq!(file_preview.rows, rows);
}

#[test]
fn the_first_rows_are_shown_under_their_header() {
    check(
        "a.csv",
        "x,y\n1,2\n3\n5,6\n",
        FileFormat::Csv,
        &["x", "y"],
        &[&["1", "2"], &["3"]],
    );
    check(
        "a.csv",
        "x\ty\n1\t2\n",
        FileFormat::Csv,
        &["x", "y"],
        &[&["1", "2"]],
    );
    check(
        "a",
        "{\"source\": \"A\", \"n\": 1}\noops\n",
        FileFormat::Jsonl,
        &["n", "source"],
        &[&["1", "A"]],
    );
    check(
        "a.orig",
        "A, b\nC\nD",
        FileFormat::Text,
        &["sentence"],
        &[&["A, b"], &["C"]],
    );
}

#[test]
fn known_headers_are_recognised() {
    let cases = [
        (
            "id,original,generation,processed_generation,original_id,system",
            FileFormat::SimpEvalPast,
        ),
        (
            "original_id,original,generation,system,sentence_type,rating_1",
            FileFormat::SimpEval2022,
        ),
        (
            "WorkerId,Input.original,Input.simplified,Input.system,Answer.x",
            FileFormat::DirectAssessment,
        ),
        (
            "original,simplification,original_sentence_id,aspect,worker_id,rating",
            FileFormat::AssetRatings,
        ),
        ("original,generation", FileFormat::Csv),
    ];

    for (header, expected) in cases {
        assert_eq!(
            preview("f.csv", header.as_bytes(), 5).unwrap().format,
            expected
        );
    }
}

#[test]
fn a_mapping_is_suggested_from_names() {
    let header =
        "Original,Simplified,Model,Worker ID,score_1,score_2,ref 1,Reference 2,aspect,notes\n";
    let mapping = preview("f.csv", header.as_bytes(), 0).unwrap().mapping;
    let cases: [(FileField, &[&str]); 8] = [
        (FileField::Source, &["Original"]),
        (FileField::Output, &["Simplified"]),
        (FileField::System, &["Model"]),
        (FileField::Rater, &["Worker ID"]),
        (FileField::Rating, &["score_1", "score_2"]),
        (FileField::Reference, &["ref 1", "Reference 2"]),
        (FileField::Dimension, &["aspect"]),
        (FileField::Kind, &[]),
    ];

    for (field, columns) in cases {
        assert_eq!(
            mapping.fields.columns(field).collect::<Vec<_>>(),
            columns,
            "{field}"
        );
    }
}

#[test]
fn what_is_no_text_is_refused_at_once() {
    let fault = preview("a.csv", &b"PK\x03\x04rest"[..], 5).unwrap_err();
    let sentence = fault.to_string();
    assert!(
        sentence.starts_with("the workbook cannot be read ("),
        "{sentence}"
    );
}
