use std::fmt::Display;

use domain::{
    ids::{AssignmentId, ImportId, JobId, ModelId, PassageId, PersonId, SourceId},
    study::Role,
};

use super::{STUDY_WORK, to};

/// A page or download of a study.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StudyPage<'a> {
    Overview,
    /// The stream of the study's events, for live pages.
    Events,
    Sources,
    Source(SourceId),
    Training,
    ExpectedAnswers(SourceId),
    Members,
    /// Crowd raters, and the settings for them.
    Crowd,
    /// The pay sheet of crowd raters.
    PaySheet,
    Assignments,
    Qualification(PersonId),
    Log,
    Settings,
    TextSettings,
    ScaleSettings,
    ProtocolSettings,
    /// The study as an annotator would see it.
    Preview,
    QualityControlSettings,
    GroupSettings,
    PrivacySettings,
    Webhooks,
    AdvancedSettings,
    /// The study as a file.
    StudyFile,
    /// The confirmation for erasing the study.
    Erase,
    Work,
    Workspace(AssignmentId),
    Guidelines,
    Import,
    /// The preview of uploaded files, by their ids separated by commas.
    ImportPreview(&'a str),
    ImportJob(JobId),
    UndoImport(ImportId),
    Agreement,
    Quality,
    Systems,
    EditSystems,
    Protocols,
    Metrics,
    ModelFile(ModelId),
    Ratings,
    Consensus,
    SourceConsensus(SourceId),
    Reading,
    ReadingAnalysis,
    ReadingPassages,
    ReadingPassage(PassageId),
    ReadingAnswers,
    Export,
    /// A download, by the name of its format.
    ExportFile(&'a str),
}

impl StudyPage<'_> {
    /// The page on which a person of that role enters a study; `None` is an administrator who isn't a member.
    pub fn entrance(role: Option<Role>) -> Self {
        match role {
            Some(Role::Annotator) => Self::Work,
            _ => Self::Overview,
        }
    }

    /// The path of the page within the site, as redirects need it.
    pub fn path(self, slug: impl Display) -> String {
        format!("/s/{slug}{}", self.suffix())
    }

    /// The address of the page, as links need it.
    pub fn address(self, slug: impl Display) -> String {
        to(&self.path(slug))
    }

    fn suffix(self) -> String {
        match self {
            Self::Overview => "".into(),
            Self::Events => "/news".into(),
            Self::Sources => "/sources".into(),
            Self::Source(source) => format!("/sources/{source}"),
            Self::Training => "/training".into(),
            Self::ExpectedAnswers(source) => format!("/training/{source}"),
            Self::Members => "/members".into(),
            Self::Crowd => "/crowd".into(),
            Self::PaySheet => "/crowd/pay.csv".into(),
            Self::Assignments => "/assignments".into(),
            Self::Qualification(person) => format!("/members/{person}/qualification"),
            Self::Log => "/log".into(),
            Self::Settings => "/settings".into(),
            Self::TextSettings => "/settings/texts".into(),
            Self::ScaleSettings => "/settings/scales".into(),
            Self::ProtocolSettings => "/settings/protocol".into(),
            Self::Preview => "/preview".into(),
            Self::QualityControlSettings => "/settings/quality-control".into(),
            Self::GroupSettings => "/settings/groups".into(),
            Self::PrivacySettings => "/settings/privacy".into(),
            Self::Webhooks => "/settings/webhooks".into(),
            Self::AdvancedSettings => "/settings/advanced".into(),
            Self::StudyFile => "/settings/study.json".into(),
            Self::Erase => "/erase".into(),
            Self::Work => STUDY_WORK.into(),
            Self::Workspace(assignment) => format!("{STUDY_WORK}/{assignment}"),
            Self::Guidelines => "/guidelines".into(),
            Self::Import => "/import".into(),
            Self::ImportPreview(files) => format!("/import/{files}"),
            Self::ImportJob(job) => format!("/import/jobs/{job}"),
            Self::UndoImport(import) => format!("/import/undo/{import}"),
            Self::Agreement => "/agreement".into(),
            Self::Quality => "/quality".into(),
            Self::Systems => "/systems".into(),
            Self::EditSystems => "/systems/edit".into(),
            Self::Protocols => "/protocols".into(),
            Self::Metrics => "/metrics".into(),
            Self::ModelFile(model) => format!("/metrics/models/{model}"),
            Self::Ratings => "/ratings".into(),
            Self::Consensus => "/consensus".into(),
            Self::SourceConsensus(source) => format!("/consensus/{source}"),
            Self::Reading => "/reading".into(),
            Self::ReadingAnalysis => "/reading/analysis".into(),
            Self::ReadingPassages => "/reading/passages".into(),
            Self::ReadingPassage(passage) => format!("/reading/passages/{passage}"),
            Self::ReadingAnswers => "/reading/answers.zip".into(),
            Self::Export => "/export".into(),
            Self::ExportFile(format) => format!("/export/{format}.zip"),
        }
    }
}

#[cfg(test)]
mod tests {
    use domain::ids::SourceId;
    use uuid::Uuid;

    use super::StudyPage;

    #[test]
    fn pages_of_a_study() {
        let check = |page: StudyPage, path| assert_eq!(page.path("river"), path);
        check(StudyPage::Overview, "/s/river");
        check(StudyPage::Metrics, "/s/river/metrics");
        check(
            StudyPage::Source(SourceId(Uuid::nil())),
            "/s/river/sources/00000000-0000-0000-0000-000000000000",
        );
        check(StudyPage::ImportPreview("a,b"), "/s/river/import/a,b");
        check(StudyPage::ExportFile("tidy"), "/s/river/export/tidy.zip");
    }
}
