//! The text around a source: brought by imports, seen by annotators and leads.

use domain::{
    ids::StudyId,
    protocol::{ProtocolStep, RateStep, StudyProtocol},
    source_context::SourceContext,
    study::{SourcePurpose, StudySettings},
};
use store::Error;
use stories::{NOW, TestDatabase, on_both};

use crate::{
    assignment_fixture::start_assignment,
    study_fixture::{begin_import, create_study},
};

fn context(before: &str, after: &str) -> SourceContext {
    SourceContext {
        before: before.to_owned(),
        after: after.to_owned(),
    }
}

/// Imports a source with the text around it, and returns how many sides were new.
async fn import_context(story: &TestDatabase, study: StudyId, around: &SourceContext) -> u64 {
    let mut import = begin_import(story, study).await;
    let source = import.source(Some("0"), "It rose.", SourcePurpose::Main);
    import.context(source.unwrap(), around).unwrap();
    import.commit().await.unwrap().contexts
}

#[tokio::test]
async fn an_import_adds_the_sides_that_a_source_lacks_and_refuses_others() {
    on_both(async |story| {
        let study = create_study(story, &StudySettings::default()).await;
        let stored = async || {
            let source = story.store.sources(study).await.unwrap()[0].id;
            story.store.source_context(source).await.unwrap()
        };

        assert_eq!(import_context(story, study, &context("", "")).await, 0);
        assert_eq!(stored().await, context("", ""));
        let before = context("It rained.", "");
        assert_eq!(import_context(story, study, &before).await, 1);
        assert_eq!(import_context(story, study, &before).await, 0, "again");
        let both = context("It rained.", "It fell.");
        assert_eq!(import_context(story, study, &both).await, 1);
        assert_eq!(import_context(story, study, &context("", "")).await, 0);
        assert_eq!(stored().await, both);

        let mut import = begin_import(story, study).await;
        let source = import.source(Some("0"), "It rose.", SourcePurpose::Main);
        let source = source.unwrap();
        let error = import.context(source, &context("It snowed.", "It fell."));
        let Err(Error::Refused(reason)) = error else {
            panic!("another text is refused")
        };
        assert!(reason.contains("another text before it"), "{reason}");
        let error = import.context(source, &context("", "It\0fell."));
        assert!(matches!(error, Err(Error::Refused(_))));
        import.rollback().await.unwrap();
    })
    .await;
}

#[tokio::test]
async fn undoing_an_import_takes_its_context_away_and_leaves_the_source() {
    on_both(async |story| {
        let study = create_study(story, &StudySettings::default()).await;
        import_context(story, study, &context("It rained.", "")).await;
        import_context(story, study, &context("", "It fell.")).await;

        let source = story.store.sources(study).await.unwrap()[0].id;
        let imports = story.store.imports(study).await.unwrap();
        let [newest, oldest] = &imports[..] else {
            panic!("two imports: {imports:?}")
        };
        let kept = story.store.why_import_stays(oldest.id).await.unwrap();
        assert!(kept.is_some_and(|reason| reason.contains("A later import")));
        assert!(
            story
                .store
                .undo_import(study, newest.id, NOW)
                .await
                .unwrap()
        );
        let left = story.store.source_context(source).await.unwrap();
        assert_eq!(left, context("It rained.", ""));

        // What an import sends is not seen before it ends.
        let mut import = begin_import(story, study).await;
        import.context(source, &context("", "It froze.")).unwrap();
        import.flush().await.unwrap();
        let seen = story.store.source_context(source).await.unwrap();
        assert_eq!(seen, left);
        import.rollback().await.unwrap();
    })
    .await;
}

#[tokio::test]
async fn annotators_see_the_text_around_a_source_unless_the_study_hides_the_source() {
    on_both(async |story| {
        let work = start_assignment(story).await;
        let around = context("It rained.", "It fell.");
        let (study, source) = (work.ground.study, work.ground.sources[0]);
        let mut import = begin_import(story, study).await;
        import.context(source, &around).unwrap();
        import.commit().await.unwrap();
        assert_eq!(work.task(story).await.context, around);

        let mut settings = story.store.study(study).await.unwrap().unwrap().settings;
        let hiding = RateStep {
            hides_source: true,
            ..RateStep::default()
        };
        settings.protocol = StudyProtocol::new(vec![ProtocolStep::Rate(hiding)]).unwrap();
        story
            .execute_sql(format!(
                "UPDATE study SET settings = '{}' WHERE id = '{study}'",
                serde_json::to_string(&settings).unwrap()
            ))
            .await;

        let task = work.task(story).await;
        assert_eq!((task.source.as_str(), task.context), ("", context("", "")));
    })
    .await;
}
