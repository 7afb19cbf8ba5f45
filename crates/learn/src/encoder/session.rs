//! ONNX Runtime: its library, loaded once, and a model in it.

use std::{
    borrow::Cow,
    sync::{Mutex, PoisonError},
};

use ort::{
    environment::Environment,
    ep,
    session::{Session as Model, SessionInputValue, builder::SessionBuilder},
    value::Tensor,
};

use super::{
    EncoderDevice, EncoderError, EncoderOptions,
    graph::{INPUTS, TYPES},
    weights::WeightsHeader,
};

/// The library can be loaded once in a process; later callers get the same one.
static RUNTIME: Mutex<Option<Environment>> = Mutex::new(None);

/// A loaded model. One batch is computed at a time, by the configured number of threads.
pub(crate) struct OnnxSession(Mutex<Model>);

/// Windows padded to the same length.
pub(crate) struct EncoderBatch {
    /// The number of windows.
    pub rows: usize,
    /// The number of pieces of each.
    pub length: usize,
    /// All pieces, one window after the other.
    pub pieces: Vec<i64>,
    /// The segment type of each piece, where the graph has an input for it.
    pub types: Option<Vec<i64>>,
    /// The mask that is added to attention logits for each piece: 0, or very low for padding.
    pub mask: Vec<f32>,
    /// The number of the first position.
    pub first_position: usize,
}

impl OnnxSession {
    /// Loads the library if necessary, and the model whose ONNX file is `graph`.
    ///
    /// # Errors
    /// The library or the device is missing, or the library refuses the model.
    pub(crate) fn open(
        graph: &[u8],
        weights: &WeightsHeader,
        settings: &EncoderOptions,
    ) -> Result<Self, EncoderError> {
        let runtime = load_runtime(settings)?;
        let session_error = |source| EncoderError::Session {
            path: weights.path().to_owned(),
            source,
        };

        let folder = weights.path().parent().and_then(|folder| folder.to_str());
        let folder = folder.ok_or_else(|| {
            EncoderError::content(
                weights.path(),
                "move it: its folder's name is not valid text",
            )
        })?;

        let builder =
            configure_session(&runtime, folder, settings.threads).map_err(session_error)?;
        let mut builder = select_device(builder, settings.device)?;
        Ok(Self(Mutex::new(
            builder.commit_from_memory(graph).map_err(session_error)?,
        )))
    }

    /// Computes a batch and hands each output of the graph to `take`. The outputs of the encoder's own graph are each
    /// layer's vectors, `[rows × length, width]`.
    ///
    /// # Errors
    /// The library fails, for example because memory runs out.
    pub(crate) fn run(
        &self,
        batch: EncoderBatch,
        take: impl FnMut(usize, &[f32]),
    ) -> Result<(), EncoderError> {
        self.compute(build_inputs(batch).map_err(EncoderError::Run)?, take)
    }

    /// Runs the graph on matrices, each with its name, rows and values row by row, and hands each output to `take`.
    ///
    /// # Errors
    /// As for [`Self::run`].
    pub(crate) fn run_matrices(
        &self,
        matrices: Vec<(&'static str, usize, Vec<f32>)>,
        take: impl FnMut(usize, &[f32]),
    ) -> Result<(), EncoderError> {
        let inputs: Result<_, ort::Error> = matrices
            .into_iter()
            .map(|(name, rows, values)| {
                let shape = [rows, values.len() / rows.max(1)];
                Ok((name.into(), Tensor::from_array((shape, values))?.into()))
            })
            .collect();
        self.compute(inputs.map_err(EncoderError::Run)?, take)
    }

    fn compute(
        &self,
        inputs: Vec<(Cow<'_, str>, SessionInputValue<'_>)>,
        mut take: impl FnMut(usize, &[f32]),
    ) -> Result<(), EncoderError> {
        // A failed batch leaves no state behind that could affect the next one.
        let mut model = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let outputs = model.run(inputs).map_err(EncoderError::Run)?;
        for (output, (_, values)) in outputs.iter().enumerate() {
            let (_, values) = values
                .try_extract_tensor::<f32>()
                .map_err(EncoderError::Run)?;
            take(output, values);
        }
        Ok(())
    }
}

fn build_inputs(
    batch: EncoderBatch,
) -> Result<Vec<(Cow<'static, str>, SessionInputValue<'static>)>, ort::Error> {
    let EncoderBatch { rows, length, .. } = batch;
    let first = i64::try_from(batch.first_position).unwrap_or_default();
    let positions: Vec<i64> = (first..).take(length).collect();

    let [pieces, mask, places] = INPUTS;
    let mut inputs = ort::inputs![
        pieces => Tensor::from_array(([rows, length], batch.pieces))?,
        mask => Tensor::from_array(([rows, 1, 1, length], batch.mask))?,
        places => Tensor::from_array(([length], positions))?,
    ];
    if let Some(types) = batch.types {
        let types = Tensor::from_array(([rows, length], types))?;
        inputs.push((TYPES.into(), types.into()));
    }
    Ok(inputs)
}

fn load_runtime(settings: &EncoderOptions) -> Result<Environment, EncoderError> {
    let mut runtime = RUNTIME.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(environment) = &*runtime {
        return Ok(environment.clone());
    }

    let builder = ort::init_from(&settings.runtime)
        .map_err(|error| runtime_error(settings, error.to_string()))?;
    let environment = builder
        .with_name("rankrate")
        .with_telemetry(false)
        .build()
        .map_err(|error| runtime_error(settings, error))?;
    Ok(runtime.insert(environment).clone())
}

fn runtime_error(
    settings: &EncoderOptions,
    source: impl Into<Box<dyn std::error::Error + Send + Sync>>,
) -> EncoderError {
    EncoderError::Runtime {
        path: settings.runtime.clone(),
        source: source.into(),
    }
}

fn configure_session(
    runtime: &Environment,
    folder: &str,
    threads: usize,
) -> Result<SessionBuilder, ort::Error> {
    Ok(Model::builder(runtime)?
        .with_intra_threads(threads)?
        // Spinning threads take a third more CPU from the server.
        .with_intra_op_spinning(false)?
        // Texts differ in length: a memory plan for one batch rarely fits the next.
        .with_memory_pattern(false)?
        .with_config_entry(
            "session.model_external_initializers_file_folder_path",
            folder,
        )?)
}

fn select_device(
    builder: SessionBuilder,
    device: EncoderDevice,
) -> Result<SessionBuilder, EncoderError> {
    let EncoderDevice::Cuda(number) = device else {
        return Ok(builder);
    };
    let cuda = ep::CUDA::default()
        .with_device_id(number.into())
        .build()
        .error_on_failure();
    builder
        .with_execution_providers([cuda])
        .map_err(|error| EncoderError::Device {
            device: number,
            source: error.into(),
        })
}
