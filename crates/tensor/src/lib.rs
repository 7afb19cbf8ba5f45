//! Tensors with gradients: the engine of all networks that are trained.
//!
//! Each operation computes its value at once, on all threads of the current pool, and records how a gradient goes back
//! through it (Griewank & Walther 2008, “Evaluating Derivatives”, chapter 3). Operations take a tensor as a matrix: its
//! first size is the number of rows, all others together are the columns. Weights have the shapes and names that PyTorch
//! gives them in a file. The same inputs and seed give the same numbers on the same machine, with any number of threads.

mod adamw;
mod matrix;
mod operations;
mod random;
mod tensor;
mod weights;

pub use self::{
    adamw::AdamW,
    operations::{Attention, Grids},
    random::{Dropout, DropoutMasks, Random},
    tensor::{Gradients, Tensor},
    weights::{Draw, WeightSpec, Weights},
};
