use domain::study::QualityControl;
use leptos::prelude::*;

use crate::{api::SetQualityControl, components::Field, enhanced::EnhancedForm, links};

/// The form for the quality-control items that sources get beside their outputs.
#[component]
pub fn QualityControlItems(
    slug: String,
    /// The current settings.
    items: QualityControl,
) -> impl IntoView {
    let action = links::action::<SetQualityControl>();
    let field = |id: &'static str, name: &'static str, label: &'static str, value: u32| {
        view! {
            <Field id label>
                <span class="one-in">
                    <span class="soft">"one source in"</span>
                    <input id=id name=name type="number" min="0" max="1000" required class="short" value=value/>
                </span>
            </Field>
        }
    };
    view! {
        <section>
            <p class="soft">
                "Unmarked items among the outputs. They reveal raters who click without reading, and never \
                 count for agreement, z-scores or exports. Enter 0 for none; 10 is a good start. Where \
                 outputs are compared, there are none."
            </p>
            <EnhancedForm action=action label="Quality control">
                <input type="hidden" name="slug" value=slug/>
                {field("copy-every", "copy_every", "An unchanged copy of the source", items.copy_every)}
                {field("scrambled-every", "scrambled_every", "An output with its words scrambled", items.scrambled_every)}
                {field("repeated-every", "repeated_every", "An output that is shown twice", items.repeated_every)}
                <div class="actions">
                    <button class="primary">"Save quality control"</button>
                </div>
            </EnhancedForm>
        </section>
    }
}
