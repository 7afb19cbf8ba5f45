use leptos::prelude::*;

use app::links::StudyPage;

/// The sections of reading comprehension.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ComprehensionSection {
    /// Figures of conditions and participants, links, and the set-up.
    Summary,
    /// Detailed analysis.
    Analysis,
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

    /// The address of the section.
    pub(super) fn address(self, slug: &str) -> String {
        let page = match self {
            Self::Summary => StudyPage::Reading,
            Self::Analysis => StudyPage::ReadingAnalysis,
            Self::Passages => StudyPage::ReadingPassages,
        };
        page.address(slug)
    }
}

/// The navigation between the sections.
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
