//! Answers to questions, in a table of their own and in JSONL.

use domain::{
    protocol::{ProtocolStep, StudyProtocol},
    questions::QuestionAnswer,
    study::StudySettings,
};

use super::*;
use crate::templates::StudyTemplate;

pub(super) const OUTPUTS: &str = r#"{"source_id":"s1","source":"Zoë rowed the old boat.","output":"Zoë rowed.","system":"one"}
{"source_id":"s1","source":"Zoë rowed the old boat.","output":"Zoë rowed.","system":"two"}
{"source_id":"s1","source":"Zoë rowed the old boat.","output":"=1+1","system":"three","kind":"human"}
"#;

pub(super) async fn set_steps(platform: &mut ExportFixture, steps: Vec<ProtocolStep>) {
    let settings = StudySettings {
        protocol: StudyProtocol::new(steps).unwrap(),
        ..platform.study.settings.clone()
    };

    let (store, id) = (&platform.store, platform.study.id);
    assert!(store.set_settings(id, &settings, 1).await.unwrap());
    platform.study = store.study(id).await.unwrap().unwrap();
}

/// Answers all questions as an annotator. For the first output, the text on what is missing is hidden, because the
/// annotator says that nothing is; for the last output it counts.
pub(super) async fn answer_all(platform: &ExportFixture) {
    let work = platform.annotator("an annotator").await;
    let task = platform.store.task(work.0, work.1).await.unwrap().unwrap();
    let one = |key: &str| QuestionAnswer::One(key.to_owned());
    let text = |text: &str| QuestionAnswer::Text(text.to_owned());

    let mut answers = vec![(None, "source-hard", one("easy"))];
    for item in &task.items {
        let output = Some(item.output);
        let missing = if item.text == "=1+1" { "yes" } else { "no" };
        let added = ["wrong", "detail"].map(str::to_owned).to_vec();
        answers.extend([
            (output, "missing", one(missing)),
            (output, "what-missing", text("=the \"boat\"\n<b>")),
            (output, "added", one("yes")),
            (output, "what-added", QuestionAnswer::Several(added)),
            (output, "easy", one("yes")),
        ]);
    }

    for (output, key, answer) in answers {
        let slot = AnnotationSlot::Question {
            output,
            key: key.to_owned(),
        };
        platform
            .save(work, slot, AnnotationAnswer::Question(Some(answer)))
            .await;
    }

    platform.hand_in(work).await;
}

#[tokio::test]
async fn answers_are_rows_and_hidden_ones_are_left_out() {
    let mut platform = ExportFixture::new().await;
    platform.import(OUTPUTS, None).await;
    let steps = StudyTemplate::Questions.settings().protocol;
    set_steps(&mut platform, steps.steps().to_vec()).await;
    answer_all(&platform).await;

    let table = platform.table(ExportFormat::Answers).await;
    let mut reader = csv::Reader::from_reader(table.as_bytes());
    let rows: Vec<Vec<String>> = reader
        .records()
        .map(|row| row.unwrap().iter().map(str::to_owned).collect())
        .collect();
    // One is about the source, four about the first output for each of its two systems, and five about the last output.
    assert_eq!(rows.len(), 1 + 2 * 4 + 5, "{table}");

    let of = |system: &str, question: &str| {
        let mut rows = rows.iter();
        rows.find(|row| row[2] == system && row[5] == question)
            .cloned()
    };

    let source = of("", "source-hard").unwrap();
    assert_eq!(
        source[3..9],
        [
            "annotator 1",
            "source",
            "source-hard",
            "How hard is the source to read?",
            "easy",
            "Easy"
        ]
    );

    assert_eq!(of("one", "what-missing"), None);
    let added = of("two", "what-added").unwrap();
    assert_eq!(
        (&*added[7], &*added[8], &*added[9]),
        (
            "wrong detail",
            "Something false; A detail that the source does not give",
            "true"
        )
    );

    let missing = of("three", "what-missing").unwrap();
    assert!(missing[8].ends_with("=the \"boat\"\n<b>"), "{missing:?}");
    assert_eq!(missing[7], "");

    let lines = platform.lines(RatingScope::HandedIn).await;
    let source_answers = &lines[2]["source_answers"];
    assert_eq!(source_answers[0]["options"], json!(["easy"]));

    let answers = lines[2]["answers"].as_array().unwrap();
    let text = answers
        .iter()
        .find(|answer| answer["question"] == "what-missing");
    assert_eq!(text.unwrap()["text"], "=the \"boat\"\n<b>");
    let shared = (
        &lines[0]["answers"][0]["shared"],
        &lines[1]["answers"][0]["shared"],
    );
    assert_eq!(shared, (&json!(false), &json!(true)));

    let readme = platform
        .export(request_for(ExportFormat::Answers), ExportFile::Readme)
        .await;
    assert!(readme.contains("whose condition does not hold"), "{readme}");

    // Answers to a step that the study no longer has are still there, by their keys.
    set_steps(&mut platform, vec![ProtocolStep::RankAndRate]).await;
    let table = platform.table(ExportFormat::Answers).await;
    assert!(
        table.contains(",what-added,,wrong detail,wrong; detail,"),
        "{table}"
    );
}
