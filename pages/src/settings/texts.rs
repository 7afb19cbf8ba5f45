use leptos::prelude::*;
use store::Study;

use super::RetentionHint;
use app::{
    api::DescribeStudy,
    components::{Field, TextArea},
    enhanced::{EnhancedForm, Preview},
    links,
};

/// The study's guidelines and its information sheet.
#[component]
pub fn AnnotatorTexts(study: Study) -> impl IntoView {
    let action = links::action::<DescribeStudy>();

    view! {
        <EnhancedForm action=action label="Texts for annotators">
            <input type="hidden" name="slug" value=study.slug.to_string()/>
            <Field
                id="guidelines"
                label="Guidelines"
                help="How to judge, in Markdown. Say which score an unchanged copy of the source gets. A list or table \
                      of score ranges, such as “- 70–89: easy to understand”, is also shown beside each slider, if it \
                      reaches from the lowest to the highest score."
            >
                <Preview label="The guidelines as annotators see them">
                    <TextArea
                        id="guidelines"
                        name="guidelines"
                        described_by="guidelines-help"
                        value=study.guidelines
                    />
                </Preview>
            </Field>
            <Field
                id="information"
                label="Information sheet"
                help="What annotators agree to before their first source, in Markdown: the purpose of the \
                      study, what is stored, how to withdraw. Leave it empty to ask for no consent."
            >
                <Preview label="The information sheet as annotators see it">
                    <TextArea
                        id="information"
                        name="information"
                        described_by="information-help"
                        value=study.information
                    />
                </Preview>
            </Field>
            <RetentionHint slug=study.slug.to_string() retention=study.settings.retention/>
            <div class="actions">
                <button class="primary">"Save the texts"</button>
            </div>
        </EnhancedForm>
    }
}
