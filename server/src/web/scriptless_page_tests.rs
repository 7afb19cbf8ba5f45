//! Pages of the demonstration in a browser without JavaScript: tabs, figures and times.

use domain::study::Role;

use super::{plain_browser::PlainBrowser, testing::TestSite};
use crate::demo;

#[tokio::test(flavor = "multi_thread")]
async fn pages_of_the_demonstration_are_complete_without_scripts() {
    let site = TestSite::new().await;
    demo::load(&site.store, None, false).await.unwrap();
    let study = site.store.study_by_slug(&"demo".parse().unwrap()).await;
    let study = study.unwrap().unwrap().id;
    let lead = site.sign_in_member(study, "a lead", Role::Lead).await;
    let mut browser = PlainBrowser::with_session(&site, &lead);
    browser.open("/s/demo").await;
    let groups = ["Data", "People", "Results", "Settings"];
    for group in groups {
        browser.open("/s/demo").await;
        browser.follow(group).await;
        assert!(browser.body.contains("aria-current=\"true\""), "{group}");
    }
    browser.open("/s/demo").await;
    browser.follow("Results").await;
    assert_eq!(browser.address, "/s/demo/agreement");
    for results in [
        "Quality",
        "Systems",
        "Protocols",
        "Metrics",
        "Ratings",
        "Consensus",
        "Reading",
        "Agreement",
    ] {
        browser.follow(results).await;
        let path = format!("/s/demo/{}", results.to_lowercase());
        assert_eq!(browser.address, path);
        let tab = format!(r#"<a href="{path}" aria-current="page">{results}</a>"#);
        let page = browser.body.replace("<!>", "");
        assert!(page.contains(&tab), "{tab}");
        assert!(page.contains(r#"aria-current="true">Results</a>"#));
    }

    // The figures are there, and what only a script fills or does is empty or hidden.
    let page = browser.body.replace("<!>", "");
    let alpha = page.split("class=\"big\">").nth(1).unwrap();
    assert!(alpha.starts_with("0."), "{alpha}");
    let sign = page.split("class=\"live-sign\"").nth(1).unwrap();
    let (_, after) = sign.split_once('>').unwrap();
    assert!(after.starts_with("</span>"), "{after}");
    let mut tags = page.split('<');
    let downloads = tags.find(|tag| tag.contains("\"chart-downloads\""));
    assert!(downloads.unwrap().contains("hidden"), "{downloads:?}");

    // Times are in UTC, and say so.
    browser.open("/s/demo").await;
    let page = browser.body.replace("<!>", "");
    assert!(page.contains(" UTC</time>"), "{page}");
}
