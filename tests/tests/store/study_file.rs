use domain::{
    category::Category,
    comprehension::{ComprehensionSettings, ScreeningQuestion},
    ids::StudyId,
    protocol::{ProtocolStep, RateStep, StudyProtocol},
    score::RatingScale,
    score_input::ScoreInput,
    study::{
        Dimension, QualificationRule, QualityControl, RetentionPeriod, Role, SourcePurpose,
        StudySettings, SystemKind,
    },
    work::task::ExpectedAnswer,
};
use service::{
    Context,
    study_file::{StudyFile, StudyFileError},
};
use store::{Store, import::NewOutput};
use stories::{NOW, TestDatabase, fresh_id, on_both, slug};

use crate::study_fixture::{add_annotator, automatic_results, begin_import, create_study};

const CONTEXT: Context = Context {
    clock: || NOW,
    ids: fresh_id,
    random: || [7; 32],
};

/// The main source of the study, and the annotator.
const RATED: &str = "This source is rated.";
const ANNOTATOR: &str = "Anna";

/// A study with all that a file holds, and what it leaves out.
async fn full_study(story: &TestDatabase) -> StudyId {
    let levels = ["lost", "half", "kept"].map(str::to_owned).to_vec();
    let settings = StudySettings {
        overlap: 7,
        category_threshold: 0.1 + 0.2,
        dimensions: vec![
            Dimension {
                input: ScoreInput::Levels(levels),
                ..Dimension::new("adequacy", RatingScale { low: 1, high: 3 })
            },
            Dimension::default(),
        ],
        protocol: StudyProtocol::new(vec![
            ProtocolStep::Categorise,
            ProtocolStep::Rate(RateStep::default()),
        ])
        .unwrap(),
        qualification: QualificationRule::Answers {
            tolerance: 0.7,
            categories: 0.57,
        },
        quality_control: QualityControl::SUGGESTED,
        retention: RetentionPeriod::SixMonths,
        retrain_every: 500,
        ..StudySettings::default()
    };

    let store = &story.store;
    let study = create_study(story, &settings).await;
    let (guidelines, information) = ("# How to rate\r\n\n“Good” is 3.", "You agree.\n");
    store
        .describe_study(study, "The river", guidelines, information, NOW)
        .await
        .unwrap();

    let mut import = begin_import(story, study).await;
    let main = import
        .source(Some("m"), RATED, SourcePurpose::Main)
        .unwrap();
    let rater = import.system("rated system", None).unwrap();
    let new = NewOutput::new(main, rater, "A rated output.");
    import
        .output(&new, || automatic_results(Category::Paraphrase))
        .unwrap();

    let purposes = [
        ("q", SourcePurpose::Qualification),
        ("t", SourcePurpose::Tutorial),
        ("a", SourcePurpose::Training),
    ];
    for (key, purpose) in purposes {
        let source = import
            .source(Some(key), "Rain fell on the roof.", purpose)
            .unwrap();
        import
            .references(source, &["It rained.", "It rained."])
            .unwrap();
        for (name, kind) in [
            ("person", SystemKind::Human),
            ("copy", SystemKind::Baseline),
        ] {
            let expected = ExpectedAnswer {
                category: Some(Category::Deletion),
                rating: Some(2),
                tolerance: 1,
                explanation: "“Roof” is lost.".into(),
                ..ExpectedAnswer::default()
            };
            let system = import.system(name, Some(kind)).unwrap();
            if name == "copy" {
                import.hide_system(system);
            }
            let new = NewOutput {
                expected: (name == "person").then_some(&expected),
                ..NewOutput::new(source, system, "Rain fell.")
            };
            import
                .output(&new, || automatic_results(Category::Deletion))
                .unwrap();
        }
    }
    import.commit().await.unwrap();

    let comprehension = ComprehensionSettings {
        information: "You read.".into(),
        screening: ScreeningQuestion::parse_all("First language? | English | another").unwrap(),
        completion_code: "C0DE".into(),
        return_link: "https://platform.example/done".into(),
        ..ComprehensionSettings::default()
    };
    store
        .set_comprehension_settings(study, &comprehension, NOW)
        .await
        .unwrap();

    add_annotator(story, study, ANNOTATOR).await;
    study
}

async fn export(store: &Store, study: StudyId) -> String {
    let study = store.study(study).await.unwrap().unwrap();
    StudyFile::load(store, &study).await.unwrap().to_json()
}

#[tokio::test]
async fn a_study_comes_back_from_its_file_to_the_byte() {
    on_both(async |story| {
        let store = &story.store;
        let written = export(store, full_study(story).await).await;
        for left_out in [RATED, "rated system", ANNOTATOR, "C0DE", "platform.example"] {
            assert!(!written.contains(left_out), "{left_out}: {written}");
        }
        assert_eq!(written.matches("\"hidden\": true").count(), 3, "{written}");

        let mut file = StudyFile::parse(written.as_bytes()).unwrap();
        let original = file.slug.clone();
        (file.slug, file.title) = (slug("copy"), "A copy".to_owned());

        let (copy, lead) = (StudyId(fresh_id()), story.add_person("Lea").await);
        file.create(store, copy, Some(lead), CONTEXT).await.unwrap();

        let again = export(store, copy).await;
        let renamed = again
            .replace("\"slug\": \"copy\"", &format!("\"slug\": \"{original}\""))
            .replace("\"title\": \"A copy\"", "\"title\": \"The river\"");
        assert_eq!(renamed, written);
        let access = store.study_access(lead, &slug("copy")).await.unwrap();
        assert_eq!(access.unwrap().role, Some(Role::Lead));

        let sources = store.sources(copy).await.unwrap();
        let keys: Vec<_> = sources.iter().map(|source| source.key.as_str()).collect();
        assert_eq!(keys, ["q", "t", "a"]);
        // The rule of the study places its outputs, as with any import.
        let outputs = store.source_outputs(sources[0].id).await.unwrap();
        assert!(
            outputs
                .iter()
                .all(|output| output.category == Category::Deletion)
        );
        assert!(outputs[1].twin_of == Some(outputs[0].id));
        let checked = store.check_integrity().await.unwrap();
        assert!(checked.faults.is_empty(), "{:?}", checked.faults);

        // More can be imported as into any study.
        let mut import = begin_import(story, copy).await;
        import
            .source(None, "One more.", SourcePurpose::Main)
            .unwrap();
        assert_eq!(import.commit().await.unwrap().sources, 1);
    })
    .await;
}

#[tokio::test]
async fn an_expected_score_off_the_scale_of_today_stays_behind() {
    on_both(async |story| {
        let store = &story.store;
        let study = full_study(story).await;
        let mut settings = store.study(study).await.unwrap().unwrap().settings;
        settings.dimensions.swap(0, 1);
        settings.dimensions[0].scale = RatingScale { low: 50, high: 60 };
        store.set_settings(study, &settings, NOW).await.unwrap();
        let written = export(store, study).await;
        assert!(written.contains("\"rating\": null"), "{written}");
        assert!(written.contains("“Roof” is lost."), "{written}");
        let mut file = StudyFile::parse(written.as_bytes()).unwrap();
        file.slug = slug("copy");
        let created = file.create(store, StudyId(fresh_id()), None, CONTEXT).await;
        created.unwrap();
    })
    .await;
}

#[tokio::test]
async fn of_a_file_that_is_refused_nothing_is_stored() {
    on_both(async |story| {
        let store = &story.store;
        let study = full_study(story).await;
        let written = export(store, study).await;

        let create = async |text: &str| {
            let file = StudyFile::parse(text.as_bytes()).unwrap();
            let created = file.create(store, StudyId(fresh_id()), None, CONTEXT).await;
            created.unwrap_err()
        };

        let taken = create(&written).await;
        assert!(
            matches!(taken, StudyFileError::Store(store::Error::Taken(_))),
            "{taken}"
        );
        let free = written.replace("\"slug\": \"study-", "\"slug\": \"other-");
        let off = create(&free.replace("\"rating\": 2", "\"rating\": 9")).await;
        assert!(
            off.to_string()
                .starts_with("training_items[0].outputs[0].expected.rating: 9 is"),
            "{off}"
        );

        // Even where the database fails in between.
        story
            .execute_sql("ALTER TABLE stored_output RENAME COLUMN expected TO other".into())
            .await;
        let failed = create(&free).await;
        assert!(matches!(failed, StudyFileError::Store(_)), "{failed}");

        let counts = story
            .query_rows(
                "SELECT (SELECT COUNT(*) FROM study), (SELECT COUNT(*) FROM stored_source),
                        (SELECT COUNT(*) FROM import)",
            )
            .await;
        assert_eq!(counts, [["1", "4", "1"]]);
    })
    .await;
}
