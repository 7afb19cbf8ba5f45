//! Sends the notices of studies to other programs.

mod client;
#[cfg(test)]
mod receiver;
#[cfg(test)]
mod tests;
mod worker;

pub(crate) use self::{client::WebhookClient, worker::WebhookWorker};
