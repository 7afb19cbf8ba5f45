//! Final values in the exports that have them.

use domain::{category::Category, ids::FinalValueId};
use store::final_values::NewFinalValue;

use super::*;
use crate::testing;

const HEADER: &str = "source_id,output_id,source,output,system,kind,category,final_category,dimension,final_value,\
                      mean,n,reason,shared";

/// The study of [`OUTPUTS`] with one annotator's ratings, and decisions about its first and last output.
async fn decided() -> ExportFixture {
    let platform = ExportFixture::new().await;
    platform.import(OUTPUTS, None).await;
    let work = platform.annotator("somebody").await;
    platform.rate(work, score).await;
    platform.hand_in(work).await;

    let lines = platform.lines(RatingScope::HandedIn).await;
    let output = |at: usize| -> OutputId {
        let id = lines[at]["output_id"].as_str().unwrap();
        id.parse().unwrap()
    };

    let lead = platform.person("a lead").await;
    let decision = |output, value, category| NewFinalValue {
        ids: [
            FinalValueId(testing::new_id()),
            FinalValueId(testing::new_id()),
        ],
        output,
        dimension: "overall",
        value,
        category,
        reason: "Nothing is lost.",
        decided_by: lead,
    };

    for new in [
        decision(output(0), Some(25.5), None),
        decision(output(3), None, Some(Category::Split)),
    ] {
        let recorded = platform.store.record_final_value(platform.study.id, new, 9);
        assert_eq!(recorded.await.unwrap(), Some(true));
    }

    platform
}

#[tokio::test]
async fn final_values_are_a_table_beside_the_mean_of_the_ratings() {
    let platform = decided().await;

    let table = platform.table(ExportFormat::Gold).await;
    let mut lines = table.lines();
    assert_eq!(lines.next(), Some(HEADER));

    let rows: Vec<_> = lines
        .map(|line| {
            let cells: Vec<_> = line.split(',').collect();
            [4, 7, 8, 9, 10, 11, 12, 13].map(|at| cells[at]).join(" ")
        })
        .collect();
    assert_eq!(
        rows,
        [
            "one  overall 25.5 20 1 Nothing is lost. false",
            "three  overall 25.5 20 1 Nothing is lost. true",
            "four split    0 Nothing is lost. false",
        ]
    );

    let readme = platform
        .export(request_for(ExportFormat::Gold), ExportFile::Readme)
        .await;
    for column in HEADER.split(',') {
        assert!(
            readme.contains(&format!("`{column}`")),
            "{column} is not in\n{readme}"
        );
    }
}

#[tokio::test]
async fn final_values_are_columns_and_keys_of_their_own() {
    let platform = decided().await;
    let table = platform.table(ExportFormat::Tidy).await;
    let ends: Vec<_> = table
        .lines()
        .skip(1)
        .map(|line| line.rsplit(',').take(2).collect::<Vec<_>>())
        .collect();
    assert_eq!(ends, [["", "25.5"], ["", ""], ["", "25.5"], ["split", ""]]);

    let lines = platform.lines(RatingScope::HandedIn).await;
    let value = json!({"overall": {"value": 25.5, "reason": "Nothing is lost."}});
    assert_eq!(lines[0]["final_value"], value);
    assert_eq!(lines[1].get("final_value"), None);
    assert_eq!(lines[3]["final_category"], "split");

    // The raters' answers are unchanged.
    assert_eq!(lines[0]["ratings"][0]["value"], 20);
}
