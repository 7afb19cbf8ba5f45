use domain::metrics::{
    LearnedMetricKind,
    learned_quality::{LearnedMetricComparison, LearnedMetricQuality},
};
use leptos::{either::Either, prelude::*};
use store::metrics::StudyModel;

use crate::charts::decimal;
use app::{
    api::AdoptModel,
    components::{Moment, format_duration},
    enhanced::EnhancedForm,
    links::{self, StudyPage},
    request::RequestAccess,
};
use service::metric_training::{ModelReport, adopted_model};

/// The versions of the study's metric: their quality, and the one in use.
#[component]
pub(super) fn ModelVersions(access: RequestAccess, models: Vec<StudyModel>) -> impl IntoView {
    let slug = access.study.slug.to_string();
    let used: Vec<_> = LearnedMetricKind::ALL
        .iter()
        .filter_map(|kind| adopted_model(&models, *kind).map(|model| model.id))
        .collect();

    (!models.is_empty()).then(|| {
        let row = |model: StudyModel| {
            let is_used = used.contains(&model.id);
            view! { <Version slug=slug.clone() model is_used/> }
        };
        view! {
            <p class="soft">
                "Agreement is with mean z-scores, on held-out sources. Worthless texts are good outputs that were \
                 cut, doubled or shuffled; the figure is how often the good one scores higher. A version with less \
                 than "{format!("{:.0}", 100.0 * LearnedMetricQuality::MIN_DEGENERATE_SHARE)}" % fails, and is not put into use \
                 automatically."
            </p>
            <table class="fold" aria-label="Versions">
                <thead>
                    <tr>
                        <th scope="col">"Version"</th>
                        <th scope="col">"Trained on"</th>
                        <th scope="col">"Agreement"</th>
                        <th scope="col">"Worthless texts"</th>
                        <th scope="col">"Compared with the one in use"</th>
                        <th scope="col">"In use"</th>
                    </tr>
                </thead>
                <tbody>{models.into_iter().map(row).collect_view()}</tbody>
            </table>
        }
    })
}

#[component]
fn Version(slug: String, model: StudyModel, is_used: bool) -> impl IntoView {
    let report = ModelReport::from_model(&model);
    let name = format!("{}, version {}", model.name, model.version);
    let figure =
        |value: Option<f64>| value.map_or_else(|| "none".to_owned(), |value| decimal(value, 3));

    let cells = report.map(|report| {
        let held_out = report.held_out;
        let agreement = match held_out.sources {
            0 => "no source was held out".to_owned(),
            sources => format!(
                "τ {}, r {}, τ of good outputs {}, on {} outputs of {sources} sources",
                figure(held_out.tau),
                figure(held_out.r),
                figure(held_out.hard),
                held_out.outputs,
            ),
        };

        let worthless = held_out.degenerate;
        let worthless = worthless.map_or_else(
            || "none available".to_owned(),
            |share| {
                let fails = if held_out.is_fooled() {
                    ", which fails"
                } else {
                    ""
                };
                format!("{} %{fails}", decimal(100.0 * share, 1))
            },
        );

        let on = match &report.dimensions[..] {
            [] => String::new(),
            names => format!(" on {}", names.join(", ")),
        };
        let settings = match &report.settings.describe()[..] {
            "" => String::new(),
            settings => format!("; settings: {settings}"),
        };

        let learned = format!(
            "{} outputs rated{on}, of {} sources, {} of these held out; in {}{settings}",
            report.outputs,
            report.sources,
            held_out.sources,
            format_duration(report.ms.unsigned_abs())
        );
        view! {
            <td data-label="Trained on">{learned}</td>
            <td data-label="Agreement">{agreement}</td>
            <td data-label="Worthless texts">{worthless}</td>
            <td data-label="Compared with the one in use">{against(&report)}</td>
        }
    });

    let cells = match cells {
        Some(cells) => Either::Left(cells),
        None => Either::Right(view! {
            <td colspan="4">"Another version of the program trained this model."</td>
        }),
    };

    let (action, id) = (links::action::<AdoptModel>(), model.id.to_string());
    let file = StudyPage::ModelFile(model.id).address(&slug);
    let (action_title, to, label) = match is_used {
        true => ("Stop using", "no", format!("Stop using {name}")),
        false => ("Use", "yes", format!("Use {name}")),
    };

    view! {
        <tr>
            <th scope="row" data-label="Version">
                <a href=file download>{name}</a>
                <span class="soft">" " <Moment ms=model.created_at/></span>
            </th>
            {cells}
            <td data-label="In use">
                {is_used.then(|| view! { <strong>"in use "</strong> })}
                <EnhancedForm action=action class="inline" label=label.clone()>
                    <input type="hidden" name="slug" value=slug/>
                    <input type="hidden" name="model" value=id/>
                    <input type="hidden" name="adopted" value=to/>
                    <button aria-label=label>{action_title}</button>
                </EnhancedForm>
            </td>
        </tr>
    }
}

/// The comparison with the model that was in use at the time of training.
fn against(of: &ModelReport) -> String {
    let other = of.against.as_deref().unwrap_or("nothing");
    match &of.comparison {
        None => "none was in use".to_owned(),
        Some(Err(why)) => format!("{other}: not comparable, {why}"),
        Some(Ok(comparison)) => {
            let LearnedMetricComparison {
                tau,
                other: theirs,
                interval,
                sources,
            } = comparison;
            format!(
                "{other}: τ {} more, 95 % interval {} to {}, on {sources} sources; {}",
                decimal(tau - theirs, 3),
                decimal(interval.low, 3),
                decimal(interval.high, 3),
                match comparison.is_better() {
                    true => "better",
                    false => "not significantly better",
                },
            )
        }
    }
}
