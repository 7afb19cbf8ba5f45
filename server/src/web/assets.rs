//! The built interface: inside the binary in a release, read from the disk in a debug build.

use std::{borrow::Cow, collections::BTreeMap, sync::OnceLock};

use app::BuiltAssets;
use axum::{
    Router,
    extract::Request,
    http::{HeaderMap, HeaderValue, StatusCode, header},
    response::{IntoResponse, Response},
    routing::get,
};
use leptos::prelude::LeptosOptions;
use rust_embed::{EmbeddedFile, RustEmbed};
use serde::Deserialize;

#[derive(RustEmbed)]
#[folder = "$CARGO_MANIFEST_DIR/../target/site"]
struct SiteFiles;

/// The file in which the build lists the hash of each file.
const MANIFEST: &str = "manifest.json";
/// The folder of files whose names contain their hash, and which therefore never change.
const HASHED: &str = "pkg/";
const YEAR: &str = "public, max-age=31536000, immutable";
const HOUR: &str = "public, max-age=3600";
/// The content policy of a script that runs by itself, such as a service worker.
const WORKER_POLICY: &str = "default-src 'none'; connect-src 'self'; script-src 'self'";

#[derive(Deserialize)]
struct AssetManifest {
    stylesheet: String,
    workspace_stylesheet: String,
    script: String,
    wasm: String,
    later_steps: String,
    scripts: BTreeMap<String, String>,
}

/// Whether the interface was built.
pub(super) fn are_built() -> bool {
    SiteFiles::get(MANIFEST).is_some()
}

/// The names of the interface's files. A debug build reads them again each time.
pub(super) fn current() -> BuiltAssets {
    static EMBEDDED: OnceLock<BuiltAssets> = OnceLock::new();
    if cfg!(debug_assertions) {
        read()
    } else {
        EMBEDDED.get_or_init(read).clone()
    }
}

fn read() -> BuiltAssets {
    let manifest =
        SiteFiles::get(MANIFEST).and_then(|file| serde_json::from_slice(&file.data).ok());

    // Without a built interface, pages name files that do not exist.
    let AssetManifest {
        stylesheet,
        workspace_stylesheet,
        script,
        wasm,
        later_steps,
        scripts,
    } = manifest.unwrap_or_else(|| AssetManifest {
        stylesheet: "/pkg/missing.css".to_owned(),
        workspace_stylesheet: "/pkg/missing.css".to_owned(),
        script: "/pkg/missing.js".to_owned(),
        wasm: "/pkg/missing.wasm".to_owned(),
        later_steps: "/pkg/missing.wasm".to_owned(),
        scripts: BTreeMap::new(),
    });

    BuiltAssets {
        stylesheet,
        workspace_stylesheet,
        script,
        wasm,
        later_steps,
        scripts,
    }
}

/// Routes to every file: one for the folder of hashed names, and one each for the others (icons).
pub(super) fn routes() -> Router<LeptosOptions> {
    SiteFiles::iter()
        .filter(|name| !name.starts_with(HASHED) && name != MANIFEST && !is_compressed(name))
        .fold(
            Router::new().route("/pkg/{*file}", get(serve)),
            |routes, name| routes.route(&format!("/{name}"), get(serve)),
        )
}

async fn serve(request: Request) -> Response {
    let name = request.uri().path().trim_start_matches('/');
    let Some((file, encoding)) = best_encoding(name, request.headers()) else {
        return (StatusCode::NOT_FOUND, "There is no such file.").into_response();
    };
    let tag = etag(&file, encoding);
    let kind = mime_guess::from_path(name).first_or_octet_stream();

    let mut headers = HeaderMap::new();
    let mut set = |name, value: &str| {
        headers.insert(
            name,
            HeaderValue::from_str(value).expect("names and hashes are plain"),
        );
    };

    set(header::CONTENT_TYPE, kind.as_ref());
    set(
        header::CACHE_CONTROL,
        if name.starts_with(HASHED) { YEAR } else { HOUR },
    );
    set(header::VARY, "accept-encoding");
    set(header::ETAG, &tag);
    if name.ends_with(".js") {
        set(header::CONTENT_SECURITY_POLICY, WORKER_POLICY);
    }
    if let Some(encoding) = encoding {
        set(header::CONTENT_ENCODING, encoding);
    }

    if request
        .headers()
        .get(header::IF_NONE_MATCH)
        .is_some_and(|client_tag| client_tag == tag.as_str())
    {
        return (StatusCode::NOT_MODIFIED, headers).into_response();
    }

    match file.data {
        Cow::Borrowed(bytes) => (headers, bytes).into_response(),
        Cow::Owned(bytes) => (headers, bytes).into_response(),
    }
}

/// The smallest form of a file that the browser accepts.
fn best_encoding(name: &str, headers: &HeaderMap) -> Option<(EmbeddedFile, Option<&'static str>)> {
    [("br", "br"), ("gzip", "gz")]
        .into_iter()
        .filter(|(encoding, _)| accepts(headers, encoding))
        .find_map(|(encoding, suffix)| {
            Some((SiteFiles::get(&format!("{name}.{suffix}"))?, Some(encoding)))
        })
        .or_else(|| Some((SiteFiles::get(name)?, None)))
}

fn accepts(headers: &HeaderMap, encoding: &str) -> bool {
    let named = headers
        .get(header::ACCEPT_ENCODING)
        .and_then(|value| value.to_str().ok());

    named.unwrap_or_default().split(',').any(|part| {
        let (name, quality) = part.split_once(';').unwrap_or((part, ""));
        name.trim() == encoding && !matches!(quality.trim(), "q=0" | "q=0.0" | "q=0.00")
    })
}

fn etag(file: &EmbeddedFile, encoding: Option<&str>) -> String {
    let hash = file.metadata.sha256_hash();
    let hex: String = hash
        .iter()
        .take(12)
        .map(|byte| format!("{byte:02x}"))
        .collect();

    format!("\"{hex}-{}\"", encoding.unwrap_or("plain"))
}

fn is_compressed(name: &str) -> bool {
    name.ends_with(".br") || name.ends_with(".gz")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_the_browser_accepts() {
        for (named, encoding, expect) in [
            ("gzip, deflate, br, zstd", "br", true),
            ("gzip;q=1.0, br;q=0", "br", false),
            ("gzip;q=1.0, br;q=0", "gzip", true),
            ("", "gzip", false),
        ] {
            let mut headers = HeaderMap::new();
            headers.insert(header::ACCEPT_ENCODING, HeaderValue::from_static(named));
            assert_eq!(accepts(&headers, encoding), expect, "{named}");
        }
    }
}
