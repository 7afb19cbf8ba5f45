use domain::platform_id::ADDRESS_ENDINGS;
use leptos::prelude::*;

use crate::{enhanced::CopyButton, flash::Flash};

/// The flash message at the top of a page.
pub fn flash_message(flash: Flash) -> AnyView {
    match flash {
        Flash::Refused(refusal) => {
            view! { <p class="alert" role="alert">{refusal.to_string()}</p> }.into_any()
        }
        Flash::Done(sentence) => view! { <p class="note" role="status">{sentence}</p> }.into_any(),
        // `unsaved.js` restores the form's input if it sees this mark.
        Flash::SendAgain => view! {
            <p class="note" role="status" data-send-again="">
                "Thank you. Nothing has been changed yet: press the button again."
            </p>
        }
        .into_any(),
        Flash::Link(sentence, address) => view! {
            <div class="note" role="status"><LinkToCopy sentence address/></div>
        }
        .into_any(),
        Flash::CrowdLink(sentence, address) => view! {
            <div class="note" role="status">
                <LinkToCopy sentence address=address.clone()/>
                <PlatformAddresses address/>
            </div>
        }
        .into_any(),
        Flash::Secret(sentence, secret) => view! {
            <div class="note" role="status">
                <p>{sentence}</p>
                <p><code class="address">{secret.clone()}</code></p>
                <CopyButton text=secret/>
            </div>
        }
        .into_any(),
    }
}

#[component]
fn LinkToCopy(sentence: String, address: String) -> impl IntoView {
    view! {
        <p>{sentence}</p>
        <p><a class="address" href=address.clone()>{address.clone()}</a></p>
        <CopyButton text=address/>
    }
}

/// The addresses of a link to paste on recruitment platforms, with the placeholders that these replace.
#[component]
fn PlatformAddresses(address: String) -> impl IntoView {
    let row = |(platform, ending): (&'static str, &'static str)| {
        let text = format!("{address}{ending}");
        view! {
            <dt>{platform}</dt>
            <dd><code class="address">{text.clone()}</code> " " <CopyButton text/></dd>
        }
    };
    view! {
        <p>"On a platform, paste this address instead. The platform puts its IDs in place of the placeholders."</p>
        <dl class="addresses">{ADDRESS_ENDINGS.map(row)}</dl>
    }
}
