//! Studies as files: `/s/STUDY/settings/study.json` for leads, and the form that creates a study from such a file, for
//! people who may create studies.

use app::{
    Services,
    api::{refuse_study_file, require_study_creator_as},
    error::Refusal,
    links::StudyPage,
    request::{audit_entry, parse, refuse_as},
    visitor::Visitor,
};
use axum::{
    Extension, Router,
    extract::{DefaultBodyLimit, Multipart, Path, State, multipart::Field},
    http::Uri,
    response::Response,
    routing::{get, post},
};
use domain::{ids::StudyId, study::Slug};
use leptos::prelude::LeptosOptions;
use service::study_file::{LARGEST_STUDY_FILE, StudyFile};
use store::audit::{AuditKind, AuditSubject};
use tokio::task::spawn_blocking;

use super::{
    attachment::attachment,
    multipart::{self, field_text, multipart_refusal},
    study_access::{authorise_lead, refusal_response},
};

pub(super) fn routes(services: Services) -> Router<LeptosOptions> {
    let take = async |State(services): State<Services>,
                      Extension(visitor): Extension<Visitor>,
                      mut form: Multipart| {
        let created = create_study(&services, &visitor, &mut form).await;
        let page = created.map(|slug| StudyPage::Overview.path(&slug));
        multipart::answer(form, page).await
    };

    Router::new()
        .route("/api/study-file", post(take))
        .layer(DefaultBodyLimit::disable())
        .route("/s/{slug}/settings/study.json", get(download))
        .with_state(services)
}

/// Creates a study from the form's file, led by the visitor, and returns its short name. The fields are those of the
/// form for a new study; an empty one keeps the file's own value.
async fn create_study(
    services: &Services,
    visitor: &Visitor,
    form: &mut Multipart,
) -> Result<Slug, Refusal> {
    let session = visitor.session.as_ref().ok_or(Refusal::NotSignedIn)?;
    require_study_creator_as(services, &session.person).await?;

    let (mut name, mut short_name, mut file) = (String::new(), String::new(), None);
    while let Some(field) = form.next_field().await.map_err(multipart_refusal)? {
        match field.name().unwrap_or_default() {
            "name" => name = field_text(field).await?,
            "short_name" => short_name = field_text(field).await?,
            // Browsers send a file field without a choice as a file without a name.
            "files" if field.file_name().is_some_and(|name| !name.is_empty()) => {
                file = Some(read_file(field).await?);
            }
            _ => {}
        }
    }

    let bytes = file.ok_or_else(|| Refusal::invalid("Choose a file first."))?;

    let refuse = |error| refuse_study_file(error, services.context);
    let parsed = spawn_blocking(move || StudyFile::parse(&bytes)).await;
    let mut file = parsed
        .expect("reading a file does not panic")
        .map_err(refuse)?;

    if !name.trim().is_empty() {
        file.title = name.trim().to_owned();
    }
    if !short_name.trim().is_empty() {
        file.slug = parse::choice(short_name.trim())?;
    }

    let (id, slug) = (StudyId(services.context.new_id()), file.slug.clone());
    let subject = AuditSubject::Named(file.title.clone());
    let entry = audit_entry(
        services,
        visitor,
        AuditKind::StudyCreated,
        Some(id),
        subject,
    );

    let store = services.store.audited(entry);
    let created = file.create(&store, id, Some(session.person.id), services.context);
    created.await.map_err(refuse)?;
    Ok(slug)
}

/// The bytes of a file. Of one that is too large, only enough to show that it is.
async fn read_file(mut field: Field<'_>) -> Result<Vec<u8>, Refusal> {
    let mut bytes = vec![];
    while let Some(more) = field.chunk().await.map_err(multipart_refusal)? {
        if bytes.len() <= LARGEST_STUDY_FILE {
            bytes.extend_from_slice(&more);
        }
    }
    Ok(bytes)
}

async fn download(
    State(services): State<Services>,
    Extension(visitor): Extension<Visitor>,
    Path(slug): Path<String>,
    uri: Uri,
) -> Response {
    let study = match authorise_lead(&services, &visitor, &slug).await {
        Ok(study) => study,
        Err(refusal) => return refusal_response(&refusal, &uri),
    };

    let file = match StudyFile::load(&services.store, &study).await {
        Ok(file) => file,
        Err(error) => return refusal_response(&refuse_as(error, services.context), &uri),
    };

    let name = format!("{}-study.json", study.slug);
    let subject = AuditSubject::Named(name.clone());
    let entry = audit_entry(
        &services,
        &visitor,
        AuditKind::Exported,
        Some(study.id),
        subject,
    );
    if let Err(error) = services.store.record_audit(entry).await {
        return refusal_response(&refuse_as(error, services.context), &uri);
    }

    attachment(&name, "application/json", file.to_json())
}

#[cfg(test)]
mod tests {
    use domain::study::Role;

    use crate::web::testing::TestSite;

    #[tokio::test]
    async fn a_study_is_downloaded_and_another_one_made_of_it() {
        let site = TestSite::new().await;
        let study = site.study("river").await;
        let lead = site.sign_in_member(study, "lea", Role::Lead).await;
        let address = "/s/river/settings/study.json";
        let page = site.open(Some(&lead), "/s/river/settings").await.body;
        assert!(page.contains(address), "{page}");
        let page = site.open(Some(&lead), "/studies/new").await.body;
        assert!(page.contains("/api/study-file"), "{page}");
        let file = site.open(Some(&lead), address).await.body;

        let send = async |short_name: &str, file: &str| {
            let fields = [("name", " Lake "), ("short_name", short_name)];
            let files = [("study.json", file.as_bytes())];
            site.upload_to("study-file", Some(&lead), &fields, &files)
                .await
        };
        let sent = send("lake", &file).await;
        assert_eq!(sent.location.as_deref(), Some("/s/lake"), "{}", sent.body);
        let copy = site.open(Some(&lead), "/s/lake/settings/study.json").await;
        let expect = file
            .replace("\"slug\": \"river\"", "\"slug\": \"lake\"")
            .replace("\"title\": \"river\"", "\"title\": \"Lake\"");
        assert_eq!(copy.body, expect);

        let form = [("slug", "lake"), ("name", "Sea")];
        let cloned = site.call(Some(&lead), "clone-study", &form).await;
        assert_eq!(
            cloned.location.as_deref(),
            Some("/s/sea"),
            "{}",
            cloned.body
        );
        let copy = site.open(Some(&lead), "/s/sea/settings/study.json").await;
        let expect = expect
            .replace("\"lake\"", "\"sea\"")
            .replace("\"Lake\"", "\"Sea\"");
        assert_eq!(copy.body, expect);

        for (short_name, file, sentence) in [
            (
                "",
                &file[..],
                "The short name “river” is taken: use another.",
            ),
            ("A lake", &file, "cannot be a short name"),
            ("pond", "{}", "schema: it is missing."),
            (
                "pond",
                &"x".repeat(17 << 20),
                "The file: a study has at most 16 MB.",
            ),
        ] {
            let refused = send(short_name, file).await;
            assert_eq!(refused.status, 422, "{}", refused.body);
            assert!(refused.body.contains(sentence), "{}", refused.body);
        }

        let nothing = site.upload_to("study-file", Some(&lead), &[], &[("", b"")]);
        assert!(nothing.await.body.contains("Choose a file first."));
        assert_eq!(site.store.studies().await.unwrap().len(), 3);
    }
}
