use leptos::prelude::*;
use store::metrics::{Metric, Origin};

use crate::{
    api::{Access, RemoveMetric},
    components::Moment,
    islands::EnhancedForm,
    links,
};

/// What each metric of the study is, to the letter, and the way to take it out.
#[component]
pub(super) fn Versions(access: Access, metrics: Vec<Metric>) -> impl IntoView {
    let (slug, leads) = (access.study.slug.to_string(), access.leads().is_ok());
    (!metrics.is_empty()).then(|| {
        let row = |metric: Metric| {
            let from = match metric.origin {
                Origin::Computed => "computed here",
                Origin::Imported => "imported",
                Origin::Learned => "learned from ratings",
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
                            <input type="hidden" name="slug" value=slug/>
                            <input type="hidden" name="metric" value=id/>
                            <button aria-label=label>"Remove"</button>
                        </EnhancedForm>
                    </td>
                }
            });
            view! {
                <tr>
                    <th scope="row" data-label="Metric">{metric.name}</th>
                    <td data-label="Scores">{from}</td>
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
                     all of its references."
                </p>
                <table class="fold signatures">
                    <thead>
                        <tr>
                            <th scope="col">"Metric"</th>
                            <th scope="col">"Scores"</th>
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
