//! The data that the page passes to the workspace.

use domain::{
    ids::{OutputId, PersonId},
    work::task::AnnotationTask,
};
use leptos::prelude::use_context;
use serde::{Deserialize, Serialize};

use super::{later_steps, state::place_id};
use crate::{
    browser,
    json::{from_json, to_json},
};

/// The data that the page passes to the workspace. It is in an attribute of the element around the workspace
/// and not in its props, which Leptos would read with `serde_json`.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct WorkspaceInput {
    /// The task with the answers so far.
    pub task: AnnotationTask,
    pub person: PersonId,
    /// The time at which the page was made: the server's clock, in milliseconds since 1970.
    pub rendered: i64,
    /// The source's position among the annotator's and the time it takes, in words.
    pub place: String,
    /// For a preview, which saves nothing: the address that it leads back to.
    #[serde(default)]
    pub preview: Option<String>,
}

impl WorkspaceInput {
    /// The attribute's value.
    pub fn to_attribute(&self) -> String {
        to_json(self)
    }

    /// The address on the page of an output, in any step.
    pub fn output_address(output: OutputId) -> String {
        format!("#{}", place_id(output))
    }

    /// Whether the page opens with a step whose code is not in the first module.
    pub fn opens_later(&self) -> bool {
        later_steps::opens_with(&self.task)
    }

    /// The data of this page: on the server from the context, in the browser from the page.
    pub(super) fn find() -> Self {
        let on_page = || from_json(&browser::page_attribute("data-work")?).ok();
        use_context()
            .or_else(on_page)
            .expect("the page of the workspace holds its input")
    }
}
