//! Final values on the page Ratings, and items made of them.

use axum::http::StatusCode;
use domain::{
    study::{Role, SourcePurpose},
    work::task::ExpectedAnswer,
};

use super::{
    plain_browser::PlainBrowser, study_fixture::StudyFixture, testing::TextAssertions as _,
};

/// The id of the fixture's output that has a final value.
async fn rated_output(furnished: &StudyFixture) -> String {
    let decided = furnished.site.store.final_values(furnished.study).await;
    decided.unwrap()[0].output.to_string()
}

#[tokio::test]
async fn a_lead_records_changes_and_removes_a_final_value() {
    let furnished = StudyFixture::new().await;
    let site = &furnished.site;
    let cookie = site.sign_in(furnished.lead).await;
    let output = rated_output(&furnished).await;

    let ratings = async || site.open(Some(&cookie), "/s/a-study/ratings").await.body;
    let page = ratings().await;
    page.assert_shows(&["Final value (overall): 60", "The cause is lost."]);

    let send = async |value: &str, category: &str, reason: &str| {
        let form = [
            ("slug", "a-study"),
            ("output", &output),
            ("dimension", "overall"),
            ("value", value),
            ("category", category),
            ("reason", reason),
            ("query", "dimension=overall&page=1"),
        ];
        site.call(Some(&cookie), "record-final-value", &form).await
    };
    for (value, category) in [("101", ""), ("many", ""), ("50", "none")] {
        let refused = send(value, category, "").await;
        assert_eq!(refused.status, StatusCode::UNPROCESSABLE_ENTITY, "{value}");
    }
    let saved = send("72,5", "split", "Nothing is lost.").await;
    assert_eq!(saved.status, StatusCode::OK, "{}", saved.body);
    let page = ratings().await;
    page.assert_shows(&["Final value (overall): 72.50", "Final category: Split"]);
    page.assert_lacks(&["Final value (overall): 60"]);

    // A researcher sees the value but cannot change it.
    let reader = site
        .sign_in_member(furnished.study, "a reader", Role::Researcher)
        .await;
    let page = site.open(Some(&reader), "/s/a-study/ratings").await.body;
    page.assert_shows(&["Nothing is lost."]);
    page.assert_lacks(&["record-final-value"]);

    assert_eq!(send("", "", "").await.status, StatusCode::OK);
    assert!(!ratings().await.contains("Final value (overall):"));
}

#[tokio::test]
async fn a_final_value_becomes_the_expected_answer_of_an_item() {
    let furnished = StudyFixture::new().await;
    let (site, study) = (&furnished.site, furnished.study);
    let cookie = site.sign_in(furnished.lead).await;
    let output = rated_output(&furnished).await;

    let send = async |purpose: &str, tolerance: &str| {
        let form = [
            ("slug", "a-study"),
            ("output", &output),
            ("purpose", purpose),
            ("tolerance", tolerance),
        ];
        site.call(Some(&cookie), "make-gold-item", &form).await
    };

    for (purpose, tolerance) in [("main", "5"), ("training", "-1"), ("training", "many")] {
        let refused = send(purpose, tolerance).await;
        assert_eq!(
            refused.status,
            StatusCode::UNPROCESSABLE_ENTITY,
            "{purpose}"
        );
    }

    assert_eq!(send("qualification", "8").await.status, StatusCode::OK);
    let sources = site.store.sources(study).await.unwrap();
    let mut items = sources
        .iter()
        .filter(|source| source.purpose == SourcePurpose::Qualification);
    let item = items.next().expect("it was made");
    assert!(item.key.ends_with(" (qualification)"), "{}", item.key);

    let outputs = site.store.source_outputs(item.id).await.unwrap();
    let expected = ExpectedAnswer {
        category: None,
        rating: Some(60),
        tolerance: 8,
        explanation: "The cause is lost.".to_owned(),
        ..ExpectedAnswer::default()
    };
    assert_eq!(outputs.len(), 1);
    assert_eq!(outputs[0].expected, Some(expected));

    let path = format!("/s/a-study/training/{}", item.id);
    let page = site.open(Some(&cookie), &path).await;
    page.assert_shows(&["The cause is lost."]);
}

#[tokio::test]
async fn an_item_is_made_and_a_final_value_removed_on_the_page() {
    let furnished = StudyFixture::new().await;
    let cookie = furnished.site.sign_in(furnished.lead).await;
    let mut browser = PlainBrowser::with_session(&furnished.site, &cookie);
    browser.open("/s/a-study/ratings").await;
    let tolerance = [("A rating is right within", "8")];
    browser.send("Make the item", &tolerance).await;
    let is_item = browser.address.starts_with("/s/a-study/training/");
    assert!(is_item, "{}", browser.address);
    assert_eq!(browser.value("Rating of output 1"), "60");
    assert_eq!(browser.value("Tolerance for output 1"), "8");

    browser.open("/s/a-study/ratings").await;
    browser.send("Remove it", &[]).await;
    browser.assert_shows(&["The final value has been removed."]);
    browser.assert_lacks(&["Final value (overall):"]);
}

#[tokio::test]
async fn a_question_is_about_one_output_unless_the_lead_asks_for_the_source() {
    let furnished = StudyFixture::new().await;
    let site = &furnished.site;
    let cookie = site.sign_in(furnished.lead).await;
    let output = rated_output(&furnished).await;

    for scope in ["output", "source"] {
        let form = [
            ("slug", "a-study"),
            ("output", output.as_str()),
            ("note", "Is the cause still told?"),
            ("scope", scope),
        ];
        let asked = site.call(Some(&cookie), "discuss", &form).await;
        assert_eq!(asked.status, StatusCode::OK, "{}", asked.body);
    }

    let annotator = furnished.names["person"].parse().unwrap();
    let own = site.store.assignments_of(furnished.study, annotator).await;
    assert_eq!(own.unwrap()[0].reason, "Is the cause still told?");

    let annotator = site.sign_in(annotator).await;
    let path = furnished.replace_names("/s/a-study/work/{assignment}");
    let page = site.open(Some(&annotator), &path).await;
    page.assert_is(200, &["The lead asks you to look again"]);
}
