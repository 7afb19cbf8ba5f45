use domain::crowd::{CrowdEnd, CrowdSettings, FailedChecksConsequence};
use leptos::prelude::*;

use app::{
    api::{SetCrowd, code_name},
    components::{Field, RadioChoice, TextArea},
    enhanced::EnhancedForm,
    links,
};

/// The form for what crowd raters are asked, given and told.
#[component]
pub(super) fn CrowdSetUp(
    slug: String,
    /// The current settings.
    crowd: CrowdSettings,
    /// Whether there is an information sheet to agree to.
    informed: bool,
    /// The ends of their work that have no code.
    lacking: Vec<CrowdEnd>,
) -> impl IntoView {
    let action = links::action::<SetCrowd>();

    // Only in a study that was opened before every end needed a code.
    let unpaid = (crowd.is_open && !lacking.is_empty()).then(|| {
        let names: Vec<_> = lacking.into_iter().map(code_name).collect();
        view! {
            <p class="caution">
                "Some people get no code at the end, so they are not paid. Fill in: " {names.join(", ")} "."
            </p>
        }
    });

    let (is_open, needs_id, each) = (crowd.is_open, crowd.needs_platform_id, crowd.sources_each);
    let screening = crowd.screening.to_string();

    view! {
        <section aria-labelledby="set-up">
            <h2 id="set-up">"Set-up"</h2>
            {unpaid}
            <EnhancedForm action=action class="card" label="Set-up">
                <input type="hidden" name="slug" value=slug/>
                <p>
                    <label>
                        <input type="checkbox" name="is_open" value="yes" checked=is_open
                            disabled=!informed && !is_open/>
                        " Crowd raters may begin"
                    </label>
                </p>
                <p>
                    <label>
                        <input type="checkbox" name="needs_platform_id" value="yes" checked=needs_id
                            aria-describedby="needs-id-help"/>
                        " Only people sent by the platform"
                    </label>
                </p>
                <p class="help" id="needs-id-help">
                    "Their link must hold the platform’s ID, and each ID has one place. Switch it on when a platform sends \
                     your raters."
                </p>
                <Field id="sources-each" label="Sources for each" help="0 for all that they can be given">
                    <input id="sources-each" name="sources_each" type="number" min="0" max="10000" required class="short"
                        value=each aria-describedby="sources-each-help"/>
                </Field>
                <Field
                    id="screening"
                    label="Screening questions"
                    help="One in each line, with the answers after bars. A plus marks an answer that is accepted; \
                          without any, all are. A number after = is that of the places: First language | + English = 20 \
                          | + another = 20 | I do not want to say"
                >
                    <TextArea id="screening" name="screening" rows=4 described_by="screening-help"
                        value=screening/>
                </Field>
                <FailedItems crowd=crowd.clone()/>
                <Codes crowd/>
                <div class="actions"><button class="primary">"Save"</button></div>
            </EnhancedForm>
        </section>
    }
}

/// The fields for what happens to people who fail attention items.
#[component]
fn FailedItems(crowd: CrowdSettings) -> impl IntoView {
    let rule = crowd.failed_checks;
    let choice = |value: FailedChecksConsequence, label, help| {
        let (checked, value) = (rule.consequence == value, value.name());
        view! { <RadioChoice name="failed[consequence]" value label help checked/> }
    };

    view! {
        <Field
            id="failed-from"
            label="Pause or exclude after … failures"
            help="The number of failed attention items; 0 for never. An output with scrambled words is failed unless it scores below the one that it was made \
                  from, and an output that is shown twice where its scores differ by more than 40 % of the scale; the \
                  first dimension counts. A source with known answers is failed where one of the answers is not as \
                  expected. Settings, Quality control, says how often there are such items."
        >
            <input id="failed-from" name="failed[from]" type="number" min="0" max="1000" required class="short"
                value=rule.from aria-describedby="failed-from-help"/>
        </Field>
        <fieldset>
            <legend>"What happens then"</legend>
            {choice(FailedChecksConsequence::Pause, "They are paused", "They get no more sources. Their ratings count, and you can let them continue.")}
            {choice(FailedChecksConsequence::Exclude, "They are excluded", "They get no more sources, and their ratings leave all figures. You can take that back.")}
        </fieldset>
    }
}

/// The fields for the codes at the end.
#[component]
fn Codes(crowd: CrowdSettings) -> impl IntoView {
    let codes = crowd.codes;
    let field = |id: &'static str, name: &'static str, end: CrowdEnd, value: String| {
        view! {
            <Field id label=code_name(end)>
                <input id=id name=name maxlength="100" value=value autocomplete="off"/>
            </Field>
        }
    };

    view! {
        <p class="soft">
            "A code for each way in which their work can end is needed before the study can be opened, so that nobody works \
             unpaid."
        </p>
        {field("code-completed", "codes[completed]", CrowdEnd::Completed, codes.completed)}
        {field("code-screened-out", "codes[screened_out]", CrowdEnd::ScreenedOut, codes.screened_out)}
        {field("code-failed-checks", "codes[failed_checks]", CrowdEnd::FailedChecks, codes.failed_checks)}
        {field("code-quota-full", "codes[quota_full]", CrowdEnd::QuotaFull, codes.quota_full)}
        <Field
            id="return-link"
            label="Link at the end"
            help="Prolific’s completion URL, for example. {code} at its end stands for the code that the person got."
        >
            <input id="return-link" name="codes[return_link]" type="url" maxlength="2000" placeholder="https://"
                value=crowd.return_link aria-describedby="return-link-help"/>
        </Field>
    }
}
