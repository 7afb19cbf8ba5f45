//! Attention items on the pages of leads and of annotators, who must not recognise them.

use axum::http::StatusCode;
use domain::study::{Role, SourcePurpose};

use super::{study_fixture::StudyFixture, testing::TextAssertions as _};

#[tokio::test]
async fn annotators_get_an_attention_item_like_any_source_and_leads_see_who_passed_it() {
    let furnished = StudyFixture::new().await;
    let (site, study) = (&furnished.site, furnished.study);
    let lead = site.sign_in(furnished.lead).await;
    let decided = site.store.final_values(study).await.unwrap();
    let output = decided[0].output.to_string();

    let form = [
        ("slug", "a-study"),
        ("output", &output),
        ("purpose", "attention"),
        ("tolerance", "1"),
    ];
    let made = site.call(Some(&lead), "make-gold-item", &form).await;
    assert_eq!(made.status, StatusCode::OK, "{}", made.body);

    let training = async || site.open(Some(&lead), "/s/a-study/training").await.body;
    let page = training().await;
    page.assert_shows(&[
        "Raters get none at present",
        "No rater has submitted it yet.",
    ]);

    let set = async |every: &str| {
        let form = [
            ("slug", "a-study"),
            ("copy_every", "0"),
            ("scrambled_every", "0"),
            ("repeated_every", "0"),
            ("attention_every", every),
        ];
        site.call(Some(&lead), "set-quality-control", &form).await
    };

    for every in ["", "-1", "1001", "often"] {
        let refused = set(every).await;
        assert_eq!(refused.status, StatusCode::UNPROCESSABLE_ENTITY, "{every}");
        refused.assert_shows(&["attention items"]);
    }
    assert_eq!(set("1").await.status, StatusCode::OK);

    let person = site.member(study, "a newcomer", Role::Annotator).await;
    let annotator = site.sign_in(person).await;
    let mut purposes = vec![];
    for number in 1..=2 {
        let assignment = furnished.next_assignment(person).await;
        let all = site.store.assignments(study).await.unwrap();
        let entry = all.iter().find(|entry| entry.assignment == assignment);
        purposes.push(entry.unwrap().purpose);

        for path in [
            format!("/s/a-study/work/{assignment}"),
            "/s/a-study/work".to_owned(),
            "/".to_owned(),
        ] {
            let page = site.open(Some(&annotator), &path).await;
            assert_eq!(page.status, StatusCode::OK);
            let page = page.body.to_lowercase();
            assert!(!page.contains("attention"), "{path}: {page}");
        }

        let path = format!("/s/a-study/work/{assignment}");
        let page = site.open(Some(&annotator), &path).await.body;
        page.assert_shows(&[
            &format!("Source {number} of about"),
            "&quot;purpose&quot;:&quot;main&quot;",
        ]);
        assert!(
            !page.contains("The cause is lost."),
            "the explanation: {page}"
        );

        furnished.judge(person, assignment).await;
    }
    assert_eq!(purposes, [SourcePurpose::Main, SourcePurpose::Attention]);

    let page = training().await;
    page.assert_shows(&["0 of 1 rater passed (0 %).", "One after each source"]);
    let page = site.open(Some(&lead), "/s/a-study/quality").await.body;
    page.assert_shows(&["Attention items passed"]);
}
