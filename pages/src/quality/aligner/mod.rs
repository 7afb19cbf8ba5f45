//! The study's own aligner: training on corrected highlights, comparison and use.

mod versions;

use leptos::{
    either::{Either, EitherOf3},
    prelude::*,
};
use store::{Job, JobKind, JobState, metrics::StudyModel};

use self::versions::AlignerVersions;
use crate::running_job::UnderWay;
use app::{
    api::{CancelAlignerTraining, TrainAligner},
    enhanced::EnhancedForm,
    error::Refusal,
    links,
    request::{RequestAccess, refuse},
    services,
};
use service::{
    aligner_training::{MIN_CORRECTED_SOURCES, REFUSED_IN_EXPERIMENT, current_edits_version},
    live::StudyCorrections,
    metric_training::last_training,
    metrics::running_job,
    wording::count_noun,
};

/// The state of the study's aligners.
pub(super) struct AlignerPanel {
    models: Vec<StudyModel>,
    under_way: Option<Job>,
    last: Option<Job>,
    corrections: StudyCorrections,
    choice: AlignerChoice,
}

/// The facts that decide which aligners a lead can take into use.
#[derive(Clone)]
struct AlignerChoice {
    /// The version of edits that the study's aligner makes now.
    current: Option<String>,
    /// Whether the study is an arm of an experiment, which cannot have an aligner of its own.
    in_experiment: bool,
}

impl AlignerPanel {
    /// Loads it for leads of a study whose annotators check edits; `None` for others, and while nothing is checked.
    pub(super) async fn load(
        access: &RequestAccess,
        corrections: StudyCorrections,
    ) -> Result<Option<Self>, Refusal> {
        if access.require_lead().is_err() || !access.study.settings.protocol.checks_edits() {
            return Ok(None);
        }

        let (store, study, kind) = (&services().store, access.study.id, JobKind::TrainAligner);
        let under_way = running_job(store, study, kind).await.map_err(refuse)?;
        let last = last_training(store, study, kind).await.map_err(refuse)?;
        let models = store.aligners(study).await.map_err(refuse)?;
        let choice = AlignerChoice {
            current: current_edits_version(store, &models)
                .await
                .map_err(refuse)?,
            in_experiment: store.experiment_of(study).await.map_err(refuse)?.is_some(),
        };
        let is_empty = corrections.outputs == 0 && models.is_empty() && under_way.is_none();

        Ok((!is_empty).then_some(Self {
            models,
            under_way,
            last,
            corrections,
            choice,
        }))
    }
}

/// The corrections to learn from, the form to train, and the trained aligners.
#[component]
pub(super) fn AlignerSection(slug: String, panel: AlignerPanel) -> impl IntoView {
    let AlignerPanel {
        models,
        under_way,
        last,
        corrections,
        choice,
    } = panel;
    let failed = last.filter(|job| job.state == JobState::Failed && under_way.is_none());
    let failed = failed.and_then(|job| job.failure).map(|why| {
        view! {
            <p class="caution">{format!("The last training ended without an aligner. {why}")}</p>
        }
    });

    let begin = match under_way {
        Some(job) => {
            let action = links::action::<CancelAlignerTraining>();
            EitherOf3::A(view! {
                <UnderWay slug=slug.clone() job what="Training" doing="Training an aligner" action/>
            })
        }
        None if choice.in_experiment => EitherOf3::B(view! { <p>{REFUSED_IN_EXPERIMENT}</p> }),
        None => EitherOf3::C(start(slug.clone(), &corrections)),
    };

    view! {
        <section class="stack" aria-labelledby="aligner">
            <h2 id="aligner">"Train an aligner"</h2>
            <p class="soft">
                "Automatic highlights follow from links between words, which an aligner makes. It can learn from the \
                 highlights that annotators checked: from those that they corrected and those that they left as they \
                 were. Each source is held out once, and its links are made by an aligner that did not learn from \
                 it. The study can use the new aligner only if it is certainly better on these sources."
            </p>
            {failed}
            {begin}
            <AlignerVersions slug models choice/>
        </section>
    }
}

/// The form to start a training, or the number of corrections that are still missing.
fn start(slug: String, corrections: &StudyCorrections) -> impl IntoView + use<> {
    let sources = corrections.corrected_sources;
    let facts = format!(
        "Annotators checked the highlights of {}. They corrected those of {}, from {}.",
        count_noun(corrections.outputs, "output"),
        count_noun(corrections.corrected, "output"),
        count_noun(sources, "source"),
    );
    if sources < MIN_CORRECTED_SOURCES {
        return Either::Left(view! {
            <p>
                {format!("{facts} Training needs corrected highlights of at least {MIN_CORRECTED_SOURCES} sources.")}
            </p>
        });
    }

    let action = links::action::<TrainAligner>();

    Either::Right(view! {
        <p>{facts}</p>
        <EnhancedForm action=action class="stack" label="Train an aligner">
            <input type="hidden" name="slug" value=slug/>
            <p class="soft">
                "Training takes minutes, or an hour where there are many outputs. It runs in the background, after \
                 all other work. You can cancel it, and it resumes automatically after a restart."
            </p>
            <div class="actions">
                <button class="primary">"Train an aligner from these corrections"</button>
            </div>
        </EnhancedForm>
    })
}
