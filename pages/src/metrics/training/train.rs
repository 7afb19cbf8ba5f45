use domain::{metrics::LearnedMetricKind, study::Dimension};
use leptos::{either::Either, prelude::*};
use store::{Job, metrics::StudyModel};

use super::settings::MoreSettings;
use crate::running_job::UnderWay;
use app::{
    api::{CancelTraining, SetRetraining, TrainMetric},
    components::Field,
    enhanced::EnhancedForm,
    links,
    request::RequestAccess,
};

/// The form to start a training and set its schedule, or the progress of a training.
#[component]
pub(super) fn Train(
    access: RequestAccess,
    models: Vec<StudyModel>,
    under_way: Option<Job>,
    has_references: bool,
) -> impl IntoView {
    let slug = access.study.slug.to_string();
    let begin = match under_way {
        Some(job) => {
            let action = links::action::<CancelTraining>();
            Either::Left(view! {
                <UnderWay slug=slug.clone() job what="Training" doing="Training" action/>
            })
        }
        None => Either::Right(
            view! { <TrainingForm slug=slug.clone() models has_references dimensions=access.study.settings.dimensions.clone()/> },
        ),
    };

    let rule = access.require_lead().is_ok().then(|| {
        let every = access.study.settings.retrain_every;
        view! { <Rule slug every/> }
    });

    view! {
        {begin}
        {rule}
    }
}

#[component]
fn TrainingForm(
    slug: String,
    models: Vec<StudyModel>,
    has_references: bool,
    dimensions: Vec<Dimension>,
) -> impl IntoView {
    let kind = move |kind: LearnedMetricKind| {
        let explanation = kind.description();
        let missing = kind.needs_references() && !has_references;
        let why = missing.then_some("; the study has none: import some");
        view! {
            <label class="choice">
                <input
                    type="radio"
                    name="kind"
                    value=kind.name()
                    checked=kind == LearnedMetricKind::SHIPPED
                    disabled=missing
                />
                <span>{kind.name()} <span class="soft">{format!(" {explanation}")}{why}</span></span>
            </label>
        }
    };

    let goes_on = |model: &StudyModel| {
        model
            .name
            .parse::<LearnedMetricKind>()
            .is_ok_and(|kind| !kind.trainer().tunes_encoder())
    };
    let own = models.into_iter().filter(goes_on).map(|model| {
        let label = format!("{}, version {}", model.name, model.version);
        view! { <option value=model.id.to_string()>{label}</option> }
    });

    let dimension_choice = |(at, dimension): (usize, Dimension)| {
        let name = dimension.name;
        view! {
            <label class="choice">
                <input type="checkbox" name=format!("dimensions[{at}]") value=name.clone() checked=at == 0/>
                <span>{name}</span>
            </label>
        }
    };

    // A single dimension leaves nothing to choose.
    let ratings = (dimensions.len() > 1).then(|| {
        view! {
            <fieldset>
                <legend>"Ratings on"</legend>
                {dimensions.into_iter().enumerate().map(dimension_choice).collect_view()}
                <p class="soft">"Of several dimensions each counts the same."</p>
            </fieldset>
        }
    });
    let action = links::action::<TrainMetric>();

    view! {
        <details class="card learning">
            <summary>"Train on the study’s ratings"</summary>
            <EnhancedForm action=action class="stack" label="Train on the study’s ratings">
                <input type="hidden" name="slug" value=slug/>
                <fieldset>
                    <legend>"Metric"</legend>
                    {LearnedMetricKind::ALL.iter().copied().map(kind).collect_view()}
                </fieldset>
                {ratings}
                <Field
                    id="train-start"
                    label="Start from"
                    help="With fewer than about 500 rated outputs a study has too little data on its own. A metric whose \
                          encoder is trained always starts from the pretrained encoder."
                >
                    <select id="train-start" name="start" aria-describedby="train-start-help">
                        <option value="usual">"the model in use"</option>
                        <option value="shipped">"the built-in metric"</option>
                        {own.collect_view()}
                        <option value="nothing">"scratch: this study alone"</option>
                    </select>
                </Field>
                <MoreSettings/>
                <p class="soft">
                    "Training takes minutes, longest where an encoder is trained. It runs in the background, after all \
                     other work. You can cancel it, and it resumes automatically after a restart."
                </p>
                <div class="actions">
                    <button class="primary">"Train"</button>
                </div>
            </EnhancedForm>
        </details>
    }
}

/// The form for automatic training.
#[component]
fn Rule(slug: String, every: u32) -> impl IntoView {
    let action = links::action::<SetRetraining>();
    let now = match every {
        0 => "Only when you start it.".to_owned(),
        every => format!("learned-free is retrained after every {every} new ratings."),
    };

    view! {
        <details class="card learning">
            <summary>"Automatic training" <span class="soft">{format!(" {now}")}</span></summary>
            <EnhancedForm action=action class="stack" label="Automatic training">
                <input type="hidden" name="slug" value=slug/>
                <Field
                    id="retrain-every"
                    label="Retrain after this many new ratings"
                    help="Ratings submitted or imported since the last training; 0 for never."
                >
                    <input
                        id="retrain-every"
                        name="every"
                        type="number"
                        min="0"
                        max="1000000"
                        value=every
                        aria-describedby="retrain-every-help"
                    />
                </Field>
                <div class="actions">
                    <button>"Save"</button>
                </div>
            </EnhancedForm>
        </details>
    }
}
