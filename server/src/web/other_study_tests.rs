//! Objects of another study: a lead who asks for them gets exactly the answer for objects that do not exist, and
//! nothing in that study changes.

use std::collections::BTreeMap;

use axum::http::StatusCode;
use domain::study::Role;
use uuid::Uuid;

use super::{
    former_member_tests::{FUNCTIONS, PAGES, visitor},
    study_fixture::StudyFixture,
};
use crate::clock;

/// Names in forms and addresses that are not objects of a study.
const NO_OBJECTS: [&str; 5] = ["slug", "token", "file", "reader", "reading-token"];

/// The same names with ids that do not exist, in place of the real ones.
fn missing_objects(names: &BTreeMap<&'static str, String>) -> BTreeMap<&'static str, String> {
    let missing = |(name, id): (&&'static str, &String)| {
        let other = match id.parse::<Uuid>() {
            Ok(_) => clock::new_id().to_string(),
            Err(_) if NO_OBJECTS.contains(name) => id.clone(),
            // The hash of a link.
            Err(_) => id.chars().rev().collect(),
        };
        (*name, other)
    };
    names.iter().map(missing).collect()
}

/// Whether the text names an object of a study.
fn names_object(text: &str, names: &BTreeMap<&'static str, String>) -> bool {
    let mut objects = names.keys().filter(|name| !NO_OBJECTS.contains(name));
    objects.any(|name| text.contains(&format!("{{{name}}}")))
}

/// The text with names replaced by `names`. Afterwards, the fixture has its own names again.
fn fill(
    furnished: &mut StudyFixture,
    names: &BTreeMap<&'static str, String>,
    text: &str,
) -> String {
    let own = std::mem::replace(&mut furnished.names, names.clone());
    let filled = furnished.replace_names(text);
    furnished.names = own;
    filled
}

async fn ask(
    furnished: &StudyFixture,
    cookie: &str,
    endpoint: &str,
    filled: &str,
) -> (StatusCode, String) {
    let site = &furnished.site;
    let answer = site.call_text(Some(cookie), endpoint, filled).await;
    (answer.status, answer.body)
}

#[tokio::test(flavor = "multi_thread")]
async fn objects_of_another_study_are_as_if_they_were_not_there() {
    // One source was handed in and one is open, so that every object exists.
    let (mut furnished, _) = visitor(2).await;
    let other = furnished.site.study("another").await;
    let lead = furnished.site.sign_in_member(other, "its lead", Role::Lead);
    let lead = lead.await;

    let real = furnished.names.clone();
    let missing = missing_objects(&real);
    let before = furnished.event().await;
    let (mut asked, mut wrong) = (0, vec![]);

    for (endpoint, body, _) in FUNCTIONS {
        if !body.starts_with("slug=a-study") || !names_object(body, &real) {
            continue;
        }

        let body = body.replacen("a-study", "another", 1);
        let filled = fill(&mut furnished, &real, &body);
        let theirs = ask(&furnished, &lead, endpoint, &filled).await;
        let filled = fill(&mut furnished, &missing, &body);
        let mut nobodys = ask(&furnished, &lead, endpoint, &filled).await;

        for (name, id) in &missing {
            nobodys.1 = nobodys.1.replace(id, &real[name]);
        }

        if theirs != nobodys {
            wrong.push(format!("{endpoint}: {theirs:?}, and {nobodys:?} of none"));
        }
        asked += 1;
    }

    for (path, _) in PAGES.iter().filter(|(path, _)| names_object(path, &real)) {
        let path = path.replace("{slug}", "another");
        let theirs = fill(&mut furnished, &real, &path);
        let theirs = furnished.site.open(Some(&lead), &theirs).await.status;
        let nobodys = fill(&mut furnished, &missing, &path);
        let nobodys = furnished.site.open(Some(&lead), &nobodys).await.status;

        if theirs != nobodys {
            wrong.push(format!("{path}: {theirs}, and {nobodys} of none"));
        }
        asked += 1;
    }

    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(asked > 30, "only {asked} were asked");
    assert_eq!(furnished.event().await, before);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_passage_and_a_question_of_another_study_are_not_found() {
    let furnished = StudyFixture::new().await;
    let other = furnished.site.study("another").await;
    let lead = furnished.site.sign_in_member(other, "its lead", Role::Lead);
    let lead = lead.await;
    // A participant was given both, but they belong to another study.
    for (endpoint, body) in [
        (
            "set-passage-purpose",
            "slug=another&passage={passage}&purpose=practice",
        ),
        (
            "set-question",
            "slug=another&id={question}&was={}&question[text]=Who?&question[a]=a&question[b]=b&question[c]=c&question[d]=d",
        ),
    ] {
        let filled = furnished.replace_names(body);
        // The question as its page would have shown it.
        let was = r#"{"text":"Why?","answers":["a","b","c","d"]}"#;
        let filled = filled.replace("was={}", &format!("was={was}"));
        let (status, body) = ask(&furnished, &lead, endpoint, &filled).await;
        assert_eq!(status, StatusCode::NOT_FOUND, "{endpoint}: {body}");
    }
}
