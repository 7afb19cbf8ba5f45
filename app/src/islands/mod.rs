//! The islands: the parts of the site that run in the browser as WebAssembly. There is one, the annotator's
//! workspace; everything else that moves is a plain script, as in `enhanced`.

mod parts;
mod queue;
mod workspace;

#[cfg(feature = "hydrate")]
pub use workspace::load_first_step;
pub use workspace::{Workspace, WorkspaceInput};
