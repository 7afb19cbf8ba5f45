//! Lanes of background jobs: jobs of the same lane wait for each other, those of different lanes do not.

use store::JobKind;

/// A lane of this process, which does one job at a time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum JobLane {
    /// Imports, for which people wait. They write in short transactions and need little processor time.
    Import,
    /// Alignment and scoring. They keep a processor busy, sometimes for minutes: two at once would not be
    /// faster, and would leave less for the pages.
    Compute,
    /// Trainings, one at a time per data folder.
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
