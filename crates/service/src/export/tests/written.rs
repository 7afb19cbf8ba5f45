//! Written simplifications, in their own table and in JSONL, and their adoption by the study.

use domain::{
    protocol::{ProtocolStep, StudyProtocol, WriteStep},
    study::StudySettings,
    work::change::{AnnotationAnswer, AnnotationSlot},
    writing::WrittenUse,
};

use super::*;
use crate::{import::write_rows, written_texts::AdoptionPlan};

/// Two sources without outputs, and nothing else.
const SOURCES: &str = r#"{"source_id":"s1","source":"Zoë rowed the old boat across."}
{"source_id":"s2","source":"They slept."}
"#;

async fn set_step(platform: &mut ExportFixture, step: WriteStep) {
    let settings = StudySettings {
        protocol: StudyProtocol::new(vec![ProtocolStep::Write(step)]).unwrap(),
        overlap: 2,
        ..platform.study.settings.clone()
    };
    let (store, id) = (&platform.store, platform.study.id);
    assert!(store.set_settings(id, &settings, 1).await.unwrap());
    platform.study = store.study(id).await.unwrap().unwrap();
}

async fn write(platform: &ExportFixture, name: &str, text: &str) {
    let work = platform.annotator(name).await;
    let answer = AnnotationAnswer::Text(Some(text.to_owned()));
    platform.save(work, AnnotationSlot::Text, answer).await;
    platform.hand_in(work).await;
}

/// Imports the texts that the study does not have yet. Returns their number, and the number of those that it had.
async fn adopt(platform: &ExportFixture) -> (usize, usize) {
    let plan = AdoptionPlan::load(&platform.store, &platform.study).await;
    let plan = plan.unwrap();
    if !plan.rows.is_empty() {
        let file = String::from_utf8(write_rows(&plan.rows).unwrap()).unwrap();
        platform.import(file, None).await;
    }

    (plan.new, plan.already_present)
}

#[tokio::test]
async fn texts_are_rows_with_their_figures() {
    let mut platform = ExportFixture::new().await;
    platform.import(SOURCES, None).await;
    set_step(&mut platform, WriteStep::default()).await;
    write(&platform, "one annotator", "  =Zoë \"rowed\",\n<b>over.\n").await;

    let table = platform.table(ExportFormat::Written).await;
    let mut reader = csv::Reader::from_reader(table.as_bytes());
    let header: Vec<_> = reader
        .headers()
        .unwrap()
        .iter()
        .map(str::to_owned)
        .collect();
    let columns = super::super::written::COLUMNS.map(|column| column.name.into_owned());
    assert_eq!(header, columns);

    let rows: Vec<Vec<String>> = reader
        .records()
        .map(|row| row.unwrap().iter().map(str::to_owned).collect())
        .collect();
    assert_eq!(rows.len(), 1, "{table}");

    let text = "=Zoë \"rowed\",\n<b>over.";
    assert_eq!(
        rows[0][..5],
        [
            "s1",
            "Zoë rowed the old boat across.",
            "annotator 1",
            text,
            "3"
        ]
    );

    let source = "Zoë rowed the old boat across.";
    let compression = text.chars().count() as f64 / source.chars().count() as f64;
    assert_eq!(rows[0][5].parse(), Ok(compression));
    assert_eq!(rows[0][6].parse(), Ok(domain::metrics::fkgl(text)));
    assert_eq!(
        rows[0][7].parse(),
        Ok(text.len() as f64 / source.len() as f64)
    );

    // An output that another file adds has the source's written texts in its line.
    let output = r#"{"source_id":"s1","source":"Zoë rowed the old boat across.","output":"Zoë rowed.","system":"one"}"#;
    platform.import(output, None).await;
    let lines = platform.lines(RatingScope::HandedIn).await;
    assert_eq!(lines[0]["written"][0]["text"], text);
    assert_eq!(lines[0]["written"][0]["words"], 3);
    assert_eq!(lines[0]["written"][0]["rater"], "annotator 1");
}

#[tokio::test]
async fn texts_become_references_or_outputs_and_nothing_comes_twice() {
    for becomes in WrittenUse::ALL {
        let mut platform = ExportFixture::new().await;
        platform.import(SOURCES, None).await;
        let step = WriteStep {
            becomes: *becomes,
            system: "Writers".to_owned(),
            ..WriteStep::default()
        };

        set_step(&mut platform, step).await;
        assert_eq!(adopt(&platform).await, (0, 0));
        write(&platform, "one annotator", "Zoë crossed.").await;
        assert_eq!(adopt(&platform).await, (1, 0));
        write(&platform, "another annotator", "Zoë rowed over.").await;
        assert_eq!(adopt(&platform).await, (1, 1));
        assert_eq!(adopt(&platform).await, (0, 2));

        let (store, study) = (&platform.store, platform.study.id);
        let present = store
            .source_simplifications(study, "Writers")
            .await
            .unwrap();
        let source = present.values().next().unwrap();
        let texts = ["Zoë crossed.", "Zoë rowed over."];

        match becomes {
            WrittenUse::References => {
                assert_eq!(
                    (&source.references[..], source.outputs.len()),
                    (&texts.map(str::to_owned)[..], 0)
                );
            }
            WrittenUse::Outputs => {
                assert!(source.references.is_empty());
                let names: Vec<_> = source
                    .outputs
                    .iter()
                    .map(|(name, _)| name.as_str())
                    .collect();
                assert_eq!(names, ["Writers", "Writers 2"]);
                let lines = platform.lines(RatingScope::HandedIn).await;
                assert_eq!(lines[1]["output"], texts[1]);
                assert_eq!(lines[1]["kind"], "human");
            }
        }
    }
}
