//! The log of changes, as administrators and leads read it after changes of each kind.

use std::net::SocketAddr;

use axum::{
    body::Body,
    extract::ConnectInfo,
    http::{Request, header},
};
use domain::{
    ids::{AuditEntryId, PersonId, StudyId},
    study::{Role, SourcePurpose},
};
use scraper::{Html, Selector};
use service::accounts::{SecretToken, password};
use store::audit::{AuditActor, AuditKind, AuditSubject, NewAuditEntry};

use super::{
    study_fixture::StudyFixture,
    testing::{TestSite, TextAssertions as _},
};
use crate::clock;

const PASSWORD: &str = "correct horse";
/// The address of requests that come without a network.
const ADDRESS: &str = "0.0.0.0";

/// The cells of each row except its time, newest first.
fn rows(page: &str) -> Vec<Vec<String>> {
    let page = Html::parse_document(page);
    let (row, cell) = (selector("table.audit tbody tr"), selector("td"));
    let text = |cell: scraper::ElementRef<'_>| cell.text().collect::<String>().trim().to_owned();

    page.select(&row)
        .map(|row| row.select(&cell).map(text).collect())
        .collect()
}

fn selector(css: &str) -> Selector {
    Selector::parse(css).expect("it is a selector")
}

async fn add_person(site: &TestSite, name: &str) -> PersonId {
    let id = PersonId(clock::new_id());
    let hash = password::hash(name, PASSWORD, clock::random())
        .await
        .unwrap();
    let created = site
        .store
        .create_person(id, name, Some(&hash), false, clock::now_ms());
    created.await.unwrap().id
}

/// A study, the people who change it, and the entries that the log must have.
struct AuditStory {
    furnished: StudyFixture,
    admin: String,
    lead: String,
    /// Actor, kind and subject of each entry, oldest first, as administrators read them.
    expected: Vec<[String; 3]>,
}

impl AuditStory {
    async fn new() -> Self {
        let furnished = StudyFixture::new().await;
        let admin = furnished.site.person("an admin", true).await;
        let admin = furnished.site.sign_in(admin).await;
        let lead = furnished.site.sign_in(furnished.lead).await;
        Self {
            furnished,
            admin,
            lead,
            expected: vec![],
        }
    }

    fn site(&self) -> &TestSite {
        &self.furnished.site
    }

    /// Sends a form, which must be accepted, and returns the cookies that come back.
    async fn call(&self, cookie: Option<&str>, endpoint: &str, fields: &str) -> Vec<String> {
        let fields = self.furnished.replace_names(fields);
        let answer = self.site().call_text(cookie, endpoint, &fields).await;
        assert_eq!(answer.status, 200, "{endpoint}: {}", answer.body);
        answer.cookies
    }

    async fn by_admin(&mut self, endpoint: &str, fields: &str, entries: &[(AuditKind, &str)]) {
        self.call(Some(&self.admin), endpoint, fields).await;
        for (kind, about) in entries {
            self.expect("an admin", *kind, about);
        }
    }

    async fn by_lead(&mut self, endpoint: &str, fields: &str, kind: AuditKind, about: &str) {
        self.call(Some(&self.lead), endpoint, fields).await;
        self.expect("a lead", kind, about);
    }

    /// Opens a file as the lead.
    async fn download(&mut self, path: &str, kind: AuditKind, about: &str) {
        let path = self.furnished.replace_names(path);
        let answer = self.site().open(Some(&self.lead), &path).await;
        assert_eq!(answer.status, 200, "{path}: {}", answer.body);
        self.expect("a lead", kind, about);
    }

    fn expect(&mut self, actor: &str, kind: AuditKind, about: &str) {
        let entry = [actor, kind.words(), about].map(str::to_owned);
        self.expected.push(entry);
    }

    /// Compares all entries after the `before` oldest ones with those expected.
    async fn check(&self, before: usize) -> String {
        let page = self.site().open(Some(&self.admin), "/audit").await;
        assert_eq!(page.status, 200);

        let mut rows = rows(&page.body);
        rows.reverse();
        let shown_rows: Vec<_> = rows[before..].iter().map(|row| row[..3].to_vec()).collect();
        assert_eq!(shown_rows, self.expected);

        for row in &rows {
            assert_eq!(row[3], ADDRESS, "{row:?}");
        }

        page.body
    }
}

#[tokio::test]
async fn accounts_and_sign_ins_are_told() {
    let mut story = AuditStory::new().await;
    let before = rows(&story.site().open(Some(&story.admin), "/audit").await.body).len();

    let link = AuditKind::PasswordLinkMade;
    let added = [(AuditKind::AccountAdded, "Bea"), (link, "Bea")];
    story.by_admin("add-person", "name= Bea ", &added).await;
    let added = [(AuditKind::AdminAdded, "Cleo"), (link, "Cleo")];
    story
        .by_admin("add-person", "name=Cleo&admin=yes", &added)
        .await;

    let bea = story.site().store.person_named("Bea").await.unwrap();
    let bea = bea.unwrap().0.id;
    story.furnished.names.insert("bea", bea.to_string());

    for (endpoint, to, kind) in [
        ("set-admin", "yes", AuditKind::AdminGranted),
        ("set-admin", "no", AuditKind::AdminRevoked),
        ("set-disabled", "yes", AuditKind::AccountClosed),
        ("set-disabled", "no", AuditKind::AccountReopened),
        ("make-password-link", "", link),
    ] {
        let fields = format!("person={{bea}}&to={to}");
        story.by_admin(endpoint, &fields, &[(kind, "Bea")]).await;
    }

    let (token, now) = (SecretToken::new(clock::random()), clock::now_ms());
    let (store, hash) = (story.site().store.clone(), token.hash());
    let created = store.create_password_link(&hash, bea, now, now + 60_000);
    created.await.unwrap();

    let fields = format!("token={}&new={PASSWORD}", token.secret());
    let cookies = story.call(None, "set-password", &fields).await;
    story.expect("Bea", AuditKind::PasswordSetByLink, "");
    story.expect("Bea", AuditKind::SignedIn, "");

    let fields = format!("current={PASSWORD}&new=battery staple");
    let session = cookies.iter().find(|cookie| cookie.starts_with("session="));
    story
        .call(session.map(String::as_str), "change-password", &fields)
        .await;
    story.expect("Bea", AuditKind::PasswordChanged, "");
    story.expect("Bea", AuditKind::SignedIn, "");

    story
        .call(None, "log-in", "name=bea&password=battery staple")
        .await;
    story.expect("Bea", AuditKind::SignedIn, "");

    let page = story.check(before).await;
    page.assert_lacks(&[token.secret(), hash.as_str(), PASSWORD, "battery staple"]);
    // Leads of a study do not see changes of accounts.
    let page = story.site().open(Some(&story.lead), "/s/a-study/log").await;
    page.assert_lacks(&["Bea"]);
}

#[tokio::test]
async fn members_data_and_models_of_a_study_are_told() {
    let mut story = AuditStory::new().await;
    let before = rows(&story.site().open(Some(&story.admin), "/audit").await.body).len();
    change_members(&mut story).await;
    change_data(&mut story).await;
    let page = story.check(before).await;
    for secret in ["token", "invitation", "reading-token", "reader"] {
        assert!(!page.contains(&story.furnished.names[secret]), "{secret}");
    }
    page.assert_lacks(&[PASSWORD]);

    // The lead reads the same of the study, without addresses.
    let page = story.site().open(Some(&story.lead), "/s/a-study/log").await;
    page.assert_lacks(&[ADDRESS]);
    let of_lead = rows(&page.body);
    let has_kind = |kind: AuditKind| of_lead.iter().any(|row| row[1] == kind.words());
    assert!(has_kind(AuditKind::RoleChanged) && has_kind(AuditKind::Exported));
    assert!(!has_kind(AuditKind::SignedIn) && !has_kind(AuditKind::StudyCreated));

    let exported = of_lead
        .iter()
        .find(|row| row[1] == AuditKind::Exported.words());
    assert_eq!(exported.unwrap()[2], "a-study-reading.zip");
}

async fn change_members(story: &mut AuditStory) {
    let bea = add_person(story.site(), "Bea").await;
    let session = story.site().sign_in(bea).await;
    story.furnished.names.insert("bea", bea.to_string());

    let made = "annotator, the course in a-study";
    let invite = "slug=a-study&role=annotator&label=the course&uses=2&days=1";
    story
        .by_lead("invite", invite, AuditKind::InvitationMade, made)
        .await;
    // Following a link twice is joining once.
    for _ in 0..2 {
        story.call(Some(&session), "join", "token={token}").await;
    }
    story.expect("Bea", AuditKind::MemberJoined, "Bea (annotator) in a-study");

    let register = format!("token={{token}}&name=Dora&new={PASSWORD}");
    story.call(None, "register", &register).await;
    let dora = "Dora (annotator) in a-study";
    story.expect("Dora", AuditKind::AccountRegistered, dora);
    story.expect("Dora", AuditKind::SignedIn, "");

    let revoked = "annotator in a-study";
    let revoke = "slug=a-study&invitation={invitation}";
    story
        .by_lead(
            "revoke-invitation",
            revoke,
            AuditKind::InvitationRevoked,
            revoked,
        )
        .await;

    let groups = "slug=a-study&groups[0][name]=Experts";
    let lead = story.lead.clone();
    story.call(Some(&lead), "set-groups", groups).await;
    let (grouped, about) = (AuditKind::MemberGroupChanged, "Bea (annotator) in a-study");
    let set_group = "slug=a-study&person={bea}&group=experts";
    story
        .by_lead("set-member-group", set_group, grouped, about)
        .await;

    let (role, about) = (AuditKind::RoleChanged, "Bea (researcher) in a-study");
    let set_role = "slug=a-study&person={bea}&role=researcher";
    story.by_lead("set-role", set_role, role, about).await;

    let remove = "slug=a-study&person={bea}";
    story
        .by_lead(
            "remove-member",
            remove,
            AuditKind::MemberRemoved,
            "Bea in a-study",
        )
        .await;
    let fields = story.furnished.replace_names(remove);
    let (site, lead) = (story.site(), Some(story.lead.as_str()));
    let again = site.call_text(lead, "remove-member", &fields).await;
    assert_eq!(again.status, 404, "the log has no entry for it");

    let (ann, _) = story.furnished.annotator("Ann").await;
    story.furnished.names.insert("ann", ann.to_string());
    story
        .by_lead(
            "admit",
            "slug=a-study&person={ann}",
            AuditKind::MemberAdmitted,
            "Ann (annotator) in a-study",
        )
        .await;

    let session = story.site().sign_in(ann).await;
    story
        .call(Some(&session), "withdraw", "slug=a-study&sure=yes")
        .await;
    story.expect("Ann", AuditKind::MemberWithdrew, "a-study");
}

async fn change_data(story: &mut AuditStory) {
    let new = "name=Lake&template=likert&overlap=3&category_rule=tuned";
    story
        .by_lead("create-study", new, AuditKind::StudyCreated, "Lake")
        .await;

    let references: [(&str, &[u8]); 1] = [(
        "refs.csv",
        b"source,reference\nThe ferry number 1 was withdrawn.,It stopped.\n",
    )];
    let fields = [("slug", "a-study"), ("what", "references")];
    let sent = story
        .site()
        .upload(Some(&story.lead), &fields, &references)
        .await;
    let page = sent.location.expect("a page shows them");

    let upload = page
        .rsplit('/')
        .next()
        .and_then(|end| end.split('?').next());
    let begin = format!(
        "slug=a-study&uploads={}",
        upload.expect("it names the file")
    );

    let (begun, file) = (AuditKind::ImportBegun, "refs.csv in a-study");
    story.by_lead("begin-references", &begin, begun, file).await;

    let begin = "slug=a-study&upload={reading-upload}";
    story
        .by_lead("bring-in-reading", begin, begun, "more.csv in a-study")
        .await;

    let import = add_import(story.site(), story.furnished.study, "unwanted.csv").await;
    let undo = format!("slug=a-study&import={import}");
    let (undone, file) = (AuditKind::ImportUndone, "unwanted.csv in a-study");
    story.by_lead("undo-import", &undo, undone, file).await;

    let exported = AuditKind::Exported;
    let file = "a-study-jsonl.zip in a-study";
    story
        .download("/s/a-study/export/jsonl.zip", exported, file)
        .await;

    let (downloaded, model) = (
        AuditKind::ModelDownloaded,
        "learned-free, version 1 in a-study",
    );
    story
        .download("/s/a-study/metrics/models/{model}", downloaded, model)
        .await;

    let (yes, no) = (AuditKind::ModelAdopted, AuditKind::ModelDropped);
    let adopt = "slug=a-study&model={model}&adopted=yes";
    story.by_lead("adopt-model", adopt, yes, model).await;
    let drop = "slug=a-study&model={model}&adopted=no";
    story.by_lead("adopt-model", drop, no, model).await;

    let system =
        "slug=a-study&systems[0][system]={system}&systems[0][name]=Copy&systems[0][kind]=human";
    let (changed, names) = (
        AuditKind::SystemsChanged,
        "The ferry stopped. (now Copy) in a-study",
    );
    story.by_lead("set-systems", system, changed, names).await;

    // The second save changes nothing; the third one removes the value.
    let (recorded, removed) = (AuditKind::FinalValueRecorded, AuditKind::FinalValueRemoved);
    let about = "slug=a-study&output={output}&dimension=overall";
    let record = format!("{about}&value=50&reason=A word is lost.");
    story
        .by_lead("record-final-value", &record, recorded, "8 in a-study")
        .await;
    story
        .call(Some(&story.lead), "record-final-value", &record)
        .await;
    story
        .by_lead("record-final-value", about, removed, "8 in a-study")
        .await;

    let remove = "slug=a-study&metric={metric}";
    let (removed, metric) = (AuditKind::MetricRemoved, "lens in a-study");
    story
        .by_lead("remove-metric", remove, removed, metric)
        .await;

    // The second save changes nothing.
    let retention = "slug=a-study&retention=one-month";
    let set = AuditKind::RetentionSet;
    story
        .by_lead("set-retention", retention, set, "a-study")
        .await;
    story
        .call(Some(&story.lead), "set-retention", retention)
        .await;

    let store = story.site().store.clone();
    let participants = store.participants(story.furnished.study).await.unwrap();
    let participant = format!("{} in a-study", participants[0].label);
    let exclude = "slug=a-study&participant={participant}&reason=Odd.";
    story
        .by_lead(
            "exclude-reader",
            exclude,
            AuditKind::ParticipantExcluded,
            &participant,
        )
        .await;

    let include = "slug=a-study&participant={participant}";
    story
        .by_lead(
            "include-reader",
            include,
            AuditKind::ParticipantIncluded,
            &participant,
        )
        .await;

    change_webhooks(story).await;
    for (endpoint, kind) in [
        ("close-study", AuditKind::StudyClosed),
        ("archive-study", AuditKind::StudyArchived),
        ("unarchive-study", AuditKind::StudyUnarchived),
        ("reopen-study", AuditKind::StudyReopened),
    ] {
        story
            .by_lead(endpoint, "slug=a-study", kind, "a-study")
            .await;
        // The second call changes nothing.
        story
            .call(Some(&story.lead), endpoint, "slug=a-study")
            .await;
    }

    let file = "a-study-reading.zip in a-study";
    story
        .download("/s/a-study/reading/answers.zip", exported, file)
        .await;
}

/// The log shows only the host of an address: the rest may hold a secret of the receiver.
async fn change_webhooks(story: &mut AuditStory) {
    let address = "address=https://hooks.example.org/studies/path-with-a-token?key=a-key";
    let about = "hooks.example.org in a-study";
    for (endpoint, fields, kind) in [
        (
            "add-webhook",
            format!("{address}&job_ended=yes"),
            AuditKind::WebhookAdded,
        ),
        (
            "change-webhook",
            format!("webhook={{webhook}}&{address}&study_finished=yes"),
            AuditKind::WebhookChanged,
        ),
        (
            "pause-webhook",
            "webhook={webhook}&pause=yes".into(),
            AuditKind::WebhookPaused,
        ),
        (
            "pause-webhook",
            "webhook={webhook}&pause=no".into(),
            AuditKind::WebhookResumed,
        ),
        (
            "renew-webhook-secret",
            "webhook={webhook}".into(),
            AuditKind::WebhookSecretRenewed,
        ),
        (
            "remove-webhook",
            "webhook={webhook}".into(),
            AuditKind::WebhookRemoved,
        ),
    ] {
        let fields = format!("slug=a-study&{fields}");
        story.by_lead(endpoint, &fields, kind, about).await;
        if endpoint == "pause-webhook" {
            // The second call changes nothing.
            story.call(Some(&story.lead), endpoint, &fields).await;
        }
    }

    let page = story.site().open(Some(&story.lead), "/s/a-study/log").await;
    page.assert_lacks(&["path-with-a-token", "a-key", "whsec_"]);
}

/// Imports a file about which nobody judged anything, and returns the import's id.
async fn add_import(site: &TestSite, study: StudyId, file: &str) -> String {
    let begun = site
        .store
        .begin_import(study, clock::now_ms(), clock::new_id);
    let mut import = begun.await.unwrap();
    import.describe(None, &[file.to_owned()]);
    let source = import.source(None, "Nobody judges this.", SourcePurpose::Main);
    source.unwrap();
    import.commit().await.unwrap();

    let imports = site.store.imports(study).await.unwrap();
    let import = imports.iter().find(|entry| entry.names == [file]);
    import.expect("it is listed").id.to_string()
}

/// Tries to sign in from an address, and returns the status.
async fn log_in_from(site: &TestSite, address: [u8; 4], name: &str, password: &str) -> u16 {
    let fields: String = url::form_urlencoded::Serializer::new(String::new())
        .extend_pairs([("name", name), ("password", password)])
        .finish();
    let mut request = Request::post("/api/log-in")
        .header(header::ACCEPT, "application/json")
        .header(header::CONTENT_TYPE, "application/x-www-form-urlencoded")
        .body(Body::from(fields))
        .unwrap();

    let peer = SocketAddr::from((address, 4711));
    request.extensions_mut().insert(ConnectInfo(peer));
    site.send(request).await.status().as_u16()
}

#[tokio::test]
async fn failed_sign_ins_are_told_with_their_address_and_a_lock_out_once() {
    let site = TestSite::new().await;
    let admin = site.person("an admin", true).await;
    let admin = site.sign_in(admin).await;
    add_person(&site, "Bea").await;

    let address = [192, 0, 2, 7];
    for _ in 0..5 {
        assert_eq!(log_in_from(&site, address, "bea", "wrong").await, 422);
    }
    for _ in 0..3 {
        assert_eq!(log_in_from(&site, address, "bea", PASSWORD).await, 429);
    }

    let typed = "a password in the field for the name";
    // Names can be made up without end, so an address gets one entry for all of them.
    for name in [typed, "somebody else"] {
        assert_eq!(log_in_from(&site, [192, 0, 2, 8], name, "x").await, 422);
    }

    let page = site.open(Some(&admin), "/audit").await.body;
    page.assert_lacks(&[typed]);
    let (failed, locked) = (AuditKind::SignInFailed, AuditKind::LockedOut);
    let row = |kind: AuditKind, about: &str, address: &str| {
        ["not signed in", kind.words(), about, address]
            .map(str::to_owned)
            .to_vec()
    };

    let mut expected = vec![
        row(failed, "", "192.0.2.8"),
        row(locked, "Bea", "192.0.2.7"),
    ];
    expected.extend(std::iter::repeat_n(row(failed, "Bea", "192.0.2.7"), 5));
    assert_eq!(rows(&page), expected);
}

#[tokio::test]
async fn a_long_log_has_pages_and_is_searched() {
    let site = TestSite::new().await;
    let admin = site.person("an admin", true).await;
    let admin = site.sign_in(admin).await;
    let study = site.study("a-study").await;
    let lead = site.sign_in_member(study, "a lead", Role::Lead).await;
    for number in 0..130 {
        let of_study = number >= 120;
        let entry = NewAuditEntry {
            id: AuditEntryId(clock::new_id()),
            at: clock::now_ms(),
            actor: AuditActor::CommandLine,
            address: String::new(),
            kind: match of_study {
                true => AuditKind::Exported,
                false => AuditKind::AccountAdded,
            },
            study: of_study.then_some(study),
            subject: AuditSubject::Named(format!("Öne {number} & <b>")),
        };
        site.store.record_audit(entry).await.unwrap();
    }

    let open = async |path: &str| site.open(Some(&admin), path).await.body;
    let older = |page: &str| {
        let (page, links) = (Html::parse_document(page), selector("nav.pages a"));
        let addresses = page.select(&links).filter_map(|link| link.attr("href"));
        let addresses: Vec<_> = addresses.map(str::to_owned).collect();
        addresses.last().expect("there are other pages").clone()
    };

    let first = open("/audit").await;
    let second = open(&older(&first)).await;
    let (newest, oldest) = (rows(&first), rows(&second));
    assert_eq!((newest.len(), oldest.len()), (100, 30));
    assert_eq!(newest[0][2], "Öne 129 & <b> in a-study");
    assert_eq!(oldest[29][2], "Öne 0 & <b>");
    // The last page links only back.
    assert_eq!(rows(&open(&older(&second)).await), newest);

    for (query, expect) in [
        ("?kind=exported", 10),
        ("?name=%C3%B6ne%2012", 11),
        ("?kind=exported&name=%C3%96NE+12", 10),
        ("?kind=signed-in", 0),
        ("?kind=none&before=none&name=%00", 100),
    ] {
        assert_eq!(
            rows(&open(&format!("/audit{query}")).await).len(),
            expect,
            "{query}"
        );
    }

    let page = site.open(Some(&lead), "/s/a-study/log").await.body;
    assert_eq!(rows(&page).len(), 10);
    assert!(rows(&page).iter().all(|row| row.len() == 3));
    let filtered = open("/audit?kind=account-added&name=one%25").await;
    filtered.assert_shows(&["There is no such entry."]);
}
