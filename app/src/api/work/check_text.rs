//! The figures of a text while it is written.

use domain::{edit::Edit, ids::AssignmentId};
use leptos::prelude::*;
use serde::{Deserialize, Serialize};

use crate::{error::Refusal, json::Json};

/// The figures of a text that need the server, and the marks that show how it differs from its source.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct TextCheck {
    /// The grade level; empty for a text without words.
    pub grade: String,
    /// The rarity of its words relative to the source's; empty where undefined, or where the server has no
    /// word list.
    pub word_rank: String,
    /// The edits between the source and the text; empty for very long texts.
    pub edits: Vec<Edit>,
}

/// Computes the figures of a text that an annotator is writing for an assignment, and stores nothing.
///
/// # Errors
/// [`Refusal::Invalid`] for a text that could not be stored; [`Refusal::NotFound`] unless the assignment is
/// the person's own and its protocol has a writing step. Everybody may use a preview's assignment, which has
/// the nil id.
#[server(endpoint = "work/check-text/v1", input = Json, output = Json)]
pub async fn check_text(assignment: AssignmentId, text: String) -> Result<TextCheck, Refusal> {
    use domain::{
        edit::shown_edits,
        text::{align::align, edits::derive_edits, tokenised_text::TokenisedText},
        writing::WriteStep,
    };
    use service::{
        templates::SAMPLE_SOURCE,
        wording::{decimal, sentence},
        written_texts::TextFigures,
    };
    use tokio::task::spawn_blocking;

    use super::next::load_task;
    use crate::{request::signed_in_rater, services};

    /// The most bytes of both texts together for which differences are marked.
    const MOST_MARKED_BYTES: usize = 20_000;

    let person = signed_in_rater().await?;
    WriteStep::check_text(&text).map_err(|fault| Refusal::Invalid(sentence(&fault.to_string())))?;

    let source = match assignment.0.is_nil() {
        true => SAMPLE_SOURCE.to_owned(),
        false => {
            let task = load_task(person.id, assignment).await?;
            if task.protocol.write_step().is_none() {
                return Err(Refusal::NotFound);
            }
            task.source
        }
    };

    let ranks = services().word_ranks;
    let check = move || {
        let figures = TextFigures::new(&source, &text, &ranks);
        let is_marked = !text.trim().is_empty() && source.len() + text.len() <= MOST_MARKED_BYTES;

        let edits = is_marked.then(|| {
            let words = (TokenisedText::new(&source), TokenisedText::new(&text));
            let edits = derive_edits(&words.0, &words.1, &align(&words.0, &words.1));
            shown_edits(edits, &source, &text)
        });

        let format = |figure: Option<f64>, decimals| {
            figure.map_or_else(String::new, |figure| decimal(figure, decimals))
        };

        TextCheck {
            grade: format(figures.own.fkgl, 1),
            word_rank: format(figures.word_rank, 2),
            edits: edits.unwrap_or_default(),
        }
    };

    Ok(spawn_blocking(check)
        .await
        .expect("computing figures does not panic and is not cancelled"))
}
