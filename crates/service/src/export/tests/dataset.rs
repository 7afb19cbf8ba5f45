//! Folders of Parquet files with a dataset card, read back by the reader of the crate that writes them.

use std::collections::BTreeMap;

use bytes::Bytes;
use domain::{
    comparison::ComparisonChoice,
    ids::OutputId,
    protocol::{CompareStep, ProtocolStep, StudyProtocol},
    study::{OVERALL, StudySettings},
};
use parquet::{
    file::reader::{FileReader, SerializedFileReader},
    record::Field,
};

use super::{
    answers::{self, answer_all, set_steps},
    spans::{MARKED, ask_for_marks, mark_all},
    *,
};
use crate::{
    export::{DatasetOptions, format_timestamp},
    templates::StudyTemplate,
};

/// Texts with line breaks, quotes, letters of several scripts and an emoji, two references, and ratings by imported
/// raters on two dimensions.
const TEXTS: &str = r#"{"source_id":"t1","source":"One,\n\"two\".","context_before":"Before.","references":["Eins 😀.","日本語"],"output":"=1 😀\r\nTwo","system":"a|b","ratings":[{"rater":"p","value":80},{"rater":"p","value":7.5,"dimension":"fluency"},{"rater":"q","value":3}]}
{"source_id":"t1","source":"One,\n\"two\".","output":"","system":"c","ratings":[{"rater":"p","value":1.25e-3}]}
"#;

type NamedFields = BTreeMap<String, Field>;

/// The files of a dataset folder, by name.
struct DatasetFiles(BTreeMap<String, Vec<u8>>);

impl DatasetFiles {
    async fn export(platform: &ExportFixture, request: ExportRequest) -> Self {
        let mut exporting = platform.begin(request).await;
        let work = move || {
            let format = exporting.context().request.format;
            let files = format.files().iter();
            let included = files.filter(|file| exporting.context().includes(**file));
            let included: Vec<_> = included.copied().collect();
            let write = |file: ExportFile| {
                let mut out = vec![];
                exporting.write(file, &mut out).unwrap();
                (file.file_name("ignored", format), out)
            };

            Self(included.into_iter().map(write).collect())
        };

        tokio::task::spawn_blocking(work).await.unwrap()
    }

    async fn export_all(platform: &ExportFixture) -> Self {
        Self::export(platform, request_for(ExportFormat::Dataset)).await
    }

    fn names(&self) -> Vec<&str> {
        self.0.keys().map(String::as_str).collect()
    }

    fn card(&self) -> &str {
        std::str::from_utf8(&self.0["README.md"]).unwrap()
    }

    fn reader(&self, table: &str) -> SerializedFileReader<Bytes> {
        let bytes = self.0[&format!("{table}.parquet")].clone();
        SerializedFileReader::new(Bytes::from(bytes)).unwrap()
    }

    fn rows(&self, table: &str) -> Vec<NamedFields> {
        let reader = self.reader(table);
        let rows = reader.get_row_iter(None).unwrap();
        rows.map(|row| row.unwrap().into_columns().into_iter().collect())
            .collect()
    }

    /// A column as text, as CSV writes it.
    fn column(&self, table: &str, name: &str) -> Vec<String> {
        let rows = self.rows(table);
        rows.iter().map(|row| text(&row[name])).collect()
    }

    /// Checks that the card describes every column of every table.
    fn check_card(&self) {
        for file in self.names() {
            let Some(table) = file.strip_suffix(".parquet") else {
                continue;
            };

            let heading = format!("\n## Columns of {table}\n");
            let (_, section) = self.card().split_once(&heading).expect("a section");
            let section = section.split("\n## ").next().unwrap();

            let reader = self.reader(table);
            for field in reader.metadata().file_metadata().schema().get_fields() {
                let name = field.name();
                // Columns of systems share one entry: `system_1` … `system_6`.
                let is_there =
                    section.contains(&format!("`{name}`")) || name.starts_with("system_");
                assert!(is_there, "{name} of {table} is not in\n{section}");
            }

            let config = format!("- config_name: {table}\n  data_files: {file}\n");
            let has_rows = reader.metadata().file_metadata().num_rows() > 0;
            let card = self.card();
            assert_eq!(card.contains(&config), has_rows, "{table}: {card}");
        }
    }
}

fn text(field: &Field) -> String {
    match field {
        Field::Null => String::new(),
        Field::Str(text) => text.clone(),
        Field::Double(number) => number.to_string(),
        Field::Long(number) => number.to_string(),
        Field::Bool(truth) => truth.to_string(),
        Field::TimestampMillis(ms) => format_timestamp(*ms),
        Field::ListInternal(list) => {
            let elements: Vec<_> = list.elements().iter().map(text).collect();
            format!("{elements:?}")
        }
        other => panic!("{other:?}"),
    }
}

/// The rows of a table of text, by the names of its columns.
fn csv_rows(table: &str) -> Vec<BTreeMap<String, String>> {
    let mut reader = csv::Reader::from_reader(table.as_bytes());
    reader.deserialize().map(Result::unwrap).collect()
}

/// Compares a cell of the table of text with that of the Parquet file; numbers are compared as numbers.
fn assert_same_cell(name: &str, csv: &str, parquet: &Field) {
    match parquet {
        Field::Double(number) => assert_eq!(csv.parse(), Ok(*number), "{name}"),
        other => assert_eq!(csv, text(other), "{name}"),
    }
}

async fn assert_ratings_are_tidy(platform: &ExportFixture, which: RatingScope) -> usize {
    let with = |format| ExportRequest {
        which,
        ..request_for(format)
    };

    let tidy = platform
        .export(with(ExportFormat::Tidy), ExportFile::Table)
        .await;
    let tidy = csv_rows(&tidy);

    let dataset = DatasetFiles::export(platform, with(ExportFormat::Dataset)).await;
    let ratings = dataset.rows("ratings");
    assert_eq!(tidy.len(), ratings.len());

    for (tidy, rating) in tidy.iter().zip(&ratings) {
        assert_eq!(tidy.len(), 15);
        for (name, cell) in tidy {
            assert_same_cell(name, cell, &rating[name]);
        }
    }

    tidy.len()
}

#[tokio::test]
async fn ratings_are_the_rows_of_the_tidy_table_with_their_texts() {
    let platform = ExportFixture::new().await;
    platform.import(OUTPUTS, None).await;
    let work = platform.annotator("somebody").await;
    platform.rate(work, score).await;

    for (which, expect) in [(RatingScope::HandedIn, 0), (RatingScope::IncludingOpen, 4)] {
        assert_eq!(assert_ratings_are_tidy(&platform, which).await, expect);
    }

    platform.hand_in(work).await;
    platform.import(TEXTS, None).await;
    for (which, expect) in [(RatingScope::HandedIn, 8), (RatingScope::Consensus, 0)] {
        assert_eq!(assert_ratings_are_tidy(&platform, which).await, expect);
    }

    let dataset = DatasetFiles::export_all(&platform).await;
    assert_eq!(
        dataset.names(),
        ["README.md", "outputs.parquet", "ratings.parquet"]
    );

    let ratings = dataset.rows("ratings");
    let own: Vec<_> = ratings
        .iter()
        .filter(|row| text(&row["rater"]) == "annotator 1")
        .collect();
    assert_eq!(own.len(), 4);
    for row in own {
        let cells = ["source", "scale_low", "scale_high", "recorded_at"];
        let cells = cells.map(|name| text(&row[name]));
        let expect = [
            "The old boat crossed the wide river.",
            "0",
            "100",
            "1970-01-01T00:00:02.000Z",
        ];
        assert_eq!(cells, expect);
    }

    assert!(
        dataset
            .card()
            .contains("\nImported ratings were collected elsewhere")
    );

    let texts: Vec<_> = ratings.iter().map(|row| text(&row["output"])).collect();
    assert!(texts.contains(&"=1 😀\r\nTwo".to_owned()), "{texts:?}");
    let values = dataset.column("ratings", "value");
    assert!(values.contains(&"0.00125".to_owned()), "{values:?}");
    dataset.check_card();
}

#[tokio::test]
async fn outputs_come_with_source_context_references_and_scores() {
    let platform = ExportFixture::new().await;
    platform.import(TEXTS, None).await;
    let dataset = DatasetFiles::export_all(&platform).await;
    let outputs = dataset.rows("outputs");
    let cells = |row: &NamedFields| {
        let names = ["source_id", "source", "context_before", "context_after"];
        let more = [
            "references",
            "output",
            "system",
            "kind",
            "twin_of",
            "final_category",
        ];
        names
            .into_iter()
            .chain(more)
            .map(|name| text(&row[name]))
            .collect::<Vec<_>>()
    };

    let references = r#"["Eins 😀.", "日本語"]"#;
    let source = "One,\n\"two\".";
    assert_eq!(
        cells(&outputs[0]),
        [
            "t1",
            source,
            "Before.",
            "",
            references,
            "=1 😀\r\nTwo",
            "a|b",
            "machine",
            "",
            ""
        ]
    );
    assert_eq!(
        cells(&outputs[1]),
        [
            "t1", source, "Before.", "", references, "", "c", "machine", "", ""
        ]
    );

    // The Parquet files are verbatim even if a spreadsheet would run a cell and guarded CSV cells are requested.
    let guarded = ExportRequest {
        cells: FormulaEscaping::Guarded,
        ..request_for(ExportFormat::Dataset)
    };
    let guarded = DatasetFiles::export(&platform, guarded).await;
    assert_eq!(guarded.column("outputs", "output")[0], "=1 😀\r\nTwo");

    let other = ExportFixture::new().await;
    other.import(OUTPUTS, None).await;
    let dataset = DatasetFiles::export_all(&other).await;
    let (ids, twins) = (
        dataset.column("outputs", "output_id"),
        dataset.column("outputs", "twin_of"),
    );
    assert_eq!(twins[2], ids[0]);
    assert_eq!(
        dataset.column("outputs", "references"),
        [r#"["A boat crossed it."]"#; 4]
    );
}

#[tokio::test]
async fn a_study_without_outputs_has_tables_without_rows() {
    let platform = ExportFixture::new().await;
    let dataset = DatasetFiles::export_all(&platform).await;
    assert_eq!(
        dataset.names(),
        ["README.md", "outputs.parquet", "ratings.parquet"]
    );
    assert_eq!(
        dataset.rows("ratings").len() + dataset.rows("outputs").len(),
        0
    );

    let card = dataset.card();
    for line in [
        "- 0 ratings",
        "- 0 outputs of 0 sources",
        "size_categories: [n<1K]",
    ] {
        assert!(
            card.lines().any(|own| own == line),
            "{line} is not in\n{card}"
        );
    }

    assert!(
        card.contains("\nThere are no answers to compare.\n"),
        "{card}"
    );
    dataset.check_card();
}

#[tokio::test]
async fn the_card_has_a_header_counts_steps_scales_and_agreement() {
    let platform = ExportFixture::new().await;
    platform.import(OUTPUTS, None).await;
    for (name, more) in [("somebody", 0), ("another", 5)] {
        let work = platform.annotator(name).await;
        platform.rate(work, |text| score(text) + more).await;
        platform.hand_in(work).await;
    }

    let request = ExportRequest {
        dataset: DatasetOptions {
            license: Some("CC-BY-4.0".parse().unwrap()),
            languages: "de,en".parse().unwrap(),
        },
        ..request_for(ExportFormat::Dataset)
    };
    let dataset = DatasetFiles::export(&platform, request).await;
    let card = dataset.card();

    let header = "---\npretty_name: \"A study\"\nlicense: \"cc-by-4.0\"\nlanguage: [\"de\",\"en\"]\n\
                  task_categories: [text-generation]\n\
                  tags: [text-simplification, human-evaluation, rank-and-rate]\n\
                  size_categories: [n<1K]\nconfigs:\n\
                  - config_name: ratings\n  data_files: ratings.parquet\n  default: true\n\
                  - config_name: outputs\n  data_files: outputs.parquet\n---\n\n# A study\n";
    assert!(card.starts_with(header), "{card}");

    // For 20, 50, 80 and 25, 55, 85, the observed disagreement is 25 and the expected one twice the variance of
    // 727.5. One source has no interval.
    for line in [
        "- 6 ratings, and 2 copies of these at identical outputs",
        "- 4 outputs of 1 source",
        "- 4 systems",
        "- 2 raters",
        "1. Categorise: put each output in a category.",
        "- overall: 0 to 100, by a slider",
        "## Licence",
        "CC-BY-4.0. Texts keep the rights of their authors.",
        &format!("- Rank & Rate {}", env!("CARGO_PKG_VERSION")),
    ] {
        assert!(
            card.lines().any(|own| own == line),
            "{line}\nis not in\n{card}"
        );
    }

    let row = card
        .lines()
        .find(|line| line.starts_with("| overall | 3 | 3 |"));
    let row = row.unwrap_or_else(|| panic!("no agreement in\n{card}"));
    assert!(row.ends_with("| 0.983 | 1.000 |"), "{row}");

    assert!(!card.contains("somebody"), "{card}");

    let none = DatasetFiles::export_all(&platform).await;
    assert!(!none.card().contains("\nlicense:"), "{}", none.card());
    assert!(none.card().contains("\nNo licence was given: "));
    let request = ExportRequest {
        dataset: DatasetOptions {
            license: Some("For \"research\" only".parse().unwrap()),
            ..DatasetOptions::default()
        },
        ..request_for(ExportFormat::Dataset)
    };
    let other = DatasetFiles::export(&platform, request).await;
    let expect = "\nlicense: other\nlicense_name: \"For \\\"research\\\" only\"\n";
    assert!(other.card().contains(expect), "{}", other.card());
}

#[tokio::test]
async fn files_say_of_what_study_and_event_they_are() {
    let platform = ExportFixture::new().await;
    platform.import(TEXTS, None).await;

    let dataset = DatasetFiles::export_all(&platform).await;
    let event = platform
        .store
        .newest_event(platform.study.id)
        .await
        .unwrap();

    for table in ["ratings", "outputs"] {
        let reader = dataset.reader(table);
        let facts = reader
            .metadata()
            .file_metadata()
            .key_value_metadata()
            .unwrap();
        let fact = |key: &str| {
            let fact = facts.iter().find(|fact| fact.key == key);
            fact.and_then(|fact| fact.value.clone()).unwrap_or_default()
        };
        assert_eq!(fact("rankrate.schema"), "1");
        assert_eq!(fact("rankrate.study"), "a-study");
        assert_eq!(fact("rankrate.event"), event.unwrap().to_string());
        assert_eq!(fact("rankrate.version"), env!("CARGO_PKG_VERSION"));
    }
}

#[tokio::test]
async fn hidden_outputs_are_left_out() {
    let platform = ExportFixture::new().await;
    platform.import(TEXTS, None).await;
    let ids = DatasetFiles::export_all(&platform)
        .await
        .column("outputs", "output_id");
    let id: OutputId = ids[0].parse().unwrap();

    let study = platform.study.id;
    assert!(platform.store.hide_output(study, id, 5_000).await.unwrap());

    let dataset = DatasetFiles::export_all(&platform).await;
    assert_eq!(dataset.column("outputs", "output_id"), ids[1..]);
    assert_eq!(dataset.column("ratings", "output_id"), ids[1..]);
    assert!(dataset.card().contains("- 1 output of 1 source\n"));
}

#[tokio::test]
async fn where_annotators_compare_the_dataset_has_their_comparisons_first() {
    let mut platform = ExportFixture::new().await;
    platform.import(OUTPUTS, None).await;
    let steps = vec![ProtocolStep::Compare(CompareStep::default())];
    let settings = StudySettings {
        protocol: StudyProtocol::new(steps).unwrap(),
        ..platform.study.settings.clone()
    };

    let (store, id) = (&platform.store, platform.study.id);
    assert!(store.set_settings(id, &settings, 1).await.unwrap());
    platform.study = store.study(id).await.unwrap().unwrap();

    let work = platform.annotator("somebody").await;
    let task = platform.store.task(work.0, work.1).await.unwrap().unwrap();
    assert_eq!(task.comparisons.len(), 3, "all pairs of three texts");
    for shown in &task.comparisons {
        let slot = AnnotationSlot::comparison(shown, OVERALL);
        let choice = ComparisonChoice::Better(*shown.iter().min().unwrap());
        platform
            .save(work, slot, AnnotationAnswer::Comparison(Some(choice)))
            .await;
    }
    platform.hand_in(work).await;

    let dataset = DatasetFiles::export_all(&platform).await;
    assert_eq!(
        dataset.names(),
        [
            "README.md",
            "comparisons.parquet",
            "outputs.parquet",
            "ratings.parquet"
        ]
    );

    let table = csv_rows(&platform.table(ExportFormat::Comparisons).await);
    let rows = dataset.rows("comparisons");
    assert_eq!(
        (table.len(), rows.len()),
        (5, 5),
        "two systems share a text"
    );
    for (csv, row) in table.iter().zip(&rows) {
        assert_eq!(csv.len(), row.len());
        for (name, cell) in csv {
            assert_same_cell(name, cell, &row[name]);
        }
    }

    let card = dataset.card();
    let first = "configs:\n- config_name: comparisons\n  data_files: comparisons.parquet\n  default: true\n";
    assert!(card.contains(first), "{card}");
    for line in [
        "- 0 ratings",
        "- 3 comparisons",
        "1. Compare: say which of two outputs is better, or neither.",
        "- overall",
        "| overall | 3 | undefined: no output was rated by two raters, so there is nothing to compare |",
    ] {
        assert!(
            card.lines().any(|own| own == line),
            "{line}\nis not in\n{card}"
        );
    }

    dataset.check_card();
}

#[tokio::test]
async fn marked_spans_are_a_table_with_one_mark_a_row() {
    let mut platform = ExportFixture::new().await;
    platform.import(MARKED, None).await;
    ask_for_marks(&mut platform).await;
    mark_all(&platform).await;

    let dataset = DatasetFiles::export_all(&platform).await;
    assert!(dataset.names().contains(&"spans.parquet"));

    let cells = |row: &NamedFields| {
        let names = [
            "system",
            "mark",
            "type",
            "level",
            "value",
            "source_starts",
            "source_ends",
        ];
        let more = [
            "source_words",
            "output_starts",
            "output_ends",
            "output_words",
            "shared",
        ];
        names
            .into_iter()
            .chain(more)
            .map(|name| text(&row[name]))
            .collect::<Vec<_>>()
    };

    let removal = |system, shared| {
        let (starts, ends, words) = (r#"["14", "18"]"#, r#"["17", "22"]"#, r#"["old", "boat"]"#);
        [
            system, "1", "Removal", "wrong", "0.5", starts, ends, words, "[]", "[]", "[]", shared,
        ]
    };
    let word = |system, shared| {
        let (starts, ends, words) = (r#"["4"]"#, r#"["9"]"#, r#"["rowed"]"#);
        [
            system, "2", "Word", "wrong", "0.5", starts, ends, words, starts, ends, words, shared,
        ]
    };

    let nothing = [
        "three", "", "", "", "", "[]", "[]", "[]", "[]", "[]", "[]", "false",
    ];

    let rows: Vec<_> = dataset.rows("spans").iter().map(cells).collect();
    let expect = [
        removal("one", "false"),
        word("one", "false"),
        removal("two", "true"),
        word("two", "true"),
        nothing,
    ];
    assert_eq!(rows, expect);

    let card = dataset.card();
    for line in [
        "- 2 judgements of an output's spans",
        "| 2 | 0 | undefined: no output was rated by two raters, so there is nothing to compare | undefined: no output was \
         rated by two raters, so there is nothing to compare |",
    ] {
        assert!(
            card.lines().any(|own| own == line),
            "{line}\nis not in\n{card}"
        );
    }

    assert!(
        card.contains("Types: Removal and Word. Levels: wrong (0.5)."),
        "{card}"
    );
    dataset.check_card();
}

#[tokio::test]
async fn answers_are_a_table_with_one_answer_a_row() {
    let mut platform = ExportFixture::new().await;
    platform.import(answers::OUTPUTS, None).await;
    let without = DatasetFiles::export_all(&platform).await;
    assert!(!without.names().contains(&"answers.parquet"));

    let steps = StudyTemplate::Questions.settings().protocol;
    set_steps(&mut platform, steps.steps().to_vec()).await;
    answer_all(&platform).await;

    let dataset = DatasetFiles::export_all(&platform).await;
    let rows = dataset.rows("answers");
    // As in the CSV table: one about the source, four about the first output for each of its systems, five about the
    // last.
    assert_eq!(rows.len(), 1 + 2 * 4 + 5);

    let cells = |row: &NamedFields| {
        let names = [
            "about", "system", "rater", "question", "options", "answer", "shared",
        ];
        names.map(|name| text(&row[name]))
    };
    let find = |system: &str, question: &str| {
        let mut all = rows.iter().map(cells);
        all.find(|row| row[1] == system && row[3] == question)
    };
    let expect = |row: [&str; 7]| Some(row.map(str::to_owned));

    assert_eq!(
        find("", "source-hard"),
        expect([
            "source",
            "",
            "annotator 1",
            "source-hard",
            "easy",
            "Easy",
            "false"
        ])
    );
    assert_eq!(
        find("three", "what-missing"),
        expect([
            "output",
            "three",
            "annotator 1",
            "what-missing",
            "",
            "=the \"boat\"\n<b>",
            "false"
        ])
    );
    assert_eq!(
        find("two", "missing").map(|row| row[6].clone()),
        Some("true".to_owned())
    );

    let card = dataset.card();
    assert!(
        card.lines().any(|line| line == "- 10 answers to questions"),
        "{card}"
    );
    assert!(card.contains("## Columns of answers"), "{card}");
    dataset.check_card();
}

#[tokio::test]
async fn an_archive_holds_the_folder() {
    let platform = ExportFixture::new().await;
    platform.import(TEXTS, None).await;
    let mut exporting = platform.begin(request_for(ExportFormat::Dataset)).await;
    let work = move || {
        let mut out = vec![];
        write_zip(&mut exporting, "a-study-dataset", &mut out).unwrap();
        out
    };
    let bytes = tokio::task::spawn_blocking(work).await.unwrap();

    let mut archive = zip::ZipArchive::new(Cursor::new(bytes)).unwrap();
    let names = archive.file_names().map(|name| name.unwrap().into_owned());
    assert_eq!(
        names.collect::<Vec<_>>(),
        [
            "a-study-dataset/README.md",
            "a-study-dataset/outputs.parquet",
            "a-study-dataset/ratings.parquet"
        ]
    );

    let mut file = vec![];
    let mut entry = archive.by_name("a-study-dataset/ratings.parquet").unwrap();
    std::io::Read::read_to_end(&mut entry, &mut file).unwrap();
    let reader = SerializedFileReader::new(Bytes::from(file)).unwrap();
    assert_eq!(reader.metadata().file_metadata().num_rows(), 4);
}
