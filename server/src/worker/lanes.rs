//! Lanes of background jobs: the jobs of a lane wait for each other, and those of different lanes do not.

use store::JobKind;

/// A lane of this process. Each does one job at a time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum JobLane {
    /// Imports, for which people wait. They write in short transactions, and need little of a processor.
    Import,
    /// Alignment and scoring. They keep a processor busy, for minutes at times: a second such job beside the
    /// first would make neither faster, and leave less for the pages.
    Compute,
    /// Trainings, of which one runs at a time in a data folder.
    Train,
}

impl JobLane {
    /// The lane of a kind of job.
    const fn for_kind(kind: JobKind) -> Self {
        match kind {
            JobKind::Import => Self::Import,
            JobKind::Align | JobKind::Score => Self::Compute,
            JobKind::Train | JobKind::TrainAligner => Self::Train,
        }
    }

    /// The kinds of its jobs.
    pub(super) fn kinds(self) -> Vec<JobKind> {
        let kinds = JobKind::ALL.iter().copied();
        kinds.filter(|kind| Self::for_kind(*kind) == self).collect()
    }
}
