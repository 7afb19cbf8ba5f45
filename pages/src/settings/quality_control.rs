use domain::study::{OutputPurpose, StudySettings};
use leptos::prelude::*;

use app::{
    api::SetQualityControl,
    components::Field,
    enhanced::EnhancedForm,
    links::{self, StudyPage},
};

/// The form for the quality-control items that sources get in addition to their outputs, and for
/// attention items among sources.
#[component]
pub fn QualityControlItems(slug: String, settings: StudySettings) -> impl IntoView {
    let (items, protocol) = (settings.quality_control, settings.protocol);
    let action = links::action::<SetQualityControl>();
    let training = StudyPage::Training.address(&slug);
    let judges = |purpose| protocol.judges(purpose);
    let field = |is_judged: bool,
                 id: &'static str,
                 name: &'static str,
                 label: &'static str,
                 value: u32| {
        if !is_judged {
            return view! { <input type="hidden" name=name value=value/> }.into_any();
        }
        view! {
            <Field id label>
                <span class="one-in">
                    <span class="soft">"one source in"</span>
                    <input id=id name=name type="number" min="0" max="1000" required class="short" value=value/>
                </span>
            </Field>
        }
        .into_any()
    };

    let (copy, scrambled) = (
        judges(OutputPurpose::Copy),
        judges(OutputPurpose::Scrambled),
    );
    let repeated = judges(OutputPurpose::Repeated);

    let among_outputs = scrambled.then_some(
        "Unmarked items among the outputs. They reveal raters who click without reading, and never count for agreement, \
         z-scores or exports. Enter 0 for none; 10 is a good start.",
    );
    let compared = (protocol.compares() && !copy).then_some(
        " A scrambled output is compared with the one that it was made from and should lose; of an output that is shown \
         twice, one comparison comes twice and should end alike.",
    );

    view! {
        <section>
            <p class="soft">{among_outputs} {compared}</p>
            <EnhancedForm action=action label="Quality control">
                <input type="hidden" name="slug" value=slug/>
                {field(copy, "copy-every", "copy_every", "An unchanged copy of the source", items.copy_every)}
                {field(scrambled, "scrambled-every", "scrambled_every", "An output with its words scrambled", items.scrambled_every)}
                {field(repeated, "repeated-every", "repeated_every", "An output that is shown twice", items.repeated_every)}
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
