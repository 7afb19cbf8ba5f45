//! The networks that are trained.

mod bert;
mod cross;
mod gelu;
mod lens;
pub(crate) mod named_weights;
mod signals;

pub use self::lens::FeatureBlocks;
pub(crate) use self::{
    bert::{Bert, TokenBatch},
    cross::CrossHead,
    lens::{LensNetwork, LensSize},
    signals::SignalHead,
};
