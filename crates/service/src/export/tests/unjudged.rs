//! Outputs that raters could not judge.

use domain::{
    score::RatingScale,
    work::{
        change::{AnnotationAnswer, AnnotationSlot},
        unjudged::UnjudgedReason,
    },
};
use formats::FormulaEscaping;
use serde_json::json;
use store::rating_rows::RatingScope;

use super::{
    OUTPUTS,
    fixture::{ExportFixture, request_for},
    score,
};
use crate::export::{ExportFile, ExportFormat, ExportRequest};

#[tokio::test]
async fn outputs_that_cannot_be_judged_have_a_file_of_their_own() {
    let platform = ExportFixture::new().await;
    platform.import(OUTPUTS, None).await;
    let work = platform.annotator("the annotator").await;
    let task = platform.store.task(work.0, work.1).await.unwrap().unwrap();

    for item in &task.items {
        let output = item.output;
        if item.text != "The boat crossed." {
            let slot = AnnotationSlot::Rating {
                output,
                dimension: "overall".into(),
            };
            let score = RatingScale::PERCENT.clamp(score(&item.text));
            let score = AnnotationAnswer::Rating(Some(score));
            platform.save(work, slot, score).await;
            continue;
        }

        let reason = AnnotationAnswer::Unjudged(Some(UnjudgedReason::Other));
        platform
            .save(work, AnnotationSlot::Unjudged { output }, reason)
            .await;
        let note = AnnotationAnswer::Note("=A poem.".into());
        platform
            .save(work, AnnotationSlot::Note { output }, note)
            .await;
    }

    let tidy = request_for(ExportFormat::Tidy);
    let begun = platform.begin(tidy.clone()).await;
    assert!(
        !begun.context().includes(ExportFile::Unjudged),
        "still in progress"
    );
    platform.hand_in(work).await;
    let begun = platform.begin(tidy.clone()).await;
    assert!(begun.context().includes(ExportFile::Unjudged));

    let lines = platform.lines(RatingScope::HandedIn).await;

    let reason = |shared: bool| {
        json!([{
            "rater": "annotator 1", "reason": "other", "shared": shared,
            "recorded_at": "1970-01-01T00:00:02.000Z",
        }])
    };
    assert_eq!(
        (&lines[0]["unjudged"], &lines[0]["ratings"]),
        (&reason(false), &json!([]))
    );
    assert_eq!(lines[2]["unjudged"], reason(true));
    assert_eq!(lines[1]["unjudged"], json!(null));

    let table = platform.export(tidy.clone(), ExportFile::Table).await;
    assert_eq!(table.lines().count(), 3, "a row for each rating: {table}");

    let past = platform.table(ExportFormat::SimpevalPast).await;
    assert!(
        past.contains("s1,one,,\n") && past.contains("s1,three,,\n"),
        "{past}"
    );

    let guarded = ExportRequest {
        cells: FormulaEscaping::Guarded,
        ..tidy.clone()
    };
    let file = platform.export(guarded, ExportFile::Unjudged).await;

    let id = |line: usize| lines[line]["output_id"].as_str().expect("an id");
    let expect = format!(
        "source_id,output_id,output,system,rater,reason,note,shared,recorded_at\n\
         s1,{},The boat crossed.,one,annotator 1,other,'=A poem.,false,1970-01-01T00:00:02.000Z\n\
         s1,{},The boat crossed.,three,annotator 1,other,'=A poem.,true,1970-01-01T00:00:02.000Z\n",
        id(0),
        id(2)
    );
    assert_eq!(file, expect);

    let readme = platform.export(tidy, ExportFile::Readme).await;
    assert!(
        readme.contains("Times that a rater could not judge an output: 1\n"),
        "{readme}"
    );
    assert!(readme.contains("`.unjudged.csv`"), "{readme}");
}
