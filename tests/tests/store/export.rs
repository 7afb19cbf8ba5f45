use domain::{
    category::Category,
    ids::OutputId,
    study::{AssignmentState, RaterKind, SourcePurpose, StudySettings, SystemKind},
    work::{
        activity::ActivityReport,
        change::{AnnotationAnswer, AnnotationSlot},
    },
};
use store::{
    export::{ExportSnapshot, ExportedOutput, StudyAnswerKinds},
    import::{NewOutput, NewRating, VerbatimRating},
    rating_rows::RatingScope,
};
use stories::{MINUTE, NOW, TestDatabase, on_both};

use crate::study_fixture::{
    StoreFixture, add_annotator, automatic_results, begin_import, create_study, create_study_with,
    hand_in, new_change, rating_change, save_changes,
};

async fn all(mut export: ExportSnapshot, page: u32) -> Vec<ExportedOutput> {
    let mut outputs = vec![];
    loop {
        let next = export.next_page(page).await.unwrap();
        if next.is_empty() {
            return outputs;
        }
        outputs.extend(next);
    }
}

async fn exported(
    story: &TestDatabase,
    ground: &StoreFixture,
    which: RatingScope,
) -> Vec<ExportedOutput> {
    let export = story.store.begin_export(ground.study, which).await.unwrap();
    // Spawned, as a server does it.
    tokio::spawn(all(export, 2)).await.unwrap()
}

#[tokio::test]
async fn what_a_file_brought_comes_out_to_the_letter_and_in_its_order() {
    on_both(async |story| {
        let study = create_study(story, &StudySettings::default()).await;
        let mut import = begin_import(story, study).await;
        let raters = ["b", "a"].map(|label| import.rater(label, RaterKind::Imported).unwrap());

        // Rows of two sources alternate, as in some files.
        for row in 0..7 {
            let (key, system) = ((row % 2).to_string(), (row / 2).to_string());
            let source = import
                .source(Some(&key), &format!("Source {key}."), SourcePurpose::Main)
                .unwrap();
            import.references(source, &["z", "a", "z"]).unwrap();
            let new = NewOutput {
                source,
                system: import.system(&system, Some(SystemKind::Human)).unwrap(),
                text: if row == 6 { "" } else { "Of “it” \n, all." },
                verbatim: Some(&format!(r#"{{"id":"{row}0"}}"#)),
                expected: None,
            };
            let (output, _) = import
                .output(&new, || automatic_results(Category::Deletion))
                .unwrap();
            for (n, rater) in raters.iter().enumerate().skip(usize::from(row == 3)) {
                for dimension in ["overall", "fluency"] {
                    let verbatim = VerbatimRating {
                        value: format!("{n}.0"),
                        z: Some(format!("-0.{row}")),
                        column: None,
                    };
                    let rating = NewRating {
                        shared: false,
                        recorded_at: None,
                        rater: *rater,
                        output,
                        dimension,
                        scale: domain::score::RatingScale::LIKERT,
                        value: f64::from(u8::try_from(n).unwrap()),
                        verbatim,
                    };
                    import.rating(rating).unwrap();
                }
            }
        }
        import.commit().await.unwrap();

        let export = story
            .store
            .begin_export(study, RatingScope::HandedIn)
            .await
            .unwrap();
        assert_eq!(
            Some(export.event),
            story.store.newest_event(study).await.unwrap()
        );
        let labels: Vec<_> = export.raters.iter().map(|r| r.label.clone()).collect();
        assert_eq!(labels, ["b", "a"]);
        let outputs = all(export, 3).await;
        assert_eq!(outputs.len(), 7);
        for (row, output) in outputs.iter().enumerate() {
            let key = (row % 2).to_string();
            assert_eq!(output.source.key, key);
            assert_eq!(output.source.text, format!("Source {key}."));
            assert_eq!(output.source.references, ["z", "a", "z"]);
            assert_eq!(output.system, (row / 2).to_string());
            assert_eq!(output.kind, SystemKind::Human);
            assert_eq!(output.text, if row == 6 { "" } else { "Of “it” \n, all." });
            assert_eq!(output.verbatim, Some(format!(r#"{{"id":"{row}0"}}"#)));
            assert_eq!(output.automatic, automatic_results(Category::Deletion));
            assert_eq!(output.category, Category::Deletion);
            let ratings: Vec<_> = output
                .ratings
                .iter()
                .map(|r| {
                    let label = raters.iter().position(|rater| *rater == r.rater).unwrap();
                    let verbatim = r.verbatim.clone().unwrap();
                    assert_eq!((&r.scale[..], r.shared), ("-2..2", false));
                    assert_eq!(verbatim.z, Some(format!("-0.{row}")));
                    (label, r.dimension.clone(), verbatim.value)
                })
                .collect();
            let expected_rating =
                |n: usize, dimension: &str| (n, dimension.to_owned(), format!("{n}.0"));
            let mut expect = vec![
                expected_rating(0, "fluency"),
                expected_rating(0, "overall"),
                expected_rating(1, "fluency"),
                expected_rating(1, "overall"),
            ];
            if row == 3 {
                expect.drain(..2);
            }
            assert_eq!(ratings, expect, "row {row}");
        }
    })
    .await;
}

#[tokio::test]
async fn what_annotators_entered_comes_out() {
    on_both(async |story| {
        let settings = StudySettings {
            overlap: 2,
            ..StudySettings::default()
        };
        let texts: &[&[&str]] = &[&["Same.", "Other.", "Same."]];
        let mut ground = create_study_with(story, &settings, SourcePurpose::Main, texts).await;
        let [a, b, c] = ground.outputs[0][..] else {
            panic!("three outputs");
        };
        let training: &[&[&str]] = &[&["To train."]];
        let one = add_annotator(story, ground.study, "one").await;
        let assignment = ground.expect_assignment(story, one, NOW).await;
        let changes = [
            new_change(
                AnnotationSlot::Category { output: a },
                AnnotationAnswer::Category(Some(Category::Split)),
            ),
            new_change(
                AnnotationSlot::Edits { output: a },
                AnnotationAnswer::Edits(Some(vec![])),
            ),
            new_change(
                AnnotationSlot::Note { output: b },
                AnnotationAnswer::Note("Odd.".into()),
            ),
            new_change(
                AnnotationSlot::Order,
                AnnotationAnswer::Order(Some(vec![b, a])),
            ),
        ];
        save_changes(story, one, assignment, &changes).await;
        let spent = ActivityReport {
            categorise_ms: 10,
            rate_ms: 30,
            ..ActivityReport::default()
        };
        story
            .store
            .save_work(one, assignment, &[], &[spent], NOW + MINUTE)
            .await
            .unwrap();
        hand_in(
            story,
            one,
            assignment,
            |output| if output == a { 70 } else { 20 },
        )
        .await;
        ground
            .add_sources(story, SourcePurpose::Training, training)
            .await;

        let kinds = story.store.answer_kinds(ground.study).await.unwrap();
        let (ratings, edits) = (true, true);
        let expected = StudyAnswerKinds {
            ratings,
            edits,
            ..StudyAnswerKinds::default()
        };
        assert_eq!(kinds, expected);

        let outputs = exported(story, &ground, RatingScope::HandedIn).await;
        let ids: Vec<_> = outputs.iter().map(|o| o.output).collect();
        assert_eq!(ids, [a, b, c]);

        let rater = outputs[0].ratings[0].rater;
        let scores: Vec<_> = outputs
            .iter()
            .map(|o| {
                assert_eq!(o.ratings.len(), 1);
                let rating = &o.ratings[0];
                assert_eq!((rating.verbatim.clone(), rating.recorded_at), (None, NOW));
                (rating.value, rating.shared, o.twin_of)
            })
            .collect();
        let expect = [
            (70.0, false, None),
            (20.0, false, None),
            (70.0, true, Some(a)),
        ];
        assert_eq!(scores, expect);

        let (split, as_is) = (Category::Split, Category::Paraphrase);
        let categories: Vec<_> = outputs
            .iter()
            .map(|o| (o.categories.clone(), o.category))
            .collect();
        let expect = [split, as_is, split].map(|c| (vec![(rater, c)], c));
        assert_eq!(categories, expect);

        let edits: Vec<_> = outputs.iter().map(|o| o.edits.clone()).collect();
        assert_eq!(
            edits,
            [vec![(rater, vec![])], vec![], vec![(rater, vec![])]]
        );
        assert_eq!(outputs[1].notes, [(rater, "Odd.".to_owned())]);

        let [work] = &outputs[0].source.work[..] else {
            panic!("one annotator's work");
        };
        assert_eq!(work.state, AssignmentState::HandedIn);
        assert_eq!((work.given_at, work.handed_in_at), (NOW, Some(NOW)));
        assert_eq!(work.active_ms, [10, 0, 30, 0, 0]);
        assert_eq!(work.order, Some(vec![b, a]));
    })
    .await;
}

#[tokio::test]
async fn open_work_comes_out_on_request_and_withdrawn_work_never() {
    on_both(async |story| {
        let texts: &[&[&str]] = &[&["A.", "B."]];
        let ground =
            create_study_with(story, &StudySettings::default(), SourcePurpose::Main, texts).await;
        let output: OutputId = ground.outputs[0][0];
        let open = add_annotator(story, ground.study, "open").await;
        let assignment = ground.expect_assignment(story, open, NOW).await;
        let split = AnnotationAnswer::Category(Some(Category::Split));
        let changes = [
            rating_change(output, 9),
            new_change(AnnotationSlot::Category { output }, split),
        ];
        save_changes(story, open, assignment, &changes).await;

        let gone = add_annotator(story, ground.study, "gone").await;
        let assignment = ground.expect_assignment(story, gone, NOW).await;
        hand_in(story, gone, assignment, |_| 1).await;
        story.store.withdraw(ground.study, gone, NOW).await.unwrap();

        for (which, ratings) in [(RatingScope::HandedIn, 0), (RatingScope::IncludingOpen, 1)] {
            let outputs = exported(story, &ground, which).await;
            assert_eq!(outputs[0].ratings.len(), ratings);
            assert_eq!(outputs[0].source.work.len(), ratings);
            // Categories of work in progress do not count yet.
            assert_eq!(outputs[0].categories, []);
            assert_eq!(outputs[0].category, Category::Paraphrase);
        }
    })
    .await;
}

#[tokio::test]
async fn an_export_is_of_the_moment_it_began_at() {
    on_both(async |story| {
        let texts: &[&[&str]] = &[&["A."], &["B."]];
        let mut ground =
            create_study_with(story, &StudySettings::default(), SourcePurpose::Main, texts).await;
        let person = add_annotator(story, ground.study, "one").await;
        let assignment = ground.expect_assignment(story, person, NOW).await;

        let mut export = story
            .store
            .begin_export(ground.study, RatingScope::HandedIn)
            .await
            .unwrap();
        assert_eq!(export.next_page(1).await.unwrap().len(), 1);

        hand_in(story, person, assignment, |_| 1).await;
        ground.add_sources(story, SourcePurpose::Main, texts).await;
        assert_eq!(export.ratings().await.unwrap(), []);
        assert_eq!(export.next_page(10).await.unwrap().len(), 1);
        export.rewind();
        assert_eq!(all(export, 10).await.len(), 2);
        assert_eq!(
            exported(story, &ground, RatingScope::HandedIn).await.len(),
            4
        );
    })
    .await;
}
