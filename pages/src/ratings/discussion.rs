use domain::ids::{DiscussionId, OutputId};
use leptos::prelude::*;
use store::{
    OutputText,
    discussions::{self, QuestionReply},
};

use super::replies::Replies;
use app::{
    api::{Discuss, WithdrawQuestion},
    components::Moment,
    links::{self, StudyPage},
};

/// The lead's question to raters about an output, and the form to ask one.
#[component]
pub(super) fn Discussion(
    slug: String,
    /// The outputs that a question can be about, with their names if there are several.
    about: Vec<(OutputId, String)>,
    /// The latest question.
    asked: Option<discussions::Discussion>,
    /// The replies to it.
    replies: Vec<QuestionReply>,
    /// Whether the viewer may ask.
    leads: bool,
    /// Whether the viewer may take a question back.
    withdraws: bool,
    /// Whether the study has scores.
    has_scores: bool,
) -> impl IntoView {
    let is_withdrawable = asked
        .as_ref()
        .filter(|asked| withdraws && asked.is_unanswered());
    let withdrawal = is_withdrawable
        .map(|asked| view! { <WithdrawalButton slug=slug.clone() question=asked.id/> });

    let question = asked.map(|discussion| {
        let still = describe_unanswered(discussion.open);
        view! {
            <p class="asked-again">
                "Asked on " <Moment ms=discussion.asked_at/> ": " {discussion.note} <span class="soft">{still}</span>
            </p>
        }
    });

    let form = leads.then(|| {
        let action = links::action::<Discuss>();
        let compares = about.len() > 1;
        let (only, others) = match compares {
            true => ("Comparisons with this output only. ", "Their other comparisons keep counting; these"),
            false => ("This output only. ", "Their answers to the other outputs keep counting; those to this one"),
        };

        let output = match &about[..] {
            [(output, _)] => {
                view! { <input type="hidden" name="output" value=output.to_string()/> }.into_any()
            }
            several => {
                let option = |(output, name): &(OutputId, String)| {
                    view! { <option value=output.to_string()>{name.clone()}</option> }
                };
                view! {
                    <label class="field">
                        <span>"About which output?"</span>
                        <select name="output">{several.iter().map(option).collect_view()}</select>
                    </label>
                }
                .into_any()
            }
        };

        view! {
            <details class="ask">
                <summary>"Ask its raters to look again…"</summary>
                <form method="post" action=action>
                    <input type="hidden" name="slug" value=slug/>
                    {output}
                    <label class="field">
                        <span>"What should they look at?"</span>
                        <input name="note" required maxlength="300"/>
                    </label>
                    <fieldset>
                        <legend>"What can they change?"</legend>
                        <label class="choice">
                            <input type="radio" name="scope" value="output" checked/>
                            <span>
                                {only} <span class="soft">{others} " count again once they submit it."</span>
                            </span>
                        </label>
                        <label class="choice">
                            <input type="radio" name="scope" value="source"/>
                            <span>
                                "The whole source. "
                                <span class="soft">"None of their answers to it counts until they submit it again."</span>
                            </span>
                        </label>
                    </fieldset>
                    <button>"Ask them"</button>
                </form>
            </details>
        }
    });

    view! {
        {question}
        <Replies replies has_scores/>
        {withdrawal}
        {form}
    }
}

fn describe_unanswered(raters: i64) -> String {
    match raters {
        0 => " All have submitted it again.".to_owned(),
        1 => " One rater has not answered yet.".to_owned(),
        many => format!(" {many} raters have not answered yet."),
    }
}

/// The button that takes a question back.
#[component]
fn WithdrawalButton(slug: String, question: DiscussionId) -> impl IntoView {
    let action = links::action::<WithdrawQuestion>();
    view! {
        <form method="post" action=action class="ask">
            <input type="hidden" name="slug" value=slug/>
            <input type="hidden" name="question" value=question.to_string()/>
            <button class="small">"Withdraw the question"</button>
        </form>
    }
}

/// The questions that raters have not answered yet. An output that has no rating at the moment is
/// missing from the page's list.
#[component]
pub(super) fn OpenQuestions(
    slug: String,
    /// The questions with their replies and the texts of their outputs.
    questions: Vec<(Vec<QuestionReply>, discussions::Discussion, OutputText)>,
    /// Whether the viewer may take a question back.
    withdraws: bool,
    /// Whether the study has scores.
    has_scores: bool,
) -> impl IntoView {
    let question = |(replies, asked, text): (_, discussions::Discussion, OutputText)| {
        let source = StudyPage::Source(asked.source).address(&slug);
        let withdrawal =
            withdraws.then(|| view! { <WithdrawalButton slug=slug.clone() question=asked.id/> });
        view! {
            <li>
                <p>
                    <a href=source>{text.source_key}</a> " · " {text.system} ": " {text.text}
                </p>
                <p class="asked-again">
                    "Asked on " <Moment ms=asked.asked_at/> ": " {asked.note}
                    <span class="soft">{describe_unanswered(asked.open)}</span>
                </p>
                <Replies replies has_scores/>
                {withdrawal}
            </li>
        }
    };
    (!questions.is_empty()).then(|| {
        view! {
            <section class="card open-questions" aria-labelledby="open-questions">
                <h2 id="open-questions">"Open questions"</h2>
                <p class="soft">
                    "The answers that you asked about do not count until their raters submit them again."
                </p>
                <ul>{questions.into_iter().map(question).collect_view()}</ul>
            </section>
        }
    })
}
