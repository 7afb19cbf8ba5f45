//! How far the raters of a study agree.

use domain::{
    edit::EditKind,
    statistics::{agreement::Agreement, standardise::Scale},
    study::Dimension,
};
use leptos::{either::Either, prelude::*};
use leptos_router::hooks::use_query_map;

use crate::{
    api::{Access, refuse, services},
    error::Refusal,
    figures::{RaterFigures, StudyAgreement, StudyCorrections, Which},
    layout::{Tab, study_page},
    links,
};

/// α of the raw and of the z-scored ratings, what it stands on, every rater's mean and spread, and
/// what annotators corrected of the automatic edits.
#[component]
pub fn AgreementPage() -> impl IntoView {
    let asked = use_query_map()
        .with_untracked(|query| (query.get("dimension"), query.get("count").is_some()));
    study_page(
        "Agreement",
        Tab::Agreement,
        Access::reads,
        async move |access| content(&access, asked).await,
    )
}

async fn content(
    access: &Access,
    (dimension, in_work): (Option<String>, bool),
) -> Result<impl IntoView + use<>, Refusal> {
    let dimensions = access.study.settings.dimensions.clone();
    let chosen = dimension
        .filter(|name| dimensions.iter().any(|known| known.name == *name))
        .or_else(|| dimensions.first().map(|first| first.name.clone()))
        .unwrap_or_default();
    let which = if in_work {
        Which::WithInWork
    } else {
        Which::HandedIn
    };
    let found = StudyAgreement::of(&services().store, access.study.id, &chosen, which)
        .await
        .map_err(refuse)?;
    let corrections = StudyCorrections::of(&services().store, access.study.id)
        .await
        .map_err(refuse)?;
    let address = links::to(&format!("/s/{}/agreement", access.study.slug));
    let body = if found.raters.is_empty() {
        Either::Left(empty())
    } else {
        Either::Right(view! {
            <div class="figures">
                <Alpha name="z-scored" note="Each rater's own mean and spread taken out." of=found.z/>
                <Alpha name="raw" note="The numbers as they were entered." of=found.raw/>
                {(found.categories.ratings > 0).then(|| view! {
                    <Alpha
                        name="categories"
                        note="The groups, at the nominal level. Who corrects nothing agrees with the \
                              automatic group."
                        of=found.categories
                    />
                })}
            </div>
            <Basis of=found.raw warnings=found.warnings/>
            <Raters raters=found.raters/>
        })
    };
    Ok(view! {
        <h1>"Agreement"</h1>
        <p class="lead">
            "Krippendorff's α, of ratings at the interval level: 1 is full agreement, 0 what chance would \
             give."
        </p>
        <Choice address dimensions chosen in_work/>
        {body}
        {(corrections.outputs > 0).then(|| view! { <Corrected of=corrections/> })}
    })
}

/// Which ratings are looked at; a plain form that asks for the page anew.
#[component]
fn Choice(
    address: String,
    dimensions: Vec<Dimension>,
    chosen: String,
    in_work: bool,
) -> impl IntoView {
    let several = dimensions.len() > 1;
    let option = move |dimension: Dimension| {
        let selected = dimension.name == chosen;
        let name = dimension.name;
        view! { <option value=name.clone() selected=selected>{name.clone()}</option> }
    };
    let select = several.then(|| {
        view! {
            <label class="field">
                <span>"Dimension"</span>
                <select name="dimension">{dimensions.into_iter().map(option).collect_view()}</select>
            </label>
        }
    });
    view! {
        <form method="get" action=address class="asked">
            {select}
            <label class="choice">
                <input type="checkbox" name="count" value="in-work" checked=in_work/>
                <span>"Count sources that are still in work"</span>
            </label>
            <button>"Show"</button>
        </form>
    }
}

#[component]
fn Alpha(name: &'static str, note: &'static str, of: Agreement) -> impl IntoView {
    let value = match of.alpha {
        Ok(alpha) => Either::Left(view! { <p class="big">{shown(alpha)}</p> }),
        Err(reason) => Either::Right(view! {
            <p class="big undefined">"undefined"</p>
            <p class="why">{format!("Undefined: {reason}.")}</p>
        }),
    };
    view! {
        <section class="figure">
            <h2>{format!("α, {name}")}</h2>
            {value}
            <p class="soft">{note}</p>
        </section>
    }
}

/// What the two figures stand on.
#[component]
fn Basis(of: Agreement, warnings: Vec<String>) -> impl IntoView {
    let warning = |text: String| view! { <p class="caution">{text}</p> };
    view! {
        <dl class="facts">
            <div><dt>"Raters"</dt><dd>{of.raters}</dd></div>
            <div><dt>"Ratings"</dt><dd>{of.ratings}</dd></div>
            <div><dt>"Outputs rated"</dt><dd>{of.units}</dd></div>
            <div><dt>"Rated by two or more"</dt><dd>{of.pairable_units}</dd></div>
        </dl>
        {warnings.into_iter().map(warning).collect_view()}
    }
}

#[component]
fn Raters(raters: Vec<RaterFigures>) -> impl IntoView {
    let row = |of: RaterFigures| {
        let (mean, sd) = match of.scale {
            Ok(Scale { mean, sd }) => (format!("{mean:.1}"), format!("{sd:.1}")),
            Err(_) => ("–".to_owned(), "no spread".to_owned()),
        };
        view! {
            <tr>
                <th scope="row">{of.rater.label}</th>
                <td>{of.rater.kind.name()}</td>
                <td class="number">{of.ratings}</td>
                <td class="number">{mean}</td>
                <td class="number">{sd}</td>
            </tr>
        }
    };
    view! {
        <h2>"Raters"</h2>
        <div class="table-scroll" role="group" aria-label="Raters" tabindex="0">
            <table>
                <thead>
                    <tr>
                        <th scope="col">"Rater"</th>
                        <th scope="col">"Kind"</th>
                        <th scope="col" class="number">"Ratings"</th>
                        <th scope="col" class="number">"Mean"</th>
                        <th scope="col" class="number">"Standard deviation"</th>
                    </tr>
                </thead>
                <tbody>{raters.into_iter().map(row).collect_view()}</tbody>
            </table>
        </div>
        <p class="soft">
            "The standard deviation is the population's, over all ratings of the rater: z = (rating − \
             mean) / standard deviation."
        </p>
    }
}

/// How far the aligner's highlights stood before annotators.
#[component]
fn Corrected(of: StudyCorrections) -> impl IntoView {
    let versions: Vec<_> = of.versions.into_iter().collect();
    let row = |kind: EditKind| {
        let counts = of.by_kind.of_kind(kind);
        let rate = match counts.rate() {
            Ok(rate) => Either::Left(format!("{:.1} %", 100.0 * rate)),
            Err(reason) => {
                Either::Right(view! { <span class="soft">{format!("undefined: {reason}")}</span> })
            }
        };
        view! {
            <tr>
                <th scope="row">{kind.title()}</th>
                <td class="number">{counts.automatic()}</td>
                <td class="number">{counts.stood}</td>
                <td class="number">{counts.changed}</td>
                <td class="number">{counts.taken_away}</td>
                <td class="number">{counts.added}</td>
                <td class="number">{rate}</td>
            </tr>
        }
    };
    view! {
        <h2>"Corrected highlights"</h2>
        <dl class="facts">
            <div><dt>"Outputs looked at"</dt><dd>{of.outputs}</dd></div>
            <div><dt>"Corrected by somebody"</dt><dd>{of.corrected}</dd></div>
            <div><dt>"Aligner"</dt><dd>{versions.join(", ")}</dd></div>
        </dl>
        <div class="table-scroll" role="group" aria-label="Corrected highlights" tabindex="0">
            <table>
                <thead>
                    <tr>
                        <th scope="col">"Kind"</th>
                        <th scope="col" class="number">"Automatic"</th>
                        <th scope="col" class="number">"Left"</th>
                        <th scope="col" class="number">"Changed"</th>
                        <th scope="col" class="number">"Taken away"</th>
                        <th scope="col" class="number">"Added"</th>
                        <th scope="col" class="number">"Correction rate"</th>
                    </tr>
                </thead>
                <tbody>{EditKind::ALL.map(row)}</tbody>
            </table>
        </div>
        <p class="soft">
            "Of sources that were handed in, whatever is chosen above; every annotator who looked at \
             an output counts, identical outputs once. Correction rate = (changed + taken away + \
             added) / (automatic + added)."
        </p>
    }
}

fn empty() -> impl IntoView {
    view! {
        <section class="empty">
            <h2>"No ratings yet"</h2>
            <p>
                "Agreement shows as soon as two annotators have handed in the same source, or a file \
                 with ratings has been imported."
            </p>
        </section>
    }
}

/// α as the field prints it: three decimals.
fn shown(alpha: f64) -> String {
    format!("{alpha:.3}")
}
