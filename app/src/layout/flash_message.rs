use leptos::prelude::*;

use crate::{enhanced::CopyButton, flash::Flash};

/// The flash message at the top of a page.
pub fn flash_message(flash: Flash) -> AnyView {
    match flash {
        Flash::Refused(refusal) => {
            view! { <p class="alert" role="alert">{refusal.to_string()}</p> }.into_any()
        }
        Flash::Done(sentence) => view! { <p class="note" role="status">{sentence}</p> }.into_any(),
        // `unsaved.js` restores the form's input where it sees this mark.
        Flash::SendAgain => view! {
            <p class="note" role="status" data-send-again="">
                "Thank you. Nothing has been changed yet: press the button again."
            </p>
        }
        .into_any(),
        Flash::Link(sentence, address) => view! {
            <div class="note" role="status">
                <p>{sentence}</p>
                <p><a class="address" href=address.clone()>{address.clone()}</a></p>
                <CopyButton text=address/>
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
