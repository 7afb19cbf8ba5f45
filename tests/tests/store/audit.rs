//! The log of changes: the entries that changes add, the pages that readers get, and the deletion of old entries.

use domain::{
    ids::{AuditEntryId, ModelId, PersonId, StudyId},
    study::Role,
};
use serde_json::json;
use store::{
    InvitationTarget, NewInvitation,
    audit::{AuditActor, AuditEntry, AuditFilter, AuditKind, AuditSubject, NewAuditEntry},
    metrics::NewModel,
};
use stories::{MINUTE, NOW, TestDatabase, fresh_id, on_both, on_postgres, refusal};

/// An entry for an action of `actor`.
fn new_entry(
    actor: AuditActor,
    kind: AuditKind,
    study: Option<StudyId>,
    subject: AuditSubject,
) -> NewAuditEntry {
    NewAuditEntry {
        id: AuditEntryId(fresh_id()),
        at: NOW,
        actor,
        address: "192.0.2.1".into(),
        kind,
        study,
        subject,
    }
}

fn named(name: &str) -> AuditSubject {
    AuditSubject::Named(name.into())
}

/// All entries, newest first.
async fn all_entries(story: &TestDatabase) -> Vec<AuditEntry> {
    let filter = AuditFilter::default();
    story.store.audit_entries(&filter, 100).await.unwrap()
}

/// Kind and subject of each entry, oldest first.
async fn kinds_and_subjects(story: &TestDatabase) -> Vec<(AuditKind, String)> {
    let entries = all_entries(story).await.into_iter().rev();
    entries.map(|entry| (entry.kind, entry.subject)).collect()
}

#[tokio::test]
async fn an_entry_is_stored_with_its_change_and_names_who_and_whom() {
    on_both(async |story| {
        let (lea, ann) = (story.add_admin("Lea").await, story.add_person("Ann").await);
        let kind = AuditKind::AdminGranted;
        let entry = new_entry(
            AuditActor::Person(lea),
            kind,
            None,
            AuditSubject::Person(ann),
        );

        let audited = story.store.audited(entry.clone());
        assert!(audited.set_admin(ann, true).await.unwrap());
        // The same handle adds no entry for its later changes.
        assert!(audited.set_admin(ann, false).await.unwrap());

        assert_eq!(
            all_entries(story).await,
            [AuditEntry {
                id: entry.id,
                at: NOW,
                actor: "Lea".into(),
                address: "192.0.2.1".into(),
                kind,
                study: None,
                subject: "Ann".into(),
            }]
        );
    })
    .await;
}

#[tokio::test]
async fn what_is_refused_or_changes_nothing_leaves_no_entry() {
    on_both(async |story| {
        let lea = story.add_admin("Lea").await;
        let ann = story.add_person("Ann").await;
        let study = story.add_study("river", Some(lea)).await;
        let audited = |kind, subject| {
            let actor = AuditActor::Person(lea);
            story
                .store
                .audited(new_entry(actor, kind, Some(study), subject))
        };

        let revoke = audited(AuditKind::AdminRevoked, AuditSubject::Person(lea));
        refusal(revoke.set_admin(lea, false).await);
        let change = audited(AuditKind::RoleChanged, AuditSubject::Member(ann));
        let changed = change.set_role(study, ann, Role::Annotator, NOW).await;
        assert!(!changed.unwrap());
        let remove = audited(AuditKind::MemberRemoved, AuditSubject::Person(ann));
        assert!(!remove.remove_member(study, ann, NOW).await.unwrap());
        let revoke = audited(
            AuditKind::InvitationRevoked,
            AuditSubject::Invitation("none".into()),
        );
        let revoked = revoke.revoke_invitation(study, "none", NOW).await.unwrap();
        assert_eq!(revoked, None);
        let reopen = audited(AuditKind::StudyReopened, named("river"));
        assert!(!reopen.reopen_study(study, NOW).await.unwrap());

        // A state that holds already is neither an error nor a change.
        let grant = audited(AuditKind::AdminGranted, AuditSubject::Person(lea));
        assert!(grant.set_admin(lea, true).await.unwrap());
        let open = audited(AuditKind::AccountReopened, AuditSubject::Person(ann));
        assert!(open.enable_person(ann).await.unwrap());
        assert!(story.store.disable_person(ann, NOW).await.unwrap());
        let close = audited(AuditKind::AccountClosed, AuditSubject::Person(ann));
        assert!(close.disable_person(ann, NOW).await.unwrap());
        let end = audited(AuditKind::SessionEnded, AuditSubject::Nothing);
        assert!(!end.end_session("none").await.unwrap());
        assert_eq!(end.end_other_sessions(lea, "none").await.unwrap(), 0);
        let admit = audited(AuditKind::MemberAdmitted, AuditSubject::Member(ann));
        assert!(!admit.admit(study, ann, NOW).await.unwrap());
        assert_eq!(kinds_and_subjects(story).await, []);

        // The same handles add an entry once there is a change.
        assert!(story.store.close_study(study, NOW).await.unwrap());
        assert!(reopen.reopen_study(study, NOW).await.unwrap());
        assert_eq!(
            kinds_and_subjects(story).await,
            [(AuditKind::StudyReopened, "river".into())]
        );
    })
    .await;
}

#[tokio::test]
async fn a_change_that_is_undone_takes_its_entry_along() {
    // SQLite never retries a transaction: its writers queue.
    on_postgres(async |story| {
        let (a, b) = (story.add_admin("a").await, story.add_admin("b").await);
        let other = story.another_store().await;
        let revoke = |store: &store::Store, id: PersonId| {
            let subject = AuditSubject::Person(id);
            let entry = new_entry(
                AuditActor::CommandLine,
                AuditKind::AdminRevoked,
                None,
                subject,
            );
            store.audited(entry)
        };

        let (first, second) = (revoke(&story.store, a), revoke(&other, b));
        let (first, second) = tokio::join!(first.set_admin(a, false), second.set_admin(b, false));

        // One of them has to stay, and that was not revoked.
        assert!(first.is_ok() ^ second.is_ok());
        let left = if first.is_ok() { "a" } else { "b" };
        assert_eq!(
            kinds_and_subjects(story).await,
            [(AuditKind::AdminRevoked, left.to_owned())]
        );
        other.close().await;
    })
    .await;
}

#[tokio::test]
async fn a_person_who_joins_is_named_with_study_and_role_and_once() {
    on_both(async |story| {
        let ann = story.add_person("Ann").await;
        let study = story.add_study("river", None).await;
        let new = NewInvitation {
            token_hash: "a secret",
            target: InvitationTarget::Membership(Role::Annotator),
            label: "the course",
            uses: 9,
            expires_at: NOW + MINUTE,
            created_by: None,
            group: None,
        };

        let invitation = AuditSubject::Invitation("a secret".into());
        let entry = new_entry(
            AuditActor::CommandLine,
            AuditKind::InvitationMade,
            Some(study),
            invitation,
        );
        let store = story.store.audited(entry);
        store.create_invitation(study, &new, NOW).await.unwrap();

        for _ in 0..2 {
            let entry = new_entry(
                AuditActor::Person(ann),
                AuditKind::MemberJoined,
                None,
                AuditSubject::Member(ann),
            );
            let joined = story.store.audited(entry);
            joined
                .redeem_invitation("a secret", ann, NOW)
                .await
                .unwrap();
        }

        let id = PersonId(fresh_id());
        let entry = new_entry(
            AuditActor::Person(id),
            AuditKind::AccountRegistered,
            Some(study),
            AuditSubject::Member(id),
        );
        let store = story.store.audited(entry);
        let registered =
            store.register_by_invitation("a secret", id, " Bea ", "hash", "network", NOW);
        registered.await.unwrap();

        assert_eq!(
            kinds_and_subjects(story).await,
            [
                (AuditKind::InvitationMade, "annotator, the course".into()),
                (AuditKind::MemberJoined, "Ann (annotator)".into()),
                (AuditKind::AccountRegistered, "Bea (annotator)".into()),
            ]
        );

        let entries = all_entries(story).await;
        let studies = entries.iter().filter_map(|entry| entry.study.as_ref());
        assert_eq!(studies.filter(|study| study.name == "river").count(), 3);
        let actors: Vec<_> = entries.iter().map(|entry| entry.actor.as_str()).collect();
        assert_eq!(actors, ["Bea", "Ann", "command line"]);
    })
    .await;
}

#[tokio::test]
async fn a_model_is_named_with_its_version_and_a_repeated_job_is_not_told() {
    on_both(async |story| {
        let study = story.add_study("river", None).await;
        let id = ModelId(fresh_id());
        let model = NewModel {
            id,
            name: "learned-free",
            hash: "0",
            file: b"a model",
            report: &json!({}),
            adopted: true,
        };

        for _ in 0..2 {
            let entry = new_entry(
                AuditActor::Server,
                AuditKind::ModelAdopted,
                Some(study),
                AuditSubject::Model(id),
            );
            let store = story.store.audited(entry);
            assert_eq!(store.add_model(study, &model, NOW).await.unwrap(), 1);
        }
        assert_eq!(
            kinds_and_subjects(story).await,
            [(AuditKind::ModelAdopted, "learned-free, version 1".into())]
        );
    })
    .await;
}

#[tokio::test]
async fn entries_outlive_people_and_studies() {
    on_both(async |story| {
        let ann = story.add_person("Ann").await;
        let study = story.add_study("river", None).await;
        let actor = AuditActor::Person(ann);
        let entry = new_entry(actor, AuditKind::Exported, Some(study), named("river.zip"));
        story.store.record_audit(entry).await.unwrap();
        story
            .execute_sql("DELETE FROM study; DELETE FROM person".into())
            .await;

        let entries = all_entries(story).await;
        let [entry] = &entries[..] else {
            panic!("{entries:?}")
        };
        assert_eq!(
            (&entry.actor[..], &entry.subject[..], &entry.study),
            ("Ann", "river.zip", &None)
        );

        // It still belongs to that study.
        let filter = AuditFilter {
            study: Some(study),
            ..AuditFilter::default()
        };
        assert_eq!(
            story.store.audit_entries(&filter, 9).await.unwrap().len(),
            1
        );
    })
    .await;
}

#[tokio::test]
async fn entries_are_read_page_by_page_and_chosen_by_study_kind_and_name() {
    on_both(async |story| {
        let store = &story.store;
        let oene = story.add_person("Öne").await;
        let (river, lake) = (
            story.add_study("river", None).await,
            story.add_study("lake", None).await,
        );
        for number in 0..7 {
            let study = if number % 2 == 0 { river } else { lake };
            let actor = match number {
                6 => AuditActor::Person(oene),
                _ => AuditActor::CommandLine,
            };
            let subject = named(&format!("100%_{number}!"));
            let mut entry = new_entry(actor, AuditKind::Exported, Some(study), subject);
            // Ids give their order, even within a millisecond.
            entry.at = NOW;
            store.record_audit(entry).await.unwrap();
        }
        let entry = new_entry(
            AuditActor::Nobody,
            AuditKind::SignInFailed,
            None,
            AuditSubject::Nothing,
        );
        store.record_audit(entry).await.unwrap();

        let mut pages = vec![];
        let mut filter = AuditFilter::default();
        loop {
            let page = store.audit_entries(&filter, 3).await.unwrap();
            let Some(last) = page.last() else { break };
            filter.before = Some(last.id);
            pages.push(page);
        }
        let lengths: Vec<_> = pages.iter().map(Vec::len).collect();
        assert_eq!(lengths, [3, 3, 2]);
        assert_eq!(pages.concat(), all_entries(story).await);

        let count =
            async |filter: AuditFilter<'_>| store.audit_entries(&filter, 100).await.unwrap().len();
        let all = AuditFilter::default();
        let study = Some(river);
        assert_eq!(count(AuditFilter { study, ..all }).await, 4);
        let kind = Some(AuditKind::SignInFailed);
        assert_eq!(count(AuditFilter { kind, ..all }).await, 1);
        assert_eq!(count(AuditFilter { study, kind, ..all }).await, 0);
        // Characters of a pattern are matched literally.
        for (name, expect) in [
            ("ÖNE", 1),
            (" öne ", 1),
            ("command", 6),
            ("100%", 7),
            ("%", 7),
            ("_3", 1),
            ("3!", 1),
            ("1_0", 0),
            ("none of that name", 0),
            ("", 8),
        ] {
            assert_eq!(count(AuditFilter { name, ..all }).await, expect, "{name}");
        }
    })
    .await;
}

#[tokio::test]
async fn what_is_repeated_is_told_once_in_a_while() {
    on_both(async |story| {
        let ann = story.add_person("Ann").await;
        let record = async |at: i64, address: &str, subject: AuditSubject| {
            let kind = AuditKind::LockedOut;
            let mut entry = new_entry(AuditActor::Nobody, kind, None, subject);
            (entry.at, entry.address) = (at, address.to_owned());
            story
                .store
                .record_audit_once(entry, at - MINUTE)
                .await
                .unwrap();
        };

        record(NOW, "192.0.2.1", AuditSubject::Person(ann)).await;
        record(NOW + 1, "192.0.2.1", AuditSubject::Person(ann)).await;
        record(NOW + MINUTE, "192.0.2.1", AuditSubject::Person(ann)).await;
        assert_eq!(kinds_and_subjects(story).await.len(), 1);

        record(NOW + 2, "192.0.2.2", AuditSubject::Person(ann)).await;
        record(NOW + 2, "192.0.2.1", AuditSubject::Nothing).await;
        record(NOW + MINUTE + 1, "192.0.2.1", AuditSubject::Person(ann)).await;
        assert_eq!(kinds_and_subjects(story).await.len(), 4);
    })
    .await;
}

#[tokio::test]
async fn entries_that_are_too_old_are_deleted_together() {
    on_both(async |story| {
        for at in [NOW, NOW + 1, NOW + MINUTE] {
            let mut entry = new_entry(
                AuditActor::CommandLine,
                AuditKind::Exported,
                None,
                named("tidy\n\u{0}file"),
            );
            entry.at = at;
            story.store.record_audit(entry).await.unwrap();
        }

        assert_eq!(story.store.sweep_audit(NOW + MINUTE).await.unwrap(), 2);
        let entries = all_entries(story).await;
        assert_eq!((entries.len(), entries[0].at), (1, NOW + MINUTE));
        assert_eq!(entries[0].subject, "tidyfile");
        assert_eq!(story.store.sweep_audit(NOW + MINUTE).await.unwrap(), 0);
    })
    .await;
}
