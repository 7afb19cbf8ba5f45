use domain::{
    ids::{AssignmentId, PersonId, RaterId, SourceId, StudyId},
    study::{RaterKind, Role},
};
use store::{Error, EventKind, Member, StudyAccess};
use stories::{MINUTE, NOW, TestDatabase, fresh_id, on_both, slug};

/// A study “news” with a lead and an annotator.
async fn news(story: &TestDatabase) -> (StudyId, PersonId, PersonId) {
    let lead = story.add_person("lead").await;
    let annotator = story.add_person("annotator").await;
    let study = story.add_study("news", Some(lead)).await;
    let added = story
        .store
        .add_member(study, annotator, Role::Annotator, NOW);
    added.await.expect("they are no member yet");
    (study, lead, annotator)
}

async fn access(story: &TestDatabase, person: PersonId) -> Option<StudyAccess> {
    let access = story.store.study_access(person, &slug("news")).await;
    access.expect("rows read")
}

/// Gives the annotator an open source and a submitted one, and returns the open assignment.
async fn at_work(story: &TestDatabase, study: StudyId, person: PersonId) -> AssignmentId {
    let rater = RaterId(fresh_id());
    let mut sql = format!(
        "INSERT INTO stored_rater (id, study_id, position, kind, label, person_id)
         VALUES ('{rater}', '{study}', 1, 'person', 'annotator 1', '{person}');"
    );

    let mut assignments = vec![];
    for (position, state) in [(1, "open"), (2, "handed-in")] {
        let (source, assignment) = (SourceId(fresh_id()), AssignmentId(fresh_id()));
        sql += &format!(
            "INSERT INTO stored_source (id, study_id, position, key, text, purpose)
             VALUES ('{source}', '{study}', {position}, '{position}', 'A text.', 'main');
             INSERT INTO assignment (id, study_id, source_id, rater_id, state, seed, created_at,
                                     leased_until)
             VALUES ('{assignment}', '{study}', '{source}', '{rater}', '{state}', 1, {NOW}, {NOW});"
        );
        assignments.push(assignment);
    }

    story.execute_sql(sql).await;
    assignments[0]
}

/// The kinds and subjects of the study's events after `number`.
async fn events(story: &TestDatabase, study: StudyId, number: i64) -> Vec<(EventKind, String)> {
    let events = story.events_after(study, number).await.into_iter();
    events.map(|event| (event.kind, event.subject)).collect()
}

#[tokio::test]
async fn a_member_joins_once_and_is_seen() {
    on_both(async |story| {
        let (study, lead, annotator) = news(story).await;
        let again = story
            .store
            .add_member(study, annotator, Role::Lead, NOW)
            .await;
        assert!(matches!(again, Err(Error::Taken(_))));

        let member_access = access(story, annotator).await.unwrap();
        assert_eq!(member_access.role, Some(Role::Annotator));
        assert!(member_access.annotates() && !member_access.researches() && !member_access.leads());

        let members = story.store.members(study).await.unwrap();
        let actual: Vec<_> = members
            .iter()
            .map(|m| (m.person, m.role, m.joined_at))
            .collect();
        assert_eq!(
            actual,
            [(lead, Role::Lead, NOW), (annotator, Role::Annotator, NOW)]
        );
        assert_eq!(
            events(story, study, 1).await,
            [(EventKind::Member, annotator.to_string())]
        );

        let nowhere = StudyId(fresh_id());
        let lost = story
            .store
            .add_member(nowhere, annotator, Role::Lead, NOW)
            .await;
        assert!(matches!(lost, Err(Error::Refused(_))));
    })
    .await;
}

#[tokio::test]
async fn consent_and_admission_count_from_the_first_time() {
    on_both(async |story| {
        let store = &story.store;
        let (study, lead, annotator) = news(story).await;
        for (now, first) in [(NOW + 1, true), (NOW + 2, false)] {
            assert_eq!(store.consent(study, annotator, now).await.unwrap(), first);
            assert_eq!(store.admit(study, annotator, now).await.unwrap(), first);
        }

        let member_access = access(story, annotator).await.unwrap();
        let at = Some(NOW + 1);
        assert_eq!(
            (member_access.consented_at, member_access.admitted_at),
            (at, at)
        );
        let Member {
            consented_at,
            admitted_at,
            withdrawn_at,
            ..
        } = store.members(study).await.unwrap()[1];
        assert_eq!((consented_at, admitted_at), (at, at));
        assert_eq!(withdrawn_at, None);

        // A lead needs no admission, a stranger has none.
        assert!(!store.admit(study, lead, NOW).await.unwrap());
        assert!(
            !store
                .consent(study, PersonId(fresh_id()), NOW)
                .await
                .unwrap()
        );
        assert_eq!(events(story, study, 2).await.len(), 2);
    })
    .await;
}

#[tokio::test]
async fn who_must_consent_is_asked_until_they_do() {
    on_both(async |story| {
        let (study, _, annotator) = news(story).await;
        assert!(!access(story, annotator).await.unwrap().must_consent());
        let described = story
            .store
            .describe_study(study, "News", "", "You agree.", NOW);
        assert!(described.await.unwrap());
        assert!(access(story, annotator).await.unwrap().must_consent());
        assert!(story.store.consent(study, annotator, NOW).await.unwrap());
        assert!(!access(story, annotator).await.unwrap().must_consent());
    })
    .await;
}

#[tokio::test]
async fn withdrawing_returns_open_assignments() {
    on_both(async |story| {
        let store = &story.store;
        let (study, lead, annotator) = news(story).await;
        let open = at_work(story, study, annotator).await;
        let before = store.newest_event(study).await.unwrap().unwrap();
        assert!(
            store
                .withdraw(study, annotator, NOW + MINUTE)
                .await
                .unwrap()
        );
        assert!(
            !store
                .withdraw(study, annotator, NOW + 2 * MINUTE)
                .await
                .unwrap()
        );

        let member_access = access(story, annotator).await.unwrap();
        assert_eq!(member_access.withdrawn_at, Some(NOW + MINUTE));
        assert!(!member_access.annotates());
        assert_eq!(
            events(story, study, before).await,
            [
                (EventKind::Released, open.to_string()),
                (EventKind::Member, annotator.to_string())
            ]
        );
        let rows = story
            .query_rows("SELECT state, reason, ended_at FROM assignment ORDER BY id")
            .await;
        let ended = (NOW + MINUTE).to_string();
        assert_eq!(
            rows,
            [["released", "withdrew", &ended], ["handed-in", "", "NULL"]]
        );
        assert!(store.raters(study).await.unwrap()[0].withdrawn);

        // There is no way back in, and none out that would make their ratings count.
        assert!(!store.consent(study, annotator, NOW).await.unwrap());
        assert!(!store.admit(study, annotator, NOW).await.unwrap());
        let removed = store.remove_member(study, annotator, NOW).await;
        assert!(matches!(removed, Err(Error::Refused(_))));
        // A lead does not judge, so has nothing to withdraw.
        assert!(!store.withdraw(study, lead, NOW).await.unwrap());
    })
    .await;
}

#[tokio::test]
async fn people_who_leave_keep_what_they_handed_in() {
    on_both(async |story| {
        let store = &story.store;
        let (study, _, annotator) = news(story).await;
        at_work(story, study, annotator).await;
        assert!(store.remove_member(study, annotator, NOW).await.unwrap());
        assert!(!store.remove_member(study, annotator, NOW).await.unwrap());
        assert_eq!(access(story, annotator).await, None);

        let rows = story
            .query_rows("SELECT state, reason FROM assignment ORDER BY id")
            .await;
        assert_eq!(rows, [["released", "left the study"], ["handed-in", ""]]);

        let raters = store.raters(study).await.unwrap();
        let [rater] = &raters[..] else {
            panic!("{raters:?}")
        };
        assert_eq!(
            (rater.kind, &rater.label[..]),
            (RaterKind::Person, "annotator 1")
        );
        assert_eq!((rater.person, rater.withdrawn), (Some(annotator), false));

        // A person who comes back is the same rater.
        let back = store
            .add_member(study, annotator, Role::Annotator, NOW)
            .await;
        back.unwrap();
        assert_eq!(
            access(story, annotator).await.unwrap().rater,
            Some(rater.id)
        );
        let member = &store.members(study).await.unwrap()[1];
        assert_eq!(member.rater, Some((rater.id, "annotator 1".to_owned())));
    })
    .await;
}

#[tokio::test]
async fn another_role_takes_back_what_is_open() {
    on_both(async |story| {
        let store = &story.store;
        let (study, _, annotator) = news(story).await;
        at_work(story, study, annotator).await;
        assert!(
            store
                .set_role(study, annotator, Role::Researcher, NOW)
                .await
                .unwrap()
        );

        let member_access = access(story, annotator).await.unwrap();
        assert!(member_access.researches() && !member_access.leads() && !member_access.annotates());
        let rows = story
            .query_rows("SELECT state FROM assignment ORDER BY id")
            .await;
        assert_eq!(rows, [["released"], ["handed-in"]]);

        let stranger = PersonId(fresh_id());
        assert!(
            !store
                .set_role(study, stranger, Role::Lead, NOW)
                .await
                .unwrap()
        );
    })
    .await;
}

#[tokio::test]
async fn the_last_lead_stays() {
    on_both(async |story| {
        let store = &story.store;
        let (study, lead, other) = news(story).await;
        let refused = |result| matches!(result, Err(Error::Refused(_)));
        assert!(refused(store.remove_member(study, lead, NOW).await));
        assert!(refused(
            store.set_role(study, lead, Role::Annotator, NOW).await
        ));
        assert!(store.set_role(study, lead, Role::Lead, NOW).await.unwrap());
        assert!(store.set_role(study, other, Role::Lead, NOW).await.unwrap());

        // Both leave at once: one of them has to stay.
        let process = story.another_store().await;
        for _ in 0..8 {
            let (a, b) = tokio::join!(
                store.set_role(study, lead, Role::Researcher, NOW),
                process.set_role(study, other, Role::Researcher, NOW)
            );
            assert!(refused(a) ^ refused(b));
            let members = store.members(study).await.unwrap();
            assert_eq!(members.iter().filter(|m| m.role == Role::Lead).count(), 1);
            for person in [lead, other] {
                assert!(
                    store
                        .set_role(study, person, Role::Lead, NOW)
                        .await
                        .unwrap()
                );
            }
        }
        process.close().await;
    })
    .await;
}
