//! The quality of each rater's work, and what stands out.

mod aligner;
mod corrections;
mod distribution;
mod rater;
mod rater_facts;
mod summary;
mod terms;

use domain::{protocol::StudyProtocol, rater_groups::RaterGroup};
use leptos::prelude::*;

use crate::{charts::decimal, rater_names::RaterNames};
use app::{
    components::{OnlyWriting, RatingsQuery, WhichRatingsForm, load_figure},
    error::Refusal,
    layout::{LiveSign, StudyTab, study_page},
    links::StudyPage,
    request::RequestAccess,
};
use service::figures::{QualityKey, StudyQuality};

use self::{
    aligner::{AlignerPanel, AlignerSection},
    corrections::Corrected,
    distribution::Distribution,
    rater::RaterCard,
    summary::Summary,
    terms::Terms,
};

/// The raters of a study side by side.
#[component]
pub fn QualityPage() -> impl IntoView {
    let query = RatingsQuery::from_url();
    study_page(
        "Quality",
        StudyTab::Quality,
        RequestAccess::require_panel_access,
        async move |access| content(&access, query).await,
    )
}

async fn content(
    access: &RequestAccess,
    chosen: RatingsQuery,
) -> Result<impl IntoView + use<>, Refusal> {
    let dimensions = chosen.load_dimensions(&access.study).await?;
    let dimension = chosen.dimension(&dimensions);
    let key = QualityKey { dimension };
    let (event, found) = load_figure(access.study.id, chosen.rating_scope(), key).await?;
    let panel = match &found {
        Ok(found) => AlignerPanel::load(access, found.corrections.clone()).await?,
        Err(_) => None,
    };
    let aligner = panel.map(|panel| {
        let slug = access.study.slug.to_string();
        view! { <AlignerSection slug panel/> }
    });

    let address = StudyPage::Quality.address(&access.study.slug);
    let body = match found {
        Err(notice) => notice,
        Ok(found) if found.raters.is_empty() => {
            let slug = access.study.slug.to_string();
            match access.study.settings.protocol.only_writes() {
                true => {
                    view! { <OnlyWriting slug lacking="nothing to compare raters by"/> }.into_any()
                }
                false => empty().into_any(),
            }
        }
        Ok(found) => {
            let names = RaterNames::load(access).await?;
            let mut quality = StudyQuality::clone(&found);
            for entry in &mut quality.raters {
                entry.rater.label = names.label(&entry.rater.label);
            }
            let settings = &access.study.settings;
            side_by_side(quality, &settings.protocol, settings.groups.clone()).into_any()
        }
    };

    Ok(view! {
        <div class="title-row">
            <h1>"Quality"</h1>
            <LiveSign slug=access.study.slug.to_string() event/>
        </div>
        <p class="lead">
            "How each rater works. Anything unusual is pointed out: a reason to look, not a verdict on a \
             person."
        </p>
        <WhichRatingsForm address dimensions chosen/>
        <div id="quality" data-live>{body}</div>
        {aligner}
    })
}

fn side_by_side(
    of: StudyQuality,
    protocol: &StudyProtocol,
    groups: Vec<RaterGroup>,
) -> impl IntoView + use<> {
    let standing_out = of
        .raters
        .iter()
        .filter(|entry| !entry.concerns.is_empty())
        .count();
    let alpha = match of.agreement.alpha {
        Ok(alpha) => decimal(alpha, 3),
        Err(_) => "undefined".to_owned(),
    };
    let scale = of.scale;

    // All histograms have the same height for the same share of a rater's scores.
    let top = of
        .raters
        .iter()
        .filter_map(|entry| entry.scores.as_ref())
        .map(distribution::highest_share);
    let has_scores = top.clone().next().is_some();
    let top = top.fold(0.0, f64::max);

    let cards = of.raters.iter().cloned();
    let cards = cards.map(|of| {
        view! { <RaterCard of scale protocol=protocol.clone() top groups=groups.clone()/> }
    });
    let cards = cards.collect_view();
    let corrected = protocol.shows_edits() && of.corrections.outputs > 0;

    view! {
        <dl class="facts">
            <div><dt>"Raters"</dt><dd>{of.raters.len()}</dd></div>
            <div><dt>"Raters to check"</dt><dd>{standing_out}</dd></div>
            {has_scores.then(|| view! {
                <div><dt>"Ratings"</dt><dd>{of.agreement.ratings}</dd></div>
                <div><dt>"α of all, z-scored"</dt><dd>{alpha}</dd></div>
            })}
        </dl>
        <Summary raters=of.raters.clone() scale groups=groups.clone()/>
        <section aria-labelledby="each">
            <h2 id="each">"Each rater"</h2>
            <p class="soft">
                {has_scores.then_some(
                    "Bars: where on the scale the scores lie, at the same height for the same share. The line is the mean. "
                )}
                "The text after each figure says what it is based on. "<a href="#terms">"What the figures mean"</a>
            </p>
            <div class="raters">{cards}</div>
        </section>
        <Distribution raters=of.raters/>
        {corrected.then(|| view! { <Corrected of=of.corrections/> })}
        <Terms/>
    }
}

fn empty() -> impl IntoView {
    view! {
        <section class="empty">
            <h2>"No ratings yet"</h2>
            <p>
                "Raters appear as soon as an annotator has submitted a source, or a file with ratings has \
                 been imported."
            </p>
        </section>
    }
}
