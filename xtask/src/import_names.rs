//! Shortens the names under which WebAssembly and its script know each other's functions.

use std::{fs, path::Path};

use anyhow::{Context as _, Result, ensure};
use walrus::{Import, Module};

/// Replaces the names of imported functions by numbers.
///
/// `wasm-bindgen` ends each of several hundred names with a hash, which does not compress, in two files.
pub(crate) fn shorten(wasm: &Path, script: &Path) -> Result<()> {
    let mut module = Module::from_file(wasm)
        .with_context(|| format!("{} is not WebAssembly", wasm.display()))?;
    let mut text = fs::read_to_string(script)?;

    let from_script = |import: &&mut Import| import.module == "./app_bg.js";
    for (number, import) in module.imports.iter_mut().filter(from_script).enumerate() {
        let property = format!(" {}: function(", import.name);
        ensure!(
            text.matches(&property).count() == 1,
            "the script does not define the import {} once: wasm-bindgen writes it differently now",
            import.name
        );
        import.name = format!("i{number}");
        text = text.replace(&property, &format!(" i{number}: function("));
    }

    fs::write(script, text)?;
    module.emit_wasm_file(wasm)
}
