//! Weights of a network by the names that they have in a file.
//!
//! Names and shapes are those of PyTorch: of a linear map `[to, from]`, a normalisation's `weight` and
//! `bias`. burn's own differ, and are turned here.

use std::collections::BTreeMap;

use burn::{
    module::{Module, ModuleMapper, ModuleVisitor, Param, ParamId},
    tensor::{Device, Tensor, TensorData},
};

/// Weights by name.
pub(crate) type NamedWeights = BTreeMap<String, WeightTensor>;

/// A tensor of a file.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct WeightTensor {
    /// Its sizes, outermost first.
    pub shape: Vec<usize>,
    /// Its numbers, the last index running fastest.
    pub values: Vec<f32>,
}

/// Puts the weights that `find` knows into the network. Its parameters are numbered from `first` on,
/// so that what an optimiser remembers of them finds them again.
///
/// # Errors
/// The name of a weight that is missing or has another shape.
pub(crate) fn load_weights<M: Module>(
    network: M,
    first: u64,
    device: &Device,
    find: &dyn Fn(&str) -> Option<WeightTensor>,
) -> Result<M, String> {
    let mut loader = WeightLoader {
        path: ModulePath::default(),
        next: first,
        device,
        find,
        missing: None,
    };
    let network = network.map(&mut loader);
    loader.missing.map_or(Ok(network), Err)
}

/// Puts those weights into the network that are among `changed`; whether gradients are asked of them
/// stays as it is.
pub(crate) fn replace_weights<M: Module>(network: M, device: &Device, changed: &NamedWeights) -> M {
    network.map(&mut WeightReplacer {
        path: ModulePath::default(),
        device,
        changed,
    })
}

/// The network's weights; with `trained`, only those that gradients are asked of.
pub(crate) fn read_weights<M: Module>(network: &M, trained: bool) -> NamedWeights {
    let mut reader = WeightReader {
        path: ModulePath::default(),
        trained,
        weights: NamedWeights::new(),
    };
    network.visit(&mut reader);
    reader.weights
}

/// The gradients that a backward pass left for the network, by the names of its weights.
pub(crate) fn read_gradients<M: Module>(
    network: &M,
    of: &burn::optim::GradientsParams,
) -> NamedWeights {
    let mut reader = GradientReader {
        path: ModulePath::default(),
        source: of,
        gradients: NamedWeights::new(),
    };
    network.visit(&mut reader);
    reader.gradients
}

/// Where in the network a walk is: names, and what kind of module each is in.
#[derive(Debug, Default)]
struct ModulePath(Vec<(String, bool)>);

impl ModulePath {
    fn enter(&mut self, name: &str, container: &str) {
        self.0.push((name.to_owned(), container == "Struct:Linear"));
    }

    fn exit(&mut self) {
        self.0.pop();
    }

    fn name(&self) -> String {
        let parts = self.0.iter().map(|(name, _)| match name.as_str() {
            "self_attention" => "self",
            "gamma" => "weight",
            "beta" => "bias",
            other => other,
        });
        parts.collect::<Vec<_>>().join(".")
    }

    /// Whether the tensor here is turned against PyTorch's.
    fn is_transposed(&self) -> bool {
        self.0.last().is_some_and(|(_, linear)| *linear)
    }
}

struct WeightLoader<'a> {
    path: ModulePath,
    next: u64,
    device: &'a Device,
    find: &'a dyn Fn(&str) -> Option<WeightTensor>,
    missing: Option<String>,
}

impl ModuleMapper for WeightLoader<'_> {
    fn enter_module(&mut self, name: &str, container: &str) {
        self.path.enter(name, container);
    }

    fn exit_module(&mut self, _: &str, _: &str) {
        self.path.exit();
    }

    fn map_float<const D: usize>(&mut self, param: Param<Tensor<D>>) -> Param<Tensor<D>> {
        let name = self.path.name();
        let id = ParamId::from(self.next);
        self.next += 1;
        let mut weight = (self.find)(&name);
        if self.path.is_transposed() {
            weight = weight.map(WeightTensor::transposed);
        }
        let shape = param.lazy_shape();
        let Some(weight) = weight.filter(|weight| weight.shape == shape.to_vec()) else {
            self.missing.get_or_insert(name);
            return param;
        };
        let data = TensorData::new(weight.values, weight.shape);
        let mut tensor = Tensor::from_data(data, self.device);
        if self.device.is_autodiff() {
            tensor = tensor.require_grad();
        }
        Param::initialized(id, tensor)
    }
}

struct WeightReplacer<'a> {
    path: ModulePath,
    device: &'a Device,
    changed: &'a NamedWeights,
}

impl ModuleMapper for WeightReplacer<'_> {
    fn enter_module(&mut self, name: &str, container: &str) {
        self.path.enter(name, container);
    }

    fn exit_module(&mut self, _: &str, _: &str) {
        self.path.exit();
    }

    fn map_float<const D: usize>(&mut self, param: Param<Tensor<D>>) -> Param<Tensor<D>> {
        let Some(weight) = self.changed.get(&self.path.name()).cloned() else {
            return param;
        };
        let weight = if self.path.is_transposed() {
            weight.transposed()
        } else {
            weight
        };
        let requires_grad = param.is_require_grad();
        let data = TensorData::new(weight.values, weight.shape);
        let mut tensor = Tensor::from_data(data, self.device);
        if self.device.is_autodiff() {
            tensor = tensor.set_require_grad(requires_grad);
        }
        Param::initialized(param.id, tensor)
    }
}

struct WeightReader {
    path: ModulePath,
    trained: bool,
    weights: NamedWeights,
}

impl ModuleVisitor for WeightReader {
    fn enter_module(&mut self, name: &str, container: &str) {
        self.path.enter(name, container);
    }

    fn exit_module(&mut self, _: &str, _: &str) {
        self.path.exit();
    }

    fn visit_float<const D: usize>(&mut self, param: &Param<Tensor<D>>) {
        let tensor = param.val();
        if !self.trained || tensor.is_require_grad() {
            let weight = WeightTensor::from_tensor(tensor, self.path.is_transposed());
            self.weights.insert(self.path.name(), weight);
        }
    }
}

struct GradientReader<'a> {
    path: ModulePath,
    source: &'a burn::optim::GradientsParams,
    gradients: NamedWeights,
}

impl ModuleVisitor for GradientReader<'_> {
    fn enter_module(&mut self, name: &str, container: &str) {
        self.path.enter(name, container);
    }

    fn exit_module(&mut self, _: &str, _: &str) {
        self.path.exit();
    }

    fn visit_float<const D: usize>(&mut self, param: &Param<Tensor<D>>) {
        if let Some(gradient) = self.source.get::<D>(param.id) {
            let gradient = WeightTensor::from_tensor(gradient, self.path.is_transposed());
            self.gradients.insert(self.path.name(), gradient);
        }
    }
}

impl WeightTensor {
    fn from_tensor<const D: usize>(tensor: Tensor<D>, turn: bool) -> Self {
        let shape = tensor.dims().to_vec();
        let values = tensor.into_data().try_to_vec::<f32>();
        let values = values.expect("networks compute with single precision");
        let weight = Self { shape, values };
        if turn { weight.transposed() } else { weight }
    }

    /// A matrix with rows for columns; anything else as it is.
    fn transposed(self) -> Self {
        let [rows, columns] = self.shape[..] else {
            return self;
        };
        let mut values = Vec::with_capacity(self.values.len());
        for column in 0..columns {
            values.extend((0..rows).map(|row| self.values[row * columns + column]));
        }
        Self {
            shape: vec![columns, rows],
            values,
        }
    }
}

#[cfg(test)]
mod tests {
    use burn::nn::LinearConfig;

    use super::*;

    #[test]
    fn a_linear_map_has_the_shape_of_pytorchs() {
        let device = Device::flex();
        let weight = WeightTensor {
            shape: vec![2, 3],
            values: vec![1.0, 2.0, 3.0, 4.0, 5.0, 6.0],
        };
        let find = |name: &str| match name {
            "weight" => Some(weight.clone()),
            _ => Some(WeightTensor {
                shape: vec![2],
                values: vec![10.0, 20.0],
            }),
        };
        let map = load_weights(LinearConfig::new(3, 2).init(&device), 1, &device, &find).unwrap();
        let output = map.forward(Tensor::<2>::from_data([[1.0, 0.0, 1.0]], &device));
        assert_eq!(
            output.into_data().try_to_vec::<f32>().unwrap(),
            [14.0, 30.0]
        );
        assert_eq!(read_weights(&map, false)["weight"], weight);
        assert_eq!(map.bias.unwrap().id.val(), 2);
    }

    #[test]
    fn a_missing_weight_is_named() {
        let device = Device::flex();
        let map = LinearConfig::new(3, 2).init(&device);
        assert_eq!(
            load_weights(map, 1, &device, &|_| None).unwrap_err(),
            "weight"
        );
    }
}
