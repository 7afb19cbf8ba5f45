//! The frame of every page: the document, the header, and refusals in place of a page.

mod flash_message;
mod live;
mod not_found;
mod page;
mod page_title;
mod participant_frame;
pub mod policy;
mod refusal;
mod scripts;
mod signed_in_page;
mod study_page;
mod tabs;

pub use flash_message::flash_message;
pub use live::LiveSign;
pub use not_found::NotFound;
pub use page::Page;
pub use page_title::PageTitle;
pub use participant_frame::ParticipantFrame;
pub use refusal::{confirm_address, expired_link_page, redirect_to, refusal_page, sign_in_address};
pub use scripts::{Commands, KeepPage, KeepStorage, KeepUnsaved, RememberRows};
pub use signed_in_page::{allow_anyone, require_admin, signed_in_page};
pub use study_page::study_page;
pub use tabs::StudyTab;
