//! The settings of a study.
#![expect(clippy::too_many_arguments, reason = "the fields of one form")]

#[cfg(feature = "ssr")]
pub(super) mod fields;
mod protocol;
mod scales;
#[cfg(feature = "ssr")]
mod step_fields;

pub use protocol::*;
pub use scales::*;

use leptos::prelude::*;
use serde::{Deserialize, Serialize};

use crate::error::Refusal;

#[cfg(feature = "ssr")]
use {
    crate::api::crowd::require_codes, crate::api::ssr::*,
    service::automatic_annotation::annotate_automatically,
};

/// Sets the study's name, how many annotators each source gets, which source comes next, how long annotators
/// keep it, and how they are admitted.
///
/// # Errors
/// [`Refusal::NotAllowed`] unless the person leads the study; [`Refusal::Invalid`] for an invalid name,
/// numbers out of range, and a qualification that crowd raters can fail without a code for it.
#[server(endpoint = "set-general")]
pub async fn set_general(
    slug: String,
    /// The displayed name.
    name: String,
    /// The number of raters for each source.
    overlap: String,
    /// Hours after which a source is taken from an inactive annotator.
    lease_hours: String,
    /// The admission rule: `none`, `answers` or `lead`.
    qualification: String,
    /// With `answers`: the largest mean distance from the expected ratings, in points.
    #[server(default)]
    tolerance: String,
    /// With `answers`: the smallest share of correct categories, in percent.
    #[server(default)]
    categories: String,
    /// The order of sources that equally need raters: `as-imported` or `where-uncertain`; empty for no change.
    #[server(default)]
    source_order: String,
) -> Result<(), Refusal> {
    let access = lead_access(&slug).await?;
    let name = parse::line(&name, "The name", 120)?;

    let settings = StudySettings {
        overlap: fields::overlap(&overlap, &access.study.settings)?,
        lease_hours: parse::integer(
            &lease_hours,
            "The number of hours",
            StudySettings::LEASE_HOURS,
        )?,
        qualification: fields::qualification(&qualification, &tolerance, &categories)?,
        source_order: match source_order.as_str() {
            "" => access.study.settings.source_order,
            order => parse::choice(order)?,
        },
        ..access.study.settings.clone()
    };

    if settings.qualification != access.study.settings.qualification {
        require_codes(&settings)?;
    }

    let study = access.study.id;
    let (store, now) = store_and_now();
    store
        .set_name_and_settings(study, &name, &settings, now)
        .await
        .map_err(refuse)?;

    redirect_with(StudyPage::Settings, &slug, "The settings have been saved.")
}

/// Sets a study's guidelines and information sheet.
///
/// # Errors
/// [`Refusal::NotAllowed`] unless the person leads the study; [`Refusal::Invalid`] for texts that
/// are not valid.
#[server(endpoint = "describe-study")]
pub async fn describe_study(
    slug: String,
    /// The guidelines, as Markdown.
    #[server(default)]
    guidelines: String,
    /// The information sheet that annotators consent to, as Markdown; may be empty.
    #[server(default)]
    information: String,
) -> Result<(), Refusal> {
    let access = lead_access(&slug).await?;

    let guidelines = parse::text(&guidelines, "The guidelines")?;
    let information = parse::text(&information, "The information sheet")?;

    let study = access.study.id;
    let (store, now) = store_and_now();
    store
        .describe_study(study, &access.study.name, &guidelines, &information, now)
        .await
        .map_err(refuse)?;

    redirect_with(StudyPage::TextSettings, &slug, "The texts have been saved.")
}

/// One group of raters as form fields.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct RaterGroupField {
    /// The id; empty for a new group.
    pub id: String,
    /// The name; empty for none.
    pub name: String,
    /// The names of its attributes.
    pub attributes: Vec<String>,
    /// The dimensions that it rates; none for all.
    pub dimensions: Vec<String>,
    /// Its own number of annotators for each source; empty where they count towards the study's number.
    pub overlap: String,
}

/// Sets the groups of raters. Annotators and links of a removed group are then in no group. The change also
/// applies to sources that annotators have open.
///
/// # Errors
/// [`Refusal::NotAllowed`] unless the person leads the study; [`Refusal::Invalid`] where a group is not valid.
#[server(endpoint = "set-groups")]
pub async fn set_groups(
    slug: String,
    /// The groups in order; those without a name are left out.
    #[server(default)]
    groups: Vec<RaterGroupField>,
) -> Result<(), Refusal> {
    let access = lead_access(&slug).await?;

    let current = access.study.settings.clone();
    let used = services().store.used_group_ids(access.study.id).await;
    let used = used.map_err(refuse)?;
    let settings = StudySettings {
        groups: fields::groups(&groups, &current.groups, &used)?,
        ..current
    };
    fields::check_groups(&settings)?;

    let members = services().store.members(access.study.id).await;
    let leaving = members.map_err(refuse)?.into_iter().filter(|member| {
        member.group.is_some() && settings.group(member.group.as_deref()).is_none()
    });
    let leaving = leaving.count();
    store_settings(access.study.id, &settings).await?;

    let message = match leaving {
        0 => "The groups have been saved.".to_owned(),
        leaving => {
            let people = count_noun(leaving, "annotator");
            let verb = if leaving == 1 { "is" } else { "are" };
            format!("The groups have been saved. {people} {verb} now in no group.")
        }
    };
    redirect_with(StudyPage::GroupSettings, &slug, message)
}

/// Sets the category rule of step 1 and recomputes every output's category; annotators' answers do not change.
///
/// # Errors
/// [`Refusal::NotAllowed`] unless the person leads the study; [`Refusal::Invalid`] for an unknown
/// rule or a threshold out of range.
#[server(endpoint = "set-category-rule")]
pub async fn set_category_rule(
    slug: String,
    category_rule: String,
    /// Its threshold; empty for the rule's default.
    #[server(default)]
    category_threshold: String,
) -> Result<(), Refusal> {
    let access = lead_access(&slug).await?;
    let (rule, threshold) = fields::rule(&category_rule, &category_threshold)?;

    let (store, now) = store_and_now();
    let moved = store
        .set_category_rule(access.study.id, rule, threshold, now)
        .await
        .map_err(refuse)?;

    let message = match moved {
        0 => "The rule has been saved. No output changed its category.".to_owned(),
        1 => "The rule has been saved. One output changed its category.".to_owned(),
        moved => format!("The rule has been saved. {moved} outputs changed their category."),
    };
    redirect_with(StudyPage::AdvancedSettings, &slug, message)
}

/// Sets how often sources get quality-control items (one source in n; 0 for none) and how often raters get
/// attention items. Adds missing quality-control items to sources that have not been assigned yet.
///
/// # Errors
/// [`Refusal::NotAllowed`] unless the person leads the study; [`Refusal::Invalid`] for numbers out
/// of range.
#[server(endpoint = "set-quality-control")]
pub async fn set_quality_control(
    slug: String,
    /// One source in this many gets an unchanged copy.
    copy_every: String,
    /// One source in this many gets an output with its words scrambled.
    scrambled_every: String,
    /// One source in this many gets one of its outputs twice.
    repeated_every: String,
    /// A rater gets one attention item for this many sources.
    attention_every: String,
) -> Result<(), Refusal> {
    let access = lead_access(&slug).await?;
    let quality_control = fields::quality_control(
        &copy_every,
        &scrambled_every,
        &repeated_every,
        &attention_every,
    )?;

    let settings = StudySettings {
        quality_control,
        ..access.study.settings.clone()
    };

    let (services, study) = (services(), access.study.id);
    let (store, now) = (&services.store, services.context.now_ms());
    store_settings(study, &settings).await?;

    let added = match access.study.closed_at {
        Some(_) => 0,
        None => {
            let seed = services.context.new_id().as_u64_pair().1;
            let annotate = |source: &str, output: &str| {
                annotate_automatically(&settings, source, output, None)
            };
            store
                .add_quality_control(study, seed, now, services.context.ids, annotate)
                .await
                .map_err(refuse)?
        }
    };

    let message = match added {
        0 => "The quality-control items have been saved.".to_owned(),
        1 => "The quality-control items have been saved, and one was added.".to_owned(),
        added => format!("The quality-control items have been saved, and {added} were added."),
    };
    redirect_with(StudyPage::QualityControlSettings, &slug, message)
}

/// Sets how long the study keeps personal data after it was closed.
///
/// # Errors
/// [`Refusal::NotAllowed`] unless the person leads the study; [`Refusal::Invalid`] for another choice;
/// [`Refusal::ConfirmPassword`] where the password was typed too long ago.
#[server(endpoint = "set-retention")]
pub async fn set_retention(
    slug: String,
    /// The period's name.
    retention: String,
) -> Result<(), Refusal> {
    let access = lead_access(&slug).await?;
    require_confirmed()?;

    let settings = StudySettings {
        retention: parse::choice(&retention)?,
        ..access.study.settings.clone()
    };

    if settings.retention != access.study.settings.retention {
        let (study, now) = (access.study.id, services().context.now_ms());
        audited(AuditKind::RetentionSet, Some(study), AuditSubject::Nothing)
            .set_settings(study, &settings, now)
            .await
            .map_err(refuse)?;
    }

    let message = "The time for which personal data is kept has been saved.";
    redirect_with(StudyPage::PrivacySettings, &slug, message)
}
