//! An annotator's workspace as the server draws it, before any script runs.

use axum::http::StatusCode;
use domain::{
    ids::{AnnotationId, AssignmentId, OutputId, PersonId, RaterId, StudyId},
    score::RatingScale,
    study::{OVERALL, Role, SourcePurpose, StudySettings},
    work::change::{AnnotationAnswer, AnnotationChange, AnnotationSlot, AnnotationStep},
};
use scraper::{Html, Selector};
use serde_json::json;
use service::automatic_annotation::annotate_automatically;
use store::{NewAssignment, assignments::NextAssignment, import::NewOutput};

use super::testing::{TestSite, TextAssertions as _};
use crate::clock;

const SOURCE: &str = "The old ferry was withdrawn after inspectors discovered corrosion.";
const OUTPUTS: [&str; 3] = [
    "The ferry was withdrawn.",
    "The old ferry stopped. It was rusty.",
    "The ferry was withdrawn.",
];

/// A study with two sources, each with three outputs, two of which have the same text.
struct Study {
    site: TestSite,
    id: StudyId,
}

/// An annotator with an assigned source.
struct Annotator {
    person: PersonId,
    cookie: String,
    assignment: AssignmentId,
}

impl Study {
    async fn new() -> Self {
        let site = TestSite::new().await;
        let id = site.study("river").await;
        let begun = site.store.begin_import(id, clock::now_ms(), clock::new_id);
        let mut import = begun.await.unwrap();

        for source in [SOURCE, "The mill by the bridge burned down in 1902."] {
            let of = import.source(None, source, SourcePurpose::Main).unwrap();
            for (number, output) in OUTPUTS.into_iter().enumerate() {
                let system = import.system(&format!("system {number}"), None).unwrap();
                let new = NewOutput::new(of, system, output);
                let settings = StudySettings::default();
                let annotate = || annotate_automatically(&settings, source, output, None);
                import.output(&new, annotate).unwrap();
            }
        }
        import.commit().await.unwrap();
        Self { site, id }
    }

    async fn annotator(&self, name: &str) -> Annotator {
        let person = self.site.member(self.id, name, Role::Annotator).await;
        Annotator {
            person,
            cookie: self.site.sign_in(person).await,
            assignment: self.give(person).await,
        }
    }

    async fn give(&self, person: PersonId) -> AssignmentId {
        let new = NewAssignment {
            id: AssignmentId(clock::new_id()),
            rater: RaterId(clock::new_id()),
            seed: 1,
            now_ms: clock::now_ms(),
        };
        let next = self.site.store.next_assignment(self.id, person, new).await;
        let NextAssignment::Assignment(assignment) = next.unwrap() else {
            panic!("there is something to judge");
        };
        assignment
    }

    /// Gives the annotator their next source.
    async fn next(&self, of: Annotator) -> Annotator {
        let assignment = self.give(of.person).await;
        Annotator { assignment, ..of }
    }

    /// The workspace of `of` as `by` gets it.
    async fn workspace(&self, by: &Annotator, of: &Annotator) -> (StatusCode, String) {
        let path = format!("/s/river/work/{}", of.assignment);
        let answer = self.site.open(Some(&by.cookie), &path).await;
        (answer.status, answer.body.replace("<!>", ""))
    }

    async fn own(&self, of: &Annotator) -> String {
        let (status, body) = self.workspace(of, of).await;
        assert_eq!(status, StatusCode::OK, "{body}");
        body
    }

    async fn save(&self, of: &Annotator, answers: Vec<(AnnotationSlot, AnnotationAnswer)>) {
        let changes = answers.into_iter().map(|(slot, answer)| AnnotationChange {
            id: AnnotationId(clock::new_id()),
            supersedes: None,
            slot,
            answer,
        });
        let changes: Vec<_> = changes.collect();

        let (store, now) = (&self.site.store, clock::now_ms());
        let saved = store.save_work(of.person, of.assignment, &changes, &[], now);
        assert_eq!(saved.await.unwrap().unwrap().len(), changes.len());
    }

    /// Rates each text with `score`, and writes this note on each.
    async fn judge(&self, of: &Annotator, score: i32, note: &str) {
        let task = self.site.store.task(of.person, of.assignment).await;
        let items = task.unwrap().unwrap().items;

        let answers = items.iter().flat_map(|item| {
            let output = item.output;
            let dimension = OVERALL.to_owned();
            let rating = RatingScale::PERCENT.score(score).unwrap();
            [
                (
                    AnnotationSlot::Rating { output, dimension },
                    AnnotationAnswer::Rating(Some(rating)),
                ),
                (
                    AnnotationSlot::Note { output },
                    AnnotationAnswer::Note(note.to_owned()),
                ),
            ]
        });

        let step = AnnotationAnswer::Progress(AnnotationStep::Rate);
        let step = (AnnotationSlot::Progress, step);
        self.save(of, answers.chain([step]).collect()).await;
    }

    /// Calls a server function of the workspace.
    async fn call(&self, of: &Annotator, endpoint: &str, reason: &str) -> String {
        let body = json!({"assignment": of.assignment, "reason": reason});
        let endpoint = format!("work/{endpoint}/v1");
        let cookie = Some(of.cookie.as_str());
        let answer = self
            .site
            .call_json(cookie, &endpoint, body.to_string())
            .await;
        assert_eq!(answer.status, StatusCode::OK, "{endpoint}: {}", answer.body);
        answer.body
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn the_workspace_can_be_read_and_takes_no_answers_until_its_scripts_run() {
    let study = Study::new().await;
    let annotator = study.annotator("ann").await;
    let page = study.own(&annotator).await;
    page.assert_shows(&[
        "You need JavaScript to judge texts.",
        "Loading…",
        "inspectors",
    ]);

    let page = Html::parse_document(&page);
    let buttons = Selector::parse(".work button").unwrap();
    let free = page.select(&buttons).filter(|button| {
        let mut around = button
            .ancestors()
            .filter_map(|node| node.value().as_element());
        !around.any(|element| element.attr("inert").is_some())
    });

    assert_eq!(
        free.map(|button| button.html()).collect::<Vec<_>>(),
        [""; 0]
    );
    assert!(page.select(&buttons).count() > 5);
}

#[tokio::test(flavor = "multi_thread")]
async fn identical_outputs_are_one_and_no_system_is_named() {
    let study = Study::new().await;
    let annotator = study.annotator("ann").await;
    study.judge(&annotator, 50, "").await;
    let page = study.own(&annotator).await;
    assert_eq!(page.matches("2 systems wrote this").count(), 1, "{page}");
    page.assert_lacks(&["system 0", "system 1", "system 2"]);

    let rows = Selector::parse("input.num").unwrap();
    assert_eq!(Html::parse_document(&page).select(&rows).count(), 2);
}

#[tokio::test(flavor = "multi_thread")]
async fn annotators_of_a_source_never_see_each_others_answers() {
    let study = Study::new().await;
    let pair = [study.annotator("ann").await, study.annotator("ben").await];
    let notes = ["only the first wrote this", "only the second wrote this"];
    for (at, of) in pair.iter().enumerate() {
        study.judge(of, [11, 93][at], notes[at]).await;
    }
    // Neither before nor after one or both of them have submitted.
    for submitted in 0..=2 {
        if submitted > 0 {
            study.call(&pair[submitted - 1], "hand-in", "").await;
        }
        for (at, of) in pair.iter().enumerate() {
            let own = study.own(of).await;
            assert!(own.contains(notes[at]) && !own.contains(notes[1 - at]));
            let scores = ["value=\"11\"", "value=\"93\""];
            assert!(own.contains(scores[at]) && !own.contains(scores[1 - at]));

            let (status, other) = study.workspace(of, &pair[1 - at]).await;
            assert_eq!(status, StatusCode::NOT_FOUND);
            assert!(!other.contains(notes[1 - at]));
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_source_is_skipped_and_another_one_is_changed_after_it_was_submitted() {
    let study = Study::new().await;
    let skips = study.annotator("ann").await;
    let next = study.call(&skips, "skip", "It is not a sentence.").await;
    assert!(!next.contains(&skips.assignment.to_string()), "{next}");
    assert!(study.own(&skips).await.contains("You skipped this source."));

    let submits = study.annotator("ben").await;
    study.judge(&submits, 50, "").await;
    assert!(!study.own(&submits).await.contains("You have submitted"));
    study.call(&submits, "hand-in", "").await;
    let closed = study.own(&submits).await;
    assert!(
        closed.contains("You have submitted this source.") && closed.contains("Change my answers")
    );
    study.call(&submits, "reopen", "").await;
    assert!(!study.own(&submits).await.contains("You have submitted"));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_tutorial_or_a_training_cannot_be_skipped() {
    for (purpose, may_skip) in [
        (SourcePurpose::Tutorial, false),
        (SourcePurpose::Training, false),
        (SourcePurpose::Qualification, true),
        (SourcePurpose::Main, true),
    ] {
        let study = Study::new().await;
        let sources = study.site.store.sources(study.id).await.unwrap();
        let set = study
            .site
            .store
            .set_purpose(study.id, sources[0].id, purpose, 0);
        assert!(set.await.unwrap());

        let annotator = study.annotator("ann").await;
        let page = Html::parse_document(&study.own(&annotator).await);
        let buttons = Selector::parse(".work-foot button").unwrap();
        let mut buttons = page.select(&buttons);
        let skip =
            buttons.find(|button| button.text().any(|text| text.contains("Skip this source")));
        let is_hidden = skip.expect("the button").attr("hidden").is_some();
        assert_eq!(is_hidden, !may_skip, "{purpose}");

        let body = json!({"assignment": annotator.assignment, "reason": "by accident"});
        let cookie = Some(annotator.cookie.as_str());
        let answer = study
            .site
            .call_json(cookie, "work/skip/v1", body.to_string());
        let answer = answer.await;
        assert_eq!(answer.status == StatusCode::OK, may_skip, "{}", answer.body);
        let is_named = answer.body.contains("cannot be skipped");
        assert_eq!(is_named, !may_skip, "{}", answer.body);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_source_of_a_closed_study_says_so_and_offers_nothing_that_would_be_refused() {
    let study = Study::new().await;
    let (begun, submitted) = (study.annotator("ann").await, study.annotator("ben").await);
    study.judge(&submitted, 50, "").await;
    study.call(&submitted, "hand-in", "").await;

    let notice = "This study is closed. Your answers are kept, and can no longer be changed.";
    let before = study.own(&begun).await;
    assert!(before.contains("Skip this source") && !before.contains(notice));

    let closed = study.site.store.close_study(study.id, clock::now_ms());
    assert!(closed.await.unwrap());
    let page = study.own(&begun).await;
    page.assert_shows(&[notice]);
    for offered in ["Skip this source…", "Continue to the edits", "Pause</a>"] {
        assert!(
            before.contains(offered) && !page.contains(offered),
            "{offered}"
        );
    }
    let page = study.own(&submitted).await;
    page.assert_shows(&["It can no longer be changed."]);
    page.assert_lacks(&["Change my answers"]);

    // Reopening the study reopens its sources.
    let open = study.site.store.reopen_study(study.id, clock::now_ms());
    assert!(open.await.unwrap());
    assert!(!study.own(&begun).await.contains(notice));
    assert!(study.own(&submitted).await.contains("Change my answers"));
}

#[tokio::test(flavor = "multi_thread")]
async fn the_last_source_is_called_so_and_annotators_who_are_done_are_thanked() {
    let study = Study::new().await;
    let annotator = study.annotator("ann").await;
    let first = study.own(&annotator).await;
    assert!(first.contains("Source 1 of about 2"), "{first}");
    study.judge(&annotator, 50, "").await;
    let next = study.call(&annotator, "hand-in", "").await;
    assert!(!next.contains("judged all"), "{next}");

    let annotator = study.next(annotator).await;
    let last = study.own(&annotator).await;
    let place = "Source 2, the last one for now</span>";
    last.assert_shows(&[place]);

    study.judge(&annotator, 50, "").await;
    study.call(&annotator, "hand-in", "").await;
    let after = study.own(&annotator).await;
    assert!(after.contains("Source 2</span>"), "{after}");

    let home = study.site.open(Some(&annotator.cookie), "/s/river/work");
    let home = home.await.body;
    home.assert_shows(&["You have judged all 2 sources. Thank you!"]);
    home.assert_lacks(&["come back later"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn answers_stay_when_a_lead_changes_the_way_of_working() {
    let study = Study::new().await;
    let lead = study.site.sign_in_member(study.id, "lea", Role::Lead).await;
    let annotator = study.annotator("ann").await;
    let task = study
        .site
        .store
        .task(annotator.person, annotator.assignment);
    let output = task.await.unwrap().unwrap().items[0].output;

    let moved = domain::category::Category::Paraphrase;
    let answers = vec![
        (
            AnnotationSlot::Category { output },
            AnnotationAnswer::Category(Some(moved)),
        ),
        (
            AnnotationSlot::Progress,
            AnnotationAnswer::Progress(AnnotationStep::Highlight),
        ),
    ];
    study.save(&annotator, answers).await;

    for (layout, heading) in [("merged", "Check &amp; rate"), ("steps", "Check edits")] {
        let fields = [
            ("slug", "river"),
            ("categorise", "yes"),
            ("edits", "check"),
            ("rating", "rank"),
            ("layout", layout),
            ("outputs", "all"),
        ];
        let saved = study.site.call(Some(&lead), "set-protocol", &fields).await;
        assert_eq!(saved.status, StatusCode::OK, "{}", saved.body);

        let settings = study.site.open(Some(&lead), "/s/river/settings/protocol");
        let settings = Html::parse_document(&settings.await.body);
        let chosen = format!("input[name=layout][value={layout}][checked]");
        assert_eq!(
            settings.select(&Selector::parse(&chosen).unwrap()).count(),
            1
        );

        let page = study.own(&annotator).await;
        page.assert_shows(&[&format!("{heading}</h1>")]);
        let is_told = page.contains("moved by you");
        assert_eq!(is_told, layout == "merged", "{page}");
    }
}

/// Stored ids begin with the time, so they would tell imported outputs from those added for quality control, and
/// attention items from other sources.
#[tokio::test(flavor = "multi_thread")]
async fn ids_in_the_page_are_not_the_stored_ones_and_answers_come_back_by_either() {
    let study = Study::new().await;
    let annotator = study.annotator("ann").await;
    let stored = async || {
        let task = study
            .site
            .store
            .task(annotator.person, annotator.assignment);
        task.await.unwrap().unwrap()
    };

    let task = stored().await;
    let page = study.own(&annotator).await;
    for item in &task.items {
        assert!(!page.contains(&item.output.to_string()), "{page}");
    }

    let document = Html::parse_document(&page);
    let work = document
        .select(&Selector::parse("[data-work]").unwrap())
        .next();
    let input = work.unwrap().attr("data-work").unwrap();
    let input: serde_json::Value = serde_json::from_str(input).unwrap();

    let shown = &input["task"]["items"][0];
    assert_eq!(shown["text"], json!(task.items[0].text));
    let shown: OutputId = serde_json::from_value(shown["output"].clone()).unwrap();
    assert_eq!(shown.0.get_version_num(), 8);

    let slot = |output| AnnotationSlot::Rating {
        output,
        dimension: OVERALL.to_owned(),
    };
    let change = |output, score, supersedes| AnnotationChange {
        id: AnnotationId(clock::new_id()),
        supersedes,
        slot: slot(output),
        answer: AnnotationAnswer::Rating(Some(RatingScale::PERCENT.score(score).unwrap())),
    };
    let send = async |changes: &[&AnnotationChange]| {
        let body = json!({"batch": {
            "person": annotator.person, "assignment": annotator.assignment, "changes": changes, "activity": [],
        }});
        let cookie = Some(annotator.cookie.as_str());
        let sent = study
            .site
            .call_json(cookie, "work/save-changes/v1", body.to_string());
        let answer = sent.await;
        assert_eq!(answer.status, StatusCode::OK, "{}", answer.body);
        answer.body
    };

    let first = change(shown, 40, None);
    assert!(send(&[&first]).await.contains("saved"));
    let answers = stored().await.answers;
    assert_eq!(answers[0].slot, slot(task.items[0].output));

    // A change from a browser that still has the stored ids.
    let second = change(task.items[0].output, 50, Some(first.id));
    assert!(send(&[&second]).await.contains("saved"));

    let conflict = send(&[&change(shown, 60, None)]).await;
    assert!(conflict.contains("conflict"), "{conflict}");
    assert!(conflict.contains(&shown.to_string()), "{conflict}");
    let real = task.items[0].output.to_string();
    assert!(!conflict.contains(&real), "{conflict}");
}
