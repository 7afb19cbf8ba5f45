use domain::study::Role;
use leptos::prelude::*;

use crate::links::StudyPage;

/// A page of a study in its tabs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StudyTab {
    Overview,
    Sources,
    Import,
    Export,
    /// The members and their invitations.
    People,
    Crowd,
    Assignments,
    Training,
    Log,
    Agreement,
    Quality,
    Systems,
    Protocols,
    Metrics,
    Ratings,
    Consensus,
    Reading,
    /// The first page of the settings.
    Settings,
    Protocol,
    Texts,
    Scales,
    QualityControl,
    Groups,
    Privacy,
    Webhooks,
    Advanced,
    /// The annotator's home.
    Work,
    Guidelines,
}

/// Tabs that belong together: the first row names the group, the second row its pages.
struct TabGroup {
    label: &'static str,
    tabs: &'static [StudyTab],
}

/// The groups for people who do more than annotate.
const GROUPS: [TabGroup; 5] = [
    TabGroup {
        label: "Overview",
        tabs: &[StudyTab::Overview],
    },
    TabGroup {
        label: "Data",
        tabs: &[StudyTab::Sources, StudyTab::Import, StudyTab::Export],
    },
    TabGroup {
        label: "People",
        tabs: &[
            StudyTab::People,
            StudyTab::Crowd,
            StudyTab::Assignments,
            StudyTab::Training,
            StudyTab::Log,
        ],
    },
    TabGroup {
        label: "Results",
        tabs: &[
            StudyTab::Agreement,
            StudyTab::Quality,
            StudyTab::Systems,
            StudyTab::Protocols,
            StudyTab::Metrics,
            StudyTab::Ratings,
            StudyTab::Consensus,
            StudyTab::Reading,
        ],
    },
    TabGroup {
        label: "Settings",
        tabs: &[
            StudyTab::Settings,
            StudyTab::Protocol,
            StudyTab::Texts,
            StudyTab::Scales,
            StudyTab::QualityControl,
            StudyTab::Groups,
            StudyTab::Privacy,
            StudyTab::Webhooks,
            StudyTab::Advanced,
        ],
    },
];

/// The groups for annotators, each with one page.
const ANNOTATOR_GROUPS: [TabGroup; 2] = [
    TabGroup {
        label: "Work",
        tabs: &[StudyTab::Work],
    },
    TabGroup {
        label: "Guidelines",
        tabs: &[StudyTab::Guidelines],
    },
];

impl TabGroup {
    /// The pages of the group that the role may see; `None` is an administrator who is not a member.
    fn for_role(&self, role: Option<Role>) -> Vec<StudyTab> {
        let may_see = |tab: &StudyTab| role != Some(Role::Researcher) || tab.is_for_researchers();
        self.tabs.iter().copied().filter(may_see).collect()
    }
}

impl StudyTab {
    /// Whether a researcher may open the page. A lead may open all of them.
    const fn is_for_researchers(self) -> bool {
        matches!(
            self,
            Self::Overview
                | Self::Sources
                | Self::Export
                | Self::Agreement
                | Self::Quality
                | Self::Systems
                | Self::Protocols
                | Self::Metrics
                | Self::Ratings
                | Self::Consensus
                | Self::Reading
        )
    }

    const fn label(self) -> &'static str {
        match self {
            Self::Overview => "Overview",
            Self::Sources => "Sources",
            Self::Import => "Import",
            Self::Export => "Export",
            Self::People => "Members",
            Self::Crowd => "Crowd raters",
            Self::Assignments => "Assignments",
            Self::Training => "Training",
            Self::Log => "Log",
            Self::Agreement => "Agreement",
            Self::Quality => "Quality",
            Self::Systems => "Systems",
            Self::Protocols => "Protocols",
            Self::Metrics => "Metrics",
            Self::Ratings => "Ratings",
            Self::Consensus => "Consensus",
            Self::Reading => "Reading",
            Self::Settings => "General",
            Self::Protocol => "Protocol",
            Self::Texts => "Texts",
            Self::Scales => "Scales",
            Self::QualityControl => "Quality control",
            Self::Groups => "Groups",
            Self::Privacy => "Privacy",
            Self::Webhooks => "Webhooks",
            Self::Advanced => "Advanced",
            Self::Work => "Work",
            Self::Guidelines => "Guidelines",
        }
    }

    const fn page(self) -> StudyPage<'static> {
        match self {
            Self::Overview => StudyPage::Overview,
            Self::Sources => StudyPage::Sources,
            Self::Import => StudyPage::Import,
            Self::Export => StudyPage::Export,
            Self::People => StudyPage::Members,
            Self::Crowd => StudyPage::Crowd,
            Self::Assignments => StudyPage::Assignments,
            Self::Training => StudyPage::Training,
            Self::Log => StudyPage::Log,
            Self::Agreement => StudyPage::Agreement,
            Self::Quality => StudyPage::Quality,
            Self::Systems => StudyPage::Systems,
            Self::Protocols => StudyPage::Protocols,
            Self::Metrics => StudyPage::Metrics,
            Self::Ratings => StudyPage::Ratings,
            Self::Consensus => StudyPage::Consensus,
            Self::Reading => StudyPage::Reading,
            Self::Settings => StudyPage::Settings,
            Self::Protocol => StudyPage::ProtocolSettings,
            Self::Texts => StudyPage::TextSettings,
            Self::Scales => StudyPage::ScaleSettings,
            Self::QualityControl => StudyPage::QualityControlSettings,
            Self::Groups => StudyPage::GroupSettings,
            Self::Privacy => StudyPage::PrivacySettings,
            Self::Webhooks => StudyPage::Webhooks,
            Self::Advanced => StudyPage::AdvancedSettings,
            Self::Work => StudyPage::Work,
            Self::Guidelines => StudyPage::Guidelines,
        }
    }
}

/// The tabs of a study for a role: a row of groups, and below it the pages of the current group.
pub(super) fn study_tabs(slug: &str, role: Option<Role>, here: StudyTab) -> AnyView {
    let groups = match role {
        Some(Role::Annotator) => &ANNOTATOR_GROUPS[..],
        _ => &GROUPS[..],
    };

    let link = |tab: StudyTab, label: &'static str, current: Option<&'static str>| {
        let address = tab.page().address(slug);
        view! { <li><a href=address aria-current=current>{label}</a></li> }
    };

    let mut pages = None;
    let mut links = vec![];
    let mut elsewhere = vec![];
    for group in groups {
        let tabs = group.for_role(role);
        let Some(&first) = tabs.first() else {
            continue;
        };

        let is_here = tabs.contains(&here);
        // The second row, if there is one, marks the page itself.
        let current = if tabs.len() > 1 { "true" } else { "page" };
        links.push(link(first, group.label, is_here.then_some(current)));

        if !is_here {
            elsewhere.extend(tabs.iter().map(|tab| link(*tab, tab.label(), None)));
        }
        if is_here && tabs.len() > 1 {
            pages = Some((group.label, tabs));
        }
    }

    let pages = pages.map(|(label, tabs)| {
        let page = |tab: StudyTab| link(tab, tab.label(), (tab == here).then_some("page"));
        let links = tabs.into_iter().map(page).collect_view();
        view! { <nav class="tabs pages-of-group" aria-label=label><ul>{links}</ul></nav> }
    });

    view! {
        <nav class="tabs" aria-label="Study"><ul>{links}</ul></nav>
        {pages}
        // The pages of the other groups, for the list of commands.
        <ul hidden data-pages="">{elsewhere}</ul>
    }
    .into_any()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_role_sees_the_groups_and_pages_that_it_may_open() {
        let seen = |role| -> Vec<String> {
            let groups = GROUPS.iter().map(|group| (group, group.for_role(role)));
            groups
                .filter(|(_, tabs)| !tabs.is_empty())
                .map(|(group, tabs)| {
                    let labels: Vec<_> = tabs.into_iter().map(StudyTab::label).collect();
                    format!("{}: {}", group.label, labels.join(", "))
                })
                .collect()
        };
        let lead = [
            "Overview: Overview",
            "Data: Sources, Import, Export",
            "People: Members, Crowd raters, Assignments, Training, Log",
            "Results: Agreement, Quality, Systems, Protocols, Metrics, Ratings, Consensus, Reading",
            "Settings: General, Protocol, Texts, Scales, Quality control, Groups, Privacy, Webhooks, Advanced",
        ];
        assert_eq!(seen(Some(Role::Lead)), lead);
        assert_eq!(seen(None), lead, "an administrator");
        let researcher = [lead[0], "Data: Sources, Export", lead[3]];
        assert_eq!(seen(Some(Role::Researcher)), researcher);
    }
}
