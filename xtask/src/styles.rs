//! The style sheet of the site.

use std::{fs, path::Path};

use anyhow::{Context as _, Result};

/// Concatenates the style sheets that `main.css` imports, in its order, without comments and indentation: both are
/// a fifth of what a browser would load.
///
/// `main.css` is plain CSS with one line `@import "file.css";` for each of them, so it also works unbundled.
pub(crate) fn bundle(folder: &Path) -> Result<String> {
    let main = fs::read_to_string(folder.join("main.css"))?;
    main.lines()
        .filter_map(|line| line.trim().strip_prefix("@import \"")?.strip_suffix("\";"))
        .map(|name| {
            fs::read_to_string(folder.join(name))
                .map(|css| without_comments(&css))
                .with_context(|| format!("style/main.css imports {name}, which cannot be read"))
        })
        .collect()
}

/// The style sheet without comments, indentation and empty lines. No text in quotes may hold `/*`.
fn without_comments(css: &str) -> String {
    let mut parts = css.split("/*");
    let mut rules = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        rules.push_str(part.split_once("*/").map_or("", |(_, rest)| rest));
    }
    let lines = rules.lines().map(str::trim).filter(|line| !line.is_empty());
    lines.flat_map(|line| [line, "\n"]).collect()
}

#[cfg(test)]
mod tests {
    use super::without_comments;

    #[test]
    fn rules_stay_and_comments_go() {
        let css =
            "/* Links.\n   Two lines. */\na {\n  color: red; /* here */\n\n  margin: 0 auto;\n}\n";
        assert_eq!(
            without_comments(css),
            "a {\ncolor: red;\nmargin: 0 auto;\n}\n"
        );
    }
}
