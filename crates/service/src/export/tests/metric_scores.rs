//! Metric scores as a table and in JSON Lines.

use domain::{ids::MetricId, metrics::ScoreDirection};
use store::metrics::{MetricOrigin, NewMetric, OutputScore};

use super::*;
use crate::{
    import::{ImportChoices, import_scores},
    testing::{self, CONTEXT},
};

#[tokio::test]
async fn scores_are_a_table_with_signatures_and_come_in_json_lines() {
    let platform = ExportFixture::new().await;
    platform.import(OUTPUTS, None).await;
    let (store, study) = (&platform.store, platform.study.id);
    let outputs = store.output_entries(study).await.unwrap();

    let metrics = [
        ("sari", "sari|…", MetricOrigin::Computed),
        ("lens", "lens|imported|file:a.csv", MetricOrigin::Imported),
        ("lens", "lens|imported|file:b.csv", MetricOrigin::Imported),
    ];
    for (at, (name, signature, origin)) in metrics.into_iter().enumerate() {
        let new = NewMetric {
            id: MetricId(testing::new_id()),
            name,
            signature,
            origin,
            direction: ScoreDirection::HigherIsBetter,
            uses_references: false,
            trained_on: &[],
            model: None,
        };
        let metric = store.declare_metric(study, &new, at as i64).await.unwrap();
        let score = |value| OutputScore {
            output: outputs[at].output,
            value,
            references: 0,
        };
        let scores = [
            score(Ok(-0.5 + at as f64)),
            OutputScore {
                output: outputs[3].output,
                ..score(Err("it is empty".to_owned()))
            },
        ];
        store.put_scores(study, metric, &scores, 9).await.unwrap();
    }

    let [one, two, three, four] = [0, 1, 2, 3].map(|at: usize| outputs[at].output);
    let table = platform.table(ExportFormat::MetricScores).await;
    let expect = format!(
        "source_id,output_id,system,sari,lens,lens (2)\ns1,{one},one,-0.5,,\ns1,{two},two,,0.5,\n\
         s1,{three},three,,,1.5\ns1,{four},four,,,\n"
    );
    assert_eq!(table, expect);

    let signatures = platform
        .export(
            request_for(ExportFormat::MetricScores),
            ExportFile::Signatures,
        )
        .await;
    let expect = "column,metric,signature,origin,outputs\nsari,sari,sari|…,computed,1\n\
                  lens,lens,lens|imported|file:a.csv,imported,1\n\
                  lens (2),lens,lens|imported|file:b.csv,imported,1\n";
    assert_eq!(signatures, expect);

    let lines = platform.lines(RatingScope::HandedIn).await;
    let scores = json!({ "sari": -0.5, "lens": null, "lens (2)": null });
    assert_eq!(lines[0]["metric_scores"], scores);
    for format in [ExportFormat::MetricScores, ExportFormat::Jsonl] {
        let readme = platform
            .export(request_for(format), ExportFile::Readme)
            .await;
        let row = "| lens (2) | `lens\\|imported\\|file:b.csv` | 1 |";
        assert!(readme.contains(row), "{row}\nis not in\n{readme}");
    }

    // The table can be imported as scores.
    let open = move || formats::open_scores(Cursor::new(table));
    let report = import_scores(
        store,
        CONTEXT,
        study,
        "again.csv",
        ImportChoices::default(),
        open,
        Arc::default(),
    )
    .await;
    assert_eq!(report.unwrap().metric_scores, 3);
}
