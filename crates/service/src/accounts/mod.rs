//! Passwords, and the secret tokens in cookies and one-time links.

pub mod attempts;
mod network;
pub mod password;
mod token;

pub use network::{network, network_hash};
pub use token::{API_PREFIX, SecretToken, digest};
