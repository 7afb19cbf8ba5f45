//! The page of metrics, on which metrics are chosen and models are downloaded.

use axum::http::StatusCode;
use domain::{
    ids::{MetricId, ModelId},
    metrics::ScoreDirection,
    study::{RaterKind, Role, SourcePurpose, StudySettings},
};
use serde_json::json;
use store::{
    import::{NewOutput, NewRating},
    metrics::{MetricOrigin, NewMetric, NewModel, OutputScore},
};

use super::testing::{TestSite, TextAssertions as _};
use crate::clock;

#[tokio::test]
async fn metrics_of_more_than_texts_are_chosen_where_there_are_means_for_them() {
    let site = TestSite::new().await;
    let study = site.study("a-study").await;
    let cookie = site
        .sign_in_member(study, "a researcher", Role::Researcher)
        .await;
    let open = async || site.open(Some(&cookie), "/s/a-study/metrics").await.body;
    let input = |page: &str, name: &str| -> String {
        let inputs = page.split("<input").filter(|tag| tag.contains(name));
        inputs
            .map(|tag| tag.split('>').next().unwrap_or_default())
            .collect()
    };

    let page = open().await;
    page.assert_shows(&["not here: no encoder is named"]);
    assert!(input(&page, "metrics[similarity]").contains("disabled"));

    // Readers of the page may have no command line, so it says where metrics are trained.
    page.assert_shows(&[
        "; not available here. ",
        r##"<a href="#learned">How to train one"##,
        r#"id="learned""#,
    ]);
    page.assert_lacks(&["rankrate train FILE"]);
    assert!(input(&page, "metrics[learned-ref]").contains("disabled"));
    assert!(!input(&page, "metrics[learned-free]").contains("disabled"));

    let choose = async |name: &str| {
        let metric = format!("metrics[{name}]");
        let form = [("slug", "a-study"), (&metric, "on")];
        site.call(Some(&cookie), "score-outputs", &form).await
    };
    let refused = choose("similarity").await;
    refused.assert_is(422, &["No encoder is named"]);

    let unknown = choose("lens").await;
    assert_eq!(unknown.status, StatusCode::UNPROCESSABLE_ENTITY);
    assert!(site.store.metrics(study).await.unwrap().is_empty());

    choose("learned-free").await;
    let metrics = site.store.metrics(study).await.unwrap();
    assert_eq!(metrics.len(), 1);
    assert_eq!(
        (&metrics[0].name[..], metrics[0].origin),
        ("learned-free", MetricOrigin::Learned)
    );
    assert_eq!(metrics[0].trained_on, ["a fingerprint"]);

    let jobs = site.store.jobs(study, 9).await.unwrap();
    assert_eq!(jobs.len(), 1, "what was refused queued none");
}

#[tokio::test]
async fn a_training_takes_settings_in_their_range_and_keeps_them_with_the_job() {
    let site = TestSite::new().await;
    let study = site.study("a-study").await;
    let cookie = site
        .sign_in_member(study, "a researcher", Role::Researcher)
        .await;

    let page = site.open(Some(&cookie), "/s/a-study/metrics").await.body;
    page.assert_shows(&[
        "More settings",
        "settings[encoder-lr]",
        "Default: lens 0.0002; cross-encoder 0.00008.",
        "settings[split]",
    ]);

    let train = async |kind: &str, setting: (&str, &str)| {
        let field = format!("settings[{}]", setting.0);
        let form = [
            ("slug", "a-study"),
            ("kind", kind),
            (&field[..], setting.1),
            ("settings[patience]", ""),
        ];
        site.call(Some(&cookie), "train-metric", &form).await
    };

    for (kind, setting, sentence) in [
        (
            "cross-encoder",
            ("encoder-lr", "2"),
            "takes a number from 0.0000001 to 0.1",
        ),
        ("cross-encoder", ("top-references", "2"), "is only for lens"),
        (
            "learned-free",
            ("batch", "2"),
            "is only for lens and cross-encoder",
        ),
        ("lens", ("hidden", "128"), "takes two whole numbers"),
    ] {
        let refused = train(kind, setting).await;
        refused.assert_is(422, &[sentence]);
    }

    assert!(site.store.jobs(study, 9).await.unwrap().is_empty());
    train("cross-encoder", ("encoder-lr", "1e-4")).await;
    let jobs = site.store.jobs(study, 9).await.unwrap();
    assert_eq!(jobs.len(), 1);
    assert_eq!(jobs[0].input["settings"], json!({"encoder-lr": "0.0001"}));
}

#[tokio::test]
async fn what_needs_references_is_not_offered_without_and_says_so_in_every_panel() {
    let site = TestSite::new().await;
    let study = site.study("a-study").await;
    let cookie = site.sign_in_member(study, "a lead", Role::Lead).await;
    let open = async || site.open(Some(&cookie), "/s/a-study/metrics").await.body;
    let input = |page: &str, name: &str| -> String {
        let tag = page.split("<input").find(|tag| tag.contains(name));
        let tag = tag.expect("there is such a field");
        tag.split('>').next().unwrap_or_default().to_owned()
    };

    let page = open().await;
    for name in ["sari", "bleu"] {
        let field = input(&page, &format!("metrics[{name}]"));
        assert!(
            field.contains("disabled") && !field.contains("checked"),
            "{field}"
        );
    }
    assert!(input(&page, "metrics[fkgl]").contains("checked"), "{page}");
    page.assert_shows(&["; the study has no references"]);

    // A request for such a metric is answered with what is missing. The study has ratings.
    let now = clock::now_ms();
    let begun = site.store.begin_import(study, now, clock::new_id).await;
    let mut import = begun.unwrap();
    let rater = import.rater("one", RaterKind::Imported).unwrap();
    let source = import
        .source(None, "The ferry sank.", SourcePurpose::Main)
        .unwrap();
    for (name, value) in [("a", 90.0), ("b", 10.0)] {
        let system = import.system(name, None).unwrap();
        let text = format!("It sank, says {name}.");
        let new = NewOutput::new(source, system, &text);
        let settings = StudySettings::default();
        let annotate = || {
            service::automatic_annotation::annotate_automatically(
                &settings,
                "The ferry sank.",
                &text,
                None,
            )
        };
        let (output, _) = import.output(&new, annotate).unwrap();
        import
            .rating(NewRating::overall(rater, output, value))
            .unwrap();
    }
    import.commit().await.unwrap();

    let form = [("slug", "a-study"), ("metrics[sari]", "on")];
    site.call(Some(&cookie), "score-outputs", &form).await;
    let page = open().await;
    let message =
        "sari is not shown because no rated output has a score (the study has no references";
    page.assert_shows(&[message, "Import references"]);

    // Next to a metric that has scores, and whose direction can be changed.
    let scores = "source,system,fkgl\nThe ferry sank.,a,2\nThe ferry sank.,b,9\n";
    let fields = [("slug", "a-study"), ("what", "scores")];
    let files: [(&str, &[u8]); 1] = [("grades.csv", scores.as_bytes())];
    let sent = site.upload(Some(&cookie), &fields, &files).await;
    let preview = sent.location.expect("it is shown first");
    let shown = site.open(Some(&cookie), &preview).await.body;
    shown.assert_shows(&["Is higher or lower better?"]);
    let guessed = shown
        .split("<option")
        .find(|option| option.contains("selected"));
    assert!(
        guessed.is_some_and(|option| option.contains("lower-is-better")),
        "{shown}"
    );

    let grades = NewMetric {
        id: MetricId(clock::new_id()),
        name: "fkgl",
        signature: "fkgl|imported|file:grades.csv",
        origin: MetricOrigin::Imported,
        direction: ScoreDirection::LowerIsBetter,
        uses_references: false,
        trained_on: &[],
        model: None,
    };
    let id = site
        .store
        .declare_metric(study, &grades, now)
        .await
        .unwrap();

    let entries = site.store.output_entries(study).await.unwrap();
    let scores = entries
        .iter()
        .zip([2.0, 9.0])
        .map(|(entry, value)| OutputScore {
            output: entry.output,
            value: Ok(value),
            references: 0,
        });
    let scores: Vec<_> = scores.collect();
    site.store
        .put_scores(study, id, &scores, now)
        .await
        .unwrap();

    let page = open().await;
    page.assert_shows(&[
        "fkgl (reversed)",
        "Not shown, because they have no scores: sari",
        "5 % of the scale, 5 points on 0 to 100",
        "tau-like|consensus:majority|tie:5%|points:5|",
    ]);

    let request = site.open(Some(&cookie), "/s/a-study/metrics?threshold=90");
    let html = request.await.body;
    html.assert_shows(&["90 points on 0 to 100"]);
    assert!(html.contains("value=\"90\""), "the field keeps it: {html}");
    let wrong = site.open(Some(&cookie), "/s/a-study/metrics?threshold=much");
    wrong.await.assert_shows(&["“much” is not a threshold"]);

    let metric = id.to_string();
    let form = [
        ("slug", "a-study"),
        ("metric", &metric[..]),
        ("direction", "higher-is-better"),
    ];
    site.call(Some(&cookie), "set-metric-direction", &form)
        .await;
    let page = open().await;
    page.assert_lacks(&["fkgl (reversed)"]);
}

#[tokio::test]
async fn references_are_shown_beside_the_sources_before_they_are_kept() {
    let site = TestSite::new().await;
    let study = site.study("a-study").await;
    let cookie = site.sign_in_member(study, "a lead", Role::Lead).await;

    let now = clock::now_ms();
    let begun = site.store.begin_import(study, now, clock::new_id).await;
    let mut import = begun.unwrap();
    for text in ["The ferry (an old one) sank.", "The mill burned in 1902."] {
        import.source(None, text, SourcePurpose::Main).unwrap();
    }
    import.commit().await.unwrap();

    let file = "source,reference\n\
                the ferry -LRB- an old one -RRB- sank .,It sank.\n\
                The mill burned in 1903.,It burned.\n";
    let fields = [("slug", "a-study"), ("what", "references")];
    let files: [(&str, &[u8]); 1] = [("references.csv", file.as_bytes())];
    let sent = site.upload(Some(&cookie), &fields, &files).await;
    let preview = sent.location.expect("it is shown first");

    let page = site.open(Some(&cookie), &preview).await.body;
    page.assert_shows(&[
        "1 of 2 sources get references from this file: 0 by the same text, 1 by one that differs",
        "Sources without references (1)",
        "The mill burned in 1902.",
        "The mill burned in 1903.",
    ]);

    let field = page.split("<input").find(|tag| tag.contains("accepted["));
    let name = field.and_then(|field| field.split("accepted[").nth(1));
    let key = name
        .and_then(|name| name.split(']').next())
        .expect("a source");
    let source = key.strip_prefix(app::api::ACCEPTED).expect("an id");

    let uploads = preview
        .rsplit('/')
        .next()
        .and_then(|end| end.split('?').next());
    let accepted = format!("accepted[{key}]");
    let form = [
        ("slug", "a-study"),
        ("uploads", uploads.expect("an id")),
        (&accepted[..], "3"),
    ];

    let begun = site.call(Some(&cookie), "begin-references", &form).await;
    assert!(begun.location.is_some(), "{}", begun.body);
    let jobs = site.store.jobs(study, 9).await.unwrap();
    assert_eq!(jobs[0].input["choices"]["accepted"][0], json!([source, 3]));
}

#[tokio::test]
async fn a_model_goes_to_readers_of_its_study_and_to_nobody_else() {
    let site = TestSite::new().await;
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
        let cookie = site.sign_in(person).await;
        site.open(Some(&cookie), path).await
    };

    let response = open(reader, &path).await;
    assert_eq!(
        (response.status, &response.body[..]),
        (StatusCode::OK, "a model")
    );
    assert_eq!(open(rater, &path).await.status, StatusCode::FORBIDDEN);
    assert_eq!(open(stranger, &path).await.status, StatusCode::NOT_FOUND);

    // The model cannot be reached through another study, either.
    let by_way = format!("/s/another/metrics/models/{id}");
    assert_eq!(open(stranger, &by_way).await.status, StatusCode::NOT_FOUND);
    assert_ne!(site.open(None, &path).await.status, StatusCode::OK);

    // The page lists the model even though its report cannot be read, and its use can be ended.
    let page = open(reader, "/s/a-study/metrics").await.body;
    page.assert_shows(&["Another version of the program trained this model."]);

    let cookie = site.sign_in(reader).await;
    let model = id.to_string();
    let form = [("slug", "a-study"), ("model", &model), ("adopted", "no")];
    site.call(Some(&cookie), "adopt-model", &form).await;
    let models = site.store.models(study).await.unwrap();
    assert_eq!(models[0].adopted_at, None);
}
