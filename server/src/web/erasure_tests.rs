//! The erasure of participants, accounts and studies, as browsers without scripts do it.

use axum::http::StatusCode;
use store::audit::{AuditFilter, AuditKind, AuditSubject};

use super::{
    study_fixture::StudyFixture,
    testing::{TestResponse, TestSite},
};
use crate::{audit::server_entry, clock};

const STUDY: (&str, &str) = ("slug", "a-study");

/// Opens the page that an answer leads to, with its message.
async fn next_page(site: &TestSite, cookie: &str, answer: &TestResponse) -> TestResponse {
    let with_message = format!("{cookie}; {}", answer.cookie("flash"));
    let path = answer.location.as_deref().unwrap();
    site.open(Some(&with_message), path).await
}

#[tokio::test]
async fn a_participant_erases_their_answers() {
    let furnished = StudyFixture::new().await;
    let site = &furnished.site;
    let reader = furnished.names["reader"].clone();
    let page = site.open(Some(&reader), "/read").await;
    page.assert_is(200, &["Withdraw and erase my answers"]);

    let withdrawn = site.call(Some(&reader), "reading/withdraw", &[]).await;
    withdrawn.assert_is(200, &[]);
    let page = site.open(Some(&reader), "/read").await;
    page.assert_is(200, &["still stored"]);

    let erased = site.call(Some(&reader), "reading/erase", &[]).await;
    erased.assert_is(200, &[]);
    assert!(erased.cookies.contains(&"reader=".to_owned()), "{erased:?}");

    let participants = site.store.participants(furnished.study).await.unwrap();
    assert!(participants.is_empty());

    let filter = AuditFilter {
        study: Some(furnished.study),
        kind: Some(AuditKind::ParticipantErased),
        ..AuditFilter::default()
    };
    let entries = site.store.audit_entries(&filter, 9).await.unwrap();
    let [entry] = &entries[..] else {
        panic!("{entries:?}")
    };

    // The entry does not say who it was.
    let told = [&entry.actor, &entry.address, &entry.subject].map(String::as_str);
    assert_eq!(told, ["", "", ""]);

    let page = site.open(None, "/read?erased=yes").await;
    page.assert_is(200, &["Your answers have been erased"]);
    let page = site.open(Some(&reader), "/read").await;
    assert_eq!(page.status, StatusCode::GONE);
}

#[tokio::test]
async fn a_lead_erases_a_participant() {
    let furnished = StudyFixture::new().await;
    let site = &furnished.site;
    let lead = site.sign_in(furnished.lead).await;
    let participant = furnished.names["participant"].clone();

    let page = site.open(Some(&lead), "/s/a-study/reading").await;
    page.assert_is(200, &["Erase a participant"]);

    let fields = [STUDY, ("participant", &participant)];
    let unsure = site.call(Some(&lead), "erase-participant", &fields).await;
    unsure.assert_is(422, &["Tick the box"]);

    let fields = [&fields[..], &[("sure", "yes")]].concat();
    let erased = site.call(Some(&lead), "erase-participant", &fields).await;
    erased.assert_is(200, &[]);

    let page = site.open(Some(&lead), "/s/a-study/reading").await;
    page.assert_lacks(&["participant 1"]);
}

#[tokio::test]
async fn a_person_erases_their_own_account() {
    let furnished = StudyFixture::new().await;
    let site = &furnished.site;
    let (ann, _) = furnished.annotator("Ann Smith").await;
    let cookie = site.sign_in(ann).await;

    let page = site.open(Some(&cookie), "/account/erase").await;
    page.assert_is(200, &["Type “Ann Smith” to confirm", "with 2 ratings"]);

    let other = [("name", "Bob")];
    let refused = site.call(Some(&cookie), "erase-account", &other).await;
    refused.assert_is(422, &["Ann Smith"]);
    let own = [("name", "ann smith")];

    let failed = [("name", "Ann Smith"), ("password", "wrong")];
    let failed = site.call(None, "log-in", &failed).await;
    failed.assert_is(422, &["wrong"]);

    let erased = site.call(Some(&cookie), "erase-account", &own).await;
    erased.assert_is(200, &[]);
    assert_eq!(erased.location.as_deref(), Some("/login"));
    let page = next_page(site, &cookie, &erased).await;
    page.assert_is(200, &["Your account has been erased."]);

    let entries = site.store.audit_entries(&AuditFilter::default(), 99).await;
    let entries = entries.unwrap();
    let of_ann: Vec<_> = entries
        .iter()
        .filter(|entry| format!("{} {}", entry.actor, entry.subject).contains("Erased account 1"))
        .map(|entry| (entry.kind, entry.address.as_str()))
        .collect();
    assert_eq!(
        of_ann,
        [(AuditKind::PersonErased, ""), (AuditKind::SignInFailed, "")]
    );

    let page = site.open(Some(&cookie), "/account").await;
    assert_eq!(page.status, StatusCode::SEE_OTHER);
    assert_eq!(site.store.person(ann).await.unwrap(), None);
    let raters = site.store.raters(furnished.study).await.unwrap();
    assert_eq!(raters.len(), 2, "the ratings stay");
}

#[tokio::test]
async fn an_administrator_erases_an_account_with_its_ratings() {
    let furnished = StudyFixture::new().await;
    let site = &furnished.site;
    let chief = site.person("the chief", true).await;
    let chief = site.sign_in(chief).await;
    let person = furnished.names["person"].clone();

    let path = format!("/people/{person}/erase");
    let page = site.open(Some(&chief), "/people").await;
    page.assert_is(200, &[&path]);
    let page = site.open(Some(&chief), &path).await;
    page.assert_is(200, &["Type “another annotator” to confirm"]);

    let fields = [("person", &*person), ("name", "a lead"), ("ratings", "yes")];
    let refused = site.call(Some(&chief), "erase-person", &fields).await;
    refused.assert_is(422, &["Nothing has been erased"]);

    let fields = [
        ("person", &*person),
        ("name", "another annotator"),
        ("ratings", "yes"),
    ];
    let erased = site.call(Some(&chief), "erase-person", &fields).await;
    erased.assert_is(200, &[]);
    assert_eq!(erased.location.as_deref(), Some("/people"));

    let page = next_page(site, &chief, &erased).await;
    let sentence = "The account of another annotator has been erased.";
    page.assert_is(200, &[sentence]);
    assert!(!page.body.contains(&path), "the row is gone: {}", page.body);

    let again = site.call(Some(&chief), "erase-person", &fields).await;
    assert_eq!(again.status, StatusCode::NOT_FOUND);
    let raters = site.store.raters(furnished.study).await.unwrap();
    assert!(raters.is_empty());

    // The only lead of a study cannot be erased.
    let path = format!("/people/{}/erase", furnished.lead);
    let page = site.open(Some(&chief), &path).await;
    page.assert_is(200, &["Nobody else leads a-study"]);
    let id = furnished.lead.to_string();
    let fields = [("person", &*id), ("name", "a lead")];
    let refused = site.call(Some(&chief), "erase-person", &fields).await;
    refused.assert_is(422, &["make another member a lead"]);
}

#[tokio::test]
async fn a_lead_erases_a_closed_study_by_its_short_name() {
    let furnished = StudyFixture::new().await;
    let (site, store) = (&furnished.site, &furnished.site.store);
    let lead = site.sign_in(furnished.lead).await;
    let own = [STUDY, ("short_name", "a-study")];

    let open = site.call(Some(&lead), "erase-study", &own).await;
    open.assert_is(422, &["close it first"]);

    store
        .close_study(furnished.study, clock::now_ms())
        .await
        .unwrap();
    let page = site.open(Some(&lead), "/s/a-study/erase").await;
    page.assert_is(200, &["Type “a-study” to confirm"]);

    let other = [STUDY, ("short_name", "another")];
    let refused = site.call(Some(&lead), "erase-study", &other).await;
    refused.assert_is(422, &["Nothing has been erased"]);

    let erased = site.call(Some(&lead), "erase-study", &own).await;
    erased.assert_is(200, &[]);

    let page = site.open(Some(&lead), "/s/a-study").await;
    assert_eq!(page.status, StatusCode::NOT_FOUND);
    let page = site.open(Some(&furnished.names["reader"]), "/read").await;
    assert_eq!(page.status, StatusCode::NOT_FOUND);
    let link = format!("/take/{}", furnished.names["reading-token"]);
    assert_eq!(site.open(None, &link).await.status, StatusCode::GONE);

    assert_eq!(store.finish_erasures().await.unwrap(), 1);
    let page = site.open(Some(&lead), "/").await;
    assert_eq!(page.status, StatusCode::OK);
}

#[tokio::test]
async fn the_settings_say_when_personal_data_goes() {
    let furnished = StudyFixture::new().await;
    let site = &furnished.site;
    let lead = site.sign_in(furnished.lead).await;

    let month = [STUDY, ("retention", "one-month")];
    let saved = site.call(Some(&lead), "set-retention", &month).await;
    saved.assert_is(200, &[]);
    let page = site.open(Some(&lead), "/s/a-study/settings/privacy").await;
    page.assert_is(
        200,
        &[
            "Personal data is kept",
            "for 1 month after the study was closed",
        ],
    );
    assert!(!page.body.contains("will be erased on"), "it is open");

    let closed = clock::now_ms();
    site.store
        .close_study(furnished.study, closed)
        .await
        .unwrap();
    for path in ["/s/a-study/settings/privacy", "/s/a-study"] {
        let page = site.open(Some(&lead), path).await;
        page.assert_is(200, &["Personal data will be erased on"]);
    }

    let late = closed + 32 * 24 * 60 * 60 * 1000;
    let erased = site.store.erase_expired_personal_data(late, |study| {
        server_entry(AuditKind::Retention, Some(study), AuditSubject::Nothing)
    });
    let erased = erased.await.unwrap();
    assert_eq!(erased.len(), 1);

    for path in ["/s/a-study/settings/privacy", "/s/a-study"] {
        let page = site.open(Some(&lead), path).await;
        page.assert_is(200, &["Personal data was erased on"]);
    }
}
