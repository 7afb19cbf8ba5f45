//! The pages of a lead: tabs, settings, and the overview with its tasks and news.

use axum::{
    body::Body,
    http::{Request, StatusCode, header},
};
use domain::{
    protocol::OutputsShown,
    study::{Dimension, QualityControl, Role, SourceOrder},
};

use super::{
    study_fixture::{StudyFixture, form},
    testing::{TestSite, TextAssertions as _},
};
use crate::clock;

const HOUR: i64 = 60 * 60 * 1000;

/// A page without the comments between its text nodes.
fn without_comments(page: &str) -> String {
    page.replace("<!>", "")
}

#[tokio::test]
async fn tabs_lead_to_what_a_role_may_open_and_name_the_current_page() {
    let site = TestSite::new().await;
    let study = site.study("a-study").await;
    let lead = site.sign_in_member(study, "a lead", Role::Lead).await;
    let page = site.open(Some(&lead), "/s/a-study/settings/privacy").await;
    assert_eq!(page.status, StatusCode::OK);
    for link in [
        r#"<a href="/s/a-study">Overview</a>"#,
        r#"<a href="/s/a-study/sources">Data</a>"#,
        r#"<a href="/s/a-study/settings" aria-current="true">Settings</a>"#,
        r#"<a href="/s/a-study/settings/privacy" aria-current="page">Privacy</a>"#,
    ] {
        assert!(without_comments(&page.body).contains(link), "{link}");
    }

    let tabs = page.body.split("data-pages").next().unwrap();
    assert!(!tabs.contains("/s/a-study/systems"), "another group");
    assert!(page.body.contains("/s/a-study/systems"), "for commands");

    let reader = site
        .sign_in_member(study, "a reader", Role::Researcher)
        .await;
    let page = site.open(Some(&reader), "/s/a-study/sources").await;
    for link in [
        r#"<a href="/s/a-study/sources" aria-current="page">Sources</a>"#,
        r#"<a href="/s/a-study/export">Export</a>"#,
        r#"<a href="/s/a-study/agreement">Results</a>"#,
    ] {
        assert!(without_comments(&page.body).contains(link), "{link}");
    }

    for path in [
        "/import",
        "/members",
        "/crowd",
        "/assignments",
        "/training",
        "/settings",
    ] {
        assert!(
            !page.body.contains(&format!("/s/a-study{path}\"")),
            "{path}"
        );
    }
}

#[tokio::test]
async fn general_settings_are_saved_together() {
    let site = TestSite::new().await;
    let study = site.study("a-study").await;
    let lead = site.sign_in_member(study, "a lead", Role::Lead).await;
    let fields = [
        ("slug", "a-study"),
        ("name", "Rivers"),
        ("overlap", "2"),
        ("lease_hours", "5"),
        ("qualification", "lead"),
    ];
    let saved = site.call(Some(&lead), "set-general", &fields).await;
    assert_eq!(saved.status, StatusCode::OK);

    let found = site.store.study(study).await.unwrap().unwrap();
    assert_eq!((&found.name[..], found.settings.overlap), ("Rivers", 2));
    assert_eq!(found.settings.source_order, SourceOrder::AsImported);

    let chosen = [&fields[..], &[("source_order", "where-uncertain")]].concat();
    let saved = site.call(Some(&lead), "set-general", &chosen).await;
    assert_eq!(saved.status, StatusCode::OK);

    // A form without the field leaves the order as it is.
    site.call(Some(&lead), "set-general", &fields).await;
    let found = site.store.study(study).await.unwrap().unwrap();
    assert_eq!(found.settings.source_order, SourceOrder::WhereUncertain);

    let page = site.open(Some(&lead), "/s/a-study/settings").await.body;
    let choices: Vec<_> = page
        .split("<input")
        .filter(|input| input.contains("source_order"))
        .collect();
    assert_eq!(choices.len(), 2);
    assert!(!choices[0].contains("checked") && choices[1].contains("checked"));

    let unknown = [&fields[..], &[("source_order", "random")]].concat();
    let refused = site.call(Some(&lead), "set-general", &unknown).await;
    assert_eq!(refused.status, StatusCode::UNPROCESSABLE_ENTITY);

    let nameless: Vec<_> = fields
        .iter()
        .map(|(name, value)| (*name, if *name == "name" { "" } else { *value }))
        .collect();
    let refused = site.call(Some(&lead), "set-general", &nameless).await;
    assert_eq!(refused.status, StatusCode::UNPROCESSABLE_ENTITY);

    let texts = [("slug", "a-study"), ("guidelines", "# Be fair")];
    let saved = site.call(Some(&lead), "describe-study", &texts).await;
    assert_eq!(saved.status, StatusCode::OK);
    let found = site.store.study(study).await.unwrap().unwrap();
    assert_eq!(
        (&found.name[..], &found.guidelines[..]),
        ("Rivers", "# Be fair")
    );
}

#[tokio::test]
async fn groups_are_saved_and_their_members_told_of_where_one_is_removed() {
    let site = TestSite::new().await;
    let study = site.study("a-study").await;
    let lead = site.sign_in_member(study, "a lead", Role::Lead).await;
    site.sign_in_member(study, "an annotator", Role::Annotator)
        .await;
    let members = site.store.members(study).await.unwrap();
    let annotator = members.iter().find(|member| member.role == Role::Annotator);
    let annotator = annotator.unwrap().person.to_string();

    let fields = [
        ("slug", "a-study"),
        ("groups[0][name]", " Experts "),
        ("groups[0][attributes][1]", "expert"),
        ("groups[0][dimensions][0]", "overall"),
        ("groups[0][overlap]", "2"),
        ("groups[1][name]", "Target readers"),
        ("groups[1][attributes][2]", "target-reader"),
        ("groups[2][name]", ""),
    ];
    let saved = site.call(Some(&lead), "set-groups", &fields).await;
    assert_eq!(saved.status, 200, "{}", saved.body);

    let groups = async || {
        let found = site.store.study(study).await.unwrap().unwrap();
        serde_json::to_value(found.settings.groups).unwrap()
    };
    let expect = serde_json::json!([
        {"id": "experts", "name": "Experts", "attributes": ["expert"], "dimensions": ["overall"], "overlap": 2},
        {"id": "target-readers", "name": "Target readers", "attributes": ["target-reader"]},
    ]);
    assert_eq!(groups().await, expect);

    let grouped = [
        ("slug", "a-study"),
        ("person", &*annotator),
        ("group", "experts"),
    ];
    let changed = site.call(Some(&lead), "set-member-group", &grouped).await;
    assert_eq!(changed.status, 200, "{}", changed.body);
    let page = site.open(Some(&lead), "/s/a-study/settings/groups").await;
    page.assert_shows(&["Experts, 1 annotator"]);
    let page = site.open(Some(&lead), "/s/a-study/members").await;
    page.assert_shows(&["Group of an annotator"]);

    // A dimension cannot be removed while a group rates it.
    let other = [
        ("slug", "a-study"),
        ("dimensions[0][name]", "fluency"),
        ("dimensions[0][low]", "0"),
        ("dimensions[0][high]", "100"),
    ];
    let refused = site.call(Some(&lead), "set-dimensions", &other).await;
    refused.assert_is(422, &["the group “Experts” rates “overall”"]);

    // A renamed group keeps its members; those of a removed group are in none.
    let fewer = [
        ("slug", "a-study"),
        ("groups[0][id]", "experts"),
        ("groups[0][name]", "Professionals"),
    ];
    let saved = site.call(Some(&lead), "set-groups", &fewer).await;
    assert_eq!(saved.status, 200, "{}", saved.body);
    let page = site.open(Some(&lead), "/s/a-study/settings/groups").await;
    page.assert_shows(&["Professionals, 1 annotator"]);

    let none = [
        ("slug", "a-study"),
        ("groups[0][id]", "experts"),
        ("groups[0][name]", ""),
    ];
    let saved = site.call(Some(&lead), "set-groups", &none).await;
    assert_eq!(saved.status, 200, "{}", saved.body);
    assert_eq!(groups().await, serde_json::json!([]));

    let members = site.store.members(study).await.unwrap();
    assert!(members.iter().all(|member| member.group.is_none()));

    let gone = [
        ("slug", "a-study"),
        ("groups[0][id]", "experts"),
        ("groups[0][name]", "Experts"),
    ];
    let refused = site.call(Some(&lead), "set-groups", &gone).await;
    refused.assert_is(422, &["was removed meanwhile"]);
}

#[tokio::test]
async fn a_new_study_checks_attention_where_its_lead_wants_that() {
    let site = TestSite::new().await;
    let chief = site.person("the chief", true).await;
    let cookie = site.sign_in(chief).await;
    for (name, quality_control, expected) in [
        ("with", "yes", QualityControl::SUGGESTED),
        ("without", "", QualityControl::default()),
    ] {
        let fields = format!(
            "name={name}&template=rank-and-rate&overlap=3&category_rule=tuned&quality_control={quality_control}"
        );
        let made = site.call_text(Some(&cookie), "create-study", &fields);
        let made = made.await;
        assert_eq!(made.status, StatusCode::OK);

        let slug = name.parse().unwrap();
        let study = site.store.study_by_slug(&slug).await.unwrap().unwrap();
        assert_eq!(study.settings.quality_control, expected);
    }
}

#[tokio::test]
async fn the_overview_tells_what_is_new_since_the_last_visit() {
    let furnished = StudyFixture::new().await;
    let (site, study) = (&furnished.site, furnished.study);
    let lead = site.sign_in(furnished.lead).await;
    let overview = async || site.open(Some(&lead), "/s/a-study").await.body;
    overview().await.assert_lacks(&["Since you were here"]);

    // As if the last visit had been an hour ago.
    let event = site.store.newest_event(study).await.unwrap().unwrap();
    let earlier = store::visits::StudyVisit {
        at: clock::now_ms() - HOUR,
        event,
    };
    let another = site.member(study, "another lead", Role::Lead).await;
    site.store
        .note_visit(study, another, earlier)
        .await
        .unwrap();

    furnished.annotator("somebody").await;
    let cookie = site.sign_in(another).await;

    // A script's background request isn't a visit.
    let request = Request::get("/s/a-study").header(header::COOKIE, &cookie);
    let request = request.header("x-in-background", "1");
    let looked = site.send(request.body(Body::empty()).unwrap()).await;
    assert_eq!(looked.status(), StatusCode::OK);

    for _ in 0..2 {
        let page = site.open(Some(&cookie), "/s/a-study").await.body;
        page.assert_shows(&["Since you were here"]);
        assert!(page.contains("by 1 person"), "the visit goes on: {page}");
        page.assert_shows(&["new members"]);
    }
}

#[tokio::test]
async fn a_closed_study_has_no_forecast() {
    let furnished = StudyFixture::new().await;
    furnished.annotator("somebody").await;
    let (site, lead) = (
        &furnished.site,
        furnished.site.sign_in(furnished.lead).await,
    );
    let overview = async || site.open(Some(&lead), "/s/a-study").await.body;
    let page = overview().await;
    page.assert_shows(&[
        "submissions to go",
        "A forecast needs three submissions within a week, and a day",
    ]);

    let closed = site.store.close_study(furnished.study, clock::now_ms());
    assert!(closed.await.unwrap());
    let page = overview().await;
    page.assert_shows(&["This study has been closed"]);
    page.assert_lacks(&["submissions to go", "A forecast"]);
}

#[tokio::test]
async fn the_overview_and_the_sources_count_alike() {
    let furnished = StudyFixture::new().await;
    furnished.annotator("somebody").await;
    let (site, study) = (&furnished.site, furnished.study);
    let lead = site.sign_in(furnished.lead).await;

    // With one annotator for each source, some sources are done.
    let fields = [
        ("slug", "a-study"),
        ("name", "a-study"),
        ("overlap", "1"),
        ("lease_hours", "72"),
        ("qualification", "none"),
    ];
    let saved = site.call(Some(&lead), "set-general", &fields).await;
    assert_eq!(saved.status, StatusCode::OK, "{}", saved.body);

    let counts = site.store.study_overview(study, 1_u32).await;
    let counts = counts.unwrap();
    assert!(counts.done > 0);
    let sentence = format!(
        "{} done, {} begun, {} not started.",
        counts.done,
        counts.in_progress,
        counts.not_started()
    );

    let page = site.open(Some(&lead), "/s/a-study/sources").await.body;
    assert!(page.contains(&sentence), "{sentence}");

    let sentence = format!(
        "{} are done, {} begun, {} not started",
        counts.done,
        counts.in_progress,
        counts.not_started()
    );
    let page = site.open(Some(&lead), "/s/a-study").await.body;
    assert!(without_comments(&page).contains(&sentence), "{sentence}");
}

#[tokio::test]
async fn a_lead_gives_a_source_a_number_of_annotators_of_its_own() {
    let furnished = StudyFixture::new().await;
    let (site, study) = (&furnished.site, furnished.study);
    let lead = site.sign_in(furnished.lead).await;
    let settings = site.store.study(study).await.unwrap().unwrap().settings;
    let address = furnished.replace_names("/s/a-study/sources/{source}");
    let page = async || site.open(Some(&lead), &address).await.body;

    let as_set = format!(
        "Number of annotators: {}, as in the settings",
        settings.overlap
    );
    assert!(page().await.contains(&as_set), "{as_set}");

    let set = async |number: &str| {
        let fields = format!("slug=a-study&source={{source}}&overlap={number}");
        let fields = form(&furnished.replace_names(&fields));
        furnished
            .call(Some(&lead), "set-own-overlap", &fields)
            .await
    };

    let source = furnished.names["source"].as_str();
    let fields = [("slug", "a-study"), ("source", source), ("overlap", "10")];
    let changed = site.call(Some(&lead), "set-own-overlap", &fields).await;
    assert_eq!(changed.status, StatusCode::OK, "{}", changed.body);

    let with_message = format!("{lead}; {}", changed.cookie("flash"));
    let told = site.open(Some(&with_message), &address).await.body;
    told.assert_shows(&[" is now judged by 10 annotators."]);

    let own = "Number of annotators: 10, for this source alone";
    page().await.assert_shows(&[own]);
    let list = site.open(Some(&lead), "/s/a-study/sources").await.body;
    list.assert_shows(&[" of 10<"]);
    let overview = site.open(Some(&lead), "/s/a-study").await.body;
    overview.assert_shows(&["(one source: a number of its own)"]);

    for wrong in ["0", "101", "many", "-1"] {
        assert_eq!(set(wrong).await, 422, "{wrong}");
    }
    assert!(page().await.contains(own), "nothing was changed");
    assert_eq!(set(" ").await, 200);
    page().await.assert_shows(&[&as_set]);

    let reader = site
        .sign_in_member(study, "a reader", Role::Researcher)
        .await;
    let page = site.open(Some(&reader), &address).await;
    assert_eq!(page.status, StatusCode::OK);
    page.assert_lacks(&["Number of annotators"]);
}

#[tokio::test]
async fn a_template_brings_steps_scales_guidelines_and_a_tutorial() {
    let site = TestSite::new().await;
    let chief = site.person("the chief", true).await;
    let cookie = site.sign_in(chief).await;
    let fields = [
        ("name", "River"),
        ("template", "likert"),
        ("tutorial", "yes"),
        ("overlap", "2"),
        ("category_rule", "tuned"),
    ];
    let made = site.call(Some(&cookie), "create-study", &fields).await;
    assert_eq!(made.status, StatusCode::OK);

    let study = site.store.study_by_slug(&"river".parse().unwrap()).await;
    let study = study.unwrap().unwrap();
    assert_eq!(study.settings.protocol.describe(), "Rate");
    let levels = |dimension: &Dimension| dimension.input.levels().map(<[String]>::len);
    let levels: Vec<_> = study.settings.dimensions.iter().map(levels).collect();
    assert_eq!(levels, [Some(5); 3]);
    assert!(study.guidelines.contains("Simplicity"));

    let training = site.open(Some(&cookie), "/s/river/training").await.body;
    training.assert_shows(&["The committee, which had been criticised"]);
    let systems = site.store.systems(study.id).await.unwrap();
    assert_eq!(systems.len(), 5);
    assert!(systems.iter().all(|system| system.is_hidden));
    let preview = site.open(Some(&cookie), "/s/river/preview").await;
    preview.assert_shows(&["Preview: nothing is saved"]);

    let stranger = site.person("a stranger", false).await;
    let stranger = site.sign_in(stranger).await;
    for path in ["/s/river/preview", "/studies/new/likert"] {
        let refused = site.open(Some(&stranger), path).await;
        assert_ne!(refused.status, StatusCode::OK, "{path}");
        assert!(!refused.body.contains("nothing is saved"), "{path}");
    }

    let unknown = site.open(Some(&cookie), "/studies/new/other").await;
    assert_eq!(unknown.status, StatusCode::NOT_FOUND);
}

#[tokio::test(flavor = "multi_thread")]
async fn systems_are_renamed_and_hidden_on_a_page() {
    let furnished = StudyFixture::new().await;
    let lead = furnished.site.sign_in(furnished.lead).await;
    let open = async |path| furnished.site.open(Some(&lead), path).await.body;
    open("/s/a-study/systems")
        .await
        .assert_shows(&["/s/a-study/systems/edit"]);

    let page = open("/s/a-study/systems/edit").await;
    page.assert_shows(&[r#"aria-label="Hide The ferry stopped.""#]);
    page.assert_lacks(&["checked"]);

    let id = furnished.replace_names("{system}");
    let set = async |name| {
        let fields = [
            ("slug", "a-study"),
            ("systems[0][system]", id.as_str()),
            ("systems[0][name]", name),
            ("systems[0][kind]", "baseline"),
            ("systems[0][hidden]", "yes"),
        ];
        furnished
            .site
            .call(Some(&lead), "set-systems", &fields)
            .await
    };

    let refused = set("It was withdrawn.").await;
    refused.assert_is(422, &["choose another name"]);

    assert_eq!(set(" Copy ").await.status, StatusCode::OK);
    let page = open("/s/a-study/systems/edit").await;
    page.assert_shows(&[r#"aria-label="Name of Copy""#, "checked"]);

    // Fields that the lead left unchanged on an older page are not written.
    let fields = [
        ("slug", "a-study"),
        ("systems[0][system]", id.as_str()),
        ("systems[0][name]", "The ferry stopped."),
        ("systems[0][was_name]", "The ferry stopped."),
        ("systems[0][kind]", "human"),
        ("systems[0][was_kind]", "machine"),
        ("systems[0][was_hidden]", ""),
    ];
    let saved = furnished.site.call(Some(&lead), "set-systems", &fields);
    assert_eq!(saved.await.status, StatusCode::OK);
    let page = open("/s/a-study/systems/edit").await;
    page.assert_shows(&[
        r#"aria-label="Name of Copy""#,
        "checked",
        r#"name="systems[0][was_kind]" value="human""#,
    ]);

    // The box was ticked, and no longer is.
    let fields = [
        ("slug", "a-study"),
        ("systems[0][system]", id.as_str()),
        ("systems[0][name]", "Copy"),
        ("systems[0][was_name]", "Copy"),
        ("systems[0][kind]", "human"),
        ("systems[0][was_kind]", "human"),
        ("systems[0][was_hidden]", "yes"),
    ];
    let saved = furnished.site.call(Some(&lead), "set-systems", &fields);
    assert_eq!(saved.await.status, StatusCode::OK);
    let page = open("/s/a-study/systems/edit").await;
    page.assert_lacks(&["checked"]);
}

#[tokio::test]
async fn a_protocol_is_saved_where_its_steps_fit_each_other() {
    let site = TestSite::new().await;
    let study = site.study("a-study").await;
    let lead = site.sign_in_member(study, "a lead", Role::Lead).await;
    let set = async |extra: &[(&str, &str)]| {
        let mut fields = vec![
            ("slug", "a-study"),
            ("layout", "merged"),
            ("outputs", "one"),
        ];
        fields.extend(extra);
        site.call(Some(&lead), "set-protocol", &fields).await.status
    };

    let rate = ("rating", "rate");
    for refused in [
        &[("rating", "none")][..],
        &[rate, ("hides_source", "yes"), ("categorise", "yes")],
        &[("rating", "compare"), ("together", "4")],
        &[("rating", "compare"), ("together", "two")],
        &[("rating", "compare"), ("together", "2"), ("times", "99")],
        &[
            ("rating", "compare"),
            ("together", "2"),
            ("is_adaptive", "yes"),
        ],
    ] {
        assert_eq!(set(refused).await, StatusCode::UNPROCESSABLE_ENTITY);
    }

    let saved = set(&[rate, ("edits", "check"), ("shows_reference", "yes")]).await;
    assert_eq!(saved, StatusCode::OK);
    let found = site.store.study(study).await.unwrap().unwrap().settings;
    assert_eq!(found.protocol.describe(), "Check edits, rate");
    let step = found.protocol.rate_step().unwrap();
    assert_eq!(
        (step.outputs, step.shows_reference),
        (OutputsShown::One, true)
    );
    assert!(!found.is_merged(), "only Rank & Rate is merged");

    let compare = [("rating", "compare"), ("together", "4"), ("times", " 3 ")];
    assert_eq!(set(&compare).await, StatusCode::OK);
    let found = site.store.study(study).await.unwrap().unwrap().settings;
    let step = found.protocol.compare_step().unwrap();
    assert_eq!(
        (step.together, step.times, step.allows_ties),
        (4, Some(3), false)
    );

    let adaptive = [
        ("rating", "compare"),
        ("together", "2"),
        ("times", "3"),
        ("is_adaptive", "yes"),
    ];
    assert_eq!(set(&adaptive).await, StatusCode::OK);
    let found = site.store.study(study).await.unwrap().unwrap().settings;
    assert!(found.protocol.compare_step().unwrap().is_adaptive);
}
