use leptos::prelude::*;

use crate::links;

/// The pages of reading comprehension.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ComprehensionSection {
    /// Figures of conditions and participants, links, and what is set.
    Summary,
    /// What a closer look tells.
    Analysis,
    /// Passages and questions.
    Passages,
}

impl ComprehensionSection {
    const ALL: [Self; 3] = [Self::Summary, Self::Analysis, Self::Passages];

    const fn label(self) -> &'static str {
        match self {
            Self::Summary => "Summary",
            Self::Analysis => "A closer look",
            Self::Passages => "Passages and questions",
        }
    }

    /// Its address.
    pub(super) fn address(self, slug: &str) -> String {
        let path = match self {
            Self::Summary => "",
            Self::Analysis => "/analysis",
            Self::Passages => "/passages",
        };
        links::to(&format!("/s/{slug}/reading{path}"))
    }
}

/// Leads from one of them to the others.
#[component]
pub(super) fn Sections(slug: String, here: ComprehensionSection) -> impl IntoView {
    let link = |section: ComprehensionSection| {
        let current = (section == here).then_some("page");
        view! {
            <li>
                <a href=section.address(&slug) aria-current=current>{section.label()}</a>
            </li>
        }
    };
    view! {
        <nav class="sections" aria-label="Reading">
            <ul>{ComprehensionSection::ALL.map(link)}</ul>
        </nav>
    }
}
