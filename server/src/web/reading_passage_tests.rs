//! The passages of a reading study, whose questions a lead edits and adds.

use super::{
    comprehension_tests::{FILE, LeadBrowser, SET_UP},
    testing::{TestResponse, TestSite, TextAssertions as _},
};

const WORDS: [(&str, &str); 5] = [
    ("question[text]", "When did the ferry stop?"),
    ("question[a]", "at noon"),
    ("question[b]", "at midnight"),
    ("question[c]", "at ten"),
    ("question[d]", "never"),
];

/// A page without the comments between its text nodes.
fn without_comments(answer: TestResponse) -> String {
    answer.body.replace("<!>", "")
}

#[tokio::test]
async fn questions_are_edited_and_added_and_a_passage_is_for_practice() {
    let site = TestSite::new().await;
    let lead = LeadBrowser::new(&site).await;
    assert_eq!(lead.call("set-comprehension", SET_UP).await.status, 200);
    lead.bring_in(FILE, &[]).await;

    let study = site.store.study_by_slug(&"river".parse().unwrap()).await;
    let study = study.unwrap().unwrap().id;
    let material = site.store.comprehension_material(study).await.unwrap();
    let of = &material.passages[0];
    let (passage, id) = (of.id.to_string(), of.questions[0].to_string());
    let was = serde_json::to_string(&of.passage.questions[0].1).unwrap();

    let path = format!("/s/river/reading/passages/{passage}");
    let page = async || without_comments(site.open(Some(&lead.cookie), &path).await);
    page().await.assert_shows(&["q1: When did it stop?"]);

    let set = async |b: &str| -> TestResponse {
        let mut form = vec![("id", &*id), ("was", &*was)];
        form.extend(WORDS);
        form[4].1 = b;
        lead.call("set-question", &form).await
    };

    // Answers that differ only in spaces and case count as the same.
    let same = set("At  Noon").await;
    same.assert_is(422, &["A and B are the same"]);
    assert_eq!(set("at midnight").await.status, 200);
    let shown = page().await;
    shown.assert_shows(&["q1: When did the ferry stop?", "at midnight"]);

    // Another lead, whose page still shows the old question.
    let late = set("at dusk").await;
    assert_eq!(late.status, 422);
    let told = late
        .body
        .contains("Another person has changed this question");
    assert!(told, "{}", late.body);
    page().await.assert_shows(&["at midnight"]);

    let mut form = vec![("passage", &*passage)];
    form.extend(WORDS);
    assert_eq!(lead.call("add-question", &form).await.status, 200);
    page().await.assert_shows(&["q4: When did the ferry stop?"]);

    let purpose = [("passage", &*passage), ("purpose", "practice")];
    assert_eq!(lead.call("set-passage-purpose", &purpose).await.status, 200);
    let practice = "Practice: it is read first and does not count in figures.";
    page().await.assert_shows(&[practice]);

    let list = site.open(Some(&lead.cookie), "/s/river/reading/passages");
    let list = without_comments(list.await);
    list.assert_shows(&["p1 The ferry (practice)"]);
    site.store.close().await;
}
