//! How far the raters of a study agree.

mod alpha;
mod history;
mod pairs;
mod raters;

use std::sync::Arc;

use leptos::{either::Either, prelude::*};

use self::{
    alpha::{Alpha, Basis, ByCategoryChart},
    history::History,
    pairs::Pairs,
    raters::Raters,
};
use crate::{
    charts::ChartDownloads,
    components::{RatingsQuery, WhichRatingsForm},
    error::Refusal,
    layout::{LiveSign, StudyTab, study_page},
    links,
    request::{RequestAccess, refuse},
    services,
};
use service::figures::{AgreementKey, StudyAgreement};

/// α of the raw and of the z-scored ratings with intervals, how it came about, by category, without
/// each rater and of every two.
#[component]
pub fn AgreementPage() -> impl IntoView {
    let asked = RatingsQuery::from_url();
    study_page(
        "Agreement",
        StudyTab::Agreement,
        RequestAccess::require_panel_access,
        async move |access| content(&access, asked).await,
    )
}

async fn content(
    access: &RequestAccess,
    asked: RatingsQuery,
) -> Result<impl IntoView + use<>, Refusal> {
    let dimensions = services()
        .dimensions(&access.study, asked.rating_scope())
        .await
        .map_err(refuse)?;
    let key = AgreementKey {
        dimension: asked.dimension(&dimensions).name,
    };
    let found = services()
        .figures(access.study.id, asked.rating_scope(), key)
        .await;
    let (event, found) = found.map_err(refuse)?;
    let address = links::to(&format!("/s/{}/agreement", access.study.slug));
    Ok(view! {
        <div class="title-row">
            <h1>"Agreement"</h1>
            <LiveSign slug=access.study.slug.to_string() event/>
        </div>
        <p class="lead">
            "Krippendorff's α, of ratings at the interval level: 1 is full agreement, 0 what chance would \
             give."
        </p>
        <WhichRatingsForm address dimensions chosen=asked/>
        <div id="agreement" data-live>
            {if found.raters.is_empty() { Either::Left(empty()) } else { Either::Right(figures(&found)) }}
        </div>
        <ChartDownloads/>
    })
}

/// What follows from the ratings, drawn anew as they come in.
fn figures(of: &Arc<StudyAgreement>) -> impl IntoView + use<> {
    let found = StudyAgreement::clone(of);
    let (raw, z) = (found.raw, found.z);
    view! {
        <div class="figures">
            <Alpha
                name="z-scored"
                note="Each rater's own mean and spread taken out."
                of=z.agreement
                interval=Some(z.interval)
            />
            <Alpha
                name="raw"
                note="The numbers as they were entered."
                of=raw.agreement
                interval=Some(raw.interval)
            />
            {(found.categories.ratings > 0).then(|| view! {
                <Alpha
                    name="categories"
                    note="The groups, at the nominal level. Who corrects nothing agrees with the \
                          automatic group."
                    of=found.categories
                    interval=None
                />
            })}
        </div>
        <Basis of=raw.agreement warnings=found.warnings/>
        <History points=found.history/>
        <ByCategoryChart of=found.by_category/>
        <Raters raters=found.raters.clone() all=z.agreement/>
        <Pairs raters=found.raters pairs=found.pairs/>
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
