//! A clock, ids and studies for tests.

use std::sync::atomic::{AtomicI64, AtomicU64, Ordering};

use domain::{
    ids::StudyId,
    study::{Slug, StudySettings},
};
use store::{NewStudy, Store};
use tempfile::TempDir;
use uuid::Uuid;

use crate::Context;

/// A context whose clock advances by a second with each call, and whose ids count up.
pub(crate) const CONTEXT: Context = Context {
    clock: now_ms,
    ids: new_id,
    random: || [7; 32],
};

pub(crate) fn now_ms() -> i64 {
    static SECONDS: AtomicI64 = AtomicI64::new(1_700_000_000);
    SECONDS.fetch_add(1, Ordering::Relaxed) * 1_000
}

pub(crate) fn new_id() -> Uuid {
    static NEXT: AtomicU64 = AtomicU64::new(1);
    Uuid::from_u128(u128::from(NEXT.fetch_add(1, Ordering::Relaxed)))
}

/// A study on SQLite, in a folder that is deleted when the first value is dropped.
pub(crate) async fn new_study(settings: StudySettings) -> (TempDir, Store, StudyId) {
    let folder = tempfile::tempdir().unwrap();
    let url = store::sqlite_url(&folder.path().join("study.sqlite"));
    let store = Store::open(&url).await.unwrap();
    let slug: Slug = "river".parse().unwrap();

    let id = StudyId(new_id());
    let new = NewStudy {
        id,
        slug: &slug,
        name: "River",
        settings: &settings,
        guidelines: "",
        lead: None,
    };
    store.create_study(&new, now_ms()).await.unwrap();
    (folder, store, id)
}
