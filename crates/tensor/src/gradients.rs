//! The way back from a loss to the variables that it depends on.

use std::{
    collections::{BTreeMap, HashMap, btree_map::Entry},
    fmt,
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
};

use crate::{matrix::add_to, tensor::Tensor};

/// Nodes are numbered as they are made, so that the inputs of an operation have lower numbers than its result.
static NEXT_NUMBER: AtomicU64 = AtomicU64::new(0);

type Backward = dyn Fn(&[f32], &mut Gradients) + Send + Sync;

/// A variable, or the result of an operation on variables.
pub(crate) struct Node {
    number: u64,
    /// Adds the gradients of the operation's inputs, given that of its result; none of a variable.
    backward: Option<Box<Backward>>,
}

impl Node {
    pub(crate) fn variable() -> Self {
        Self {
            number: NEXT_NUMBER.fetch_add(1, Ordering::Relaxed),
            backward: None,
        }
    }

    pub(crate) fn operation(
        backward: impl Fn(&[f32], &mut Gradients) + Send + Sync + 'static,
    ) -> Self {
        Self {
            backward: Some(Box::new(backward)),
            ..Self::variable()
        }
    }
}

/// The gradients of a loss with respect to variables.
#[derive(Default)]
pub struct Gradients {
    /// Those of nodes whose inputs are still to be done, by number.
    pending: BTreeMap<u64, (Arc<Node>, Vec<f32>)>,
    done: HashMap<u64, Vec<f32>>,
}

impl Gradients {
    pub(crate) fn compute(loss: Tensor) -> Self {
        let mut gradients = Self::default();
        gradients.add(&loss, || vec![1.0]);
        // What the operations keep for their way back is dropped as soon as it was used.
        drop(loss);
        while let Some((number, (node, gradient))) = gradients.pending.pop_last() {
            match &node.backward {
                Some(backward) => backward(&gradient, &mut gradients),
                None => {
                    gradients.done.insert(number, gradient);
                }
            }
        }
        gradients
    }

    /// Adds a part of the gradient of an operation's input, which is computed only where it is needed.
    pub(crate) fn add(&mut self, input: &Tensor, gradient: impl FnOnce() -> Vec<f32>) {
        let Some(node) = input.node() else {
            return;
        };
        match self.pending.entry(node.number) {
            Entry::Vacant(place) => {
                place.insert((node.clone(), gradient()));
            }
            Entry::Occupied(mut place) => add_to(&mut place.get_mut().1, &gradient()),
        }
    }

    /// The gradient with respect to a variable; none where the loss does not depend on it.
    #[must_use]
    pub fn of(&self, variable: &Tensor) -> Option<&[f32]> {
        let gradient = self.done.get(&variable.node()?.number)?;
        Some(gradient)
    }
}

impl fmt::Debug for Gradients {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "gradients of {} variables", self.done.len())
    }
}
