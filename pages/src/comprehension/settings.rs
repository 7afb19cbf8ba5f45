use domain::{
    comprehension::{ComprehensionSettings, ConditionSpread, TieBreak},
    study::RetentionPeriod,
};
use leptos::prelude::*;

use crate::settings::RetentionHint;
use app::{
    api::SetComprehension,
    components::{Field, TextArea},
    enhanced::EnhancedForm,
    links,
};

/// The form for the set-up.
#[component]
pub(super) fn SetUp(
    slug: String,
    settings: ComprehensionSettings,
    /// The time for which the study keeps personal data, for the information sheet.
    retention: RetentionPeriod,
    is_new: bool,
) -> impl IntoView {
    let action = links::action::<SetComprehension>();
    let button = if is_new {
        "Set reading comprehension up"
    } else {
        "Save the set-up"
    };

    view! {
        <section aria-labelledby="set-up">
            <h2 id="set-up">"Set-up"</h2>
            <EnhancedForm action=action class="card" label="Set reading comprehension up">
                <input type="hidden" name="slug" value=slug.clone()/>
                <DesignFields settings=settings.clone()/>
                <SessionFields slug settings retention/>
                <div class="actions"><button class="primary">{button}</button></div>
            </EnhancedForm>
        </section>
    }
}

#[component]
fn DesignFields(settings: ComprehensionSettings) -> impl IntoView {
    let design = settings.design;
    let within = design.spread == ConditionSpread::Within;
    let square = design.ties == TieBreak::LatinSquare;

    view! {
        <Field id="readers" label="Participants for each passage in each condition">
            <input id="readers" name="design[readers]" type="number" min="1" max="1000" required class="short"
                value=design.readers.to_string()/>
        </Field>
        <Field
            id="doubly"
            label="Passages with twice as many"
            help="These are the first ones. Agreement is computed on what two participants read."
        >
            <input id="doubly" name="design[doubly]" type="number" min="0" max="10000" required class="short"
                value=design.doubly.to_string() aria-describedby="doubly-help"/>
        </Field>
        <Field id="texts" label="Texts for each participant">
            <input id="texts" name="design[texts]" type="number" min="1" max="100" required class="short"
                value=design.texts.to_string()/>
        </Field>
        <Field id="spread" label="Each participant reads">
            <select id="spread" name="design[spread]">
                <option value="between" selected=!within>"texts of one condition"</option>
                <option value="within" selected=within>"texts of several conditions"</option>
            </select>
        </Field>
        <Field id="ties" label="When several texts have the fewest readers">
            <select id="ties" name="design[ties]">
                <option value="random" selected=!square>"a random one is assigned"</option>
                <option value="latin-square" selected=square>"they take turns (Latin square)"</option>
            </select>
        </Field>
        <Field
            id="lease-hours"
            label="Hours until an inactive participant loses their place"
            help="Before the first answer it is half an hour, if another participant needs the place."
        >
            <input id="lease-hours" name="design[lease_hours]" type="number" min="1" max="8760" required
                class="short" value=settings.lease_hours.to_string() aria-describedby="lease-hours-help"/>
        </Field>
    }
}

#[component]
fn SessionFields(
    slug: String,
    settings: ComprehensionSettings,
    retention: RetentionPeriod,
) -> impl IntoView {
    let screening = settings.screening.iter().map(ToString::to_string);
    let screening: Vec<_> = screening.collect();

    view! {
        <p>
            <label>
                <input type="checkbox" name="session[hides_text]" value="yes" checked=settings.hides_text/>
                " The text is hidden while the questions are answered"
            </label>
        </p>
        <p>
            <label>
                <input type="checkbox" name="session[goes_back]" value="yes" checked=settings.goes_back/>
                " Participants may go back to finished texts"
            </label>
        </p>
        <p>
            <label>
                <input type="checkbox" name="session[needs_platform_id]" value="yes"
                    checked=settings.needs_platform_id aria-describedby="needs-platform-id-help"/>
                " Readers need the platform's ID in their link"
            </label>
        </p>
        <p class="help" id="needs-platform-id-help">
            "Each ID (" <code>"PROLIFIC_PID"</code> " or " <code>"participant"</code> ") has one place, to which it \
             leads back in any browser. Switch it on when a platform sends your readers; its IDs must be hard to \
             guess."
        </p>
        <Field
            id="reading-information"
            label="Information sheet for readers (Markdown)"
            help="What readers agree to before their first text: who runs this study and why, what \
                  they will do, what is stored and for how long, how to withdraw. They do not see the \
                  sheet of the rating study (under Settings). You need it before you can make a link."
        >
            <TextArea id="reading-information" name="session[information]" rows=6
                described_by="reading-information-help" value=settings.information/>
        </Field>
        <RetentionHint slug retention/>
        <Field id="instructions" label="Instructions (Markdown)">
            <TextArea id="instructions" name="session[instructions]" rows=4 value=settings.instructions/>
        </Field>
        <Field id="unanswerable" label="What “unanswerable” means">
            <TextArea id="unanswerable" name="session[unanswerable]" rows=2 maxlength=500 value=settings.unanswerable/>
        </Field>
        <Field
            id="screening"
            label="Screening questions"
            help="One in each line, with the answers to choose from after bars: First language | + English = 20 | another. \
                  Only readers who choose an answer with a plus take part, or all where no answer has one; a number \
                  after = is how many of them may. A line without answers asks for a text."
        >
            <TextArea id="screening" name="session[screening]" rows=3 described_by="screening-help"
                value=screening.join("\n")/>
        </Field>
        <Field id="completion-code" label="Completion code">
            <input id="completion-code" name="session[completion_code]" maxlength="100"
                value=settings.completion_code autocomplete="off"/>
        </Field>
        <Field
            id="screened-out-code"
            label="Code for readers who are screened out"
            help="Also for those who come when all places for people with their answers are taken."
        >
            <input id="screened-out-code" name="session[screened_out_code]" maxlength="100"
                value=settings.screened_out_code autocomplete="off" aria-describedby="screened-out-code-help"/>
        </Field>
        <Field id="return-link" label="Link at the end">
            <input id="return-link" name="session[return_link]" type="url" maxlength="2000"
                placeholder="https://" value=settings.return_link/>
        </Field>
    }
}
