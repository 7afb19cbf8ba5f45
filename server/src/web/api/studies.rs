//! Studies.

use axum::{Extension, Json, extract::State};
use domain::{ids::StudyId, rater_groups::RaterGroup, study::Role};
use serde::Serialize;
use service::export::format_timestamp;
use store::{Study, StudyEntry, api_tokens::TokenAccess};
use utoipa::ToSchema;

use super::{ApiCaller, ApiPath, ApiState, Problem, RefusalResponses, StudyResponses};

/// Studies, by name.
#[derive(Debug, Serialize, ToSchema)]
pub(super) struct StudyList {
    studies: Vec<StudySummary>,
}

/// A study in a list.
#[derive(Debug, Serialize, ToSchema)]
struct StudySummary {
    #[schema(value_type = String, format = Uuid)]
    id: StudyId,
    /// The short name, which addresses name it by.
    slug: String,
    name: String,
    /// lead or researcher; null for an administrator who is no member.
    role: Option<&'static str>,
    /// Whether the token may change it.
    writable: bool,
    #[schema(format = DateTime)]
    created_at: String,
    #[schema(format = DateTime)]
    closed_at: Option<String>,
    #[schema(format = DateTime)]
    archived_at: Option<String>,
}

/// A study with the settings that matter to programs.
#[derive(Debug, Serialize, ToSchema)]
pub(super) struct StudyDescription {
    #[serde(flatten)]
    summary: StudySummary,
    /// The number of the newest event: what `since` of the lists means.
    event: i64,
    /// The number of annotators that each source should get.
    overlap: u32,
    dimensions: Vec<DimensionDetails>,
    /// The groups of raters; left out where there are none.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    groups: Vec<RaterGroup>,
    systems: Vec<SystemDescription>,
    counts: StudyNumbers,
}

/// A dimension on which outputs are rated.
#[derive(Debug, Serialize, ToSchema)]
struct DimensionDetails {
    name: String,
    /// The worst rating.
    low: i32,
    /// The best rating.
    high: i32,
}

/// A system that wrote outputs.
#[derive(Debug, Serialize, ToSchema)]
struct SystemDescription {
    name: String,
    /// machine, human or baseline.
    kind: &'static str,
    /// Whether figures leave it out.
    hidden: bool,
    outputs: i64,
}

/// How far a study has come.
#[derive(Debug, Serialize, ToSchema)]
struct StudyNumbers {
    /// Sources to judge.
    sources: u32,
    /// How often they are to be handed in, by all annotators together.
    wanted: u32,
    /// How often one was handed in.
    handed_in: u32,
    annotators: u32,
}

impl ApiState {
    /// The studies that the token covers and whose figures its person may read, by name.
    pub(super) async fn readable_studies(
        &self,
        caller: &ApiCaller,
    ) -> Result<Vec<StudyEntry>, Problem> {
        let studies = self.services.store.studies_of(caller.person.id).await;
        let mut studies = studies.map_err(|error| self.database(error))?;

        studies.retain(|study| {
            let researches = matches!(study.role, Some(Role::Lead | Role::Researcher));
            (researches || caller.person.is_admin) && caller.token.studies.include(study.id)
        });
        Ok(studies)
    }
}

fn is_writable(caller: &ApiCaller, role: Option<Role>, archived: bool) -> bool {
    let leads = caller.person.is_admin || role == Some(Role::Lead);
    leads && !archived && caller.token.access == TokenAccess::Write
}

/// Lists the studies that the token reaches.
///
/// For every token. A study is listed where its person leads or researches it at this moment.
#[utoipa::path(
    get,
    path = "/studies",
    tag = "Studies",
    responses((status = 200, description = "The studies.", body = StudyList), RefusalResponses)
)]
pub(super) async fn list_studies(
    State(state): State<ApiState>,
    Extension(caller): Extension<ApiCaller>,
) -> Result<Json<StudyList>, Problem> {
    let studies = state.readable_studies(&caller).await?;

    let summary = |study: StudyEntry| StudySummary {
        id: study.id,
        slug: study.slug.to_string(),
        name: study.name,
        role: study.role.map(Role::name),
        writable: is_writable(&caller, study.role, study.archived_at.is_some()),
        created_at: format_timestamp(study.created_at),
        closed_at: study.closed_at.map(format_timestamp),
        archived_at: study.archived_at.map(format_timestamp),
    };

    Ok(Json(StudyList {
        studies: studies.into_iter().map(summary).collect(),
    }))
}

/// Shows a study: its settings, systems and counts.
///
/// For leads and researchers of the study.
#[utoipa::path(
    get,
    path = "/studies/{study}",
    tag = "Studies",
    params(("study" = String, Path, description = "The study's short name.")),
    responses((status = 200, description = "The study.", body = StudyDescription), StudyResponses)
)]
pub(super) async fn show_study(
    State(state): State<ApiState>,
    Extension(caller): Extension<ApiCaller>,
    ApiPath(slug): ApiPath<String>,
) -> Result<Json<StudyDescription>, Problem> {
    let access = caller.read(&state, &slug).await?;
    let store = &state.services.store;
    let study: &Study = &access.study;

    let systems = store.systems(study.id).await;
    let systems = systems.map_err(|error| state.database(error))?;
    let counts = store.study_counts(caller.person.id).await;
    let counts = counts.map_err(|error| state.database(error))?;
    let counts = counts.get(&study.id).copied().unwrap_or_default();
    let dimensions = study.settings.dimensions.iter();

    Ok(Json(StudyDescription {
        summary: StudySummary {
            id: study.id,
            slug: study.slug.to_string(),
            name: study.name.clone(),
            role: access.role.map(Role::name),
            writable: is_writable(&caller, access.role, study.archived_at.is_some()),
            created_at: format_timestamp(study.created_at),
            closed_at: study.closed_at.map(format_timestamp),
            archived_at: study.archived_at.map(format_timestamp),
        },
        event: study.events,
        overlap: study.settings.raters_each(),
        groups: study.settings.groups.clone(),
        dimensions: dimensions
            .map(|dimension| DimensionDetails {
                name: dimension.name.clone(),
                low: dimension.scale.low,
                high: dimension.scale.high,
            })
            .collect(),
        systems: systems
            .into_iter()
            .map(|system| SystemDescription {
                name: system.name,
                kind: system.kind.name(),
                hidden: system.is_hidden,
                outputs: system.outputs,
            })
            .collect(),
        counts: StudyNumbers {
            sources: counts.sources,
            wanted: counts.wanted,
            handed_in: counts.handed_in,
            annotators: counts.annotators,
        },
    }))
}
