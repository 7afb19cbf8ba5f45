//! The texts that participants are given, and the links by which they join.

use super::*;

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn two_hundred_join_at_once_and_no_text_has_more_readers_than_its_quota() {
    on_both(async |story| {
        for (spread, slug_of) in [
            (ConditionSpread::Between, "between"),
            (ConditionSpread::Within, "within"),
        ] {
            let study = story.add_study(slug_of, None).await;
            let design = ComprehensionDesign {
                readers: 5,
                spread,
                ties: TieBreak::Random,
                ..ComprehensionDesign::default()
            };
            let store = &story.store;
            set_design(store, study, design).await;
            let conditions = ["Original", "Human", "System 1", "System 2"];
            let passages: Vec<_> = (1..=30).map(|at| passage(at, &conditions)).collect();
            store
                .import_comprehension(study, &passages, &[], fresh_id, NOW)
                .await
                .unwrap();
            let link_hash = format!("link to {slug_of}");
            link(store, study, &link_hash, 200).await;

            let mut joining = tokio::task::JoinSet::new();
            for at in 0..200 {
                // Every tenth comes through another process.
                let store: Store = match at % 10 {
                    0 => story.another_store().await,
                    _ => store.clone(),
                };
                let (session, link_hash) = (format!("{slug_of} {at}"), link_hash.clone());
                joining.spawn(async move {
                    let new = NewParticipant {
                        id: ParticipantId(fresh_id()),
                        session_hash: &session,
                        link_hash: &link_hash,
                        platform: PlatformIds::default(),
                        network: &session,
                        seed: at,
                    };
                    store.join_comprehension(&new, NOW).await.unwrap();
                    let begun = store
                        .begin_comprehension(&session, &[], fresh_id, NOW)
                        .await;
                    count_given(begun.unwrap())
                });
            }

            let total: u32 = joining.join_all().await.into_iter().sum();
            // 30 passages × 4 conditions × 5 readers, 6 texts each: 100 participants read.
            assert_eq!(total, 600, "{slug_of}");
            let cells = store.comprehension_cells(study).await.unwrap();
            assert_eq!(cells.len(), 120);
            assert!(cells.iter().all(|cell| cell.given == 5), "{cells:?}");

            let mut seen = BTreeMap::<String, BTreeSet<String>>::new();
            for row in story
                .query_rows(&format!(
                    "SELECT r.participant_id, r.passage_id FROM reading r
                     JOIN participant p ON p.id = r.participant_id
                     WHERE p.study_id = '{study}'"
                ))
                .await
            {
                let fresh = seen
                    .entry(row[0].clone())
                    .or_default()
                    .insert(row[1].clone());
                assert!(fresh, "nobody gets a passage twice");
            }
            assert_eq!(seen.len(), 100);
        }
    })
    .await;
}

#[tokio::test]
async fn a_link_begins_its_number_of_sessions_one_for_each_person() {
    on_both(async |story| {
        let reading = ComprehensionFixture::with_passages(story, 6, 2).await;
        let store = &story.store;
        join(store, "one", Some("worker 1"), NOW).await.unwrap();
        let again = refused(join(store, "two", Some("worker 1"), NOW).await);
        assert!(again.contains("taken part in this study before"), "{again}");
        join(store, "two", Some("worker 2"), NOW).await.unwrap();
        assert!(refused(join(store, "three", None, NOW).await).contains("used up"));

        let (study, link) = store.comprehension_link(LINK).await.unwrap();
        assert_eq!((link.uses_left, study), (0, reading.study));
        assert!(link.check(NOW).is_err());

        let person = story.add_person("a").await;
        let joined = store.redeem_invitation(LINK, person, NOW).await;
        assert!(refused(joined).contains("not known"), "it makes no member");

        let revoked = store.revoke_invitation(study, LINK, NOW).await.unwrap();
        assert_eq!(revoked, Some(InvitationTarget::Comprehension));
        assert!(refused(join(store, "four", None, NOW).await).contains("was revoked"));
        assert!(store.participant_session("nobody").await.unwrap().is_none());
        assert_eq!(store.invitations(study).await.unwrap().len(), 1);
    })
    .await;
}

/// Links for readers used to be in a table of their own.
#[tokio::test]
async fn a_link_that_was_sent_before_they_were_invitations_goes_on_working() {
    on_both(async |story| {
        let reading = ComprehensionFixture::with_passages(story, 6, 1).await;
        let study = reading.study;
        let before = [
            "DELETE FROM _sqlx_migrations WHERE version = 6".to_owned(),
            "DROP TABLE question_spans".to_owned(),
            "CREATE TABLE reading_link (
                 token_hash TEXT PRIMARY KEY,
                 study_id TEXT NOT NULL REFERENCES study (id) ON DELETE CASCADE,
                 label TEXT NOT NULL DEFAULT '',
                 created_at BIGINT NOT NULL,
                 expires_at BIGINT NOT NULL,
                 uses_left BIGINT NOT NULL,
                 revoked_at BIGINT
             )"
            .to_owned(),
            format!("DELETE FROM invitation WHERE token_hash = '{LINK}'"),
            format!(
                "INSERT INTO reading_link VALUES ('{LINK}', '{study}', 'a course', 1, {}, 2, NULL)",
                NOW + HOUR
            ),
        ];
        for statement in before {
            story.execute_sql(statement).await;
        }

        let store = Store::open(&story.url).await.unwrap();
        let (found, link) = store.comprehension_link(LINK).await.unwrap();
        assert_eq!(
            (found, &*link.label, link.uses_left),
            (study, "a course", 2)
        );
        join(&store, "one", None, NOW).await.unwrap();
        assert_eq!(store.comprehension_link(LINK).await.unwrap().1.uses_left, 1);
        store.close().await;
    })
    .await;
}
