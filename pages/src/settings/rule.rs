use domain::study::{CategoryRule, StudySettings};
use leptos::prelude::*;

use app::{
    api::SetCategoryRule,
    components::{Field, RadioChoice},
    enhanced::EnhancedForm,
    links,
};

/// The form for the rule that puts outputs in categories before annotators correct them.
#[component]
pub fn CategoryRules(
    slug: String,
    /// The current settings.
    settings: StudySettings,
) -> impl IntoView {
    let action = links::action::<SetCategoryRule>();

    view! {
        <section aria-labelledby="categories">
            <h2 id="categories">"Automatic categories"</h2>
            <p class="soft">
                "Saving another rule or threshold changes the automatic category of every output. Annotators' answers \
                 and imported categories stay as they are."
            </p>
            <EnhancedForm action=action label="Automatic categories">
                <input type="hidden" name="slug" value=slug/>
                <RuleFields settings/>
                <div class="actions">
                    <button class="primary">"Save and re-categorise"</button>
                </div>
            </EnhancedForm>
        </section>
    }
}

/// The fields for the category rule of step 1 and its threshold.
#[component]
pub fn RuleFields(
    /// The current rule.
    settings: StudySettings,
) -> impl IntoView {
    let option = |rule: CategoryRule| {
        let label = match rule {
            CategoryRule::Tuned => "Tuned to the released labels",
            CategoryRule::Paper => "As the paper states it",
        };
        let help = match rule {
            CategoryRule::Tuned => {
                "Deletion: fewer words than the threshold allows (usually 0.7 of the source's), or \
                 only words that the source has."
            }
            CategoryRule::Paper => {
                "Deletion: fewer characters than the threshold allows (0.5 of the source's), or \
                 words deleted and none moved."
            }
        };
        let checked = settings.category_rule == rule;
        view! { <RadioChoice name="category_rule" value=rule.name() label help checked/> }
    };
    let threshold = settings.category_threshold.to_string();

    view! {
        <fieldset>
            <legend>"Which outputs are deletions"</legend>
            {CategoryRule::ALL.iter().copied().map(option).collect_view()}
            <Field
                id="threshold"
                label="Threshold"
                help="The output's length divided by the source's, 0 to 1. Leave it empty for the \
                      rule's default. An output of several sentences is always a split."
            >
                <input
                    id="threshold"
                    name="category_threshold"
                    inputmode="decimal"
                    value=threshold
                    class="short"
                    aria-describedby="threshold-help"
                />
            </Field>
        </fieldset>
    }
}
