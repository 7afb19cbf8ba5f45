//! A study as an annotator would see it, with a sample source; nothing is stored.

use domain::study::{Slug, StudySettings};
use leptos::prelude::*;
use leptos_router::hooks::use_params_map;
use service::templates::{SampleStudy, StudyTemplate, sample_task};
use store::Person;
use tokio::task::spawn_blocking;

use super::WorkspaceFrame;
use app::{
    api::require_study_creator,
    error::Refusal,
    islands::WorkspaceInput,
    layout::refusal_page,
    links::{self, StudyPage},
    request::{access, parse, signed_in},
    services,
};

/// The workspace of a study as its annotators would see it.
#[component]
pub fn StudyPreviewPage() -> impl IntoView {
    let slug = use_params_map().with_untracked(|params| params.get("slug"));

    Suspend::new(async move {
        let content = async {
            let access = access(&slug.unwrap_or_default()).await?;
            access.require_lead()?;
            let study = &access.study;
            let preview = SamplePreview {
                name: study.name.clone(),
                guidelines: study.guidelines.clone(),
                settings: study.settings.clone(),
                back: StudyPage::ProtocolSettings.address(&study.slug),
            };
            preview.draw(&access.person).await
        };

        match content.await {
            Ok(view) => view.into_any(),
            Err(refusal) => refusal_page(&refusal),
        }
    })
}

/// The workspace of a study that begins with a template, as its annotators would see it.
#[component]
pub fn TemplatePreviewPage() -> impl IntoView {
    let template = use_params_map().with_untracked(|params| params.get("template"));

    Suspend::new(async move {
        let content = async {
            let person = signed_in().await?;
            require_study_creator(&person).await?;
            let template: StudyTemplate =
                parse::choice(&template.unwrap_or_default()).map_err(|_| Refusal::NotFound)?;
            let preview = SamplePreview {
                name: template.title().to_owned(),
                guidelines: template.guidelines().to_owned(),
                settings: template.settings(),
                back: links::to(links::NEW_STUDY),
            };
            preview.draw(&person).await
        };

        match content.await {
            Ok(view) => view.into_any(),
            Err(refusal) => refusal_page(&refusal),
        }
    })
}

/// A study, as far as annotators see it.
struct SamplePreview {
    name: String,
    /// The guidelines, as Markdown.
    guidelines: String,
    settings: StudySettings,
    /// The address to which the preview leads back.
    back: String,
}

impl SamplePreview {
    async fn draw(self, person: &Person) -> Result<impl IntoView + use<>, Refusal> {
        let Self {
            name,
            guidelines,
            settings,
            back,
        } = self;

        let frame = WorkspaceFrame {
            title: format!("Preview · {name} · Rank & Rate"),
            guidelines: guidelines.clone(),
            introduced: false,
        };

        let slug: Slug = "preview".parse().expect("a short name");
        let sampling = spawn_blocking(move || {
            sample_task(SampleStudy {
                slug,
                name: &name,
                guidelines: &guidelines,
                settings: &settings,
            })
        });
        let task = sampling
            .await
            .expect("making the sample does not panic and is not cancelled");

        let input = WorkspaceInput {
            task,
            person: person.id,
            rendered: services().context.now_ms(),
            place: "A sample source".to_owned(),
            preview: Some(back),
        };

        Ok(frame.draw(input, ().into_any()).await)
    }
}
