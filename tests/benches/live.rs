//! A study of a million ratings in memory: how long a process reads, how long each page of figures
//! computes, and what one more rating costs, on both databases.
//!
//! `cargo bench --package stories`, with `RATINGS` for another number of ratings. Each source has 24 outputs, each
//! rated by three of a hundred raters; texts are short, since they are not measured.

#![allow(clippy::print_stdout, reason = "a bench prints what it measured")]
#![allow(clippy::disallowed_methods, reason = "a bench reads the clock")]

use std::{env, fs, time::Instant};

use domain::{
    category::Category,
    ids::{PersonId, RaterId, StudyId},
    random::SeededRandom,
    score::RatingScale,
    study::{OVERALL, RaterKind, Role, SourcePurpose, StudySettings, SystemKind},
    work::change::{AnnotationAnswer, AnnotationChange, AnnotationSlot},
};
use service::{
    figures::{
        AgreementKey, QualityKey, RatingScope, disputed::DisputedOutputsKey, systems::SystemsKey,
    },
    live::{LiveStudies, StudySnapshot},
};
use store::{
    assignments::{NewAssignment, NextAssignment},
    import::{AutomaticAnswers, NewOutput, NewRating},
};
use stories::{NOW, TestDatabase, fresh_id, on_postgres, on_sqlite};

const OUTPUTS: usize = 24;
const RATERS: usize = 3;
const CREW: usize = 100;

fn main() {
    let requested = env::var("RATINGS")
        .ok()
        .and_then(|value| value.parse().ok());
    let ratings: usize = requested.unwrap_or(1_000_000);
    let runtime = tokio::runtime::Runtime::new().expect("a runtime");
    runtime.block_on(async {
        on_sqlite(async |story| measure(story, ratings).await).await;
        on_postgres(async |story| measure(story, ratings).await).await;
    });
}

async fn measure(story: &TestDatabase, ratings: usize) {
    let study = story.add_study("a-study", None).await;
    let sources = ratings.div_ceil(OUTPUTS * RATERS);
    let begun = Instant::now();
    fill(story, study, sources).await;
    println!(
        "{} sources written in {:.1} s",
        sources,
        begun.elapsed().as_secs_f64()
    );

    let live = LiveStudies::new(|| 0);
    for scope in [RatingScope::HandedIn, RatingScope::IncludingOpen] {
        let begun = Instant::now();
        let count = live.read(&story.store, study, scope, |snapshot| {
            snapshot.ratings().count()
        });
        let count = count.await.expect("read");
        println!(
            "{scope:?}: {count} ratings read in {:.1} s",
            begun.elapsed().as_secs_f64()
        );
    }
    figures(&live, story, study, "first").await;
    figures(&live, story, study, "again").await;

    let person = PersonId(fresh_id());
    let store = &story.store;
    store
        .create_person(person, "somebody", None, false, NOW)
        .await
        .expect("a person");
    store
        .add_member(study, person, Role::Annotator, NOW)
        .await
        .expect("a member");

    let new = NewAssignment {
        id: domain::ids::AssignmentId(fresh_id()),
        rater: RaterId(fresh_id()),
        seed: 1,
        now_ms: NOW,
    };

    let next = store
        .next_assignment(study, person, new)
        .await
        .expect("a source");
    let NextAssignment::Assignment(assignment) = next else {
        panic!("there is something to judge, not {next:?}")
    };

    let task = store
        .task(person, assignment)
        .await
        .expect("read")
        .expect("a task");

    for item in task.items.iter().take(3) {
        let change = AnnotationChange {
            id: domain::ids::AnnotationId(fresh_id()),
            supersedes: None,
            slot: AnnotationSlot::Rating {
                output: item.output,
                dimension: OVERALL.into(),
            },
            answer: AnnotationAnswer::Rating(RatingScale::PERCENT.score(50).ok()),
        };
        store
            .save_work(person, assignment, &[change], &[], NOW)
            .await
            .expect("saved");

        let begun = Instant::now();
        let event = live
            .read(
                store,
                study,
                RatingScope::IncludingOpen,
                StudySnapshot::event,
            )
            .await;
        let ms = begun.elapsed().as_secs_f64() * 1e3;
        println!(
            "one more rating taken in: {ms:.2} ms (event {})",
            event.expect("read")
        );
    }

    figures(&live, story, study, "after it").await;
    if let Ok(status) = fs::read_to_string("/proc/self/status") {
        let peak = status.lines().find(|line| line.starts_with("VmHWM"));
        println!("{}", peak.unwrap_or_default());
    }
}

/// The figures of each live page.
async fn figures(live: &LiveStudies, story: &TestDatabase, study: StudyId, when: &str) {
    let scope = RatingScope::IncludingOpen;
    let say = |page: &str, begun: Instant| {
        println!(
            "{page}, {when}: {:.0} ms",
            begun.elapsed().as_secs_f64() * 1e3
        );
    };
    let time_page = async |page: &str, make: fn(&StudySnapshot)| {
        let begun = Instant::now();
        live.read(&story.store, study, scope, make)
            .await
            .expect("read");
        say(page, begun);
    };

    time_page("agreement", |snapshot| {
        snapshot.get_or_compute(AgreementKey {
            dimension: OVERALL.to_owned(),
            groups: vec![],
        });
    })
    .await;
    time_page("systems", |snapshot| {
        snapshot.get_or_compute(SystemsKey {
            dimension: OVERALL.to_owned(),
            category: None,
            group: None,
        });
    })
    .await;
    time_page("ratings", |snapshot| {
        snapshot.get_or_compute(DisputedOutputsKey {
            dimension: OVERALL.to_owned(),
        });
    })
    .await;
    time_page("quality", |snapshot| {
        snapshot.get_or_compute(QualityKey {
            dimension: StudySettings::default().dimensions[0].clone(),
        });
    })
    .await;
}

async fn fill(story: &TestDatabase, study: StudyId, sources: usize) {
    let mut random = SeededRandom::new(1);
    let import = story.store.begin_import(study, NOW, fresh_id).await;
    let mut import = import.expect("an import");

    let mut raters = Vec::new();
    for number in 0..CREW {
        let rater = import.rater(&format!("rater {number}"), RaterKind::Imported);
        raters.push(rater.expect("a rater"));
    }

    for number in 0..sources {
        let text = format!("The source number {number}.");
        let source = import
            .source(None, &text, SourcePurpose::Main)
            .expect("a source");
        let first = random.below(CREW);
        for output in 0..OUTPUTS {
            let system = import.system(&format!("system {output}"), Some(SystemKind::Machine));
            let text = format!("Number {number}, {output}.");
            let new = NewOutput::new(source, system.expect("a system"), &text);
            let automatic = || AutomaticAnswers {
                category: Category::ALL[(number + output) % 3],
                reason: String::new(),
                category_version: "bench 1".into(),
                edits: vec![],
                edits_version: "bench 1".into(),
            };
            let (output, _) = import.output(&new, automatic).expect("an output");

            let quality = random.below(60);
            for rater in 0..RATERS {
                let value = (quality + random.below(40)) as f64;
                let rater = raters[(first + rater * 7) % CREW];
                let rating = NewRating::overall(rater, output, value);
                import.rating(rating).expect("a rating");
            }
        }
    }
    import.commit().await.expect("committed");
}
