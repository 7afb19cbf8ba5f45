use domain::metrics::ScoreDirection;
use leptos::{either::Either, prelude::*};
use store::metrics::{MetricOrigin, StudyMetric};

use app::{
    api::{RemoveMetric, SetMetricDirection},
    components::Moment,
    enhanced::EnhancedForm,
    links,
    request::RequestAccess,
};

/// The exact versions of the study's metrics, with a way to remove them.
#[component]
pub(super) fn Versions(access: RequestAccess, metrics: Vec<StudyMetric>) -> impl IntoView {
    let (slug, leads) = (access.study.slug.to_string(), access.require_lead().is_ok());
    (!metrics.is_empty()).then(|| {
        let row = |metric: StudyMetric| {
            let from = match metric.origin {
                MetricOrigin::Computed => "computed here",
                MetricOrigin::Imported => "imported",
                MetricOrigin::Learned => "learned from ratings",
            };
            let direction = if leads && metric.origin == MetricOrigin::Imported {
                Either::Left(choose_direction(&slug, &metric))
            } else {
                Either::Right(metric.direction.title())
            };
            let remove = leads.then(|| {
                let label = format!("Remove {}", metric.name);
                let (action, slug) = (links::action::<RemoveMetric>(), slug.clone());
                let id = metric.id.to_string();
                view! {
                    <td data-label="Remove">
                        <EnhancedForm
                            action=action
                            class="inline"
                            label=label.clone()
                        >
                            {hidden_fields(slug, id)}
                            <button aria-label=label>"Remove"</button>
                        </EnhancedForm>
                    </td>
                }
            });

            view! {
                <tr>
                    <th scope="row" data-label="Metric">{metric.name}</th>
                    <td data-label="Scores">{from}</td>
                    <td data-label="Direction">{direction}</td>
                    <td data-label="Signature"><code>{metric.signature}</code></td>
                    <td data-label="Since"><Moment ms=metric.created_at/></td>
                    {remove}
                </tr>
            }
        };

        view! {
            <section aria-labelledby="versions">
                <h2 id="versions">"The study’s metrics"</h2>
                <p class="soft">
                    "A signature names everything that a score depends on; each source is scored against \
                     all of its references. Scores are stored as the metric gives them; where lower is \
                     better, panels negate them."
                </p>
                <table class="fold signatures">
                    <thead>
                        <tr>
                            <th scope="col">"Metric"</th>
                            <th scope="col">"Scores"</th>
                            <th scope="col">"Direction"</th>
                            <th scope="col">"Signature"</th>
                            <th scope="col">"Since"</th>
                            {leads.then(|| view! { <th scope="col">"Remove"</th> })}
                        </tr>
                    </thead>
                    <tbody>{metrics.into_iter().map(row).collect_view()}</tbody>
                </table>
            </section>
        }
    })
}

/// The form for the direction of imported scores.
fn choose_direction(slug: &str, metric: &StudyMetric) -> impl IntoView + use<> {
    let label = format!("Direction of {}", metric.name);
    let option = |direction: &ScoreDirection| {
        let selected = *direction == metric.direction;
        view! { <option value=direction.name() selected=selected>{direction.title()}</option> }
    };
    let options = ScoreDirection::ALL.iter().map(option).collect_view();

    let set = format!("Set the direction of {}", metric.name);
    let action = links::action::<SetMetricDirection>();
    let (slug, id) = (slug.to_owned(), metric.id.to_string());

    view! {
        <EnhancedForm
            action=action
            class="inline"
            label=label.clone()
        >
            {hidden_fields(slug, id)}
            <select name="direction" aria-label=label>{options}</select>
            <button aria-label=set>"Set"</button>
        </EnhancedForm>
    }
}

/// The fields that name one metric of the study in a form.
fn hidden_fields(slug: String, id: String) -> impl IntoView {
    view! {
        <input type="hidden" name="slug" value=slug/>
        <input type="hidden" name="metric" value=id/>
    }
}
