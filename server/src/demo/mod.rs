//! The demonstration study: texts of our own, and annotators that are simulated and named so. It has
//! something for every page.

mod comprehension;
mod metrics;
mod newcomer;
mod simulated_annotator;
mod simulated_work;
mod texts;

use domain::{
    ids::{PersonId, StudyId},
    study::{QualificationRule, QualityControl, RaterKind, Slug, StudySettings},
    work::change::AnnotationAnswer,
};
use service::{automatic_annotation::annotate_automatically, templates::StudyTemplate};
use store::{
    NewStudy, Store, Study,
    import::{NewOutput, NewRating, StudyImport},
};

use crate::clock;
use simulated_annotator::SimulatedAnnotator;
use texts::{DemoSource, DemoTexts};

/// The short name of the study.
const SLUG: &str = "demo";

/// The age of the oldest event, in milliseconds: everything is dated to the past week.
const WEEK: i64 = 7 * 24 * 60 * 60 * 1_000;

/// The random seed of the quality-control items.
const QUALITY_CONTROL_SEED: u64 = 1;

/// Loads the study, led by `lead`, unless it exists; returns whether it was loaded. With `with_metrics`,
/// metrics are chosen for it, which the server then computes.
///
/// # Errors
/// When the database fails.
pub(crate) async fn load(
    store: &Store,
    lead: Option<PersonId>,
    with_metrics: bool,
) -> anyhow::Result<bool> {
    let slug: Slug = SLUG.parse()?;
    if store.study_by_slug(&slug).await?.is_some() {
        return Ok(false);
    }

    let now = clock::now_ms();
    let begun_at = now - WEEK;
    let id = StudyId(clock::new_id());
    let settings = StudySettings {
        overlap: 3,
        qualification: QualificationRule::Answers {
            tolerance: 10.0,
            categories: 0.8,
        },
        quality_control: QualityControl {
            copy_every: 3,
            scrambled_every: 3,
            repeated_every: 3,
            ..QualityControl::default()
        },
        ..StudySettings::default()
    };

    let new = NewStudy {
        id,
        slug: &slug,
        name: "Demonstration",
        settings: &settings,
        guidelines: StudyTemplate::RankAndRate.guidelines(),
        lead,
    };
    store.create_study(&new, begun_at).await?;

    let information = include_str!("information.md");
    store
        .describe_study(id, new.name, new.guidelines, information, begun_at)
        .await?;
    let study = store
        .study(id)
        .await?
        .ok_or_else(|| anyhow::anyhow!("the study no longer exists"))?;

    let texts = DemoTexts::read();
    let mut import = store.begin_import(id, now, clock::new_id).await?;
    import.date_rows(begun_at);
    for system in &texts.systems {
        import.system(&system.name, Some(system.kind))?;
    }
    for (number, source) in texts.sources.iter().enumerate() {
        import_source(&mut import, &study, number, source)?;
    }

    let annotate =
        |source: &str, output: &str| annotate_automatically(&study.settings, source, output, None);
    // The same items in every demonstration, so that the raters' concerns are the same, too.
    import
        .add_quality_control(QUALITY_CONTROL_SEED, annotate)
        .await?;
    import.commit().await?;

    simulated_work::hand_in(store, id, begun_at + WEEK / 7).await?;
    if with_metrics {
        metrics::score(store, id, &texts, now).await?;
    }
    comprehension::set_up(store, id, begun_at).await?;
    newcomer::qualify(store, id, now).await?;
    Ok(true)
}

fn import_source(
    import: &mut StudyImport,
    study: &Study,
    number: usize,
    source: &DemoSource,
) -> store::Result<()> {
    let id = import.source(Some(&source.key), &source.text, source.purpose)?;
    import.references(id, &source.references)?;

    for (at, output) in source.outputs.iter().enumerate() {
        let is_same = |other: &texts::DemoOutput| other.text == output.text;
        let place = source.outputs.iter().position(is_same).unwrap_or_default();
        let system = import.system(&output.system, None)?;

        let new = NewOutput {
            source: id,
            system,
            text: &output.text,
            verbatim: None,
            expected: output.expected.as_ref(),
        };

        let automatic = annotate_automatically(&study.settings, &source.text, &output.text, None);
        let category = automatic.category;
        let (output_id, _) = import.output(&new, || automatic)?;

        // Identical outputs are judged once.
        let Some(quality) = output.quality.filter(|_| place == at) else {
            continue;
        };

        for annotator in SimulatedAnnotator::ALL
            .iter()
            .filter(|annotator| annotator.judges(number))
        {
            let rater = import.rater(annotator.label, RaterKind::Simulated)?;
            let value = annotator.rating(quality, number, place);
            import.rating(NewRating::overall(rater, output_id, f64::from(value)))?;
            let category = annotator.category(category, number, place);
            import.answer(
                rater,
                output_id,
                &AnnotationAnswer::Category(Some(category)),
            )?;
        }
    }
    Ok(())
}
