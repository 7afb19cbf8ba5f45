use domain::{
    category::Category,
    study::{CategoryRule, SourcePurpose, StudySettings},
    work::task::ExpectedAnswer,
};
use store::{Error, import::NewOutput};
use stories::{NOW, on_both};

use crate::{
    assignment_fixture::{AssignmentFixture, start_assignment},
    study_fixture::{
        add_annotator, automatic_results, begin_import, create_study, create_study_with,
    },
};

#[tokio::test]
async fn another_rule_recategorises_outputs_but_not_those_of_a_file() {
    on_both(async |story| {
        let study = create_study(story, &StudySettings::default()).await;
        let mut file = begin_import(story, study).await;
        let source = "The old harbour, built in 1820, is still used by small boats.";
        let source = file.source(Some("0"), source, SourcePurpose::Main).unwrap();
        // Seven words of twelve: too few when tuned, enough by the paper's characters.
        let text = "Tiny ships sail in an ancient harbour.";

        for (system, version) in [("one", "story 1"), ("two", "file")] {
            let system = file.system(system, None).unwrap();
            let new = NewOutput::new(source, system, text);
            let mut placed = automatic_results(Category::Paraphrase);
            placed.category_version = version.to_owned();
            file.output(&new, || placed.clone()).unwrap();
        }
        file.commit().await.unwrap();

        let categories = async || {
            let outputs = story.store.source_outputs(source).await.unwrap();
            outputs
                .into_iter()
                .map(|output| output.category)
                .collect::<Vec<_>>()
        };
        let set = async |rule, threshold| {
            story
                .store
                .set_category_rule(study, rule, threshold, NOW)
                .await
                .unwrap()
        };

        assert_eq!(set(CategoryRule::Tuned, 0.7).await, 1);
        assert_eq!(
            categories().await,
            [Category::Deletion, Category::Paraphrase]
        );
        assert_eq!(set(CategoryRule::Tuned, 0.7).await, 0);
        assert_eq!(set(CategoryRule::Paper, 0.5).await, 1);
        assert_eq!(
            categories().await,
            [Category::Paraphrase, Category::Paraphrase]
        );

        let settings = story.store.study(study).await.unwrap().unwrap().settings;
        assert_eq!(settings.category_rule, CategoryRule::Paper);
        assert_eq!(settings.category_threshold.to_string(), "0.5");
        assert_eq!(settings.overlap, StudySettings::default().overlap);
    })
    .await;
}

#[tokio::test]
async fn a_source_becomes_a_training_item_only_while_nobody_has_it() {
    on_both(async |story| {
        let texts: &[&[&str]] = &[&["One."], &["Two."], &["Three."]];
        let ground =
            create_study_with(story, &StudySettings::default(), SourcePurpose::Main, texts).await;
        let (study, store) = (ground.study, &story.store);

        let set = async |at: usize, purpose| {
            store
                .set_purpose(study, ground.sources[at], purpose, NOW)
                .await
        };
        assert!(set(0, SourcePurpose::Tutorial).await.unwrap());
        assert!(set(1, SourcePurpose::Tutorial).await.unwrap());

        let order = async || {
            let sources = store.sources(study).await.unwrap();
            let tutorial = sources
                .iter()
                .filter(|source| source.purpose == SourcePurpose::Tutorial);
            tutorial
                .map(|source| source.key.clone())
                .collect::<Vec<_>>()
        };
        assert_eq!(order().await, ["main 0", "main 1"]);

        let to = async |at: usize, up| {
            store
                .move_source(study, ground.sources[at], up, NOW)
                .await
                .unwrap()
        };

        assert!(to(1, true).await);
        assert_eq!(order().await, ["main 1", "main 0"]);
        assert!(!to(1, true).await, "it is the first already");
        assert!(!to(0, false).await, "it is the last already");
        assert!(set(1, SourcePurpose::Main).await.unwrap());

        let person = add_annotator(story, study, "somebody").await;
        let assignment = ground.expect_assignment(story, person, NOW).await;
        let place = store.assignment(assignment).await.unwrap().unwrap();
        let at = ground
            .sources
            .iter()
            .position(|source| *source == place.source)
            .unwrap();
        let refused = set(at, SourcePurpose::Training).await;
        assert!(matches!(refused, Err(Error::Refused(_))), "{refused:?}");
    })
    .await;
}

#[tokio::test]
async fn a_source_is_in_use_where_its_purpose_is_fixed() {
    on_both(async |story| {
        let first = start_assignment(story).await;
        let (store, study) = (&story.store, first.ground.study);
        let source = first.ground.sources[0];

        let check = async |is_in_use: bool| {
            let listed = store.source(study, source).await.unwrap().unwrap();
            assert_eq!(listed.is_in_use, is_in_use);
            let set = store
                .set_purpose(study, source, SourcePurpose::Main, NOW)
                .await;
            assert_eq!(set.is_err(), is_in_use, "{set:?}");
        };

        check(true).await;
        let skip = async |person, assignment| {
            let skipped = store.skip(person, assignment, "Unclear.", NOW).await;
            skipped.unwrap();
        };
        skip(first.person, first.assignment).await;
        check(false).await;

        let person = add_annotator(story, study, "the second").await;
        let second = AssignmentFixture {
            assignment: first.ground.expect_assignment(story, person, NOW).await,
            person,
            ..first
        };
        second.rate_all(story).await;
        skip(second.person, second.assignment).await;
        // The answers stay, though nobody has it.
        check(true).await;
    })
    .await;
}

#[tokio::test]
async fn expected_answers_are_kept_changed_and_taken_away() {
    on_both(async |story| {
        let texts: &[&[&str]] = &[&["One."]];
        let ground = create_study_with(
            story,
            &StudySettings::default(),
            SourcePurpose::Training,
            texts,
        )
        .await;
        let (study, output) = (ground.study, ground.outputs[0][0]);

        let stored_answer = async || {
            let outputs = story.store.source_outputs(ground.sources[0]).await.unwrap();
            outputs[0].expected.clone()
        };

        let expected = ExpectedAnswer {
            category: Some(Category::Split),
            rating: Some(80),
            tolerance: 10,
            explanation: "It has two sentences.".into(),
            ..ExpectedAnswer::default()
        };
        let set = async |study, expected: Option<&ExpectedAnswer>| {
            let answers = [(output, expected.cloned())];
            let changed = story.store.set_expected(study, &answers, NOW).await;
            changed.unwrap() == 1
        };

        assert!(set(study, Some(&expected)).await);
        assert_eq!(stored_answer().await, Some(expected.clone()));
        let other = crate::study_fixture::create_study(story, &StudySettings::default()).await;
        assert!(
            !set(other, None).await,
            "another study's lead changes nothing"
        );
        assert_eq!(stored_answer().await, Some(expected));

        assert!(set(study, None).await);
        assert_eq!(stored_answer().await, None);
    })
    .await;
}
