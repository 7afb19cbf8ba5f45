use domain::{
    aligner_comparison::AlignerComparison, statistics::bootstrap::BootstrapInterval,
    text::align::evaluate::AlignmentEvaluation,
};
use leptos::{either::Either, prelude::*};
use store::metrics::StudyModel;

use crate::charts::decimal;
use app::{
    api::AdoptAligner,
    components::{Moment, format_duration},
    enhanced::EnhancedForm,
    links::{self, StudyPage},
};
use service::aligner_training::{AlignerReport, adopted_aligner};

use super::AlignerChoice;

/// The trained aligners, compared with those that were in use, and the one that the study uses.
#[component]
pub(super) fn AlignerVersions(
    slug: String,
    models: Vec<StudyModel>,
    choice: AlignerChoice,
) -> impl IntoView {
    let used = adopted_aligner(&models).map(|model| model.id);
    (!models.is_empty()).then(|| {
        let row = |model: StudyModel| {
            let is_used = used == Some(model.id);
            view! { <AlignerVersion slug=slug.clone() model is_used choice=choice.clone()/> }
        };
        let in_use = match used {
            Some(_) => "This study uses an aligner of its own.",
            None => "This study uses the aligner of the server.",
        };

        view! {
            <p>
                {in_use}
                " A change applies to outputs that are imported from now on, and to those of sources that no \
                  annotator has. Sources that an annotator has open or has submitted stay as they are."
            </p>
            <table class="fold" aria-label="Aligners">
                <thead>
                    <tr>
                        <th scope="col">"Version"</th>
                        <th scope="col">"Trained on"</th>
                        <th scope="col">"Compared with"</th>
                        <th scope="col">"F1 on links"</th>
                        <th scope="col">"Exact"</th>
                        <th scope="col">"F1 on highlighted words"</th>
                        <th scope="col">"In use"</th>
                    </tr>
                </thead>
                <tbody>{models.into_iter().map(row).collect_view()}</tbody>
            </table>
            <p class="soft">
                "The figure of the new aligner, that of the other one, and their difference with its 95 % interval \
                 over sources. F1 on links is the harmonic mean of precision and recall, each the mean over reviews: \
                 an output counts once for each annotator who checked it. Exact is the share of reviews whose links \
                 are all right. An aligner is certainly better if the interval of F1 on highlighted words is above \
                 zero, and that of F1 on links not below zero, on at least "
                {AlignerComparison::FEWEST_SOURCES}" sources. \
                 Where annotators left highlights as they were, the links of the other aligner count as right. \
                 Annotators tend to do so, which favours the aligner that made them."
            </p>
        }
    })
}

#[component]
fn AlignerVersion(
    slug: String,
    model: StudyModel,
    is_used: bool,
    choice: AlignerChoice,
) -> impl IntoView {
    let report = AlignerReport::from_model(&model);
    let is_better = report.as_ref().is_some_and(AlignerReport::is_better);
    let current = choice.current.as_deref();
    let is_against_current = report
        .as_ref()
        .is_some_and(|report| report.is_against(current));
    let name = format!("Aligner, version {}", model.version);

    let cells = match report {
        Some(report) => Either::Left(view! {
            <td data-label="Trained on">{describe_training(&report)}</td>
            {compared_cells(&report)}
        }),
        None => Either::Right(view! {
            <td colspan="5" data-label="Trained on">"Another version of the program trained this aligner."</td>
        }),
    };

    let file = StudyPage::ModelFile(model.id).address(&slug);
    let (action, id) = (links::action::<AdoptAligner>(), model.id.to_string());
    let (action_title, to) = match is_used {
        true => ("Stop using", "no"),
        false => ("Use", "yes"),
    };
    let label = format!("{action_title} aligner, version {}", model.version);
    let can_be_used = is_better && is_against_current && !choice.in_experiment;

    let form = (is_used || can_be_used).then(|| {
        view! {
            <EnhancedForm action=action class="inline" label=label.clone()>
                <input type="hidden" name="slug" value=slug/>
                <input type="hidden" name="model" value=id/>
                <input type="hidden" name="adopted" value=to/>
                <button aria-label=label>{action_title}</button>
            </EnhancedForm>
        }
    });

    let verdict = match (is_used, is_better) {
        (true, _) => view! { <strong>"in use "</strong> }.into_any(),
        (false, true) if !is_against_current => {
            "compared with another aligner than the one in use".into_any()
        }
        (false, true) => "certainly better ".into_any(),
        (false, false) => "not certainly better".into_any(),
    };

    view! {
        <tr>
            <th scope="row" data-label="Version">
                <a href=file download>{name}</a>
                <span class="soft">" " <Moment ms=model.created_at/></span>
            </th>
            {cells}
            <td data-label="In use">{verdict} {form}</td>
        </tr>
    }
}

fn describe_training(report: &AlignerReport) -> String {
    let too_long = match report.too_long {
        0 => String::new(),
        outputs => format!(", {outputs} too long to learn from"),
    };
    format!(
        "{} checked outputs of {} sources, {} corrected{too_long}; in {}",
        report.outputs,
        report.learned_from.len(),
        report.corrected,
        format_duration(report.ms.unsigned_abs())
    )
}

/// The comparison with the aligner that was in use, or why there is none.
fn compared_cells(report: &AlignerReport) -> impl IntoView + use<> {
    let against = report.against.clone();
    let comparison = match &report.comparison {
        Ok(comparison) => *comparison,
        Err(why) => {
            let sentence = format!("{against}: not comparable, {why}");
            return Either::Left(view! {
                <td colspan="4" data-label="Compared with">{sentence}</td>
            });
        }
    };

    let figure = |value: fn(&AlignmentEvaluation) -> f64, interval: BootstrapInterval| {
        let (new, other) = (value(&comparison.new), value(&comparison.current));
        let BootstrapInterval { low, high, .. } = interval;
        let plus = if new > other { "+" } else { "" };
        format!(
            "new {}, other {}, difference {plus}{} (95 %: {} to {})",
            decimal(new, 3),
            decimal(other, 3),
            decimal(new - other, 3),
            decimal(low, 3),
            decimal(high, 3),
        )
    };

    let on = format!(
        "{against}, on {} sources that neither learned from",
        comparison.sources
    );

    Either::Right(view! {
        <td data-label="Compared with">{on}</td>
        <td data-label="F1 on links">{figure(|figures| figures.f1, comparison.f1)}</td>
        <td data-label="Exact">{figure(|figures| figures.exact, comparison.exact)}</td>
        <td data-label="F1 on highlighted words">
            {figure(|figures| figures.edits_f1, comparison.edits_f1)}
        </td>
    })
}
