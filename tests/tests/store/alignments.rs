use domain::{
    edit::{Edit, EditKind},
    ids::OutputId,
    span::Span,
    study::{RaterKind, Settings, SourcePurpose},
    work::change::Answer,
};
use store::import::NewOutput;
use stories::{NOW, Story, both};

use crate::ground::{Ground, annotator, ground, import};

/// What the ground's outputs are said to be made by.
const OLDER: &str = "story 1";

fn edits() -> Vec<Edit> {
    vec![Edit {
        kind: EditKind::Paraphrase,
        source: vec![Span::new(0, 3)],
        output: vec![Span::new(0, 1)],
        confidence: Some(0.25),
    }]
}

async fn to_align(story: &Story, ground: &Ground) -> Vec<OutputId> {
    let found = story.store.outputs_to_align(ground.study, OLDER, 9).await;
    let mut found: Vec<_> = found.unwrap().iter().map(|it| it.output).collect();
    found.sort_unstable();
    let count = story.store.count_to_align(ground.study, OLDER).await;
    assert_eq!(count.unwrap(), found.len() as u64);
    found
}

#[tokio::test]
async fn edits_are_made_anew_but_for_what_people_corrected_or_were_given() {
    both(async |story| {
        let texts: &[&[&str]] = &[
            &["One a.", "One b."],
            &["Two a."],
            &["Three a.", "Three b."],
        ];
        let settings = Settings::default();
        let ground = ground(story, &settings, SourcePurpose::Main, texts).await;
        let person = annotator(story, ground.study, "annotator 1").await;
        ground.given(story, person, NOW).await;
        let corrected = {
            let mut import = import(story, ground.study).await;
            let rater = import.rater("simulated 1", RaterKind::Simulated).unwrap();
            let source = import
                .source(None, "The source number 2.", SourcePurpose::Main)
                .unwrap();
            let system = import.system("system 1", None).unwrap();
            let new = NewOutput {
                source,
                system,
                text: "Three a.",
                verbatim: None,
                expected: None,
            };
            let (output, is_new) = import.output(&new, || unreachable!()).unwrap();
            assert!(!is_new);
            import
                .answer(rater, output, &Answer::Edits(Some(vec![])))
                .unwrap();
            import.commit().await.unwrap();
            output
        };
        let given: Vec<_> = story
            .store
            .assignments(ground.study)
            .await
            .unwrap()
            .iter()
            .map(|it| it.source)
            .collect();
        let mut free: Vec<OutputId> = ground
            .sources
            .iter()
            .zip(&ground.outputs)
            .filter(|(source, _)| !given.contains(source))
            .flat_map(|(_, outputs)| outputs.clone())
            .filter(|output| *output != corrected)
            .collect();
        free.sort_unstable();
        assert_eq!(to_align(story, &ground).await, free);

        let anew: Vec<_> = ground
            .outputs
            .iter()
            .flatten()
            .map(|output| (*output, edits(), "story 2".to_owned()))
            .collect();
        let before = story.store.newest_event(ground.study).await.unwrap();
        let changed = story.store.put_automatic_edits(ground.study, &anew, NOW);
        assert_eq!(changed.await.unwrap(), free.len() as u64);
        let after = story.store.newest_event(ground.study).await.unwrap();
        assert_eq!(after, before.map(|number| number + 1));
        assert_eq!(to_align(story, &ground).await, []);

        let of = story.store.source_outputs(ground.sources[2]).await.unwrap();
        let edits_of =
            |output: OutputId| of.iter().find(|it| it.id == output).unwrap().edits.clone();
        assert_eq!(edits_of(corrected), []);
        let versions = story.store.edits_versions().await.unwrap();
        let mine = versions.iter().filter(|(study, _)| *study == ground.study);
        assert_eq!(
            mine.map(|(_, it)| it.as_str()).collect::<Vec<_>>(),
            ["story 2"]
        );
    })
    .await;
}

#[tokio::test]
async fn a_closed_study_is_left_alone() {
    both(async |story| {
        let ground = ground(story, &Settings::default(), SourcePurpose::Main, &[&["A."]]).await;
        story.store.close_study(ground.study, NOW).await.unwrap();
        let versions = story.store.edits_versions().await.unwrap();
        assert!(versions.iter().all(|(study, _)| *study != ground.study));
        let anew = [(ground.outputs[0][0], edits(), "story 2".to_owned())];
        let refused = story
            .store
            .put_automatic_edits(ground.study, &anew, NOW)
            .await;
        assert!(refused.unwrap_err().to_string().contains("closed"));
    })
    .await;
}
