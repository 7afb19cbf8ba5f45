//! The weights of a network by name: a network is what it computes with them.

use std::collections::{BTreeMap, btree_map};

use crate::{random::Random, tensor::Tensor};

/// Tensors by the names that they have in a file.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Weights(BTreeMap<String, Tensor>);

/// How a weight is drawn before training.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Draw {
    /// This number everywhere.
    Constant(f32),
    /// Uniformly distributed between minus this number and this number.
    Uniform(f32),
    /// Normally distributed around 0 with this standard deviation.
    Normal(f32),
}

/// A weight that a network has.
#[derive(Debug, Clone, PartialEq)]
pub struct WeightSpec {
    /// Its name in a file.
    pub name: String,
    /// Its shape, as PyTorch has it.
    pub shape: Vec<usize>,
    /// How it is drawn.
    pub draw: Draw,
}

impl WeightSpec {
    /// A weight of that shape.
    #[must_use]
    pub fn new(name: impl Into<String>, shape: impl Into<Vec<usize>>, draw: Draw) -> Self {
        Self {
            name: name.into(),
            shape: shape.into(),
            draw,
        }
    }

    /// The matrix and the bias of a linear map.
    #[must_use]
    pub fn linear(name: &str, from: usize, to: usize, draw: Draw) -> [Self; 2] {
        [
            Self::new(format!("{name}.weight"), [to, from], draw),
            Self::new(format!("{name}.bias"), [to], draw),
        ]
    }
}

impl Draw {
    /// The range in which PyTorch draws the weights of a linear map or of a convolution, by the number of inputs of each output.
    #[must_use]
    #[expect(clippy::cast_precision_loss, reason = "some thousands at most")]
    pub fn for_inputs(inputs: usize) -> Self {
        Self::Uniform(1.0 / (inputs as f32).sqrt())
    }

    fn next(self, random: &mut Random) -> f32 {
        match self {
            Self::Constant(value) => value,
            Self::Uniform(reach) => reach * (2.0 * random.uniform() - 1.0),
            Self::Normal(deviation) => deviation * random.normal(),
        }
    }
}

impl Weights {
    /// Weights drawn at random.
    #[must_use]
    pub fn draw(specs: Vec<WeightSpec>, random: &mut Random) -> Self {
        let mut weights = Self::default();
        for WeightSpec { name, shape, draw } in specs {
            let count = shape.iter().product();
            let values = (0..count).map(|_| draw.next(random)).collect();
            weights.insert(name, Tensor::new(shape, values));
        }
        weights
    }

    /// The weights of `specs`, as `find` returns them.
    ///
    /// # Errors
    /// The name of the first weight that is missing or has another shape.
    pub fn find(
        specs: Vec<WeightSpec>,
        find: impl Fn(&str) -> Option<Tensor>,
    ) -> Result<Self, String> {
        let mut weights = Self::default();
        for WeightSpec { name, shape, .. } in specs {
            match find(&name).filter(|weight| weight.shape() == shape) {
                Some(weight) => weights.insert(name, weight),
                None => return Err(name),
            }
        }
        Ok(weights)
    }

    /// Adds a weight, replacing one of the same name.
    pub fn insert(&mut self, name: String, weight: Tensor) {
        self.0.insert(name, weight);
    }

    /// The weight of that name, if there is one.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&Tensor> {
        self.0.get(name)
    }

    /// A weight that the network has.
    ///
    /// # Panics
    /// If the weight is missing.
    #[must_use]
    pub fn own(&self, name: &str) -> &Tensor {
        let weight = self.get(name);
        weight.unwrap_or_else(|| panic!("the network has no weight {name}"))
    }

    /// Maps rows by the matrix and, if there is one, the bias of that name.
    ///
    /// # Panics
    /// If the network does not have the matrix.
    #[must_use]
    pub fn linear(&self, name: &str, rows: &Tensor) -> Tensor {
        let bias = self.get(&format!("{name}.bias"));
        rows.linear(self.own(&format!("{name}.weight")), bias)
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// All by name, in the order of their names.
    pub fn iter(&self) -> btree_map::Iter<'_, String, Tensor> {
        self.0.iter()
    }

    /// All by name, to change them.
    pub fn iter_mut(&mut self) -> btree_map::IterMut<'_, String, Tensor> {
        self.0.iter_mut()
    }

    /// Replaces the network's weights by those of `changed` with the same names. Each weight stays tracked or
    /// untracked.
    pub fn replace(&mut self, changed: &Self) {
        for (name, weight) in &mut self.0 {
            if let Some(changed) = changed.get(name) {
                let changed = changed.clone().untracked();
                let is_tracked = weight.is_tracked();
                *weight = if is_tracked {
                    changed.tracked()
                } else {
                    changed
                };
            }
        }
    }

    /// The same weights, with gradients for those that `is_trained` names.
    #[must_use]
    pub fn tracked(self, is_trained: impl Fn(&str) -> bool) -> Self {
        let weights = self.0.into_iter().map(|(name, weight)| {
            let weight = match is_trained(&name) {
                true => weight.tracked(),
                false => weight.untracked(),
            };
            (name, weight)
        });
        Self(weights.collect())
    }

    /// The same weights, without gradients.
    #[must_use]
    pub fn untracked(self) -> Self {
        self.tracked(|_| false)
    }

    /// The same weights with `prefix` before their names.
    #[must_use]
    pub fn prefixed(self, prefix: &str) -> Self {
        let weights = self.0.into_iter();
        let weights = weights.map(|(name, weight)| (format!("{prefix}.{name}"), weight));
        Self(weights.collect())
    }

    /// Those whose names begin with `prefix`, without it.
    #[must_use]
    pub fn part(&self, prefix: &str) -> Self {
        let own = self.0.iter().filter_map(|(name, weight)| {
            let name = name.strip_prefix(prefix)?.strip_prefix('.')?;
            Some((name.to_owned(), weight.clone()))
        });
        Self(own.collect())
    }
}

impl FromIterator<(String, Tensor)> for Weights {
    fn from_iter<I: IntoIterator<Item = (String, Tensor)>>(weights: I) -> Self {
        Self(weights.into_iter().collect())
    }
}

impl IntoIterator for Weights {
    type Item = (String, Tensor);
    type IntoIter = btree_map::IntoIter<String, Tensor>;

    fn into_iter(self) -> Self::IntoIter {
        self.0.into_iter()
    }
}

impl<'a> IntoIterator for &'a Weights {
    type Item = (&'a String, &'a Tensor);
    type IntoIter = btree_map::Iter<'a, String, Tensor>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

impl Extend<(String, Tensor)> for Weights {
    fn extend<I: IntoIterator<Item = (String, Tensor)>>(&mut self, weights: I) {
        self.0.extend(weights);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_linear_map_has_the_shape_of_pytorchs() {
        let find = |name: &str| {
            Some(match name {
                "map.weight" => Tensor::new([2, 3], vec![1.0, 2.0, 3.0, 4.0, 5.0, 6.0]),
                _ => Tensor::new([2], vec![10.0, 20.0]),
            })
        };
        let specs = WeightSpec::linear("map", 3, 2, Draw::for_inputs(3));
        let weights = Weights::find(specs.into(), find).unwrap();
        let rows = Tensor::new([1, 3], vec![1.0, 0.0, 1.0]);
        assert_eq!(weights.linear("map", &rows).values(), [14.0, 30.0]);
    }

    #[test]
    fn a_missing_weight_is_named() {
        let specs = WeightSpec::linear("map", 3, 2, Draw::for_inputs(3));
        let found = Weights::find(specs.into(), |_| None);
        assert_eq!(found.unwrap_err(), "map.weight");
    }

    #[test]
    fn a_replaced_weight_is_trained_as_before() {
        let number = |value| Tensor::new([1], vec![value]);
        let own = [("a", 1.0), ("b", 2.0)].map(|(name, value)| (name.to_owned(), number(value)));
        let mut weights = Weights::from_iter(own).tracked(|name| name == "a");
        let changed = ["a", "b", "c"].map(|name| (name.to_owned(), number(7.0)));
        weights.replace(&Weights::from_iter(changed));
        let weights = weights
            .iter()
            .map(|(_, one)| (one.scalar(), one.is_tracked()));
        assert_eq!(weights.collect::<Vec<_>>(), [(7.0, true), (7.0, false)]);
    }
}
