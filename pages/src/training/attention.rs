use leptos::prelude::*;
use service::wording::count_noun;
use store::{SourceEntry, quality::AttentionResult};

use app::{
    api::SetPurpose,
    enhanced::EnhancedForm,
    links::{self, StudyPage},
};

/// The attention items of a study, each with the share of raters who passed it.
#[component]
pub(super) fn AttentionItems(
    slug: String,
    items: Vec<SourceEntry>,
    /// The outcomes of items that were handed in.
    results: Vec<AttentionResult>,
    /// A rater gets one item for this many sources; 0 for none.
    every: u32,
) -> impl IntoView {
    let settings = StudyPage::QualityControlSettings.address(&slug);
    let number = items.len();
    let frequency = match every {
        0 => view! {
            <p class=if number == 0 { "soft" } else { "caution" }>
                "Raters get none at present: "
                <a href=settings>"set after how many sources one comes"</a> "."
            </p>
        }
        .into_any(),
        every => view! {
            <p class="soft">
                {describe_frequency(every)}
                ", at a different place for each rater, and each item once: "
                <a href=settings>"change how often"</a> "."
            </p>
        }
        .into_any(),
    };

    let list = if items.is_empty() {
        view! { <p class="soft">"None yet."</p> }.into_any()
    } else {
        let item = |source: SourceEntry| {
            let results: Vec<_> = results
                .iter()
                .filter(|result| result.source == source.id)
                .copied()
                .collect();
            view! { <AttentionItem slug=slug.clone() source results/> }
        };
        let items = items.into_iter().map(item).collect_view();
        view! { <ol class="items">{items}</ol> }.into_any()
    };

    view! {
        <section aria-labelledby="attention">
            <h2 id="attention">"Attention items"</h2>
            <p class="soft">
                "Sources with known answers that look like any other, such as one whose output says “Choose the lowest \
                 score”. Annotators cannot tell which ones they are. Crowd raters who fail several are paused or \
                 excluded, as you set on their page."
            </p>
            {frequency}
            {list}
        </section>
    }
}

/// One attention item, with its results and actions: expected answers, remove.
#[component]
fn AttentionItem(
    slug: String,
    source: SourceEntry,
    results: Vec<AttentionResult>,
) -> impl IntoView {
    let action = links::action::<SetPurpose>();
    let expected = StudyPage::ExpectedAnswers(source.id).address(&slug);
    let key = source.key;
    let back = format!("{key} is judged like the others");

    view! {
        <li class="card">
            <p class="text">{source.text}</p>
            <p class="numbers">{describe_results(&results)}</p>
            <div class="row-actions">
                <a class="button" href=expected>{format!("Expected answers of {key}")}</a>
                <EnhancedForm action=action class="inline" label=back>
                    <input type="hidden" name="slug" value=slug/>
                    <input type="hidden" name="source" value=source.id.to_string()/>
                    <input type="hidden" name="purpose" value="main"/>
                    <button class="ghost">"Remove from attention items"</button>
                </EnhancedForm>
            </div>
        </li>
    }
}

/// The frequency of attention items, in words.
fn describe_frequency(every: u32) -> String {
    match every {
        1 => "One after each source".to_owned(),
        every => format!("One for every {every} sources of a rater"),
    }
}

/// The share of raters who passed an item.
fn describe_results(results: &[AttentionResult]) -> String {
    let total = results.len();
    if total == 0 {
        return "No rater has submitted it yet.".to_owned();
    }
    let passed = results.iter().filter(|result| result.passed).count();
    let percent = 100.0 * passed as f64 / total as f64;
    format!(
        "{passed} of {} passed ({percent:.0} %).",
        count_noun(total, "rater")
    )
}

#[cfg(test)]
mod tests {
    use domain::ids::{RaterId, SourceId};

    use super::*;

    #[test]
    fn the_share_of_raters_who_passed_is_told() {
        let result = |passed| AttentionResult {
            rater: RaterId(uuid::Uuid::nil()),
            source: SourceId(uuid::Uuid::nil()),
            passed,
        };
        for (results, text) in [
            (&[][..], "No rater has submitted it yet."),
            (&[true], "1 of 1 rater passed (100 %)."),
            (&[true, false, false], "1 of 3 raters passed (33 %)."),
        ] {
            let results: Vec<_> = results.iter().map(|passed| result(*passed)).collect();
            assert_eq!(describe_results(&results), text);
        }
    }
}
