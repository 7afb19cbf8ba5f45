//! ONNX Runtime: its library, loaded once, and a model in it.

use std::sync::{Mutex, PoisonError};

use ort::{
    environment::Environment,
    ep,
    session::{Session as Model, builder::SessionBuilder},
    value::Tensor,
};

use super::{Device, EncoderError, Settings, graph::INPUTS, weights::Weights};

/// The library can be loaded once in a process; whoever asks later gets the same.
static RUNTIME: Mutex<Option<Environment>> = Mutex::new(None);

/// A model ready to compute. One batch is computed at a time, by as many threads as were set.
pub(super) struct Session(Mutex<Model>);

/// Windows filled up to the same length.
pub(super) struct Batch {
    /// How many windows.
    pub rows: usize,
    /// How many pieces each.
    pub length: usize,
    /// All pieces, one window after the other.
    pub pieces: Vec<i64>,
    /// What is added to attention's grades for each piece: 0, or very low for padding.
    pub mask: Vec<f32>,
    /// The number of the first position.
    pub first_position: usize,
}

impl Session {
    /// Loads the library if need be, and the model of which `graph` is the ONNX file.
    ///
    /// # Errors
    /// There is no such library or device, or the library refuses the model.
    pub(super) fn open(
        graph: &[u8],
        weights: &Weights,
        settings: &Settings,
    ) -> Result<Self, EncoderError> {
        let runtime = runtime(settings)?;
        let refused = |source| EncoderError::Session {
            path: weights.path().to_owned(),
            source,
        };
        let folder = weights.path().parent().and_then(|folder| folder.to_str());
        let folder = folder.ok_or_else(|| {
            EncoderError::content(
                weights.path(),
                "move it: its folder's name is no valid text",
            )
        })?;
        let builder = options(&runtime, folder, settings.threads).map_err(refused)?;
        let mut builder = on_device(builder, settings.device)?;
        Ok(Self(Mutex::new(
            builder.commit_from_memory(graph).map_err(refused)?,
        )))
    }

    /// Computes a batch and hands each layer's vectors `[rows × length, width]` to `take`.
    ///
    /// # Errors
    /// The library fails, for want of memory for example.
    pub(super) fn run(
        &self,
        batch: Batch,
        mut take: impl FnMut(usize, &[f32]),
    ) -> Result<(), EncoderError> {
        let run = || {
            let Batch { rows, length, .. } = batch;
            let first = i64::try_from(batch.first_position).unwrap_or_default();
            let positions: Vec<i64> = (first..).take(length).collect();
            let [pieces, mask, places] = INPUTS;
            let inputs = ort::inputs![
                pieces => Tensor::from_array(([rows, length], batch.pieces))?,
                mask => Tensor::from_array(([rows, 1, 1, length], batch.mask))?,
                places => Tensor::from_array(([length], positions))?,
            ];
            // A batch that broke off leaves nothing behind that the next could trip over.
            let mut model = self.0.lock().unwrap_or_else(PoisonError::into_inner);
            for (layer, (_, vectors)) in model.run(inputs)?.iter().enumerate() {
                take(layer, vectors.try_extract_tensor::<f32>()?.1);
            }
            Ok(())
        };
        run().map_err(EncoderError::Run)
    }
}

fn runtime(settings: &Settings) -> Result<Environment, EncoderError> {
    let mut runtime = RUNTIME.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(environment) = &*runtime {
        return Ok(environment.clone());
    }
    let failed = |source: Box<dyn std::error::Error + Send + Sync>| EncoderError::Runtime {
        path: settings.runtime.clone(),
        source,
    };
    let builder =
        ort::init_from(&settings.runtime).map_err(|error| failed(error.to_string().into()))?;
    let environment = builder
        .with_name("rankrate")
        .with_telemetry(false)
        .build()
        .map_err(|error| failed(error.into()))?;
    Ok(runtime.insert(environment).clone())
}

fn options(
    runtime: &Environment,
    folder: &str,
    threads: usize,
) -> Result<SessionBuilder, ort::Error> {
    Ok(Model::builder(runtime)?
        .with_intra_threads(threads)?
        // Threads that wait for work in a loop take a third more CPU from the server.
        .with_intra_op_spinning(false)?
        // Texts differ in length: what was planned for one batch rarely fits the next.
        .with_memory_pattern(false)?
        .with_config_entry(
            "session.model_external_initializers_file_folder_path",
            folder,
        )?)
}

fn on_device(builder: SessionBuilder, device: Device) -> Result<SessionBuilder, EncoderError> {
    let Device::Cuda(number) = device else {
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
