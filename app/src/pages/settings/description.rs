use leptos::prelude::*;
use store::Study;

use super::RetentionHint;
use crate::{
    api::DescribeStudy,
    components::{Field, TextArea},
    islands::{EnhancedForm, Preview},
    links,
};

/// The study's name, its guidelines and its information sheet.
#[component]
pub fn Description(study: Study) -> impl IntoView {
    let action = links::action::<DescribeStudy>();
    view! {
        <section aria-labelledby="texts" class="setting">
            <h2 id="texts">"Name and texts"</h2>
            <EnhancedForm action=action label="Name and texts">
                <input type="hidden" name="slug" value=study.slug.to_string()/>
                <Field id="name" label="Name">
                    <input
                        id="name"
                        name="name"
                        required
                        maxlength="120"
                        autocomplete="off"
                        value=study.name
                    />
                </Field>
                <Field
                    id="guidelines"
                    label="Guidelines"
                    help="How to judge, in Markdown. Say which score an unchanged copy of the source gets."
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
                    help="What annotators agree to before their first source, in Markdown: what the study is \
                          for, what is stored, how to withdraw. Leave it empty to ask for no consent."
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
                    <button class="primary">"Save name and texts"</button>
                </div>
            </EnhancedForm>
        </section>
    }
}
