//! The networks that are trained.

mod bert;
mod cross;
mod gelu;
mod lens;
pub(crate) mod names;

pub use self::lens::Features;
pub(crate) use self::{
    bert::{Bert, Tokens},
    cross::Cross,
    lens::{Lens, LensSize},
};
