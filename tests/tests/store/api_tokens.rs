//! Tokens for the HTTP API.

use domain::{
    ids::{ApiTokenId, PersonId},
    study::Role,
};
use store::{
    api_tokens::{MOST_TOKENS, NewApiToken, TokenAccess, TokenStudies},
    erasure::AccountErasure,
};
use stories::{NOW, TestDatabase, fresh_id, on_both, refusal};

const DAY: i64 = 24 * 60 * 60 * 1000;

async fn make(
    story: &TestDatabase,
    person: PersonId,
    hash: &str,
    studies: &TokenStudies,
) -> ApiTokenId {
    let id = ApiTokenId(fresh_id());
    let new = NewApiToken {
        id,
        token_hash: hash,
        person,
        name: "a notebook",
        access: TokenAccess::Write,
        studies,
        expires_at: NOW + DAY,
    };
    story.store.create_api_token(&new, NOW).await.unwrap();
    id
}

#[tokio::test]
async fn a_token_works_until_it_expires_or_is_revoked() {
    on_both(async |story| {
        let store = &story.store;
        let person = story.add_person("Lea").await;
        let study = story.add_study("rivers", Some(person)).await;
        let only = TokenStudies::Only(vec![study]);
        let id = make(story, person, "one", &only).await;
        make(story, person, "two", &TokenStudies::All).await;

        let holder = store
            .api_token("one", NOW + DAY - 1)
            .await
            .unwrap()
            .unwrap();
        assert_eq!((holder.person.id, holder.token.id), (person, id));
        assert_eq!(holder.token.access, TokenAccess::Write);
        assert_eq!(holder.token.studies, only);
        assert_eq!(holder.token.used_at, None);
        assert_eq!(store.api_token("one", NOW + DAY).await.unwrap(), None);
        assert_eq!(store.api_token("none", NOW).await.unwrap(), None);

        store.note_token_use(&holder.token, NOW + 5).await.unwrap();
        let used = store.api_token("one", NOW).await.unwrap().unwrap().token;
        assert_eq!(used.used_at, Some(NOW + 5));
        // A second use in the same minute is not written.
        store.note_token_use(&used, NOW + 9).await.unwrap();
        let tokens = store.api_tokens(person).await.unwrap();
        let used_at: Vec<_> = tokens.iter().map(|token| token.used_at).collect();
        assert_eq!(used_at.iter().flatten().collect::<Vec<_>>(), [&(NOW + 5)]);

        let other = story.add_person("Another").await;
        assert!(!store.revoke_api_token(other, id).await.unwrap());
        assert!(store.revoke_api_token(person, id).await.unwrap());
        assert!(!store.revoke_api_token(person, id).await.unwrap());
        assert_eq!(store.api_token("one", NOW).await.unwrap(), None);
        let left = store.api_tokens(person).await.unwrap();
        assert_eq!(left.len(), 1);
        assert_eq!(left[0].studies, TokenStudies::All);
        assert_eq!(store.sweep_api_tokens(NOW + 31 * DAY).await.unwrap(), 0);
        assert_eq!(store.sweep_api_tokens(NOW + 32 * DAY).await.unwrap(), 1);
    })
    .await;
}

#[tokio::test]
async fn a_person_who_is_shut_out_takes_their_tokens_along() {
    on_both(async |story| {
        let store = &story.store;
        let admin = story.add_person("an admin").await;
        store.set_admin(admin, true).await.unwrap();
        for (number, name) in ["closed", "erased", "new password"].into_iter().enumerate() {
            let person = story.add_person(name).await;
            let study = story
                .add_study(&format!("study-{number}"), Some(admin))
                .await;
            store
                .add_member(study, person, Role::Researcher, NOW)
                .await
                .unwrap();
            make(story, person, name, &TokenStudies::Only(vec![study])).await;
            match name {
                "closed" => {
                    assert!(store.disable_person(person, NOW).await.unwrap());
                    assert!(store.enable_person(person).await.unwrap());
                }
                "erased" => {
                    let also = AccountErasure::default();
                    assert!(store.erase_person(person, also, NOW).await.unwrap());
                }
                _ => assert!(store.set_password_hash(person, Some("h")).await.unwrap()),
            }

            assert_eq!(store.api_token(name, NOW).await.unwrap(), None, "{name}");
            assert_eq!(store.api_tokens(person).await.unwrap(), [], "{name}");
        }
    })
    .await;
}

#[tokio::test]
async fn the_number_of_tokens_is_limited_and_none_of_a_closed_account() {
    on_both(async |story| {
        let store = &story.store;
        let admin = story.add_person("an admin").await;
        store.set_admin(admin, true).await.unwrap();
        let person = story.add_person("Lea").await;
        for number in 0..MOST_TOKENS {
            make(story, person, &format!("{number}"), &TokenStudies::All).await;
        }

        let new = |person| NewApiToken {
            id: ApiTokenId(fresh_id()),
            token_hash: "one more",
            person,
            name: "one more",
            access: TokenAccess::Read,
            studies: &TokenStudies::All,
            expires_at: NOW + DAY,
        };
        let refused = store.create_api_token(&new(person), NOW).await;
        assert!(refusal(refused).contains("revoke one"));

        let closed = story.add_person("closed").await;
        store.disable_person(closed, NOW).await.unwrap();
        let refused = store.create_api_token(&new(closed), NOW).await;
        assert!(refusal(refused).contains("deactivated"));
    })
    .await;
}
