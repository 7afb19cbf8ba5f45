//! Server functions, those of one entity in a file: authorise, parse, call, answer.
//!
//! Each begins with `signed_in`, `admin` or `access`, which refuse people who lack the right. Each names its
//! endpoint (`#[server(endpoint = "…")]`, posted to `/api/…`), returns `Result<_, Refusal>` and works for a
//! plain form as well as for a script. Arguments are plain text and numbers, parsed in the body, so that a
//! bad one is answered with a sentence. A server function that changes something and belongs to a form ends
//! with [`crate::request::see_other`] or `redirect_with`. The browser's build replaces the bodies by requests,
//! so a file imports what they need for the server only, most of it from `ssr`.

mod accounts;
mod aligner;
mod annotator;
mod comprehension;
mod consensus;
mod crowd;
mod discussions;
mod experiments;
mod final_values;
mod imports;
mod invitations;
mod members;
mod metrics;
mod passwords;
mod sessions;
mod settings;
mod sources;
#[cfg(feature = "ssr")]
mod ssr;
mod studies;
mod systems;
mod tokens;
mod training;
mod webhooks;
pub mod work;

pub use accounts::*;
pub use aligner::*;
pub use annotator::*;
pub use comprehension::*;
pub use consensus::*;
pub use crowd::*;
pub use discussions::*;
pub use experiments::*;
pub use final_values::*;
pub use imports::*;
pub use invitations::*;
pub use members::*;
pub use metrics::*;
pub use passwords::*;
pub use sessions::*;
pub use settings::*;
pub use sources::*;
pub use studies::*;
pub use systems::*;
pub use tokens::*;
pub use training::*;
pub use webhooks::*;
