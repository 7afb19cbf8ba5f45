//! The set-up of reading comprehension.

use leptos::prelude::*;
use serde::{Deserialize, Serialize};

use crate::error::Refusal;

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
    use domain::comprehension::{
        ComprehensionDesign, ComprehensionSettings, ConditionSpread, ScreeningQuestion, TieBreak,
    };

    use super::redirect_to_comprehension;
    use crate::{
        request::{lead_access, parse, refuse},
        services,
    };

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

    let services = services();
    let now = services.context.now_ms();
    let set = services
        .store
        .set_comprehension_settings(access.study.id, &settings, now)
        .await;
    set.map_err(refuse)?;

    redirect_to_comprehension(&slug, "The set-up has been saved.");
    Ok(())
}
