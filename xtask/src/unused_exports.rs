//! Removes unused exports of the browser's part.

use std::{fs, path::Path};

use anyhow::{Context as _, Result, ensure};
use walrus::{ExportId, Module};

/// Classes of `wasm-streams`, through which JavaScript reads streams that Rust writes. The browser's part
/// makes none of them, but exports them with all that they need.
const CLASSES: [&str; 3] = [
    "IntoUnderlyingByteSource",
    "IntoUnderlyingSink",
    "IntoUnderlyingSource",
];

/// Removes the classes from the module and its script.
pub(crate) fn remove(wasm: &Path, script: &Path) -> Result<()> {
    let mut module = Module::from_file(wasm)
        .with_context(|| format!("{} is not WebAssembly", wasm.display()))?;
    let mut text = fs::read_to_string(script)?;

    for class in CLASSES {
        // A class's functions begin with its name, or with a prefix and its name.
        let name = class.to_lowercase();
        let starts = [format!("{name}_"), format!("__wbg_{name}_")];
        let exports: Vec<ExportId> = module
            .exports
            .iter()
            .filter(|export| starts.iter().any(|start| export.name.starts_with(start)))
            .map(|export| export.id())
            .collect();
        ensure!(
            !exports.is_empty(),
            "the browser's part has no class {class} to remove"
        );

        exports
            .into_iter()
            .for_each(|export| module.exports.delete(export));
        for (start, end) in [
            (format!("export class {class} {{"), "\n}\n"),
            (format!("if (Symbol.dispose) {class}."), ";\n"),
            (format!("const {class}Finalization = "), ";\n"),
        ] {
            remove_between(&mut text, &start, end)?;
        }
    }

    fs::write(script, text)?;
    module.emit_wasm_file(wasm)
}

/// Removes the text from the only `start` to the next `end`, both included.
fn remove_between(text: &mut String, start: &str, end: &str) -> Result<()> {
    let missing = || format!("the script has no “{start}”: wasm-bindgen writes it differently now");
    let at = text.find(start).with_context(missing)?;
    let length = text[at..].find(end).with_context(missing)? + end.len();
    text.replace_range(at..at + length, "");
    ensure!(!text.contains(start), "the script has “{start}” twice");
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::remove_between;

    #[test]
    fn a_part_is_removed_and_a_missing_one_is_named() {
        let mut text = "a {\n b;\n}\nc".to_owned();
        remove_between(&mut text, "a {", "\n}\n").unwrap();
        assert_eq!(text, "c");
        let error = remove_between(&mut text, "a {", "}").unwrap_err();
        assert!(error.to_string().contains("“a {”"), "{error}");
    }
}
