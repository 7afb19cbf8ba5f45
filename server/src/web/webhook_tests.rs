//! The page of webhooks: what it shows, and what it shows only once.

use store::webhooks::DeliveryState;

use super::{study_fixture::StudyFixture, testing::TestResponse};

const PAGE: &str = "/s/a-study/settings/webhooks";

/// The cookie of the next page's message, and the secret in it.
fn shown_secret(answer: &TestResponse) -> (String, String) {
    let cookie = answer.cookie("flash");
    let text = cookie.split(';').next().unwrap_or_default().to_owned();

    let decoded = percent_encoding::percent_decode_str(&text)
        .decode_utf8()
        .unwrap();

    let at = decoded.find("whsec_").expect("a secret");
    let secret: String = decoded[at..]
        .chars()
        .take_while(|c| *c != '"' && *c != '\\')
        .collect();
    (text, secret)
}

#[tokio::test]
async fn a_secret_is_shown_once_and_is_in_no_file() {
    let furnished = StudyFixture::new().await;
    let site = &furnished.site;
    let lead = site.sign_in(furnished.lead).await;
    let webhook = furnished.names["webhook"].as_str();
    let address = "https://hooks.example.org/studies/new";

    let added = site
        .call(
            Some(&lead),
            "add-webhook",
            &[
                ("slug", "a-study"),
                ("address", address),
                ("source_handed_in", "yes"),
            ],
        )
        .await;
    let renewed = site
        .call(
            Some(&lead),
            "renew-webhook-secret",
            &[("slug", "a-study"), ("webhook", webhook)],
        )
        .await;

    for answer in [added, renewed] {
        assert_eq!(answer.status, 200, "{}", answer.body);
        let (message, secret) = shown_secret(&answer);
        assert_eq!(secret.len(), "whsec_".len() + 44, "{secret}");
        let with_message = format!("{lead}; {message}");
        let first = site.open(Some(&with_message), PAGE).await.body;
        assert!(first.contains(&secret), "{first}");
        for path in [
            PAGE,
            "/s/a-study/log",
            "/s/a-study/settings/study.json",
            "/s/a-study/settings/advanced",
        ] {
            let page = site.open(Some(&lead), path).await;
            assert_eq!(page.status, 200, "{path}");
            assert!(!page.body.contains("whsec_"), "{path}");
        }
    }

    let page = site.open(Some(&lead), PAGE).await.body;
    assert!(page.contains(address), "{page}");
    let study_file = site
        .open(Some(&lead), "/s/a-study/settings/study.json")
        .await;
    assert!(!study_file.body.contains("hooks.example.org"));
}

#[tokio::test]
async fn addresses_outside_the_list_and_webhooks_for_nothing_are_refused() {
    let furnished = StudyFixture::new().await;
    let site = &furnished.site;
    let lead = site.sign_in(furnished.lead).await;

    let add = async |address: &str, kind: &str| {
        let fields = [("slug", "a-study"), ("address", address), (kind, "yes")];
        let answer = site.call(Some(&lead), "add-webhook", &fields).await;
        assert_eq!(answer.status, 422, "{address}");
        answer.body
    };

    for address in [
        "http://hooks.example.org/studies/",
        "https://hooks.example.org/other",
        "https://169.254.169.254/studies/",
        "http://localhost:3000/studies/",
    ] {
        let words = add(address, "job_ended").await;
        assert!(
            words.contains("only to addresses that begin with https://hooks.example.org/studies/"),
            "{words}"
        );
    }

    let words = add("hooks", "job_ended").await;
    assert!(words.contains("not an address"), "{words}");
    let words = add("https://hooks.example.org/studies/", "test").await;
    assert!(words.contains("Choose at least one"), "{words}");

    let store = &site.store;
    assert_eq!(store.webhooks(furnished.study).await.unwrap().len(), 1);
}

#[tokio::test]
async fn a_webhook_is_tried_paused_changed_and_removed_and_the_page_says_so() {
    let furnished = StudyFixture::new().await;
    let site = &furnished.site;
    let lead = site.sign_in(furnished.lead).await;
    let webhook = furnished.names["webhook"].as_str();

    let address = "https://hooks.example.org/studies/b";
    let changed = [
        ("address", address),
        ("source_handed_in", "yes"),
        ("study_finished", "yes"),
    ];

    for (endpoint, fields, shown, hidden) in [
        (
            "send-test-notice",
            &[][..],
            "A test notice is being sent.",
            "",
        ),
        (
            "pause-webhook",
            &[("pause", "yes")],
            "Paused since",
            "Active",
        ),
        ("pause-webhook", &[], "Active", "Paused since"),
        ("change-webhook", &changed, address, ""),
        ("remove-webhook", &[], "has been removed", address),
    ] {
        let fields = [&[("slug", "a-study"), ("webhook", webhook)], fields].concat();
        let answer = site.call(Some(&lead), endpoint, &fields).await;
        assert_eq!(answer.location.as_deref(), Some(PAGE), "{}", answer.body);

        let with_message = format!("{lead}; {}", answer.cookie("flash"));
        let page = site.open(Some(&with_message), PAGE).await.body;
        assert!(page.contains(shown), "{endpoint}, {shown}: {page}");
        let is_hidden = hidden.is_empty() || !page.contains(hidden);
        assert!(is_hidden, "{endpoint}, {hidden}: {page}");
    }
}

#[tokio::test]
async fn an_archived_study_keeps_its_webhooks() {
    let furnished = StudyFixture::new().await;
    let site = &furnished.site;
    let lead = site.sign_in(furnished.lead).await;
    let webhook = furnished.names["webhook"].as_str();
    let archived = site
        .call(Some(&lead), "archive-study", &[("slug", "a-study")])
        .await;
    assert_eq!(archived.status, 200);

    for endpoint in [
        "change-webhook",
        "pause-webhook",
        "renew-webhook-secret",
        "send-test-notice",
        "send-notice-again",
        "remove-webhook",
    ] {
        let fields = [
            ("slug", "a-study"),
            ("webhook", webhook),
            ("address", "https://hooks.example.org/studies/b"),
            ("job_ended", "yes"),
            ("number", "1"),
        ];
        let answer = site.call(Some(&lead), endpoint, &fields).await;
        assert_eq!(answer.status, 422, "{endpoint}");
        assert!(
            answer.body.contains("archived"),
            "{endpoint}: {}",
            answer.body
        );
    }

    let page = site.open(Some(&lead), PAGE).await;
    assert_eq!(page.status, 200);
    let deliveries = site.store.webhook_deliveries(furnished.study, 10).await;
    let deliveries = deliveries.unwrap();
    assert_eq!(deliveries.len(), 1, "the fixture's test alone");
    assert_eq!(deliveries[0].state, DeliveryState::Waiting);
}
