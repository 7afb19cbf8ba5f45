//! An annotator's way from the invitation to the first source, and withdrawal, in a browser without JavaScript.

use domain::study::Role;

use super::{
    log_in_tests::{PASSWORD, create_person},
    plain_browser::PlainBrowser,
    study_fixture::StudyFixture,
};

/// Lets a lead make a link for one annotator on the page of members, and returns its path.
async fn invitation(furnished: &StudyFixture) -> String {
    let cookie = furnished.site.sign_in(furnished.lead).await;
    let mut lead = PlainBrowser::with_session(&furnished.site, &cookie);
    lead.open("/s/a-study/members").await;
    lead.send("Make a link", &[("Number of people", "1")]).await;
    let link = lead.link("/invite/");
    link[link.find("/invite/").unwrap()..].to_owned()
}

#[tokio::test]
async fn a_new_annotator_follows_an_invitation_to_their_first_source() {
    let furnished = StudyFixture::new().await;
    let cookie = furnished.site.sign_in(furnished.lead).await;
    let mut lead = PlainBrowser::with_session(&furnished.site, &cookie);
    lead.open("/s/a-study/settings/texts").await;
    let texts = [
        ("Information sheet", "# What becomes of it\n\nA dataset."),
        ("Guidelines", "Be *fair*."),
    ];
    lead.send("Save the texts", &texts).await;
    lead.assert_shows(&["The texts have been saved."]);

    let mut browser = PlainBrowser::new(&furnished.site);
    browser.open(&invitation(&furnished).await).await;
    browser.assert_shows(&["Join “a-study”", "an annotator"]);
    let account = [("Name", "annotator 1"), ("Password", PASSWORD)];
    browser.send("Create an account and join", &account).await;
    browser.assert_shows(&["Before you begin", "What becomes of it"]);
    browser
        .send("I have read this and want to take part", &[])
        .await;

    browser.follow("Read the guidelines").await;
    assert!(browser.body.contains("<em>fair</em>"), "{}", browser.body);

    browser.follow("Work").await;
    browser.send("Next source", &[]).await;
    let id = browser.address.strip_prefix("/s/a-study/work/");
    assert!(id.is_some_and(|id| id.len() == 36), "{}", browser.address);

    browser.open("/s/a-study/work").await;
    browser.assert_shows(&[
        "1 in progress",
        "0 submitted",
        "Everything you did is saved.",
        "Continue with the source you have begun",
    ]);
    browser.open("/").await;
    browser.assert_shows(&["Continue your work"]);
}

#[tokio::test]
async fn a_person_joins_with_their_account_and_a_used_up_link_says_so() {
    let furnished = StudyFixture::new().await;
    create_person(&furnished.site, "annotator 1").await;
    let link = invitation(&furnished).await;

    let mut browser = PlainBrowser::new(&furnished.site);
    browser.open(&link).await;
    browser.follow("sign in to join with it").await;
    let account = [("Name", "annotator 1"), ("Password", PASSWORD)];
    browser.send("Sign in", &account).await;
    assert_eq!(browser.address, link);
    browser.send("Join as annotator 1", &[]).await;
    assert_eq!(browser.address, "/s/a-study/work");

    for (path, sentence) in [
        (&link[..], "has been used up"),
        ("/invite/nothing", "This link is not known"),
    ] {
        browser.open(path).await;
        assert_eq!(browser.status, 410, "{path}");
        browser.assert_shows(&[sentence]);
    }
}

#[tokio::test]
async fn an_annotator_withdraws_after_confirming() {
    let furnished = StudyFixture::new().await;
    let (site, study) = (&furnished.site, furnished.study);
    let cookie = site.sign_in_member(study, "ann", Role::Annotator).await;
    let mut browser = PlainBrowser::with_session(site, &cookie);
    browser.open("/s/a-study/work").await;
    browser.send("Next source", &[]).await;
    browser.open("/s/a-study/work").await;

    let fields = [("Yes, I want to withdraw", "on")];
    browser.send("Withdraw", &fields).await;
    browser.assert_shows(&["You have withdrawn"]);
    browser.open("/s/a-study/work").await;
    browser.assert_lacks(&["Next source"]);
}

#[tokio::test]
async fn people_outside_a_study_see_nothing_of_it() {
    let furnished = StudyFixture::new().await;
    let other = furnished.site.study("harbour").await;
    furnished.site.member(other, "somebody", Role::Lead).await;
    let (site, study) = (&furnished.site, furnished.study);
    let cookie = site.sign_in_member(study, "ann", Role::Annotator).await;

    for path in [
        "",
        "/work",
        "/guidelines",
        "/sources",
        "/members",
        "/settings",
        "/export",
    ] {
        let answer = site.open(Some(&cookie), &format!("/s/harbour{path}")).await;
        assert_eq!(answer.status, 404, "{path}");
        assert!(
            !answer.body.contains(">harbour<"),
            "{path}: {}",
            answer.body
        );
    }

    let call = site.call(Some(&cookie), "next-source", &[("slug", "harbour")]);
    assert_eq!(call.await.status, 404);
    let home = site.open(Some(&cookie), "/").await.body;
    assert_eq!(home.matches("<article").count(), 1, "{home}");
}
