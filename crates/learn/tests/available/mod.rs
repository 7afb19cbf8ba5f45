//! The encoder, where its library and model are fetched.

use std::{
    env,
    path::{Path, PathBuf},
};

use learn::encoder::{Encoder, EncoderDevice, EncoderOptions, library_name};

/// Where library and model are, or should be.
fn settings() -> EncoderOptions {
    let tools = env::var_os("RANKRATE_TOOLS").map_or_else(
        || PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../.tools"),
        PathBuf::from,
    );
    let from = |name, default| env::var_os(name).map_or(default, PathBuf::from);
    EncoderOptions {
        folder: from("RANKRATE_ENCODER", tools.join("encoder")),
        runtime: from(
            "RANKRATE_RUNTIME",
            tools.join("runtime").join(library_name()),
        ),
        threads: 2,
        device: EncoderDevice::Cpu,
        cache_mib: 0,
    }
}

/// The settings, if library and model are there.
#[allow(dead_code, reason = "not every test needs it")]
pub(crate) fn available() -> Option<EncoderOptions> {
    let settings = settings();
    there(&[
        settings.folder.join("model.safetensors"),
        settings.runtime.clone(),
    ])
    .then_some(settings)
}

/// The settings with another model in `folder`, if the library is there.
#[allow(dead_code, reason = "not every test needs it")]
pub(crate) fn with_model(folder: &Path) -> Option<EncoderOptions> {
    let settings = EncoderOptions {
        folder: folder.to_owned(),
        ..settings()
    };
    there(std::slice::from_ref(&settings.runtime)).then_some(settings)
}

fn there(needed: &[PathBuf]) -> bool {
    let Some(missing) = needed.iter().find(|path| !path.exists()) else {
        return true;
    };
    let reason = format!(
        "there is no {}; run `runtime` and `encoder` of scripts/tools.sh",
        missing.display()
    );
    assert!(env::var_os("CI").is_none(), "{reason}");
    eprintln!("skipped: {reason}");
    false
}

/// The encoder, if library and model are there.
#[allow(dead_code, reason = "not every test needs it")]
pub(crate) fn encoder() -> Option<Encoder> {
    available().map(|settings| Encoder::open(&settings).unwrap_or_else(|error| panic!("{error}")))
}
