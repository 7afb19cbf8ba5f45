//! The answers that a lead expects, set for all outputs of a source at once.

use domain::{ids::StudyId, study::Role, work::task::ExpectedAnswer};

use super::testing::{TestResponse, TestSite};
use crate::demo;

/// Sends rows of (output, was, rating, explanation).
async fn save(site: &TestSite, cookie: &str, source: &str, rows: &[[String; 4]]) -> TestResponse {
    let names = ["output", "was", "rating", "explanation"];
    let fields: Vec<_> = rows
        .iter()
        .enumerate()
        .flat_map(|(at, row)| {
            let pairs = names.iter().zip(row);
            pairs.map(move |(name, value)| (format!("outputs[{at}][{name}]"), value.as_str()))
        })
        .collect();
    let fields = fields.iter().map(|(name, value)| (name.as_str(), *value));
    let form: Vec<_> = [("slug", "demo"), ("source", source)]
        .into_iter()
        .chain(fields)
        .collect();
    site.call(Some(cookie), "set-expected", &form).await
}

#[tokio::test]
async fn all_expected_answers_are_saved_or_none_and_the_faulty_field_is_named() {
    let site = TestSite::new().await;
    demo::load(&site.store, None, false).await.unwrap();
    let study = site.store.study_by_slug(&"demo".parse().unwrap()).await;
    let study: StudyId = study.unwrap().unwrap().id;
    let cookie = site.sign_in_member(study, "lea", Role::Lead).await;
    let sources = site.store.sources(study).await.unwrap();
    let source = sources
        .iter()
        .find(|source| source.key == "training-lighthouse")
        .unwrap();
    let read_expected = async || {
        let outputs = site.store.source_outputs(source.id).await.unwrap();
        let own = outputs
            .into_iter()
            .map(|output| (output.id, output.expected));
        own.collect::<Vec<_>>()
    };
    let before = read_expected().await;
    let rows = |ratings: [&str; 3]| {
        let row = |(at, rating): (usize, &str)| {
            let (output, expected) = &before[at];
            let was = serde_json::to_string(expected).unwrap();
            [
                output.to_string(),
                was,
                rating.to_owned(),
                format!("why {at}"),
            ]
        };
        ratings.into_iter().enumerate().map(row).collect::<Vec<_>>()
    };
    let source_id = source.id.to_string();

    let refused = save(&site, &cookie, &source_id, &rows(["11", "101", "33"])).await;
    assert_eq!(refused.status, 422);
    let named = refused.body.contains("Output 2 (")
        && refused
            .body
            .contains("The rating must be a whole number from 0 to 100.")
        && refused.body.contains("Nothing has been saved.");
    assert!(named, "{}", refused.body);
    assert_eq!(read_expected().await, before);

    let saved = save(&site, &cookie, &source_id, &rows(["11", "22", "33"])).await;
    assert_eq!(saved.status, 200, "{}", saved.body);
    let after = read_expected().await;
    for (at, rating) in [11, 22, 33].into_iter().enumerate() {
        let expected = ExpectedAnswer {
            rating: Some(rating),
            explanation: format!("why {at}"),
            ..ExpectedAnswer::default()
        };
        assert_eq!(after[at].1, Some(expected));
    }

    // What a page did not change is not written, so that it undoes nobody else's work.
    let events = site.store.newest_event(study).await.unwrap();
    let was = serde_json::to_string(&after[0].1).unwrap();
    let row = [
        after[0].0.to_string(),
        was,
        "11".to_owned(),
        "why 0".to_owned(),
    ];
    let untouched = save(&site, &cookie, &source_id, &[row]).await;
    assert_eq!(untouched.status, 200, "{}", untouched.body);
    assert_eq!(site.store.newest_event(study).await.unwrap(), events);
    assert_eq!(read_expected().await, after);
    site.store.close().await;
}
