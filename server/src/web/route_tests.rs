//! Routes that are neither pages nor server functions: each is in a table that says who may use it.

use std::{collections::BTreeSet, fs, path::Path};

use super::former_member_tests::{PAGES, UPLOADS, plain};

/// Routes for everybody, which reveal nothing about any study.
const OPEN: [&str; 2] = ["/health", "/pkg/{}"];

/// The routes found in the source code, since axum cannot list them: the file's name and the text after `.route(`.
fn routes_in_source() -> Vec<(String, String)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/web");
    let mut routes = vec![];
    for entry in fs::read_dir(&folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        if !name.ends_with(".rs") || name.ends_with("_tests.rs") {
            continue;
        }

        let text = fs::read_to_string(&path).unwrap();
        let code = text.split("#[cfg(test)]\nmod tests {").next().unwrap();

        // The routes of the HTTP API are in the table of its own tests.
        let code = &code.replace(".nest_service(api::PATH, api)", "");
        for other in [".nest(", ".nest_service(", ".route_service("] {
            assert!(
                !code.contains(other),
                "{name} adds routes by `{other}`: add them by `.route(\"/path\", …)`, which this test reads"
            );
        }

        let added = code.split(".route(").skip(1);
        routes.extend(added.map(|rest| (name.clone(), rest.trim_start().to_owned())));
    }
    routes
}

#[test]
fn each_route_is_in_a_table() {
    let mut known: BTreeSet<_> = PAGES.iter().map(|(path, _)| plain(path)).collect();
    known.extend(UPLOADS.map(|(endpoint, _)| format!("/api/{endpoint}")));
    known.extend(OPEN.map(str::to_owned));

    let mut found = 0;
    for (name, code) in routes_in_source() {
        // This adds one route for each file of the interface.
        if name == "assets.rs" && code.starts_with("&format!(\"/{name}\")") {
            continue;
        }

        let literal = code
            .strip_prefix('"')
            .and_then(|rest| rest.split('"').next());
        let Some(path) = literal else {
            panic!("{name} adds a route whose path is not written out there: write it out");
        };

        assert!(
            known.contains(&plain(path)),
            "the route {path} of {name} is in no table: say in PAGES or UPLOADS of \
             former_member_tests.rs who may use it, or in OPEN here that everybody may"
        );
        found += 1;
    }

    assert!(
        found >= 8,
        "only {found} routes were found: were they moved?"
    );
}
