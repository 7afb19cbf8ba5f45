//! What a lead sets for reading comprehension.

#![allow(clippy::too_many_arguments, reason = "one for each field of the form")]

use leptos::prelude::*;

use crate::error::Refusal;

/// Sets how passages are read, and makes the study one of reading comprehension where it was none.
///
/// # Errors
/// [`Refusal::NotAllowed`] unless the person leads the study; [`Refusal::Invalid`] for what cannot be.
#[server(endpoint = "set-comprehension")]
pub async fn set_comprehension(
    /// The study's short name.
    slug: String,
    /// Participants for each passage in each condition.
    readers: String,
    /// Passages that get twice as many.
    doubly: String,
    /// Texts for each participant.
    texts: String,
    /// `between` or `within` participants.
    spread: String,
    /// `latin-square` or `random`.
    ties: String,
    /// There where the text goes when the questions come.
    #[server(default)]
    hides_text: String,
    /// There where participants may go back.
    #[server(default)]
    goes_back: String,
    /// What participants are told, as Markdown.
    #[server(default)]
    instructions: String,
    /// What *unanswerable* means.
    #[server(default)]
    unanswerable: String,
    /// A screening question a line, with its answers after bars.
    #[server(default)]
    screening: String,
    /// The code at the end.
    #[server(default)]
    completion_code: String,
    /// The link at the end.
    #[server(default)]
    return_link: String,
    /// How long somebody who does nothing keeps a place, in hours.
    lease_hours: String,
) -> Result<(), Refusal> {
    use domain::comprehension::{Design, Screening, Settings, Spread, Ties};

    use super::to_reading;
    use crate::api::{access, parse, refuse, services};

    let access = access(&slug).await?;
    access.leads()?;
    let spread = match spread.as_str() {
        "between" => Spread::Between,
        "within" => Spread::Within,
        _ => {
            return Err(Refusal::invalid(
                "Choose one condition a participant, or several.",
            ));
        }
    };
    let ties = match ties.as_str() {
        "latin-square" => Ties::LatinSquare,
        "random" => Ties::Random,
        _ => return Err(Refusal::invalid("Choose a Latin square, or random order.")),
    };
    let return_link = parse::optional_line(&return_link, "The link at the end", 2_000)?;
    if !return_link.is_empty() && !return_link.starts_with("https://") {
        return Err(Refusal::invalid(
            "The link at the end must begin with https://.",
        ));
    }
    let mut questions = Vec::new();
    for line in screening.lines().filter(|line| !line.trim().is_empty()) {
        let mut parts = line.split('|').map(str::trim);
        let question = parse::line(
            parts.next().unwrap_or_default(),
            "A screening question",
            300,
        )?;
        let answers = parts
            .filter(|answer| !answer.is_empty())
            .map(str::to_owned)
            .collect();
        questions.push(Screening { question, answers });
    }
    let settings = Settings {
        design: Design {
            readers: parse::whole(&readers, "The number of participants", 1..=1_000)?,
            doubly: parse::whole(&doubly, "The number of passages", 0..=10_000)?,
            texts: parse::whole(&texts, "The number of texts", 1..=100)?,
            spread,
            ties,
        },
        hides_text: !hides_text.is_empty(),
        goes_back: !goes_back.is_empty(),
        instructions: parse::text(&instructions, "The instructions")?,
        unanswerable: parse::line(&unanswerable, "The meaning of “unanswerable”", 500)?,
        screening: questions,
        completion_code: parse::optional_line(&completion_code, "The completion code", 100)?,
        return_link,
        lease_hours: parse::whole(&lease_hours, "The number of hours", 1..=8_760)?,
    };
    let services = services();
    let now = (services.now_ms)();
    let set = services
        .store
        .set_comprehension(access.study.id, &settings, now)
        .await;
    set.map_err(refuse)?;
    to_reading(&slug, "The set-up is saved.");
    Ok(())
}
