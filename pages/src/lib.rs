//! Pages, one file or folder each, and their addresses. Only the server has them.
//!
//! They are a crate of their own, on top of `app`, so that a changed page compiles neither the workspace nor the server
//! functions again.

// A page is one deeply nested type until it is rendered.
#![recursion_limit = "256"]
// Names and types document most props; forced comments only repeat them.
#![allow(missing_docs)]
// Leptos' macros write `pub` structs next to `pub` functions, also in private modules.
#![allow(unreachable_pub)]

mod account;
mod agreement;
mod annotator;
mod api;
mod audit;
mod charts;
mod comprehension;
mod comprehension_participant;
mod confirm;
mod consensus;
mod crowd;
mod crowd_rater;
mod document;
mod erase_account;
mod erase_study;
mod export;
mod home;
mod import;
mod invite;
mod log_in;
mod members;
mod metrics;
mod new_study;
mod overview;
mod participant_forms;
mod people;
mod protocols;
mod quality;
mod rater_names;
mod ratings;
mod running_job;
mod settings;
mod sources;
mod systems;
mod training;
mod webhooks;
mod welcome;
mod workspace;

pub use document::shell;

use leptos::prelude::*;
use leptos_meta::provide_meta_context;
use leptos_router::{
    SsrMode,
    components::{Route, Router, Routes},
    path,
};

use account::Account;
use agreement::AgreementPage;
use annotator::{Guidelines, Work};
use api::ApiPage;
use app::layout::NotFound;
use audit::{AuditPage, StudyLogPage};
use comprehension::{
    ReadingAnalysisPage, ReadingImportPage, ReadingPage, ReadingPassagePage, ReadingPassagesPage,
};
use comprehension_participant::{ParticipantStartPage, ParticipantTextPage};
use confirm::ConfirmPage;
use consensus::{ConsensusPage, SourceConsensusPage};
use crowd::CrowdPage;
use crowd_rater::{CrowdResumePage, CrowdStartPage};
use erase_account::{EraseAccountPage, ErasePersonPage};
use erase_study::EraseStudyPage;
use export::ExportPage;
use home::Home;
use import::{ImportJobPage, ImportPage, PreviewPage, UndoImportPage};
use invite::Invite;
use log_in::LogInPage;
use members::{AssignmentsPage, MembersPage, QualificationPage};
use metrics::MetricsPage;
use new_study::NewStudy;
use overview::OverviewPage;
use people::People;
use protocols::ProtocolsPage;
use quality::QualityPage;
use ratings::RatingsPage;
use settings::{
    AdvancedSettingsPage, GroupSettingsPage, PrivacySettingsPage, ProtocolSettingsPage,
    QualityControlSettingsPage, ScaleSettingsPage, SettingsPage, TextSettingsPage,
};
use sources::{SourcePage, SourcesPage};
use systems::{EditSystemsPage, SystemsPage};
use training::{ExpectedPage, TrainingPage};
use webhooks::WebhooksPage;
use welcome::Welcome;
use workspace::{StudyPreviewPage, TemplatePreviewPage, WorkspacePage};

/// All pages. Each is rendered whole before it is sent.
#[component]
pub fn App() -> impl IntoView {
    provide_meta_context();

    view! {
        <Router>
            <Routes fallback=NotFound>
                <Route path=path!("/") view=Home ssr=SsrMode::Async/>
                <Route path=path!("/login") view=LogInPage ssr=SsrMode::Async/>
                <Route path=path!("/welcome/:token") view=Welcome ssr=SsrMode::Async/>
                <Route path=path!("/invite/:token") view=Invite ssr=SsrMode::Async/>
                <Route path=path!("/confirm") view=ConfirmPage ssr=SsrMode::Async/>
                <Route path=path!("/api") view=ApiPage ssr=SsrMode::Async/>
                <Route path=path!("/account") view=Account ssr=SsrMode::Async/>
                <Route path=path!("/s/:slug/work") view=Work ssr=SsrMode::Async/>
                <Route path=path!("/s/:slug/guidelines") view=Guidelines ssr=SsrMode::Async/>
                <Route path=path!("/account/erase") view=EraseAccountPage ssr=SsrMode::Async/>
                <Route path=path!("/people") view=People ssr=SsrMode::Async/>
                <Route path=path!("/audit") view=AuditPage ssr=SsrMode::Async/>
                <Route path=path!("/people/:person/erase") view=ErasePersonPage ssr=SsrMode::Async/>
                <Route path=path!("/studies/new/:template") view=TemplatePreviewPage ssr=SsrMode::Async/>
                <Route path=path!("/studies/new") view=NewStudy ssr=SsrMode::Async/>
                <Route path=path!("/s/:slug") view=OverviewPage ssr=SsrMode::Async/>
                <Route path=path!("/s/:slug/sources") view=SourcesPage ssr=SsrMode::Async/>
                <Route path=path!("/s/:slug/sources/:source") view=SourcePage ssr=SsrMode::Async/>
                <Route path=path!("/s/:slug/training") view=TrainingPage ssr=SsrMode::Async/>
                <Route path=path!("/s/:slug/training/:source") view=ExpectedPage ssr=SsrMode::Async/>
                <Route path=path!("/s/:slug/members") view=MembersPage ssr=SsrMode::Async/>
                <Route path=path!("/s/:slug/members/:person/qualification") view=QualificationPage ssr=SsrMode::Async/>
                <Route path=path!("/s/:slug/crowd") view=CrowdPage ssr=SsrMode::Async/>
                <Route path=path!("/s/:slug/assignments") view=AssignmentsPage ssr=SsrMode::Async/>
                <Route path=path!("/s/:slug/log") view=StudyLogPage ssr=SsrMode::Async/>
                <Route path=path!("/s/:slug/settings") view=SettingsPage ssr=SsrMode::Async/>
                <Route path=path!("/s/:slug/settings/texts") view=TextSettingsPage ssr=SsrMode::Async/>
                <Route path=path!("/s/:slug/settings/protocol") view=ProtocolSettingsPage ssr=SsrMode::Async/>
                <Route path=path!("/s/:slug/settings/scales") view=ScaleSettingsPage ssr=SsrMode::Async/>
                <Route path=path!("/s/:slug/settings/quality-control") view=QualityControlSettingsPage ssr=SsrMode::Async/>
                <Route path=path!("/s/:slug/settings/groups") view=GroupSettingsPage ssr=SsrMode::Async/>
                <Route path=path!("/s/:slug/settings/privacy") view=PrivacySettingsPage ssr=SsrMode::Async/>
                <Route path=path!("/s/:slug/settings/webhooks") view=WebhooksPage ssr=SsrMode::Async/>
                <Route path=path!("/s/:slug/settings/advanced") view=AdvancedSettingsPage ssr=SsrMode::Async/>
                <Route path=path!("/s/:slug/erase") view=EraseStudyPage ssr=SsrMode::Async/>
                <Route path=path!("/s/:slug/preview") view=StudyPreviewPage ssr=SsrMode::Async/>
                <Route path=path!("/s/:slug/work/:assignment") view=WorkspacePage ssr=SsrMode::Async/>
                <Route path=path!("/s/:slug/import") view=ImportPage ssr=SsrMode::Async/>
                <Route path=path!("/s/:slug/import/:upload") view=PreviewPage ssr=SsrMode::Async/>
                <Route path=path!("/s/:slug/import/jobs/:job") view=ImportJobPage ssr=SsrMode::Async/>
                <Route path=path!("/s/:slug/import/undo/:import") view=UndoImportPage ssr=SsrMode::Async/>
                <Route path=path!("/s/:slug/agreement") view=AgreementPage ssr=SsrMode::Async/>
                <Route path=path!("/s/:slug/quality") view=QualityPage ssr=SsrMode::Async/>
                <Route path=path!("/s/:slug/systems") view=SystemsPage ssr=SsrMode::Async/>
                <Route path=path!("/s/:slug/systems/edit") view=EditSystemsPage ssr=SsrMode::Async/>
                <Route path=path!("/s/:slug/protocols") view=ProtocolsPage ssr=SsrMode::Async/>
                <Route path=path!("/s/:slug/metrics") view=MetricsPage ssr=SsrMode::Async/>
                <Route path=path!("/s/:slug/ratings") view=RatingsPage ssr=SsrMode::Async/>
                <Route path=path!("/s/:slug/consensus") view=ConsensusPage ssr=SsrMode::Async/>
                <Route path=path!("/s/:slug/consensus/:source") view=SourceConsensusPage ssr=SsrMode::Async/>
                <Route path=path!("/s/:slug/reading") view=ReadingPage ssr=SsrMode::Async/>
                <Route path=path!("/s/:slug/reading/analysis") view=ReadingAnalysisPage ssr=SsrMode::Async/>
                <Route path=path!("/s/:slug/reading/import/:upload") view=ReadingImportPage ssr=SsrMode::Async/>
                <Route path=path!("/s/:slug/reading/passages") view=ReadingPassagesPage ssr=SsrMode::Async/>
                <Route path=path!("/s/:slug/reading/passages/:passage") view=ReadingPassagePage ssr=SsrMode::Async/>
                <Route path=path!("/take/:token") view=ParticipantStartPage ssr=SsrMode::Async/>
                <Route path=path!("/rate/:token") view=CrowdStartPage ssr=SsrMode::Async/>
                <Route path=path!("/resume/:key") view=CrowdResumePage ssr=SsrMode::Async/>
                <Route path=path!("/read") view=ParticipantTextPage ssr=SsrMode::Async/>
                <Route path=path!("/s/:slug/export") view=ExportPage ssr=SsrMode::Async/>
            </Routes>
        </Router>
    }
}
