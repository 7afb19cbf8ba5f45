//! Reading comprehension as leads set it up: its design, passages and questions.

use leptos::prelude::*;
use serde::{Deserialize, Serialize};

use crate::{
    api::{ImportColumnField, InputOptionFields},
    error::Refusal,
};

#[cfg(feature = "ssr")]
use {
    crate::api::imports::parse_input_options,
    crate::api::ssr::*,
    domain::comprehension::{
        ComprehensionDesign, ComprehensionSettings, ConditionSpread, MaterialError, PassagePurpose,
        Question, ScreeningQuestion, TieBreak,
    },
    formats::comprehension::ComprehensionMapping,
    service::comprehension::{
        ComprehensionImportError, ComprehensionUpload, passages_from_sources,
    },
};

/// The reading design as form fields.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct DesignFields {
    /// Participants for each passage in each condition.
    pub readers: String,
    /// Passages that get twice as many.
    pub doubly: String,
    /// Texts for each participant.
    pub texts: String,
    /// `between` or `within` participants.
    pub spread: String,
    /// `latin-square` or `random`.
    pub ties: String,
    /// Hours after which an inactive participant loses their place.
    pub lease_hours: String,
}

/// The course of a session as form fields.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct SessionFields {
    /// Present where the text is hidden while the questions are shown.
    pub hides_text: Option<String>,
    /// Present where participants may go back.
    pub goes_back: Option<String>,
    /// Present where participants need the platform's ID in their link.
    pub needs_platform_id: Option<String>,
    /// The participants' information sheet, as Markdown.
    pub information: String,
    /// The participants' instructions, as Markdown.
    pub instructions: String,
    /// The explanation of *unanswerable*.
    pub unanswerable: String,
    /// Screening questions, one a line, with the answers after bars.
    pub screening: String,
    /// The completion code shown at the end.
    pub completion_code: String,
    /// The code for readers who are screened out.
    pub screened_out_code: String,
    /// The return link shown at the end.
    pub return_link: String,
}

/// Saves how passages are read, and adds reading comprehension to a study that had none.
///
/// # Errors
/// [`Refusal::NotAllowed`] unless the person leads the study; [`Refusal::Invalid`] for invalid fields.
#[server(endpoint = "set-comprehension")]
pub async fn set_comprehension(
    slug: String,
    /// The reading design.
    design: DesignFields,
    /// The settings of a session.
    #[server(default)]
    session: SessionFields,
) -> Result<(), Refusal> {
    let access = lead_access(&slug).await?;

    let spread = match design.spread.as_str() {
        "between" => ConditionSpread::Between,
        "within" => ConditionSpread::Within,
        _ => {
            return Err(Refusal::invalid(
                "Choose whether each participant reads one condition or several.",
            ));
        }
    };
    let ties = match design.ties.as_str() {
        "latin-square" => TieBreak::LatinSquare,
        "random" => TieBreak::Random,
        _ => return Err(Refusal::invalid("Choose a Latin square or random order.")),
    };

    let return_link = parse::optional_line(&session.return_link, "The link at the end", 2_000)?;
    if !return_link.is_empty() && !return_link.starts_with("https://") {
        return Err(Refusal::invalid(
            "The link at the end must start with https://.",
        ));
    }

    let screening = ScreeningQuestion::parse_all(&session.screening);
    let screening =
        screening.map_err(|bad| Refusal::invalid(format!("Screening questions, {bad}.")))?;

    let settings = ComprehensionSettings {
        design: ComprehensionDesign {
            readers: parse::integer(&design.readers, "The number of participants", 1..=1_000)?,
            doubly: parse::integer(&design.doubly, "The number of passages", 0..=10_000)?,
            texts: parse::integer(&design.texts, "The number of texts", 1..=100)?,
            spread,
            ties,
        },
        hides_text: session.hides_text.is_some(),
        goes_back: session.goes_back.is_some(),
        information: parse::text(&session.information, "The information sheet")?,
        instructions: parse::text(&session.instructions, "The instructions")?,
        unanswerable: parse::line(
            &session.unanswerable.replace(['\r', '\n'], " "),
            "The meaning of “unanswerable”",
            500,
        )?,
        screening,
        completion_code: parse::optional_line(
            &session.completion_code,
            "The completion code",
            100,
        )?,
        screened_out_code: parse::optional_line(
            &session.screened_out_code,
            "The code for readers who are screened out",
            100,
        )?,
        return_link,
        lease_hours: parse::integer(&design.lease_hours, "The number of hours", 1..=8_760)?,
        needs_platform_id: session.needs_platform_id.is_some(),
    };

    let (store, now) = store_and_now();
    let set = store
        .set_comprehension_settings(access.study.id, &settings, now)
        .await;
    set.map_err(refuse)?;

    redirect_with(StudyPage::Reading, &slug, "The set-up has been saved.")
}

/// Imports an uploaded file, all of it or none; existing material does not change.
///
/// # Errors
/// [`Refusal::NotAllowed`] unless the person leads the study; [`Refusal::Invalid`] where the file cannot be
/// read with these options or does not fit the study.
#[server(endpoint = "bring-in-reading")]
pub async fn bring_in_reading(
    slug: String,
    upload: String,
    /// The meaning of each column, where the file is read by columns.
    #[server(default)]
    columns: Vec<ImportColumnField>,
    /// The stated encoding, separator and sheet.
    #[server(default)]
    input: InputOptionFields,
) -> Result<(), Refusal> {
    let access = lead_access(&slug).await?;

    let input = parse_input_options(&input)?;
    let (services, id) = (services(), parse::id(&upload)?);
    let (store, study) = (&services.store, access.study.id);

    let pairs = columns.iter().filter(|column| !column.field.is_empty());
    let pairs = pairs.map(|column| format!("{}={}", column.field, column.name));
    let mapping = ComprehensionMapping::parse(pairs.collect::<Vec<_>>());
    let mapping = mapping.map_err(|error| Refusal::Invalid(sentence(&error.to_string())))?;
    let mapping = match columns.is_empty() {
        true => mapping,
        false => mapping.without_defaults(),
    };

    let sent = ComprehensionUpload::find(store, study, id)
        .await
        .map_err(refuse)?;
    let sent = sent.ok_or(Refusal::NotFound)?;

    let file = AuditSubject::Named(sent.name.clone());
    let audited = audited(AuditKind::ImportBegun, Some(study), file);
    let message = sent
        .bring_in(&audited, study, input, mapping, services.context)
        .await;
    let message = message.map_err(|error| match error {
        ComprehensionImportError::Invalid(sentence) => Refusal::Invalid(sentence),
        ComprehensionImportError::Store(error) => refuse(error),
    })?;

    store.delete_upload(id).await.map_err(refuse)?;
    redirect_with(StudyPage::Reading, &slug, &message)
}

/// Makes passages from the study's own sources, references and outputs. Existing passages do not change, so
/// this can be repeated after outputs were added.
///
/// # Errors
/// [`Refusal::NotAllowed`] unless the person leads the study; [`Refusal::Invalid`] where it has no
/// sources, or a passage of the same name has another text.
#[server(endpoint = "take-sources")]
pub async fn take_sources(slug: String) -> Result<(), Refusal> {
    let access = lead_access(&slug).await?;

    let (services, study) = (services(), access.study.id);
    let passages = passages_from_sources(&services.store, study)
        .await
        .map_err(refuse)?;

    let bad = |error: MaterialError| {
        let named = "A source or system has a name that cannot be used:";
        Refusal::Invalid(sentence(&format!("{named} {error}")))
    };
    let passages = passages.map_err(bad)?;
    if passages.is_empty() {
        return Err(Refusal::invalid(
            "This study has no sources. Import some first.",
        ));
    }

    let now = services.context.now_ms();
    let added = services
        .store
        .import_comprehension(study, &passages, &[], services.context.ids, now)
        .await
        .map_err(refuse)?;

    let message = format!(
        "Passages added: {}; texts added: {}. Next, write their questions.",
        added.passages, added.texts
    );
    redirect_with(StudyPage::Reading, &slug, message)
}

/// Sets the purpose of a passage that no participant has been given yet.
///
/// # Errors
/// [`Refusal::NotAllowed`] unless the person leads the study; [`Refusal::Invalid`] for an unknown
/// purpose, or where a participant has been given the passage.
#[server(endpoint = "set-passage-purpose")]
pub async fn set_passage_purpose(
    slug: String,
    passage: String,
    /// `main`, `practice` or `check`.
    purpose: String,
) -> Result<(), Refusal> {
    let access = lead_access(&slug).await?;

    let id = parse::id(&passage)?;
    let unknown = |_| Refusal::invalid("Choose what the passage is for.");
    let purpose: PassagePurpose = purpose.parse().map_err(unknown)?;

    let (store, now) = store_and_now();
    let set = store
        .set_passage_purpose(access.study.id, id, purpose, now)
        .await;
    require_found(set.map_err(refuse)?)?;

    redirect_with(
        StudyPage::ReadingPassage(id),
        &slug,
        "The purpose of the passage has been saved.",
    )
}

/// Adds a question to a passage that no participant has been given yet.
///
/// # Errors
/// [`Refusal::NotAllowed`] unless the person leads the study; [`Refusal::Invalid`] for an invalid
/// question, or where a participant has been given the passage.
#[server(endpoint = "add-question")]
pub async fn add_question(
    slug: String,
    passage: String,
    /// The question and its answers.
    question: QuestionFields,
) -> Result<(), Refusal> {
    let access = lead_access(&slug).await?;

    let (services, id) = (services(), parse::id(&passage)?);
    let question = parse_question(&question)?;

    let (now, new) = (services.context.now_ms(), services.context.new_id());
    let added = services
        .store
        .add_question(access.study.id, id, new, &question, now)
        .await;
    require_found(added.map_err(refuse)?)?;

    redirect_with(
        StudyPage::ReadingPassage(id),
        &slug,
        "The question has been added.",
    )
}

/// The words of a question, as form fields.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct QuestionFields {
    /// The question itself.
    pub text: String,
    /// The right answer.
    pub a: String,
    /// The answer that misreads the critical span.
    pub b: String,
    /// The answer that rests on another part of the text.
    pub c: String,
    /// The unsupported answer.
    pub d: String,
}

/// Changes the wording of a question and its four answers, unless a participant has been asked it.
///
/// # Errors
/// [`Refusal::NotAllowed`] unless the person leads the study; [`Refusal::Invalid`] for an invalid question,
/// or one that a participant was given or that another lead has changed meanwhile.
#[server(endpoint = "set-question")]
pub async fn set_question(
    slug: String,
    id: String,
    /// The question that the page showed, as JSON.
    was: String,
    /// The new wording.
    question: QuestionFields,
) -> Result<(), Refusal> {
    let access = lead_access(&slug).await?;

    let id = parse::id(&id)?;
    let was = serde_json::from_str(&was)
        .map_err(|_| Refusal::invalid("This page is out of date. Reload it and try again."))?;
    let question = parse_question(&question)?;

    let (store, now) = store_and_now();
    let set = store.set_question(access.study.id, id, &was, &question, now);
    let passage = set.await.map_err(refuse)?.ok_or(Refusal::NotFound)?;

    redirect_with(
        StudyPage::ReadingPassage(passage),
        &slug,
        "The question has been saved.",
    )
}

/// Parses a question from its form fields.
#[cfg(feature = "ssr")]
fn parse_question(of: &QuestionFields) -> Result<Question, Refusal> {
    let text = parse::line(&of.text, "The question", 1_000)?;

    let mut answers = Vec::new();
    for answer in [&of.a, &of.b, &of.c, &of.d] {
        answers.push(parse::optional_line(answer, "An answer", 1_000)?);
    }

    let question = Question::new(&text, &answers);
    question.map_err(|error| Refusal::Invalid(sentence(&error.to_string())))
}
