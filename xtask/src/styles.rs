//! The style sheets of the site.

use std::{fs, path::Path};

use anyhow::{Context as _, Result};

/// Concatenates the style sheets that `list` imports, in its order.
///
/// The list is plain CSS with one line `@import "file.css";` per sheet, so it also works unbundled.
pub(crate) fn bundle(list: &Path) -> Result<String> {
    let folder = list.parent().unwrap_or(list);
    fs::read_to_string(list)?
        .lines()
        .filter_map(|line| line.trim().strip_prefix("@import \"")?.strip_suffix("\";"))
        .map(|name| {
            fs::read_to_string(folder.join(name))
                .with_context(|| format!("{} imports {name}, which cannot be read", list.display()))
        })
        .collect()
}
