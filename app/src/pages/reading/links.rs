use leptos::prelude::*;
use store::comprehension::Link;

use crate::{
    api::{MakeReadingLink, RevokeReadingLink},
    components::{Field, Moment},
    islands::EnhancedForm,
    links,
};

/// Links by which participants take part: making one, and those that were made.
#[component]
pub(super) fn Links(slug: String, made: Vec<Link>, now: i64) -> impl IntoView {
    let action = links::action::<MakeReadingLink>();
    let rows = made
        .into_iter()
        .map(|link| view! { <Made slug=slug.clone() link now/> });
    let rows = rows.collect_view();
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
            <ul class="plain">{rows}</ul>
        </section>
    }
}

#[component]
fn Made(slug: String, link: Link, now: i64) -> impl IntoView {
    let action = links::action::<RevokeReadingLink>();
    let works = link.check(now).is_ok();
    let name = if link.label.is_empty() {
        "without a name".to_owned()
    } else {
        link.label.clone()
    };
    let label = format!("Take the link {name} back");
    let revoke = works.then(|| {
        view! {
            <EnhancedForm action=action class="inline" label=label>
                <input type="hidden" name="slug" value=slug/>
                <input type="hidden" name="link" value=link.token_hash.clone()/>
                <button>"Take back"</button>
            </EnhancedForm>
        }
    });
    let state = match works {
        true => format!("for {} more", link.uses_left),
        false => "works no more".to_owned(),
    };
    view! {
        <li class:past=!works>
            <b>{name}</b> ", " {state} ", until " <Moment ms=link.expires_at/> {revoke}
        </li>
    }
}
