//! The protocol of a study.
#![expect(clippy::too_many_arguments, reason = "the fields of one form")]

use leptos::prelude::*;
use serde::{Deserialize, Serialize};

use crate::error::Refusal;

#[cfg(feature = "ssr")]
use {
    super::step_fields,
    crate::api::ssr::*,
    domain::protocol::{CompareStep, MarkSpansStep, ProtocolStep, RateStep, StudyProtocol},
    service::templates::StudyTemplate,
};

/// The settings of the step in which annotators write, as form fields.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct WritingFields {
    /// Whether annotators write; empty for no.
    pub on: String,
    /// The text that they begin with: `blank`, `source` or `output`; empty for `blank`.
    pub start: String,
    /// The system whose output they begin with.
    pub start_system: String,
    /// The fewest words; empty for no limit.
    pub least_words: String,
    /// The most words; empty for no limit.
    pub most_words: String,
    /// The length in percent of the source's; empty for none.
    pub target_percent: String,
    /// The use of the texts: `references` or `outputs`; empty for `references`.
    pub becomes: String,
    /// The system whose outputs they become.
    pub system: String,
}

/// Sets the steps in which annotators judge a source. Existing answers do not change.
///
/// # Errors
/// [`Refusal::NotAllowed`] unless the person leads the study; [`Refusal::Invalid`] where the steps make no
/// valid protocol.
#[server(endpoint = "set-protocol")]
pub async fn set_protocol(
    slug: String,
    /// Whether annotators put outputs in categories; empty for no.
    #[server(default)]
    categorise: String,
    /// Whether annotators `check` the automatic edits or `mark` spans; empty for neither.
    #[server(default)]
    edits: String,
    /// When marking spans: the template whose types and levels to use; empty for the study's own.
    #[server(default)]
    taxonomy: String,
    /// When marking spans: whether outputs begin with the computer's marks; empty for no.
    #[server(default)]
    prefills: String,
    /// The way of judging: `rank`, `rate` or `compare`, or `ask` where annotators only answer questions or write.
    rating: String,
    /// The way through the steps of Rank & Rate: `steps` or `merged`.
    layout: String,
    /// When rating without an order: the number of outputs shown, `all` or `one`.
    outputs: String,
    /// When comparing: the number of outputs at a time.
    #[server(default)]
    together: String,
    /// When comparing two outputs: whether annotators may say that neither is better; empty for no.
    #[server(default)]
    allows_ties: String,
    /// When comparing: the number of comparisons for each output; empty for all pairs.
    #[server(default)]
    times: String,
    /// When comparing two outputs: whether the least certain pairs are asked; empty for no.
    #[server(default)]
    is_adaptive: String,
    /// When only rating or comparing: whether the source is hidden; empty for no.
    #[server(default)]
    hides_source: String,
    /// When rating without an order, or comparing: whether a reference is shown; empty for no.
    #[server(default)]
    shows_reference: String,
    /// Whether annotators answer questions; empty for no.
    #[server(default)]
    asks: String,
    /// The settings for writing a simplification.
    #[server(default)]
    writing: WritingFields,
    /// Whether annotators may say that they cannot judge an output; empty for no.
    #[server(default)]
    accepts_unjudged: String,
    /// Whether annotators may agree on a consensus; empty for no.
    #[server(default)]
    annotators_agree: String,
) -> Result<(), Refusal> {
    let access = lead_access(&slug).await?;

    let number = |text: &str, noun: &str| {
        let refusal = || {
            Refusal::invalid(format!(
                "Nothing was saved: enter a whole number {noun}, not “{text}”."
            ))
        };
        text.trim().parse().map_err(|_| refusal())
    };

    let (hides_source, shows_reference) = (!hides_source.is_empty(), !shows_reference.is_empty());
    let judging = match rating.as_str() {
        "ask" => None,
        "rank" => Some(ProtocolStep::RankAndRate),
        "rate" => Some(ProtocolStep::Rate(RateStep {
            outputs: parse::choice(&outputs)?,
            hides_source,
            shows_reference,
        })),
        "compare" => Some(ProtocolStep::Compare(CompareStep {
            together: number(&together, "of outputs")?,
            allows_ties: !allows_ties.is_empty(),
            times: match times.trim() {
                "" => None,
                times => Some(number(times, "of comparisons")?),
            },
            is_adaptive: !is_adaptive.is_empty(),
            hides_source,
            shows_reference,
        })),
        _ => return Err(Refusal::invalid("Choose how annotators judge outputs.")),
    };

    let edits = match edits.as_str() {
        "" => None,
        "check" => Some(ProtocolStep::CheckEdits),
        "mark" => {
            let current = access.study.settings.protocol.mark_spans_step().cloned();
            let step = match taxonomy.as_str() {
                "" => current,
                name => {
                    let template: StudyTemplate = parse::choice(name)?;
                    template.settings().protocol.mark_spans_step().cloned()
                }
            };
            let refusal = || Refusal::invalid("Choose the types of spans to begin with.");
            Some(ProtocolStep::MarkSpans(MarkSpansStep {
                prefills: !prefills.is_empty(),
                ..step.ok_or_else(refusal)?
            }))
        }
        _ => return Err(Refusal::invalid("Choose what annotators do with edits.")),
    };

    let categorise = (!categorise.is_empty()).then_some(ProtocolStep::Categorise);
    // A new step begins with the template's questions; they are changed on a page of their own.
    let writes = !writing.on.is_empty();
    let answering = (!asks.is_empty() || (judging.is_none() && !writes)).then(|| {
        let current = access.study.settings.protocol.answer_step().cloned();
        let template = || StudyTemplate::Questions.settings().protocol;
        let step = current.or_else(|| template().answer_step().cloned());
        ProtocolStep::Answer(step.unwrap_or_default())
    });
    let writing = match writes {
        true => Some(ProtocolStep::Write(step_fields::write_step(&writing)?)),
        false => None,
    };

    let steps = [categorise, edits, judging, answering, writing]
        .into_iter()
        .flatten()
        .collect();
    let bad = |bad| Refusal::invalid(format!("Nothing was saved: {bad}."));
    let settings = StudySettings {
        protocol: StudyProtocol::new(steps).map_err(bad)?,
        layout: parse::choice(&layout)?,
        accepts_unjudged: !accepts_unjudged.is_empty(),
        annotators_agree: !annotators_agree.is_empty(),
        ..access.study.settings.clone()
    };

    store_settings(access.study.id, &settings).await?;
    let message = "The protocol has been saved.";
    redirect_with(StudyPage::ProtocolSettings, &slug, message)
}
