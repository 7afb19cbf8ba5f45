use domain::{
    ids::{PersonId, StudyId},
    study::{Role, StudySettings},
};
use store::{Error, EventKind, InvitationTarget, NewInvitation, NewStudy};
use stories::{MINUTE, NOW, fresh_id, on_both, slug};

#[tokio::test]
async fn the_person_who_creates_a_study_leads_it() {
    on_both(async |story| {
        let lead = story.add_person("lead").await;
        let id = story.add_study("news", Some(lead)).await;

        let access = story
            .store
            .study_access(lead, &slug("news"))
            .await
            .unwrap()
            .unwrap();

        assert_eq!(access.study.id, id);
        assert_eq!(access.study.name, "news");
        assert_eq!(access.study.settings, StudySettings::default());
        assert_eq!(
            (access.study.created_at, access.study.closed_at),
            (NOW, None)
        );
        assert_eq!((access.role, access.is_admin), (Some(Role::Lead), false));
        assert_eq!((access.rater, access.consented_at), (None, None));
        assert!(access.leads() && access.researches() && !access.annotates());
        assert_eq!(story.store.newest_event(id).await.unwrap(), Some(1));
    })
    .await;
}

#[tokio::test]
async fn a_short_name_is_taken_once() {
    on_both(async |story| {
        story.add_study("news", None).await;
        let again = NewStudy {
            id: StudyId(fresh_id()),
            slug: &slug("news"),
            name: "News once more",
            settings: &StudySettings::default(),
            guidelines: "",
            lead: None,
        };
        let error = story.store.create_study(&again, NOW).await.unwrap_err();
        assert!(matches!(error, Error::Taken(_)), "{error}");
        assert_eq!(story.store.studies().await.unwrap().len(), 1);
    })
    .await;
}

#[tokio::test]
async fn a_study_is_nobody_elses_business() {
    on_both(async |story| {
        let store = &story.store;
        let lead = story.add_person("lead").await;
        let stranger = story.add_person("stranger").await;
        let admin = story.add_admin("admin").await;
        let second = story.add_admin("second admin").await;
        let id = story.add_study("news", Some(lead)).await;
        story.add_study("wiki", Some(stranger)).await;

        assert_eq!(
            store.study_access(stranger, &slug("news")).await.unwrap(),
            None
        );
        assert_eq!(store.study_access(lead, &slug("none")).await.unwrap(), None);
        assert_eq!(
            store
                .study_access(PersonId(fresh_id()), &slug("news"))
                .await
                .unwrap(),
            None
        );
        let access = store
            .study_access(admin, &slug("news"))
            .await
            .unwrap()
            .unwrap();
        assert_eq!((access.role, access.is_admin), (None, true));
        assert!(access.leads() && access.researches() && !access.annotates());

        let seen_by = async |person| {
            let studies = store.studies_of(person).await.unwrap();
            let entries = studies.into_iter().map(|s| (s.slug.to_string(), s.role));
            entries.collect::<Vec<_>>()
        };
        assert_eq!(seen_by(lead).await, [("news".into(), Some(Role::Lead))]);
        assert_eq!(
            seen_by(admin).await,
            [("news".into(), None), ("wiki".into(), None)]
        );

        // A disabled person sees nothing, not even as an administrator.
        store.disable_person(lead, NOW).await.unwrap();
        store.disable_person(second, NOW).await.unwrap();
        for out in [lead, second] {
            assert_eq!(store.study_access(out, &slug("news")).await.unwrap(), None);
            assert!(seen_by(out).await.is_empty());
        }
        assert_eq!(store.study(id).await.unwrap().unwrap().id, id);
        assert_eq!(store.study(StudyId(fresh_id())).await.unwrap(), None);
    })
    .await;
}

#[tokio::test]
async fn each_change_of_a_study_is_an_event() {
    on_both(async |story| {
        let store = &story.store;
        let id = story.add_study("news", None).await;
        let settings = StudySettings {
            overlap: 5,
            ..StudySettings::default()
        };
        let later = NOW + MINUTE;

        assert!(
            store
                .describe_study(id, "News", "# Rate", "You agree.", NOW)
                .await
                .unwrap()
        );
        assert!(store.set_settings(id, &settings, NOW).await.unwrap());
        assert!(store.close_study(id, later).await.unwrap());
        assert!(!store.close_study(id, later + 1).await.unwrap());

        let study = store.study_by_slug(&slug("news")).await.unwrap().unwrap();
        assert_eq!(
            (
                &study.name[..],
                &study.guidelines[..],
                &study.information[..]
            ),
            ("News", "# Rate", "You agree.")
        );
        assert_eq!((study.settings, study.closed_at), (settings, Some(later)));

        assert!(store.reopen_study(id, later).await.unwrap());
        assert!(!store.reopen_study(id, later).await.unwrap());

        let events = story.events_after(id, 0).await;
        let actual: Vec<_> = events.iter().map(|e| (e.number, e.kind.name())).collect();
        assert_eq!(actual, [1, 2, 3, 4, 5].map(|number| (number, "study")));
        assert_eq!(store.study(id).await.unwrap().unwrap().events, 5);
        assert_eq!(store.latest_events(id, 1).await.unwrap().len(), 1);

        let nothing = StudyId(fresh_id());
        assert!(
            !store
                .describe_study(nothing, "", "", "", NOW)
                .await
                .unwrap()
        );
        assert!(
            !store
                .set_settings(nothing, &StudySettings::default(), NOW)
                .await
                .unwrap()
        );
        assert_eq!(store.newest_event(nothing).await.unwrap(), None);
    })
    .await;
}

#[tokio::test]
async fn a_row_that_does_not_read_is_named() {
    on_both(async |story| {
        let id = story.add_study("news", None).await;
        story
            .execute_sql("UPDATE study SET settings = '{'".into())
            .await;
        let error = story.store.study(id).await.unwrap_err().to_string();
        assert!(
            error.contains(&format!("row {id} of table study")),
            "{error}"
        );
        assert!(error.contains("unreadable settings"), "{error}");
    })
    .await;
}

#[tokio::test]
async fn an_event_of_an_unknown_kind_is_named_and_the_others_are_read() {
    on_both(async |story| {
        let store = &story.store;
        let study = story.add_study("news", None).await;
        story
            .execute_sql(format!(
                "UPDATE study SET events = 2 WHERE id = '{study}';
                 INSERT INTO event (study_id, number, kind, subject, at)
                 VALUES ('{study}', 2, 'unheard-of', '{study}', {NOW})"
            ))
            .await;

        let events = store.latest_events(study, 9).await.unwrap();
        assert_eq!(events.len(), 1);
        assert_eq!(events[0].event.kind, EventKind::Study);
        let named = store.unreadable_rows(study).join(" ");
        assert!(
            named.contains("“unheard-of” is not a kind of event"),
            "{named}"
        );
    })
    .await;
}

#[tokio::test]
async fn an_archived_study_is_closed_and_nothing_in_it_changes() {
    on_both(async |story| {
        let store = &story.store;
        let lead = story.add_person("Lea").await;
        let id = story.add_study("old", Some(lead)).await;
        let settings = StudySettings::default();

        assert!(store.archive_study(id, NOW).await.unwrap());
        assert!(!store.archive_study(id, NOW + 1).await.unwrap());
        let study = store.study(id).await.unwrap().unwrap();
        assert_eq!((study.archived_at, study.closed_at), (Some(NOW), Some(NOW)));
        let listed = store.studies_of(lead).await.unwrap();
        assert_eq!(listed[0].archived_at, Some(NOW));

        let invitation = NewInvitation {
            token_hash: "late",
            target: InvitationTarget::Membership(Role::Annotator),
            label: "",
            uses: 1,
            expires_at: NOW + MINUTE,
            created_by: Some(lead),
            group: None,
        };
        let events = store.newest_event(id).await.unwrap();
        let person = story.add_person("Ann").await;
        let refusals = [
            store.describe_study(id, "New", "", "", NOW).await.err(),
            store.set_settings(id, &settings, NOW).await.err(),
            store
                .set_name_and_settings(id, "New", &settings, NOW)
                .await
                .err(),
            store.reopen_study(id, NOW).await.err(),
            store.create_invitation(id, &invitation, NOW).await.err(),
            store
                .add_member(id, person, Role::Annotator, NOW)
                .await
                .err(),
            store.add_member(id, person, Role::Lead, NOW).await.err(),
            store.set_role(id, lead, Role::Researcher, NOW).await.err(),
            store.begin_import(id, NOW, fresh_id).await.err(),
        ];
        for (number, refusal) in refusals.into_iter().enumerate() {
            let Some(Error::Refused(reason)) = refusal else {
                panic!("{number}: {refusal:?}")
            };
            assert!(reason.contains("archived"), "{number}: {reason}");
        }
        assert_eq!(store.newest_event(id).await.unwrap(), events);

        assert!(store.unarchive_study(id, NOW).await.unwrap());
        assert!(!store.unarchive_study(id, NOW).await.unwrap());
        let study = store.study(id).await.unwrap().unwrap();
        assert_eq!((study.archived_at, study.closed_at), (None, Some(NOW)));
        assert!(store.reopen_study(id, NOW).await.unwrap());
        store.create_invitation(id, &invitation, NOW).await.unwrap();
        store.archive_study(id, NOW).await.unwrap();
        for refusal in [
            store.preview_invitation("late", NOW).await.err(),
            store.redeem_invitation("late", person, NOW).await.err(),
        ] {
            let reason = refusal.map(|error| error.to_string()).unwrap_or_default();
            assert!(
                reason.contains("is archived: nobody can join it"),
                "{reason}"
            );
        }
    })
    .await;
}
