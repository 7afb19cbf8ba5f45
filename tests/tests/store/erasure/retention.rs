use domain::{
    ids::AuditEntryId,
    study::{RetentionPeriod, Role},
};
use store::audit::{AuditActor, AuditKind, AuditSubject, NewAuditEntry};
use stories::{fresh_id, on_both, refusal, slug};

use super::*;

const DAY: i64 = 24 * 60 * 60 * 1000;

/// Two judged sources, by an annotator who stays and one who withdrew, and a participant from a platform;
/// the study keeps personal data for a month.
async fn furnish(story: &TestDatabase) -> JudgedStudy {
    let judged = JudgedStudy::new(story).await;
    let (store, study) = (&story.store, judged.study());
    let lead = story.add_person("Lea").await;
    store
        .add_member(study, lead, Role::Lead, NOW)
        .await
        .unwrap();
    store
        .withdraw(study, judged.annotators[1], NOW)
        .await
        .unwrap();

    let settings = StudySettings {
        retention: RetentionPeriod::OneMonth,
        ..store.study(study).await.unwrap().unwrap().settings
    };
    assert!(store.set_settings(study, &settings, NOW).await.unwrap());

    story
        .execute_sql(format!(
            "INSERT INTO participant (id, study_id, label, session_hash, external_id, external_study,
                 external_session, joined_at, seen_at, seed, comment, left_at, left_as, left_reason)
             VALUES ('{}', '{study}', 'participant 1', 'hash', 'PID', 'S', 'T', 1, 1, 1, 'I am Jo.', 2,
                 'excluded', 'Jo slept.');
             UPDATE assignment SET reason = 'I know the author.';",
            fresh_id()
        ))
        .await;
    judged
}

/// An entry of the log of changes for the end of personal data.
fn entry(study: StudyId) -> NewAuditEntry {
    NewAuditEntry {
        id: AuditEntryId(fresh_id()),
        at: NOW,
        actor: AuditActor::Server,
        address: String::new(),
        kind: AuditKind::Retention,
        study: Some(study),
        subject: AuditSubject::Nothing,
    }
}

const PARTICIPANTS: &str =
    "SELECT label, session_hash, external_id, external_study, external_session,
    comment, left_as, left_reason FROM participant";

#[tokio::test]
async fn personal_data_of_a_closed_study_goes_when_its_time_is_over() {
    on_both(async |story| {
        let judged = furnish(story).await;
        let (store, study) = (&story.store, judged.study());
        let due = NOW + 31 * DAY;
        let erase = async |now_ms| {
            store
                .erase_expired_personal_data(now_ms, entry)
                .await
                .unwrap()
        };
        assert!(erase(due).await.is_empty(), "the study is open");
        store.close_study(study, NOW).await.unwrap();
        let closed = store.study(study).await.unwrap().unwrap();
        assert_eq!(closed.personal_data_due_at(), Some(due));
        assert!(erase(due - 1).await.is_empty());
        assert_eq!(store.members(study).await.unwrap().len(), 3);
        let before = store.newest_event(study).await.unwrap();

        assert_eq!(erase(due).await, [study]);
        let erased = store.study(study).await.unwrap().unwrap();
        assert_eq!(erased.personal_data_erased_at, Some(due));
        assert_eq!(erased.personal_data_due_at(), None);
        assert!(store.newest_event(study).await.unwrap() > before);
        let members = store.members(study).await.unwrap();
        assert_eq!((members.len(), members[0].role), (1, Role::Lead));
        // Ratings stay, except those of the annotator who withdrew.
        assert_eq!(judged.ratings(story).await, 4);
        let raters = store.raters(study).await.unwrap();
        assert_eq!((raters.len(), raters[0].person), (1, None));
        assert_eq!(count(story, ANSWERS).await, 4);
        let reasons = "SELECT COUNT(*) FROM assignment WHERE reason <> ''";
        assert_eq!(count(story, reasons).await, 0);
        let row = story.query_rows(PARTICIPANTS).await[0].join("|");
        assert_eq!(row, "participant 1|NULL|NULL||||excluded|");
        assert!(erase(due + DAY).await.is_empty(), "once");

        // Data that comes after the study was reopened has a period of its own.
        store.reopen_study(study, due + DAY).await.unwrap();
        assert!(erase(due + 90 * DAY).await.is_empty());
        store.close_study(study, due + 90 * DAY).await.unwrap();
        assert!(erase(due + 91 * DAY).await.is_empty());
        assert_eq!(erase(due + 121 * DAY).await.len(), 1);
    })
    .await;
}

#[tokio::test]
async fn a_study_that_is_opened_again_keeps_its_personal_data() {
    on_both(async |story| {
        let judged = furnish(story).await;
        let (store, study) = (&story.store, judged.study());
        store.close_study(study, NOW).await.unwrap();
        store.reopen_study(study, NOW + DAY).await.unwrap();

        let late = NOW + 400 * DAY;
        let erased = store
            .erase_expired_personal_data(late, entry)
            .await
            .unwrap();
        assert!(erased.is_empty(), "{erased:?}");
        assert_eq!(store.members(study).await.unwrap().len(), 3);

        // Neither does a closed study that keeps its data as long as it exists.
        let lakes = story.add_study("lakes", None).await;
        store.close_study(lakes, NOW).await.unwrap();
        let erased = store
            .erase_expired_personal_data(late, entry)
            .await
            .unwrap();
        assert!(erased.is_empty(), "{erased:?}");
        let lakes = store.study_by_slug(&slug("lakes")).await.unwrap().unwrap();
        assert_eq!(lakes.personal_data_due_at(), None);
    })
    .await;
}

/// As after a kill between two transactions: links are gone, and texts are still there.
#[tokio::test]
async fn an_erasure_that_was_broken_off_is_finished() {
    on_both(async |story| {
        let judged = furnish(story).await;
        let (store, study) = (&story.store, judged.study());
        store.close_study(study, NOW).await.unwrap();

        story
            .execute_sql(format!(
                "UPDATE stored_rater SET erased_at = 5
                 WHERE person_id = '{}';
                 UPDATE stored_rater SET person_id = NULL;
                 DELETE FROM member WHERE role <> 'lead';",
                judged.annotators[1]
            ))
            .await;

        let late = NOW + 400 * DAY;
        let erased = store
            .erase_expired_personal_data(late, entry)
            .await
            .unwrap();
        assert_eq!(erased.len(), 1);
        assert_eq!(count(story, NOTES).await, 0);
        assert_eq!(count(story, ANSWERS).await, 4);
        assert_eq!(judged.ratings(story).await, 4);
    })
    .await;
}

#[tokio::test]
async fn the_log_of_changes_then_names_leads_alone() {
    on_both(async |story| {
        let judged = furnish(story).await;
        let (store, study) = (&story.store, judged.study());
        let [ann, ben] = judged.annotators;
        let lea = story
            .query_rows("SELECT id FROM person WHERE name = 'Lea'")
            .await;
        let lea = lea[0][0].parse().unwrap();

        let told = |actor, kind, subject| NewAuditEntry {
            actor: AuditActor::Person(actor),
            address: "192.0.2.1".into(),
            kind,
            subject,
            ..entry(study)
        };
        for entry in [
            told(ben, AuditKind::MemberWithdrew, AuditSubject::Nothing),
            told(lea, AuditKind::MemberAdded, AuditSubject::Member(ann)),
            told(lea, AuditKind::MemberAdded, AuditSubject::Member(lea)),
            told(
                lea,
                AuditKind::ImportBegun,
                AuditSubject::Named("Ann’s.csv".into()),
            ),
        ] {
            store.record_audit(entry).await.unwrap();
        }

        store.close_study(study, NOW).await.unwrap();
        let late = NOW + 400 * DAY;
        let erased = store.erase_expired_personal_data(late, entry).await;
        assert_eq!(erased.unwrap(), [study]);

        let rows = "SELECT kind, actor_name, address, subject FROM audit_entry ORDER BY id";
        let rows = story.query_rows(rows).await;
        let rows: Vec<_> = rows.iter().map(|row| row.join("|")).collect();
        assert_eq!(
            rows,
            [
                "member-withdrew|a former member||",
                "member-added|Lea|192.0.2.1|",
                "member-added|Lea|192.0.2.1|Lea (lead)",
                "import-begun|Lea|192.0.2.1|",
                "retention|the server||",
            ]
        );

        let folded = "SELECT COUNT(*) FROM audit_entry
            WHERE folded_names LIKE '%ann%' OR folded_names LIKE '%ben%'";
        assert_eq!(count(story, folded).await, 0);
    })
    .await;
}

#[tokio::test]
async fn a_closed_study_takes_no_members_and_what_comes_late_is_erased_as_well() {
    on_both(async |story| {
        let judged = furnish(story).await;
        let (store, study) = (&story.store, judged.study());
        store.close_study(study, NOW).await.unwrap();
        let late = NOW + 400 * DAY;
        let erase = async |now_ms| store.erase_expired_personal_data(now_ms, entry).await;
        assert_eq!(erase(late).await.unwrap(), [study]);

        let cleo = story.add_person("Cleo").await;
        let refused = store.add_member(study, cleo, Role::Annotator, late).await;
        assert!(refusal(refused).contains("closed"));
        store
            .add_member(study, cleo, Role::Lead, late)
            .await
            .unwrap();
        assert!(erase(late).await.unwrap().is_empty());

        // No longer a lead.
        let changed = store.set_role(study, cleo, Role::Researcher, late).await;
        assert!(changed.unwrap());
        assert_eq!(erase(late).await.unwrap(), [study]);
        assert_eq!(store.members(study).await.unwrap().len(), 1);
    })
    .await;
}
