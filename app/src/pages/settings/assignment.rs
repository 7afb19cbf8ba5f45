use domain::study::{QualificationRule, StudySettings};
use leptos::prelude::*;

use crate::{api::SetAssignmentRules, components::Field, islands::EnhancedForm, links};

/// How many annotators each source gets, how long they keep it, and how they are admitted.
#[component]
pub fn Assignment(
    slug: String,
    /// The current settings.
    settings: StudySettings,
) -> impl IntoView {
    let action = links::action::<SetAssignmentRules>();
    view! {
        <section aria-labelledby="assignment" class="setting">
            <h2 id="assignment">"Assignment"</h2>
            <EnhancedForm action=action label="Assignment">
                <input type="hidden" name="slug" value=slug/>
                <Field id="overlap" label="Annotators for each source">
                    <input
                        id="overlap"
                        name="overlap"
                        type="number"
                        min="1"
                        max="100"
                        required
                        class="short"
                        value=settings.overlap
                    />
                </Field>
                <Field
                    id="lease"
                    label="Hours until a source goes to another annotator"
                    help="Counted from the annotator's last change. Saved answers are kept."
                >
                    <input
                        id="lease"
                        name="lease_hours"
                        type="number"
                        min="1"
                        max="8760"
                        required
                        class="short"
                        value=settings.lease_hours
                        aria-describedby="lease-help"
                    />
                </Field>
                <Admission qualification=settings.qualification/>
                <div class="actions">
                    <button class="primary">"Save the rules"</button>
                </div>
            </EnhancedForm>
        </section>
    }
}

/// The fields for the admission rule.
#[component]
fn Admission(qualification: QualificationRule) -> impl IntoView {
    let (chosen, tolerance, percent) = match qualification {
        QualificationRule::None => ("none", 10.0, 80.0),
        QualificationRule::Lead => ("lead", 10.0, 80.0),
        QualificationRule::Answers {
            tolerance,
            categories,
        } => ("answers", tolerance, (categories * 1000.0).round() / 10.0),
    };
    let choice = |value: &'static str, label: &'static str| {
        let id = format!("admitted-{value}");
        view! {
            <div class="choice">
                <input
                    type="radio"
                    id=id.clone()
                    name="qualification"
                    value=value
                    checked=chosen == value
                />
                <label for=id>{label}</label>
            </div>
        }
    };
    view! {
        <fieldset>
            <legend>"Annotators may begin"</legend>
            {choice("none", "at once")}
            {choice("lead", "when a lead approves")}
            {choice("answers", "when their answers to the qualification items are good enough, or a lead approves")}
            <div class="indented">
                <Field id="tolerance" label="Mean distance to the expected ratings, at most">
                    <input
                        id="tolerance"
                        name="tolerance"
                        inputmode="decimal"
                        class="short"
                        value=tolerance.to_string()
                    />
                </Field>
                <Field id="right" label="Expected categories found, in percent, at least">
                    <input
                        id="right"
                        name="categories"
                        inputmode="decimal"
                        class="short"
                        value=percent.to_string()
                    />
                </Field>
            </div>
        </fieldset>
    }
}
