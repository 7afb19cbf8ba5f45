use domain::metrics::LearnedMetricKind;
use leptos::{either::Either, prelude::*};
use store::{Job, metrics::StudyModel};

use super::super::running_job::UnderWay;
use crate::{
    api::{CancelTraining, RequestAccess, SetRetraining, TrainMetric},
    components::Field,
    islands::EnhancedForm,
    links,
};

/// Where a training is begun and its rule set, or how far one is.
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
        None => Either::Right(view! { <Begin slug=slug.clone() models has_references/> }),
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
fn Begin(slug: String, models: Vec<StudyModel>, has_references: bool) -> impl IntoView {
    let kind = move |kind: LearnedMetricKind| {
        let description = kind.description();
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
                <span>{kind.name()} <span class="soft">{format!(" {description}")}{why}</span></span>
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
                <Field
                    id="train-start"
                    label="It goes on from"
                    help="Below some 500 rated outputs a study teaches too little by itself. A metric whose encoder \
                          learns begins with the encoder each time."
                >
                    <select id="train-start" name="start" aria-describedby="train-start-help">
                        <option value="usual">"what is in use"</option>
                        <option value="shipped">"the metric that is shipped"</option>
                        {own.collect_view()}
                        <option value="nothing">"nothing: this study alone"</option>
                    </select>
                </Field>
                <p class="soft">
                    "It takes minutes, the most where an encoder learns, in the background and behind all \
                     other work. It can be called off, and goes on by itself after a restart."
                </p>
                <div class="actions">
                    <button class="primary">"Train"</button>
                </div>
            </EnhancedForm>
        </details>
    }
}

/// When it is trained by itself.
#[component]
fn Rule(slug: String, every: u32) -> impl IntoView {
    let action = links::action::<SetRetraining>();
    let now = match every {
        0 => "It is trained by hand only.".to_owned(),
        every => format!("learned-free is trained anew after every {every} new ratings."),
    };
    view! {
        <details class="card learning">
            <summary>"When it is trained by itself" <span class="soft">{format!(" {now}")}</span></summary>
            <EnhancedForm action=action class="stack" label="When it is trained by itself">
                <input type="hidden" name="slug" value=slug/>
                <Field
                    id="retrain-every"
                    label="After so many new ratings"
                    help="Ratings that were handed in or imported since the last training; 0 for never."
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
