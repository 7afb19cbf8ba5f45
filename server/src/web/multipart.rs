//! Forms with files.

use app::{error::Refusal, links};
use axum::{
    body::Body,
    extract::{
        Multipart,
        multipart::{Field, MultipartError},
    },
    http::{HeaderValue, header},
    response::Response,
};

use super::forms;

/// The response to a form: a redirect to a page of the site, or the refusal.
pub(super) async fn answer(mut form: Multipart, page: Result<String, Refusal>) -> Response {
    match page {
        Ok(path) => redirect(&path),
        Err(refusal) => {
            // A browser that is answered before it has sent everything may report a lost connection.
            while let Ok(Some(mut rest)) = form.next_field().await {
                while let Ok(Some(_)) = rest.chunk().await {}
            }
            forms::refusal_response(&refusal)
        }
    }
}

fn redirect(path: &str) -> Response {
    let mut response = Response::new(Body::from("null"));
    let headers = response.headers_mut();
    headers.insert(
        header::CONTENT_TYPE,
        HeaderValue::from_static("application/json"),
    );

    let address = HeaderValue::from_str(&links::to(path)).expect("ids and a short name are ASCII");
    headers.insert(header::LOCATION, address);
    response
}

/// The text of a field that isn't a file. The longest text is the ids of 64 files, far below the limit.
pub(super) async fn field_text(mut field: Field<'_>) -> Result<String, Refusal> {
    const LONGEST: usize = 64 * 1024;
    let mut bytes = Vec::new();
    while let Some(more) = field.chunk().await.map_err(multipart_refusal)? {
        if bytes.len() + more.len() > LONGEST {
            return Err(Refusal::invalid(
                "A field of this form is longer than any that the page sends. Reload the page and \
                 try again.",
            ));
        }
        bytes.extend_from_slice(&more);
    }
    String::from_utf8(bytes).map_err(|_| Refusal::invalid("A field of this form is not UTF-8."))
}

/// A file's name without folders and control characters, at most 200 characters long.
pub(super) fn plain_file_name(name: &str) -> String {
    let name = name.rsplit(['/', '\\']).next().unwrap_or(name);
    let shown = name.chars().filter(|c| !c.is_control());
    shown.take(200).collect()
}

/// The refusal of a form that arrived incomplete.
pub(super) fn multipart_refusal(error: MultipartError) -> Refusal {
    tracing::debug!(%error, "a form with files broke off");
    Refusal::invalid("The file did not arrive in full. Upload it again.")
}
