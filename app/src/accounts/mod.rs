//! Who is at the other end: passwords, tokens, sessions, and how often one may guess.
//!
//! Pages and server functions ask [`crate::api::signed_in`] and [`crate::api::access`]; what is
//! here stands behind them and behind the command line.

pub mod attempts;
pub mod password;
pub mod sessions;
mod token;
mod visitor;

pub use token::SecretToken;
pub use visitor::{Visitor, VisitorSession};
