//! The walls of ARCHITECTURE.md that the compiler does not hold.

mod modules;
mod sources;
mod words;

use std::{collections::BTreeSet, path::PathBuf, process::Command};

use proc_macro2::TokenTree;
use serde_json::Value;

use sources::{
    CRATES, INTERFACE, any_group, any_token, each_file, each_source, read, root, tokens,
};

/// Which of our packages each package may build on; those not listed may build on any.
const ARROWS: [(&str, &[&str]); 9] = [
    ("domain", &[]),
    ("formats", &["domain"]),
    ("store", &["domain"]),
    ("tensor", &[]),
    ("learn", &["domain", "formats", "tensor"]),
    ("service", &["domain", "formats", "store"]),
    ("app", &["domain", "formats", "service", "store"]),
    ("pages", &["app", "domain", "formats", "service", "store"]),
    ("xtask", &[]),
];

/// Packages that speak to a database, by the beginning of their names.
const DATABASES: [&str; 6] = [
    "sqlx",
    "rusqlite",
    "libsqlite3-sys",
    "postgres",
    "tokio-postgres",
    "diesel",
];

/// Packages that run or train models, by the beginning of their names.
const MODELS: [&str; 6] = ["ort", "burn", "candle", "tensor", "tract", "tokenizers"];

/// Packages that would make the browser's download large, or that do not build for it. A browser library
/// uses the channels of tokio alone; the rest of tokio comes with mio.
const NOT_IN_THE_BROWSER: [&str; 9] = [
    "service",
    "store",
    "formats",
    "learn",
    "csv",
    "rayon",
    "nalgebra",
    "mio",
    "sqlx_core",
];

#[test]
fn each_crate_builds_only_on_those_below_it() {
    let packages = load_packages();
    let ours: BTreeSet<_> = packages.iter().map(|package| &package.name[..]).collect();

    for (name, allowed) in ARROWS {
        // Some of them are still to come.
        let Some(package) = packages.iter().find(|package| package.name == name) else {
            continue;
        };
        for needed in package
            .needs
            .iter()
            .filter(|needed| ours.contains(&needed[..]))
        {
            assert!(
                allowed.contains(&&needed[..]),
                "{name} must not build on {needed}, only on {allowed:?}"
            );
        }
    }
}

#[test]
fn only_store_speaks_to_a_database_and_only_learn_runs_models() {
    for package in load_packages() {
        let WorkspacePackage { name, needs, .. } = &package;
        for needed in needs {
            let one_of = |names: &[&str]| names.iter().any(|start| begins(needed, start));
            // The stories write rows that no method of the store writes.
            let databases = ["store", "stories"].contains(&&name[..]);
            assert!(
                databases || !one_of(&DATABASES),
                "{name} must not use {needed}: ask store"
            );
            assert!(
                name == "learn" || !one_of(&MODELS),
                "{name} must not use {needed}: ask learn"
            );
        }
    }
}

/// Whether a package is one of a family: `sqlx` and `sqlx-core` are of `sqlx`, `sort` is not of
/// `ort`.
fn begins(package: &str, family: &str) -> bool {
    let rest = package.strip_prefix(family);
    rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(['-', '_']))
}

#[test]
fn the_browser_gets_nothing_heavy() {
    let domain = in_the_browser(&["-p", "domain"]);
    let app = in_the_browser(&[
        "-p",
        "app",
        "--no-default-features",
        "--features",
        "hydrate",
    ]);

    assert!(domain.contains("serde") && app.contains("leptos") && app.contains("domain"));
    for heavy in NOT_IN_THE_BROWSER {
        assert!(!domain.contains(heavy), "domain must not build on {heavy}");
        assert!(
            !app.contains(heavy),
            "the browser's part of app must not build on {heavy}"
        );
    }

    // Time and randomness are arguments. Leptos itself names regex, but the browser's part does not
    // reach it.
    for forbidden in ["regex", "getrandom", "rand", "chrono", "time", "tokio"] {
        assert!(
            !domain.contains(forbidden),
            "domain must not build on {forbidden}"
        );
    }
}

#[test]
fn domain_never_awaits() {
    each_source("crates/domain/src", |path, source| {
        assert!(!awaits(source), "{path} waits: domain is pure");
    });
    assert!(awaits("async fn a() {}") && awaits("fn a() { b(async { c.await }) }"));
    assert!(!awaits(
        "/// async\nfn a() { /* await */ \"async\"; b.awaits(); }"
    ));
}

fn awaits(source: &str) -> bool {
    any_token(
        &tokens(source),
        &mut |token| matches!(token, TokenTree::Ident(word) if word == "async" || word == "await"),
    )
}

#[test]
fn server_and_browser_part_only_where_server_functions_are() {
    for folder in ["app", "pages", "server", "crates", "xtask"] {
        each_source(folder, |path, source| {
            let allowed = path == "app/src/lib.rs"
                || path == "app/src/links/mod.rs"
                || path.starts_with("app/src/api/");
            assert!(
                allowed || !asks_for_ssr(source),
                "{path} asks for the feature ssr: only app/src/lib.rs, app/src/links and app/src/api/ may"
            );
        });
    }

    assert!(asks_for_ssr(
        "#[cfg(any(test, not(feature = \"ssr\")))] fn a() {}"
    ));
    assert!(asks_for_ssr("fn a() { if cfg!(feature = \"ssr\") {} }"));
    assert!(!asks_for_ssr(
        "// feature = \"ssr\"\n#[cfg(feature = \"hydrate\")] fn a() {}"
    ));
}

fn asks_for_ssr(source: &str) -> bool {
    any_group(&tokens(source), &mut |group| {
        group.windows(3).any(|three| {
            matches!(three, [TokenTree::Ident(word), TokenTree::Punct(equals), TokenTree::Literal(text)]
                if word == "feature" && equals.as_char() == '=' && text.to_string() == "\"ssr\"")
        })
    })
}

#[test]
fn answers_and_events_are_never_overwritten() {
    each_source("crates/store/src", |path, source| {
        // Erasures forget people and remove whole studies.
        if path.starts_with("crates/store/src/erasure/") {
            return;
        }
        if let Some(sql) = overwrites(source) {
            panic!("{path} overwrites what only grows: {sql}");
        }
    });

    assert!(overwrites("fn a() { b(\"UPDATE annotation\n SET value = 1\") }").is_some());
    assert!(overwrites("fn a() { b(\"DELETE FROM event WHERE at < $1\") }").is_some());
    assert!(overwrites("fn a() { b(\"UPDATE annotation SET current = 0, value = 1\") }").is_some());
    assert!(
        overwrites("fn a() { b(\"UPDATE annotation SET current = 0 WHERE id = $1\") }").is_none()
    );
    assert!(overwrites("fn a() { b(\"DELETE FROM stored_annotation WHERE id = $1\") }").is_some());
    assert!(overwrites("fn a() { b(\"UPDATE stored_annotation SET value = 1\") }").is_some());
    assert!(overwrites("fn a() { b(\"DELETE FROM audit_entry WHERE id = $1\") }").is_some());
    assert!(overwrites("fn a() { b(\"UPDATE audit_entry SET kind = $1\") }").is_some());
    assert!(overwrites("// DELETE FROM event\nfn a() { b(\"UPDATE study SET a = 1\") }").is_none());
}

/// The one deletion of answers outside of erasures: those of an import that never ended or was undone.
const UNSEEN: &str =
    "DELETE FROM annotation WHERE id IN (SELECT id FROM annotation WHERE import_id = $1";

/// The one deletion of entries of the log of changes: of all that are too old.
const EXPIRED: &str = "DELETE FROM audit_entry WHERE at < $1";

/// The first SQL text that deletes an answer, an event or an entry, or changes more of one than the mark
/// `current` of an answer.
fn overwrites(source: &str) -> Option<String> {
    let mut statement = None;
    any_token(&tokens(source), &mut |token| {
        let TokenTree::Literal(text) = token else {
            return false;
        };
        let text = text.to_string().replace("\\n", " ");
        let sql = text.split_whitespace().collect::<Vec<_>>().join(" ");
        // The view `annotation` shows this table.
        let sql = sql.replace("stored_annotation", "annotation");
        // Rows of imports that nobody sees, and entries that are too old.
        let sql = sql.replace(UNSEEN, "").replace(EXPIRED, "");

        let marks = sql.split("UPDATE annotation SET ").skip(1).all(|rest| {
            let set = rest.split(" WHERE ").next().unwrap_or(rest);
            set.starts_with("current = ") && !set.contains(',')
        });
        let deletes = [
            "DELETE FROM annotation",
            "DELETE FROM event",
            "UPDATE event ",
            "DELETE FROM audit_entry",
            "UPDATE audit_entry",
        ];

        let overwrites = !marks || deletes.iter().any(|start| sql.contains(start));
        if overwrites {
            statement = Some(sql);
        }
        overwrites
    });
    statement
}

#[test]
fn titles_and_text_areas_are_drawn_in_one_place() {
    for folder in INTERFACE {
        each_source(folder, |path, source| {
            if let Some(drawn) = draws_unescaped(path, source) {
                panic!(
                    "{path} draws {drawn}, whose contents Leptos does not escape: use PageTitle or TextArea"
                );
            }
        });
    }
    let draws = |source| draws_unescaped("pages/src/home.rs", source).is_some();
    assert!(draws("view! { <Title text=name/> }"));
    assert!(draws("view! { <div inner_html=text></div> }"));
    assert!(draws("view! { <textarea name=\"a\">{text}</textarea> }"));
    assert!(draws("view! { <style>{text}</style> }"));
    assert!(!draws("view! { <textarea prop:value=text></textarea> }"));
    assert!(!draws("view! { <TextArea name=\"a\" value=text/> }"));
}

/// The first element with contents that Leptos writes into a page as they are, outside of the places that escape or
/// sanitise them. A script included from the program's own files isn't one.
fn draws_unescaped(path: &str, source: &str) -> Option<&'static str> {
    const SAFE_PLACES: [&str; 4] = [
        "app/src/components/text_area.rs",
        "app/src/layout/page_title.rs",
        "app/src/markdown/",
        "pages/src/workspace/",
    ];

    let any_element = |begin: &str, end: &str, is_unsafe: &dyn Fn(&str) -> bool| {
        let mut elements = source.split(begin).skip(1);
        elements.any(|rest| rest.split(end).next().is_some_and(is_unsafe))
    };
    let with_contents = |element: &str| !element.ends_with('>');
    let not_a_file = |element: &str| with_contents(element) && !element.contains(">{include_str!(");

    let found = [
        ("a title", any_element("<Title", ">", &|_| true)),
        (
            "a textarea",
            any_element("<textarea", "</textarea>", &with_contents),
        ),
        ("a script", any_element("<script", "</script>", &not_a_file)),
        ("a style", any_element("<style", ">", &|_| true)),
        ("inner_html", source.contains("inner_html")),
    ];

    let drawn = found.into_iter().find(|(_, draws)| *draws)?.0;
    let is_safe = SAFE_PLACES.iter().any(|place| path.starts_with(place));
    (!is_safe).then_some(drawn)
}

#[test]
fn each_plain_script_is_loaded_by_a_page() {
    let mut files = BTreeSet::new();
    for folder in INTERFACE {
        each_file(folder, "js", |path, _| {
            let name = path.rsplit('/').next().unwrap_or_default();
            let name = name.strip_suffix(".js").unwrap_or(name);
            // A page holds such a script itself.
            if !name.ends_with(".inline") {
                files.insert(name.to_owned());
            }
        });
    }

    let mut loaded = BTreeSet::new();
    for folder in INTERFACE {
        each_source(folder, |_, source| {
            for loader in ["<PageScript name=\"", "script_address(\""] {
                for rest in source.split(loader).skip(1) {
                    loaded.extend(rest.split('"').next().map(str::to_owned));
                }
            }
        });
    }

    assert_eq!(files, loaded);
}

#[test]
fn only_the_workspace_is_webassembly() {
    for folder in INTERFACE {
        each_source(folder, |path, source| {
            let island = source.contains("#[island]");
            assert!(
                !island || path == "app/src/islands/workspace/mod.rs",
                "{path} has an island: write a plain script, as in app/src/enhanced"
            );
        });
    }
}

#[test]
fn only_the_clock_reads_the_clock() {
    let lint = "disallowed_methods";
    for folder in ["app/src", "pages/src", "server/src", "crates"] {
        each_source(folder, |path, source| {
            let maker = path == "server/src/clock.rs" || path.starts_with("app/src/browser");
            let allowed = maker || path.contains("/tests/") || path.contains("/benches/");
            let lifts = any_token(
                &tokens(source),
                &mut |token| matches!(token, TokenTree::Ident(word) if word == lint),
            );
            assert!(
                allowed || !lifts,
                "{path} lifts clippy's ban on clocks and random sources"
            );
        });
    }

    let clippy = read(&root().join("clippy.toml"));
    for banned in [
        "SystemTime::now",
        "Instant::now",
        "Uuid::now_v7",
        "Uuid::new_v4",
    ] {
        assert!(clippy.contains(banned), "clippy.toml must ban {banned}");
    }
}

#[test]
fn unsafe_code_is_in_one_place() {
    let lint = "unsafe_code";
    for (_, folder) in CRATES {
        each_source(folder, |path, source| {
            let lifts = any_token(
                &tokens(source),
                &mut |token| matches!(token, TokenTree::Ident(word) if word == lint),
            );
            assert_eq!(
                lifts,
                path == "crates/tensor/src/matrix.rs",
                "{path}: unsafe code is allowed where matrices are multiplied, and nowhere else"
            );
        });
    }
}

#[test]
fn every_package_has_our_lints() {
    for WorkspacePackage { name, manifest, .. } in load_packages() {
        assert!(
            read(&manifest).contains("[lints]\nworkspace = true"),
            "{name} must have the workspace's lints"
        );
    }
}

/// One of our packages, with what it builds on outside of tests.
struct WorkspacePackage {
    name: String,
    manifest: PathBuf,
    needs: Vec<String>,
}

fn load_packages() -> Vec<WorkspacePackage> {
    let metadata = cargo(&["metadata", "--no-deps", "--format-version", "1"]);
    let metadata: Value = serde_json::from_str(&metadata).expect("cargo prints JSON");
    let text = |value: &Value| value.as_str().expect("a name").to_owned();
    let list = |value: &Value| value.as_array().expect("a list").clone();

    let packages: Vec<_> = list(&metadata["packages"])
        .iter()
        .map(|package| WorkspacePackage {
            name: text(&package["name"]),
            manifest: text(&package["manifest_path"]).into(),
            needs: list(&package["dependencies"])
                .iter()
                .filter(|needed| needed["kind"] != "dev")
                .map(|needed| text(&needed["name"]))
                .collect(),
        })
        .collect();

    assert!(
        packages
            .iter()
            .any(|p| p.name == "store" && p.needs.contains(&"sqlx".to_owned()))
    );
    packages
}

/// The libraries that a build for the browser takes in.
fn in_the_browser(package: &[&str]) -> BTreeSet<String> {
    let target = ["--target", "wasm32-unknown-unknown"];
    let shown = [
        "-e",
        "normal,no-proc-macro",
        "--prefix",
        "none",
        "--format",
        "{lib}",
    ];
    let libraries = cargo(&[&["tree"], package, &target, &shown].concat());
    let names = libraries.lines().filter_map(|line| line.split(' ').next());
    names.map(ToOwned::to_owned).collect()
}

fn cargo(arguments: &[&str]) -> String {
    let output = Command::new(env!("CARGO"))
        .args(arguments)
        .arg("--offline")
        .current_dir(root())
        .output()
        .expect("cargo runs");
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "cargo {arguments:?}: {stderr}");
    String::from_utf8(output.stdout).expect("cargo prints UTF-8")
}
