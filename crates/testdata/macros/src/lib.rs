//! The attribute of tests that need released data.

use std::path::Path;

use proc_macro::{TokenStream, TokenTree};

/// Marks a test that reads released data from the named folders. If one is missing, the test is ignored with
/// the reason, unless `RANKRATE_REQUIRE_RELEASED` was set.
///
/// It belongs above `#[test]`, which would otherwise not see that the test is ignored.
#[proc_macro_attribute]
pub fn needs_released_data(folders: TokenStream, item: TokenStream) -> TokenStream {
    if !has_test_attribute(&item) {
        let error = "::core::compile_error!(\"needs_released_data belongs above #[test]\");";
        return error.parse().expect("a macro call");
    }

    let root = Path::new(env!("RELEASED_DATA"));
    let mut absent = folder_names(folders);
    absent.retain(|folder| !root.join(folder).is_dir());
    if absent.is_empty() || env!("RELEASED_REQUIRED") == "true" {
        return item;
    }

    let folders = absent.join(", ");
    let ignore =
        format!("#[ignore = \"needs the released data {folders}: see testdata/README.md\"]");
    let mut ignored: TokenStream = ignore.parse().expect("an attribute");
    ignored.extend(item);
    ignored
}

/// The string literals of a list, without their quotes.
fn folder_names(list: TokenStream) -> Vec<String> {
    let literals = list.into_iter().filter_map(|token| match token {
        TokenTree::Literal(name) => Some(name.to_string().trim_matches('"').to_owned()),
        _ => None,
    });
    literals.collect()
}

/// Whether an attribute such as `#[test]` or `#[tokio::test]` follows.
fn has_test_attribute(item: &TokenStream) -> bool {
    item.clone().into_iter().any(|token| {
        matches!(token, TokenTree::Group(group)
            if group.stream().into_iter().any(|word| word.to_string() == "test"))
    })
}

/// The path of the folder with the released data, as a string literal.
#[proc_macro]
pub fn released_folder(_: TokenStream) -> TokenStream {
    TokenTree::Literal(proc_macro::Literal::string(env!("RELEASED_DATA"))).into()
}
