//! Marked spans, in their own files and in JSONL.

use domain::{
    protocol::{MarkSpansStep, ProtocolStep, RateStep, StudyProtocol},
    span::Span,
    span_marks::{
        SpanMark,
        taxonomy::{MarkLevel, MarkedSides, SpanTaxonomy, SpanType},
    },
    study::StudySettings,
};
use serde_json::Value;

use super::*;

/// The first output's marks have an accent before them, so that bytes and characters differ.
pub(super) const MARKED: &str = r#"{"source_id":"s1","source":"Zoë rowed the old boat.","output":"Zoë rowed.","system":"one"}
{"source_id":"s1","source":"Zoë rowed the old boat.","output":"Zoë rowed.","system":"two"}
{"source_id":"s1","source":"Zoë rowed the old boat.","output":"Zoë sat.","system":"three","kind":"human"}
"#;

/// Sets a protocol that asks for marks of two types.
pub(super) async fn ask_for_marks(platform: &mut ExportFixture) {
    let level = MarkLevel {
        name: "wrong".to_owned(),
        value: 0.5,
        ..MarkLevel::default()
    };
    let kind = |name: &str, sides| SpanType {
        name: name.to_owned(),
        sides,
        ..SpanType::default()
    };

    let taxonomy = SpanTaxonomy {
        types: vec![
            kind("Removal", MarkedSides::Source),
            kind("Word", MarkedSides::Both),
        ],
        levels: vec![level],
        rules: vec![],
    };

    let steps = vec![
        ProtocolStep::MarkSpans(MarkSpansStep {
            taxonomy,
            prefills: false,
        }),
        ProtocolStep::Rate(RateStep::default()),
    ];
    let settings = StudySettings {
        protocol: StudyProtocol::new(steps).unwrap(),
        ..platform.study.settings.clone()
    };

    let (store, id) = (&platform.store, platform.study.id);
    assert!(store.set_settings(id, &settings, 1).await.unwrap());
    platform.study = store.study(id).await.unwrap().unwrap();
}

fn mark(kind: &str, source: &[(usize, usize)], output: &[(usize, usize)]) -> SpanMark {
    let spans = |places: &[(usize, usize)]| {
        let spans = places.iter().map(|(start, end)| Span::new(*start, *end));
        spans.collect()
    };

    SpanMark {
        kind: kind.to_owned(),
        level: Some("wrong".to_owned()),
        source: spans(source),
        output: spans(output),
    }
}

/// Marks as an annotator: in the first output “rowed” as a word and “old” with “boat” as removed, and nothing in the
/// last one.
pub(super) async fn mark_all(platform: &ExportFixture) {
    let work = platform.annotator("somebody").await;
    platform.rate(work, score).await;

    let task = platform.store.task(work.0, work.1).await.unwrap().unwrap();
    for item in &task.items {
        let marks = match &item.text[..] {
            "Zoë rowed." => vec![
                mark("Removal", &[(15, 18), (19, 23)], &[]),
                mark("Word", &[(5, 10)], &[(5, 10)]),
            ],
            _ => vec![],
        };

        let slot = AnnotationSlot::Marks {
            output: item.output,
        };
        let answer = AnnotationAnswer::Marks(Some(marks));
        platform.save(work, slot, answer).await;
    }

    platform.hand_in(work).await;
}

#[tokio::test]
async fn marks_have_characters_and_words_and_come_back_from_their_file() {
    let mut platform = ExportFixture::new().await;
    platform.import(MARKED, None).await;
    ask_for_marks(&mut platform).await;
    assert_eq!(platform.table(ExportFormat::Spans).await, "");
    assert_eq!(platform.table(ExportFormat::Thresh).await, "[\n]\n");
    mark_all(&platform).await;

    let text = platform.table(ExportFormat::Spans).await;
    let lines: Vec<Value> = text
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();

    let systems: Vec<_> = lines
        .iter()
        .map(|line| {
            (
                line["system"].as_str().unwrap(),
                line["shared"].as_bool().unwrap(),
            )
        })
        .collect();
    assert_eq!(systems, [("one", false), ("two", true), ("three", false)]);

    let removal = json!({
        "type": "Removal", "level": "wrong", "value": 0.5,
        "source": [[14, 17], [18, 22]], "output": [],
        "source_words": ["old", "boat"], "output_words": [],
    });
    assert_eq!(lines[0]["marks"][0], removal);
    assert_eq!(lines[0]["marks"][1]["output"], json!([[4, 9]]));
    assert_eq!(lines[1]["marks"], lines[0]["marks"]);
    assert_eq!(lines[2]["marks"], json!([]));
    assert_eq!(lines[0]["rater"], "annotator 1");

    let file = formats::read_marked_spans(text.as_bytes()).unwrap();
    assert_eq!(file.bad_rows, []);
    let read: Vec<_> = file.rows.iter().map(|row| row.marks.clone()).collect();
    let removal = mark("Removal", &[(15, 18), (19, 23)], &[]);
    assert_eq!(read[0], [removal, mark("Word", &[(5, 10)], &[(5, 10)])]);
    assert_eq!((&read[1], read[2].len()), (&read[0], 0));
    assert_eq!(file.taxonomy.levels[0].value, 0.5);
}

#[tokio::test]
async fn thresh_and_jsonl_have_the_marks() {
    let mut platform = ExportFixture::new().await;
    platform.import(MARKED, None).await;
    ask_for_marks(&mut platform).await;
    mark_all(&platform).await;

    let thresh: Value = serde_json::from_str(&platform.table(ExportFormat::Thresh).await).unwrap();
    let first = &thresh[0];
    assert_eq!(first["target"], "Zoë rowed.");
    assert_eq!(first["metadata"]["annotator"], "annotator 1");
    assert_eq!(first["metadata"]["system"], "one");

    let edits = json!([
        { "id": 1, "category": "Removal", "input_idx": [[14, 17], [18, 22]], "annotation": { "level": "wrong" } },
        { "id": 1, "category": "Word", "input_idx": [[4, 9]], "output_idx": [[4, 9]], "annotation": { "level": "wrong" } },
    ]);
    assert_eq!(first["edits"], edits);
    assert_eq!(
        (thresh.as_array().unwrap().len(), &thresh[2]["edits"]),
        (3, &json!([]))
    );

    // In JSONL, spans are in bytes, like edits.
    let lines = platform.lines(RatingScope::HandedIn).await;
    let marks = &lines[0]["marks"][0];
    assert_eq!(marks["rater"], "annotator 1");
    assert_eq!(
        marks["marks"][1]["output"],
        json!([{ "start": 5, "end": 10 }])
    );
    assert_eq!(
        (&marks["shared"], &lines[1]["marks"][0]["shared"]),
        (&json!(false), &json!(true))
    );

    for format in [ExportFormat::Spans, ExportFormat::Thresh] {
        let readme = platform
            .export(request_for(format), ExportFile::Readme)
            .await;
        assert!(readme.contains("Unicode scalar values"), "{readme}");
    }
}
