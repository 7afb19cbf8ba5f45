//! A tensor: numbers with a shape, and the way back from a loss to the variables that it depends on.

use std::{
    collections::{BTreeMap, HashMap, btree_map::Entry},
    fmt,
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
};

use ndarray::ArrayView2;

use crate::matrix::{add_to, view};

/// Numbers with a shape. Copies share them.
#[derive(Clone)]
pub struct Tensor {
    shape: Vec<usize>,
    values: Arc<Vec<f32>>,
    node: Option<Arc<Node>>,
}

impl Tensor {
    /// A tensor of these numbers, the last index running fastest.
    ///
    /// # Panics
    /// If the shape has room for more or fewer numbers.
    #[must_use]
    pub fn new(shape: impl Into<Vec<usize>>, values: Vec<f32>) -> Self {
        let shape = shape.into();
        assert_eq!(
            shape.iter().product::<usize>(),
            values.len(),
            "as many numbers as {shape:?} has room for"
        );
        Self {
            shape,
            values: Arc::new(values),
            node: None,
        }
    }

    /// Its sizes, outermost first.
    #[must_use]
    pub fn shape(&self) -> &[usize] {
        &self.shape
    }

    /// Its numbers, the last index running fastest.
    #[must_use]
    pub fn values(&self) -> &[f32] {
        &self.values
    }

    /// Its numbers, to change them.
    pub fn values_mut(&mut self) -> &mut [f32] {
        Arc::make_mut(&mut self.values).as_mut_slice()
    }

    /// The only number of the tensor.
    ///
    /// # Panics
    /// If it has more or none.
    #[must_use]
    pub fn scalar(&self) -> f32 {
        let [value] = self.values[..] else {
            panic!(
                "a tensor of shape {:?} does not hold one number",
                self.shape
            );
        };
        value
    }

    /// The number of rows.
    #[must_use]
    pub fn rows(&self) -> usize {
        self.shape.first().copied().unwrap_or(1)
    }

    /// The number of elements of a row.
    #[must_use]
    pub fn columns(&self) -> usize {
        self.shape.iter().skip(1).product()
    }

    /// Whether gradients are computed for it.
    #[must_use]
    pub const fn is_tracked(&self) -> bool {
        self.node.is_some()
    }

    /// The same numbers as a variable, for which gradients are computed.
    #[must_use]
    pub fn tracked(mut self) -> Self {
        self.node = Some(Arc::new(Node::variable()));
        self
    }

    /// The same numbers, for which no gradients are computed.
    #[must_use]
    pub fn untracked(mut self) -> Self {
        self.node = None;
        self
    }

    /// The gradients of this number with respect to all variables that it depends on.
    ///
    /// # Panics
    /// If it does not hold exactly one number.
    #[must_use]
    pub fn backward(self) -> Gradients {
        assert_eq!(self.values.len(), 1, "a loss is a single number");
        Gradients::compute(self)
    }

    /// The result of an operation on `inputs`. `backward` is handed the gradient of the result, and adds those of the
    /// inputs.
    pub(crate) fn from_operation(
        shape: impl Into<Vec<usize>>,
        values: Vec<f32>,
        inputs: &[&Self],
        backward: impl Fn(&[f32], &mut Gradients) + Send + Sync + 'static,
    ) -> Self {
        let mut result = Self::new(shape, values);
        if inputs.iter().any(|input| input.is_tracked()) {
            result.node = Some(Arc::new(Node::operation(backward)));
        }
        result
    }

    pub(crate) fn matrix(&self) -> ArrayView2<'_, f32> {
        view(&self.values, self.rows(), self.columns())
    }
}

/// Tensors are equal if their shapes and numbers are.
impl PartialEq for Tensor {
    fn eq(&self, other: &Self) -> bool {
        self.shape == other.shape && self.values == other.values
    }
}

impl fmt::Debug for Tensor {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("Tensor")
            .field("shape", &self.shape)
            .field("is_tracked", &self.is_tracked())
            .finish_non_exhaustive()
    }
}

/// Nodes are numbered as they are made, so that the inputs of an operation have lower numbers than its result.
static NEXT_NUMBER: AtomicU64 = AtomicU64::new(0);

type Backward = dyn Fn(&[f32], &mut Gradients) + Send + Sync;

/// A variable, or the result of an operation on variables.
struct Node {
    number: u64,
    /// Adds the gradients of the operation's inputs, given that of its result; `None` for a variable.
    backward: Option<Box<Backward>>,
}

impl Node {
    fn variable() -> Self {
        Self {
            number: NEXT_NUMBER.fetch_add(1, Ordering::Relaxed),
            backward: None,
        }
    }

    fn operation(backward: impl Fn(&[f32], &mut Gradients) + Send + Sync + 'static) -> Self {
        Self {
            backward: Some(Box::new(backward)),
            ..Self::variable()
        }
    }
}

/// The gradients of a loss with respect to variables.
#[derive(Default)]
pub struct Gradients {
    /// Gradients that have not been passed on to the inputs of their nodes, by node number.
    pending: BTreeMap<u64, (Arc<Node>, Vec<f32>)>,
    done: HashMap<u64, Vec<f32>>,
}

impl Gradients {
    fn compute(loss: Tensor) -> Self {
        let mut gradients = Self::default();
        gradients.add(&loss, || vec![1.0]);
        // Each operation frees what it kept for its gradient as soon as that is computed.
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
        let Some(node) = &input.node else {
            return;
        };
        match self.pending.entry(node.number) {
            Entry::Vacant(place) => {
                place.insert((node.clone(), gradient()));
            }
            Entry::Occupied(mut place) => add_to(&mut place.get_mut().1, &gradient()),
        }
    }

    /// The gradient with respect to a variable; `None` if the loss does not depend on it.
    #[must_use]
    pub fn find(&self, variable: &Tensor) -> Option<&[f32]> {
        let gradient = self.done.get(&variable.node.as_ref()?.number)?;
        Some(gradient)
    }
}

impl fmt::Debug for Gradients {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "gradients of {} variables", self.done.len())
    }
}
