use leptos::prelude::*;
use store::Study;

use crate::{
    api::DescribeStudy,
    components::Field,
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
                        <textarea
                            id="guidelines"
                            name="guidelines"
                            aria-describedby="guidelines-help"
                        >
                            {study.guidelines}
                        </textarea>
                    </Preview>
                </Field>
                <Field
                    id="information"
                    label="Information sheet"
                    help="What annotators agree to before their first source, in Markdown: what the study is \
                          for, what is stored, how to withdraw. Leave it empty to ask for no consent."
                >
                    <Preview label="The information sheet as annotators see it">
                        <textarea
                            id="information"
                            name="information"
                            aria-describedby="information-help"
                        >
                            {study.information}
                        </textarea>
                    </Preview>
                </Field>
                <div class="actions">
                    <button class="primary">"Save name and texts"</button>
                </div>
            </EnhancedForm>
        </section>
    }
}
