//! The operations: the value of each, and how a gradient goes back through it.

mod activations;
mod attention;
mod convolution;
mod elements;
mod layer_norm;
mod linear;
mod rows;

pub use self::{attention::Attention, convolution::Grids};
