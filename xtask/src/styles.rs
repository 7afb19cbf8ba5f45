//! The style sheet of the site.

use std::{fs, path::Path};

use anyhow::{Context as _, Result};

/// Concatenates the style sheets that `main.css` imports, in its order.
///
/// `main.css` is plain CSS with one line `@import "file.css";` for each of them, so it also works unbundled.
pub(crate) fn bundle(folder: &Path) -> Result<String> {
    let main = fs::read_to_string(folder.join("main.css"))?;
    main.lines()
        .filter_map(|line| line.trim().strip_prefix("@import \"")?.strip_suffix("\";"))
        .map(|name| {
            fs::read_to_string(folder.join(name))
                .with_context(|| format!("style/main.css imports {name}, which cannot be read"))
        })
        .collect()
}
