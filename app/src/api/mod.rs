//! Server functions, one per file: authorise, parse, call, answer.
//!
//! Each begins with `signed_in`, `admin` or `access`, which refuse people who lack the right. Each names its
//! endpoint (`#[server(endpoint = "…")]`, posted to `/api/…`), returns `Result<_, Refusal>` and works for a
//! plain form as well as for a script. Arguments are plain text and numbers, parsed in the body, so that a
//! bad one is answered with a sentence. A server function that changes something and belongs to a form ends
//! with [`crate::request::see_other`].

mod add_person;
mod aligner;
mod annotator;
mod become_admin;
mod change_password;
mod comprehension;
mod confirm_password;
mod consensus;
mod crowd;
mod discuss;
mod end_other_sessions;
mod end_session;
mod erase_account;
mod erase_person;
mod experiments;
mod final_values;
mod imports;
mod join;
mod log_in;
mod log_out;
mod make_token;
mod members;
mod metrics;
mod password_link;
mod register;
mod revoke_token;
mod set_admin;
mod set_disabled;
mod set_own_overlap;
mod set_password;
mod set_theme;
mod set_visibility;
mod study_settings;
mod training;
mod webhooks;
mod withdraw_question;
pub mod work;

pub use add_person::{AddPerson, add_person};
pub use aligner::*;
pub use annotator::*;
pub use become_admin::{BecomeAdmin, become_admin};
pub use change_password::{ChangePassword, change_password};
pub use comprehension::*;
pub use confirm_password::{ConfirmPassword, confirm_password};
pub use consensus::*;
pub use crowd::*;
pub use discuss::{Discuss, discuss};
pub use end_other_sessions::{EndOtherSessions, end_other_sessions};
pub use end_session::{EndSession, end_session};
pub use erase_account::{EraseAccount, erase_account};
pub use erase_person::{ErasePerson, erase_person};
pub use experiments::*;
pub use final_values::*;
pub use imports::*;
pub use join::{Join, join};
pub use log_in::{LogIn, log_in};
pub use log_out::{LogOut, log_out};
pub use make_token::{MakeToken, TokenStudyField, make_token};
pub use members::*;
pub use metrics::*;
pub use password_link::{MakePasswordLink, make_password_link};
pub use register::{Register, register};
pub use revoke_token::{RevokeToken, revoke_token};
pub use set_admin::{SetAdmin, set_admin};
pub use set_disabled::{SetDisabled, set_disabled};
pub use set_own_overlap::{SetOwnOverlap, set_own_overlap};
pub use set_password::{SetPassword, set_password};
pub use set_theme::{SetTheme, set_theme};
pub use set_visibility::{SetVisibility, set_visibility};
pub use study_settings::*;
pub use training::*;
pub use webhooks::*;
pub use withdraw_question::{WithdrawQuestion, withdraw_question};
