//! The encoder, where its library and model are fetched.

use std::path::Path;

use learn::encoder::{Encoder, EncoderDevice, EncoderOptions, library_name};
use testdata::{are_fetched, tool_path};

/// Where library and model are, or should be.
pub(crate) fn settings() -> EncoderOptions {
    let runtime = Path::new("runtime").join(library_name());
    EncoderOptions {
        folder: tool_path("RANKRATE_ENCODER", "encoder"),
        runtime: tool_path("RANKRATE_RUNTIME", runtime),
        threads: 2,
        device: EncoderDevice::Cpu,
        cache_mib: 0,
    }
}

/// The settings, if library and model are there.
pub(crate) fn available() -> Option<EncoderOptions> {
    let settings = settings();
    let model = settings.folder.join("model.safetensors");
    are_fetched(&[&model, &settings.runtime]).then_some(settings)
}

/// The encoder, if library and model are there.
pub(crate) fn encoder() -> Option<Encoder> {
    available().map(|settings| Encoder::open(&settings).unwrap_or_else(|error| panic!("{error}")))
}
