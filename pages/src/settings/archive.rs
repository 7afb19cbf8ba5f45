use leptos::prelude::*;

use app::{
    api::{ArchiveStudy, UnarchiveStudy},
    enhanced::EnhancedForm,
    links,
};

/// The form that archives a finished study, or takes it out of the archive.
#[component]
pub fn StudyArchive(slug: String, archived: bool) -> impl IntoView {
    let form = if archived {
        let action = links::action::<UnarchiveStudy>();
        view! {
            <p>
                "This study is archived: nothing in it can be changed. Out of the archive it is in your list again, and \
                 closed; you can then open it again on its overview."
            </p>
            <EnhancedForm action=action label="Take the study out of the archive">
                <input type="hidden" name="slug" value=slug/>
                <div class="actions"><button>"Take it out of the archive"</button></div>
            </EnhancedForm>
        }
        .into_any()
    } else {
        let action = links::action::<ArchiveStudy>();
        view! {
            <p class="soft">
                "For a finished study: it moves to the end of the list of studies, annotators get no more work, and \
                 nothing in it can be changed. Nothing is deleted, figures and exports stay, and you can take it out \
                 again. An open study is closed, so the time for which personal data is kept begins."
            </p>
            <details class="sure">
                <summary>"Archive this study…"</summary>
                <EnhancedForm action=action label="Archive this study">
                    <input type="hidden" name="slug" value=slug/>
                    <p>"Annotators can no longer change answers, and links to join stop working."</p>
                    <button class="danger">"Archive the study"</button>
                </EnhancedForm>
            </details>
        }
        .into_any()
    };

    view! {
        <section aria-labelledby="archive">
            <h2 id="archive">"Archive"</h2>
            {form}
        </section>
    }
}
