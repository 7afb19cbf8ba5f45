use domain::study::StudySettings;

use super::*;
use crate::testing::new_study;

#[tokio::test]
async fn a_panic_costs_one_figure() {
    let (_folder, store, study) = new_study(StudySettings::default()).await;
    let live = LiveStudies::new(|| 0);

    let number = 7;
    let defect = move |_: &StudySnapshot| -> i64 { panic!("a variance of {number}") };
    let failed = live
        .read(&store, study, RatingScope::HandedIn, defect)
        .await;
    let error = failed.expect_err("it panics");
    assert!(matches!(&error, FigureError::Panicked(_)), "{error:?}");
    assert!(error.to_string().ends_with(": a variance of 7"), "{error}");

    // The study is as it was for all others.
    let event = live.read(&store, study, RatingScope::HandedIn, StudySnapshot::event);
    event.await.expect("it is computed");
}
