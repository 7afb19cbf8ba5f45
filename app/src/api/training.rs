//! Sources that train and test annotators, set up by the lead.

use leptos::prelude::*;
use serde::{Deserialize, Serialize};

use crate::error::Refusal;

#[cfg(feature = "ssr")]
use {
    super::ssr::*,
    domain::{
        ids::SourceId,
        protocol::StudyProtocol,
        questions::{QuestionAbout, QuestionKind, QuestionOptions},
        score::RatingScale,
        span_marks::{
            SpanMark,
            mark_lines::{read_mark_lines, write_mark_lines},
        },
        study::SourcePurpose,
        work::task::ExpectedAnswer,
    },
};

/// Sets the purpose of a source: `main`, `tutorial`, `training`, `qualification` or `attention`.
///
/// # Errors
/// [`Refusal::NotAllowed`] unless the person leads the study; [`Refusal::Invalid`] where an annotator has the
/// source or has judged it.
#[server(endpoint = "set-purpose")]
pub async fn set_purpose(
    slug: String,
    /// The source's id, or its name in the files.
    source: String,
    purpose: String,
) -> Result<(), Refusal> {
    let access = lead_access(&slug).await?;
    let purpose: SourcePurpose = parse::choice(&purpose)?;

    let (services, study) = (services(), access.study.id);
    let sources = services.live.source_list(&services.store, study).await;
    let sources = sources.map_err(refuse)?;

    let id_or_key = source.trim();
    let named = sources
        .iter()
        .find(|entry| entry.id.to_string() == id_or_key || entry.key == id_or_key);
    let named = named.ok_or_else(|| {
        Refusal::invalid(format!(
            "This study has no source called “{id_or_key}”. Check the list of sources."
        ))
    })?;

    let now = services.context.now_ms();
    let source_exists = services
        .store
        .set_purpose(study, named.id, purpose, now)
        .await
        .map_err(refuse)?;
    require_found(source_exists)?;

    let message = match purpose {
        SourcePurpose::Main => format!("Source {} is now a normal source.", named.key),
        SourcePurpose::Attention => format!("Source {} is now an attention item.", named.key),
        purpose => format!("Source {} is now used for {purpose}.", named.key),
    };
    redirect_with(StudyPage::Training, &slug, message)
}

/// Moves a source by one among the training items of the same purpose.
///
/// # Errors
/// [`Refusal::NotAllowed`] unless the person leads the study; [`Refusal::Invalid`] where the source is
/// already at the end or does not belong to the study.
#[server(endpoint = "move-source")]
pub async fn move_source(
    slug: String,
    source: String,
    /// `up` or `down`.
    direction: String,
) -> Result<(), Refusal> {
    let access = lead_access(&slug).await?;

    let source: SourceId = parse::id(&source)?;
    let up = match direction.as_str() {
        "up" => true,
        "down" => false,
        _ => {
            return Err(Refusal::invalid(
                "Choose whether to move the source up or down.",
            ));
        }
    };

    let study = access.study.id;
    let (store, now) = store_and_now();
    let moved = store
        .move_source(study, source, up, now)
        .await
        .map_err(refuse)?;

    if !moved {
        return Err(Refusal::invalid(
            "The source was not moved: it is already at the end, or no longer in the list. Reload the page.",
        ));
    }

    redirect_to(StudyPage::Training, &slug)
}

/// The expected options of a question, as form fields; an empty key expects nothing.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct ExpectedChoiceFields {
    pub question: String,
    pub options: Vec<String>,
}

/// The expected answer to one output, as form fields; if all are empty, there is none.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct ExpectedAnswerFields {
    pub output: String,
    /// The expected answer that the page showed, as JSON: an output whose fields did not change is not
    /// written, so that two leads who fill in different outputs do not undo each other's work.
    pub was: String,
    /// The category; empty for none.
    pub category: String,
    /// The rating on the first dimension; empty for none.
    pub rating: String,
    /// The tolerance of the rating, in points; empty for 0.
    pub tolerance: String,
    /// The explanation for the annotator.
    pub explanation: String,
    /// The questions about the output.
    pub choices: Vec<ExpectedChoiceFields>,
    /// The marks, one per line, as [`read_mark_lines`] reads them.
    ///
    /// [`read_mark_lines`]: domain::span_marks::mark_lines::read_mark_lines
    pub marks: String,
}

/// Sets the expected answers to the outputs of a tutorial, training, qualification or attention source. If
/// one field is refused, nothing is saved.
///
/// # Errors
/// [`Refusal::NotAllowed`] unless the person leads the study; [`Refusal::Invalid`] for a rating off the
/// scale, an option that a question does not offer, or marks whose words are not in the texts. It names the
/// output and the field.
#[server(endpoint = "set-expected")]
pub async fn set_expected(
    slug: String,
    source: String,
    /// The outputs, by their number on the page.
    #[server(default)]
    outputs: Vec<ExpectedAnswerFields>,
    /// The questions about the source; their expected options are stored with its first output.
    #[server(default)]
    choices: Vec<ExpectedChoiceFields>,
) -> Result<(), Refusal> {
    fn answer(
        fields: &ExpectedAnswerFields,
        scale: RatingScale,
    ) -> Result<Option<ExpectedAnswer>, Refusal> {
        let is_filled = |text: &str| !text.trim().is_empty();

        let category = is_filled(&fields.category)
            .then(|| parse::choice(&fields.category))
            .transpose()?;
        let rating = is_filled(&fields.rating)
            .then(|| parse::integer(&fields.rating, "The rating", scale.low..=scale.high))
            .transpose()?;
        let tolerance = match fields.tolerance.trim() {
            "" => 0,
            text => parse::integer(text, "The tolerance (±)", 0..=scale.high - scale.low)?,
        };
        let explanation = parse::text(&fields.explanation, "The explanation")?;

        let none = category.is_none() && rating.is_none() && explanation.is_empty();
        Ok((!none).then_some(ExpectedAnswer {
            category,
            rating,
            tolerance,
            explanation,
            ..ExpectedAnswer::default()
        }))
    }

    /// Parses the expected options of questions about outputs, or about the source.
    fn choices_of(
        fields: &[ExpectedChoiceFields],
        protocol: &StudyProtocol,
        about: QuestionAbout,
    ) -> Result<Vec<QuestionOptions>, Refusal> {
        let mut choices = vec![];
        for ExpectedChoiceFields { question, options } in fields {
            let options = options.iter().filter(|option| !option.is_empty());
            let options: Vec<_> = options.cloned().collect();
            if options.is_empty() {
                continue;
            }

            let step = protocol.answer_step();
            let asked = step.and_then(|step| step.find(question));
            let asked = asked.filter(|asked| asked.about == about).ok_or_else(|| {
                Refusal::invalid(format!(
                    "The study asks no question “{question}” here: reload the page."
                ))
            })?;

            let offers = |key: &String| asked.options().iter().any(|option| option.key == *key);
            if let Some(other) = options.iter().find(|option| !offers(option)) {
                return Err(Refusal::invalid(format!(
                    "“{}” does not offer the answer “{other}”: reload the page.",
                    asked.text
                )));
            }

            if matches!(asked.kind, QuestionKind::One(_)) && options.len() > 1 {
                return Err(Refusal::invalid(format!(
                    "“{}” takes one answer: expect one, or none.",
                    asked.text
                )));
            }

            choices.push(QuestionOptions {
                question: question.clone(),
                options,
            });
        }
        Ok(choices)
    }

    /// Parses the marks, or returns those that the page showed if the lines did not change.
    fn marks_of(
        lines: &str,
        was: Option<&ExpectedAnswer>,
        protocol: &StudyProtocol,
        texts: (&str, &str),
    ) -> Result<Option<Vec<SpanMark>>, Refusal> {
        let was = was.and_then(|was| was.marks.clone());
        let Some(types) = protocol.marked_types() else {
            return Ok(was);
        };

        let shown = write_mark_lines(was.as_deref(), texts);
        if lines.lines().eq(shown.lines()) {
            return Ok(was);
        }
        read_mark_lines(lines, &types, texts, &[]).map_err(|bad| Refusal::invalid(bad.to_string()))
    }

    let access = lead_access(&slug).await?;
    let source: SourceId = parse::id(&source)?;

    let (services, study) = (services(), access.study.id);
    let store = &services.store;
    let entry = store.source(study, source).await.map_err(refuse)?;
    let entry = entry.ok_or(Refusal::NotFound)?;
    if entry.purpose == SourcePurpose::Main {
        return Err(Refusal::invalid(
            "Only training and attention items have expected answers. Make this source one of them first.",
        ));
    }

    let stored = store.source_outputs(source).await.map_err(refuse)?;
    let scale = access
        .study
        .settings
        .dimensions
        .first()
        .map(|dimension| dimension.scale)
        .unwrap_or_default();

    let protocol = &access.study.settings.protocol;
    let about_source =
        choices_of(&choices, protocol, QuestionAbout::Source).map_err(|refusal| match refusal {
            Refusal::Invalid(sentence) => Refusal::Invalid(format!(
                "Questions about the source: {sentence} Nothing has been saved."
            )),
            refusal => refusal,
        })?;

    let mut changed = Vec::new();
    for (number, fields) in (1..).zip(&outputs) {
        let output = parse::id(&fields.output)?;
        let Some(stored_output) = stored.iter().find(|candidate| candidate.id == output) else {
            return Err(Refusal::NotFound);
        };

        let was: Option<ExpectedAnswer> = serde_json::from_str(&fields.was).unwrap_or_default();
        let parse_fields = || {
            let mut expected = answer(fields, scale)?;
            let mut own = choices_of(&fields.choices, protocol, QuestionAbout::Output)?;
            if number == 1 {
                own.splice(0..0, about_source.clone());
            }

            // Options of questions that the form has no fields for are kept.
            let has_fields = |key: &str| {
                let asked = protocol.answer_step().and_then(|step| step.find(key));
                asked.is_some_and(|asked| !asked.options().is_empty())
            };
            let unasked = was.iter().flat_map(|was| &was.choices);
            own.extend(
                unasked
                    .filter(|choice| !has_fields(&choice.question))
                    .cloned(),
            );
            if !own.is_empty() {
                expected.get_or_insert_default().choices = own;
            }

            let texts = (entry.text.as_str(), stored_output.text.as_str());
            if let Some(marks) = marks_of(&fields.marks, was.as_ref(), protocol, texts)? {
                expected.get_or_insert_default().marks = Some(marks);
            }
            Ok(expected)
        };

        let expected = parse_fields().map_err(|refusal| match refusal {
            Refusal::Invalid(sentence) => Refusal::Invalid(format!(
                "Output {number} ({}): {sentence} Nothing has been saved.",
                stored_output.system
            )),
            refusal => refusal,
        })?;

        if expected != was || fields.was.is_empty() {
            changed.push((output, expected));
        }
    }

    let now = services.context.now_ms();
    store
        .set_expected(study, &changed, now)
        .await
        .map_err(refuse)?;

    let message = match changed.len() {
        0 => "Nothing changed.".to_owned(),
        1 => "One expected answer has been saved.".to_owned(),
        many => format!("{many} expected answers have been saved."),
    };
    redirect_with(StudyPage::ExpectedAnswers(source), &slug, message)
}
