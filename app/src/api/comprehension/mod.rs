//! Reading comprehension: set up by leads, answered by participants without an account. The secret in the
//! cookie `reader` authorises a participant's requests.

mod readers;
mod reading;
mod setup;

pub use readers::*;
pub use reading::*;
pub use setup::*;
