//! Uploads: files go straight into the database, a chunk at a time, so that no file is ever in memory as a whole.

use app::{Services, api::MOST_FILES, error::Refusal, request::refuse_as, visitor::Visitor};
use axum::{
    Extension, Router,
    extract::{DefaultBodyLimit, Multipart, State, multipart::Field},
    routing::post,
};
use domain::{
    ids::{StudyId, UploadId},
    study::Slug,
};
use formats::InputOptions;
use leptos::prelude::LeptosOptions;
use service::{
    import::{ImportFileError, ImportKind, UploadedFiles},
    wording::sentence,
};
use store::{LARGEST_CHUNK, NewUpload};

use super::{
    multipart::{self, field_text, multipart_refusal, plain_file_name},
    study_access::authorise_lead,
};

/// The route to which forms with files post. Their fields are `slug`; then `with` (ids of earlier uploads whose raters
/// are in these files; optional) or `what` (an [`ImportKind`] as it is serialised; sources by default); then the files.
pub(super) fn route(services: Services) -> Router<LeptosOptions> {
    let take = async |State(services): State<Services>,
                      Extension(visitor): Extension<Visitor>,
                      mut form: Multipart| {
        let page = receive_files(&services, &visitor, &mut form).await;
        multipart::answer(form, page).await
    };

    Router::new()
        .route("/api/upload", post(take))
        .layer(DefaultBodyLimit::disable())
        .with_state(services)
}

/// The fields before the files.
#[derive(Default)]
struct UploadFields {
    study: Option<(StudyId, Slug)>,
    with: String,
    what: ImportKind,
}

/// Stores the files and returns the path of the page that shows them.
async fn receive_files(
    services: &Services,
    visitor: &Visitor,
    form: &mut Multipart,
) -> Result<String, Refusal> {
    let session = visitor.session.as_ref().ok_or(Refusal::NotSignedIn)?;
    let mut fields = UploadFields::default();
    let mut upload_ids = Vec::new();
    let result = async {
        while let Some(field) = form.next_field().await.map_err(multipart_refusal)? {
            match (field.name().unwrap_or_default(), &fields.study) {
                ("slug", _) => {
                    let slug = field_text(field).await?;
                    let study = authorise_lead(services, visitor, &slug).await?;
                    fields.study = Some((study.id, study.slug));
                }
                ("with", _) => fields.with = field_text(field).await?,
                ("what", _) => fields.what = parse_kind(&field_text(field).await?)?,
                ("files", Some((study, _))) => {
                    // Browsers send a file field without a choice as a file without a name.
                    let Some(name) = field.file_name().filter(|name| !name.is_empty()) else {
                        continue;
                    };
                    if upload_ids.len() == MOST_FILES {
                        return Err(Refusal::invalid(format!(
                            "You can upload at most {MOST_FILES} files at once."
                        )));
                    }

                    let new = NewUpload {
                        id: UploadId(services.context.new_id()),
                        study: *study,
                        name: &plain_file_name(name),
                        size: i64::MAX,
                        created_by: Some(session.person.id),
                    };
                    upload_ids.push(new.id);
                    let created = services
                        .store
                        .create_upload(&new, services.context.now_ms());
                    created
                        .await
                        .map_err(|error| store_refusal(services, error))?;
                    store_file(services, new.id, field).await?;
                }
                _ => {}
            }
        }

        let Some((study, slug)) = &fields.study else {
            return Err(Refusal::NotFound);
        };

        let turn = services.previews.take(session.person.id).await;
        let files = find_files(services, *study, &upload_ids)
            .await?
            .in_turn(&turn);
        match fields.what {
            ImportKind::Sources => check(services, files, slug, &fields.with, &upload_ids).await,
            what => check_beside(services, files, slug, what, &upload_ids).await,
        }
    }
    .await;

    // Refused files are not kept.
    if result.is_err() {
        for id in upload_ids {
            if let Err(error) = services.store.delete_upload(id).await {
                tracing::warn!(%error, "a file that was refused was not deleted");
            }
        }
    }

    result
}

/// Stores a file in chunks of the largest size.
pub(super) async fn store_file(
    services: &Services,
    id: UploadId,
    mut field: Field<'_>,
) -> Result<(), Refusal> {
    let store = &services.store;
    let (mut number, mut piece) = (0, Vec::with_capacity(LARGEST_CHUNK));
    while let Some(bytes) = field.chunk().await.map_err(multipart_refusal)? {
        let mut rest = &bytes[..];
        while !rest.is_empty() {
            let (now, later) = rest.split_at(rest.len().min(LARGEST_CHUNK - piece.len()));
            piece.extend_from_slice(now);
            rest = later;
            if piece.len() == LARGEST_CHUNK {
                let result = store.append_chunk(id, number, &piece).await;
                result.map_err(|error| store_refusal(services, error))?;
                number += 1;
                piece.clear();
            }
        }
    }

    if !piece.is_empty() {
        let result = store.append_chunk(id, number, &piece).await;
        result.map_err(|error| store_refusal(services, error))?;
    }

    let sealed = store.seal_upload(id).await;
    sealed
        .map_err(|error| store_refusal(services, error))
        .map(|_| ())
}

fn parse_kind(name: &str) -> Result<ImportKind, Refusal> {
    serde_json::from_value(name.into())
        .map_err(|_| Refusal::invalid("A file holds sources, references or scores: choose one."))
}

/// Checks that the files hold references or scores, and returns the path of the page that shows them.
async fn check_beside(
    services: &Services,
    files: UploadedFiles,
    slug: &Slug,
    what: ImportKind,
    taken: &[UploadId],
) -> Result<String, Refusal> {
    allow_other_encoding(files.check_as(what, &InputOptions::default()).await)
        .map_err(|error| unreadable_refusal(services, error))?;

    let ids: Vec<_> = taken.iter().map(ToString::to_string).collect();
    let kind_name = if what == ImportKind::Scores {
        "scores"
    } else {
        "references"
    };

    Ok(format!(
        "/s/{slug}/import/{}?what={kind_name}",
        ids.join(",")
    ))
}

/// Checks that the files can be previewed, and returns the path of the page that shows them.
async fn check(
    services: &Services,
    files: UploadedFiles,
    slug: &Slug,
    with: &str,
    taken: &[UploadId],
) -> Result<String, Refusal> {
    let refuse = |error| unreadable_refusal(services, error);
    let ids: Vec<_> = taken.iter().map(ToString::to_string).collect();
    let ids = ids.join(",");
    if with.is_empty() {
        let preview = files.preview(&InputOptions::default()).await;
        allow_other_encoding(preview.map(drop)).map_err(refuse)?;
        return Ok(format!("/s/{slug}/import/{ids}"));
    }

    files.raters().await.map_err(refuse)?;
    let with = app::api::uploads(with)?.into_iter();
    let with: Vec<_> = with.map(|id| id.to_string()).collect();
    Ok(format!("/s/{slug}/import/{}?raters={ids}", with.join(",")))
}

/// Accepts files that are not UTF-8, since their page offers to read them in another encoding.
fn allow_other_encoding(checked: Result<(), ImportFileError>) -> Result<(), ImportFileError> {
    match checked {
        Err(error) if error.line_not_utf8().is_some() => Ok(()),
        checked => checked,
    }
}

async fn find_files(
    services: &Services,
    study: StudyId,
    taken: &[UploadId],
) -> Result<UploadedFiles, Refusal> {
    if taken.is_empty() {
        return Err(Refusal::invalid("Choose a file first."));
    }

    let files = UploadedFiles::find(&services.store, study, taken).await;
    files.map_err(|error| unreadable_refusal(services, error))
}

fn unreadable_refusal(services: &Services, error: ImportFileError) -> Refusal {
    match error {
        ImportFileError::Store(error) => store_refusal(services, error),
        error => Refusal::invalid(sentence(&error.to_string())),
    }
}

fn store_refusal(services: &Services, error: store::Error) -> Refusal {
    refuse_as(error, services.context)
}

#[cfg(test)]
mod tests {
    use domain::study::Role;

    use super::*;
    use crate::web::testing::TestSite;

    /// A site, with the cookie of its signed-in lead.
    async fn signed_in_lead(flags: &[&str]) -> (TestSite, Option<String>) {
        let site = TestSite::with_flags(flags).await;
        let study = site.study("river").await;
        let cookie = site.sign_in_member(study, "lea", Role::Lead).await;
        (site, Some(cookie))
    }

    const RIVER: [(&str, &str); 1] = [("slug", "river")];

    #[tokio::test]
    async fn a_file_is_kept_byte_for_byte_and_shown() {
        let (site, cookie) = signed_in_lead(&[]).await;
        let row = "\"The ferry, which was old, stopped.\",It stopped.\n";
        let bytes = ["source,output\n", &row.repeat(50_000)].concat();
        assert!(bytes.len() > 2 * LARGEST_CHUNK);

        let files = [("../../rows.csv", bytes.as_bytes())];
        let answer = site.upload(cookie.as_deref(), &RIVER, &files).await;
        let page = answer.location.expect("a page shows it");
        let id: UploadId = page
            .strip_prefix("/s/river/import/")
            .expect("the page")
            .parse()
            .expect("an id");

        let upload = site.store.upload(id).await.unwrap().unwrap();
        assert_eq!(upload.name, "rows.csv");
        assert_eq!((upload.size, upload.complete), (bytes.len() as i64, true));

        let (mut read, mut number) = (Vec::new(), 0);
        while let Some(chunk) = site.store.read_chunk(id, number).await.unwrap() {
            read.extend(chunk);
            number += 1;
        }
        assert!(read == bytes.as_bytes());

        let shown = site.open(cookie.as_deref(), &page).await;
        let sentence = "Read as CSV, separated by commas, UTF-8, 50001 lines.";
        assert!(shown.body.contains(sentence), "{}", shown.body);
        let counts = "50000 rows → 1 source, 1 system, 1 output (1 per source), 0 problems.";
        assert!(shown.body.contains(counts), "{}", shown.body);
        assert!(shown.body.contains("The ferry, which was old, stopped."));
    }

    #[tokio::test]
    async fn what_cannot_be_imported_is_refused_with_a_sentence() {
        let (site, cookie) = signed_in_lead(&["--max-upload", "1"]).await;
        let large = vec![b'a'; 2 << 20];
        let table: &[u8] = b"source\nThe ferry stopped.\n";
        let check = async |files: &[(&str, &[u8])], with: &str, sentence: &str| {
            let fields = [RIVER[0], ("with", with)];
            let answer = site.upload(cookie.as_deref(), &fields, files).await;
            assert_eq!(answer.status.as_u16(), 422, "{}", answer.body);
            assert!(answer.body.contains(sentence), "{}", answer.body);
        };

        check(&[], "", "Choose a file").await;
        check(&[("", b"")], "", "Choose a file").await;
        check(&[("a.csv", b"")], "", "The file is empty").await;
        check(&[("a.csv", b"source\n")], "", "a header and no rows").await;
        check(
            &[("a.csv", b"\x89PNG\r\n\x1a\n\0\0")],
            "",
            "This is a picture (PNG), not a table",
        )
        .await;
        check(
            &[("a.xlsx", b"PK\x03\x04rest")],
            "",
            "The workbook cannot be read",
        )
        .await;
        check(
            &[("a.csv.gz", b"\x1f\x8b\x08rest")],
            "",
            "compressed file is damaged",
        )
        .await;
        check(&[("a.json", b"[{}]")], "", "one JSON array").await;
        check(&[("a.csv", &large)], "", "more than the 1 MB").await;
        check(&[("a.csv", table), ("b.csv", table)], "", "one by one").await;
        check(&[("a.simp.0", b"One.\n")], "", "NAME.orig").await;
        check(&[("r.csv", table)], "none", "original_id,system,slot,rater").await;
    }

    #[tokio::test]
    async fn references_and_scores_are_queued_and_what_does_not_fit_is_refused() {
        let (site, cookie) = signed_in_lead(&[]).await;
        let send = async |kind, name, text: &'static str| {
            let fields = [RIVER[0], ("what", kind)];
            let files: [(&str, &[u8]); 1] = [(name, text.as_bytes())];
            site.upload(cookie.as_deref(), &fields, &files).await
        };

        let scores = "source,system,lens\nThe ferry stopped.,a,61.5\n";
        for (what, text) in [
            ("scores", scores),
            (
                "references",
                "source,reference\nThe ferry stopped.,It stopped.\n",
            ),
        ] {
            let answer = send(what, "table.csv", text).await;
            let page = answer.location.expect("a page shows it");
            let shown = site.open(cookie.as_deref(), &page).await;
            assert!(shown.body.contains("table.csv"), "{}", shown.body);

            let uploads = page
                .rsplit('/')
                .next()
                .and_then(|end| end.split('?').next());
            let uploads = uploads.expect("the address names the file");
            let fields = [RIVER[0], ("uploads", uploads)];
            let begun = site
                .call(cookie.as_deref(), &format!("begin-{what}"), &fields)
                .await;

            let page = begun.location.expect("a page shows its progress");
            let shown = site.open(cookie.as_deref(), &page).await;
            assert!(shown.body.contains("table.csv"), "{}", shown.body);
        }

        for (what, name, text, sentence) in [
            (
                "scores",
                "a.csv",
                "source,system\na,b\n",
                "a column of numbers",
            ),
            ("references", "a.src", "One.\n", "NAME.src with NAME.dst"),
            ("wishes", "a.csv", scores, "sources, references or scores"),
        ] {
            let answer = send(what, name, text).await;
            assert_eq!(answer.status.as_u16(), 422, "{}", answer.body);
            assert!(answer.body.contains(sentence), "{}", answer.body);
        }
    }

    #[tokio::test]
    async fn a_field_that_is_no_file_is_short() {
        let (site, cookie) = signed_in_lead(&[]).await;
        let table: &[u8] = b"source\nThe ferry stopped.\n";
        let long = "x".repeat(64 * 1024 + 1);
        for fields in [
            vec![("slug", long.as_str())],
            vec![RIVER[0], ("with", &long)],
            vec![RIVER[0], ("what", &long)],
        ] {
            let answer = site
                .upload(cookie.as_deref(), &fields, &[("a.csv", table)])
                .await;
            assert_eq!(answer.status.as_u16(), 422, "{}", answer.body);
            assert!(answer.body.contains("longer than any"), "{}", answer.body);

            let endpoint = "reading-upload";
            let answer = site
                .upload_to(endpoint, cookie.as_deref(), &fields[..1], &[])
                .await;
            assert_eq!(answer.status.as_u16(), 422, "{}", answer.body);
        }
    }

    #[tokio::test]
    async fn texts_come_together() {
        let (site, cookie) = signed_in_lead(&[]).await;
        let files: [(&str, &[u8]); 3] = [
            ("t.orig", b"The ferry stopped.\nIt rained.\n"),
            ("t.simp.0", b"It stopped.\nRain.\n"),
            ("bart", b"Ferry stopped.\nRained.\n"),
        ];

        let answer = site.upload(cookie.as_deref(), &RIVER, &files).await;
        let page = answer.location.expect("a page shows them");
        let shown = site.open(cookie.as_deref(), &page).await;
        for text in ["t.orig", "bart", "Rained.", "NAME.simp.N are outputs"] {
            assert!(shown.body.contains(text), "{text}: {}", shown.body);
        }
    }

    #[tokio::test]
    async fn a_file_that_is_not_utf8_is_offered_in_another_encoding() {
        let (site, cookie) = signed_in_lead(&[]).await;
        let file: &[u8] = b"Complex;Simple\nThe old ferry stopped.;Das Boot f\xe4hrt.\n";
        let answer = site
            .upload(cookie.as_deref(), &RIVER, &[("latin.csv", file)])
            .await;
        let page = answer.location.expect("a page offers it");

        let shown = site.open(cookie.as_deref(), &page).await.body;
        for text in [
            "Line 2 is not UTF-8. Read it as Windows-1252?",
            "Das Boot fährt.",
            "encoding=windows-1252",
        ] {
            assert!(shown.contains(text), "{text}: {shown}");
        }

        let chosen = format!("{page}?what=sources&encoding=windows-1252");
        let shown = site.open(cookie.as_deref(), &chosen).await.body;
        for text in [
            "Read as CSV, separated by semicolons, Windows-1252, 2 lines.",
            "guessed from its name",
            "1 row → 1 source, 1 system, 1 output (1 per source), 0 problems.",
            "name=\"way[input][encoding]\" value=\"windows-1252\"",
        ] {
            assert!(shown.contains(text), "{text}: {shown}");
        }

        let uploads = page.rsplit('/').next().expect("the address names the file");
        let begin = [
            RIVER[0],
            ("uploads", uploads),
            ("way[input][encoding]", "windows-1252"),
            ("way[whole]", "yes"),
            ("way[columns][0][name]", "Complex"),
            ("way[columns][0][field]", "source"),
            ("manner[purpose]", "main"),
        ];
        let unmapped = site.call(cookie.as_deref(), "begin-import", &begin).await;
        assert!(unmapped.location.is_some(), "{}", unmapped.body);

        let nothing = [&begin[..4], &begin[6..]].concat();
        let refused = site.call(cookie.as_deref(), "begin-import", &nothing).await;
        assert!(
            refused.body.contains("Say which column holds the sources."),
            "{}",
            refused.body
        );
    }

    #[tokio::test]
    async fn sheets_of_a_workbook_can_be_chosen_and_rows_that_would_be_left_out_are_listed() {
        let (site, cookie) = signed_in_lead(&[]).await;
        let rows: &[&[&str]] = &[
            &["source", "output", "system"],
            &["The ferry stopped.", "It stopped.", "Alpha"],
            &["", "It rose.", "Alpha"],
        ];
        let book = testdata::workbook(&[("Data", rows), ("Notes & more", rows)]);
        let answer = site
            .upload(cookie.as_deref(), &RIVER, &[("rows.xlsx", &book[..])])
            .await;

        let page = answer.location.expect("a page shows it");
        let shown = site.open(cookie.as_deref(), &page).await.body;
        for text in [
            "Read as an Excel table, sheet “Data”, 3 rows.",
            "2 rows → 1 source, 1 system, 1 output (1 per source), 1 problem.",
            "Rows that will be left out (1)",
            "Line 3",
            "Notes &amp; more",
        ] {
            assert!(shown.contains(text), "{text}: {shown}");
        }

        let other = format!("{page}?sheet=Notes%20%26%20more");
        let shown = site.open(cookie.as_deref(), &other).await.body;
        assert!(shown.contains("sheet “Notes &amp; more”"), "{shown}");
    }

    #[tokio::test]
    async fn the_sheet_with_the_columns_is_shown_before_a_cover_and_imported() {
        let (site, cookie) = signed_in_lead(&[]).await;
        let cover: &[&[&str]] = &[&["Our outputs"], &["Spring"]];
        let rows: &[&[&str]] = &[
            &["Original", "Simplified", "System"],
            &["The ferry stopped.", "It stopped.", "Alpha"],
        ];
        let references: &[&[&str]] = &[
            &["source", "reference"],
            &["The ferry stopped.", "It ended."],
        ];
        let scores: &[&[&str]] = &[&["output_id", "lens"], &["1", "60"]];
        let sheets = [
            ("Cover", cover),
            ("Data", rows),
            ("Written", references),
            ("Scores", scores),
        ];

        let book = testdata::workbook(&sheets);
        let answer = site
            .upload(cookie.as_deref(), &RIVER, &[("rows.xlsx", &book[..])])
            .await;
        let page = answer.location.expect("a page shows it");
        for (what, field, sheet) in [
            ("sources", "way[input][sheet]", "Data"),
            ("references", "input[sheet]", "Written"),
            ("scores", "input[sheet]", "Scores"),
        ] {
            let shown = site
                .open(cookie.as_deref(), &format!("{page}?what={what}"))
                .await
                .body;
            // The import reads what the page shows, and another sheet can be chosen.
            for text in [
                format!("sheet “{sheet}”"),
                format!("name=\"{field}\" value=\"{sheet}\""),
                "Read another sheet".to_owned(),
                "<option value=\"Cover\"".to_owned(),
            ] {
                assert!(shown.contains(&text), "{what} {text}: {shown}");
            }
        }

        let other = site
            .open(cookie.as_deref(), &format!("{page}?sheet=Cover"))
            .await
            .body;
        assert!(other.contains("sheet “Cover”"), "{other}");
    }
}
