use std::collections::BTreeMap;

use domain::{
    category::Category,
    edit::{Edit, EditKind},
    ids::{OutputId, PersonId},
    span::Span,
    study::{RaterKind, SourcePurpose, StudySettings},
    work::{
        activity::ActivityReport,
        change::{AnnotationAnswer, AnnotationSlot},
    },
};
use store::{
    import::NewRating,
    overview::RaterProgress,
    rating_rows::{RatingScope, StudyPart},
};
use stories::{MINUTE, NOW, TestDatabase, on_both};

use crate::study_fixture::{
    StoreFixture, add_annotator, begin_import, create_study_with, hand_in, new_change,
    rating_change, save_changes,
};

/// Two sources: the first with a pair of identical outputs, rated by an imported rater; a tutorial.
async fn small(story: &TestDatabase) -> StoreFixture {
    let settings = StudySettings {
        overlap: 2,
        ..StudySettings::default()
    };
    let texts: &[&[&str]] = &[&["Same.", "Other.", "Same."], &["One."]];
    let mut ground = create_study_with(story, &settings, SourcePurpose::Main, texts).await;

    let mut import = begin_import(story, ground.study).await;
    let rater = import.rater("rating_1", RaterKind::Imported).unwrap();
    for (output, value) in ground.outputs[0].iter().zip([10.5, 20.0, 30.0]) {
        let rating = NewRating::overall(rater, *output, value);
        import.rating(rating).unwrap();
    }
    let deletion = AnnotationAnswer::Category(Some(Category::Deletion));
    import
        .answer(rater, ground.outputs[1][0], &deletion)
        .unwrap();
    import.commit().await.unwrap();

    let tutorial: &[&[&str]] = &[&["Shown."]];
    ground
        .add_sources(story, SourcePurpose::Tutorial, tutorial)
        .await;
    ground
}

/// Does the tutorial as a new annotator and begins the first source.
async fn begin(story: &TestDatabase, ground: &StoreFixture, name: &str) -> PersonId {
    let person = add_annotator(story, ground.study, name).await;
    let tutorial = ground.expect_assignment(story, person, NOW).await;
    hand_in(story, person, tutorial, |_| 99).await;
    person
}

/// The place and the value of each rated output, and whether the rating is shared, by rater.
async fn rated(
    story: &TestDatabase,
    ground: &StoreFixture,
    which: RatingScope,
) -> Vec<Vec<(usize, f64, bool)>> {
    let all: Vec<OutputId> = ground.outputs.iter().flatten().copied().collect();
    let place = |output| all.iter().position(|o| *o == output).unwrap();
    let raters = story.store.raters(ground.study).await.unwrap();
    let mut by_rater = BTreeMap::<_, Vec<_>>::new();
    for row in story.store.ratings(ground.study, which).await.unwrap() {
        assert_eq!(*row.dimension, *"overall");
        let rater = raters.iter().position(|r| r.id == row.rater).unwrap();
        let rating = (place(row.output), row.value, row.shared);
        by_rater.entry(rater).or_default().push(rating);
    }
    by_rater.into_values().collect()
}

#[tokio::test]
async fn ratings_count_once_handed_in_and_stand_for_identical_outputs() {
    on_both(async |story| {
        let ground = small(story).await;
        let imported = vec![(0, 10.5, false), (1, 20.0, false), (2, 30.0, false)];
        let person = begin(story, &ground, "one").await;
        let first = ground.expect_assignment(story, person, NOW).await;
        let same = ground.outputs[0][0];
        save_changes(story, person, first, &[rating_change(same, 70)]).await;
        let handed_in = rated(story, &ground, RatingScope::HandedIn).await;
        assert_eq!(handed_in, std::slice::from_ref(&imported));
        let with_work = rated(story, &ground, RatingScope::IncludingOpen).await;
        let open = vec![(0, 70.0, false), (2, 70.0, true)];
        assert_eq!(with_work, [imported.clone(), open]);

        let other = ground.outputs[0][1];
        save_changes(story, person, first, &[rating_change(other, 0)]).await;
        story.store.hand_in(person, first, NOW).await.unwrap();
        let mine = vec![(0, 70.0, false), (1, 0.0, false), (2, 70.0, true)];
        let handed_in = rated(story, &ground, RatingScope::HandedIn).await;
        assert_eq!(handed_in, [imported.clone(), mine.clone()]);

        // Leaving keeps them, withdrawing removes them.
        let gone = begin(story, &ground, "two").await;
        let second = ground.expect_assignment(story, gone, NOW).await;
        hand_in(story, gone, second, |_| 5).await;
        let with_both = rated(story, &ground, RatingScope::HandedIn).await;
        assert_eq!(with_both.len(), 3);
        story.store.withdraw(ground.study, gone, NOW).await.unwrap();
        story
            .store
            .remove_member(ground.study, person, NOW)
            .await
            .unwrap();
        let handed_in = rated(story, &ground, RatingScope::HandedIn).await;
        assert_eq!(handed_in, [imported, mine]);
    })
    .await;
}

#[tokio::test]
async fn the_category_that_counts_is_that_of_the_majority_who_handed_in() {
    on_both(async |story| {
        let ground = small(story).await;
        let corrections = [Some(Category::Split), None];
        for (n, correction) in corrections.into_iter().enumerate() {
            let person = begin(story, &ground, &format!("annotator {n}")).await;
            let assignment = ground.expect_assignment(story, person, NOW).await;
            let output = ground.outputs[0][0];
            if let Some(category) = correction {
                let answer = AnnotationAnswer::Category(Some(category));
                let change = new_change(AnnotationSlot::Category { output }, answer);
                save_changes(story, person, assignment, &[change]).await;
            }
            hand_in(story, person, assignment, |_| 50).await;
        }

        let categories = story.store.categories(ground.study).await.unwrap();
        let actual: Vec<_> = categories
            .iter()
            .map(|c| {
                let given_categories: Vec<_> =
                    c.given.iter().map(|(_, category)| *category).collect();
                (c.output, given_categories, c.majority)
            })
            .collect();

        let (split, as_is) = (Category::Split, Category::Paraphrase);
        let [a, b, c] = ground.outputs[0][..] else {
            panic!("three outputs");
        };
        // One of two corrected it: a tie. The identical output follows it.
        let expect = [
            (a, vec![split, as_is], as_is),
            (b, vec![as_is, as_is], as_is),
            (c, vec![split, as_is], as_is),
            (
                ground.outputs[1][0],
                vec![Category::Deletion],
                Category::Deletion,
            ),
        ];
        assert_eq!(actual, expect);
    })
    .await;
}

#[tokio::test]
async fn corrected_edits_stand_beside_the_automatic_ones() {
    on_both(async |story| {
        let ground = small(story).await;
        let edit = Edit {
            kind: EditKind::Paraphrase,
            source: vec![],
            output: vec![Span::new(0, 4)],
            confidence: None,
        };
        let output = ground.outputs[0][0];
        for (name, edits) in [("one", Some(vec![edit.clone()])), ("two", None)] {
            let person = begin(story, &ground, name).await;
            let assignment = ground.expect_assignment(story, person, NOW).await;
            let change = new_change(
                AnnotationSlot::Edits { output },
                AnnotationAnswer::Edits(edits),
            );
            save_changes(story, person, assignment, &[change]).await;
            hand_in(story, person, assignment, |_| 50).await;
        }

        let mut edits = vec![];
        let collect = |of_output| edits.push(of_output);
        story
            .store
            .each_edits(ground.study, StudyPart::Whole, collect)
            .await
            .unwrap();

        // The last source was given to nobody.
        assert_eq!(edits.len(), 3);
        for (at, judged_as, expect) in [
            (0, 0, vec![Some(vec![edit.clone()]), None]),
            (1, 1, vec![None, None]),
            (2, 0, vec![Some(vec![edit]), None]),
        ] {
            let given_edits: Vec<_> = edits[at].given.iter().map(|(_, e)| e.clone()).collect();
            assert_eq!(given_edits, expect, "output {at}");
            assert_eq!(edits[at].judged_as, edits[judged_as].output, "output {at}");
        }
        assert_eq!(edits[0].version, "story 1");
    })
    .await;
}

#[tokio::test]
async fn an_overview_counts_main_sources_and_their_ratings() {
    on_both(async |story| {
        let ground = small(story).await;
        let one = begin(story, &ground, "one").await;
        let first = ground.expect_assignment(story, one, NOW).await;
        hand_in(story, one, first, |_| 1).await;

        let two = begin(story, &ground, "two").await;
        let second = ground.expect_assignment(story, two, NOW).await;
        save_changes(
            story,
            two,
            second,
            &[rating_change(ground.outputs[0][0], 2)],
        )
        .await;
        let spent = ActivityReport {
            rate_ms: 1_500,
            ..ActivityReport::default()
        };
        story
            .store
            .save_work(two, second, &[], &[spent], NOW + MINUTE)
            .await
            .unwrap();

        let overview = story.store.study_overview(ground.study, 2).await.unwrap();
        assert_eq!(
            (overview.sources, overview.outputs, overview.systems),
            (2, 4, 3)
        );
        let stages = (overview.done, overview.in_progress, overview.not_started());
        assert_eq!(stages, (0, 1, 1));
        let ratings = (
            overview.imported_judgements,
            overview.handed_in_judgements,
            overview.open_judgements,
        );
        assert_eq!(ratings, (3, 2, 1));

        let row = |r: &RaterProgress| {
            (
                r.label.clone(),
                [r.open, r.handed_in, r.skipped, r.judgements],
                r.active_ms,
            )
        };
        let rows: Vec<_> = overview.raters.iter().map(row).collect();
        let expect = [
            ("rating_1".to_owned(), [0, 0, 0, 3], 0),
            ("annotator 1".to_owned(), [0, 1, 0, 2], 0),
            ("annotator 2".to_owned(), [1, 0, 0, 1], 1_500),
        ];
        assert_eq!(rows, expect);

        // With one annotator per source, the first source is done.
        let overview = story.store.study_overview(ground.study, 1).await.unwrap();
        assert_eq!((overview.done, overview.in_progress), (1, 0));
        story.store.withdraw(ground.study, one, NOW).await.unwrap();
        let overview = story.store.study_overview(ground.study, 1).await.unwrap();
        assert_eq!((overview.done, overview.in_progress), (0, 1));
        assert_eq!(overview.handed_in_judgements, 0);
    })
    .await;
}
