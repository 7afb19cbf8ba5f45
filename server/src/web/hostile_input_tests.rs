//! Values that no page sends, such as extreme numbers and huge or empty texts, in every field that a client can fill
//! in. None may cause an error of the server, or make a page of the study unreadable.

use std::time::Duration;

use axum::{body::Body, http::Request};
use domain::{
    ids::{AssignmentId, RaterId},
    study::StudySettings,
    text::limits::check_size,
};
use service::automatic_annotation::annotate_automatically;
use store::{NewAssignment, assignments::NextAssignment};
use tokio::time::Instant;

use super::{
    former_member_tests::FUNCTIONS,
    study_fixture::{StudyFixture, form},
};
use crate::clock;

/// The values that each field is given in turn.
fn hostile_values() -> Vec<String> {
    let mut values: Vec<String> = [
        i64::MIN.to_string(),
        i64::MAX.to_string(),
        u64::MAX.to_string(),
        i32::MIN.to_string(),
        "-1".into(),
        "0".into(),
        "99999999999999999999999999".into(),
        "NaN".into(),
        "inf".into(),
        "1e308".into(),
        "-1e308".into(),
        "0.0000000001".into(),
        String::new(),
        "\u{0}".into(),
        "\u{202e}\u{200b}\u{301}".into(),
        "'; DROP TABLE source; --".into(),
    ]
    .into();
    values.push("x".repeat(150_000));
    values
}

/// Pages that read the study's data.
const PAGES: &[&str] = &[
    "",
    "/sources",
    "/sources/{source}",
    "/members",
    "/crowd",
    "/crowd/pay.csv",
    "/assignments",
    "/log",
    "/settings",
    "/settings/texts",
    "/settings/scales",
    "/settings/quality-control",
    "/settings/privacy",
    "/settings/webhooks",
    "/settings/groups",
    "/settings/advanced",
    "/settings/study.json",
    "/training",
    "/import",
    "/agreement",
    "/quality",
    "/systems",
    "/systems/edit",
    "/metrics",
    "/ratings",
    "/consensus",
    "/reading",
    "/reading/analysis",
    "/reading/passages",
    "/reading/passages/{passage}",
    "/reading/answers.zip",
    "/export",
    "/export/jsonl.zip",
    "/guidelines",
];

async fn pages_answer(furnished: &StudyFixture, lead: &str, after: &str, wrong: &mut Vec<String>) {
    for page in PAGES {
        let path = furnished.replace_names(&format!("/s/a-study{page}"));
        let answer = furnished.site.open(Some(lead), &path).await;
        if answer.status != 200 {
            wrong.push(format!("{path} after {after}: {}", answer.status));
        }
    }
}

/// Functions that are left out because they remove what the others need.
const EXCLUDED: &[&str] = &[
    "archive-study",
    "close-study",
    "log-out",
    "withdraw",
    "reading/withdraw",
    "remove-member",
];

#[tokio::test(flavor = "multi_thread")]
async fn no_field_of_a_form_takes_the_server_or_a_page_away() {
    let mut furnished = StudyFixture::new().await;
    let (waiting, _) = furnished.annotator("one with open work").await;
    let open = furnished.next_assignment(waiting).await;
    let raters = furnished.site.store.raters(furnished.study).await.unwrap();
    for (name, value) in [
        ("open", open.to_string()),
        ("own", open.to_string()),
        ("self", waiting.to_string()),
        ("rater", raters[0].id.to_string()),
    ] {
        furnished.names.insert(name, value);
    }

    let lead = furnished.site.sign_in(furnished.lead).await;
    let annotator = furnished.site.sign_in(waiting).await;
    let reader = furnished.names["reader"].clone();
    let mut wrong = vec![];
    for (endpoint, body, _) in FUNCTIONS {
        if body.starts_with('{') || EXCLUDED.contains(endpoint) {
            continue;
        }
        let cookie = match *endpoint {
            name if name.starts_with("reading/") => &reader,
            "consent" | "next-source" => &annotator,
            _ => &lead,
        };

        let fields = form(&furnished.replace_names(body));
        for at in 0..fields.len() {
            // With another study's name, no other field would be read.
            if fields[at].0 == "slug" {
                continue;
            }
            for value in hostile_values() {
                let mut fields = fields.clone();
                fields[at].1 = value;
                let status = furnished.call(Some(cookie), endpoint, &fields).await;
                if status >= 500 {
                    let (name, value) = &fields[at];
                    let value: String = value.chars().take(30).collect();
                    wrong.push(format!("{endpoint}, {name} = {value:?}: {status}"));
                }
            }
        }
        pages_answer(&furnished, &lead, endpoint, &mut wrong).await;
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[tokio::test(flavor = "multi_thread")]
async fn no_number_of_a_workspace_or_a_reading_takes_a_page_away() {
    let mut furnished = StudyFixture::new().await;
    let (person, _) = furnished.annotator("one with open work").await;
    let open = furnished.next_assignment(person).await;
    furnished.names.insert("own", open.to_string());
    furnished.names.insert("self", person.to_string());

    let lead = furnished.site.sign_in(furnished.lead).await;
    let annotator = furnished.site.sign_in(person).await;
    let reader = furnished.names["reader"].clone();

    let numbers = [
        "-9223372036854775808",
        "-1",
        "0",
        "9223372036854775807",
        "18446744073709551615",
        "18446744073709551616",
        "1e308",
        "0.5",
        "null",
        "\"7\"",
    ];

    let mut wrong = vec![];
    for number in numbers {
        let site = &furnished.site;
        for tab in 0..2 {
            let tab = uuid::Uuid::from_u128(tab);
            let work = format!(
                r#"{{"batch":{{"person":"{{self}}","assignment":"{{own}}","changes":[{{"id":"{}",
                "supersedes":null,"slot":{{"rating":{{"output":"{{output}}","dimension":"overall"}}}},
                "answer":{{"rating":{number}}}}}],"activity":[{{"tab":"{tab}",
                "categorise_ms":{number},"highlight_ms":{number},"rate_ms":{number}}}]}}}}"#,
                clock::new_id()
            );
            let work = furnished.replace_names(&work);
            let answer = site
                .call_json(Some(&annotator), "work/save-changes/v1", work)
                .await;

            let read = furnished.replace_names(&format!(
                r#"{{"batch":{{"answers":[],"spent":[
                {{"reading":"{{reading}}","tab":"{tab}","active_ms":{number}}},
                {{"reading":"{{reading}}","question":"{{question}}","tab":"{tab}","active_ms":{number}}}]}}}}"#
            ));

            let second = site.call_json(Some(&reader), "reading/save/v1", read).await;
            for (name, answer) in [("work", answer), ("reading", second)] {
                if answer.status.as_u16() >= 500 {
                    wrong.push(format!("{name} {number}: {}", answer.body));
                }
            }
        }
        pages_answer(&furnished, &lead, number, &mut wrong).await;
    }

    let own = furnished.replace_names("/s/a-study/work/{own}");
    for path in ["/s/a-study/work", own.as_str()] {
        assert_eq!(
            furnished.site.open(Some(&annotator), path).await.status,
            200,
            "{path}"
        );
    }

    // Several tabs cannot claim more time than has passed.
    let task = furnished
        .site
        .store
        .task(person, open)
        .await
        .unwrap()
        .unwrap();
    assert!(task.active_ms < 60_000, "{}", task.active_ms);
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_request_of_a_workspace_is_bounded() {
    let mut furnished = StudyFixture::new().await;
    let (store, study) = (furnished.site.store.clone(), furnished.study);
    let (person, _) = furnished.annotator("one with open work").await;

    // Assigned a minute ago, so that each tab can have been used for a while.
    let new = NewAssignment {
        id: AssignmentId(clock::new_id()),
        rater: RaterId(clock::new_id()),
        seed: 1,
        now_ms: clock::now_ms() - 60_000,
    };
    let next = store.next_assignment(study, person, new).await.unwrap();
    let NextAssignment::Assignment(open) = next else {
        panic!("there is something to judge, not {next:?}");
    };

    furnished.names.insert("own", open.to_string());
    furnished.names.insert("self", person.to_string());
    let cookie = furnished.site.sign_in(person).await;
    let send = async |changes: usize, tabs: usize| {
        let change = || {
            let id = clock::new_id();
            format!(
                r#"{{"id":"{id}","supersedes":null,"slot":"progress","answer":{{"progress":"rate"}}}}"#
            )
        };
        let tab = || {
            let id = clock::new_id();
            format!(r#"{{"tab":"{id}","categorise_ms":0,"highlight_ms":0,"rate_ms":1}}"#)
        };

        let changes: Vec<_> = (0..changes).map(|_| change()).collect();
        let tabs: Vec<_> = (0..tabs).map(|_| tab()).collect();

        let head = furnished.replace_names(r#"{"batch":{"person":"{self}","assignment":"{own}","#);
        let body = format!(
            r#"{head}"changes":[{}],"activity":[{}]}}}}"#,
            changes.join(","),
            tabs.join(",")
        );
        let site = &furnished.site;
        site.call_json(Some(&cookie), "work/save-changes/v1", body)
            .await
    };

    let answer = send(501, 0).await;
    answer.assert_is(422, &["more than 500"]);
    let answer = send(500, 30).await;
    assert_eq!(answer.status, 200, "{}", answer.body);
    assert_eq!(answer.body.matches("saved").count(), 500);

    let task = store.task(person, open).await.unwrap().unwrap();
    assert_eq!(task.active_ms, 20, "the times of twenty tabs are taken");
}

#[tokio::test(flavor = "multi_thread")]
async fn no_part_of_an_address_takes_the_server_away() {
    let furnished = StudyFixture::new().await;
    let lead = furnished.site.sign_in(furnished.lead).await;
    let mut wrong = vec![];

    let names = [
        "page",
        "from",
        "sort",
        "dimension",
        "count",
        "seed",
        "after",
        "threshold",
        "source",
        "system",
        "metric",
        "only",
        "q",
        "cells",
        "text",
        "questions",
        "by",
        "with",
        "raters",
        "rater",
        "level",
    ];

    for value in hostile_values() {
        let value: String = value.chars().take(2_000).collect();
        for page in PAGES {
            let mut query = url::form_urlencoded::Serializer::new(String::new());
            query.extend_pairs(names.iter().map(|name| (name, &value)));
            let path = furnished.replace_names(&format!("/s/a-study{page}"));
            let path = format!("{path}?{}", query.finish());
            let request = Request::get(&path)
                .header("cookie", &lead)
                .body(Body::empty());
            let status = furnished.site.send(request.unwrap()).await.status();
            if status.is_server_error() {
                let value: String = value.chars().take(30).collect();
                wrong.push(format!("{page}, {value:?}: {status}"));
            }
        }

        let part: String = url::form_urlencoded::byte_serialize(value.as_bytes()).collect();
        for path in [
            format!("/s/{part}"),
            format!("/s/a-study/sources/{part}"),
            format!("/s/a-study/import/{part}"),
            format!("/s/a-study/work/{part}"),
            format!("/s/a-study/export/{part}"),
            format!("/s/a-study/reading/passages/{part}"),
            format!("/take/{part}"),
            format!("/invite/{part}"),
        ] {
            let request = Request::get(&path)
                .header("cookie", &lead)
                .body(Body::empty());
            let status = furnished.site.send(request.unwrap()).await.status();
            if status.is_server_error() {
                wrong.push(format!("{path:.60}: {status}"));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// The largest texts that can be imported are compared within seconds. Twice the words take four times as long, and
/// the size is limited.
#[test]
fn the_largest_texts_are_compared_in_bounded_time() {
    let settings = StudySettings::default();
    let time = |source: &str, output: &str| {
        assert_eq!((check_size(source), check_size(output)), (Ok(()), Ok(())));
        let begun = Instant::now();
        std::hint::black_box(annotate_automatically(&settings, source, output, None));
        begun.elapsed()
    };

    let words = |count: usize, from: usize| -> String {
        (0..count)
            .map(|n| format!("word{} ", n * 7 % count + from))
            .collect()
    };

    let letters = |count: usize, letter: char| {
        let word: String = std::iter::repeat_n(letter, 499).chain(['b']).collect();
        format!("{word} ").repeat(count)
    };

    for (name, source, output) in [
        ("the same words", words(5_000, 0), words(5_000, 0)),
        ("other words", words(5_000, 0), words(5_000, 5_000)),
        (
            "one word again and again",
            "a ".repeat(5_000),
            "a ".repeat(4_999),
        ),
        ("long words", letters(119, 'x'), letters(119, 'y')),
        ("sentences", "A b. ".repeat(1_600), "A c. ".repeat(1_600)),
    ] {
        let took = time(&source, &output);
        eprintln!("{name}: {took:?}");
        assert!(took < Duration::from_secs(60), "{name}: {took:?}");
    }
}
