//! Reading comprehension: set up by leads, answered by participants without an account. The secret in the
//! cookie `reader` authorises a participant's requests.

mod add_question;
mod begin_reading;
mod bring_in_reading;
mod erase_participant;
mod erase_reader;
mod exclude_reader;
mod finish_session;
mod finish_text;
mod include_reader;
mod save_reading;
mod set_comprehension;
mod set_passage_purpose;
mod set_question;
mod take_sources;
mod withdraw_reader;

pub use add_question::{AddQuestion, add_question};
pub use begin_reading::{BeginReading, begin_reading};
pub use bring_in_reading::{BringInReading, bring_in_reading};
pub use erase_participant::{EraseParticipant, erase_participant};
pub use erase_reader::{EraseReader, erase_reader};
pub use exclude_reader::{ExcludeReader, exclude_reader};
pub use finish_session::{FinishSession, finish_session};
pub use finish_text::{AnswerField, FinishText, finish_text};
pub use include_reader::{IncludeReader, include_reader};
pub use save_reading::{ComprehensionBatch, SaveReading, save_reading};
pub use set_comprehension::{DesignFields, SessionFields, SetComprehension, set_comprehension};
pub use set_passage_purpose::{SetPassagePurpose, set_passage_purpose};
pub use set_question::{QuestionFields, SetQuestion, set_question};
pub use take_sources::{TakeSources, take_sources};
pub use withdraw_reader::{WithdrawReader, withdraw_reader};

#[cfg(feature = "ssr")]
pub use server_side::{READER, reader};
#[cfg(feature = "ssr")]
use server_side::{
    parse_question, redirect_to_comprehension, redirect_to_crowd, redirect_to_passage,
};

#[cfg(feature = "ssr")]
mod server_side {
    use domain::{comprehension::Question, ids::PassageId};

    use super::QuestionFields;
    use crate::{
        cookies,
        error::Refusal,
        links::StudyPage,
        request::{parse, see_other_with},
    };
    use service::{accounts::SecretToken, wording::sentence};

    /// The name of the cookie that holds a participant's session.
    pub const READER: &str = "reader";

    /// The hash under which a participant's session is stored.
    ///
    /// # Errors
    /// [`Refusal::Invalid`] where the browser has no session.
    pub fn reader() -> Result<String, Refusal> {
        let secret = cookies::read(READER).filter(|secret| !secret.is_empty());

        let unknown = "This browser has no session. Open your link again.";
        Ok(SecretToken::from_text(&secret.ok_or_else(|| Refusal::invalid(unknown))?).hash())
    }

    /// Parses a question from its form fields.
    pub(super) fn parse_question(of: &QuestionFields) -> Result<Question, Refusal> {
        let text = parse::line(&of.text, "The question", 1_000)?;

        let mut answers = Vec::new();
        for answer in [&of.a, &of.b, &of.c, &of.d] {
            answers.push(parse::optional_line(answer, "An answer", 1_000)?);
        }

        let question = Question::new(&text, &answers);
        question.map_err(|error| Refusal::Invalid(sentence(&error.to_string())))
    }

    /// Redirects to a passage, which then shows `message`.
    pub(super) fn redirect_to_passage(slug: &str, passage: PassageId, message: &str) {
        see_other_with(&StudyPage::ReadingPassage(passage).path(slug), message);
    }

    /// Redirects to the lead's page of crowd raters, which then shows `message`.
    pub(super) fn redirect_to_crowd(slug: &str, message: &str) {
        see_other_with(&StudyPage::Crowd.path(slug), message);
    }

    /// Redirects to the lead's page, which then shows `message`.
    pub(super) fn redirect_to_comprehension(slug: &str, message: &str) {
        see_other_with(&StudyPage::Reading.path(slug), message);
    }
}
