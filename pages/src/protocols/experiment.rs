//! The experiment that a study is in, and the form that begins one.

use domain::ids::StudyId;
use leptos::{either::Either, prelude::*};
use service::{experiments::ArmProtocol, templates::StudyTemplate, wording::count_noun};
use store::experiments::{ExperimentArm, MOST_ARMS, ProtocolExperiment};

use app::{
    api::{StartExperiment, UpdateExperiment},
    enhanced::EnhancedForm,
    links::{self, StudyPage},
};

/// The arms of the experiment with what they lack, or the way to begin one.
#[component]
pub(super) fn ExperimentSection(
    slug: String,
    experiment: Option<ProtocolExperiment>,
    /// Its arms that the person may read. The names of others are not shown.
    readable: Vec<StudyId>,
    /// Whether the person can change it.
    leads: bool,
) -> impl IntoView {
    match experiment {
        Some(experiment) => Either::Left(view! { <Experiment slug experiment readable leads/> }),
        None => Either::Right(leads.then(|| view! { <Beginning slug is_more=false/> })),
    }
}

#[component]
fn Experiment(
    slug: String,
    experiment: ProtocolExperiment,
    readable: Vec<StudyId>,
    leads: bool,
) -> impl IntoView {
    let needed = experiment.raters_needed();
    let begun = experiment.raters;
    let raters = format!(
        "Every annotator judges each source in one of these studies only, and a Latin square says in which. So that each \
         source gets its annotators in every study, {} have to take part; {begun} {} begun.",
        count_noun(needed, "annotator"),
        if begun == 1 { "has" } else { "have" },
    );

    let lacks = experiment.lacks_arm().then(|| {
        let (left, order) = (experiment.arms.len(), experiment.order);
        view! {
            <p class="caution">
                {format!(
                    "{left} of {order} studies are left: another one was erased. The plan of the others stays as it \
                     was, so annotators judge fewer sources than there are.",
                )}
            </p>
        }
    });
    let differs = (!experiment.is_up_to_date()).then(|| {
        view! {
            <p class="caution">
                "The studies differ in sources, outputs or annotators. Nobody is given a source before all open studies have it. \
                 Once it has its place in the plan, the studies that have it give it out: to take a source out, hide or delete it \
                 in each of them."
            </p>
        }
    });

    let own_slug = slug.clone();
    let up_to_date = leads.then(|| {
        let action = links::action::<UpdateExperiment>();
        view! {
            <EnhancedForm action=action label="Bring the arms up to date">
                <input type="hidden" name="slug" value=own_slug/>
                <div class="actions">
                    <button>"Bring the arms up to date"</button>
                    <span class="soft">"Each open study gets the sources and annotators that another open one has."</span>
                </div>
            </EnhancedForm>
        }
    });

    let can_grow = leads && experiment.arms.len() < MOST_ARMS && begun == 0;
    let rows = experiment.arms.into_iter().map(|arm| {
        let is_readable = readable.contains(&arm.study);
        arm_row(arm, is_readable)
    });

    view! {
        <section class="experiment" aria-labelledby="experiment">
            <h2 id="experiment">"Experiment"</h2>
            <p>{raters}</p>
            {lacks}
            {differs}
            <div class="table-scroll" role="group" aria-labelledby="experiment" tabindex="0">
                <table class="fold">
                    <thead>
                        <tr>
                            <th scope="col">"Study"</th>
                            <th scope="col" class="number">"Sources"</th>
                            <th scope="col" class="number">"Without a place"</th>
                            <th scope="col" class="number">"Annotators"</th>
                            <th scope="col" class="number">"Annotators for each source"</th>
                        </tr>
                    </thead>
                    <tbody>{rows.collect_view()}</tbody>
                </table>
            </div>
            {up_to_date}
            {can_grow.then(|| view! { <Beginning slug is_more=true/> })}
        </section>
    }
}

fn arm_row(arm: ExperimentArm, is_readable: bool) -> impl IntoView {
    let name = match is_readable {
        true => {
            Either::Left(view! { <a href=StudyPage::Overview.address(&arm.slug)>{arm.name}</a> })
        }
        false => Either::Right("A study that you cannot read"),
    };
    let closed = arm.is_closed.then_some(" (closed)");

    view! {
        <tr>
            <th scope="row" data-label="Study">
                {name}{closed}
            </th>
            <td data-label="Sources" class="number">{arm.sources}</td>
            <td data-label="Without a place" class="number">{arm.unplaced}</td>
            <td data-label="Annotators" class="number">{arm.annotators}</td>
            <td data-label="Annotators for each source" class="number">{arm.settings.raters_each()}</td>
        </tr>
    }
}

/// The form that makes studies with other protocols.
#[component]
fn Beginning(
    slug: String,
    /// Whether there is an experiment already, which gets more arms.
    is_more: bool,
) -> impl IntoView {
    let action = links::action::<StartExperiment>();
    let templates = StudyTemplate::ALL.iter().copied();
    let choices = templates
        .map(ArmProtocol::Template)
        .chain([ArmProtocol::Same]);

    let check = |(at, protocol): (usize, ArmProtocol)| {
        let label = match protocol {
            ArmProtocol::Template(template) => template.title().to_owned(),
            ArmProtocol::Same => "The protocol of this study, to be changed by hand".to_owned(),
        };
        view! {
            <label class="choice">
                <input type="checkbox" name=format!("protocols[{at}]") value=protocol.to_string()/>
                <span>{label}</span>
            </label>
        }
    };

    let (title, button) = match is_more {
        false => (
            "Compare protocols in an experiment…",
            "Begin the experiment",
        ),
        true => (
            "Add another protocol to the experiment…",
            "Add the protocol",
        ),
    };

    view! {
        <details class="more experiment">
            <summary>{title}</summary>
            <EnhancedForm action=action label=title>
                <input type="hidden" name="slug" value=slug/>
                <p class="soft">
                    "Each protocol that you choose becomes a study of its own, with the sources, systems, members and number of \
                     annotators of this one. The same annotators judge the same sources, but each source under one protocol only, \
                     so that differences come from the protocol. This must begin before any source is given out or rated."
                </p>
                <fieldset>
                    <legend>"Compare with"</legend>
                    {choices.enumerate().map(check).collect_view()}
                </fieldset>
                <div class="actions"><button>{button}</button></div>
            </EnhancedForm>
        </details>
    }
}
