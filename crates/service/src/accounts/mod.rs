//! Passwords, and the secret tokens in cookies and one-time links.

pub mod attempts;
pub mod password;
mod token;

pub use token::{SecretToken, digest};
