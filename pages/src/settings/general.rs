use domain::study::{QualificationRule, SourceOrder, StudySettings};
use leptos::prelude::*;

use app::{
    api::SetGeneral,
    components::{Field, RadioChoice},
    enhanced::EnhancedForm,
    links::{self, StudyPage},
};

/// The study's name, how many annotators each source gets, how they are admitted, and how long they keep a source.
#[component]
pub fn GeneralSettings(
    slug: String,
    /// The study's name.
    name: String,
    /// The current settings.
    settings: StudySettings,
) -> impl IntoView {
    let action = links::action::<SetGeneral>();
    let training = StudyPage::Training.address(&slug);
    let fewest = *settings.overlap_range().start();
    let help = match fewest {
        0 => {
            "Beside those of groups that have a number of their own. Agreement needs at least two in all."
        }
        _ => "Agreement needs at least two.",
    };

    view! {
        <EnhancedForm action=action label="General settings">
            <input type="hidden" name="slug" value=slug/>
            <Field id="name" label="Name">
                <input id="name" name="name" required maxlength="120" autocomplete="off" value=name/>
            </Field>
            <Field
                id="overlap"
                label="Annotators for each source"
                help=help
            >
                <input
                    id="overlap"
                    name="overlap"
                    type="number"
                    min=fewest
                    max="100"
                    required
                    class="short"
                    value=settings.overlap
                    aria-describedby="overlap-help"
                />
            </Field>
            <Admission qualification=settings.qualification training/>
            <details class="more" open=settings.source_order != SourceOrder::default()>
                <summary>"More settings"</summary>
                <NextSource chosen=settings.source_order/>
                <Lease hours=settings.lease_hours/>
            </details>
            <div class="actions">
                <button class="primary">"Save"</button>
            </div>
        </EnhancedForm>
    }
}

/// The fields for the order of sources.
#[component]
fn NextSource(chosen: SourceOrder) -> impl IntoView {
    let choice = |order: SourceOrder, label: &'static str, help: &'static str| {
        let (value, checked) = (order.name(), chosen == order);
        view! { <RadioChoice name="source_order" value label help checked/> }
    };

    view! {
        <fieldset id="source-order">
            <legend>"Of sources that nobody has yet, the next one is"</legend>
            {choice(SourceOrder::AsImported, "the first one of the import", "")}
            {choice(
                SourceOrder::WhereUncertain,
                "the one that makes the ranking of systems most certain",
                "This helps where sources have outputs of only some systems, or where a metric has scored the outputs. \
                 Otherwise each source tells as much as any other, and the first one is next. Studies in which annotators give no \
                 scores, studies of an experiment, and studies whose groups of raters have numbers of their own keep the order of \
                 the import.",
            )}
        </fieldset>
    }
}

/// The field for the hours that an annotator keeps a source.
#[component]
fn Lease(hours: u32) -> impl IntoView {
    view! {
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
                value=hours
                aria-describedby="lease-help"
            />
        </Field>
    }
}

/// The fields for the admission rule.
#[component]
fn Admission(
    qualification: QualificationRule,
    /// The address of the training items.
    training: String,
) -> impl IntoView {
    let (chosen, tolerance, percent) = match qualification {
        QualificationRule::None => ("none", 10.0, 80.0),
        QualificationRule::Lead => ("lead", 10.0, 80.0),
        QualificationRule::Answers {
            tolerance,
            categories,
        } => ("answers", tolerance, (categories * 1000.0).round() / 10.0),
    };
    let choice = |value: &'static str, label: &'static str| {
        view! { <RadioChoice name="qualification" value label checked=chosen == value/> }
    };

    view! {
        <fieldset id="admission">
            <legend>"Annotators may begin"</legend>
            {choice("none", "at once")}
            {choice("lead", "when a lead approves")}
            {choice("answers", "when their answers to the qualification items are good enough, or a lead approves")}
            <details class="more indented" open=chosen == "answers">
                <summary>"What is good enough"</summary>
                <Field id="tolerance" label="Mean distance to the expected ratings, at most">
                    <input
                        id="tolerance"
                        name="tolerance"
                        inputmode="decimal"
                        class="short"
                        value=tolerance.to_string()
                    />
                </Field>
                <Field id="right" label="Expected categories, answers and marks that must be right, in percent">
                    <input
                        id="right"
                        name="categories"
                        inputmode="decimal"
                        class="short"
                        value=percent.to_string()
                    />
                </Field>
                <p class="help">
                    "Choose the qualification items among the " <a href=training>"training items"</a> ". Where \
                     outputs are compared, a lead decides."
                </p>
            </details>
        </fieldset>
    }
}
