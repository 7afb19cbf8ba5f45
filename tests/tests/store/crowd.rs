//! Crowd raters from their link to their code.

use std::collections::BTreeMap;

use domain::{
    comparison::ComparisonChoice,
    crowd::{CrowdEnd, CrowdSettings, FailedChecksConsequence, FailedChecksRule},
    ids::{AssignmentId, OutputId, ParticipantId, PersonId, StudyId},
    protocol::{CompareStep, ProtocolStep, StudyProtocol},
    screening::RaterScreening,
    study::{OVERALL, OutputPurpose, QualityControl, Role, SourcePurpose, StudySettings},
    work::change::{AnnotationAnswer, AnnotationSlot},
};
use store::{
    Error, InvitationTarget, NewInvitation, Store,
    assignments::NextAssignment,
    comprehension::PlatformIds,
    crowd::{CrowdPlace, CrowdRater, NewCrowdRater, NewCrowdSession, ResumeKey},
    rating_rows::RatingScope,
};
use stories::{MINUTE, NOW, TestDatabase, fresh_id, on_both, refusal};

use crate::{
    assignment_fixture::{is_saved, superseding_change},
    quality,
    study_fixture::{StoreFixture, add_annotator, create_study, create_study_with, hand_in},
};

const LINK: &str = "the link";
const DAY: i64 = 24 * 60 * MINUTE;

pub(crate) fn crowd_settings(screening: &str) -> StudySettings {
    StudySettings {
        overlap: 100,
        lease_hours: 1,
        crowd: CrowdSettings {
            is_open: true,
            needs_platform_id: true,
            screening: RaterScreening::parse(screening).unwrap(),
            ..CrowdSettings::default()
        },
        ..StudySettings::default()
    }
}

/// A study with sources of one output that is open to crowd raters.
async fn open_study(
    story: &TestDatabase,
    settings: &StudySettings,
    sources: usize,
) -> StoreFixture {
    let texts = vec![&["One of them is here."][..]; sources];
    let ground = create_study_with(story, settings, SourcePurpose::Main, &texts).await;
    make_link(&story.store, ground.study, 10_000).await;
    ground
}

pub(crate) async fn make_link(store: &Store, study: StudyId, uses: i64) {
    let new = NewInvitation {
        token_hash: LINK,
        target: InvitationTarget::Crowd,
        label: "",
        uses,
        expires_at: NOW + 30 * DAY,
        created_by: None,
        group: None,
    };
    store.create_invitation(study, &new, NOW).await.unwrap();
}

/// Joins as a platform's participant, in a session of that name.
pub(crate) async fn join(
    store: &Store,
    session: &str,
    id: Option<&str>,
    screening: &[&str],
    now_ms: i64,
) -> store::Result<CrowdPlace> {
    join_or_leave(store, session, (id, true), screening, now_ms).await
}

/// Joins as a platform's participant who consents, or who only asks for the code when no place is left.
async fn join_or_leave(
    store: &Store,
    session: &str,
    (id, consents): (Option<&str>, bool),
    screening: &[&str],
    now_ms: i64,
) -> store::Result<CrowdPlace> {
    let screening: Vec<_> = screening.iter().map(|&answer| answer.to_owned()).collect();
    let new = NewCrowdRater {
        id: ParticipantId(fresh_id()),
        person: PersonId(fresh_id()),
        signed_in: None,
        secret: 1,
        link_hash: LINK,
        platform: PlatformIds {
            participant: id,
            study: "their study",
            session: "their session",
        },
        consents,
        screening: &screening,
        network: session,
        session: NewCrowdSession {
            token_hash: session,
            user_agent: "a browser",
            expires_ms: now_ms + DAY,
        },
    };
    store.join_crowd(&new, now_ms).await
}

pub(crate) async fn rater(store: &Store, place: CrowdPlace) -> CrowdRater {
    store.crowd_rater(place.person).await.unwrap().unwrap()
}

async fn set_crowd(store: &Store, study: StudyId, change: impl Fn(&mut StudySettings)) {
    let mut settings = store.study(study).await.unwrap().unwrap().settings;
    change(&mut settings);
    assert!(store.set_settings(study, &settings, NOW).await.unwrap());
}

#[tokio::test]
async fn a_link_leads_to_work_and_to_an_end() {
    on_both(async |story| {
        let store = &story.store;
        let mut settings = crowd_settings("");
        settings.crowd.sources_each = 2;
        let ground = open_study(story, &settings, 4).await;
        let missing = refusal(join(store, "none", None, &[], NOW).await);
        assert!(missing.contains("lacks the ID"), "{missing}");
        let place = join(store, "one", Some("PID 1"), &[], NOW).await.unwrap();
        assert_eq!((place.study, place.end), (ground.study, None));
        let session = store.session("one", NOW).await.unwrap().unwrap();
        assert_eq!(
            (session.person.id, session.person.is_crowd),
            (place.person, true)
        );

        let members = store.members(ground.study).await.unwrap();
        assert_eq!(
            (members.len(), members[0].role, members[0].is_crowd),
            (1, Role::Annotator, true)
        );
        assert_eq!(members[0].consented_at, Some(NOW));

        let early = store
            .finish_crowd_work(ground.study, place.person, "", NOW)
            .await;
        assert!(refusal(early).contains("still something for you to judge"));

        let first = ground.expect_assignment(story, place.person, NOW).await;
        hand_in(story, place.person, first, |_| 50).await;
        let outlook = store
            .upcoming_work(ground.study, place.person, NOW)
            .await
            .unwrap()
            .unwrap();
        assert_eq!((outlook.main.done, outlook.main.available), (1, 1));
        let second = ground.expect_assignment(story, place.person, NOW).await;
        hand_in(story, place.person, second, |_| 60).await;

        // Two are enough, though the study has four.
        let next = ground.next_assignment(story, place.person, NOW).await;
        assert_eq!(next, NextAssignment::Nothing);
        let end = store
            .finish_crowd_work(ground.study, place.person, "Nice.", NOW)
            .await;
        assert_eq!(end.unwrap(), CrowdEnd::Completed);
        let end = store
            .finish_crowd_work(ground.study, place.person, "Again.", NOW)
            .await;
        assert_eq!(end.unwrap(), CrowdEnd::Completed);

        let opened = store.reopen(place.person, first, NOW).await;
        assert!(refusal(opened).contains("has ended"));
        let rater = rater(store, place).await;
        assert_eq!((rater.done, rater.comment.as_str()), (2, "Nice."));
        assert_eq!(rater.platform_id.as_deref(), Some("PID 1"));
        assert_eq!(rater.pseudonym.as_deref(), Some("annotator 1"));
        assert_eq!(store.crowd_raters(ground.study).await.unwrap(), [rater]);

        let other = add_annotator(story, ground.study, "a member").await;
        assert!(store.crowd_rater(other).await.unwrap().is_none());
        // Readers of reading comprehension are listed apart.
        assert!(store.participants(ground.study).await.unwrap().is_empty());
    })
    .await;
}

/// The platform's ids of a person are known to others: to the platform, to leads, to everybody who sees the address.
#[tokio::test]
async fn work_belongs_to_the_browser_in_which_it_began_and_to_those_with_its_key() {
    on_both(async |story| {
        let store = &story.store;
        let ground = open_study(story, &crowd_settings(""), 2).await;
        let study = ground.study;
        let place = join(store, "one", Some("PID 1"), &[], NOW).await.unwrap();
        // The answer to the first try was lost: nothing is judged yet, and the second has the place alone.
        assert_eq!(
            store.has_crowd_work(study, "PID 1").await.unwrap(),
            Some(false)
        );
        let again = join(store, "two", Some("PID 1"), &[], NOW).await.unwrap();
        assert_eq!(again, place);
        assert!(store.session("one", NOW).await.unwrap().is_none());
        let key = store.crowd_resume_key(place.person).await.unwrap().unwrap();

        let assignment = ground.expect_assignment(story, place.person, NOW).await;
        assert_eq!(
            store.has_crowd_work(study, "PID 1").await.unwrap(),
            Some(true)
        );
        let other = join(store, "three", Some("PID 1"), &[], NOW).await;
        assert!(
            matches!(&other, Err(Error::Taken(why)) if why.contains("another browser")),
            "{other:?}"
        );
        assert!(store.session("three", NOW).await.unwrap().is_none());
        assert!(store.session("two", NOW).await.unwrap().is_some());

        // Everybody who has the key continues, and no click in the first browser is lost.
        let session = |token_hash| NewCrowdSession {
            token_hash,
            user_agent: "",
            expires_ms: NOW + DAY,
        };
        let resume = async |key, token_hash| {
            store
                .resume_crowd(key, token_hash, session(token_hash), NOW)
                .await
        };
        assert_eq!(store.crowd_place(key).await.unwrap(), Some(place));
        assert_eq!(resume(key, "four").await.unwrap(), place);
        let fourth = store.session("four", NOW).await.unwrap().unwrap();
        assert_eq!(fourth.person.id, place.person);
        assert!(store.session("two", NOW).await.unwrap().is_some());
        let wrong: ResumeKey = format!("{}{:016x}", &key.to_string()[..32], 3)
            .parse()
            .unwrap();
        assert!(refusal(resume(wrong, "five").await).contains("leads to no place"));
        let unset: ResumeKey = format!("{}{:016x}", &key.to_string()[..32], 0)
            .parse()
            .unwrap();
        assert_eq!(store.crowd_place(unset).await.unwrap(), None);

        // Also after the end, for its code.
        hand_in(story, place.person, assignment, |_| 50).await;
        let second = ground.expect_assignment(story, place.person, NOW).await;
        hand_in(story, place.person, second, |_| 50).await;
        let end = store.finish_crowd_work(study, place.person, "", NOW).await;
        assert_eq!(end.unwrap(), CrowdEnd::Completed);
        let other = join(store, "six", Some("PID 1"), &[], NOW).await;
        assert!(matches!(other, Err(Error::Taken(_))), "{other:?}");
        let end = resume(key, "seven").await.unwrap().end;
        assert_eq!(end, Some(CrowdEnd::Completed));
    })
    .await;
}

#[tokio::test]
async fn a_crowd_rater_stays_an_annotator_without_a_password() {
    on_both(async |story| {
        let store = &story.store;
        let ground = open_study(story, &crowd_settings(""), 1).await;
        let place = join(store, "one", Some("PID 1"), &[], NOW).await.unwrap();
        let person = store.person(place.person).await.unwrap().unwrap();
        assert!(store.person_named(&person.name).await.unwrap().is_none());
        assert!(store.people().await.unwrap().is_empty());

        assert!(!store.set_admin(place.person, true).await.unwrap());
        assert!(
            !store
                .set_password_hash(place.person, Some("hash"))
                .await
                .unwrap()
        );

        let link = store
            .create_password_link("reset", place.person, NOW, NOW + DAY)
            .await;
        assert!(refusal(link).contains("has no password"));
        let role = store
            .set_role(ground.study, place.person, Role::Lead, NOW)
            .await;
        assert!(refusal(role).contains("stay an annotator"));

        let other = story.add_study("another", None).await;
        let added = store
            .add_member(other, place.person, Role::Annotator, NOW)
            .await;
        assert!(refusal(added).contains("stay an annotator"));
    })
    .await;
}

#[tokio::test]
async fn nobody_begins_by_a_link_of_another_kind_or_one_that_does_not_work() {
    on_both(async |story| {
        let store = &story.store;
        let ground = open_study(story, &crowd_settings(""), 1).await;
        let study = ground.study;

        assert!(refusal(store.comprehension_link(LINK).await).contains("not known"));
        let person = story.add_person("somebody").await;
        assert!(refusal(store.redeem_invitation(LINK, person, NOW).await).contains("not known"));

        set_crowd(store, study, |settings| settings.crowd.is_open = false).await;
        let closed = refusal(join(store, "one", Some("1"), &[], NOW).await);
        assert!(closed.contains("no new people"), "{closed}");
        set_crowd(store, study, |settings| settings.crowd.is_open = true).await;

        let place = join(store, "one", Some("1"), &[], NOW).await.unwrap();
        let expired = refusal(join(store, "two", Some("2"), &[], NOW + 31 * DAY).await);
        assert!(expired.contains("has expired"), "{expired}");
        store.revoke_invitation(study, LINK, NOW).await.unwrap();
        let revoked = refusal(join(store, "three", Some("3"), &[], NOW).await);
        assert!(revoked.contains("was revoked"), "{revoked}");

        // Those who have a place keep it.
        assert_eq!(
            join(store, "four", Some("1"), &[], NOW).await.unwrap(),
            place
        );

        store.close_study(study, NOW).await.unwrap();
        assert!(refusal(join(store, "five", Some("1"), &[], NOW).await).contains("is closed"));

        // An annotator at work when the study closes still gets an end.
        let end = store
            .finish_crowd_work(study, place.person, "", NOW)
            .await
            .unwrap();
        assert_eq!(end, CrowdEnd::QuotaFull, "with nothing done");
    })
    .await;
}

#[tokio::test]
async fn each_person_takes_part_once_where_ids_are_not_needed() {
    on_both(async |story| {
        let store = &story.store;
        let mut settings = crowd_settings("");
        settings.crowd.needs_platform_id = false;
        open_study(story, &settings, 1).await;
        join(store, "one", None, &[], NOW).await.unwrap();
        join(store, "two", None, &[], NOW).await.unwrap();
        join(store, "three", Some("1"), &[], NOW).await.unwrap();
        let again = join(store, "four", Some("1"), &[], NOW).await;
        assert!(
            matches!(&again, Err(Error::Taken(why)) if why.contains("before")),
            "{again:?}"
        );
        assert!(store.session("four", NOW).await.unwrap().is_none());
    })
    .await;
}

#[tokio::test]
async fn a_link_that_is_used_up_ends_with_the_code_for_it() {
    on_both(async |story| {
        let store = &story.store;
        let texts: &[&[&str]] = &[&["One."]];
        let ground =
            create_study_with(story, &crowd_settings(""), SourcePurpose::Main, texts).await;
        make_link(store, ground.study, 1).await;
        assert_eq!(
            join(store, "one", Some("1"), &[], NOW).await.unwrap().end,
            None
        );
        let place = join(store, "two", Some("2"), &[], NOW).await.unwrap();
        assert_eq!(place.end, Some(CrowdEnd::QuotaFull));
        assert_eq!(store.members(ground.study).await.unwrap().len(), 1);
    })
    .await;
}

/// The number of sources that a newcomer can count on.
async fn room(store: &Store, study: StudyId, now_ms: i64) -> u32 {
    let settings = store.study(study).await.unwrap().unwrap().settings;
    let room = store.crowd_room(study, &settings, None, now_ms).await;
    room.unwrap()
}

#[tokio::test]
async fn a_place_is_held_for_each_who_begins_and_nobody_begins_without_one() {
    on_both(async |story| {
        let store = &story.store;
        let mut settings = crowd_settings("Age | young | old");
        (settings.overlap, settings.crowd.sources_each) = (1, 2);
        let ground = open_study(story, &settings, 4).await;
        let study = ground.study;
        assert_eq!(room(store, study, NOW).await, 2);
        let one = join(store, "one", Some("1"), &["old"], NOW).await.unwrap();
        assert_eq!((one.end, room(store, study, NOW).await), (None, 2));
        let two = join(store, "two", Some("2"), &["old"], NOW).await.unwrap();
        assert_eq!((two.end, room(store, study, NOW).await), (None, 0));

        // Neither has begun a source, and both keep theirs.
        let full = Some(CrowdEnd::QuotaFull);
        let three = join(store, "three", Some("3"), &["old"], NOW).await;
        assert_eq!(three.unwrap().end, full);
        let four = join_or_leave(store, "four", (Some("4"), false), &[], NOW).await;
        assert_eq!(four.unwrap().end, full, "without an answer to any question");
        assert_eq!(store.members(study).await.unwrap().len(), 2);

        for _ in 0..2 {
            for place in [one, two] {
                let assignment = ground.expect_assignment(story, place.person, NOW).await;
                assert_eq!(room(store, study, NOW).await, 0);
                hand_in(story, place.person, assignment, |_| 50).await;
            }
        }

        let end = store.finish_crowd_work(study, one.person, "", NOW).await;
        assert_eq!(end.unwrap(), CrowdEnd::Completed);
        assert_eq!(room(store, study, NOW).await, 0);
    })
    .await;
}

#[tokio::test]
async fn places_of_those_who_leave_or_stay_away_are_free_again() {
    on_both(async |story| {
        let store = &story.store;
        let mut settings = crowd_settings("");
        (settings.overlap, settings.crowd.sources_each) = (1, 3);
        let ground = open_study(story, &settings, 3).await;
        let study = ground.study;

        let one = join(store, "one", Some("1"), &[], NOW).await.unwrap();
        assert_eq!(room(store, study, NOW).await, 0);
        let assignment = ground.expect_assignment(story, one.person, NOW).await;
        hand_in(story, one.person, assignment, |_| 50).await;
        assert_eq!(room(store, study, NOW).await, 0);

        // Seen an hour ago, which is the lease of this study.
        assert_eq!(room(store, study, NOW + 61 * MINUTE).await, 2);
        assert!(store.withdraw(study, one.person, NOW).await.unwrap());
        assert_eq!(room(store, study, NOW).await, 3);
        let asks = join_or_leave(store, "two", (Some("2"), false), &[], NOW).await;
        assert!(refusal(asks).contains("has become free meanwhile"));

        // A member who judges takes a place as well.
        let member = add_annotator(story, study, "a member").await;
        ground.expect_assignment(story, member, NOW).await;
        assert_eq!(room(store, study, NOW).await, 2);
    })
    .await;
}

#[tokio::test]
async fn where_each_may_judge_any_number_of_sources_one_is_held() {
    on_both(async |story| {
        let store = &story.store;
        let mut settings = crowd_settings("");
        settings.overlap = 1;
        let ground = open_study(story, &settings, 2).await;
        let study = ground.study;

        let one = join(store, "one", Some("1"), &[], NOW).await.unwrap();
        assert_eq!(room(store, study, NOW).await, 1);
        let two = join(store, "two", Some("2"), &[], NOW).await.unwrap();
        assert_eq!(room(store, study, NOW).await, 0);
        for place in [one, two] {
            ground.expect_assignment(story, place.person, NOW).await;
            assert_eq!(room(store, study, NOW).await, 0);
        }

        // A study without sources has nothing for anybody.
        let empty = create_study(story, &settings).await;
        assert_eq!(room(store, empty, NOW).await, 0);
    })
    .await;
}

const LANGUAGES: &str = "First language | + English = 5 | + another = 3 | I do not want to say";

#[tokio::test]
async fn answers_screen_and_the_same_person_cannot_try_again() {
    on_both(async |story| {
        let store = &story.store;
        let ground = open_study(story, &crowd_settings(LANGUAGES), 1).await;
        for answers in [&[][..], &["Klingon"], &[""]] {
            let refused = refusal(join(store, "one", Some("1"), answers, NOW).await);
            assert_eq!(
                refused, "Choose an answer to “First language”.",
                "{answers:?}"
            );
        }

        let out = join(store, "one", Some("1"), &["I do not want to say"], NOW)
            .await
            .unwrap();
        assert_eq!(out.end, Some(CrowdEnd::ScreenedOut));
        let again = join(store, "two", Some("1"), &["English"], NOW)
            .await
            .unwrap();
        assert_eq!(again, out);

        assert!(store.members(ground.study).await.unwrap().is_empty());
        let next = store
            .next_assignment(
                ground.study,
                out.person,
                crate::study_fixture::new_assignment(NOW),
            )
            .await;
        assert!(refusal(next).contains("not an annotator"));

        let taken = join(store, "three", Some("3"), &["English"], NOW)
            .await
            .unwrap();
        assert_eq!(taken.end, None);
        assert_eq!(rater(store, taken).await.screening, ["English"]);
    })
    .await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn of_people_who_come_at_once_only_as_many_get_in_as_there_are_places() {
    on_both(async |story| {
        let ground = open_study(story, &crowd_settings(LANGUAGES), 1).await;
        let mut joining = tokio::task::JoinSet::new();
        for at in 0..40 {
            // Every fourth comes through another process.
            let store: Store = match at % 4 {
                0 => story.another_store().await,
                _ => story.store.clone(),
            };
            joining.spawn(async move {
                let answer = ["English", "another"][at % 2];
                let session = format!("session {at}");
                let place = join(&store, &session, Some(&session), &[answer], NOW)
                    .await
                    .unwrap();
                (answer, place.end)
            });
        }

        let mut counts = BTreeMap::<_, u32>::new();
        for (answer, end) in joining.join_all().await {
            *counts.entry((answer, end.map(CrowdEnd::name))).or_default() += 1;
        }
        let expect = BTreeMap::from([
            (("English", None), 5),
            (("English", Some("quota-full")), 15),
            (("another", None), 3),
            (("another", Some("quota-full")), 17),
        ]);
        assert_eq!(counts, expect);
        assert_eq!(story.store.members(ground.study).await.unwrap().len(), 8);
    })
    .await;
}

#[tokio::test]
async fn a_place_of_somebody_who_is_away_goes_to_another_person() {
    on_both(async |story| {
        let store = &story.store;
        let settings = crowd_settings("Age | + young = 1 | + old = 1");
        let ground = open_study(story, &settings, 3).await;
        let away = join(store, "one", Some("1"), &["young"], NOW)
            .await
            .unwrap();
        let full = join(store, "two", Some("2"), &["young"], NOW + 59 * MINUTE)
            .await
            .unwrap();
        assert_eq!(full.end, Some(CrowdEnd::QuotaFull));

        // At work, and therefore not away.
        ground
            .expect_assignment(story, away.person, NOW + 50 * MINUTE)
            .await;
        let full = join(store, "three", Some("3"), &["young"], NOW + 100 * MINUTE)
            .await
            .unwrap();
        assert_eq!(full.end, Some(CrowdEnd::QuotaFull));
        assert_eq!(rater(store, away).await.end, None);

        let taken = join(store, "four", Some("4"), &["young"], NOW + 200 * MINUTE)
            .await
            .unwrap();
        assert_eq!(taken.end, None);
        assert_eq!(rater(store, away).await.end, Some(CrowdEnd::Lapsed));

        let next = ground
            .next_assignment(story, away.person, NOW + 201 * MINUTE)
            .await;
        assert_eq!(next, NextAssignment::Nothing);
    })
    .await;
}

#[tokio::test]
async fn a_newcomer_takes_the_place_of_one_who_is_away_and_leaves_the_others_theirs() {
    on_both(async |story| {
        let store = &story.store;
        let settings = crowd_settings("Age | + young = 2 | + old\nHand | left | right");
        open_study(story, &settings, 3).await;
        let mut places = vec![];
        for (at, (id, answers)) in (0..).zip([
            ("first", ["young", "left"]),
            ("second", ["young", "right"]),
            ("third", ["old", "left"]),
            ("fourth", ["old", "right"]),
        ]) {
            let joined = join(store, id, Some(id), &answers, NOW + at * MINUTE).await;
            places.push(joined.unwrap());
        }
        let ends = async || {
            let mut ends = vec![];
            for place in &places {
                ends.push(rater(store, *place).await.end);
            }
            ends
        };

        // Everybody is away; a question without places ends nobody's work.
        let late = NOW + 100 * MINUTE;
        let free = join(store, "five", Some("5"), &["old", "left"], late).await;
        assert_eq!(free.unwrap().end, None);
        assert_eq!(ends().await, [None; 4]);

        // One place for the young is missing: the one who has been away longest makes room.
        let taken = join(store, "six", Some("6"), &["young", "left"], late).await;
        assert_eq!(taken.unwrap().end, None);
        let lapsed = Some(CrowdEnd::Lapsed);
        assert_eq!(ends().await, [lapsed, None, None, None]);
    })
    .await;
}

#[tokio::test]
async fn one_who_is_away_makes_room_only_for_a_newcomer_who_gets_in() {
    on_both(async |story| {
        let store = &story.store;
        let settings = crowd_settings("Age | + young = 1 | + old = 1\nHand | + left = 1 | + right");
        let texts: &[&[&str]] = &[&["One."]];
        let ground = create_study_with(story, &settings, SourcePurpose::Main, texts).await;
        make_link(store, ground.study, 3).await;
        let late = NOW + 100 * MINUTE;
        let away = join(store, "one", Some("1"), &["young", "right"], NOW).await;
        let away = away.unwrap();
        let present = join(store, "two", Some("2"), &["old", "left"], late).await;
        assert_eq!(present.unwrap().end, None);

        // The place of the young could be free, that of the left-handed is not.
        let full = join(store, "three", Some("3"), &["young", "left"], late).await;
        assert_eq!(full.unwrap().end, Some(CrowdEnd::QuotaFull));
        assert_eq!(rater(store, away).await.end, None);
        let third = join(store, "four", Some("4"), &["young", "right"], late).await;
        assert_eq!(third.unwrap().end, None);
        assert_eq!(rater(store, away).await.end, Some(CrowdEnd::Lapsed));

        // The link is used up: nobody's work ends for a person who cannot begin.
        let later = late + 100 * MINUTE;
        let full = join(store, "five", Some("5"), &["old", "right"], later).await;
        assert_eq!(full.unwrap().end, Some(CrowdEnd::QuotaFull));

        let raters = store.crowd_raters(ground.study).await.unwrap();
        let lapsed = raters
            .iter()
            .filter(|rater| rater.end == Some(CrowdEnd::Lapsed));
        assert_eq!(lapsed.count(), 1);
    })
    .await;
}

/// A study with one scrambled output in each source, and its rule for raters who rate that as high as the others.
async fn study_with_checks(
    story: &TestDatabase,
    consequence: FailedChecksConsequence,
) -> StoreFixture {
    let mut settings = crowd_settings("");
    settings.quality_control = QualityControl {
        scrambled_every: 1,
        ..QualityControl::default()
    };
    settings.crowd.failed_checks = FailedChecksRule {
        from: 2,
        consequence,
    };
    let ground = open_study(story, &settings, 4).await;
    assert_eq!(quality::add(story, &ground, 1).await, 4);
    ground
}

async fn rated(store: &Store, study: StudyId) -> usize {
    let ratings = store
        .ratings(study, RatingScope::IncludingOpen)
        .await
        .unwrap();
    ratings.len()
}

#[tokio::test]
async fn a_rater_who_fails_attention_items_is_excluded_with_a_reason_until_the_lead_decides() {
    on_both(async |story| {
        let store = &story.store;
        let ground = study_with_checks(story, FailedChecksConsequence::Exclude).await;
        let study = ground.study;
        let place = join(store, "one", Some("1"), &[], NOW).await.unwrap();
        let careful = join(store, "two", Some("2"), &[], NOW).await.unwrap();
        for done in 0..2 {
            assert_eq!(rater(store, place).await.end, None, "{done}");
            let assignment = ground.expect_assignment(story, place.person, NOW).await;
            hand_in(story, place.person, assignment, |_| 50).await;
            let assignment = ground.expect_assignment(story, careful.person, NOW).await;
            let scrambled = find_scrambled(story, assignment).await;
            hand_in(story, careful.person, assignment, |output| {
                match output.to_string() == scrambled {
                    true => 5,
                    false => 70,
                }
            })
            .await;
        }

        let failed = rater(store, place).await;
        assert_eq!(failed.end, Some(CrowdEnd::FailedChecks));
        assert_eq!(failed.reason, "2 of 2 attention items failed");
        assert_eq!(rater(store, careful).await.end, None);
        assert_eq!(rated(store, study).await, 2, "those of the careful one");

        let next = store
            .next_assignment(
                study,
                place.person,
                crate::study_fixture::new_assignment(NOW),
            )
            .await;
        assert!(refusal(next).contains("withdrawn"));

        assert!(
            store
                .include_crowd_rater(study, failed.id, NOW + 1)
                .await
                .unwrap()
        );
        assert!(
            !store
                .include_crowd_rater(study, failed.id, NOW + 1)
                .await
                .unwrap()
        );
        assert_eq!(rated(store, study).await, 4);

        // What was failed before is forgotten: one more is not enough.
        let assignment = ground.expect_assignment(story, place.person, NOW).await;
        hand_in(story, place.person, assignment, |_| 50).await;
        assert_eq!(rater(store, place).await.end, None);

        assert!(
            refusal(store.exclude_crowd_rater(study, failed.id, " ", NOW).await)
                .contains("Say why")
        );
        assert!(
            store
                .exclude_crowd_rater(study, failed.id, "slept", NOW)
                .await
                .unwrap()
        );
        assert!(
            !store
                .exclude_crowd_rater(study, failed.id, "slept", NOW)
                .await
                .unwrap()
        );

        let excluded = rater(store, place).await;
        assert_eq!(
            (excluded.end, excluded.reason.as_str()),
            (Some(CrowdEnd::Excluded), "slept")
        );
        assert_eq!(rated(store, study).await, 2);
    })
    .await;
}

#[tokio::test]
async fn comparisons_that_a_scrambled_output_wins_count_as_failed() {
    on_both(async |story| {
        let store = &story.store;
        let mut settings = crowd_settings("");
        settings.protocol =
            StudyProtocol::new(vec![ProtocolStep::Compare(CompareStep::default())]).unwrap();
        settings.quality_control = QualityControl {
            scrambled_every: 1,
            ..QualityControl::default()
        };
        settings.crowd.failed_checks = FailedChecksRule {
            from: 2,
            consequence: FailedChecksConsequence::Pause,
        };
        let texts = [&["One of them is here.", "It is here."][..]; 3];
        let ground = create_study_with(story, &settings, SourcePurpose::Main, &texts).await;
        make_link(store, ground.study, 10_000).await;
        assert_eq!(quality::add(story, &ground, 1).await, 3);

        for (name, id, fails) in [("one", "1", true), ("two", "2", false)] {
            let place = join(store, name, Some(id), &[], NOW).await.unwrap();
            for _ in 0..2 {
                let assignment = ground.expect_assignment(story, place.person, NOW).await;
                let scrambled = find_scrambled(story, assignment).await.parse().unwrap();
                let task = store.task(place.person, assignment).await.unwrap().unwrap();
                let change = |shown: &Vec<OutputId>| {
                    let better = shown.iter().find(|output| (**output == scrambled) == fails);
                    let choice = ComparisonChoice::Better(*better.unwrap_or(&shown[0]));
                    let slot = AnnotationSlot::comparison(shown, OVERALL);
                    let answer = AnnotationAnswer::Comparison(Some(choice));
                    superseding_change(slot, answer, None)
                };
                let changes: Vec<_> = task.comparisons.iter().map(change).collect();
                assert_eq!(changes.len(), 2);
                let save = store.save_work(place.person, assignment, &changes, &[], NOW);
                assert!(save.await.unwrap().unwrap().iter().all(is_saved));
                store.hand_in(place.person, assignment, NOW).await.unwrap();
            }

            let end = rater(store, place).await.end;
            assert_eq!(end, fails.then_some(CrowdEnd::Paused));
        }
    })
    .await;
}

async fn find_scrambled(story: &TestDatabase, assignment: AssignmentId) -> String {
    let sql = format!(
        "SELECT o.id FROM output o JOIN assignment x ON x.source_id = o.source_id
         WHERE x.id = '{assignment}' AND o.purpose = '{}'",
        OutputPurpose::Scrambled
    );
    story.query_rows(&sql).await[0][0].clone()
}

#[tokio::test]
async fn a_rater_who_is_paused_gets_nothing_more_and_counts() {
    on_both(async |story| {
        let store = &story.store;
        let ground = study_with_checks(story, FailedChecksConsequence::Pause).await;
        let place = join(store, "one", Some("1"), &[], NOW).await.unwrap();
        for _ in 0..2 {
            let assignment = ground.expect_assignment(story, place.person, NOW).await;
            hand_in(story, place.person, assignment, |_| 50).await;
        }

        assert_eq!(rater(store, place).await.end, Some(CrowdEnd::Paused));
        let next = ground.next_assignment(story, place.person, NOW).await;
        assert_eq!(next, NextAssignment::Nothing);
        assert_eq!(rated(store, ground.study).await, 2);
        let end = store
            .finish_crowd_work(ground.study, place.person, "", NOW)
            .await
            .unwrap();
        assert_eq!(end, CrowdEnd::Paused, "and no other code");
    })
    .await;
}

#[tokio::test]
async fn one_who_withdraws_is_shown_so_and_one_who_is_erased_leaves_nothing() {
    on_both(async |story| {
        let store = &story.store;
        let ground = open_study(story, &crowd_settings(""), 2).await;
        let study = ground.study;
        let place = join(store, "one", Some("PID 1"), &[], NOW).await.unwrap();
        let other = join(store, "two", Some("PID 2"), &[], NOW).await.unwrap();
        for place in [place, other] {
            let assignment = ground.expect_assignment(story, place.person, NOW).await;
            hand_in(story, place.person, assignment, |_| 50).await;
        }

        assert!(store.withdraw(study, place.person, NOW).await.unwrap());
        let withdrawn = rater(store, place).await;
        assert_eq!(withdrawn.end, Some(CrowdEnd::Withdrawn));
        let included = store.include_crowd_rater(study, withdrawn.id, NOW).await;
        assert!(refusal(included).contains("nobody but they"));
        assert!(
            store
                .erase_participant(study, withdrawn.id, NOW)
                .await
                .unwrap()
        );

        store.finish_erasures().await.unwrap();
        let kept = store.crowd_raters(study).await.unwrap();
        assert_eq!(kept.len(), 1);
        assert_eq!(kept[0].platform_id.as_deref(), Some("PID 2"));
        assert!(store.session("one", NOW).await.unwrap().is_none());
        let raters = "SELECT COUNT(DISTINCT rater_id) FROM stored_annotation";
        assert_eq!(story.query_rows(raters).await[0], ["1"]);

        assert!(
            !store
                .erase_participant(study, withdrawn.id, NOW)
                .await
                .unwrap()
        );
        assert!(matches!(
            join(store, "three", Some("PID 1"), &[], NOW).await,
            Ok(CrowdPlace { end: None, .. })
        ));
    })
    .await;
}

#[tokio::test]
async fn too_many_from_one_address_have_to_wait() {
    on_both(async |story| {
        let store = &story.store;
        open_study(story, &crowd_settings(""), 1).await;
        for at in 0..11 {
            let (id, session) = (format!("PID {at}"), format!("session {at}"));
            let new = NewCrowdRater {
                id: ParticipantId(fresh_id()),
                person: PersonId(fresh_id()),
                signed_in: None,
                secret: 1,
                link_hash: LINK,
                platform: PlatformIds {
                    participant: Some(&id),
                    study: "",
                    session: "",
                },
                consents: true,
                screening: &[],
                network: "one address",
                session: NewCrowdSession {
                    token_hash: &session,
                    user_agent: "",
                    expires_ms: NOW + DAY,
                },
            };

            let joined = store.join_crowd(&new, NOW).await;
            assert_eq!(
                matches!(joined, Err(Error::TooMany(_))),
                at == 10,
                "{at}: {joined:?}"
            );
        }
    })
    .await;
}
