use domain::study::RetentionPeriod;
use leptos::prelude::*;
use store::Study;

use app::{
    api::SetRetention,
    components::{Field, Moment},
    enhanced::EnhancedForm,
    links::{self, StudyPage},
};

/// The retention period of personal data, the date of its erasure, and the way to erase the study.
#[component]
pub fn Retention(study: Study) -> impl IntoView {
    let action = links::action::<SetRetention>();
    let chosen = study.settings.retention;
    let options = RetentionPeriod::ALL
        .iter()
        .map(|&period| {
            let selected = period == chosen;
            view! { <option value=period.name() selected=selected>{describe_period(period)}</option> }
        })
        .collect_view();

    let has_state = study
        .personal_data_erased_at
        .or(study.personal_data_due_at());
    let state = has_state.map(|_| view! { <p><RetentionState study=study.clone()/></p> });

    let erase = StudyPage::Erase.address(&study.slug);
    let erasing = match study.closed_at {
        Some(_) => view! { <p><a href=erase>"Erase the study…"</a></p> }.into_any(),
        None => {
            view! { <p class="soft">"Close the study on its overview first. Then you can erase it here."</p> }
                .into_any()
        }
    };

    view! {
        <section>
            {state}
            <EnhancedForm action=action label="Personal data">
                <input type="hidden" name="slug" value=study.slug.to_string()/>
                <Field id="retention" label="Personal data is kept">
                    <select id="retention" name="retention">
                        {options}
                    </select>
                </Field>
                <div class="actions">
                    <button class="primary">"Save"</button>
                </div>
            </EnhancedForm>
            <details class="more">
                <summary>"Which data is erased, and which stays"</summary>
                <p>
                    "At the end of this time we erase: who participants are on their platform and what they \
                     answered to be admitted, who is behind each rater, memberships other than those of leads, \
                     notes and comments, names in the log of changes other than those of leads and \
                     administrators, names of imported files, and ratings of annotators who withdrew."
                </p>
                <p>
                    "All other ratings and answers stay, under pseudonyms. Imported files stay as they are: texts, \
                     names of raters and participants, their answers, and columns that are kept for the export. \
                     Check these files yourself if they may hold personal data."
                </p>
            </details>
            <h2>"Erase the study"</h2>
            {erasing}
        </section>
    }
}

/// The times at which personal data was erased and will be erased.
#[component]
pub fn RetentionState(study: Study) -> impl IntoView {
    let erased = study.personal_data_erased_at.map(|at| {
        view! { "Personal data was erased on " <Moment ms=at/> ". " }
    });
    let due = study.personal_data_due_at().map(|at| {
        view! {
            "Personal data will be erased on " <Moment ms=at/> ", or up to an hour later, unless you open \
             the study again before."
        }
    });
    view! { {erased} {due} }
}

/// The setting, next to the field for an information sheet.
#[component]
pub fn RetentionHint(slug: String, retention: RetentionPeriod) -> impl IntoView {
    let address = StudyPage::PrivacySettings.address(slug);
    view! {
        <p class="help">
            "Say in the information sheet how long personal data is kept. This study keeps it "
            {describe_period(retention)} " (" <a href=address>"change"</a> ")."
        </p>
    }
}

const fn describe_period(period: RetentionPeriod) -> &'static str {
    match period {
        RetentionPeriod::Study => "as long as the study exists",
        RetentionPeriod::OneMonth => "for 1 month after the study was closed",
        RetentionPeriod::ThreeMonths => "for 3 months after the study was closed",
        RetentionPeriod::SixMonths => "for 6 months after the study was closed",
        RetentionPeriod::TwelveMonths => "for 12 months after the study was closed",
        RetentionPeriod::TwentyFourMonths => "for 24 months after the study was closed",
    }
}
