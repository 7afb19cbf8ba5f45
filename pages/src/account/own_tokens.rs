use std::collections::HashMap;

use domain::ids::StudyId;
use leptos::prelude::*;
use store::{
    StudyEntry,
    api_tokens::{ApiToken, TokenAccess, TokenStudies},
};

use app::{
    api::{MakeToken, RevokeToken},
    components::{Field, Moment, MomentForm},
    enhanced::EnhancedForm,
    links,
};

/// The tokens by which the person's programs use the HTTP API, with the form to make one.
#[component]
pub fn OwnTokens(
    /// The tokens, newest first.
    tokens: Vec<ApiToken>,
    /// The studies whose figures the person may read.
    studies: Vec<StudyEntry>,
    /// The current time in milliseconds since 1970.
    now: i64,
) -> impl IntoView {
    let names: HashMap<StudyId, String> = studies
        .iter()
        .map(|study| (study.id, study.name.clone()))
        .collect();

    let row =
        |token: ApiToken| view! { <TokenRow studies=describe_studies(&token, &names) token now/> };
    let rows: Vec<_> = tokens.into_iter().map(row).collect();
    let list = (!rows.is_empty()).then(|| {
        view! {
            <div class="table-scroll" role="group" aria-labelledby="tokens" tabindex="0">
                <table class="fold">
                    <thead>
                        <tr>
                            <th scope="col">"Token"</th>
                            <th scope="col">"May"</th>
                            <th scope="col">"Studies"</th>
                            <th scope="col">"Works until"</th>
                            <th scope="col">"Last used"</th>
                            <th scope="col"><span class="visually-hidden">"Actions"</span></th>
                        </tr>
                    </thead>
                    <tbody>{rows}</tbody>
                </table>
            </div>
        }
    });

    let form = match studies.is_empty() {
        true => view! {
            <p class="empty">"You can make tokens once you lead or research a study."</p>
        }
        .into_any(),
        false => view! { <TokenForm studies/> }.into_any(),
    };

    view! {
        <section aria-labelledby="tokens">
            <h2 id="tokens">"Tokens for programs"</h2>
            <p class="soft">
                "A program that has one of your tokens reads studies in your name, or changes them, through the "
                <a href=links::to(links::API)>"HTTP API"</a>
                ". It can never do more than you can. A new password revokes all of them."
            </p>
            {list}
            {form}
        </section>
    }
}

/// The form that makes a token.
#[component]
fn TokenForm(
    /// The studies to choose from.
    studies: Vec<StudyEntry>,
) -> impl IntoView {
    let action = links::action::<MakeToken>();
    let study = |(number, study): (usize, StudyEntry)| {
        let id = format!("token-study-{number}");
        view! {
            <div class="choice">
                <input
                    type="checkbox"
                    id=id.clone()
                    name=format!("studies[{number}][slug]")
                    value=study.slug.to_string()
                />
                <label for=id>{study.name}</label>
            </div>
        }
    };
    let studies: Vec<_> = studies.into_iter().enumerate().map(study).collect();

    view! {
        <EnhancedForm action=action class="card" label="Make a token">
            <Field id="token-name" label="Name of the new token">
                <input
                    id="token-name"
                    name="name"
                    maxlength="80"
                    required
                    placeholder="such as the notebook it is for"
                    autocomplete="off"
                />
            </Field>
            <Field id="token-access" label="It may">
                <select id="token-access" name="access">
                    <option value="read" selected>"read"</option>
                    <option value="write">"read and change"</option>
                </select>
            </Field>
            <fieldset>
                <legend>"Studies"</legend>
                <div class="choice">
                    <input type="checkbox" id="token-all" name="scope" value="all"/>
                    <label for="token-all">"All your studies, including future ones"</label>
                </div>
                {studies}
            </fieldset>
            <Field id="token-days" label="Days it works">
                <input
                    id="token-days"
                    name="days"
                    type="number"
                    min="1"
                    max="366"
                    value="90"
                    required
                    class="short"
                />
            </Field>
            <button class="primary">"Make a token"</button>
        </EnhancedForm>
    }
}

#[component]
fn TokenRow(
    token: ApiToken,
    /// The studies that it is valid for, in words.
    studies: String,
    now: i64,
) -> impl IntoView {
    let action = links::action::<RevokeToken>();
    let expired = token.expires_at <= now;
    let may = match token.access {
        TokenAccess::Read => "read",
        TokenAccess::Write => "read and change",
    };
    let used = match token.used_at {
        Some(ms) => view! { <Moment ms form=MomentForm::Relative/> }.into_any(),
        None => "never".into_any(),
    };
    let until = match expired {
        true => "expired".into_any(),
        false => view! { <Moment ms=token.expires_at/> }.into_any(),
    };

    view! {
        <tr class:past=expired>
            <th scope="row" data-label="Token">{token.name.clone()}</th>
            <td data-label="May">{may}</td>
            <td data-label="Studies">{studies}</td>
            <td data-label="Works until">{until}</td>
            <td data-label="Last used">{used}</td>
            <td data-label="Actions">
                <EnhancedForm action=action class="inline">
                    <input type="hidden" name="token" value=token.id.to_string()/>
                    <button>
                        "Revoke"<span class="visually-hidden">{format!(" {}", token.name)}</span>
                    </button>
                </EnhancedForm>
            </td>
        </tr>
    }
}

/// The studies of a token in words; those that the person can no longer read are not named.
fn describe_studies(token: &ApiToken, names: &HashMap<StudyId, String>) -> String {
    let TokenStudies::Only(studies) = &token.studies else {
        return "all your studies".to_owned();
    };
    let known = studies.iter().filter_map(|study| names.get(study).cloned());
    let known: Vec<_> = known.collect();
    match known.is_empty() {
        true => "none that you can still read".to_owned(),
        false => known.join(", "),
    }
}
