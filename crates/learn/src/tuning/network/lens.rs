//! The LENS head: from embeddings of source, output and reference to a z-score.
//!
//! Maddela et al. 2023, “LENS: A Learnable Evaluation Metric for Text Simplification”, section 4.

use serde::{Deserialize, Serialize};
use tensor::{Draw, Dropout, Tensor, WeightSpec, Weights};

/// The feature blocks of the regressor; c is the source's embedding, s the output's, r the
/// reference's.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum FeatureBlocks {
    /// \[c; s; r; s⊙r; |s−r|; s⊙c; |s−c|\], as in the released program.
    #[default]
    Seven,
    /// \[s; r; s⊙r; |s−r|; s⊙c; |s−c|\], as in the paper.
    Six,
}

impl FeatureBlocks {
    /// The number of blocks that depend on the output and its source alone.
    pub(crate) const fn output_blocks(self) -> usize {
        match self {
            Self::Seven => 4,
            Self::Six => 3,
        }
    }
}

/// The layers' mix and the regressor, a feed-forward network over the blocks. Its first map is kept in three parts: of
/// output and source, of r, and of \[s⊙r; |s−r|\]. Only the last is computed for every pair of output and reference.
#[derive(Debug, Clone, Copy)]
pub(crate) struct LensNetwork<'a> {
    pub weights: &'a Weights,
    pub features: FeatureBlocks,
    pub dropout: Dropout<'a>,
}

/// The sizes of a [`LensNetwork`].
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub(crate) struct LensSize {
    /// Layers of the encoder, embeddings included.
    pub layers: usize,
    /// Elements of an embedding.
    pub width: usize,
    /// Units of the regressor's first and second layer.
    pub hidden: [usize; 2],
    /// The blocks that it sees.
    pub features: FeatureBlocks,
}

impl LensSize {
    /// The weights of a network of that size, which starts with an even mix of layers.
    pub(crate) fn weights(self) -> Vec<WeightSpec> {
        let Self { layers, width, .. } = self;
        let [first, second] = self.hidden;
        let blocks = self.features.output_blocks();
        // The three parts are drawn with the reach of one map over all blocks.
        let reach = Draw::for_inputs((blocks + 3) * width);

        let mut all = vec![
            WeightSpec::new("mix.weights", [layers], Draw::Constant(0.0)),
            WeightSpec::new("mix.scale", [1], Draw::Constant(1.0)),
        ];
        all.extend(WeightSpec::linear(
            "head.output",
            blocks * width,
            first,
            reach,
        ));

        for (name, blocks) in [("head.reference", 1), ("head.pair", 2)] {
            let [weight, _] = WeightSpec::linear(name, blocks * width, first, reach);
            all.push(weight);
        }
        for (name, from, to) in [("head.hidden", first, second), ("head.last", second, 1)] {
            all.extend(WeightSpec::linear(name, from, to, Draw::for_inputs(from)));
        }

        all
    }
}

impl LensNetwork<'_> {
    /// The mix of layers, each of the same shape.
    pub(crate) fn mix(self, layers: &[Tensor]) -> Tensor {
        let shares = self.weights.own("mix.weights").softmax();
        let shares = shares.scale(self.weights.own("mix.scale"));
        let mixed = layers
            .iter()
            .enumerate()
            .map(|(at, layer)| layer.scale(&shares.select_rows(&[at])));
        mixed
            .reduce(|sum, layer| &sum + &layer)
            .expect("an encoder has layers")
    }

    /// Scores of outputs of one source against each of its references.
    ///
    /// - `source`: `[1, width]`, `outputs`: `[outputs, width]`, `references`: `[references, width]`
    /// - output: z-scores `[outputs · references, 1]`, those of an output together
    pub(crate) fn predict(self, source: &Tensor, outputs: &Tensor, references: &Tensor) -> Tensor {
        let (count, reference_count) = (outputs.rows(), references.rows());
        let (c, s) = (source.select_rows(&vec![0; count]), outputs);
        let mut blocks = vec![s.clone(), s * &c, (s - &c).abs()];
        if self.features == FeatureBlocks::Seven {
            blocks.insert(0, c);
        }
        let by_output = Tensor::join_columns(&blocks);

        let pairs = 0..count * reference_count;
        let output_places: Vec<usize> = pairs.clone().map(|pair| pair / reference_count).collect();
        let reference_places: Vec<usize> = pairs.map(|pair| pair % reference_count).collect();
        let every_s = outputs.select_rows(&output_places);
        let every_r = references.select_rows(&reference_places);
        let by_pair = Tensor::join_columns(&[&every_s * &every_r, (&every_s - &every_r).abs()]);

        let first = self
            .map("pair", &by_pair)
            .add_rows(&self.map("output", &by_output), &output_places)
            .add_rows(&self.map("reference", references), &reference_places);
        let first = first.tanh().dropout(self.dropout);
        let second = self.map("hidden", &first).tanh().dropout(self.dropout);
        self.map("last", &second)
    }

    fn map(self, name: &str, rows: &Tensor) -> Tensor {
        self.weights.linear(&format!("head.{name}"), rows)
    }
}
