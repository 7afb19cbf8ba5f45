//! Reads and writes numbers in safetensors files. Reading runs no code of the file.

use std::collections::HashMap;

use safetensors::{Dtype, SafeTensors, tensor::TensorView};

use crate::encoder::EncoderError;

/// Reasons why a model cannot be read or used.
#[derive(Debug, thiserror::Error)]
pub enum HybridModelError {
    /// The file is not in the safetensors format.
    #[error("this is not a file of weights in the safetensors format ({0})")]
    Format(#[from] safetensors::SafeTensorError),
    /// Its description is missing or of another program.
    #[error("this is not a learned metric of this program: {0}")]
    Card(String),
    /// Numbers are missing, of another shape, or impossible.
    #[error("this learned metric is damaged: “{0}” is missing or makes no sense")]
    Damaged(&'static str),
    /// The features have changed since.
    #[error(
        "this learned metric sees outputs as another version of the program did (features {found}, \
         here {here}): train it again with `rankrate train`"
    )]
    Features {
        /// The version of its features.
        found: u32,
        /// The version of this program's features.
        here: u32,
    },
    /// Another encoder or list of words.
    #[error("this learned metric was made with {wanted}, and here is {given}: {advice}")]
    Resources {
        /// The resource that it was trained with.
        wanted: String,
        /// The resource that is available.
        given: String,
        /// Advice on what to do.
        advice: &'static str,
    },
    /// An encoder that no shipped model was trained with.
    #[error(
        "no learned metric is shipped for {given}, only for {encoders}: name the folder of one of these with \
         --encoder or RANKRATE_ENCODER, or train a metric of your own with `rankrate train FILE --from none \
         -o METRIC` and name it with --learned-metric METRIC"
    )]
    NotShipped {
        /// The encoder that is available.
        given: String,
        /// The encoders of the shipped models.
        encoders: String,
    },
    /// Features that are not those that this program computes.
    #[error(
        "this learned metric is damaged: it names {found} features, which are not the {here} that are \
         computed with {resources}"
    )]
    FeatureNames {
        /// The number of features that it names.
        found: usize,
        /// The number of features that are computed.
        here: usize,
        /// The resources that they are computed with.
        resources: &'static str,
    },
    /// The features of a text could not be computed.
    #[error("the texts were not encoded")]
    Encoder(#[from] EncoderError),
    /// A metric of the other kind.
    #[error("{0}")]
    Kind(&'static str),
    /// The files of a stopped training belong to another one.
    #[error("the saved trees belong to other ratings or settings: remove the file and start again")]
    OtherTraining,
}

/// A safetensors file that is being built.
#[derive(Default)]
pub(super) struct TensorWriter(Vec<(&'static str, Dtype, Vec<usize>, Vec<u8>)>);

impl TensorWriter {
    pub(super) fn add_floats(&mut self, name: &'static str, shape: &[usize], values: &[f32]) {
        let bytes = values
            .iter()
            .flat_map(|value| value.to_le_bytes())
            .collect();
        self.0.push((name, Dtype::F32, shape.to_vec(), bytes));
    }

    pub(super) fn add_counts(
        &mut self,
        name: &'static str,
        shape: &[usize],
        values: impl IntoIterator<Item = usize>,
    ) {
        let bytes = values
            .into_iter()
            .map(|value| u32::try_from(value).expect("counts are far under 2³²"))
            .flat_map(u32::to_le_bytes)
            .collect();
        self.0.push((name, Dtype::U32, shape.to_vec(), bytes));
    }

    /// The file, with a text under a name in its header.
    pub(super) fn finish(&self, name: &str, text: String) -> Vec<u8> {
        let views = self.0.iter().map(|(name, dtype, shape, bytes)| {
            let view = TensorView::new(*dtype, shape.clone(), bytes);
            (*name, view.expect("the shape is the data's"))
        });
        let text = HashMap::from([(name.to_owned(), text)]);
        safetensors::serialize(views, Some(text)).expect("the names are the program's own")
    }
}

/// The text that a file holds under a name.
pub(super) fn read_text(file: &[u8], name: &str) -> Result<String, HybridModelError> {
    let (_, header) = SafeTensors::read_metadata(file)?;
    let text = header.metadata().as_ref().and_then(|texts| texts.get(name));
    text.cloned()
        .ok_or_else(|| HybridModelError::Card("its description is missing".into()))
}

/// Finite numbers with their shape.
pub(super) fn read_floats(
    file: &SafeTensors<'_>,
    name: &'static str,
) -> Result<(Vec<usize>, Vec<f32>), HybridModelError> {
    let (shape, values) = read_words(file, name, Dtype::F32)?;
    let values: Vec<f32> = values.map(f32::from_le_bytes).collect();
    let finite = values.iter().all(|value| value.is_finite());
    finite
        .then_some((shape, values))
        .ok_or(HybridModelError::Damaged(name))
}

/// Counts with their shape.
pub(super) fn read_counts(
    file: &SafeTensors<'_>,
    name: &'static str,
) -> Result<(Vec<usize>, Vec<usize>), HybridModelError> {
    let (shape, values) = read_words(file, name, Dtype::U32)?;
    Ok((
        shape,
        values
            .map(|bytes| u32::from_le_bytes(bytes) as usize)
            .collect(),
    ))
}

fn read_words<'a>(
    file: &SafeTensors<'a>,
    name: &'static str,
    dtype: Dtype,
) -> Result<(Vec<usize>, impl Iterator<Item = [u8; 4]> + use<'a>), HybridModelError> {
    let view = file
        .tensor(name)
        .map_err(|_| HybridModelError::Damaged(name))?;
    if view.dtype() != dtype {
        return Err(HybridModelError::Damaged(name));
    }
    let words = view.data().as_chunks::<4>().0.iter().copied();
    Ok((view.shape().to_vec(), words))
}
