use leptos::prelude::*;

use app::{
    api::CloneStudy,
    components::{Field, ShortNameField},
    enhanced::EnhancedForm,
    links::{self, StudyPage},
};

/// The study as a file, and another study that begins like it.
#[component]
pub fn StudyCopies(slug: String) -> impl IntoView {
    let file = StudyPage::StudyFile.address(&slug);
    let action = links::action::<CloneStudy>();

    view! {
        <section aria-labelledby="copies">
            <h2 id="copies">"Study as a file"</h2>
            <p class="soft">
                "The settings, texts and training items of this study, without ratings, people, and sources that \
                 are rated. Another study can begin with them: here, or under New study, also on another server. \
                 Give a reading study its own completion code and link back: they are not copied."
            </p>
            <p><a href=file download>"Download the study as a file"</a></p>
            <details class="more">
                <summary>"Clone this study"</summary>
                <EnhancedForm action=action label="Clone this study">
                    <input type="hidden" name="slug" value=slug/>
                    <NewStudyName/>
                    <div class="actions">
                        <button>"Create the clone"</button>
                    </div>
                </EnhancedForm>
            </details>
        </section>
    }
}

/// The fields for the names of a study that begins like another one.
#[component]
pub fn NewStudyName(
    /// The name may be left out, since the file has one.
    #[prop(optional)]
    optional: bool,
) -> impl IntoView {
    let help = if optional {
        "Leave it empty to use the file's."
    } else {
        "Leave it empty to derive it from the name."
    };

    view! {
        <Field id="copy-name" label="Name of the new study">
            <input id="copy-name" name="name" required=!optional maxlength="120" autocomplete="off"/>
        </Field>
        <ShortNameField id="copy-short-name" label="Short name of the new study" help/>
    }
}
