//! Downloads of a study's dataset.

use std::{io::Cursor, time::Duration};

use axum::{
    body::{Body, to_bytes},
    http::{Request, StatusCode, header},
};
use domain::{
    ids::StudyId,
    study::{RaterKind, Role, SourcePurpose, StudySettings},
};
use service::automatic_annotation::annotate_automatically;
use store::import::{NewOutput, NewRating};

use super::{
    plain_browser::PlainBrowser,
    study_fixture::StudyFixture,
    testing::{TestSite, TextAssertions as _},
};
use crate::{clock, demo};

/// The demonstration, with the cookie of one of its researchers.
async fn demonstration() -> (TestSite, String) {
    let site = TestSite::new().await;
    demo::load(&site.store, None, false).await.unwrap();

    let study = site.store.study_by_slug(&"demo".parse().unwrap()).await;
    let study = study.unwrap().unwrap().id;
    let cookie = site
        .sign_in_member(study, "a researcher", Role::Researcher)
        .await;
    (site, cookie)
}

#[tokio::test]
async fn the_page_offers_what_can_be_downloaded() {
    let (site, cookie) = demonstration().await;
    let page = site.open(Some(&cookie), "/s/demo/export").await;
    assert_eq!(page.status, StatusCode::OK);

    let links: Vec<_> = page
        .body
        .split("formaction=\"")
        .skip(1)
        .filter_map(|rest| rest.split('"').next())
        .collect();
    let names: Vec<_> = links
        .iter()
        .filter_map(|link| link.rsplit('/').next()?.split('.').next())
        .collect();

    let expected = [
        "dataset",
        "simpeval-past",
        "simpeval-2022",
        "jsonl",
        "tidy",
        "alignments",
    ];
    assert_eq!(names, expected);

    let mut browser = PlainBrowser::with_session(&site, &cookie);
    browser.open("/s/demo/export").await;
    let others = browser.texts("details.more .rows > div");
    assert_eq!(
        others,
        [
            "Comparisons No outputs have been compared.",
            "Answers to questions No question has been answered.",
            "Written simplifications No text has been written.",
            "Marked spans No span has been marked.",
            "Marked spans for Thresh No span has been marked.",
            "Final values No final value has been decided on.",
            "Metric scores No metric has scored the outputs.",
        ]
    );

    for link in links {
        let request = Request::get(link)
            .header(header::COOKIE, &cookie)
            .header(header::ACCEPT_ENCODING, "br, gzip")
            .body(Body::empty())
            .unwrap();
        let answer = site.send(request).await;
        assert_eq!(answer.status(), StatusCode::OK, "{link}");

        let headers = answer.headers().clone();
        let name = link.rsplit('/').next().unwrap();
        assert_eq!(headers[header::CONTENT_TYPE], "application/zip");
        assert_eq!(headers[header::CACHE_CONTROL], "no-store");
        assert_eq!(
            headers[header::CONTENT_DISPOSITION],
            format!("attachment; filename=\"demo-{name}\"")
        );
        assert!(!headers.contains_key(header::CONTENT_ENCODING));

        let bytes = to_bytes(answer.into_body(), usize::MAX).await.unwrap();
        let archive = zip::ZipArchive::new(Cursor::new(bytes)).unwrap();
        let parts = match name {
            "simpeval-2022.zip" | "metric-scores.zip" | "dataset.zip" => 3,
            _ => 2,
        };
        assert_eq!(archive.len(), parts, "{link}");
    }
}

#[tokio::test]
async fn a_dataset_folder_has_the_licence_that_was_chosen() {
    let (site, cookie) = demonstration().await;

    let card = async |query: &str| {
        let address = format!("/s/demo/export/dataset.zip?{query}");
        let request = Request::get(address).header(header::COOKIE, &cookie);
        let answer = site.send(request.body(Body::empty()).unwrap()).await;
        let status = answer.status();
        let bytes = to_bytes(answer.into_body(), usize::MAX).await.unwrap();
        if status != StatusCode::OK {
            return (status, String::from_utf8(bytes.into()).unwrap());
        }
        let mut archive = zip::ZipArchive::new(Cursor::new(bytes)).unwrap();
        let card = archive.by_name("demo-dataset/README.md").unwrap();
        (status, std::io::read_to_string(card).unwrap())
    };

    // Empty fields of the form do not count as chosen.
    let (status, text) = card("license=&language=").await;
    assert_eq!(status, StatusCode::OK);
    text.assert_shows(&["\nlanguage: [\"en\"]\n"]);
    text.assert_lacks(&["\nlicense: "]);

    let (_, text) = card("license=cc-by-4.0&language=de%2C+fr").await;
    let expect = "\nlicense: \"cc-by-4.0\"\nlanguage: [\"de\",\"fr\"]\n";
    text.assert_shows(&[expect]);

    for (query, expect) in [
        ("language=english", "“english” is not a language code"),
        ("license=a%0Ab", "cannot be the name of a licence"),
    ] {
        let (status, sentence) = card(query).await;
        assert_eq!(status, StatusCode::UNPROCESSABLE_ENTITY, "{sentence}");
        assert!(sentence.contains(expect), "{sentence}");
    }
}

/// Adds a study whose export is larger than everything that is buffered on its way to a browser.
async fn add_large_study(site: &TestSite) -> StudyId {
    let study = site.study("large").await;
    let import = site
        .store
        .begin_import(study, clock::now_ms(), clock::new_id);
    let mut import = import.await.unwrap();

    let system = import.system("A", None).unwrap();
    let rater = import.rater("rater 1", RaterKind::Imported).unwrap();

    for _ in 0..1_500 {
        // Random letters, which do not compress well.
        let text: String = (0..60)
            .map(|_| clock::new_id().simple().to_string())
            .collect();
        let source = import.source(None, &text, SourcePurpose::Main).unwrap();
        let automatic = || {
            let settings = StudySettings::default();
            annotate_automatically(&settings, "A source.", "A.", None)
        };
        let new = NewOutput::new(source, system, &text);
        let (output, _) = import.output(&new, automatic).unwrap();
        import
            .rating(NewRating::overall(rater, output, 50.0))
            .unwrap();
    }

    import.commit().await.unwrap();
    study
}

#[tokio::test]
async fn nobody_takes_the_downloads_of_others() {
    let site = TestSite::new().await;
    let study = add_large_study(&site).await;
    let one = site.sign_in_member(study, "one", Role::Researcher).await;
    let other = site.sign_in_member(study, "other", Role::Researcher).await;

    let download = async |cookie: &str| {
        let request = Request::get("/s/large/export/jsonl.zip").header(header::COOKIE, cookie);
        site.send(request.body(Body::empty()).unwrap()).await
    };

    let mut unread = vec![download(one.as_str()).await, download(one.as_str()).await];
    assert!(
        unread
            .iter()
            .all(|answer| answer.status() == StatusCode::OK)
    );

    let refused = download(one.as_str()).await;
    assert_eq!(refused.status(), StatusCode::TOO_MANY_REQUESTS);
    let why = to_bytes(refused.into_body(), usize::MAX).await.unwrap();
    let why = String::from_utf8_lossy(&why);
    assert!(why.contains("2 downloads"), "{why}");

    assert_eq!(download(other.as_str()).await.status(), StatusCode::OK);

    // When a browser hangs up, its place becomes free once the next chunk cannot be sent.
    unread.pop();
    for _ in 0..200 {
        if download(one.as_str()).await.status() == StatusCode::OK {
            return;
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    panic!("the place was not given back");
}

/// The names of the formats that the page offers.
async fn offered_formats(site: &TestSite, cookie: &str, study: &str) -> Vec<String> {
    let page = site.open(Some(cookie), &format!("/s/{study}/export")).await;
    assert_eq!(page.status, StatusCode::OK);

    let links = page.body.split("formaction=\"").skip(1);
    let name = |link: &str| {
        let address = link.split('"').next()?;
        let name = address.rsplit('/').next()?.split('.').next()?;
        Some(name.to_owned())
    };
    links.filter_map(name).collect()
}

#[tokio::test]
async fn a_format_is_offered_once_it_has_rows() {
    let fixture = StudyFixture::new().await;
    let lead = fixture.site.sign_in(fixture.lead).await;
    let offered = offered_formats(&fixture.site, &lead, "a-study").await;
    for (format, is_offered) in [
        ("tidy", true),
        ("gold", true),
        ("jsonl", true),
        ("comparisons", false),
        ("written", false),
        ("thresh", false),
    ] {
        let found = offered.iter().any(|name| name == format);
        assert_eq!(found, is_offered, "{format}: {offered:?}");
    }
}

#[tokio::test]
async fn outputs_without_a_rating_can_be_downloaded_as_they_are() {
    let site = TestSite::new().await;
    let study = site.study("river").await;
    let cookie = site.sign_in_member(study, "lea", Role::Lead).await;

    let import = site
        .store
        .begin_import(study, clock::now_ms(), clock::new_id);
    let mut import = import.await.unwrap();
    let source = import
        .source(None, "A source.", SourcePurpose::Main)
        .unwrap();
    let system = import.system("A", None).unwrap();

    let automatic = || annotate_automatically(&StudySettings::default(), "A source.", "A.", None);
    let new = NewOutput::new(source, system, "A.");
    import.output(&new, automatic).unwrap();
    import.commit().await.unwrap();

    let offered = offered_formats(&site, &cookie, "river").await;
    assert_eq!(offered, ["dataset", "jsonl"]);

    let mut browser = PlainBrowser::with_session(&site, &cookie);
    browser.open("/s/river/export").await;
    browser.assert_shows(&["Tidy table No output has a rating yet."]);
}

#[tokio::test]
async fn a_study_without_ratings_says_so() {
    let site = TestSite::new().await;
    let study = site.study("a-study").await;
    let cookie = site.sign_in_member(study, "a lead", Role::Lead).await;
    let page = site.open(Some(&cookie), "/s/a-study/export").await;
    page.assert_is(200, &["Nothing to export yet"]);
    page.assert_lacks(&["formaction"]);
}

/// The table in a downloaded archive.
async fn downloaded_table(site: &TestSite, cookie: &str, address: &str) -> String {
    let request = Request::get(address).header(header::COOKIE, cookie);
    let answer = site.send(request.body(Body::empty()).unwrap()).await;
    assert_eq!(answer.status(), StatusCode::OK, "{address}");

    let bytes = to_bytes(answer.into_body(), usize::MAX).await.unwrap();
    let mut archive = zip::ZipArchive::new(Cursor::new(bytes)).unwrap();
    let table = archive.by_name("river-simpeval-past.csv").unwrap();
    std::io::read_to_string(table).unwrap()
}

#[tokio::test]
async fn cells_that_a_spreadsheet_would_run_are_escaped_on_request() {
    let site = TestSite::new().await;
    let study = site.study("river").await;
    let cookie = site
        .sign_in_member(study, "a reader", Role::Researcher)
        .await;

    let import = site
        .store
        .begin_import(study, clock::now_ms(), clock::new_id);
    let mut import = import.await.unwrap();
    let source = import
        .source(None, "A source.", SourcePurpose::Main)
        .unwrap();
    let system = import.system("A", None).unwrap();
    let rater = import.rater("rater 1", RaterKind::Imported).unwrap();

    let automatic = || {
        let settings = StudySettings::default();
        annotate_automatically(&settings, "A source.", "=1+1", None)
    };

    let (output, _) = import
        .output(&NewOutput::new(source, system, "=1+1"), automatic)
        .unwrap();
    import
        .rating(NewRating::overall(rater, output, 50.0))
        .unwrap();
    import.commit().await.unwrap();

    let mut browser = PlainBrowser::with_session(&site, &cookie);
    browser.open("/s/river/export").await;
    assert_eq!(browser.value("safe to open in a spreadsheet"), "");

    let address = "/s/river/export/simpeval-past.zip";
    let plain = downloaded_table(&site, &cookie, address).await;
    assert!(plain.contains(",=1+1,"), "{plain}");
    let guarded = downloaded_table(&site, &cookie, &format!("{address}?cells=guarded")).await;
    assert!(guarded.contains(",'=1+1,"), "{guarded}");

    let button = "Download SimpEval, past format";
    browser
        .send(button, &[("safe to open in a spreadsheet", "on")])
        .await;
    assert!(browser.address.starts_with(address), "{}", browser.address);
    assert!(
        browser.address.contains("cells=guarded"),
        "{}",
        browser.address
    );
}

#[tokio::test]
async fn an_annotator_who_downloads_reads_whom_to_ask() {
    let site = TestSite::new().await;
    let study = site.study("river").await;
    let annotator = site.sign_in_member(study, "ann", Role::Annotator).await;
    for path in ["/s/river/export", "/s/river/export/jsonl.zip"] {
        let refused = site.open(Some(&annotator), path).await;
        assert_eq!(refused.status, StatusCode::FORBIDDEN, "{path}");
        refused.assert_shows(&["Ask the study"]);
    }
}
