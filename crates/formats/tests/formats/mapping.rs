//! Any CSV by a mapping, and CSV as we write it.

use domain::{category::Category, score::RatingScale, study::SystemKind};
use formats::{
    ColumnMapping, CsvWriter, FileField, FileFormat, FileNote, FileReadOptions, FormulaEscaping,
    open,
};

use crate::{read, rows};

fn mapping_options(pairs: &[&str]) -> FileReadOptions {
    FileReadOptions {
        mapping: ColumnMapping::parse(pairs).unwrap(),
        ..FileReadOptions::default()
    }
}

#[test]
fn columns_of_the_fields_own_names_need_no_mapping() {
    let file = "source,output,system,kind,category,source_id,reference,rater,rating,dimension,more\n\
                A b.,A.,s,human,Deletions,k,R.,w,5,fluency,!\n";
    let row = rows(file, FileReadOptions::default()).remove(0);
    let output = row.output.unwrap();
    assert_eq!(row.source.key.as_deref(), Some("k"));
    assert_eq!(row.source.references, ["R."]);
    assert_eq!(
        (output.kind, output.category),
        (Some(SystemKind::Human), Some(Category::Deletion))
    );
    assert_eq!(&*output.ratings[0].dimension, "fluency");
    assert_eq!(output.ratings[0].rater.as_deref(), Some("w"));
    assert_eq!(row.verbatim, [("more".into(), "!".to_owned())]);
}

#[test]
fn several_columns_of_ratings_are_dimensions_and_several_references_are_many() {
    let file = "orig;simp;clear;true;r1;r2;clear to whom\nA b.;A.;-1;2;R.;;x\n";
    let pairs = [
        "source=orig",
        "output = simp",
        "rating=clear",
        "rating=true",
        "reference=r1",
        "reference=r2",
    ];
    let mut reading = mapping_options(&pairs);
    reading.mapping.scales.all = Some(RatingScale::LIKERT);

    assert_eq!(
        open(file.as_bytes(), reading.clone()).unwrap().notes,
        [FileNote::RatersUnknown]
    );

    let row = rows(file, reading).remove(0);
    let output = row.output.unwrap();
    let ratings: Vec<_> = output
        .ratings
        .iter()
        .map(|r| (&*r.dimension, r.value.value(), r.rater.as_deref()))
        .collect();
    assert_eq!(ratings, [("clear", -1.0, None), ("true", 2.0, None)]);
    assert_eq!(row.source.references, ["R."]);
}

#[test]
fn sources_alone_are_rows_without_an_output() {
    let rows = rows("source\tnote\n\"A\tb.\"\tx\n", FileReadOptions::default());
    assert_eq!(rows[0].source.text, "A\tb.");
    assert_eq!(rows[0].output, None);
}

#[test]
fn a_mapping_overrules_what_the_header_looks_like() {
    let file =
        "original,simplification,original_sentence_id,aspect,worker_id,rating\nA b.,A.,1,x,y,3\n";
    let pairs = ["source=original", "output=simplification", "system=aspect"];
    let opened = open(file.as_bytes(), mapping_options(&pairs)).unwrap();
    assert_eq!(opened.format, FileFormat::Csv);
    let row = opened.rows.map(Result::unwrap).next().unwrap();
    assert_eq!(row.output.unwrap().system.as_deref(), Some("x"));
}

#[test]
fn a_mapping_that_cannot_be_says_so() {
    let cases = [
        ("source", "“source” is not a mapping: write FIELD=COLUMN"),
        (
            "text=x",
            "“text” is not a field: use one of source, output, system, source_id, context_before, context_after, reference, rater, \
             rating, dimension, category, kind",
        ),
        ("source=b", "“source” is mapped to two columns: keep one"),
    ];

    for (pair, expected) in cases {
        assert_eq!(
            ColumnMapping::parse(["source=a", pair])
                .unwrap_err()
                .to_string(),
            expected
        );
    }

    let mapping = ColumnMapping::parse(["source=a=b", "rating=x", "rating=y"]).unwrap();
    assert_eq!(
        mapping
            .fields
            .columns(FileField::Source)
            .collect::<Vec<_>>(),
        ["a=b"]
    );
    assert_eq!(mapping.fields.columns(FileField::Rating).count(), 2);
}

/// Jobs keep mappings as JSON.
#[test]
fn a_mapping_is_written_as_it_always_was() {
    let mut mapping = ColumnMapping::parse(["source=orig", "rating=clear"]).unwrap();
    let json = serde_json::to_string(&mapping).unwrap();
    assert_eq!(
        json,
        r#"{"pairs":[["source","orig"],["rating","clear"]],"scale":null,"scales":[]}"#
    );

    mapping.scales.all = Some(RatingScale::LIKERT);
    let json = serde_json::to_string(&mapping).unwrap();
    assert_eq!(
        serde_json::from_str::<ColumnMapping>(&json).unwrap(),
        mapping
    );

    let older = r#"{"pairs":[["source_id","k"]]}"#;
    let mapping: ColumnMapping = serde_json::from_str(older).unwrap();
    assert_eq!(mapping, ColumnMapping::parse(["source_id=k"]).unwrap());
}

#[test]
fn cells_that_a_spreadsheet_would_run_are_guarded_on_request() {
    let formulas = [
        "=1+1", "+a", "-b", "@c", "\td", "\re", "\nf", " =g", "\u{a0}@h", "\n\t -i", "＝j", "-inf",
    ];
    let harmless = ["-1.5", "+2e3", " a", "b=1", "", "'=c", "−1"];

    let round_trip = |how| {
        let cells = formulas.into_iter().chain(harmless);
        let mut writer = CsvWriter::new(Vec::new(), ["h"; 19], how).unwrap();
        writer.write(cells).unwrap();
        assert_eq!(writer.formula_cells(), 12);
        let bytes = writer.finish().unwrap();
        let mut reader = csv::Reader::from_reader(&bytes[..]);
        let record = reader.records().next().unwrap().unwrap();
        record.iter().map(str::to_owned).collect::<Vec<_>>()
    };

    let verbatim: Vec<_> = formulas.into_iter().chain(harmless).collect();
    assert_eq!(round_trip(FormulaEscaping::Verbatim), verbatim);
    let guarded = round_trip(FormulaEscaping::Guarded);
    assert_eq!(guarded[..12], formulas.map(|cell| format!("'{cell}")));
    assert_eq!(guarded[12..], harmless);
}

#[test]
fn a_row_of_another_width_is_not_written() {
    let mut writer = CsvWriter::new(Vec::new(), ["a", "b"], FormulaEscaping::Verbatim).unwrap();
    assert!(writer.write(["x"]).is_err());
}

#[test]
fn the_text_around_a_source_comes_from_columns_of_its_own() {
    let file = "source,context_before,context_after,more\nA b.,One. Two.,\" \",!\n";
    let row = rows(file, FileReadOptions::default()).remove(0);
    assert_eq!(row.source.context.before, "One. Two.");
    assert_eq!(row.source.context.after, "", "a blank cell says nothing");
    assert_eq!(row.verbatim, [("more".into(), "!".to_owned())]);

    let file = "sentence\tprevious sentence\tnext\nA b.\t\tC d.\n";
    let reading = mapping_options(&["source=sentence", "context_after=next"]);
    let row = rows(file, reading).remove(0);
    assert_eq!(row.source.context.after, "C d.");
    assert_eq!(row.source.context.before, "");

    let long = format!("source,context_after\nA b.,{}\n", "x".repeat(501));
    let bad = read(&long, FileReadOptions::default()).bad.remove(0);
    let reason = bad.to_string();
    assert!(
        reason.contains("the text after the source has a word of more than 500"),
        "{reason}"
    );
}
