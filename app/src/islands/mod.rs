//! What runs in the browser. A page works before its islands are awake.

mod enhanced_form;

pub use enhanced_form::EnhancedForm;
