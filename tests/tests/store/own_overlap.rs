//! Sources with a number of annotators of their own.

use std::collections::BTreeMap;

use domain::{
    ids::{PersonId, SourceId},
    rater_groups::RaterGroup,
    study::{SourcePurpose, StudySettings},
};
use service::live::LiveStudies;
use store::{
    SourceProgress,
    assignments::{NextAssignment, UpcomingAssignment},
};
use stories::{MINUTE, NOW, TestDatabase, on_both, refusal};

use crate::study_fixture::{
    StoreFixture, add_annotator, create_study_with, give_at_once, hand_in, new_assignment,
};

fn settings(overlap: u32) -> StudySettings {
    StudySettings {
        overlap,
        lease_hours: 1,
        ..StudySettings::default()
    }
}

async fn set(story: &TestDatabase, ground: &StoreFixture, source: usize, own: Option<u32>) {
    let source = [ground.sources[source]];
    let set = story.store.set_own_overlap(ground.study, &source, own, NOW);
    set.await.unwrap();
}

/// The number of annotators who have each source.
async fn count_raters(story: &TestDatabase, ground: &StoreFixture) -> Vec<u32> {
    let mut raters: BTreeMap<SourceId, u32> = BTreeMap::new();
    for assigned in story.store.assignments(ground.study).await.unwrap() {
        *raters.entry(assigned.source).or_default() += 1;
    }
    let of_source = |source| raters.get(source).copied().unwrap_or(0);
    ground.sources.iter().map(of_source).collect()
}

/// Gives the source to the person, who hands it in.
async fn submit_next(story: &TestDatabase, ground: &StoreFixture, name: &str) -> PersonId {
    let person = add_annotator(story, ground.study, name).await;
    let assignment = ground.expect_assignment(story, person, NOW).await;
    hand_in(story, person, assignment, |_| 40).await;
    person
}

#[tokio::test]
async fn no_source_has_more_raters_than_it_asks_for() {
    on_both(async |story| {
        let mut with_group = settings(3);
        with_group.groups = vec![RaterGroup {
            id: "experts".into(),
            name: "Experts".into(),
            attributes: vec![],
            dimensions: vec![],
            overlap: Some(2),
        }];

        let texts = &[&["A.", "B."][..]; 5];
        let ground = create_study_with(story, &with_group, SourcePurpose::Main, texts).await;
        let study = ground.study;

        let own = [(1, 1), (2, 6), (4, 10)];
        for (source, number) in own {
            set(story, &ground, source, Some(number)).await;
        }

        let mut people = vec![];
        for n in 0..45 {
            let person = add_annotator(story, study, &format!("annotator {n}")).await;
            let group = (n % 3 == 0).then_some("experts");
            let put = story.store.set_member_group(study, person, group, NOW);
            assert!(put.await.unwrap());
            people.push(person);
        }

        let count = give_at_once(story, study, people).await;
        // The group gets each source twice, whatever its own number is.
        assert_eq!(count_raters(story, &ground).await, [5, 3, 8, 5, 12]);
        assert_eq!(count, 33);
    })
    .await;
}

#[tokio::test]
async fn a_source_is_given_out_until_it_has_its_own_number() {
    on_both(async |story| {
        let texts = &[&["A."][..]; 2];
        let ground = create_study_with(story, &settings(1), SourcePurpose::Main, texts).await;
        let (store, study) = (&story.store, ground.study);
        let available = async |person| {
            let work = store.upcoming_work(study, person, NOW).await.unwrap();
            work.unwrap().main.available
        };
        set(story, &ground, 0, Some(3)).await;
        for name in ["one", "two"] {
            submit_next(story, &ground, name).await;
        }
        assert_eq!(count_raters(story, &ground).await, [2, 0]);
        let third = add_annotator(story, study, "three").await;
        assert_eq!(available(third).await, 2);

        // Lowering the number takes nothing away, and gives nobody else the source.
        set(story, &ground, 0, Some(1)).await;
        assert_eq!(available(third).await, 1);
        ground.expect_assignment(story, third, NOW).await;
        assert_eq!(count_raters(story, &ground).await, [2, 1]);
        let fourth = add_annotator(story, study, "four").await;
        assert_eq!(available(fourth).await, 0);
        let next = store.upcoming_assignment(study, fourth, NOW).await.unwrap();
        assert_eq!(next, Some(UpcomingAssignment::Nothing));
        let next = ground.next_assignment(story, fourth, NOW).await;
        assert_eq!(next, NextAssignment::Nothing);
        let rater = store.ensure_rater(study, fourth, new_assignment(NOW).rater);
        let rater = rater.await.unwrap();
        let by_hand = store.assign(study, ground.sources[0], rater, new_assignment(NOW));
        assert!(refusal(by_hand.await).contains("for this source alone, on its page"));

        // As many as the settings say.
        set(story, &ground, 0, None).await;
        let more = store.set_settings(study, &settings(3), NOW).await;
        assert!(more.unwrap());
        assert_eq!(available(fourth).await, 2);
        ground.expect_assignment(story, fourth, NOW).await;
        assert_eq!(count_raters(story, &ground).await, [3, 1]);

        // A number that is raised again holds for a lead who gives the source by hand, too.
        set(story, &ground, 0, Some(4)).await;
        let fifth = add_annotator(story, study, "five").await;
        let rater = store.ensure_rater(study, fifth, new_assignment(NOW).rater);
        let rater = rater.await.unwrap();
        let by_hand = store.assign(study, ground.sources[0], rater, new_assignment(NOW));
        by_hand.await.unwrap();
        assert_eq!(count_raters(story, &ground).await, [4, 1]);
    })
    .await;
}

#[tokio::test]
async fn a_lease_that_ran_out_ends_when_the_last_own_place_is_needed() {
    on_both(async |story| {
        let texts = &[&["A."][..]];
        let ground = create_study_with(story, &settings(1), SourcePurpose::Main, texts).await;
        set(story, &ground, 0, Some(2)).await;
        let study = ground.study;
        let slow = add_annotator(story, study, "slow").await;
        ground.expect_assignment(story, slow, NOW).await;

        let later = NOW + 61 * MINUTE;
        let second = add_annotator(story, study, "second").await;
        let third = add_annotator(story, study, "third").await;
        ground.expect_assignment(story, second, later).await;
        let open = async || story.store.count_assignments(study).await.unwrap().open;
        assert_eq!(open().await, 2);

        // The third takes the place of the one whose lease ran out.
        ground.expect_assignment(story, third, later).await;
        assert_eq!(open().await, 2);
        let next = ground.next_assignment(story, slow, later).await;
        assert_eq!(next, NextAssignment::Nothing);
    })
    .await;
}

#[tokio::test]
async fn a_source_is_done_once_its_own_number_handed_it_in() {
    on_both(async |story| {
        let texts = &[&["A."][..]; 3];
        let ground = create_study_with(story, &settings(2), SourcePurpose::Main, texts).await;
        let (store, study) = (&story.store, ground.study);
        let live = LiveStudies::new(|| NOW);
        let wanted = settings(2).wanted_raters();
        let one = submit_next(story, &ground, "one").await;

        let check = async |done: u32, in_progress: u32, submissions: u32| {
            let overview = store.study_overview(study, wanted.clone()).await.unwrap();
            assert_eq!((overview.done, overview.in_progress), (done, in_progress));
            assert_eq!(overview.wanted_submissions(&wanted), submissions);
            // What is in memory follows the change.
            let progress = live.progress(store, study, wanted.clone()).await.unwrap();
            assert_eq!(progress.overview, overview);
            let sources = live.source_list(store, study).await.unwrap();
            let sources = sources.iter();
            let is_done = |progress| progress == SourceProgress::Done;
            let all_done = sources.filter(|source| is_done(source.progress(&wanted)));
            assert_eq!(u32::try_from(all_done.count()).unwrap(), done);
            let counts = store.study_counts(one).await.unwrap()[&study];
            assert_eq!(counts.wanted, submissions);
        };

        check(0, 1, 6).await;
        set(story, &ground, 0, Some(1)).await;
        check(1, 0, 5).await;
        set(story, &ground, 0, Some(10)).await;
        set(story, &ground, 1, Some(1)).await;
        check(0, 1, 13).await;
        set(story, &ground, 0, None).await;
        check(0, 1, 5).await;

        let source = store.source(study, ground.sources[1]).await.unwrap();
        assert_eq!(source.unwrap().own_overlap, Some(1));
    })
    .await;
}

#[tokio::test]
async fn only_judged_sources_of_an_open_study_have_a_number() {
    on_both(async |story| {
        let texts = &[&["A."][..]; 2];
        let mut ground = create_study_with(story, &settings(2), SourcePurpose::Main, texts).await;
        let (store, study) = (&story.store, ground.study);
        ground
            .add_sources(story, SourcePurpose::Training, &[&["T."]])
            .await;

        let both = [ground.sources[0], ground.sources[2]];
        let refused = store.set_own_overlap(study, &both, Some(5), NOW).await;
        assert!(refusal(refused).contains("Only sources that annotators judge"));
        let own = async || {
            let sources = store.sources(study).await.unwrap().into_iter();
            sources.map(|source| source.own_overlap).collect::<Vec<_>>()
        };
        // No source got the number.
        assert_eq!(own().await, [None; 3]);

        let first = [ground.sources[0]];
        let nowhere = [SourceId(uuid::Uuid::from_u128(7))];
        let refused = store.set_own_overlap(study, &nowhere, Some(5), NOW).await;
        assert!(refusal(refused).contains("no longer there"));

        store.close_study(study, NOW).await.unwrap();
        let refused = store.set_own_overlap(study, &first, Some(5), NOW).await;
        assert!(refusal(refused).contains("closed"));
        assert_eq!(own().await, [None; 3]);
    })
    .await;
}
