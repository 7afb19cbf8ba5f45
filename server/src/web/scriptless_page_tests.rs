//! Pages of the demonstration study without scripts: tabs, figures and times.

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

    let groups = ["Overview", "Data", "People", "Results", "Settings"];
    assert_eq!(browser.texts("nav[aria-label=Study] a"), groups);
    for group in &groups[1..] {
        browser.open("/s/demo").await;
        browser.follow(group).await;
        let current = browser.texts("nav[aria-label=Study] a[aria-current=true]");
        assert_eq!(current, [*group]);
    }

    browser.open("/s/demo").await;
    browser.follow("Results").await;
    assert_eq!(browser.address, "/s/demo/agreement");
    let pages = [
        "Agreement",
        "Quality",
        "Systems",
        "Protocols",
        "Metrics",
        "Ratings",
        "Consensus",
        "Reading",
    ];
    assert_eq!(browser.texts("nav[aria-label=Results] a"), pages);
    for results in pages[1..].iter().chain(&pages[..1]) {
        browser.follow(results).await;
        let path = format!("/s/demo/{}", results.to_lowercase());
        assert_eq!(browser.address, path);
        let tab = format!(r#"<a href="{path}" aria-current="page">{results}</a>"#);
        let page = browser.body.replace("<!>", "");
        assert!(page.contains(&tab), "{tab}");
        assert!(page.contains(r#"aria-current="true">Results</a>"#));
    }

    // The figures are there; parts that only a script fills or uses are empty or hidden.
    let page = browser.body.replace("<!>", "");
    let alpha = &browser.texts(".big")[0];
    let decimals = alpha.strip_prefix("0.").unwrap_or_default();
    let is_figure = decimals.len() == 3 && decimals.chars().all(|c| c.is_ascii_digit());
    assert!(is_figure, "{alpha}");

    let sign = page.split("class=\"live-sign\"").nth(1).unwrap();
    let (_, after) = sign.split_once('>').unwrap();
    assert!(after.starts_with("</span>"), "{after}");

    let mut tags = page.split('<');
    let downloads = tags.find(|tag| tag.contains("\"chart-downloads\""));
    assert!(downloads.unwrap().contains("hidden"), "{downloads:?}");

    // Times are in UTC and say so.
    browser.open("/s/demo").await;
    browser.send("Close the study", &[]).await;
    browser.open("/s/demo/log").await;
    let times = browser.texts("main time");
    assert!(times[0].ends_with(" UTC"), "{times:?}");
}
