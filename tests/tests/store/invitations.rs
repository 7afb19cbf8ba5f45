use domain::{
    ids::{PersonId, StudyId},
    study::Role,
};
use store::{Error, InvitationTarget, NewInvitation};
use stories::{MINUTE, NOW, TestDatabase, fresh_id, on_both, refusal, slug};

async fn invite(story: &TestDatabase, study: StudyId, token_hash: &str, role: Role, uses: i64) {
    let new = NewInvitation {
        token_hash,
        target: InvitationTarget::Membership(role),
        label: "the course",
        uses,
        expires_at: NOW + MINUTE,
        created_by: None,
        group: None,
    };
    let result = story.store.create_invitation(study, &new, NOW).await;
    result.expect("the token is new");
}

#[tokio::test]
async fn a_link_makes_a_member_of_each_who_follows_it_until_used_up() {
    on_both(async |story| {
        let store = &story.store;
        let study = story.add_study("news", None).await;
        invite(story, study, "t", Role::Annotator, 2).await;
        let preview = store.preview_invitation("t", NOW).await.unwrap();
        assert_eq!((preview.study, &preview.study_name[..]), (study, "news"));
        assert_eq!(
            (preview.slug, preview.role),
            (slug("news"), Role::Annotator)
        );

        let [a, b, c] = [
            story.add_person("a").await,
            story.add_person("b").await,
            story.add_person("c").await,
        ];
        for person in [a, b] {
            let invited = store.redeem_invitation("t", person, NOW).await.unwrap();
            assert_eq!((invited.study, invited.role), (study, Role::Annotator));
            // Following it twice uses nothing up.
            store.redeem_invitation("t", person, NOW).await.unwrap();
        }

        let sentence = refusal(store.redeem_invitation("t", c, NOW).await);
        assert!(sentence.contains("used up"), "{sentence}");
        let sentence = refusal(store.preview_invitation("t", NOW).await);
        assert!(sentence.contains("used up"), "{sentence}");
        assert_eq!(store.members(study).await.unwrap().len(), 2);
        assert_eq!(store.study_access(c, &slug("news")).await.unwrap(), None);
    })
    .await;
}

#[tokio::test]
async fn a_link_makes_an_account_and_a_member_or_neither() {
    on_both(async |story| {
        let store = &story.store;
        let study = story.add_study("news", None).await;
        invite(story, study, "t", Role::Annotator, 1).await;
        let register = async |token, name| {
            let id = PersonId(fresh_id());
            store
                .register_by_invitation(token, id, name, "hash", "network", NOW)
                .await
        };
        let sentence = refusal(register("another", "a").await);
        assert!(sentence.contains("not known"), "{sentence}");
        let (person, invited) = register("t", "a").await.unwrap();
        assert_eq!((&person.name[..], person.is_admin), ("a", false));
        assert_eq!((invited.study, invited.expires_at), (study, NOW + MINUTE));
        assert_eq!(
            store.person_named("a").await.unwrap().unwrap().1.as_deref(),
            Some("hash")
        );
        assert_eq!(store.members(study).await.unwrap().len(), 1);

        // A link that does not work tells nothing about names, and makes no account.
        for name in ["a", "b"] {
            let sentence = refusal(register("t", name).await);
            assert!(sentence.contains("used up"), "{sentence}");
        }
        assert_eq!(store.person_named("b").await.unwrap(), None);

        invite(story, study, "u", Role::Annotator, 1).await;
        assert!(matches!(register("u", "A").await, Err(Error::Taken(_))));
        let (_, invited) = register("u", "b").await.unwrap();
        assert_eq!(invited.role, Role::Annotator);
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_hundred_accounts_an_hour_are_made_by_one_link_from_one_address() {
    on_both(async |story| {
        let study = story.add_study("news", None).await;
        let new = NewInvitation {
            token_hash: "t",
            target: InvitationTarget::Membership(Role::Annotator),
            label: "the course",
            uses: 200,
            expires_at: NOW + 100 * MINUTE,
            created_by: None,
            group: None,
        };
        let store = &story.store;
        store.create_invitation(study, &new, NOW).await.unwrap();
        let of_other_class = NewInvitation {
            token_hash: "other",
            ..new
        };
        let created = store.create_invitation(study, &of_other_class, NOW);
        created.await.unwrap();

        let register_by = async |link: &str, name: &str, network: &str, now| {
            let id = PersonId(fresh_id());
            store
                .register_by_invitation(link, id, name, "hash", network, now)
                .await
        };
        let register =
            async |name: &str, network: &str, now| register_by("t", name, network, now).await;

        // All at once, through two servers.
        let processes = [store.clone(), story.another_store().await];
        let mut registering = tokio::task::JoinSet::new();
        for number in 0..105_usize {
            let store = processes[number % 2].clone();
            registering.spawn(async move {
                let (id, name) = (PersonId(fresh_id()), number.to_string());
                store
                    .register_by_invitation("t", id, &name, "hash", "here", NOW)
                    .await
            });
        }

        let mut made = 0;
        for result in registering.join_all().await {
            match result {
                Ok(_) => made += 1,
                Err(Error::TooMany(sentence)) => {
                    assert!(sentence.contains("Wait 60 minutes"), "{sentence}");
                }
                Err(error) => panic!("{error}"),
            }
        }
        assert_eq!(made, 100);
        register("a", "elsewhere", NOW).await.unwrap();

        // Another class has a link of its own.
        register_by("other", "c", "here", NOW).await.unwrap();

        let members = store.members(study).await.unwrap();
        assert_eq!(members.len(), 102, "a refused account is not made");
        let early = register("b", "here", NOW + 59 * MINUTE).await;
        assert!(matches!(early, Err(Error::TooMany(_))));
        register("b", "here", NOW + 60 * MINUTE).await.unwrap();
        processes[1].close().await;
    })
    .await;
}

#[tokio::test]
async fn a_link_that_does_not_work_says_why() {
    on_both(async |story| {
        let store = &story.store;
        let study = story.add_study("news", None).await;
        let other = story.add_study("wiki", None).await;
        let person = story.add_person("a").await;
        invite(story, study, "t", Role::Annotator, 1).await;
        let why = async |token, now| {
            let sentence = refusal(store.preview_invitation(token, now).await);
            assert_eq!(
                refusal(store.redeem_invitation(token, person, now).await),
                sentence
            );
            sentence
        };

        assert!(why("t", NOW + MINUTE).await.contains("expired"));
        assert!(why("u", NOW).await.contains("not known"));

        let revoke = async |study| store.revoke_invitation(study, "t", NOW).await.unwrap();
        assert_eq!(revoke(other).await, None);
        let opened = InvitationTarget::Membership(Role::Annotator);
        assert_eq!(revoke(study).await, Some(opened));
        assert_eq!(revoke(study).await, None);

        assert!(why("t", NOW).await.contains("was revoked"));
        assert!(store.members(study).await.unwrap().is_empty());
    })
    .await;
}

#[tokio::test]
async fn a_member_stays_what_they_were() {
    on_both(async |story| {
        let lead = story.add_person("lead").await;
        let study = story.add_study("news", Some(lead)).await;
        invite(story, study, "t", Role::Annotator, 1).await;
        let invited = story.store.redeem_invitation("t", lead, NOW).await.unwrap();
        assert_eq!(invited.role, Role::Lead);
        // Even by a link that has expired meanwhile.
        let late = story.store.redeem_invitation("t", lead, NOW + MINUTE).await;
        assert_eq!(late.unwrap().role, Role::Lead);
        let left = story.store.invitations(study).await.unwrap()[0].uses_left;
        assert_eq!(left, 1);
    })
    .await;
}

#[tokio::test]
async fn a_study_lists_its_own_invitations() {
    on_both(async |story| {
        let study = story.add_study("news", None).await;
        let other = story.add_study("wiki", None).await;
        invite(story, study, "t", Role::Researcher, 3).await;
        invite(story, other, "u", Role::Lead, 1).await;
        story
            .store
            .revoke_invitation(study, "t", NOW + 1)
            .await
            .unwrap();

        let invitations = story.store.invitations(study).await.unwrap();
        let [only] = &invitations[..] else {
            panic!("{invitations:?}")
        };
        assert_eq!((&only.token_hash[..], &only.label[..]), ("t", "the course"));
        let opened = InvitationTarget::Membership(Role::Researcher);
        assert_eq!((only.target, only.uses_left), (opened, 3));
        assert_eq!((only.created_at, only.expires_at), (NOW, NOW + MINUTE));
        assert_eq!(only.revoked_at, Some(NOW + 1));
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_link_for_three_takes_three_of_ten_at_once() {
    on_both(async |story| {
        let study = story.add_study("news", None).await;
        invite(story, study, "t", Role::Annotator, 3).await;
        let processes = [story.store.clone(), story.another_store().await];
        let mut following = tokio::task::JoinSet::new();
        for number in 0..10 {
            let person = story.add_person(&number.to_string()).await;
            let store = processes[number % 2].clone();
            following.spawn(async move { store.redeem_invitation("t", person, NOW).await });
        }

        let followed = following.join_all().await;
        assert_eq!(followed.iter().filter(|result| result.is_ok()).count(), 3);
        for result in followed.into_iter().filter(Result::is_err) {
            assert!(refusal(result).contains("used up"));
        }
        assert_eq!(story.store.members(study).await.unwrap().len(), 3);
        assert_eq!(
            story.store.invitations(study).await.unwrap()[0].uses_left,
            0
        );
        processes[1].close().await;
    })
    .await;
}

#[tokio::test]
async fn the_first_administrator_is_made_by_link() {
    on_both(async |story| {
        let store = &story.store;
        let redeem = async |token, name, now| {
            let id = PersonId(fresh_id());
            store
                .redeem_first_admin_link(token, id, name, "hash", now)
                .await
        };
        assert!(
            store
                .create_first_admin_link("old", NOW, NOW + MINUTE)
                .await
                .unwrap()
        );
        assert!(
            store
                .create_first_admin_link("new", NOW, NOW + MINUTE)
                .await
                .unwrap()
        );
        assert!(!store.is_first_admin_link("old", NOW).await.unwrap());
        assert!(store.is_first_admin_link("new", NOW).await.unwrap());
        assert!(
            !store
                .is_first_admin_link("new", NOW + MINUTE)
                .await
                .unwrap()
        );

        refusal(redeem("old", "a", NOW).await);
        refusal(redeem("new", "a", NOW + MINUTE).await);
        refusal(redeem("new", "", NOW).await);
        let admin = redeem("new", "a", NOW).await.unwrap();
        assert!(admin.is_admin);
        let (_, hash) = store.person_named("a").await.unwrap().unwrap();
        assert_eq!(hash.as_deref(), Some("hash"));
        refusal(redeem("new", "b", NOW).await);

        assert!(!store.is_first_admin_link("new", NOW).await.unwrap());
        assert!(
            !store
                .create_first_admin_link("more", NOW, NOW + MINUTE)
                .await
                .unwrap()
        );
        assert_eq!(store.count_admins().await.unwrap(), 1);

        // Used up for good, even where nobody is left to administer.
        story
            .execute_sql(format!("UPDATE person SET disabled_at = {NOW}"))
            .await;
        refusal(redeem("new", "b", NOW).await);

        // It does not invite to any study.
        refusal(store.preview_invitation("new", NOW).await);
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn the_first_administrator_is_made_once() {
    on_both(async |story| {
        let result = story
            .store
            .create_first_admin_link("t", NOW, NOW + MINUTE)
            .await;
        assert!(result.unwrap());

        // A second link, as two servers that start at once may leave.
        let expires = NOW + MINUTE;
        story
            .execute_sql(format!(
                "INSERT INTO invitation (token_hash, role, created_at, expires_at, uses_left)
                 VALUES ('u', 'admin', {NOW}, {expires}, 1)"
            ))
            .await;

        let processes = [story.store.clone(), story.another_store().await];
        let mut following = tokio::task::JoinSet::new();
        for number in 0..8_usize {
            let store = processes[number % 2].clone();
            following.spawn(async move {
                let (token, name) = (["t", "u"][number / 2 % 2], number.to_string());
                let id = PersonId(fresh_id());
                store
                    .redeem_first_admin_link(token, id, &name, "hash", NOW)
                    .await
            });
        }

        let followed = following.join_all().await;
        assert_eq!(followed.iter().filter(|result| result.is_ok()).count(), 1);
        assert_eq!(story.store.count_admins().await.unwrap(), 1);
        assert_eq!(story.store.people().await.unwrap().len(), 1);
        processes[1].close().await;
    })
    .await;
}
