use domain::{ids::AuditEntryId, study::Role};
use store::{
    NewSession,
    audit::{AuditActor, AuditKind, AuditSubject, NewAuditEntry},
    erasure::AccountErasure,
};
use stories::{MINUTE, fresh_id, new_session, on_both, refusal};

use super::*;

const COMMENTS: AccountErasure = AccountErasure {
    comments: true,
    ratings: false,
};
const RATINGS: AccountErasure = AccountErasure {
    comments: false,
    ratings: true,
};

#[tokio::test]
async fn an_erased_account_leaves_ratings_that_belong_to_nobody() {
    on_both(async |story| {
        let store = &story.store;
        let judged = JudgedStudy::new(story).await;
        let [ann, ben] = judged.annotators;
        store.set_password_hash(ann, Some("hash")).await.unwrap();
        let session = NewSession {
            password_hash: Some("hash"),
            ..new_session("session", ann)
        };
        assert!(store.create_session(&session).await.unwrap());
        let link = store.create_password_link("link", ann, NOW, NOW + MINUTE);
        link.await.unwrap();

        let studies = store.account_studies(ann).await.unwrap();
        assert_eq!((studies.len(), studies[0].ratings, studies[0].comments), (1, 4, 2));
        let ratings = judged.ratings(story).await;
        let before = store.newest_event(judged.study()).await.unwrap();

        let (by_ann, by_ben) = (AuditActor::Person(ann), AuditActor::Person(ben));
        let named = |name: &str| AuditSubject::Named(name.into());
        for (actor, kind, subject) in [
            (by_ann, AuditKind::SignedIn, AuditSubject::Nothing),
            (AuditActor::Nobody, AuditKind::SignInFailed, AuditSubject::Person(ann)),
            (AuditActor::Nobody, AuditKind::LockedOut, AuditSubject::Person(ann)),
            (AuditActor::Nobody, AuditKind::SignInFailed, AuditSubject::Person(ben)),
            (by_ben, AuditKind::RoleChanged, named("Ann (annotator)")),
            (by_ben, AuditKind::RoleChanged, named("Anna (annotator)")),
        ] {
            let entry = NewAuditEntry {
                id: AuditEntryId(fresh_id()),
                at: NOW,
                actor,
                address: "192.0.2.1".into(),
                kind,
                study: None,
                subject,
            };
            store.record_audit(entry).await.unwrap();
        }

        let also = AccountErasure::default();
        let entry = NewAuditEntry {
            id: AuditEntryId(fresh_id()),
            at: NOW,
            actor: by_ann,
            address: "192.0.2.1".into(),
            kind: AuditKind::PersonErased,
            study: None,
            subject: AuditSubject::Person(ann),
        };
        let audited = store.audited(entry);
        assert!(audited.erase_person(ann, also, NOW).await.unwrap());

        let log = "SELECT actor_name, address, subject, folded_names FROM audit_entry ORDER BY id";
        let log = story.query_rows(log).await;
        let log: Vec<_> = log.iter().map(|row| row.join("|").replace('\n', "/")).collect();
        assert_eq!(
            log,
            [
                "Erased account 1|||erased account 1/",
                "||Erased account 1|/erased account 1",
                "||Erased account 1|/erased account 1",
                "|192.0.2.1|Ben|/ben",
                "Ben|192.0.2.1|Erased account 1 (annotator)|ben/erased account 1 (annotator)",
                "Ben|192.0.2.1|Anna (annotator)|ben/anna (annotator)",
                "Erased account 1||Erased account 1|erased account 1/erased account 1",
            ]
        );
        assert!(!store.erase_person(ann, also, NOW).await.unwrap());
        assert_eq!(store.finish_erasures().await.unwrap(), 0);

        assert!(store.newest_event(judged.study()).await.unwrap() > before);
        assert_eq!(judged.ratings(story).await, ratings);
        assert_eq!(count(story, NOTES).await, 4, "comments stay unless asked for");
        let raters = store.raters(judged.study()).await.unwrap();
        assert_eq!((raters[0].label.as_str(), raters[0].person), ("annotator 1", None));
        assert_eq!(raters[1].person, Some(ben));
        assert_eq!(store.person(ann).await.unwrap(), None);
        assert_eq!(store.person_named("Ann").await.unwrap(), None);
        assert_eq!(store.person_named("Erased account 1").await.unwrap(), None);
        assert_eq!(store.people().await.unwrap().len(), 1);
        assert_eq!(store.session("session", NOW).await.unwrap(), None);
        assert_eq!(store.members(judged.study()).await.unwrap().len(), 1);
        assert!(store.account_studies(ann).await.unwrap().is_empty());
        for table in ["session", "password_link"] {
            assert_eq!(count(story, &format!("SELECT COUNT(*) FROM {table}")).await, 0);
        }
        let row = format!(
            "SELECT name, folded_name, password_hash, is_admin, disabled_at FROM person WHERE id = '{ann}'"
        );
        let row = story.query_rows(&row).await[0].join("|");
        assert_eq!(row, format!("Erased account 1|erased account 1|NULL|0|{NOW}"));

        // Nothing reopens it, and it does not block similar names.
        assert!(!store.set_password_hash(ann, Some("new")).await.unwrap());
        assert!(!store.enable_person(ann).await.unwrap());
        assert!(!store.set_admin(ann, true).await.unwrap());
        story.add_person("erased account 2").await;
        assert!(store.erase_person(ben, also, NOW).await.unwrap());
        let names = "SELECT name FROM person WHERE erased_at IS NOT NULL ORDER BY name";
        let names = story.query_rows(names).await;
        assert_eq!(names, [["Erased account 1"], ["Erased account 3"]]);
    })
    .await;
}

#[tokio::test]
async fn comments_and_ratings_go_where_it_is_asked_for() {
    on_both(async |story| {
        let store = &story.store;
        let judged = JudgedStudy::new(story).await;
        let [ann, ben] = judged.annotators;
        assert_eq!(judged.ratings(story).await, 8);
        assert!(store.erase_person(ann, COMMENTS, NOW).await.unwrap());
        assert_eq!(judged.ratings(story).await, 8);
        assert_eq!(count(story, NOTES).await, 2);

        assert!(store.erase_person(ben, RATINGS, NOW).await.unwrap());
        // Hidden at once, and then deleted.
        assert_eq!(judged.ratings(story).await, 4);
        assert_eq!(store.raters(judged.study()).await.unwrap().len(), 1);
        assert_eq!(count(story, ANSWERS).await, 4 + 6);
        assert_eq!(store.finish_erasures().await.unwrap(), 1);
        assert_eq!(count(story, ANSWERS).await, 4);
        assert_eq!(count(story, NOTES).await, 0);
        assert_eq!(count(story, "SELECT COUNT(*) FROM assignment").await, 2);
        assert_eq!(judged.ratings(story).await, 4);
        assert_eq!(store.finish_erasures().await.unwrap(), 0);

        // Others get the sources in their place.
        let cleo = add_annotator(story, judged.study(), "Cleo").await;
        judge_next(story, &judged.ground, cleo).await;
        assert_eq!(judged.ratings(story).await, 6);
    })
    .await;
}

#[tokio::test]
async fn withdrawn_ratings_do_not_come_back_with_an_erasure() {
    on_both(async |story| {
        let store = &story.store;
        let judged = JudgedStudy::new(story).await;
        let [ann, _] = judged.annotators;
        store.withdraw(judged.study(), ann, NOW).await.unwrap();
        assert_eq!(judged.ratings(story).await, 4);
        let also = AccountErasure::default();
        assert!(store.erase_person(ann, also, NOW).await.unwrap());
        assert_eq!(judged.ratings(story).await, 4);
        assert_eq!(store.finish_erasures().await.unwrap(), 1);
        assert_eq!(judged.ratings(story).await, 4);
        assert_eq!(count(story, ANSWERS).await, 6);
    })
    .await;
}

#[tokio::test]
async fn nobody_is_erased_whom_a_study_or_the_platform_needs() {
    on_both(async |story| {
        let store = &story.store;
        let (lea, amy) = (story.add_admin("Lea").await, story.add_person("Amy").await);
        let also = AccountErasure::default();
        let sentence = refusal(store.erase_person(lea, also, NOW).await);
        assert!(sentence.contains("administer"), "{sentence}");

        story.add_study("rivers", Some(amy)).await;
        story.add_study("lakes", Some(amy)).await;
        let shared = story.add_study("shared", Some(amy)).await;
        store
            .add_member(shared, lea, Role::Lead, NOW)
            .await
            .unwrap();

        let sentence = refusal(store.erase_person(amy, also, NOW).await);
        assert!(
            sentence.contains("“rivers”") && sentence.contains("“lakes”"),
            "{sentence}"
        );
        assert!(!sentence.contains("“shared”"), "{sentence}");
        assert!(store.person(amy).await.unwrap().is_some());

        // A study that is erased needs nobody.
        for slug in ["rivers", "lakes"] {
            let study = store.study_by_slug(&stories::slug(slug)).await.unwrap();
            let study = study.unwrap().id;
            store.close_study(study, NOW).await.unwrap();
            store.erase_study(study, NOW).await.unwrap();
        }
        assert!(store.erase_person(amy, also, NOW).await.unwrap());
        assert_eq!(store.members(shared).await.unwrap().len(), 1);
    })
    .await;
}

#[tokio::test]
async fn a_pseudonym_is_not_given_again_after_an_erasure() {
    on_both(async |story| {
        let store = &story.store;
        let judged = JudgedStudy::new(story).await;
        let [_, ben] = judged.annotators;
        assert!(store.erase_person(ben, RATINGS, NOW).await.unwrap());
        store.finish_erasures().await.unwrap();

        let cleo = add_annotator(story, judged.study(), "Cleo").await;
        let rater = domain::ids::RaterId(stories::fresh_id());
        store
            .ensure_rater(judged.study(), cleo, rater)
            .await
            .unwrap();

        let labels = story
            .query_rows("SELECT label FROM stored_rater ORDER BY position")
            .await;
        assert_eq!(labels, [["annotator 1"], ["annotator 3"]]);
    })
    .await;
}
