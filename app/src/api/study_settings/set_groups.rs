//! The groups of raters of a study.

use leptos::prelude::*;
use serde::{Deserialize, Serialize};

use crate::error::Refusal;

/// One group of raters as form fields.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct RaterGroupField {
    /// The id; empty for a new group.
    #[serde(default)]
    pub id: String,
    /// The name; empty for none.
    #[serde(default)]
    pub name: String,
    /// The names of its attributes.
    #[serde(default)]
    pub attributes: Vec<String>,
    /// The dimensions that it rates; none for all.
    #[serde(default)]
    pub dimensions: Vec<String>,
    /// Its own number of annotators for each source; empty where they count towards the study's number.
    #[serde(default)]
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
    use domain::study::StudySettings;
    use service::wording::count_noun;

    use super::{fields, redirect_to_settings, store_settings};
    use crate::{
        links::StudyPage,
        request::{lead_access, refuse},
        services,
    };

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
    redirect_to_settings(StudyPage::GroupSettings, &slug, &message);
    Ok(())
}
