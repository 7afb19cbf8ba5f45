//! Rights of server functions: each one is in one of these tables.

use axum::http::StatusCode;
use domain::study::Role;

use super::testing::TestSite;
use crate::clock;

/// A call of a server function, and the status that each kind of person gets.
pub(super) struct RoleExpectation {
    pub(super) endpoint: &'static str,
    pub(super) form: &'static [(&'static str, &'static str)],
    /// Statuses without a session, and for a stranger to the study, an annotator, a researcher, a lead and an
    /// administrator. Permitted people get 200, or 422 if the form itself is refused.
    statuses: [u16; 6],
}

const STUDY: (&str, &str) = ("slug", "a-study");

pub(super) const ROWS: &[RoleExpectation] = &[
    RoleExpectation {
        endpoint: "add-person",
        form: &[("name", "")],
        statuses: ADMIN,
    },
    RoleExpectation {
        endpoint: "make-password-link",
        form: SOMEBODY,
        statuses: ADMIN_404,
    },
    RoleExpectation {
        endpoint: "set-admin",
        form: SOMEBODY,
        statuses: ADMIN_404,
    },
    RoleExpectation {
        endpoint: "set-disabled",
        form: SOMEBODY,
        statuses: ADMIN_404,
    },
    RoleExpectation {
        endpoint: "erase-person",
        form: SOMEBODY,
        statuses: ADMIN_404,
    },
    RoleExpectation {
        endpoint: "erase-account",
        form: &[("name", "somebody else")],
        statuses: [401, 422, 422, 422, 422, 422],
    },
    RoleExpectation {
        endpoint: "change-password",
        form: &[("current", "not the password"), ("new", "a new password")],
        statuses: [401, 422, 422, 422, 422, 422],
    },
    RoleExpectation {
        endpoint: "confirm-password",
        form: &[("password", "not the password")],
        statuses: [401, 422, 422, 422, 422, 422],
    },
    RoleExpectation {
        endpoint: "end-session",
        form: &[("session", "none")],
        statuses: [401, 422, 422, 422, 422, 422],
    },
    RoleExpectation {
        endpoint: "end-other-sessions",
        form: &[],
        statuses: [401, 200, 200, 200, 200, 200],
    },
    RoleExpectation {
        endpoint: "make-token",
        form: &[
            ("name", ""),
            ("access", "read"),
            ("scope", "all"),
            ("days", "1"),
        ],
        statuses: [401, 422, 422, 422, 422, 422],
    },
    RoleExpectation {
        endpoint: "revoke-token",
        form: &[("token", "none")],
        statuses: [401, 422, 422, 422, 422, 422],
    },
    RoleExpectation {
        endpoint: "join",
        form: &[("token", "none")],
        statuses: [401, 422, 422, 422, 422, 422],
    },
    RoleExpectation {
        endpoint: "consent",
        form: &[STUDY],
        statuses: ANNOTATOR,
    },
    RoleExpectation {
        endpoint: "next-source",
        form: &[STUDY],
        statuses: ANNOTATOR,
    },
    RoleExpectation {
        endpoint: "withdraw",
        form: &[STUDY],
        statuses: [401, 404, 422, 403, 403, 403],
    },
    RoleExpectation {
        endpoint: "create-study",
        form: &[
            ("name", ""),
            ("template", "likert"),
            ("overlap", "3"),
            ("category_rule", "tuned"),
        ],
        statuses: [401, 403, 403, 403, 422, 422],
    },
    RoleExpectation {
        endpoint: "discuss",
        form: &[STUDY, ("output", "none"), ("note", "")],
        statuses: LEAD_404,
    },
    RoleExpectation {
        endpoint: "withdraw-question",
        form: &[STUDY, ("question", "none")],
        statuses: LEAD_404,
    },
    RoleExpectation {
        endpoint: "record-final-value",
        form: &[STUDY, ("output", "none"), ("dimension", "overall")],
        statuses: LEAD_404,
    },
    RoleExpectation {
        endpoint: "begin-consensus",
        form: &[STUDY, ("source", "none")],
        statuses: TAKES_PART_404,
    },
    RoleExpectation {
        endpoint: "decide-consensus",
        form: &[STUDY, ("source", "none")],
        statuses: TAKES_PART_404,
    },
    RoleExpectation {
        endpoint: "reopen-consensus",
        form: &[STUDY, ("source", "none")],
        statuses: TAKES_PART_404,
    },
    RoleExpectation {
        endpoint: "make-gold-item",
        form: &[STUDY, ("output", "none"), ("purpose", "none")],
        statuses: LEAD_404,
    },
    RoleExpectation {
        endpoint: "describe-study",
        form: &[STUDY, ("guidelines", "\0")],
        statuses: LEAD,
    },
    RoleExpectation {
        endpoint: "set-category-rule",
        form: &[STUDY, ("category_rule", "none")],
        statuses: LEAD,
    },
    RoleExpectation {
        endpoint: "set-quality-control",
        form: &[
            STUDY,
            ("copy_every", "x"),
            ("attention_every", "0"),
            ("scrambled_every", "0"),
            ("repeated_every", "0"),
        ],
        statuses: LEAD,
    },
    RoleExpectation {
        endpoint: "set-systems",
        form: &[
            STUDY,
            ("systems[0][system]", "00000000-0000-0000-0000-000000000000"),
            ("systems[0][kind]", "none"),
        ],
        statuses: LEAD,
    },
    RoleExpectation {
        endpoint: "set-general",
        form: &[
            STUDY,
            ("name", "A study"),
            ("overlap", "x"),
            ("lease_hours", "1"),
            ("qualification", "none"),
        ],
        statuses: LEAD,
    },
    RoleExpectation {
        endpoint: "set-protocol",
        form: &[
            STUDY,
            ("rating", "none"),
            ("layout", "steps"),
            ("outputs", "all"),
        ],
        statuses: LEAD,
    },
    RoleExpectation {
        endpoint: "set-dimensions",
        form: &[
            STUDY,
            ("dimensions[0][name]", ""),
            ("dimensions[0][low]", "0"),
            ("dimensions[0][high]", "100"),
        ],
        statuses: LEAD,
    },
    RoleExpectation {
        endpoint: "set-groups",
        form: &[
            STUDY,
            ("groups[0][name]", "Experts"),
            ("groups[0][overlap]", "0"),
        ],
        statuses: LEAD,
    },
    RoleExpectation {
        endpoint: "set-member-group",
        form: &[
            STUDY,
            ("person", "00000000-0000-0000-0000-000000000000"),
            ("group", ""),
        ],
        statuses: LEAD_404,
    },
    RoleExpectation {
        endpoint: "set-span-types",
        form: &[
            STUDY,
            ("types[0][name]", "Error"),
            ("types[0][sides]", "output"),
        ],
        statuses: LEAD,
    },
    RoleExpectation {
        endpoint: "set-questions",
        form: &[
            STUDY,
            ("questions[0][text]", "Why?"),
            ("questions[0][kind]", "text"),
            ("questions[0][about]", "output"),
        ],
        statuses: LEAD,
    },
    RoleExpectation {
        endpoint: "invite",
        form: &[STUDY, ("role", "none"), ("uses", "1"), ("days", "1")],
        statuses: LEAD,
    },
    RoleExpectation {
        endpoint: "set-crowd",
        form: &[
            STUDY,
            ("sources_each", "x"),
            ("failed[from]", "0"),
            ("failed[consequence]", "pause"),
        ],
        statuses: LEAD,
    },
    RoleExpectation {
        endpoint: "add-webhook",
        form: &[STUDY, ("address", ""), ("job_ended", "yes")],
        statuses: LEAD,
    },
    RoleExpectation {
        endpoint: "change-webhook",
        form: &[STUDY, NO_WEBHOOK, ("address", ""), ("job_ended", "yes")],
        statuses: LEAD_404,
    },
    RoleExpectation {
        endpoint: "pause-webhook",
        form: &[STUDY, NO_WEBHOOK],
        statuses: LEAD_404,
    },
    RoleExpectation {
        endpoint: "remove-webhook",
        form: &[STUDY, NO_WEBHOOK],
        statuses: LEAD_404,
    },
    RoleExpectation {
        endpoint: "renew-webhook-secret",
        form: &[STUDY, NO_WEBHOOK],
        statuses: LEAD_404,
    },
    RoleExpectation {
        endpoint: "send-test-notice",
        form: &[STUDY, NO_WEBHOOK],
        statuses: LEAD_404,
    },
    RoleExpectation {
        endpoint: "send-notice-again",
        form: &[STUDY, NO_WEBHOOK, ("number", "1")],
        statuses: LEAD_404,
    },
    RoleExpectation {
        endpoint: "crowd/finish",
        form: &[STUDY],
        statuses: [401, 404, 403, 403, 403, 403],
    },
    RoleExpectation {
        endpoint: "admit",
        form: &[STUDY, ("person", "00000000-0000-0000-0000-000000000000")],
        statuses: LEAD,
    },
    RoleExpectation {
        endpoint: "set-role",
        form: &[
            STUDY,
            ("person", "00000000-0000-0000-0000-000000000000"),
            ("role", "lead"),
        ],
        statuses: LEAD_404,
    },
    RoleExpectation {
        endpoint: "remove-member",
        form: &[STUDY, ("person", "00000000-0000-0000-0000-000000000000")],
        statuses: LEAD_404,
    },
    RoleExpectation {
        endpoint: "revoke-invitation",
        form: &[STUDY, ("invitation", "none")],
        statuses: LEAD,
    },
    RoleExpectation {
        endpoint: "reassign",
        form: &[
            STUDY,
            ("assignment", "00000000-0000-0000-0000-000000000000"),
            ("to", "00000000-0000-0000-0000-000000000000"),
        ],
        statuses: LEAD_404,
    },
    RoleExpectation {
        endpoint: "release",
        form: &[
            STUDY,
            ("assignment", "00000000-0000-0000-0000-000000000000"),
        ],
        statuses: LEAD_404,
    },
    RoleExpectation {
        endpoint: "move-source",
        form: &[
            STUDY,
            ("source", "00000000-0000-0000-0000-000000000000"),
            ("direction", "up"),
        ],
        statuses: LEAD,
    },
    RoleExpectation {
        endpoint: "set-purpose",
        form: &[
            STUDY,
            ("source", "00000000-0000-0000-0000-000000000000"),
            ("purpose", "main"),
        ],
        statuses: LEAD,
    },
    RoleExpectation {
        endpoint: "set-own-overlap",
        form: &[
            STUDY,
            ("source", "00000000-0000-0000-0000-000000000000"),
            ("overlap", "10"),
        ],
        statuses: LEAD_404,
    },
    RoleExpectation {
        endpoint: "set-expected",
        form: &[
            STUDY,
            ("source", "00000000-0000-0000-0000-000000000000"),
            ("output", "00000000-0000-0000-0000-000000000000"),
        ],
        statuses: LEAD_404,
    },
    RoleExpectation {
        endpoint: "start-experiment",
        form: &[STUDY],
        statuses: LEAD,
    },
    RoleExpectation {
        endpoint: "update-experiment",
        form: &[STUDY],
        statuses: LEAD_404,
    },
    // The study has no texts to add.
    RoleExpectation {
        endpoint: "add-written",
        form: &[STUDY],
        statuses: LEAD,
    },
    RoleExpectation {
        endpoint: "begin-import",
        form: &[
            STUDY,
            ("uploads", "00000000-0000-0000-0000-000000000000"),
            ("manner[purpose]", "main"),
        ],
        statuses: LEAD_404,
    },
    RoleExpectation {
        endpoint: "cancel-import",
        form: &[STUDY, ("job", "00000000-0000-0000-0000-000000000000")],
        statuses: LEAD_404,
    },
    RoleExpectation {
        endpoint: "undo-import",
        form: &[STUDY, ("import", "00000000-0000-0000-0000-000000000000")],
        statuses: LEAD_404,
    },
    RoleExpectation {
        endpoint: "set-visibility",
        form: &[
            STUDY,
            ("source", "00000000-0000-0000-0000-000000000000"),
            ("change", "hide"),
        ],
        statuses: LEAD_404,
    },
    RoleExpectation {
        endpoint: "import-progress",
        form: &[STUDY, ("job", "00000000-0000-0000-0000-000000000000")],
        statuses: READER_404,
    },
    RoleExpectation {
        endpoint: "score-outputs",
        form: &[STUDY, ("metrics[none-of-that-name]", "on")],
        statuses: READER,
    },
    RoleExpectation {
        endpoint: "cancel-scoring",
        form: &[STUDY, ("job", "00000000-0000-0000-0000-000000000000")],
        statuses: READER_404,
    },
    RoleExpectation {
        endpoint: "train-metric",
        form: &[STUDY, ("kind", "questeval")],
        statuses: READER,
    },
    RoleExpectation {
        endpoint: "cancel-training",
        form: &[STUDY, ("job", "00000000-0000-0000-0000-000000000000")],
        statuses: READER_404,
    },
    RoleExpectation {
        endpoint: "train-aligner",
        form: &[STUDY],
        statuses: LEAD,
    },
    RoleExpectation {
        endpoint: "cancel-aligner-training",
        form: &[STUDY, ("job", "00000000-0000-0000-0000-000000000000")],
        statuses: LEAD_404,
    },
    RoleExpectation {
        endpoint: "adopt-aligner",
        form: &[
            STUDY,
            ("model", "00000000-0000-0000-0000-000000000000"),
            ("adopted", "yes"),
        ],
        statuses: LEAD_404,
    },
    RoleExpectation {
        endpoint: "adopt-model",
        form: &[
            STUDY,
            ("model", "00000000-0000-0000-0000-000000000000"),
            ("adopted", "yes"),
        ],
        statuses: READER_404,
    },
    RoleExpectation {
        endpoint: "set-retraining",
        form: &[STUDY, ("every", "often")],
        statuses: LEAD,
    },
    RoleExpectation {
        endpoint: "begin-scores",
        form: &[STUDY, ("uploads", "00000000-0000-0000-0000-000000000000")],
        statuses: LEAD_404,
    },
    RoleExpectation {
        endpoint: "begin-references",
        form: &[STUDY, ("uploads", "00000000-0000-0000-0000-000000000000")],
        statuses: LEAD_404,
    },
    RoleExpectation {
        endpoint: "set-metric-direction",
        form: &[
            STUDY,
            ("metric", "00000000-0000-0000-0000-000000000000"),
            ("direction", "lower-is-better"),
        ],
        statuses: LEAD_404,
    },
    RoleExpectation {
        endpoint: "remove-metric",
        form: &[STUDY, ("metric", "00000000-0000-0000-0000-000000000000")],
        statuses: LEAD_404,
    },
    RoleExpectation {
        endpoint: "set-comprehension",
        form: &[
            STUDY,
            ("design[readers]", "x"),
            ("design[doubly]", "0"),
            ("design[texts]", "6"),
            ("design[spread]", "between"),
            ("design[ties]", "random"),
            ("design[lease_hours]", "1"),
        ],
        statuses: LEAD,
    },
    RoleExpectation {
        endpoint: "exclude-reader",
        form: &[
            STUDY,
            ("participant", "00000000-0000-0000-0000-000000000000"),
            ("reason", "the same place again and again"),
        ],
        statuses: LEAD_404,
    },
    RoleExpectation {
        endpoint: "include-reader",
        form: &[
            STUDY,
            ("participant", "00000000-0000-0000-0000-000000000000"),
        ],
        statuses: LEAD_404,
    },
    RoleExpectation {
        endpoint: "erase-participant",
        form: &[
            STUDY,
            ("participant", "00000000-0000-0000-0000-000000000000"),
            ("sure", "yes"),
        ],
        statuses: LEAD_404,
    },
    RoleExpectation {
        endpoint: "set-question",
        form: &[
            STUDY,
            ("id", "00000000-0000-0000-0000-000000000000"),
            (
                "was",
                r#"{"text": "Who sailed?", "answers": ["1", "2", "3", "4"]}"#,
            ),
            ("question[text]", "Who rowed?"),
            ("question[a]", "sisters"),
            ("question[b]", "brothers"),
            ("question[c]", "cats"),
            ("question[d]", "nobody"),
        ],
        statuses: LEAD_404,
    },
    RoleExpectation {
        endpoint: "add-question",
        form: &[
            STUDY,
            ("passage", "00000000-0000-0000-0000-000000000000"),
            ("question[text]", "Who rowed?"),
            ("question[a]", "sisters"),
            ("question[b]", "brothers"),
            ("question[c]", "cats"),
            ("question[d]", "nobody"),
        ],
        statuses: LEAD_404,
    },
    RoleExpectation {
        endpoint: "set-passage-purpose",
        form: &[
            STUDY,
            ("passage", "00000000-0000-0000-0000-000000000000"),
            ("purpose", "practice"),
        ],
        statuses: LEAD_404,
    },
    RoleExpectation {
        endpoint: "bring-in-reading",
        form: &[STUDY, ("upload", "00000000-0000-0000-0000-000000000000")],
        statuses: LEAD_404,
    },
    RoleExpectation {
        endpoint: "take-sources",
        form: &[STUDY],
        statuses: LEAD,
    },
    RoleExpectation {
        endpoint: "set-retention",
        form: &[STUDY, ("retention", "for ever")],
        statuses: LEAD,
    },
    RoleExpectation {
        endpoint: "erase-study",
        form: &[STUDY, ("short_name", "another")],
        statuses: LEAD,
    },
    RoleExpectation {
        endpoint: "clone-study",
        form: &[STUDY, ("name", "")],
        statuses: LEAD,
    },
    RoleExpectation {
        endpoint: "close-study",
        form: &[STUDY],
        statuses: LEAD_PASSES,
    },
    RoleExpectation {
        endpoint: "archive-study",
        form: &[STUDY],
        statuses: LEAD_PASSES,
    },
    RoleExpectation {
        endpoint: "unarchive-study",
        form: &[STUDY],
        statuses: LEAD_PASSES,
    },
    RoleExpectation {
        endpoint: "reopen-study",
        form: &[STUDY],
        statuses: LEAD_PASSES,
    },
    RoleExpectation {
        endpoint: "preview-markdown",
        form: &[("text", "")],
        statuses: [401, 403, 403, 403, 200, 200],
    },
];

/// The workspace's calls with JSON, which only the person with the assignment may make.
const WORK: &[(&str, &str, [u16; 6])] = &[
    (
        "work/check-text/v1",
        r#"{"assignment":"00000000-0000-0000-0000-000000000001","text":"A text."}"#,
        [401, 404, 404, 404, 404, 404],
    ),
    (
        "work/hand-in/v1",
        r#"{"assignment":"00000000-0000-0000-0000-000000000000"}"#,
        [401, 404, 404, 404, 404, 404],
    ),
    (
        "work/reopen/v1",
        r#"{"assignment":"00000000-0000-0000-0000-000000000000"}"#,
        [401, 404, 404, 404, 404, 404],
    ),
    (
        "work/skip/v1",
        r#"{"assignment":"00000000-0000-0000-0000-000000000000","reason":"Unreadable."}"#,
        [401, 404, 404, 404, 404, 404],
    ),
    // Another person's answers wait until that person is back.
    (
        "work/save-changes/v1",
        r#"{"batch":{"person":"00000000-0000-0000-0000-000000000000","assignment":"00000000-0000-0000-0000-000000000000","changes":[],"activity":[]}}"#,
        [401, 401, 401, 401, 401, 401],
    ),
];

/// Functions for everybody: they sign in or out, follow a link with a secret, or choose colours.
const OPEN: &[&str] = &[
    "become-admin",
    "crowd/begin",
    "crowd/resume",
    "log-in",
    "log-out",
    "reading/begin",
    "reading/erase",
    "reading/finish",
    "reading/next",
    "reading/save/v1",
    "reading/withdraw",
    "register",
    "set-password",
    "theme",
];

/// An id of an upload that does not exist.
const NOBODYS_FILE: &str = "00000000-0000-0000-0000-000000000000";
const NO_WEBHOOK: (&str, &str) = ("webhook", NOBODYS_FILE);
const SOMEBODY: &[(&str, &str)] = &[
    ("person", "00000000-0000-0000-0000-000000000000"),
    ("to", "yes"),
];
const ADMIN: [u16; 6] = [401, 404, 404, 404, 404, 422];
/// Administrators pass, but the person does not exist.
const ADMIN_404: [u16; 6] = [401, 404, 404, 404, 404, 404];
const LEAD: [u16; 6] = [401, 404, 403, 403, 422, 422];
/// Leads and administrators pass, but the object does not exist.
const LEAD_404: [u16; 6] = [401, 404, 403, 403, 404, 404];
/// Annotators, leads and administrators pass, but the object does not exist.
const TAKES_PART_404: [u16; 6] = [401, 404, 404, 403, 404, 404];
const LEAD_PASSES: [u16; 6] = [401, 404, 403, 403, 200, 200];
/// Researchers, leads and administrators pass, but the form does not fit.
const READER: [u16; 6] = [401, 404, 403, 422, 422, 422];
/// Researchers, leads and administrators pass, but the object does not exist.
const READER_404: [u16; 6] = [401, 404, 403, 404, 404, 404];
const ANNOTATOR: [u16; 6] = [401, 404, 200, 403, 403, 403];

const WHO: [&str; 6] = [
    "nobody",
    "stranger",
    "annotator",
    "researcher",
    "lead",
    "admin",
];

#[tokio::test]
async fn each_server_function_refuses_everybody_it_is_not_for() {
    for row in ROWS {
        let site = TestSite::new().await;
        let cookies = cookies(&site).await;
        for ((who, cookie), expect) in WHO.iter().zip(&cookies).zip(row.statuses) {
            let answer = site.call(cookie.as_deref(), row.endpoint, row.form).await;
            let expect = StatusCode::from_u16(expect).unwrap();
            assert_eq!(
                answer.status, expect,
                "{} by {who}: {}",
                row.endpoint, answer.body
            );
        }
        site.store.close().await;
    }
}

#[tokio::test]
async fn files_are_taken_from_leads_only() {
    let site = TestSite::new().await;
    let cookies = cookies(&site).await;
    let table = [("rows.csv", &b"source\nThe ferry stopped.\n"[..])];
    for (with, expect) in [
        ("", LEAD_PASSES),
        (NOBODYS_FILE, [401, 404, 403, 403, 422, 422]),
    ] {
        for ((who, cookie), expect) in WHO.iter().zip(&cookies).zip(expect) {
            let fields = [STUDY, ("with", with)];
            let answer = site.upload(cookie.as_deref(), &fields, &table).await;
            assert_eq!(answer.status.as_u16(), expect, "{who}: {}", answer.body);
        }
    }
}

#[tokio::test]
async fn studies_are_made_of_files_by_those_who_may_create_studies() {
    let site = TestSite::new().await;
    let cookies = cookies(&site).await;
    for ((who, cookie), expect) in WHO.iter().zip(&cookies).zip([401, 403, 403, 403, 422, 422]) {
        let file = [("study.json", &b"{}"[..])];
        let answer = site
            .upload_to("study-file", cookie.as_deref(), &[], &file)
            .await;
        assert_eq!(answer.status.as_u16(), expect, "{who}: {}", answer.body);
    }
}

#[tokio::test]
async fn a_workspace_is_answered_only_for_its_annotator() {
    let site = TestSite::new().await;
    let cookies = cookies(&site).await;
    for (endpoint, body, expect) in WORK {
        for ((who, cookie), expect) in WHO.iter().zip(&cookies).zip(expect) {
            let answer = site.call_json(cookie.as_deref(), endpoint, *body).await;
            assert_eq!(
                answer.status.as_u16(),
                *expect,
                "{endpoint} by {who}: {}",
                answer.body
            );
        }
    }
}

#[tokio::test]
async fn each_server_function_is_in_a_table() {
    // The routes are registered when the site is built.
    let _site = TestSite::new().await;
    let endpoints: Vec<_> = ROWS
        .iter()
        .map(|row| row.endpoint)
        .chain(OPEN.iter().copied())
        .chain(WORK.iter().map(|(endpoint, ..)| *endpoint))
        .collect();

    for (path, _) in leptos::server_fn::axum::server_fn_paths() {
        let endpoint = path.trim_start_matches("/api/");
        assert!(
            endpoints.contains(&endpoint),
            "the server function {endpoint} is in no table of {}: say there who may call it",
            file!(),
        );
    }
}

/// A cookie for each of [`WHO`]; `None` without a session.
async fn cookies(site: &TestSite) -> [Option<String>; 6] {
    let study = site.study("a-study").await;
    let _other = site.study("another").await;

    let stranger = site.person("a stranger", false).await;
    let annotator = site.member(study, "an annotator", Role::Annotator).await;
    let researcher = site.member(study, "a researcher", Role::Researcher).await;
    let lead = site.member(study, "a lead", Role::Lead).await;
    let admin = site.person("an admin", true).await;

    let mut cookies = [const { None }; 6];
    for (cookie, person) in cookies
        .iter_mut()
        .skip(1)
        .zip([stranger, annotator, researcher, lead, admin])
    {
        *cookie = Some(site.sign_in(person).await);
    }
    cookies
}

#[tokio::test]
async fn pages_lead_strangers_to_sign_in_and_others_nowhere() {
    let site = TestSite::new().await;
    let cookies = cookies(&site).await;
    for (path, expect) in [
        ("/account", [303, 200, 200, 200, 200, 200]),
        ("/api", [200, 200, 200, 200, 200, 200]),
        ("/account/erase", [303, 200, 200, 200, 200, 200]),
        ("/people", [303, 404, 404, 404, 404, 200]),
        ("/audit", [303, 404, 404, 404, 404, 200]),
        ("/s/a-study", [303, 404, 403, 200, 200, 200]),
        ("/s/a-study/sources", [303, 404, 403, 200, 200, 200]),
        ("/s/a-study/members", [303, 404, 403, 403, 200, 200]),
        ("/s/a-study/assignments", [303, 404, 403, 403, 200, 200]),
        ("/s/a-study/training", [303, 404, 403, 403, 200, 200]),
        ("/s/a-study/settings", [303, 404, 403, 403, 200, 200]),
        ("/s/a-study/settings/texts", [303, 404, 403, 403, 200, 200]),
        ("/s/a-study/log", [303, 404, 403, 403, 200, 200]),
        ("/s/another/log", [303, 404, 404, 404, 404, 200]),
        (
            "/people/00000000-0000-0000-0000-000000000000/erase",
            [303, 404, 404, 404, 404, 404],
        ),
        ("/s/a-study/erase", [303, 404, 403, 403, 200, 200]),
        (
            "/s/a-study/settings/webhooks",
            [303, 404, 403, 403, 200, 200],
        ),
        (
            "/s/another/settings/webhooks",
            [303, 404, 404, 404, 404, 200],
        ),
        ("/s/a-study/crowd", [303, 404, 403, 403, 200, 200]),
        ("/s/another/crowd", [303, 404, 404, 404, 404, 200]),
        ("/s/a-study/crowd/pay.csv", [303, 404, 403, 403, 200, 200]),
        ("/s/a-study/work", [303, 404, 200, 403, 403, 403]),
        ("/s/a-study/guidelines", [303, 404, 200, 200, 200, 200]),
        ("/s/a-study/import", [303, 404, 403, 403, 200, 200]),
        (
            "/s/a-study/import/00000000-0000-0000-0000-000000000000",
            [303, 404, 403, 403, 404, 404],
        ),
        (
            "/s/a-study/import/jobs/00000000-0000-0000-0000-000000000000",
            [303, 404, 403, 403, 404, 404],
        ),
        (
            "/s/a-study/import/undo/00000000-0000-0000-0000-000000000000",
            [303, 404, 403, 403, 404, 404],
        ),
        ("/s/another/work", [303, 404, 404, 404, 404, 403]),
        ("/s/another/guidelines", [303, 404, 404, 404, 404, 200]),
        ("/s/a-study/quality", [303, 404, 403, 200, 200, 200]),
        ("/s/another/quality", [303, 404, 404, 404, 404, 200]),
        ("/s/a-study/systems", [303, 404, 403, 200, 200, 200]),
        ("/s/another/systems", [303, 404, 404, 404, 404, 200]),
        ("/s/a-study/systems/edit", [303, 404, 403, 403, 200, 200]),
        ("/s/another/systems/edit", [303, 404, 404, 404, 404, 200]),
        ("/s/a-study/ratings", [303, 404, 403, 200, 200, 200]),
        ("/s/another/ratings", [303, 404, 404, 404, 404, 200]),
        ("/s/a-study/consensus", [303, 404, 403, 200, 200, 200]),
        ("/s/another/consensus", [303, 404, 404, 404, 404, 200]),
        (
            "/s/a-study/consensus/00000000-0000-0000-0000-000000000000",
            [303, 404, 403, 404, 404, 404],
        ),
        ("/s/a-study/reading", [303, 404, 403, 200, 200, 200]),
        ("/s/another/reading", [303, 404, 404, 404, 404, 200]),
        (
            "/s/a-study/reading/analysis",
            [303, 404, 403, 200, 200, 200],
        ),
        (
            "/s/a-study/reading/passages",
            [303, 404, 403, 200, 200, 200],
        ),
        (
            "/s/a-study/reading/passages/00000000-0000-0000-0000-000000000000",
            [303, 404, 403, 404, 404, 404],
        ),
        (
            "/s/a-study/reading/import/00000000-0000-0000-0000-000000000000",
            [303, 404, 403, 403, 404, 404],
        ),
        (
            "/s/a-study/reading/answers.zip",
            [303, 404, 403, 200, 200, 200],
        ),
        (
            "/s/a-study/settings/study.json",
            [303, 404, 403, 403, 200, 200],
        ),
        (
            "/s/another/settings/study.json",
            [303, 404, 404, 404, 404, 200],
        ),
        ("/s/a-study/export", [303, 404, 403, 200, 200, 200]),
        (
            "/s/a-study/export/jsonl.zip",
            [303, 404, 403, 200, 200, 200],
        ),
        ("/s/a-study/export/none.zip", [303, 404, 403, 404, 404, 404]),
        (
            "/s/another/export/jsonl.zip",
            [303, 404, 404, 404, 404, 200],
        ),
        ("/s/no-such-study/work", [303, 404, 404, 404, 404, 404]),
    ] {
        for ((who, cookie), expect) in WHO.iter().zip(&cookies).zip(expect) {
            let answer = site.open(cookie.as_deref(), path).await;
            assert_eq!(answer.status.as_u16(), expect, "{path} by {who}");
            if expect == 303 {
                let next: String = url::form_urlencoded::Serializer::new(String::new())
                    .append_pair("next", path)
                    .finish();
                let back = format!("/login?{next}");
                // This serializer escapes `-` and `.` as well; both forms mean the same.
                let location = answer.location.unwrap_or_default();
                let location = location.replace("%2D", "-").replace("%2E", ".");
                assert_eq!(location, back);
            }
        }
    }
}

#[tokio::test]
async fn a_study_that_is_not_theirs_is_no_study() {
    let site = TestSite::new().await;
    let [_, stranger, ..] = cookies(&site).await;

    let missing = site
        .open(stranger.as_deref(), "/s/no-such-study/guidelines")
        .await;
    let hidden = site
        .open(stranger.as_deref(), "/s/a-study/guidelines")
        .await;

    assert_eq!(missing.status, hidden.status);
    assert!(!hidden.body.contains("a-study</"), "{}", hidden.body);
}

#[tokio::test]
async fn a_session_ends_when_its_person_is_shut_out() {
    let site = TestSite::new().await;
    let person = site.person("somebody", false).await;
    let cookie = site.sign_in(person).await;
    assert_eq!(
        site.open(Some(&cookie), "/account").await.status,
        StatusCode::OK
    );

    site.store
        .disable_person(person, clock::now_ms())
        .await
        .unwrap();
    let answer = site.open(Some(&cookie), "/account").await;
    assert_eq!(answer.status, StatusCode::SEE_OTHER);
}
