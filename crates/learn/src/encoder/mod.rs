//! The sentence encoder: words in, vectors of every layer out.
//!
//! A BERT- or RoBERTa-like model runs in ONNX Runtime. The graph is made here from the model's
//! `config.json` and the header of its weights; the weights stay in their file. Calls take up to
//! seconds and all the threads that were set: make them from a blocking thread.
//!
//! *Architecture invariant*: nothing here is downloaded. Without library or model, `Encoder::open`
//! is an error that says what to do, and the caller aligns without vectors.

pub(crate) mod batches;
mod cache;
pub(crate) mod config;
mod encoded_text;
mod error;
pub(crate) mod families;
pub(crate) mod graph;
mod model;
pub(crate) mod onnx;
mod protobuf;
pub(crate) mod session;
pub(crate) mod weights;
pub(crate) mod word_pieces;

use std::{
    collections::{HashMap, HashSet},
    env::consts::{DLL_PREFIX, DLL_SUFFIX},
    fmt,
    path::PathBuf,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use self::{
    cache::{EncodingCache, EncodingCacheKey, hash_words},
    model::EncoderModel,
};
pub use self::{encoded_text::EncodedText, error::EncoderError};

/// The files and resources of an encoder.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EncoderOptions {
    /// The folder with `model.safetensors`, `config.json` and `tokenizer.json`.
    pub folder: PathBuf,
    /// ONNX Runtime's library. A bare file name is looked for next to the executable, then where the system looks for
    /// libraries. The first encoder of a process decides for all.
    pub runtime: PathBuf,
    /// The number of threads; 0 for one per core.
    pub threads: usize,
    /// The device.
    pub device: EncoderDevice,
    /// The size of the cache of vectors in MiB; 0 for none. A sentence of 28 words takes 0.3 MiB in the
    /// default model.
    pub cache_mib: usize,
}

/// The device.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum EncoderDevice {
    /// The processor.
    #[default]
    Cpu,
    /// The CUDA graphics processor of that number.
    Cuda(u16),
}

/// The file name of ONNX Runtime's library on this system.
#[must_use]
pub fn library_name() -> String {
    format!("{DLL_PREFIX}onnxruntime{DLL_SUFFIX}")
}

/// A sentence encoder. Clones share the model and the cache.
#[derive(Clone)]
pub struct Encoder(Arc<SharedEncoder>);

struct SharedEncoder {
    model: EncoderModel,
    cache: Mutex<EncodingCache>,
}

impl Encoder {
    /// Opens the model; takes about a second.
    ///
    /// # Errors
    /// A file is missing or not what it should be, the library or the device is missing, or the library refuses the
    /// model. Each error says what to do.
    pub fn open(settings: &EncoderOptions) -> Result<Self, EncoderError> {
        Ok(Self(Arc::new(SharedEncoder {
            model: EncoderModel::open(settings)?,
            cache: Mutex::new(EncodingCache::new(settings.cache_mib << 20)),
        })))
    }

    /// The number of layers of vectors: the embeddings and each layer of attention.
    #[must_use]
    pub fn layers(&self) -> usize {
        self.0.model.layers()
    }

    /// The number of elements of a vector.
    #[must_use]
    pub fn width(&self) -> usize {
        self.0.model.config.width
    }

    /// The name of the model, for versions of results: kind, layers × width and the first
    /// twelve digits of the SHA-256 of its weights.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.0.model.name
    }

    /// The vectors of all words of each text; texts are given as words.
    ///
    /// Up to rounding, the vectors of a text do not depend on the other texts of the call. Texts longer than the model
    /// takes are computed in windows that overlap by a quarter. All vectors are held in memory at once: pass some
    /// hundred texts at a time.
    ///
    /// # Errors
    /// The tokenizer or the computation fails.
    pub fn encode(&self, texts: &[&[&str]]) -> Result<Vec<Arc<EncodedText>>, EncoderError> {
        let keys: Vec<EncodingCacheKey> = texts.iter().map(|words| hash_words(words)).collect();
        let mut encodings = self.find_cached(&keys);

        let mut new_keys = HashSet::new();
        let (new, texts): (Vec<&EncodingCacheKey>, Vec<&[&str]>) = keys
            .iter()
            .zip(texts.iter().copied())
            .filter(|(key, _)| !encodings.contains_key(*key) && new_keys.insert(**key))
            .unzip();

        for (key, encoded) in new.into_iter().zip(self.0.model.compute(&texts)?) {
            let encoded = Arc::new(encoded);
            self.lock_cache().put(*key, &encoded);
            encodings.insert(*key, encoded);
        }

        Ok(keys.iter().map(|key| Arc::clone(&encodings[key])).collect())
    }

    /// Drops all cached vectors. Until then a text keeps the vectors of its first call, whose last digits depend on the
    /// other texts of that call.
    pub fn clear_cache(&self) {
        self.lock_cache().clear();
    }

    fn find_cached(
        &self,
        keys: &[EncodingCacheKey],
    ) -> HashMap<EncodingCacheKey, Arc<EncodedText>> {
        let mut cache = self.lock_cache();
        keys.iter()
            .filter_map(|key| Some((*key, cache.get(key)?)))
            .collect()
    }

    fn lock_cache(&self) -> MutexGuard<'_, EncodingCache> {
        // After a panic with the lock held the cache is intact, if perhaps miscounted.
        self.0.cache.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl fmt::Debug for Encoder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Encoder").field(&self.0.model.name).finish()
    }
}

impl EncoderDevice {
    /// The most pieces of a batch. More do not fit the processor's caches (on two cores, 512 take a tenth less time
    /// than 1024); fewer leave a graphics processor idle.
    fn pieces_at_once(self) -> usize {
        match self {
            Self::Cpu => 512,
            Self::Cuda(_) => 16 * 1024,
        }
    }
}
