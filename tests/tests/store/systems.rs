//! The facts that a lead states about systems: names, kinds, and which of them are hidden.

use domain::{
    ids::AuditEntryId,
    study::{RaterKind, SourcePurpose, StudySettings, SystemKind},
};
use service::{
    figures::{RatingScope, systems::SystemScores},
    live::{LiveStudies, StudySnapshot},
};
use store::{
    Error, SystemFacts,
    audit::{AuditActor, AuditFilter, AuditKind, AuditSubject, NewAuditEntry},
    import::NewRating,
};
use stories::{NOW, TestDatabase, fresh_id, on_both, refusal};

use crate::study_fixture::{StoreFixture, begin_import, create_study, create_study_with};

/// A source with an output of each of three systems, and what is stored about these.
async fn three_systems(story: &TestDatabase) -> (StoreFixture, Vec<SystemFacts>) {
    let (settings, texts) = (StudySettings::default(), &[&["One.", "Two.", "Three."][..]]);
    let ground = create_study_with(story, &settings, SourcePurpose::Main, texts).await;
    let facts = stored_facts(story, &ground).await;
    (ground, facts)
}

async fn stored_facts(story: &TestDatabase, ground: &StoreFixture) -> Vec<SystemFacts> {
    let systems = story.store.systems(ground.study).await.unwrap();
    systems.iter().map(SystemFacts::from).collect()
}

fn renamed(facts: &SystemFacts, name: &str) -> SystemFacts {
    SystemFacts {
        name: name.to_owned(),
        ..facts.clone()
    }
}

#[tokio::test]
async fn systems_are_renamed_where_no_two_have_the_same_name() {
    on_both(async |story| {
        let (ground, before) = three_systems(story).await;
        let update = async |facts: &[SystemFacts]| {
            story.store.update_systems(ground.study, facts, NOW).await
        };
        for (name, sentence) in [
            (" ", "A system needs a name."),
            (
                "two\nlines",
                "The name of a system is one line of at most 200 characters.",
            ),
            (
                "system 2",
                "The study has another system called “system 2”: choose another name.",
            ),
            (
                "quality control: repeated",
                "Names that begin with “quality control: ” are for quality-control items.",
            ),
        ] {
            let refused = update(&[renamed(&before[0], name)]).await;
            assert_eq!(refusal(refused), sentence);
        }
        let same = [renamed(&before[0], "new"), renamed(&before[1], "new")];
        refusal(update(&same).await);
        assert_eq!(stored_facts(story, &ground).await, before);

        let exchanged = [
            renamed(&before[0], "system 2"),
            renamed(&before[1], "system 1"),
            before[2].clone(),
        ];
        assert_eq!(update(&exchanged).await.unwrap(), 2);
        assert_eq!(stored_facts(story, &ground).await, exchanged);
        let outputs = story.store.source_outputs(ground.sources[0]).await.unwrap();
        assert_eq!(outputs[0].system, "system 2");

        // Another study may have the same names, and changes nothing here.
        let other = create_study(story, &StudySettings::default()).await;
        let nothing = story.store.update_systems(other, &before, NOW).await;
        assert_eq!(nothing.unwrap(), 0);

        // An import that is under way knows systems by their names.
        let import = begin_import(story, ground.study).await;
        let refused = update(&[renamed(&before[2], "new")]).await;
        assert!(matches!(refused, Err(Error::ImportUnderWay)), "{refused:?}");
        let kind = SystemKind::Human;
        let human = SystemFacts {
            kind,
            ..before[2].clone()
        };
        assert_eq!(update(&[human]).await.unwrap(), 1);
        import.rollback().await.unwrap();
    })
    .await;
}

#[tokio::test]
async fn hidden_systems_are_in_no_figure_of_systems_and_keep_their_ratings() {
    on_both(async |story| {
        let (ground, mut facts) = three_systems(story).await;
        let mut import = begin_import(story, ground.study).await;
        let rater = import.rater("rater 1", RaterKind::Imported).unwrap();
        for (output, value) in ground.outputs[0].iter().zip([10.0, 50.0, 90.0]) {
            let rating = NewRating::overall(rater, *output, value);
            import.rating(rating).unwrap();
        }
        import.commit().await.unwrap();

        let live = LiveStudies::new(|| NOW);
        let figures = async || {
            let read = |snapshot: &StudySnapshot| {
                let scores = SystemScores::from_snapshot(snapshot, "overall", None);
                let ranking = scores.ranking(None).into_iter();
                let entries = ranking.map(|entry| (entry.system.name, entry.raw.mean));
                (entries.collect::<Vec<_>>(), scores.ratings)
            };
            let scope = RatingScope::HandedIn;
            let figures = live.read(&story.store, ground.study, scope, read).await;
            let (ranking, ratings) = figures.unwrap();
            let counted = story.store.count_systems(ground.study).await.unwrap();
            (ranking, ratings, counted)
        };

        let (all, _, counted) = figures().await;
        assert_eq!((all.len(), counted), (3, 3));

        facts[2].is_hidden = true;
        let update = async |facts: &[SystemFacts]| {
            let kind = AuditKind::SystemsChanged;
            let systems = story.store.systems(ground.study).await.unwrap();
            let entry = NewAuditEntry {
                id: AuditEntryId(fresh_id()),
                at: NOW,
                actor: AuditActor::CommandLine,
                address: String::new(),
                kind,
                study: Some(ground.study),
                subject: AuditSubject::Named(SystemFacts::name_changes(&systems, facts)),
            };
            let audited = story.store.audited(entry);
            audited.update_systems(ground.study, facts, NOW).await
        };

        assert_eq!(update(&facts).await.unwrap(), 1);
        let (shown, ratings, counted) = figures().await;
        assert_eq!(shown, all[1..], "the best one is hidden");
        assert_eq!((ratings, counted), (3, 2));
        let outputs = story.store.source_outputs(ground.sources[0]).await.unwrap();
        assert_eq!(outputs.len(), 3);

        // Saving the same again changes nothing and isn't logged.
        assert_eq!(update(&facts).await.unwrap(), 0);

        facts[2] = SystemFacts {
            is_hidden: false,
            ..renamed(&facts[2], "best")
        };
        assert_eq!(update(&facts).await.unwrap(), 1);
        assert_eq!(figures().await.0[0].0, "best");
        let entries = story.store.audit_entries(&AuditFilter::default(), 9).await;
        let subjects = entries.unwrap().into_iter().map(|entry| entry.subject);
        let subjects: Vec<_> = subjects.collect();
        assert_eq!(subjects, ["system 3 (now best)", "system 3"]);
    })
    .await;
}
