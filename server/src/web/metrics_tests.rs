//! The page of metrics, where they are chosen and models handed out.

use axum::http::StatusCode;
use domain::{ids::ModelId, study::Role};
use serde_json::json;
use store::metrics::{NewModel, Origin};

use super::testing::Site;
use crate::clock;

#[tokio::test]
async fn metrics_of_more_than_texts_are_chosen_where_there_are_means_for_them() {
    let site = Site::new().await;
    let study = site.study("a-study").await;
    let person = site.member(study, "a researcher", Role::Researcher).await;
    let cookie = site.signed_in(person).await;
    let open = async || site.open(Some(&cookie), "/s/a-study/metrics").await.body;
    let input = |page: &str, name: &str| -> String {
        let inputs = page.split("<input").filter(|it| it.contains(name));
        inputs
            .map(|it| it.split('>').next().unwrap_or_default())
            .collect()
    };
    let page = open().await;
    assert!(page.contains("not here: no encoder is named"), "{page}");
    assert!(input(&page, "metrics[similarity]").contains("disabled"));
    assert!(!input(&page, "metrics[learned-free]").contains("disabled"));

    let choose = async |name: &str| {
        let metric = format!("metrics[{name}]");
        let form = [("slug", "a-study"), (&metric, "on")];
        site.call(Some(&cookie), "score-outputs", &form).await
    };
    let refused = choose("similarity").await;
    assert_eq!(refused.status, StatusCode::UNPROCESSABLE_ENTITY);
    assert!(
        refused.body.contains("No encoder is named"),
        "{}",
        refused.body
    );
    let unknown = choose("lens").await;
    assert_eq!(unknown.status, StatusCode::UNPROCESSABLE_ENTITY);
    assert!(site.store.metrics(study).await.unwrap().is_empty());
    choose("learned-free").await;
    let metrics = site.store.metrics(study).await.unwrap();
    assert_eq!(metrics.len(), 1);
    assert_eq!(
        (&metrics[0].name[..], metrics[0].origin),
        ("learned-free", Origin::Learned)
    );
    assert_eq!(metrics[0].trained_on, ["a fingerprint"]);
    let jobs = site.store.jobs(study, 9).await.unwrap();
    assert_eq!(jobs.len(), 1, "what was refused queued none");
}

#[tokio::test]
async fn a_model_goes_to_whoever_reads_its_study_and_to_nobody_else() {
    let site = Site::new().await;
    let (study, other) = (site.study("a-study").await, site.study("another").await);
    let id = ModelId(clock::new_id());
    let new = NewModel {
        id,
        name: "learned-free",
        hash: "a hash",
        file: b"a model",
        report: &json!({"made by": "another version"}),
        adopted: true,
    };
    let now = clock::now_ms();
    site.store.add_model(study, &new, now).await.unwrap();
    let reader = site.member(study, "a reader", Role::Researcher).await;
    let rater = site.member(study, "a rater", Role::Annotator).await;
    let stranger = site.member(other, "a stranger", Role::Lead).await;
    let path = format!("/s/a-study/metrics/models/{id}");
    let open = async |person, path: &str| {
        let cookie = site.signed_in(person).await;
        site.open(Some(&cookie), path).await
    };
    let found = open(reader, &path).await;
    assert_eq!((found.status, &found.body[..]), (StatusCode::OK, "a model"));
    assert_eq!(open(rater, &path).await.status, StatusCode::FORBIDDEN);
    assert_eq!(open(stranger, &path).await.status, StatusCode::NOT_FOUND);
    // Nor by way of a study of one's own.
    let by_way = format!("/s/another/metrics/models/{id}");
    assert_eq!(open(stranger, &by_way).await.status, StatusCode::NOT_FOUND);
    assert_ne!(site.open(None, &path).await.status, StatusCode::OK);
    // The page lists it, whatever its report says, and its use can be ended.
    let page = open(reader, "/s/a-study/metrics").await.body;
    assert!(
        page.contains("Another version of the program trained it."),
        "{page}"
    );
    let cookie = site.signed_in(reader).await;
    let model = id.to_string();
    let form = [("slug", "a-study"), ("model", &model), ("adopted", "no")];
    site.call(Some(&cookie), "adopt-model", &form).await;
    let models = site.store.models(study).await.unwrap();
    assert_eq!(models[0].adopted_at, None);
}
