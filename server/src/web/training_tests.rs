//! Expected answers, which a lead sets for all outputs of a source at once.

use domain::{
    ids::StudyId,
    protocol::{MarkSpansStep, ProtocolStep, StudyProtocol},
    questions::QuestionAbout,
    span::Span,
    span_marks::{
        SpanMark,
        taxonomy::{SpanTaxonomy, SpanType},
    },
    study::Role,
    work::task::ExpectedAnswer,
};
use service::templates::StudyTemplate;

use super::testing::{TestResponse, TestSite};
use crate::demo;

/// Saves rows of (output, was, rating, explanation).
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

    // Fields that the page did not change are not written, so that other people's changes remain.
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

#[tokio::test]
async fn expected_choices_and_marks_are_saved_from_a_plain_form_and_faults_are_named() {
    let site = TestSite::new().await;
    demo::load(&site.store, None, false).await.unwrap();
    let study = site.store.study_by_slug(&"demo".parse().unwrap()).await;
    let study = study.unwrap().unwrap();

    let questions = StudyTemplate::Questions.settings().protocol;
    let mut settings = study.settings.clone();

    let marks = MarkSpansStep {
        taxonomy: SpanTaxonomy {
            types: vec![SpanType {
                name: "Grammar".to_owned(),
                ..SpanType::default()
            }],
            ..SpanTaxonomy::default()
        },
        prefills: false,
    };

    let asked = questions.answer_step().unwrap().clone();
    let of = |about| {
        let mut questions = asked.questions.iter();
        let question = questions.find(|question| question.about == about);
        question.unwrap().clone()
    };

    let (about_source, question) = (of(QuestionAbout::Source), of(QuestionAbout::Output));
    settings.protocol = StudyProtocol::new(vec![
        ProtocolStep::MarkSpans(marks),
        ProtocolStep::Answer(asked),
    ])
    .unwrap();

    let change = site.store.set_settings(study.id, &settings, 0).await;
    change.unwrap();
    let study = study.id;
    let cookie = site.sign_in_member(study, "lea", Role::Lead).await;

    let sources = site.store.sources(study).await.unwrap();
    let source = sources
        .iter()
        .find(|source| source.key == "training-lighthouse")
        .unwrap();
    let outputs = site.store.source_outputs(source.id).await.unwrap();
    let output = outputs[0].clone();

    let word = output.text.split(' ').next().unwrap().to_owned();
    let option = question.options()[1].key.clone();
    let hard = about_source.options()[0].key.clone();
    let was = serde_json::to_string(&output.expected).unwrap();
    let (id, source_id) = (output.id.to_string(), source.id.to_string());

    let send = async |option: &str, marks: &str| {
        let form = [
            ("slug", "demo"),
            ("source", &source_id),
            ("outputs[0][output]", &id),
            ("outputs[0][was]", &was),
            ("outputs[0][explanation]", "Look."),
            ("outputs[0][choices][0][question]", &question.key),
            ("outputs[0][choices][0][options][0]", option),
            ("outputs[0][marks]", marks),
            ("choices[0][question]", &about_source.key),
            ("choices[0][options][0]", &hard),
        ];
        site.call(Some(&cookie), "set-expected", &form).await
    };

    for (option, marks, expect) in [
        ("perhaps", "", "does not offer the answer “perhaps”"),
        (
            option.as_str(),
            "Spelling: word",
            "Line 1 does not begin with a type",
        ),
        (
            option.as_str(),
            "Grammar: \u{1f600}",
            "is not in the output",
        ),
    ] {
        let refused = send(option, marks).await;
        assert_eq!(refused.status, 422, "{}", refused.body);
        let named = refused.body.contains("Output 1 (") && refused.body.contains(expect);
        assert!(named, "{}", refused.body);
    }

    let saved = send(&option, &format!("Grammar: {word}\r\n")).await;
    assert_eq!(saved.status, 200, "{}", saved.body);
    let stored = site.store.source_outputs(source.id).await.unwrap();
    let expected = stored[0].expected.clone().unwrap();
    assert_eq!(expected.choices[0].options, [hard]);
    assert_eq!(expected.choices[1].options, [option]);

    let mark = SpanMark {
        kind: "Grammar".to_owned(),
        output: vec![Span::new(0, word.len())],
        ..SpanMark::default()
    };
    assert_eq!(expected.marks, Some(vec![mark]));

    let page = site
        .open(Some(&cookie), &format!("/s/demo/training/{source_id}"))
        .await;
    page.assert_is(
        200,
        &[
            &format!("Grammar: {word}"),
            &question.text,
            &about_source.text,
        ],
    );
    site.store.close().await;
}
