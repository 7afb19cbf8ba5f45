//! Builds ONNX graphs: nodes, constants, and weights that stay in their safetensors file.
//!
//! Field numbers: <https://github.com/onnx/onnx/blob/main/onnx/onnx.proto>.

use safetensors::Dtype;

use super::{protobuf::ProtobufMessage, weights::TensorEntry};

/// The version of ONNX's file format, and that of its operators (the first with `Gelu`).
const FORMAT: i64 = 9;
const OPERATORS: i64 = 20;

/// ONNX's numbers for types of elements.
#[derive(Debug, Clone, Copy)]
pub(crate) enum OnnxElementType {
    /// 32-bit floating point.
    Float = 1,
    /// 64-bit whole numbers.
    Integer = 7,
}

/// An attribute of a node.
#[derive(Debug, Clone, Copy)]
pub(crate) enum OnnxAttribute<'a> {
    /// A number.
    Float(f32),
    /// A whole number.
    Integer(i64),
    /// Whole numbers.
    Integers(&'a [i64]),
    /// Text.
    Text(&'a str),
}

/// A graph that is being built. Values are identified by name.
#[derive(Debug, Default)]
pub(crate) struct OnnxGraph {
    graph: ProtobufMessage,
    nodes: usize,
    weights_file: String,
}

impl OnnxGraph {
    /// A graph whose weights are in the file of that name.
    pub(crate) fn new(weights_file: &str) -> Self {
        let mut graph = ProtobufMessage::default();
        graph.bytes(2, "encoder");
        Self {
            graph,
            nodes: 0,
            weights_file: weights_file.to_owned(),
        }
    }

    /// Adds an input. A size is a number, or a name if it varies.
    pub(crate) fn add_input(&mut self, name: &str, element: OnnxElementType, shape: &[&str]) {
        self.graph
            .message(11, |value| write_value_info(value, name, element, shape));
    }

    /// Makes the value an output of that name.
    pub(crate) fn add_output(
        &mut self,
        value: &str,
        name: &str,
        element: OnnxElementType,
        shape: &[&str],
    ) {
        self.push_node("Identity", &[value], &[], name);
        self.graph
            .message(12, |value| write_value_info(value, name, element, shape));
    }

    /// Adds a node with one output, which is returned.
    pub(crate) fn add_node(
        &mut self,
        operator: &str,
        inputs: &[&str],
        attributes: &[(&str, OnnxAttribute<'_>)],
    ) -> String {
        let output = format!("{operator}_{}", self.nodes);
        self.push_node(operator, inputs, attributes, &output);
        output
    }

    /// Adds a list of whole numbers.
    pub(crate) fn add_integers(&mut self, values: &[i64]) -> String {
        let bytes: Vec<u8> = values
            .iter()
            .flat_map(|value| value.to_le_bytes())
            .collect();
        self.add_constant(OnnxElementType::Integer, &[values.len()], &bytes)
    }

    /// Adds a single whole number.
    pub(crate) fn add_integer(&mut self, value: i64) -> String {
        self.add_constant(OnnxElementType::Integer, &[], &value.to_le_bytes())
    }

    /// Adds a single number.
    pub(crate) fn add_float(&mut self, value: f32) -> String {
        self.add_constant(OnnxElementType::Float, &[], &value.to_le_bytes())
    }

    /// Adds a tensor of the weights' file, as 32-bit numbers.
    pub(crate) fn add_weight(&mut self, tensor: &TensorEntry) -> String {
        let (element, is_float) = match tensor.kind {
            Dtype::F16 => (10, false),
            Dtype::BF16 => (16, false),
            _ => (OnnxElementType::Float as i64, true),
        };
        let place = [
            ("location", self.weights_file.clone()),
            ("offset", tensor.offset.to_string()),
            ("length", tensor.length.to_string()),
        ];

        self.graph.message(5, |initializer| {
            write_dimensions(initializer, &tensor.shape);
            initializer.integer(2, element).bytes(8, &tensor.name);
            for (key, value) in &place {
                initializer.message(13, |entry| _ = entry.bytes(1, key).bytes(2, value));
            }
            initializer.integer(14, 1);
        });

        if is_float {
            return tensor.name.clone();
        }
        self.add_node(
            "Cast",
            &[&tensor.name],
            &[("to", OnnxAttribute::Integer(OnnxElementType::Float as i64))],
        )
    }

    /// The finished model, as the bytes of an ONNX file.
    pub(crate) fn into_bytes(self) -> Vec<u8> {
        let mut model = ProtobufMessage::default();
        model
            .integer(1, FORMAT)
            .bytes(7, self.graph.into_bytes())
            .message(8, |set| _ = set.bytes(1, "").integer(2, OPERATORS));
        model.into_bytes()
    }

    fn push_node(
        &mut self,
        operator: &str,
        inputs: &[&str],
        attributes: &[(&str, OnnxAttribute<'_>)],
        output: &str,
    ) {
        self.nodes += 1;
        self.graph.message(1, |node| {
            for input in inputs {
                node.bytes(1, input);
            }
            node.bytes(2, output).bytes(3, output).bytes(4, operator);
            for (name, attribute) in attributes {
                node.message(5, |message| attribute.write(message, name));
            }
        });
    }

    fn add_constant(&mut self, element: OnnxElementType, shape: &[usize], bytes: &[u8]) -> String {
        self.nodes += 1;
        let name = format!("constant_{}", self.nodes);
        self.graph.message(5, |initializer| {
            write_dimensions(initializer, shape);
            initializer
                .integer(2, element as i64)
                .bytes(8, &name)
                .bytes(9, bytes);
        });
        name
    }
}

impl OnnxAttribute<'_> {
    fn write(&self, message: &mut ProtobufMessage, name: &str) {
        message.bytes(1, name);
        match self {
            Self::Float(value) => message.float(2, *value).integer(20, 1),
            Self::Integer(value) => message.integer(3, *value).integer(20, 2),
            Self::Text(value) => message.bytes(4, value).integer(20, 3),
            Self::Integers(values) => {
                for value in *values {
                    message.integer(8, *value);
                }
                message.integer(20, 7)
            }
        };
    }
}

fn write_dimensions(tensor: &mut ProtobufMessage, shape: &[usize]) {
    for &size in shape {
        tensor.integer(
            1,
            i64::try_from(size).expect("a tensor in memory has no larger size"),
        );
    }
}

fn write_value_info(
    value: &mut ProtobufMessage,
    name: &str,
    element: OnnxElementType,
    shape: &[&str],
) {
    value.bytes(1, name).message(2, |kind| {
        kind.message(1, |tensor| {
            tensor.integer(1, element as i64).message(2, |sizes| {
                for size in shape {
                    sizes.message(1, |dimension| {
                        _ = match size.parse() {
                            Ok(number) => dimension.integer(1, number),
                            Err(_) => dimension.bytes(2, size),
                        };
                    });
                }
            });
        });
    });
}
