use uuid::Uuid;

use super::*;

#[tokio::test]
async fn a_panic_costs_one_figure() {
    let folder = tempfile::tempdir().expect("a folder");
    let url = store::sqlite_url(&folder.path().join("study.sqlite"));
    let store = Store::open(&url).await.expect("a database");
    let live = LiveStudies::new(|| 0);
    let study = StudyId(Uuid::nil());
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
    assert_eq!(event.await.expect("it is computed"), 0);
}
