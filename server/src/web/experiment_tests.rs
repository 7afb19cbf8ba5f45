//! Experiments that compare protocols: who may start them, and what the pages say.

use axum::http::StatusCode;
use domain::{
    ids::{AssignmentId, PersonId, RaterId, StudyId},
    study::{Role, SourcePurpose, SystemKind},
};
use store::{NewAssignment, assignments::NextAssignment, import::NewOutput};

use super::testing::{TestResponse, TestSite, TextAssertions as _};
use crate::clock;

const SOURCES: usize = 4;

async fn add_sources(site: &TestSite, study: StudyId) {
    let mut import = site
        .store
        .begin_import(study, clock::now_ms(), clock::new_id)
        .await
        .unwrap();

    let settings = site.store.study(study).await.unwrap().unwrap().settings;
    for number in 0..SOURCES {
        let text = format!("The source {number} is long.");
        let source = import.source(None, &text, SourcePurpose::Main).unwrap();
        let system = import.system("A", Some(SystemKind::Machine)).unwrap();
        let new = NewOutput::new(source, system, "It is long.");
        let automatic = || {
            service::automatic_annotation::annotate_automatically(
                &settings,
                &text,
                "It is long.",
                None,
            )
        };
        import.output(&new, automatic).unwrap();
    }

    import.commit().await.unwrap();
}

async fn begin(site: &TestSite, person: PersonId, protocols: &[(&str, &str)]) -> TestResponse {
    let cookie = site.sign_in(person).await;
    let form: Vec<_> = [("slug", "river")]
        .iter()
        .chain(protocols)
        .copied()
        .collect();
    site.call(Some(&cookie), "start-experiment", &form).await
}

async fn page(site: &TestSite, person: PersonId, path: &str) -> TestResponse {
    let cookie = site.sign_in(person).await;
    site.open(Some(&cookie), path).await
}

#[tokio::test(flavor = "multi_thread")]
async fn a_lead_begins_an_experiment_and_annotators_see_its_parts() {
    let site = TestSite::new().await;
    let river = site.study("river").await;
    add_sources(&site, river).await;
    let lead = site.member(river, "a lead", Role::Lead).await;
    let researcher = site.member(river, "a researcher", Role::Researcher).await;
    let annotator = site.member(river, "an annotator", Role::Annotator).await;

    let of_lead = page(&site, lead, "/s/river/protocols").await;
    of_lead.assert_shows(&["Compare protocols in an experiment"]);
    let of_researcher = page(&site, researcher, "/s/river/protocols").await;
    of_researcher.assert_lacks(&["Compare protocols in an experiment"]);

    let begun = begin(
        &site,
        lead,
        &[("protocols[2]", "likert"), ("protocols[10]", "same")],
    )
    .await;
    assert_eq!(begun.status, StatusCode::OK, "{}", begun.body);
    let of_lead = page(&site, lead, "/s/river/protocols").await;
    for text in [
        "Randomised: these studies are arms of one experiment",
        "9 annotators have to take part; 0 have begun",
        "river: Likert scales",
        "Bring the arms up to date",
    ] {
        assert!(of_lead.body.contains(text), "{text} in {}", of_lead.body);
    }
    let of_researcher = page(&site, researcher, "/s/river-likert/protocols").await;
    of_researcher.assert_shows(&["Randomised: these studies"]);
    of_researcher.assert_lacks(&["Bring the arms up to date"]);

    let work = page(&site, annotator, "/s/river/work").await;
    work.assert_shows(&["This is one of 3 parts."]);

    let cookie = site.sign_in(annotator).await;
    let next = site
        .call(Some(&cookie), "next-source", &[("slug", "river-likert")])
        .await;
    assert_eq!(next.status, StatusCode::OK, "{}", next.body);
    let work = page(&site, annotator, "/s/river/work").await;
    work.assert_shows(&["This is part 1 of 3."]);
    let home = page(&site, annotator, "/").await;
    home.assert_shows(&["part 3 of 3"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_lead_of_one_arm_alone_changes_nothing_in_the_others() {
    let site = TestSite::new().await;
    let river = site.study("river").await;
    add_sources(&site, river).await;
    let lead = site.member(river, "a lead", Role::Lead).await;

    begin(&site, lead, &[("protocols[0]", "likert")]).await;
    let other = site.member(river, "another lead", Role::Lead).await;
    let cookie = site.sign_in(other).await;

    let update = site
        .call(Some(&cookie), "update-experiment", &[("slug", "river")])
        .await;
    assert_eq!(update.status, StatusCode::NOT_FOUND);
    let more = begin(&site, other, &[("protocols[0]", "pairwise")]).await;
    assert_eq!(more.status, StatusCode::NOT_FOUND);
    assert_eq!(site.store.studies().await.unwrap().len(), 2);

    let own = page(&site, other, "/s/river/protocols").await;
    own.assert_is(
        200,
        &[
            "Nothing to compare with yet",
            "A study that you cannot read",
        ],
    );
    own.assert_lacks(&["river: Likert scales", "Bring the arms up to date"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_no_protocol_is_refused() {
    let site = TestSite::new().await;
    let river = site.study("river").await;
    let lead = site.member(river, "a lead", Role::Lead).await;

    let none: &[(&str, &str)] = &[];
    for (form, expected) in [
        (none, "Choose the protocol that this one is compared with."),
        (&[("protocols[0]", "none")], "none"),
        (&[("protocols[a]", "likert"), ("protocols[b]", "<b>")], "b"),
    ] {
        let refused = begin(&site, lead, form).await;
        assert_eq!(refused.status, StatusCode::UNPROCESSABLE_ENTITY, "{form:?}");
        assert!(
            refused.body.contains(expected),
            "{form:?}: {}",
            refused.body
        );
    }

    assert_eq!(site.store.studies().await.unwrap().len(), 1);

    let many: Vec<_> = (0..6).map(|at| format!("protocols[{at}]")).collect();
    let many: Vec<_> = many.iter().map(|field| (&**field, "same")).collect();
    let refused = begin(&site, lead, &many).await;
    refused.assert_shows(&["compares 6 protocols at most"]);
    assert_eq!(site.store.studies().await.unwrap().len(), 1);
}

/// Takes the sources of a study and skips them until none is left.
async fn skip_all(site: &TestSite, study: StudyId, person: PersonId) {
    loop {
        let new = NewAssignment {
            id: AssignmentId(clock::new_id()),
            rater: RaterId(clock::new_id()),
            seed: 7,
            now_ms: clock::now_ms(),
        };
        let next = site.store.next_assignment(study, person, new).await;
        match next.unwrap() {
            NextAssignment::Assignment(assignment) => {
                let skipped = site
                    .store
                    .skip(person, assignment, "Seen.", clock::now_ms());
                assert_eq!(skipped.await.unwrap(), Some(()));
            }
            NextAssignment::OtherPart(_) => {}
            NextAssignment::Nothing => return,
            other => panic!("{other:?}"),
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn annotators_are_led_to_what_is_left_and_thanked_at_the_end() {
    const THANKS: &str = "There is nothing left for you in any part. Thank you!";
    let site = TestSite::new().await;
    let river = site.study("river").await;
    add_sources(&site, river).await;
    let lead = site.member(river, "a lead", Role::Lead).await;
    let annotator = site.member(river, "an annotator", Role::Annotator).await;
    let another = site
        .member(river, "another annotator", Role::Annotator)
        .await;

    begin(&site, lead, &[("protocols[0]", "likert")]).await;
    let likert = "river-likert".parse().unwrap();
    let likert = site.store.study_by_slug(&likert).await.unwrap().unwrap().id;

    // Their first part is the first study, but they work on the second one first.
    let cookie = site.sign_in(annotator).await;
    let next = site
        .call(Some(&cookie), "next-source", &[("slug", "river")])
        .await;
    assert_eq!(next.status, StatusCode::OK, "{}", next.body);
    skip_all(&site, likert, annotator).await;
    let second = page(&site, annotator, "/s/river-likert/work").await;
    second.assert_shows(&["Go to part 1: river"]);
    second.assert_lacks(&[THANKS]);

    skip_all(&site, river, annotator).await;
    for path in ["/s/river/work", "/s/river-likert/work"] {
        let done = page(&site, annotator, path).await;
        done.assert_shows(&[THANKS]);
        done.assert_lacks(&["Go to part"]);
    }

    // Nobody is led to a part that is closed.
    skip_all(&site, river, another).await;
    let done = page(&site, another, "/s/river/work").await;
    done.assert_shows(&["Go to part 1: river: Likert"]);
    site.store
        .close_study(likert, clock::now_ms())
        .await
        .unwrap();
    let done = page(&site, another, "/s/river/work").await;
    done.assert_shows(&[THANKS]);
    done.assert_lacks(&["Go to part"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn arms_that_were_made_before_one_failed_have_their_sources() {
    let site = TestSite::new().await;
    let river = site.study("river").await;
    add_sources(&site, river).await;
    let lead = site.member(river, "a lead", Role::Lead).await;

    // Leave no short name for the second arm.
    site.study("river-same").await;
    for number in 2..=21 {
        site.study(&format!("river-same-{number}")).await;
    }

    let form = [("protocols[0]", "likert"), ("protocols[1]", "same")];
    let refused = begin(&site, lead, &form).await;
    assert_ne!(refused.status, StatusCode::OK);

    let experiment = site.store.experiment_of(river).await.unwrap().unwrap();
    assert_eq!(experiment.arms.len(), 2);
    assert_eq!(experiment.arms[1].sources as usize, SOURCES);
    assert!(experiment.is_up_to_date());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_lead_reads_nothing_of_a_closed_arm_that_they_do_not_lead() {
    let site = TestSite::new().await;
    let river = site.study("river").await;
    let lead = site.member(river, "a lead", Role::Lead).await;

    begin(&site, lead, &[("protocols[0]", "likert")]).await;
    let likert = "river-likert".parse().unwrap();
    let likert = site.store.study_by_slug(&likert).await.unwrap().unwrap().id;

    add_sources(&site, likert).await;
    site.store
        .close_study(likert, clock::now_ms())
        .await
        .unwrap();

    let other = site.member(river, "another lead", Role::Lead).await;
    let cookie = site.sign_in(other).await;
    let update = site
        .call(Some(&cookie), "update-experiment", &[("slug", "river")])
        .await;
    assert_eq!(update.status, StatusCode::OK, "{}", update.body);

    let experiment = site.store.experiment_of(river).await.unwrap().unwrap();
    assert_eq!(
        (experiment.arms[0].sources, experiment.arms[1].unplaced),
        (0, SOURCES as u32)
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn an_arm_trains_no_aligner() {
    let site = TestSite::new().await;
    let river = site.study("river").await;
    add_sources(&site, river).await;
    let lead = site.member(river, "a lead", Role::Lead).await;
    let cookie = site.sign_in(lead).await;

    let train = async || {
        let form = [("slug", "river")];
        site.call(Some(&cookie), "train-aligner", &form).await.body
    };
    let body = train().await;
    body.assert_shows(&["The study has 0."]);

    let begun = begin(&site, lead, &[("protocols[0]", "likert")]).await;
    assert_eq!(
        site.store.studies().await.unwrap().len(),
        2,
        "{}",
        begun.body
    );
    let body = train().await;
    body.assert_shows(&["cannot have an aligner of its own"]);
}
