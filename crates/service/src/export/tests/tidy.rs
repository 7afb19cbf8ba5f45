//! The tidy table, with one rating per row.

use domain::work::change::AnnotationStep;

use super::*;

const HEADER: &str = "source_id,output_id,system,kind,category,automatic_category,rater,dimension,value,z,rank,\
                      seconds,shared,final_value,final_category";

/// The rows of a tidy table as cells without the output's id. No cell has a comma.
fn rows(table: &str) -> Vec<Vec<String>> {
    let mut lines = table.lines();
    assert_eq!(lines.next(), Some(HEADER));

    let cells = |line: &str| {
        let mut cells: Vec<_> = line.split(',').map(str::to_owned).collect();
        let id = cells.remove(1);
        assert!(id.parse::<OutputId>().is_ok(), "{id}");
        cells
    };

    lines.map(cells).collect()
}

// 20, 50 and 80 have the mean 50 and the population variance 600; the copy at the third output counts
// for neither, nor for the ranks.
#[tokio::test]
async fn what_annotators_rated_has_category_z_rank_and_time() {
    let platform = ExportFixture::new().await;
    platform.import(OUTPUTS, None).await;
    let work = platform.annotator("somebody").await;
    platform.rate(work, score).await;

    let parts = [
        (AnnotationStep::Categorise, 1_000),
        (AnnotationStep::Highlight, 500),
        (AnnotationStep::Rate, 60_250),
    ];
    for (step, ms) in parts {
        platform.be_active(work, step, ms).await;
    }

    assert_eq!(rows(&platform.table(ExportFormat::Tidy).await).len(), 0);
    platform.hand_in(work).await;

    let row = |system: &str,
               kind: &str,
               category: &str,
               automatic: &str,
               value: &str,
               z: &str,
               rank: &str,
               shared| {
        let (rater, seconds) = ("annotator 1", "61.750");
        [
            "s1", system, kind, category, automatic, rater, "overall", value, z, rank, seconds,
            shared, "", "",
        ]
        .map(str::to_owned)
    };

    let actual = rows(&platform.table(ExportFormat::Tidy).await);
    let lines = platform.lines(RatingScope::HandedIn).await;
    let automatic = |at: usize| {
        lines[at]["automatic"]["category"]
            .as_str()
            .unwrap()
            .to_owned()
    };
    let (one, two, four) = (automatic(0), automatic(1), automatic(3));

    let expect = [
        row(
            "one",
            "machine",
            &one,
            &one,
            "20",
            "-1.224745",
            "3",
            "false",
        ),
        row("two", "machine", &two, &two, "50", "0.000000", "2", "false"),
        row("three", "human", &one, &one, "20", "-1.224745", "3", "true"),
        row(
            "four", "machine", &four, &four, "80", "1.224745", "1", "false",
        ),
    ];

    assert_eq!(actual, expect);
}

/// Two dimensions, a rater whose ratings are all equal, and a tie for the first rank.
const RATED: &str = r#"{"source_id":"s","source":"A b.","output":"=A.","system":"x","ratings":[{"rater":"p","value":80},{"rater":"p","value":7.5,"dimension":"fluency"},{"rater":"q","value":3}]}
{"source_id":"s","source":"A b.","output":"B.","system":"y","ratings":[{"rater":"p","value":80},{"rater":"q","value":3}]}
{"source_id":"s","source":"A b.","output":"C.","system":"-z","ratings":[{"rater":"p","value":20}]}
"#;

#[tokio::test]
async fn imported_ratings_of_every_dimension_are_rows_with_missing_values_left_empty() {
    let platform = ExportFixture::new().await;
    platform.import(RATED, None).await;
    let table = platform.table(ExportFormat::Tidy).await;

    let cells = |row: &Vec<String>| -> String {
        let cells = [1, 3, 5, 6, 7, 8, 9, 10, 11].map(|at: usize| row[at].as_str());
        cells.join(" ")
    };
    let actual: Vec<_> = rows(&table).iter().map(cells).collect();

    let expect = [
        "x  p fluency 7.5  1  false",
        "x  p overall 80 0.707107 1  false",
        "x  q overall 3  1  false",
        "y  p overall 80 0.707107 1  false",
        "y  q overall 3  1  false",
        "-z  p overall 20 -1.414214 3  false",
    ];
    assert_eq!(actual, expect);

    let readme = platform
        .export(request_for(ExportFormat::Tidy), ExportFile::Readme)
        .await;
    for column in HEADER.split(',') {
        let documented = readme.contains(&format!("| `{column}` | "));
        assert!(documented, "{column} is not in\n{readme}");
    }
    assert!(readme.contains("- Ratings: 6\n"), "{readme}");
    assert!(readme.contains("runs cells that begin with"), "{readme}");

    let guarded = ExportRequest {
        cells: FormulaEscaping::Guarded,
        ..request_for(ExportFormat::Tidy)
    };
    let guarded = platform.export(guarded, ExportFile::Table).await;
    assert!(guarded.contains(",'-z,machine,"), "{guarded}");
    assert!(guarded.contains(",20,-1.414214,3,"), "{guarded}");
}

#[tokio::test]
async fn cells_that_a_spreadsheet_would_run_are_counted() {
    let platform = ExportFixture::new().await;
    platform.import(RATED, None).await;
    for (format, expect) in [
        (ExportFormat::Tidy, 1),
        // The text twice, as generated and as processed, and the system.
        (ExportFormat::SimpevalPast, 3),
        (ExportFormat::Jsonl, 0),
    ] {
        let mut exporting = platform.begin(request_for(format)).await;
        let work = move || {
            exporting.write(ExportFile::Table, &mut vec![]).unwrap();
            exporting.formula_cells()
        };

        let count = tokio::task::spawn_blocking(work).await.unwrap();
        assert_eq!(count, expect, "{format:?}");
    }
}
