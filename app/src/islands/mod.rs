//! The islands: the parts of the site that run in the browser as WebAssembly. There is one, the annotator's
//! workspace; everything else that moves is a plain script, as in `enhanced`.

mod parts;
mod queue;
mod workspace;

pub use workspace::{Workspace, WorkspaceInput};
