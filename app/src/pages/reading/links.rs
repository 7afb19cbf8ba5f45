use leptos::prelude::*;
use store::{Invitation, Opens};

use crate::{
    api::Invite,
    components::{Field, SentLinks},
    islands::EnhancedForm,
    links,
};

/// Links by which participants take part: making one, and those that were made.
#[component]
pub(super) fn Links(slug: String, made: Vec<Invitation>, now: i64) -> impl IntoView {
    let action = links::action::<Invite>();
    let list = (!made.is_empty()).then(|| {
        view! { <SentLinks slug=slug.clone() made now labelled_by="links"/> }
    });
    view! {
        <section aria-labelledby="links">
            <h2 id="links">"Links for participants"</h2>
            <p>
                "Whoever follows a link needs no account; each takes part once. A platform adds what it \
                 calls the participant, its study and its session to the address: "
                <code>"?PROLIFIC_PID=…&STUDY_ID=…&SESSION_ID=…"</code> " or "
                <code>"?participant=…&study=…&session=…"</code> "."
            </p>
            <EnhancedForm action=action class="card side-by-side" label="Make a link for participants">
                <input type="hidden" name="slug" value=slug/>
                <input type="hidden" name="role" value=Opens::Reading.name()/>
                <Field id="link-label" label="Called">
                    <input id="link-label" name="label" maxlength="80" autocomplete="off"/>
                </Field>
                <Field id="link-uses" label="For how many participants">
                    <input
                        id="link-uses"
                        name="uses"
                        type="number"
                        min="1"
                        max="10000"
                        value="1"
                        required
                        class="short"
                    />
                </Field>
                <Field id="link-days" label="Works for days">
                    <input
                        id="link-days"
                        name="days"
                        type="number"
                        min="1"
                        max="365"
                        value="30"
                        required
                        class="short"
                    />
                </Field>
                <button class="primary">"Make a link"</button>
            </EnhancedForm>
            {list}
        </section>
    }
}
