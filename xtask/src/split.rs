//! Splits the browser's part into the module that the page opens with, and that of the workspace's later
//! steps.

use std::{fs, path::Path};

use anyhow::{Result, anyhow, ensure};
use wasm_split_cli_support::{Options, transform};

/// The name of the later steps' module, without its extension.
pub(crate) const LATER_STEPS: &str = "split_later_steps";
/// The script that `wasm-split` writes, which fetches the later steps.
const LOADER: &str = "loader.js";

/// Splits a compiled module: writes the later steps' module and the script that loads it, and returns the
/// rest for `wasm-bindgen`.
pub(crate) fn split(wasm: &Path, pkg: &Path) -> Result<Vec<u8>> {
    let whole = fs::read(wasm)?;
    let first = pkg.join("first.wasm");

    let mut options = Options::new(&whole);
    options.output_dir = pkg;
    options.main_out_path = &first;
    options.link_name = LOADER;
    let parts = transform(options).map_err(|error| anyhow!("wasm-split failed: {error:?}"))?;

    let only = pkg.join(LATER_STEPS).with_extension("wasm");
    ensure!(
        parts.split_modules == [only],
        "the browser's part was split into {:?}, where one module is expected",
        parts.split_modules
    );

    let rest = fs::read(&first)?;
    fs::remove_file(first)?;
    Ok(rest)
}

/// Moves the loading script into the main one, which has a function that it needs: if two scripts named each
/// other, neither could have its hash in its name.
pub(crate) fn join_scripts(pkg: &Path, later_steps: &str) -> Result<()> {
    let file = later_steps.rsplit('/').next().unwrap_or_default();
    let (main, loader) = (pkg.join("app.js"), pkg.join(LOADER));
    let mut script = fs::read_to_string(&main)?;
    let loading = fs::read_to_string(&loader)?;

    let (body, function) = loading
        .split_once('\n')
        .filter(|(import, _)| import.starts_with("import { initSync }"))
        .and_then(|(_, rest)| rest.rsplit_once("export const "))
        .ok_or_else(|| anyhow!("wasm-split writes its script differently now"))?;

    let import = script
        .lines()
        .find(|line| line.starts_with("import ") && line.contains(LOADER))
        .ok_or_else(|| anyhow!("wasm-bindgen writes imports differently now"))?
        .to_owned();
    let module = import
        .strip_prefix("import * as ")
        .and_then(|rest| rest.split(' ').next())
        .ok_or_else(|| anyhow!("wasm-bindgen writes imports differently now: {import}"))?;

    let (name, value) = function
        .split_once(" = ")
        .ok_or_else(|| anyhow!("wasm-split writes its script differently now"))?;
    let name_of_file = format!("{LATER_STEPS}.wasm");
    let joined = format!(
        "{body}const {module} = {{ {name}: {} }};\n",
        value.trim_end().trim_end_matches(';')
    );

    ensure!(
        joined.matches(&name_of_file).count() == 1,
        "wasm-split names the module differently now"
    );

    script = script.replace(&import, "");
    script.push_str(&joined.replace(&name_of_file, file));
    fs::write(main, script)?;
    fs::remove_file(loader)?;
    Ok(())
}
