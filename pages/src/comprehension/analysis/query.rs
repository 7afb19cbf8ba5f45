use domain::comprehension::{ReferenceConditions, SupportTarget};
use leptos::prelude::*;
use leptos_router::hooks::use_query_map;

use crate::comprehension::sections::ComprehensionSection;
use app::components::FilterScript;
use service::figures::comprehension::ComprehensionAnalysisOptions;

/// The query of the page's address.
#[derive(Debug, Clone)]
pub(super) struct ComprehensionAnalysisQuery {
    /// `None` if the address does not state it.
    of: Option<ComprehensionAnalysisOptions>,
    /// The variant of support whose curve is drawn: its target, and whether stop words are ignored.
    pub(super) curve: Option<(SupportTarget, bool)>,
}

/// The curves to choose from: names in the address, and displayed names.
const CURVES: [(&str, &str, SupportTarget, bool); 6] = [
    (
        "both-content",
        "both, content words",
        SupportTarget::Both,
        true,
    ),
    ("both", "both, all words", SupportTarget::Both, false),
    (
        "answer-content",
        "the right answer, content words",
        SupportTarget::Answer,
        true,
    ),
    (
        "answer",
        "the right answer, all words",
        SupportTarget::Answer,
        false,
    ),
    (
        "question-content",
        "the question, content words",
        SupportTarget::Question,
        true,
    ),
    (
        "question",
        "the question, all words",
        SupportTarget::Question,
        false,
    ),
];

impl ComprehensionAnalysisQuery {
    /// The query that the address states.
    pub(super) fn from_url() -> Self {
        use_query_map().with_untracked(|query| {
            let all = |key| query.get_all(key).unwrap_or_default();
            let options = query
                .get("original")
                .map(|original| ComprehensionAnalysisOptions {
                    people: ReferenceConditions {
                        references: all("by")
                            .into_iter()
                            .filter(|name| *name != original)
                            .collect(),
                        original,
                    },
                    answerable_in: all("in"),
                });

            let curve = query.get("curve");
            let named = |entry: &&(&str, _, _, _)| Some(entry.0) == curve.as_deref();
            let curve = CURVES.iter().find(named).or_else(|| CURVES.first());

            Self {
                of: options,
                curve: curve.map(|(_, _, target, content)| (*target, *content)),
            }
        })
    }

    /// The query for a study with these conditions: unknown ones are dropped.
    pub(super) fn to_options(&self, conditions: &[String]) -> ComprehensionAnalysisOptions {
        let Some(options) = &self.of else {
            return ComprehensionAnalysisOptions::default_for(conditions);
        };

        let existing = |names: &[String]| {
            let matching = conditions.iter().filter(|name| names.contains(name));
            matching.cloned().collect::<Vec<_>>()
        };
        let people = ReferenceConditions {
            original: existing(std::slice::from_ref(&options.people.original))
                .pop()
                .unwrap_or_default(),
            references: existing(&options.people.references),
        };

        ComprehensionAnalysisOptions {
            people,
            answerable_in: existing(&options.answerable_in),
        }
    }
}

/// The form for the roles of conditions; a plain form that loads the page again.
#[component]
pub(super) fn ConditionsForm(
    slug: String,
    conditions: Vec<String>,
    of: ComprehensionAnalysisOptions,
    curve: Option<(SupportTarget, bool)>,
) -> impl IntoView {
    let check = |name: &'static str, checked: &[String]| {
        let choice = |condition: &String| {
            let is = checked.contains(condition);
            view! {
                <label class="choice">
                    <input type="checkbox" name=name value=condition.clone() checked=is/>
                    <span>{condition.clone()}</span>
                </label>
            }
        };
        conditions.iter().map(choice).collect_view()
    };
    let option = |condition: &String| {
        let selected = *condition == of.people.original;
        view! { <option value=condition.clone() selected=selected>{condition.clone()}</option> }
    };
    let of_curve = |(name, label, support, content): (&'static str, &'static str, _, _)| {
        let selected = curve == Some((support, content));
        view! { <option value=name selected=selected>{label}</option> }
    };

    view! {
        <form method="get" action=ComprehensionSection::Analysis.address(&slug) class="asked conditions-asked">
            <label class="field">
                <span>"What was simplified"</span>
                <select name="original">{conditions.iter().map(option).collect_view()}</select>
            </label>
            <fieldset>
                <legend>"Also written by people"</legend>
                <p class="help">"These count as references of metrics. All others count as systems."</p>
                {check("by", &of.people.references)}
            </fieldset>
            <fieldset>
                <legend>"Count questions answerable in all of"</legend>
                {check("in", &of.answerable_in)}
            </fieldset>
            <label class="field">
                <span>"Curve of the support of"</span>
                <select name="curve">{CURVES.map(of_curve)}</select>
            </label>
            <button>"Show"</button>
        </form>
        <FilterScript/>
    }
}
