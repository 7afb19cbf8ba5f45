//! An annotator's first day: guidelines, tutorial, training, and what remains to do.

use domain::{
    ids::{AnnotationId, AssignmentId, OutputId, PersonId, RaterId, StudyId},
    score::RatingScale,
    study::{OVERALL, Role},
    work::{
        activity::ActivityReport,
        change::{AnnotationAnswer, AnnotationChange, AnnotationSlot, AnnotationStep},
        task::ExpectedAnswer,
    },
};
use store::{NewAssignment, annotator_answers::HandInOutcome, assignments::NextAssignment};

use super::{
    study_fixture::StudyFixture,
    testing::{TestSite, TextAssertions as _},
};
use crate::{clock, demo};

const MINUTE: i64 = 60_000;

/// A new annotator of the demonstration, who has consented and not begun.
struct FirstDay {
    site: TestSite,
    study: StudyId,
    person: PersonId,
    cookie: String,
}

impl FirstDay {
    async fn new() -> Self {
        let site = TestSite::new().await;
        demo::load(&site.store, None, false).await.unwrap();
        let study = site.store.study_by_slug(&"demo".parse().unwrap()).await;
        let study = study.unwrap().unwrap().id;

        let person = site.member(study, "ann", Role::Annotator).await;
        site.store
            .consent(study, person, clock::now_ms())
            .await
            .unwrap();

        let cookie = site.sign_in(person).await;
        Self {
            site,
            study,
            person,
            cookie,
        }
    }

    async fn page(&self, path: &str) -> String {
        let answer = self
            .site
            .open(Some(&self.cookie), &format!("/s/demo{path}"))
            .await;
        assert_eq!(answer.status, 200, "{}", answer.body);
        answer.body
    }

    /// Takes the next source, as the page's button does.
    async fn take_next(&self) -> AssignmentId {
        let answer = self
            .site
            .call(Some(&self.cookie), "next-source", &[("slug", "demo")])
            .await;
        let location = answer.location.expect("a source");
        let id = location.rsplit('/').next().unwrap();
        id.parse().expect("the address of a workspace")
    }

    async fn save(
        &self,
        assignment: AssignmentId,
        answers: Vec<(AnnotationSlot, AnnotationAnswer)>,
    ) {
        save(&self.site, self.person, assignment, answers).await;
    }

    /// The outputs of a source with their expected answers.
    async fn expectations(&self, key: &str) -> Vec<(OutputId, ExpectedAnswer)> {
        let sources = self.site.store.sources(self.study).await.unwrap();
        let source = sources.iter().find(|source| source.key == key).unwrap();
        let outputs = self.site.store.source_outputs(source.id).await.unwrap();
        let expected = outputs
            .into_iter()
            .map(|output| (output.id, output.expected.unwrap()));
        expected.collect()
    }
}

async fn save(
    site: &TestSite,
    person: PersonId,
    assignment: AssignmentId,
    answers: Vec<(AnnotationSlot, AnnotationAnswer)>,
) {
    let change = |(slot, answer)| AnnotationChange {
        id: AnnotationId(clock::new_id()),
        supersedes: None,
        slot,
        answer,
    };
    let changes: Vec<_> = answers.into_iter().map(change).collect();

    let now = clock::now_ms();
    let saved = site.store.save_work(person, assignment, &changes, &[], now);
    assert!(saved.await.unwrap().is_some());
}

async fn hand_in(site: &TestSite, person: PersonId, assignment: AssignmentId, now_ms: i64) {
    let store = site.store.clone();
    let handle = tokio::spawn(async move { store.hand_in(person, assignment, now_ms).await });
    assert_eq!(handle.await.unwrap().unwrap(), Some(HandInOutcome::Done));
}

fn rating(output: OutputId, score: i32) -> (AnnotationSlot, AnnotationAnswer) {
    let slot = AnnotationSlot::Rating {
        output,
        dimension: OVERALL.to_owned(),
    };
    let score = RatingScale::PERCENT.score(score).unwrap();
    (slot, AnnotationAnswer::Rating(Some(score)))
}

#[tokio::test]
async fn the_guidelines_come_first_and_lead_to_the_tutorial() {
    let day = FirstDay::new().await;

    let work = day.page("/work").await;
    let read = work.find("Read the guidelines").unwrap();
    assert!(read < work.find("Tutorial").unwrap());
    let current = work.find("aria-current=\"step\"").unwrap();
    assert!(current < read && work[current..read].len() < 80, "{work}");
    work.assert_shows(&["to read"]);

    let guidelines = day.page("/guidelines").await;
    assert!(guidelines.contains("Begin the tutorial"));

    day.take_next().await;
    let work = day.page("/work").await;
    work.assert_lacks(&["to read"]);
    work.assert_shows(&["Continue with the tutorial"]);
    assert!(
        day.page("/guidelines")
            .await
            .contains("Continue with the tutorial")
    );
    day.site.store.close().await;
}

#[tokio::test]
async fn a_lead_gets_no_work_with_the_guidelines() {
    let day = FirstDay::new().await;
    let lead = day.site.sign_in_member(day.study, "lea", Role::Lead).await;
    let page = day.site.open(Some(&lead), "/s/demo/guidelines").await;
    page.assert_shows(&["What a score means"]);
    page.assert_lacks(&["Begin the tutorial"]);
    day.site.store.close().await;
}

#[tokio::test]
async fn the_tutorial_tells_what_is_expected_after_the_try() {
    let day = FirstDay::new().await;

    let tutorial = day.take_next().await;
    let path = format!("/work/{tutorial}");
    let page = day.page(&path).await;
    page.assert_shows(&["Tutorial, step 1"]);
    assert!(!page.contains("This one is wrong"), "before any try");

    let best = day.expectations("tutorial-market").await[0].clone();
    assert_eq!((best.1.rating, best.1.tolerance), (Some(85), 10));

    let to_rating = (
        AnnotationSlot::Progress,
        AnnotationAnswer::Progress(AnnotationStep::Rate),
    );

    day.save(tutorial, vec![to_rating]).await;
    let page = day.page(&path).await;
    page.assert_shows(&["Tutorial, step 3"]);
    assert!(!page.contains(": expected "), "before any score");

    day.save(tutorial, vec![rating(best.0, 10)]).await;
    let page = day.page(&path).await;
    page.assert_shows(&["Too low, off by 65: expected 75 to 95."]);
    // The meanings of scores come from the study's guidelines.
    page.assert_shows(&["class=\"anchor\"", "10–29: is misled, or cannot follow"]);
    day.site.store.close().await;
}

#[tokio::test]
async fn a_training_is_compared_and_summed_up_once_submitted() {
    let day = FirstDay::new().await;
    for key in ["tutorial-market", "training-lighthouse"] {
        let assignment = day.take_next().await;
        let mut scores: Vec<_> = day
            .expectations(key)
            .await
            .into_iter()
            .map(|(output, expected)| rating(output, expected.rating.unwrap()))
            .collect();

        // The last score is too high; all others are as expected.
        let last = day.expectations(key).await.last().unwrap().0;
        scores.pop();
        scores.push(rating(last, 71));

        let to_rating = (
            AnnotationSlot::Progress,
            AnnotationAnswer::Progress(AnnotationStep::Rate),
        );
        scores.push(to_rating);

        day.save(assignment, scores).await;
        let open = day.page(&format!("/work/{assignment}")).await;
        let is_tutorial = key == "tutorial-market";
        assert_eq!(open.contains(": expected "), is_tutorial, "{key}");
        assert!(!open.contains("within range"), "{key}");

        hand_in(&day.site, day.person, assignment, clock::now_ms()).await;
        if !is_tutorial {
            let page = day.page(&format!("/work/{assignment}")).await;
            page.assert_shows(&[
                "Scores: 4 of 5 within range.",
                "Too high, off by 56: expected 0 to 15.",
                "callout right",
                "callout wrong",
            ]);
        }
    }
    day.site.store.close().await;
}

#[tokio::test]
async fn an_annotator_sees_the_queue_and_how_long_it_takes() {
    let furnished = StudyFixture::new().await;
    let (person, submitted) = furnished.annotator("ann").await;
    let cookie = furnished.site.sign_in(person).await;

    let open = async |path: &str| {
        let answer = furnished.site.open(Some(&cookie), path).await;
        assert_eq!(answer.status, 200, "{}", answer.body);
        answer.body
    };

    let work = open("/s/a-study/work").await;
    work.assert_shows(&[
        "about 7 to do",
        "0 in progress",
        "href=\"#submitted\"",
        "1 submitted",
        "1 done · about 7 more, less than a minute each: less than 5 minutes",
        &format!("/s/a-study/work/{submitted}\""),
    ]);
    assert!(!work.contains("Read the guidelines"), "there are none");
    work.assert_lacks(&["Your consistency"]);

    let next = furnished.next_assignment(person).await;
    let work = open("/s/a-study/work").await;
    work.assert_shows(&[
        "about 6 to do",
        "1 in progress",
        "Everything you did is saved.",
    ]);
    let page = open(&format!("/s/a-study/work/{next}")).await;
    page.assert_shows(&[
        "<title>Source 2 of about 8 · ",
        "Source 2 of about 8, less than a minute each",
        "Leave and come back: everything is saved",
    ]);
    let closed = open(&format!("/s/a-study/work/{submitted}")).await;
    assert!(!closed.contains("Leave and come back"));
    furnished.site.store.close().await;
}

#[tokio::test]
async fn a_break_is_suggested_between_sources_after_long_work() {
    let furnished = StudyFixture::new().await;
    let (site, study) = (&furnished.site, furnished.study);
    let person = site.member(study, "ann", Role::Annotator).await;
    let cookie = site.sign_in(person).await;
    let now = clock::now_ms();

    let new = NewAssignment {
        id: AssignmentId(clock::new_id()),
        rater: RaterId(clock::new_id()),
        seed: 1,
        now_ms: now - 120 * MINUTE,
    };

    let next = site.store.next_assignment(study, person, new).await;
    let NextAssignment::Assignment(long) = next.unwrap() else {
        panic!("there is something to judge");
    };

    let task = site.store.task(person, long).await.unwrap().unwrap();
    let scores = task.items.iter().map(|item| rating(item.output, 50));
    save(site, person, long, scores.collect()).await;

    let spent = ActivityReport {
        tab: clock::new_id(),
        rate_ms: 51 * 60_000,
        ..ActivityReport::default()
    };
    let saved = site.store.save_work(person, long, &[], &[spent], now).await;
    assert!(saved.unwrap().is_some());

    let hint = "id=\"break-hint\"";
    let before = site.open(Some(&cookie), "/s/a-study/work").await;
    assert!(!before.body.contains(hint), "in the middle of a source");

    hand_in(site, person, long, now).await;
    let after = site.open(Some(&cookie), "/s/a-study/work").await;
    after.assert_shows(&[hint]);

    let next = furnished.next_assignment(person).await;
    let path = format!("/s/a-study/work/{next}");
    let between = site.open(Some(&cookie), &path).await;
    between.assert_shows(&[hint]);
    let task = site.store.task(person, next).await.unwrap().unwrap();
    save(site, person, next, vec![rating(task.items[0].output, 50)]).await;
    let at_work = site.open(Some(&cookie), &path).await;
    at_work.assert_lacks(&[hint]);
    site.store.close().await;
}
