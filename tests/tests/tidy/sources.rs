//! The source code, as the checks read it.

use std::{
    fs,
    path::{Path, PathBuf},
};

use proc_macro2::{TokenStream, TokenTree};

/// The crates, with the folders of their code.
pub(crate) const CRATES: [(&str, &str); 10] = [
    ("domain", "crates/domain/src"),
    ("formats", "crates/formats/src"),
    ("learn", "crates/learn/src"),
    ("store", "crates/store/src"),
    ("tensor", "crates/tensor/src"),
    ("service", "crates/service/src"),
    ("app", "app/src"),
    ("pages", "pages/src"),
    ("server", "server/src"),
    ("xtask", "xtask/src"),
];

/// The folders of what people see.
pub(crate) const INTERFACE: [&str; 2] = ["app/src", "pages/src"];

pub(crate) fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .parent()
        .expect("the workspace")
        .to_owned()
}

pub(crate) fn read(path: &Path) -> String {
    fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// Calls `check` with each Rust file below `folder`, its path from the root and its text.
pub(crate) fn each_source(folder: &str, check: impl FnMut(&str, &str)) {
    each_file(folder, "rs", check);
}

/// Calls `check` with each file of an extension below `folder`, its path from the root and its text.
pub(crate) fn each_file(folder: &str, wanted: &str, mut check: impl FnMut(&str, &str)) {
    let mut folders = vec![root().join(folder)];
    let mut files = 0;

    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).unwrap_or_else(|e| panic!("{}: {e}", folder.display())) {
            let path = entry.expect("a folder can be listed").path();
            if path.is_dir() && !path.ends_with("target") {
                folders.push(path);
            } else if path
                .extension()
                .is_some_and(|extension| extension == wanted)
            {
                let below = path.strip_prefix(root()).expect("it is below the root");
                check(&below.to_string_lossy().replace('\\', "/"), &read(&path));
                files += 1;
            }
        }
    }

    assert!(files > 0, "{folder} has no .{wanted} file: was it moved?");
}

/// A file's tokens: without comments, and with each text as one.
pub(crate) fn tokens(source: &str) -> TokenStream {
    source.parse().expect("the compiler takes it")
}

pub(crate) fn any_token(tokens: &TokenStream, is: &mut dyn FnMut(&TokenTree) -> bool) -> bool {
    any_group(tokens, &mut |group| group.iter().any(&mut *is))
}

/// Whether `is` holds for the whole or for the contents of any pair of brackets.
pub(crate) fn any_group(tokens: &TokenStream, is: &mut dyn FnMut(&[TokenTree]) -> bool) -> bool {
    let group: Vec<TokenTree> = tokens.clone().into_iter().collect();
    is(&group)
        || group.iter().any(|token| match token {
            TokenTree::Group(inner) => any_group(&inner.stream(), is),
            _ => false,
        })
}
