//! Texts that annotators wrote: those of a study with the button that adds them, and those of one source.

use domain::writing::{WriteStep, WrittenUse};
use leptos::prelude::*;
use service::{
    wording::{count_noun, decimal},
    written_texts::{AdoptionPlan, TextFigures, WordRanks},
};
use store::written_texts::WrittenText;

use app::{
    api::AddWritten,
    enhanced::EnhancedForm,
    links::{self, StudyPage},
};

/// The number of submitted texts, and the button that adds them to the study.
#[component]
pub(super) fn WrittenSummary(
    slug: String,
    step: WriteStep,
    plan: AdoptionPlan,
    /// Whether the person can add them.
    leads: bool,
) -> impl IntoView {
    let action = links::action::<AddWritten>();
    let export = StudyPage::ExportFile("written").address(&slug);
    let total = plan.new + plan.already_present;
    let becomes = match step.becomes {
        WrittenUse::References => "references".to_owned(),
        WrittenUse::Outputs => format!("outputs of “{}”", step.system),
    };

    let words = match (total, plan.new) {
        (0, _) => "No annotator has submitted a text yet.".to_owned(),
        (_, 0) => format!(
            "{} submitted; the study has all of them as {becomes}.",
            count_noun(total, "text")
        ),
        (_, new) if new == total => {
            format!(
                "{} submitted, which the study does not have as {becomes} yet.",
                count_noun(total, "text")
            )
        }
        (_, new) => format!(
            "{} submitted, of which the study does not have {new} as {becomes} yet.",
            count_noun(total, "text")
        ),
    };

    let button = (leads && plan.new > 0).then(|| {
        let label = format!("Add {} as {becomes}", count_noun(plan.new, "text"));
        view! {
            <EnhancedForm action=action label="Written texts">
                <input type="hidden" name="slug" value=slug/>
                <p class="help">
                    "Nothing is added twice. A text that was changed after it was added is added as another one. The import \
                     can be undone as long as nobody has judged what it added."
                </p>
                <div class="actions"><button class="primary">{label}</button></div>
            </EnhancedForm>
        }
    });

    view! {
        <section class="written-summary">
            <h2>"Written texts"</h2>
            <p>
                {words}
                {(total > 0).then(|| view! { " " <a href=export download>"Download them with their figures"</a> })}
            </p>
            {button}
        </section>
    }
}

/// The texts that annotators wrote for a source. They are shown as they were written, never as
/// HTML.
#[component]
pub(super) fn WrittenTexts(texts: Vec<WrittenText>, ranks: WordRanks) -> impl IntoView {
    let item = |text: WrittenText| {
        let figures = TextFigures::new(&text.source_text, &text.text, &ranks);
        let percent = figures
            .own
            .compression
            .map(|length| format!("{} %", decimal(length * 100.0, 0)));

        let parts = [
            Some(count_noun(figures.own.words, "word")),
            percent.map(|percent| format!("{percent} of the source's length")),
            figures
                .own
                .fkgl
                .map(|grade| format!("grade level {}", decimal(grade, 1))),
            figures
                .word_rank
                .map(|rank| format!("word rank {}", decimal(rank, 2))),
        ];
        let parts: Vec<_> = parts.into_iter().flatten().collect();

        view! {
            <li>
                <p class="text">{text.text}</p>
                <p class="soft">{text.rater} " · " {parts.join(" · ")}</p>
            </li>
        }
    };

    (!texts.is_empty()).then(|| {
        view! {
            <section class="written-texts">
                <h2>{format!("Written texts ({})", texts.len())}</h2>
                <ul>{texts.into_iter().map(item).collect_view()}</ul>
            </section>
        }
    })
}
