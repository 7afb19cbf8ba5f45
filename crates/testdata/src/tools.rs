//! Where tests find the tools that `scripts/tools.sh` fetches.

use std::{
    env,
    path::{Path, PathBuf},
};

/// The path of a tool: the one that the environment variable names, or else `fetched` in the folder of tools.
pub fn tool_path(variable: &str, fetched: impl AsRef<Path>) -> PathBuf {
    env::var_os(variable).map_or_else(|| tools_folder().join(fetched), PathBuf::from)
}

fn tools_folder() -> PathBuf {
    env::var_os("RANKRATE_TOOLS").map_or_else(
        || Path::new(env!("CARGO_MANIFEST_DIR")).join("../../.tools"),
        PathBuf::from,
    )
}

/// Whether all these paths exist. If one is missing, prints that the test is skipped, or fails if `CI` is
/// set.
pub fn are_fetched(paths: &[&Path]) -> bool {
    let Some(missing) = paths.iter().find(|path| !path.exists()) else {
        return true;
    };
    let reason = format!(
        "there is no {}; source scripts/tools.sh and run: runtime && encoder && frequencies",
        missing.display()
    );
    assert!(env::var_os("CI").is_none(), "{reason}");
    eprintln!("skipped: {reason}");
    false
}
