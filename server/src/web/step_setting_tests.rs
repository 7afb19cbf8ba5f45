//! Forms by which a lead sets what annotators are asked and what they write.

use axum::http::StatusCode;
use domain::{
    study::{Role, StudySettings},
    writing::WrittenUse,
};
use service::templates::StudyTemplate;

use super::testing::TestSite;
use crate::clock;

#[tokio::test]
async fn questions_are_saved_where_their_conditions_can_be_met() {
    let site = TestSite::new().await;
    let study = site.study("a-study").await;
    let lead = site.sign_in_member(study, "a lead", Role::Lead).await;
    let settings: StudySettings = StudyTemplate::Questions.settings();
    let set = site.store.set_settings(study, &settings, clock::now_ms());
    assert!(set.await.unwrap());

    let set = async |answers: &str| {
        let fields = [
            ("slug", "a-study"),
            ("questions[0][key]", "missing"),
            ("questions[0][text]", "Is a main point missing?"),
            ("questions[0][about]", "output"),
            ("questions[0][kind]", "one"),
            ("questions[0][options]", "yes = Yes\r\nno = No"),
            ("questions[0][required]", "yes"),
            ("questions[1][key]", "what"),
            ("questions[1][text]", "Which one?"),
            ("questions[1][about]", "output"),
            ("questions[1][kind]", "text"),
            ("questions[1][condition]", "missing"),
            ("questions[1][answers]", answers),
        ];
        site.call(Some(&lead), "set-questions", &fields).await
    };

    let refused = set("perhaps").await;
    assert_eq!(refused.status, StatusCode::UNPROCESSABLE_ENTITY);
    let reason = "depends on the answer “perhaps”";
    refused.assert_shows(&[reason]);

    let saved = set("yes").await;
    assert_eq!(saved.status, StatusCode::OK, "{}", saved.body);
    let page = site.open(Some(&lead), "/s/a-study/settings/scales").await;
    page.assert_shows(&[
        r#"value="Is a main point missing?""#,
        r#"value="Which one?""#,
    ]);
}

#[tokio::test]
async fn a_step_of_writing_has_limits_and_its_texts_a_name_of_their_own() {
    let site = TestSite::new().await;
    let study = site.study("a-study").await;
    let lead = site.sign_in_member(study, "a lead", Role::Lead).await;
    let set = async |system: &str, least: &str| {
        let fields = [
            ("slug", "a-study"),
            ("rating", "rate"),
            ("layout", "steps"),
            ("outputs", "all"),
            ("writing[on]", "yes"),
            ("writing[start]", "output"),
            ("writing[start_system]", "system 1"),
            ("writing[least_words]", least),
            ("writing[most_words]", "6"),
            ("writing[target_percent]", ""),
            ("writing[becomes]", "outputs"),
            ("writing[system]", system),
        ];
        site.call(Some(&lead), "set-protocol", &fields).await
    };

    for (system, least, reason) in [
        ("system 1", "", "cannot become outputs of “system 1”"),
        ("Editors", "7", "Nothing was saved"),
    ] {
        let refused = set(system, least).await;
        refused.assert_is(422, &[reason]);
    }

    let saved = set("Editors", "3").await;
    assert_eq!(saved.status, StatusCode::OK, "{}", saved.body);
    let settings = site.store.study(study).await.unwrap().unwrap().settings;
    let step = settings.protocol.write_step().unwrap();
    assert_eq!((step.least_words, step.most_words), (Some(3), Some(6)));
    let becomes = (step.becomes, step.system.as_str());
    assert_eq!(becomes, (WrittenUse::Outputs, "Editors"));

    let page = site.open(Some(&lead), "/s/a-study/settings/protocol").await;
    for (field, value) in [
        ("writing[least_words]", "3"),
        ("writing[system]", "Editors"),
    ] {
        let mut inputs = page.body.split("<input").filter(|tag| tag.contains(field));
        let value = format!("value=\"{value}\"");
        assert!(inputs.any(|tag| tag.contains(&value)), "{}", page.body);
    }
}
