//! Passwords and the secrets that cookies and one-time links carry.

pub mod attempts;
pub mod password;
mod token;

pub use token::{SecretToken, digest};
