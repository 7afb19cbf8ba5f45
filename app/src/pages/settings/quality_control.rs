use domain::study::QualityControl;
use leptos::prelude::*;

use crate::{api::SetQualityControl, components::Field, islands::EnhancedForm, links};

/// Which quality-control items sources get beside their outputs.
#[component]
pub fn QualityControlItems(
    /// The study's short name.
    slug: String,
    /// What is set.
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
        <section aria-labelledby="quality-control" class="setting">
            <h2 id="quality-control">"Quality control"</h2>
            <p class="soft">
                "Items slipped in among the outputs, unmarked. They show who reads and who clicks; \
                 they never enter agreement, z-scores or exports. 0 stands for none."
            </p>
            <EnhancedForm action=action label="Quality control">
                <input type="hidden" name="slug" value=slug/>
                {field("copy-every", "copy_every", "An unchanged copy of the source", items.copy_every)}
                {field("scrambled-every", "scrambled_every", "An output with its words scrambled", items.scrambled_every)}
                {field("repeated-every", "repeated_every", "An output that comes a second time", items.repeated_every)}
                <div class="actions">
                    <button class="primary">"Save quality control"</button>
                </div>
            </EnhancedForm>
        </section>
    }
}
