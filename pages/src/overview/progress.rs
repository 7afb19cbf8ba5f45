use domain::study::{RaterKind, StudySettings};
use leptos::prelude::*;
use service::wording::{JudgementWords, list_words};
use store::overview::{RaterProgress, StudyOverview};

use super::{format_thousands, pace::StudyPace};
use crate::rater_names::RaterNames;
use app::components::{ShownFigure, format_duration};

/// The progress of the main sources, overall and by annotator.
#[component]
pub fn ProgressPanel(
    /// The settings of the study.
    settings: StudySettings,
    /// The counts of the study.
    holds: StudyOverview,
    /// The pace and forecast; `None` for a closed study.
    pace: Option<ShownFigure<StudyPace>>,
    /// The names of raters, as far as the reader may see them.
    names: RaterNames,
    /// The words for what annotators give.
    judgements: JudgementWords,
) -> impl IntoView {
    let annotators: Vec<_> = holds
        .raters
        .iter()
        .filter(|rater| rater.kind != RaterKind::Imported)
        .cloned()
        .collect();

    let files = (holds.imported_judgements > 0 && annotators.is_empty()).then(|| {
        view! { <p class="soft">{format!("The {} came with imported files.", judgements.many)}</p> }
    });
    let table =
        (!annotators.is_empty()).then(|| view! { <ByAnnotator annotators names judgements/> });

    view! {
        <section aria-labelledby="progress">
            <h2 id="progress">"Progress"</h2>
            {if holds.sources == 0 {
                view! { <p class="empty">"There is nothing to judge yet."</p> }.into_any()
            } else {
                view! {
                    <Bar holds settings/>
                    {pace.map(|pace| pace.map_or_else(|notice| notice, |pace| pace.view().into_any()))}
                }
                .into_any()
            }}
            {files}
            {table}
        </section>
    }
}

/// A bar of sources: done, begun, not started.
#[component]
fn Bar(holds: StudyOverview, settings: StudySettings) -> impl IntoView {
    let share = |number: u32| f64::from(number) / f64::from(holds.sources.max(1)) * 100.0;
    let (done, in_progress) = (share(holds.done), share(holds.in_progress));
    let (not_started, sources) = (
        format_thousands(holds.not_started()),
        format_thousands(holds.sources),
    );
    let by = describe_raters(&settings, holds.own_overlaps.len());
    let summary = format!(
        "Of {sources} sources {} are done, {} begun, {not_started} not started",
        format_thousands(holds.done),
        format_thousands(holds.in_progress),
    );

    view! {
        <svg
            class="bar-of-parts"
            viewBox="0 0 100 2"
            preserveAspectRatio="none"
            role="img"
            aria-label=summary
        >
            <rect class="rest" width="100" height="2"></rect>
            <rect class="open" x=done.to_string() width=in_progress.to_string() height="2"></rect>
            <rect class="done" width=done.to_string() height="2"></rect>
        </svg>
        <ul class="bar-legend">
            <li class="done">{format_thousands(holds.done)} " done " {format!("({done:.0} %)")}</li>
            <li class="open">{format_thousands(holds.in_progress)} " begun"</li>
            <li class="rest">{not_started} " not started"</li>
        </ul>
        <p class="soft">{format!("A source is done once {by} submitted it; until then it is begun.")}</p>
    }
}

/// The raters that a source is to get: “2 annotators and 1 of “Experts””. Also mentions sources
/// with a number of their own.
fn describe_raters(settings: &StudySettings, with_own_number: usize) -> String {
    let or_own = match with_own_number {
        0 => String::new(),
        1 => " (one source: a number of its own)".to_owned(),
        sources => format!(" ({sources} sources: a number of their own)"),
    };
    let all = match settings.overlap {
        0 if with_own_number == 0 => None,
        1 => Some(format!("one annotator{or_own}")),
        overlap => Some(format!("{overlap} annotators{or_own}")),
    };

    let groups = settings.counted_groups();
    let groups = groups.map(|(group, number)| format!("{number} of “{}”", group.name));
    let raters: Vec<_> = all.into_iter().chain(groups).collect();
    list_words(&raters)
}

/// A row for each annotator.
#[component]
fn ByAnnotator(
    annotators: Vec<RaterProgress>,
    names: RaterNames,
    judgements: JudgementWords,
) -> impl IntoView {
    let label = judgements.title;
    let row = |annotator: RaterProgress| {
        let tag = match annotator.kind {
            RaterKind::Simulated => Some("simulated"),
            _ if annotator.withdrawn => Some("withdrew"),
            _ => None,
        };
        view! {
            <tr>
                <th scope="row" data-label="Annotator">
                    {names.label(&annotator.label)} {tag.map(|tag| view! { " " <span class="tag">{tag}</span> })}
                </th>
                <td data-label="Submitted" class="number">{annotator.handed_in}</td>
                <td data-label="In progress" class="number">{annotator.open}</td>
                <td data-label="Skipped" class="number">{annotator.skipped}</td>
                <td data-label=label class="number">{format_thousands(annotator.judgements)}</td>
                <td data-label="Active time" class="number">{format_duration(annotator.active_ms)}</td>
                <td data-label="Per source" class="number">{per_source(&annotator)}</td>
            </tr>
        }
    };

    view! {
        <div class="table-scroll" role="group" aria-labelledby="progress" tabindex="0">
            <table class="fold">
                <thead>
                    <tr>
                        <th scope="col">"Annotator"</th>
                        <th scope="col" class="number">"Submitted"</th>
                        <th scope="col" class="number">"In progress"</th>
                        <th scope="col" class="number">"Skipped"</th>
                        <th scope="col" class="number">{label}</th>
                        <th scope="col" class="number">"Active time"</th>
                        <th scope="col" class="number">"Per source"</th>
                    </tr>
                </thead>
                <tbody>{annotators.into_iter().map(row).collect_view()}</tbody>
            </table>
        </div>
    }
}

/// The active time divided by the opened sources; a dash if there are none.
fn per_source(of: &RaterProgress) -> String {
    let sources = u64::from(of.handed_in + of.open + of.skipped);
    match of.active_ms.checked_div(sources) {
        Some(ms) if ms > 0 => format_duration(ms),
        _ => "–".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use domain::rater_groups::RaterGroup;

    use super::*;

    #[test]
    fn raters_are_told_by_group() {
        let mut settings = StudySettings {
            overlap: 2,
            ..StudySettings::default()
        };
        let told = |settings: &StudySettings, own| describe_raters(settings, own);
        assert_eq!(told(&settings, 0), "2 annotators");
        settings.groups = vec![RaterGroup {
            id: "experts".to_owned(),
            name: "Experts".to_owned(),
            overlap: Some(1),
            ..RaterGroup::default()
        }];
        assert_eq!(
            told(&settings, 1),
            "2 annotators (one source: a number of its own) and 1 of “Experts”"
        );
        settings.overlap = 0;
        assert_eq!(told(&settings, 0), "1 of “Experts”");
    }
}
