use domain::study::QualityControl;
use leptos::prelude::*;

use crate::{
    api::SetQualityControl,
    components::Field,
    enhanced::EnhancedForm,
    links::{self, StudyPage},
};

/// The form for the quality-control items that sources get beside their outputs, and for attention items among sources.
#[component]
pub fn QualityControlItems(
    slug: String,
    /// The current settings.
    items: QualityControl,
) -> impl IntoView {
    let action = links::action::<SetQualityControl>();
    let training = StudyPage::Training.address(&slug);
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
                <Field
                    id="attention-every"
                    label="Attention items: sources with known answers"
                    help="You write them, with the answers that you expect. Raters meet them among their sources and cannot \
                          tell them apart. Enter 0 for none."
                >
                    <span class="one-in">
                        <span class="soft">"one for every"</span>
                        <input
                            id="attention-every"
                            name="attention_every"
                            type="number"
                            min="0"
                            max="1000"
                            required
                            class="short"
                            value=items.attention_every
                        />
                        <span class="soft">"sources"</span>
                    </span>
                </Field>
                <p class="soft">
                    "Choose the attention items on " <a href=training>"Training"</a> "."
                </p>
                <div class="actions">
                    <button class="primary">"Save quality control"</button>
                </div>
            </EnhancedForm>
        </section>
    }
}
