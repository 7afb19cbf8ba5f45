//! Settings, one struct per section. Each comes from a flag, the environment, the file or the default, in this
//! order.
//!
//! Each field is one command-line argument, with the environment variable that its help names. In the file
//! (TOML), the section is the help heading and the key is the argument's long name:
//!
//! ```toml
//! [web]
//! listen = "0.0.0.0:3000"
//! public-url = "https://rate.example.org"
//! ```

mod accounts;
mod data;
mod encoder;
mod file;
mod log;
mod python_packages;
mod web;
mod webhooks;

pub(crate) use accounts::AccountSettings;
pub(crate) use data::DataSettings;
pub(crate) use encoder::EncoderSettings;
pub(crate) use file::with_file;
pub(crate) use log::{LogFormat, LogSettings};
pub(crate) use web::WebSettings;
pub(crate) use webhooks::WebhookSettings;
