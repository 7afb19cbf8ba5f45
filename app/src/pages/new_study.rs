use domain::study::StudySettings;
use leptos::prelude::*;

use crate::{
    api::{CreateStudy, require_study_creator},
    components::Field,
    enhanced::EnhancedForm,
    layout::{Page, allow_anyone, signed_in_page},
    links,
    pages::settings::RuleFields,
};

/// The page to create a study.
#[component]
pub fn NewStudy() -> impl IntoView {
    signed_in_page(allow_anyone, async |person| {
        require_study_creator(&person).await?;
        let action = links::action::<CreateStudy>();
        let StudySettings { overlap, .. } = StudySettings::default();
        Ok(view! {
            <Page title="New study">
                <h1>"New study"</h1>
                <p class="lead">
                    "A study holds sources, systems' outputs for them, and people's ratings. You will \
                     lead it. You can change everything later except the short name."
                </p>
                <EnhancedForm action=action label="New study">
                    <Field id="name" label="Name">
                        <input id="name" name="name" required maxlength="120" autocomplete="off"/>
                    </Field>
                    <Field
                        id="overlap"
                        label="Annotators for each source"
                        help="Agreement can only be computed where at least two annotators rate the same source."
                    >
                        <input
                            id="overlap"
                            name="overlap"
                            type="number"
                            min="1"
                            max="100"
                            required
                            value=overlap
                            class="short"
                            aria-describedby="overlap-help"
                        />
                    </Field>
                    <Advanced/>
                    <div class="actions">
                        <button class="primary">"Create the study"</button>
                        <a href=links::to(links::HOME)>"Cancel"</a>
                    </div>
                </EnhancedForm>
            </Page>
        })
    })
}

/// The settings that most studies leave as they are.
#[component]
fn Advanced() -> impl IntoView {
    view! {
        <details class="more">
            <summary>"Advanced"</summary>
            <Field
                id="short-name"
                label="Short name"
                help="Used in addresses and commands: letters a to z, digits and hyphens. \
                      Leave it empty to derive it from the name."
            >
                <input
                    id="short-name"
                    name="short_name"
                    maxlength="40"
                    pattern="[a-z0-9][a-z0-9\\-]*"
                    autocomplete="off"
                    autocapitalize="none"
                    spellcheck="false"
                    aria-describedby="short-name-help"
                />
            </Field>
            <div class="choice">
                <input
                    type="checkbox"
                    id="attention"
                    name="quality_control"
                    value="yes"
                    checked
                    aria-describedby="attention-help"
                />
                <div>
                    <label for="attention">"Add quality-control items"</label>
                    <p class="help" id="attention-help">
                        "One source in ten each gets a copy of the source, a scrambled output, and an output \
                         twice. They reveal raters who click without reading."
                    </p>
                </div>
            </div>
            <RuleFields settings=StudySettings::default()/>
        </details>
    }
}
