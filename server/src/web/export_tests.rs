//! Downloads of a study's dataset.

use std::io::Cursor;

use axum::{
    body::{Body, to_bytes},
    http::{Request, StatusCode, header},
};
use domain::study::Role;

use super::testing::TestSite;
use crate::demo;

/// The demonstration, with the cookie of a researcher in it.
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
    assert_eq!(links.len(), 6, "{}", page.body);
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
            "simpeval-2022.zip" | "metric-scores.zip" => 3,
            _ => 2,
        };
        assert_eq!(archive.len(), parts, "{link}");
    }
}

#[tokio::test]
async fn a_study_without_ratings_says_so() {
    let site = TestSite::new().await;
    let study = site.study("a-study").await;
    let cookie = site.sign_in_member(study, "a lead", Role::Lead).await;
    let page = site.open(Some(&cookie), "/s/a-study/export").await;
    assert_eq!(page.status, StatusCode::OK);
    assert!(page.body.contains("Nothing to export yet"), "{}", page.body);
    assert!(!page.body.contains("formaction"), "{}", page.body);
}
