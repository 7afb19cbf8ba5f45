//! Sources and outputs that a lead hides, shows again or deletes.

use axum::http::StatusCode;
use domain::study::Role;

use super::{
    study_fixture::StudyFixture,
    testing::{TestResponse, TextAssertions as _},
};

/// Changes the visibility of a source, or of one of its outputs.
async fn change(
    furnished: &StudyFixture,
    cookie: &str,
    (source, output): (&str, &str),
    change: &str,
) -> TestResponse {
    let fields = format!("slug=a-study&source={source}&output={output}&change={change}");
    furnished
        .site
        .call_text(Some(cookie), "set-visibility", &fields)
        .await
}

#[tokio::test]
async fn an_output_and_a_source_are_hidden_and_shown_again() {
    let furnished = StudyFixture::new().await;
    let lead = furnished.site.sign_in(furnished.lead).await;
    let source = furnished.names["source"].clone();
    let page = format!("/s/a-study/sources/{source}");
    let open = async |path: &str| {
        let answer = furnished.site.open(Some(&lead), path).await;
        assert_eq!(answer.status, StatusCode::OK, "{path}");
        answer.body
    };

    let of_output = (&source[..], &furnished.names["output"][..]);
    for (to, shown, hidden) in [("hide", 1, true), ("show", 2, false)] {
        let changed = change(&furnished, &lead, of_output, to).await;
        assert_eq!(changed.location.as_deref(), Some(&page[..]));
        let body = open(&page).await;
        body.assert_shows(&[&format!("Outputs ({shown})")]);
        assert_eq!(body.contains("Hidden outputs (1)"), hidden, "{body}");
    }

    let of_source = (&source[..], "");
    let changed = change(&furnished, &lead, of_source, "hide").await;
    assert_eq!(changed.location.as_deref(), Some("/s/a-study/sources"));
    open("/s/a-study/sources")
        .await
        .assert_shows(&["Hidden sources (1)"]);
    let unknown = change(&furnished, &lead, of_source, "keep").await;
    assert_eq!(unknown.status, StatusCode::UNPROCESSABLE_ENTITY);
    let changed = change(&furnished, &lead, of_source, "show").await;
    assert_eq!(changed.location.as_deref(), Some(&page[..]));
    open("/s/a-study/sources")
        .await
        .assert_lacks(&["Hidden sources"]);
}

#[tokio::test]
async fn only_a_source_that_nobody_judged_is_deleted() {
    let furnished = StudyFixture::new().await;
    let (site, study) = (&furnished.site, furnished.study);
    let lead = site.sign_in(furnished.lead).await;

    let person = furnished.names["person"].parse().unwrap();
    let assignment = furnished.names["assignment"].parse().unwrap();
    let task = site.store.task(person, assignment).await.unwrap().unwrap();
    let sources = site.store.sources(study).await.unwrap();
    let judged = sources.iter().find(|source| source.text == task.source);
    let judged = judged.unwrap().id.to_string();

    let kept = "It has been judged, so it cannot be deleted permanently.";
    for (source, is_deleted) in [(&judged, false), (&furnished.names["source"], true)] {
        let page = format!("/s/a-study/sources/{source}");
        let body = site.open(Some(&lead), &page).await.body;
        assert_eq!(body.contains(kept), !is_deleted, "{body}");

        let changed = change(&furnished, &lead, (source.as_str(), ""), "remove").await;
        let status = match is_deleted {
            true => StatusCode::OK,
            false => StatusCode::UNPROCESSABLE_ENTITY,
        };
        assert_eq!(changed.status, status, "{}", changed.body);
        let list = is_deleted.then_some("/s/a-study/sources");
        assert_eq!(changed.location.as_deref(), list);
    }

    let left = site.store.sources(study).await.unwrap();
    assert_eq!(left.len(), sources.len() - 1);
    let list = site.open(Some(&lead), "/s/a-study/sources").await.body;
    list.assert_lacks(&["Hidden sources"]);

    let reader = site
        .sign_in_member(study, "a reader", Role::Researcher)
        .await;
    let page = format!("/s/a-study/sources/{judged}");
    let page = site.open(Some(&reader), &page).await;
    page.assert_is(200, &["Outputs (2)"]);
    page.assert_lacks(&["Hide or delete this"]);
}
