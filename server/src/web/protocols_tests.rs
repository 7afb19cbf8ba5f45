//! The comparison of protocols: rights are checked for every study that the address names.

use axum::http::StatusCode;
use domain::{
    ids::{PersonId, StudyId},
    study::Role,
};

use super::testing::{TestSite, TextAssertions as _};
use crate::clock;

/// A site with three studies: a person leads `river`, has a role or none in `lake`, and none in `pond`.
struct ThreeStudies {
    site: TestSite,
    cookie: String,
}

impl ThreeStudies {
    async fn new(in_lake: Option<Role>) -> Self {
        let site = TestSite::new().await;
        let (river, lake) = (site.study("river").await, site.study("lake").await);
        site.study("pond").await;
        let person = site.member(river, "a lead", Role::Lead).await;
        if let Some(role) = in_lake {
            add(&site, lake, person, role).await;
        }
        let cookie = site.sign_in(person).await;
        Self { site, cookie }
    }

    async fn open(&self, query: &str) -> (StatusCode, String) {
        let path = format!("/s/river/protocols{query}");
        let answer = self.site.open(Some(&self.cookie), &path).await;
        (answer.status, answer.body)
    }
}

async fn add(site: &TestSite, study: StudyId, person: PersonId, role: Role) {
    let added = site.store.add_member(study, person, role, clock::now_ms());
    added.await.unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn a_study_without_a_role_is_as_if_it_did_not_exist() {
    let of = ThreeStudies::new(None).await;
    let (theirs, body) = of.open("?with=pond").await;
    let (nobodys, same) = of.open("?with=none").await;
    assert_eq!(
        (theirs, nobodys),
        (StatusCode::NOT_FOUND, StatusCode::NOT_FOUND)
    );

    let main = |body: &str| {
        body.split("<main")
            .nth(1)
            .unwrap()
            .split("</main>")
            .next()
            .unwrap()
            .to_owned()
    };

    assert_eq!(main(&body), main(&same));
    body.assert_lacks(&["pond"]);

    // The same holds next to a study that they may read, and in the list to choose from.
    assert_eq!(
        of.open("?with=river&with=pond").await.0,
        StatusCode::NOT_FOUND
    );

    let (status, body) = of.open("").await;
    assert_eq!(status, StatusCode::OK);
    body.assert_lacks(&["pond", "lake"]);
    body.assert_shows(&["You can read no other study."]);
}

#[tokio::test(flavor = "multi_thread")]
async fn leads_and_researchers_of_the_other_study_may_compare() {
    for role in [Role::Lead, Role::Researcher] {
        let of = ThreeStudies::new(Some(role)).await;
        let (status, body) = of.open("").await;
        assert_eq!(status, StatusCode::OK);
        body.assert_shows(&[r#"value="lake""#]);
        body.assert_lacks(&["pond"]);

        let (status, body) = of.open("?with=lake&with=lake").await;
        assert_eq!(status, StatusCode::OK);
        body.assert_shows(&["There is no source that all of these have"]);
        assert_eq!(
            of.open("?with=lake&with=pond").await.0,
            StatusCode::NOT_FOUND
        );
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn annotators_of_the_other_study_may_not() {
    let of = ThreeStudies::new(Some(Role::Annotator)).await;
    assert_eq!(of.open("?with=lake").await.0, StatusCode::FORBIDDEN);

    let (status, body) = of.open("").await;
    assert_eq!(status, StatusCode::OK);
    body.assert_lacks(&["lake"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn the_number_of_studies_is_bounded() {
    let of = ThreeStudies::new(Some(Role::Lead)).await;
    let many = "&with=lake".repeat(8);
    let (status, body) = of.open(&format!("?count=in-work{many}")).await;
    assert_eq!(status, StatusCode::UNPROCESSABLE_ENTITY);
    body.assert_shows(&["Choose at most 7 other studies."]);
}
