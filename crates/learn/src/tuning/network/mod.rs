//! The networks that are trained.

mod bert;
pub(crate) mod cross;
mod lens;
pub(crate) mod signals;

pub use self::lens::FeatureBlocks;
pub(crate) use self::{
    bert::{Bert, TokenBatch},
    lens::{LensNetwork, LensSize},
};
