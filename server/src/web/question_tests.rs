//! Answers to a study's own questions: what annotators send, and what raters agree on.

use axum::http::StatusCode;
use domain::{
    ids::{AnnotationId, AssignmentId, OutputId, PersonId, RaterId},
    questions::QuestionAnswer,
    statistics::{agreement::MeasurementLevel, bootstrap::ResamplingOptions},
    study::{Role, StudySettings},
    work::change::{AnnotationAnswer, AnnotationChange, AnnotationSlot},
};
use serde_json::Value;
use service::{
    live::{LiveStudies, StudySnapshot},
    templates::StudyTemplate,
};
use store::{
    NewAssignment, annotator_answers::HandInOutcome, assignments::NextAssignment,
    rating_rows::RatingScope,
};

use super::study_fixture::StudyFixture;
use crate::{
    clock,
    reports::{AgreementJson, AgreementOptions, AgreementReport, ResamplingUnit},
};

/// Lets the study ask the template's questions, and its annotators agree.
async fn ask_questions(furnished: &StudyFixture) {
    let store = &furnished.site.store;
    let study = store.study(furnished.study).await.unwrap().unwrap();
    let settings = StudySettings {
        protocol: StudyTemplate::Questions.settings().protocol,
        annotators_agree: true,
        ..study.settings
    };
    let set = store.set_settings(furnished.study, &settings, clock::now_ms());
    assert!(set.await.unwrap());
}

fn slot(output: Option<OutputId>, key: &str) -> AnnotationSlot {
    let key = key.to_owned();
    AnnotationSlot::Question { output, key }
}

/// An annotator who answers all questions. They say that `missing` is missing from each output, or that nothing is.
async fn answer_all(furnished: &StudyFixture, name: &str, missing: Option<&str>) -> PersonId {
    let (store, study) = (&furnished.site.store, furnished.study);
    let person = furnished.site.member(study, name, Role::Annotator).await;
    loop {
        let new = NewAssignment {
            id: AssignmentId(clock::new_id()),
            rater: RaterId(clock::new_id()),
            seed: 1,
            now_ms: clock::now_ms(),
        };
        let next = store.next_assignment(study, person, new).await.unwrap();
        let NextAssignment::Assignment(assignment) = next else {
            return person;
        };

        let task = store.task(person, assignment).await.unwrap().unwrap();
        let one = |key: &str| QuestionAnswer::One(key.to_owned());
        let mut answers = vec![(None, "source-hard", one("easy"))];
        for item in &task.items {
            let of = Some(item.output);
            answers.extend([
                (of, "added", one("no")),
                (of, "easy", one("yes")),
                (
                    of,
                    "missing",
                    one(if missing.is_some() { "yes" } else { "no" }),
                ),
            ]);
            answers.extend(
                missing.map(|words| (of, "what-missing", QuestionAnswer::Text(words.to_owned()))),
            );
        }

        let change = |(output, key, answer)| AnnotationChange {
            id: AnnotationId(clock::new_id()),
            supersedes: None,
            slot: slot(output, key),
            answer: AnnotationAnswer::Question(Some(answer)),
        };

        let changes: Vec<_> = answers.into_iter().map(change).collect();
        let saved = store.save_work(person, assignment, &changes, &[], clock::now_ms());
        assert_eq!(saved.await.unwrap().unwrap().len(), changes.len());

        let (store, now) = (store.clone(), clock::now_ms());
        let hand_in = tokio::spawn(async move { store.hand_in(person, assignment, now).await });
        assert_eq!(hand_in.await.unwrap().unwrap(), Some(HandInOutcome::Done));
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn raters_agree_on_answers_in_a_plain_form_and_figures_have_them() {
    let furnished = StudyFixture::new().await;
    ask_questions(&furnished).await;
    let (site, study) = (&furnished.site, furnished.study);
    answer_all(&furnished, "one annotator", Some("The <b>date</b>.")).await;
    let second = answer_all(&furnished, "a third annotator", None).await;

    let cookie = site.sign_in(second).await;
    let listed = site.store.consensus_list(study).await.unwrap();
    let source = listed[0].source;
    let path = format!("/s/a-study/consensus/{source}");
    let source_id = source.to_string();

    let begin = [("slug", "a-study"), ("source", source_id.as_str())];
    let begun = site.call(Some(&cookie), "begin-consensus", &begin).await;
    assert_eq!(begun.status, StatusCode::OK, "{}", begun.body);

    let page = site.open(Some(&cookie), &path).await;
    page.assert_shows(&[
        "The source",
        "Is anything important missing?",
        "What is missing?",
        "The &lt;b&gt;date&lt;/b&gt;.",
        "in these words:",
    ]);

    let of = site.store.source_consensus(study, source).await.unwrap();
    let outputs: Vec<OutputId> = of.unwrap().outputs.iter().map(|of| of.output).collect();
    let json =
        |output: &OutputId, key: &str| serde_json::to_string(&slot(Some(*output), key)).unwrap();
    let send = async |finish: bool, text: &str| {
        let mut form = vec![
            ("slug".to_owned(), "a-study".to_owned()),
            ("source".to_owned(), source_id.clone()),
        ];
        let mut add = |at: usize, field: &str, value: &str| {
            form.push((format!("decisions[{at}][{field}]"), value.to_owned()));
        };

        // One rater submitted the source before the study asked questions, so nothing is decided yet.
        // One rater submitted the source before the study asked questions, so that nothing is decided yet.
        let about_source = serde_json::to_string(&slot(None, "source-hard")).unwrap();
        let mut chosen = vec![(about_source, "easy")];
        for output in &outputs {
            let answers = [("added", "no"), ("easy", "yes"), ("missing", "yes")];
            chosen.extend(answers.map(|(key, option)| (json(output, key), option)));
        }

        let mut at = 0;
        for (slot, option) in chosen {
            add(at, "slot", &slot);
            add(at, "answer", &format!(r#"{{"one":"{option}"}}"#));
            at += 1;
        }
        for output in &outputs {
            add(at, "slot", &json(output, "what-missing"));
            add(at, "answer", "written");
            add(at, "text", text);
            at += 1;
        }
        if finish {
            form.push(("then".to_owned(), "finish".to_owned()));
        }

        let form: Vec<_> = form
            .iter()
            .map(|(name, value)| (&**name, &**value))
            .collect();
        site.call(Some(&cookie), "decide-consensus", &form).await
    };

    let long = send(true, &"x".repeat(501)).await;
    long.assert_is(422, &["write at most 500"]);

    let open = send(true, "  ").await;
    assert_eq!(open.status, StatusCode::OK, "{}", open.body);

    let agreed = async || {
        let answers = site
            .store
            .study_answers(study, RatingScope::Consensus)
            .await;
        answers.unwrap().answers
    };
    assert!(agreed().await.is_empty(), "a text is asked for");

    let finished = send(true, "A\r\ndate.").await;
    assert_eq!(finished.status, StatusCode::OK, "{}", finished.body);
    let agreed = agreed().await;

    let mut texts = agreed
        .iter()
        .filter(|record| record.question == "what-missing");
    let words = QuestionAnswer::Text("A\ndate.".to_owned());
    assert!(texts.all(|record| record.answer == words), "{agreed:?}");
    assert_eq!(agreed.len(), 1 + 4 * outputs.len());

    let lead = site.sign_in(furnished.lead).await;
    let page = site
        .open(Some(&lead), "/s/a-study/systems?count=consensus")
        .await;
    assert_eq!(page.status, StatusCode::OK, "{}", page.body);
    let page = site.open(Some(&cookie), &path).await;
    page.assert_shows(&["Finished"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn agreement_on_answers_is_part_of_the_report() {
    let furnished = StudyFixture::new().await;
    ask_questions(&furnished).await;
    answer_all(&furnished, "one annotator", Some("A date.")).await;
    answer_all(&furnished, "a third annotator", None).await;

    let (store, id) = (&furnished.site.store, furnished.study);
    let settings = store.study(id).await.unwrap().unwrap().settings;

    let options = AgreementOptions {
        level: MeasurementLevel::Interval,
        by: None,
        bootstrap: Some(50),
        seed: ResamplingOptions::default().seed,
        unit: ResamplingUnit::Source,
    };

    let answers = store
        .study_answers(id, RatingScope::HandedIn)
        .await
        .unwrap();
    let questions = options.questions(&settings.protocol, &answers);

    let read = move |snapshot: &StudySnapshot| options.read_snapshot(snapshot, &settings, None);
    let live = LiveStudies::new(clock::now_ms);
    let report = live.read(store, id, RatingScope::HandedIn, read).await;
    let report = AgreementReport {
        questions,
        ..report.unwrap().unwrap()
    };
    let json: Value = serde_json::to_value(AgreementJson::from(&report)).unwrap();

    let find = |key: &str| {
        let mut questions = json["questions"].as_array().unwrap().iter();
        questions
            .find(|question| question["question"] == key)
            .cloned()
    };

    // About each output, one rater says that something is missing and the other that nothing is.
    let missing = find("missing").unwrap();
    assert_eq!(missing["about"], "output");
    let alpha = missing["agreement"][0]["alpha"].as_f64().unwrap();
    assert!(alpha < 0.0, "{missing}");
    assert!(missing["agreement"][0]["interval"].is_object(), "{missing}");

    // All answers are the same, so alpha is undefined.
    let easy = find("easy").unwrap();
    assert!(easy["agreement"][0]["alpha"].is_null(), "{easy}");
    assert_eq!(find("what-missing"), None);
}

#[tokio::test(flavor = "multi_thread")]
async fn hostile_answers_to_questions_take_no_page_away() {
    let furnished = StudyFixture::new().await;
    ask_questions(&furnished).await;
    let (site, study) = (&furnished.site, furnished.study);
    let person = site
        .member(study, "an annotator at work", Role::Annotator)
        .await;
    let assignment = furnished.next_assignment(person).await;
    let task = site.store.task(person, assignment).await.unwrap().unwrap();
    let output = task.items[0].output;

    let cookie = site.sign_in(person).await;
    let lead = site.sign_in(furnished.lead).await;

    let long = "x".repeat(100_000);
    let keys = [
        "missing",
        "added",
        "what-missing",
        "none",
        "",
        "\u{0}",
        &*long,
    ];
    let options = ["yes", "none", "", "\u{0}", "\u{202e}\u{200b}", &*long];

    for key in keys {
        let mut answers: Vec<Value> = vec![];
        for option in options {
            answers.push(serde_json::json!({"one": option}));
            answers.push(serde_json::json!({"text": option}));
            answers.push(serde_json::json!({"several": [option, option]}));
        }
        answers.push(serde_json::json!({"several": []}));
        answers.push(serde_json::json!({"one": 7}));

        for of in [Some(output), None, Some(OutputId(clock::new_id()))] {
            for answer in &answers {
                let body = serde_json::json!({"batch": {
                    "person": person, "assignment": assignment,
                    "changes": [{
                        "id": clock::new_id(), "supersedes": null,
                        "slot": {"question": {"output": of, "key": key}},
                        "answer": {"question": answer},
                    }],
                    "activity": [],
                }});
                let saved = site.call_json(Some(&cookie), "work/save-changes/v1", body.to_string());
                let saved = saved.await;
                let named: String = format!("{key:?} {answer}").chars().take(80).collect();
                assert!(saved.status.as_u16() < 500, "{named}: {}", saved.body);
            }
        }
    }

    for path in [
        "agreement",
        "systems",
        "sources",
        "export/jsonl.zip",
        "export/answers.zip",
    ] {
        let page = site.open(Some(&lead), &format!("/s/a-study/{path}")).await;
        assert_eq!(page.status, StatusCode::OK, "{path}: {}", page.body);
    }

    let page = format!("/s/a-study/work/{assignment}");
    let page = site.open(Some(&cookie), &page).await;
    assert_eq!(page.status, StatusCode::OK, "{}", page.body);
}
