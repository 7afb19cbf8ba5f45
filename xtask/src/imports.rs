//! `cargo xtask imports`: checks what the browser's part depends on.

use std::{env, process::Command};

use anyhow::{Result, ensure};

use crate::workspace_root;

/// Large crates that the server may use, but the browser must not load.
///
/// `regex` is a dependency of Leptos' reader of Cargo.toml, which nothing in the browser calls, so that
/// dependency is left out of the search.
const FORBIDDEN: [&str; 5] = ["csv", "nalgebra", "rayon", "regex", "sqlx"];
const NEVER_CALLED: &str = "leptos_config";

/// Fails if the browser's part depends on a forbidden crate.
pub(crate) fn check() -> Result<()> {
    let tree = Command::new(env::var_os("CARGO").unwrap_or_else(|| "cargo".into()))
        .current_dir(workspace_root())
        .args([
            "tree",
            "--package",
            "app",
            "--features",
            "hydrate",
            "--edges",
            "normal",
        ])
        .args([
            "--target",
            "wasm32-unknown-unknown",
            "--prefix",
            "none",
            "--format",
            "{p}",
        ])
        .args(["--prune", NEVER_CALLED])
        .output()?;

    ensure!(
        tree.status.success(),
        "{}",
        String::from_utf8_lossy(&tree.stderr)
    );
    let tree = String::from_utf8(tree.stdout)?;

    for name in FORBIDDEN {
        let is_imported = tree
            .lines()
            .any(|line| line.split(' ').next() == Some(name));
        ensure!(
            !is_imported,
            "the browser's part imports {name}; find out through which crate with: cargo tree \
             -p app --features hydrate --target wasm32-unknown-unknown -i {name}"
        );
    }
    Ok(())
}
