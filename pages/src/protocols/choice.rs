use domain::study::{Role, Slug};
use leptos::prelude::*;
use store::Study;

use app::{
    error::Refusal,
    request::{RequestAccess, refuse},
    services,
};

/// The other studies that a study can be compared with: those that the person may read.
pub(super) struct StudyChoice(Vec<ChoosableStudy>);

struct ChoosableStudy {
    slug: Slug,
    name: String,
    chosen: bool,
}

impl StudyChoice {
    /// The name of the field, and of the parameter of the page's address.
    pub(super) const FIELD: &'static str = "with";

    pub(super) async fn load(access: &RequestAccess, chosen: &[Study]) -> Result<Self, Refusal> {
        let studies = services().store.studies_of(access.person.id).await;
        let studies = studies.map_err(refuse)?.into_iter().filter(|study| {
            let reads = matches!(study.role, Some(Role::Lead | Role::Researcher));
            study.id != access.study.id && (reads || access.is_admin)
        });
        let choosable = studies.map(|study| ChoosableStudy {
            chosen: chosen.iter().any(|other| other.id == study.id),
            slug: study.slug,
            name: study.name,
        });
        Ok(Self(choosable.collect()))
    }

    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The checkboxes; nothing if there are no studies to choose.
    pub(super) fn view(self) -> impl IntoView {
        let check = |study: ChoosableStudy| {
            view! {
                <label class="choice">
                    <input type="checkbox" name=Self::FIELD value=study.slug.to_string() checked=study.chosen/>
                    <span>{study.name}</span>
                </label>
            }
        };
        (!self.is_empty()).then(|| {
            view! {
                <fieldset>
                    <legend>"Compare with"</legend>
                    {self.0.into_iter().map(check).collect_view()}
                </fieldset>
            }
        })
    }
}
