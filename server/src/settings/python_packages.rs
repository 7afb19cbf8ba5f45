//! Models and libraries that were installed with the program as Python packages.
//!
//! `pip install` puts the program into the folder `bin` of an environment, and its dependencies into the same
//! environment's folder of packages. So the program finds them wherever the environment is, without Python.

use std::{
    env::consts::{DLL_PREFIX, DLL_SUFFIX},
    fs,
    path::{Path, PathBuf},
};

use learn::metric::FREQUENCIES_FILE;

/// The folder of the encoder in the package `rankrate-encoder`.
pub(super) fn find_encoder() -> Option<PathBuf> {
    let folders = program_packages().into_iter();
    let mut folders = folders.map(|packages| packages.join("rankrate_encoder/model"));
    folders.find(|folder| folder.is_dir())
}

/// The list of word frequencies in the package `wordfreq`.
pub(super) fn find_frequencies() -> Option<PathBuf> {
    let folders = program_packages().into_iter();
    let mut files = folders.map(|packages| packages.join("wordfreq/data").join(FREQUENCIES_FILE));
    files.find(|file| file.is_file())
}

/// The library in the package `onnxruntime`, whose file name contains its version.
pub(super) fn find_runtime() -> Option<PathBuf> {
    let folders = program_packages().into_iter();
    folders
        .map(|packages| packages.join("onnxruntime/capi"))
        .find_map(|folder| find_library(&folder))
}

fn find_library(folder: &Path) -> Option<PathBuf> {
    let start = format!("{DLL_PREFIX}onnxruntime.");
    let is_library = |name: &str| name.starts_with(&start) && name.contains(DLL_SUFFIX);
    list(folder)
        .into_iter()
        .find(|path| file_name(path).is_some_and(is_library))
}

/// The package folders of the environment that the program is installed in.
fn program_packages() -> Vec<PathBuf> {
    let program = std::env::current_exe().and_then(fs::canonicalize);
    let environment = program.ok().and_then(|program| {
        let folder = program.parent()?;
        Some(folder.parent()?.to_owned())
    });
    environment.map_or_else(Vec::new, |environment| environment_packages(&environment))
}

fn environment_packages(environment: &Path) -> Vec<PathBuf> {
    let libraries = ["lib", "lib64"].map(|name| environment.join(name));
    let versions = libraries.iter().flat_map(|library| list(library));
    let versions =
        versions.filter(|path| file_name(path).is_some_and(|name| name.starts_with("python")));
    let of_version =
        |version: PathBuf| ["site-packages", "dist-packages"].map(|name| version.join(name));

    let mut folders: Vec<PathBuf> = versions.flat_map(of_version).collect();
    folders.push(environment.join("Lib/site-packages"));
    // `pip install --target` puts packages next to the folder of programs.
    folders.push(environment.to_owned());
    folders
}

/// The entries of a folder in the order of their names; none if it cannot be read.
fn list(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.path()).collect();
    paths.sort();
    paths
}

fn file_name(path: &Path) -> Option<&str> {
    path.file_name()?.to_str()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn packages_of_an_environment_are_found() {
        let environment = tempfile::tempdir().expect("a folder can be made");
        let make = |name: &str| {
            let path = environment.path().join(name);
            fs::create_dir_all(&path).expect("a folder can be made");
            path
        };
        let packages = make("lib/python3.14/site-packages");
        make("lib/terminfo");
        let found = environment_packages(environment.path());
        assert!(found.contains(&packages), "{found:?}");
        assert!(
            !found
                .iter()
                .any(|path| path.starts_with(environment.path().join("lib/terminfo")))
        );

        let capi = make("lib/python3.14/site-packages/onnxruntime/capi");
        assert_eq!(find_library(&capi), None);
        for name in ["onnxruntime_providers_shared", "onnxruntime.1.2.3"] {
            let name = format!("{DLL_PREFIX}{name}{DLL_SUFFIX}");
            fs::write(capi.join(name), "").expect("written");
        }
        let library = find_library(&capi).expect("the library is there");
        assert!(library.ends_with(format!("{DLL_PREFIX}onnxruntime.1.2.3{DLL_SUFFIX}")));
    }
}
