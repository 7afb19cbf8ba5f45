//! Reading comprehension: set up by leads, answered by participants, who have no account. What a
//! participant calls begins with `reader`: the secret in their cookie is their leave.

mod begin_reading;
mod exclude_reader;
mod finish_session;
mod finish_text;
mod include_reader;
mod make_reading_link;
mod revoke_reading_link;
mod save_reading;
mod set_comprehension;
mod withdraw_reader;

pub use begin_reading::{BeginReading, begin_reading};
pub use exclude_reader::{ExcludeReader, exclude_reader};
pub use finish_session::{FinishSession, finish_session};
pub use finish_text::{AnswerField, FinishText, finish_text};
pub use include_reader::{IncludeReader, include_reader};
pub use make_reading_link::{MakeReadingLink, make_reading_link};
pub use revoke_reading_link::{RevokeReadingLink, revoke_reading_link};
pub use save_reading::{ReadingBatch, SaveReading, save_reading};
pub use set_comprehension::{DesignFields, SessionFields, SetComprehension, set_comprehension};
pub use withdraw_reader::{WithdrawReader, withdraw_reader};

#[cfg(feature = "ssr")]
use server_side::to_reading;
#[cfg(feature = "ssr")]
pub use server_side::{READER, reader};

#[cfg(feature = "ssr")]
mod server_side {
    use crate::{
        accounts::Token,
        api::see_other,
        cookies,
        error::Refusal,
        layout::flash::{self, Flash},
    };

    /// The cookie that is a participant's session.
    pub const READER: &str = "reader";

    /// What a participant's session is stored under.
    ///
    /// # Errors
    /// [`Refusal::Invalid`] where the browser has no session.
    pub fn reader() -> Result<String, Refusal> {
        let secret = cookies::read(READER).filter(|secret| !secret.is_empty());
        let unknown = "This browser has no session here: follow your link again.";
        Ok(Token::sent(&secret.ok_or_else(|| Refusal::invalid(unknown))?).hash())
    }

    /// Goes back to the lead's page, which then says what was done.
    pub(super) fn to_reading(slug: &str, said: &str) {
        flash::leave(&Flash::Done(said.to_owned()));
        see_other(&format!("/s/{slug}/reading"));
    }
}
