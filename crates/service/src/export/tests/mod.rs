//! Round trips: imported data is exported verbatim, and ratings from annotators with their figures.

mod alignments;
mod answers;
mod dataset;
mod fixture;
mod gold;
mod groups;
mod learning;
mod metric_scores;
mod spans;
mod tidy;
mod unjudged;
mod written;

use std::{io::Cursor, sync::Arc};

use domain::{
    ids::OutputId,
    work::change::{AnnotationAnswer, AnnotationSlot},
};
use formats::FormulaEscaping;
use serde_json::json;
use store::rating_rows::RatingScope;
use testdata::{needs_released_data, released_text};

use self::fixture::{ExportFixture, request_for};
use super::{AlignmentEdits, ExportFile, ExportFormat, ExportRequest, write_zip};

/// Three outputs to judge, and one that is identical to the first.
const OUTPUTS: &str = r#"{"source_id":"s1","source":"The old boat crossed the wide river.","references":["A boat crossed it."],"output":"The boat crossed.","system":"one"}
{"source_id":"s1","source":"The old boat crossed the wide river.","output":"=The boat, an old one, crossed.","system":"two"}
{"source_id":"s1","source":"The old boat crossed the wide river.","output":"The boat crossed.","system":"three","kind":"human"}
{"source_id":"s1","source":"The old boat crossed the wide river.","output":"It crossed. It was old.","system":"four"}
"#;

fn score(text: &str) -> i32 {
    match text {
        "The boat crossed." => 20,
        "=The boat, an old one, crossed." => 50,
        _ => 80,
    }
}

/// Ids with gaps, an empty output, quotes, numbers written in several ways, z-scores that do not follow from
/// the ratings, a rater who begins late and one who leaves an output out.
const PAST: &str = "\
id,original,generation,processed_generation,original_id,system,rating_1,rating_2,rating_1_z_score,rating_2_z_score
0,\"One, two.\",one -lrb- two,One (two).,0,a,,7,,-0.30000000000000004
3,\"One, two.\",\"said \"\"two\"\" \",\"Said \"\"two\"\".\",0,b,73,50.0,0.5792593843343621,1e-1
4,Three.,three,,1,a,73,,0.5792593843343621,
";

#[tokio::test]
async fn a_past_file_comes_out_as_it_went_in() {
    let platform = ExportFixture::new().await;
    platform.import(PAST, None).await;
    assert_eq!(platform.table(ExportFormat::SimpevalPast).await, PAST);
}

#[needs_released_data("simpeval")]
#[tokio::test]
async fn simpeval_past_as_released_comes_out_as_it_went_in() {
    let file = released_text("simpeval/simpeval_past.csv");
    let platform = ExportFixture::new().await;
    platform.import(file.as_str(), None).await;
    let table = platform.table(ExportFormat::SimpevalPast).await;

    for (line, (written, file)) in table.lines().zip(file.lines()).enumerate() {
        assert_eq!(written, file, "line {}", line + 1);
    }
    assert!(table == file);
}

const IN_2022: &str = "\
original_id,original,generation,system,sentence_type,rating_1,rating_2,rating_3,rating_1_zscore,rating_2_zscore,rating_3_zscore
1,\"A source, with a comma.\",An output.,x,Deletions,100.0,,65.0,1.25,,-0.5
1,\"A source, with a comma.\",Another. One.,y,Splittings,80.0,75.0,,0.25,0.125,
";

const RATERS: &str = "\
original_id,system,slot,rater
1,x,1,worker 4
1,x,3,worker 1
1,y,1,worker 1
1,y,2,worker 4
";

#[tokio::test]
async fn a_file_of_2022_and_its_raters_come_out_as_they_went_in() {
    let platform = ExportFixture::new().await;
    platform.import(IN_2022, Some(RATERS)).await;
    assert_eq!(platform.table(ExportFormat::Simpeval2022).await, IN_2022);
    let raters = platform.export(request_for(ExportFormat::Simpeval2022), ExportFile::Raters);
    assert_eq!(raters.await, RATERS);

    // By rater, the same ratings are in other columns.
    let past = platform.table(ExportFormat::SimpevalPast).await;
    let ends: Vec<_> = past
        .lines()
        .map(|line| line.rsplitn(5, ',').collect::<Vec<_>>())
        .collect();
    assert_eq!(ends[1][..4], ["-0.5", "1.25", "65.0", "100.0"]);
    assert_eq!(ends[2][..4], ["0.25", "0.125", "80.0", "75.0"]);
}

#[tokio::test]
async fn numbers_without_raters_stay_in_their_slots_and_have_no_rater() {
    let platform = ExportFixture::new().await;
    platform.import(IN_2022, None).await;
    assert_eq!(platform.table(ExportFormat::Simpeval2022).await, IN_2022);

    let header = "original_id,system,slot,rater\n";
    let raters = platform.export(request_for(ExportFormat::Simpeval2022), ExportFile::Raters);
    assert_eq!(raters.await, header);

    let lines = platform.lines(RatingScope::HandedIn).await;
    assert_eq!(lines[0]["ratings"], json!([]));
    let score = json!({ "column": "rating_1", "value": "100.0", "z": "1.25" });
    assert_eq!(lines[0]["scores"][0], score);
}

// 20, 50 and 80 have the mean 50 and the variance (900 + 0 + 900) / 3 = 600; 30/√600 = 1.224745. The
// copy at the third output counts for neither.
#[tokio::test]
async fn ratings_given_here_come_out_with_the_z_scores_of_their_rater() {
    let platform = ExportFixture::new().await;
    platform.import(OUTPUTS, None).await;
    let work = platform.annotator("somebody").await;
    platform.rate(work, score).await;

    let before = platform.table(ExportFormat::SimpevalPast).await;
    assert!(!before.contains("rating_1"), "{before}");
    platform.hand_in(work).await;

    let source = "The old boat crossed the wide river.";
    let expect = format!(
        "id,original,generation,processed_generation,original_id,system,rating_1,rating_1_z_score,shared_ratings\n\
         0,{source},The boat crossed.,The boat crossed.,s1,one,20,-1.224745,\n\
         1,{source},\"=The boat, an old one, crossed.\",\"=The boat, an old one, crossed.\",s1,two,50,0.000000,\n\
         2,{source},The boat crossed.,The boat crossed.,s1,three,20,-1.224745,rating_1\n\
         3,{source},It crossed. It was old.,It crossed. It was old.,s1,four,80,1.224745,\n"
    );
    assert_eq!(platform.table(ExportFormat::SimpevalPast).await, expect);

    let raters = platform.export(request_for(ExportFormat::Simpeval2022), ExportFile::Raters);
    let expect = "original_id,system,slot,rater\ns1,one,1,annotator 1\ns1,two,1,annotator 1\n\
                  s1,three,1,annotator 1\ns1,four,1,annotator 1\n";
    assert_eq!(raters.await, expect);

    let guarded = ExportRequest {
        cells: FormulaEscaping::Guarded,
        ..request_for(ExportFormat::SimpevalPast)
    };
    let guarded = platform.export(guarded, ExportFile::Table).await;
    assert!(
        guarded.contains("\"'=The boat, an old one, crossed.\""),
        "{guarded}"
    );
}

#[tokio::test]
async fn json_lines_have_all_answers() {
    let platform = ExportFixture::new().await;
    platform.import(OUTPUTS, None).await;
    let work = platform.annotator("somebody").await;
    let task = platform.store.task(work.0, work.1).await.unwrap().unwrap();

    let output = |text: &str| -> OutputId {
        let item = task.items.iter().find(|item| item.text == text);
        item.expect("the output is assigned").output
    };
    let (first, last) = (
        output("The boat crossed."),
        output("It crossed. It was old."),
    );

    let mut order: Vec<_> = task.items.iter().map(|item| item.output).collect();
    order.sort_by_key(|output| (*output != last, *output));
    platform
        .save(
            work,
            AnnotationSlot::Order,
            AnnotationAnswer::Order(Some(order)),
        )
        .await;
    let slot = AnnotationSlot::Note { output: first };
    platform
        .save(work, slot, AnnotationAnswer::Note("Odd.".into()))
        .await;
    let slot = AnnotationSlot::Edits { output: first };
    platform
        .save(work, slot, AnnotationAnswer::Edits(Some(vec![])))
        .await;
    platform.rate(work, score).await;

    assert_eq!(
        platform.lines(RatingScope::HandedIn).await[0]["ratings"],
        json!([])
    );
    assert_eq!(
        platform.lines(RatingScope::IncludingOpen).await[0]["ratings"][0]["value"],
        20
    );

    platform.hand_in(work).await;

    let lines = platform.lines(RatingScope::HandedIn).await;
    assert_eq!(lines.len(), 4);
    let rating = |z: f64, value: i32, shared: bool| {
        json!([{
            "rater": "annotator 1", "dimension": "overall", "scale": { "low": 0, "high": 100 },
            "value": value, "z": z, "imported_value": null, "imported_z": null, "shared": shared,
            "recorded_at": "1970-01-01T00:00:02.000Z",
        }])
    };

    assert_eq!(lines[0]["ratings"], rating(-1.224_745, 20, false));
    assert_eq!(lines[1]["ratings"], rating(0.0, 50, false));
    assert_eq!(lines[2]["ratings"], rating(-1.224_745, 20, true));
    assert_eq!(lines[2]["twin_of"], lines[0]["output_id"]);
    assert_eq!(lines[2]["kind"], "human");

    assert_eq!(lines[0]["references"], json!(["A boat crossed it."]));
    assert_eq!(
        lines[0]["notes"],
        json!([{ "rater": "annotator 1", "note": "Odd." }])
    );
    assert_eq!(
        lines[0]["edits"],
        json!([{ "rater": "annotator 1", "edits": [] }])
    );
    assert_eq!(lines[1]["edits"], json!([]));
    assert_ne!(lines[0]["automatic"]["edits"], json!([]));
    assert_eq!(lines[3]["category"], "split");
    assert_eq!(
        lines[3]["categories"],
        json!([{ "rater": "annotator 1", "category": "split" }])
    );
    assert_eq!(lines[3]["work"][0]["place"], 1);
    assert_eq!(lines[2]["work"][0]["place"], lines[0]["work"][0]["place"]);
    assert_eq!(
        lines[0]["work"][0]["handed_in_at"],
        "1970-01-01T00:00:03.000Z"
    );
    assert!(lines[0]["event"].as_i64() > Some(0));
}

#[tokio::test]
async fn json_lines_import_again_with_the_same_ratings() {
    let platform = ExportFixture::new().await;
    platform.import(OUTPUTS, None).await;
    let work = platform.annotator("somebody").await;
    platform.rate(work, score).await;
    platform.hand_in(work).await;

    let text = platform.table(ExportFormat::Jsonl).await;
    let again = ExportFixture::new().await;
    again.import(text, None).await;
    let (first, second) = (
        platform.table(ExportFormat::SimpevalPast).await,
        again.table(ExportFormat::SimpevalPast).await,
    );

    let ratings = |text: &str| -> Vec<_> {
        // The rating precedes the z-score and the shared ratings.
        let rating = |line: &str| line.rsplit(',').nth(2).map(str::to_owned);
        text.lines().map(rating).collect()
    };

    assert_eq!(ratings(&first), ratings(&second));
}

#[tokio::test]
async fn the_text_around_sources_comes_out_as_it_went_in() {
    let file = "source_id,source,context_before,context_after,output,system\n\
                1,It rose.,It rained.,,It went up.,A\n\
                2,It fell.,,\"It dried, slowly.\",It sank.,A\n";
    let platform = ExportFixture::new().await;
    platform.import(file, None).await;
    let text = platform.table(ExportFormat::Jsonl).await;
    let again = ExportFixture::new().await;
    again.import(text, None).await;

    let around = |lines: Vec<serde_json::Value>| -> Vec<_> {
        let keys = ["source_id", "source", "context_before", "context_after"];
        let cells =
            |line: &serde_json::Value| keys.map(|key| line[key].as_str().map(str::to_owned));
        lines.iter().map(cells).collect()
    };

    let first = around(platform.lines(RatingScope::HandedIn).await);
    assert_eq!(first, around(again.lines(RatingScope::HandedIn).await));
    assert_eq!(first[0][2..], [Some("It rained.".to_owned()), None]);
    assert_eq!(first[1][2..], [None, Some("It dried, slowly.".to_owned())]);
}

#[tokio::test]
async fn the_readme_says_who_rated_and_by_which_versions() {
    let platform = ExportFixture::new().await;
    platform.import(OUTPUTS, None).await;
    let (one, two) = (
        platform.annotator("somebody").await,
        platform.annotator("another").await,
    );
    platform.rate(one, score).await;
    platform.hand_in(one).await;
    platform.rate(two, |_| 5).await;
    platform.hand_in(two).await;

    let readme = platform
        .export(request_for(ExportFormat::SimpevalPast), ExportFile::Readme)
        .await;
    for line in [
        "- Outputs: 4",
        "- Ratings of “overall”: 6, and 2 copies of these at identical outputs",
        "| annotator 1 | annotator | `rating_1` | 3 | 50.000 | 24.495 | computed |",
        "| annotator 2 | annotator | `rating_2` | 3 | – | – | computed |",
        "“annotator 2” has no z-scores: all values are the same, so there is no variation to \
         explain.",
        &format!("- Rank & Rate {}", env!("CARGO_PKG_VERSION")),
        "- Automatic categories: `tuned-0.7 v1`",
    ] {
        assert!(
            readme.lines().any(|own| own == line),
            "{line}\nis not in\n{readme}"
        );
    }

    assert!(!readme.contains("somebody"), "{readme}");
}

#[tokio::test]
async fn an_archive_holds_the_table_the_raters_and_the_readme() {
    let platform = ExportFixture::new().await;
    platform.import(IN_2022, Some(RATERS)).await;
    let mut exporting = platform
        .begin(request_for(ExportFormat::Simpeval2022))
        .await;

    let work = move || {
        let mut out = vec![];
        write_zip(&mut exporting, "a-study", &mut out).unwrap();
        out
    };
    let bytes = tokio::task::spawn_blocking(work).await.unwrap();

    let mut archive = zip::ZipArchive::new(Cursor::new(bytes)).unwrap();
    let names: Vec<_> = archive
        .file_names()
        .map(|name| name.unwrap().into_owned())
        .collect();
    assert_eq!(
        names,
        ["a-study.README.md", "a-study.raters.csv", "a-study.csv"]
    );

    let table = archive.by_name("a-study.csv").unwrap();
    assert_eq!(std::io::read_to_string(table).unwrap(), IN_2022);
}
