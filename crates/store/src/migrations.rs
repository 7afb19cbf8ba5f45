//! The migrations of the schema, compiled in.

use sqlx::{
    SqlSafeStr as _,
    migrate::{Migration, MigrationType, Migrator},
};

/// The version, description and SQL of each. A file that was ever applied is not edited: databases
/// keep its checksum. The list is written by hand because the macro that makes it would have the
/// database drivers compiled a second time, for the compiler.
const MIGRATIONS: &[(i64, &str, &str)] = &[
    (
        1,
        "ground",
        include_str!("../../../migrations/0001_ground.sql"),
    ),
    (
        2,
        "annotations by source",
        include_str!("../../../migrations/0002_annotations_by_source.sql"),
    ),
    (
        3,
        "discussion",
        include_str!("../../../migrations/0003_discussion.sql"),
    ),
    (
        4,
        "comprehension",
        include_str!("../../../migrations/0004_comprehension.sql"),
    ),
    (
        5,
        "metrics",
        include_str!("../../../migrations/0005_metrics.sql"),
    ),
    (
        6,
        "reading",
        include_str!("../../../migrations/0006_reading.sql"),
    ),
    (
        7,
        "job log",
        include_str!("../../../migrations/0007_job_log.sql"),
    ),
    (
        9,
        "metric direction",
        include_str!("../../../migrations/0009_metric_direction.sql"),
    ),
    (
        10,
        "imports",
        include_str!("../../../migrations/0010_imports.sql"),
    ),
    (
        11,
        "bounded times",
        include_str!("../../../migrations/0011_bounded_times.sql"),
    ),
    (
        12,
        "hold",
        include_str!("../../../migrations/0012_hold.sql"),
    ),
    (
        13,
        "write check",
        include_str!("../../../migrations/0013_write_check.sql"),
    ),
    (
        14,
        "sessions",
        include_str!("../../../migrations/0014_sessions.sql"),
    ),
    (
        15,
        "audit",
        include_str!("../../../migrations/0015_audit.sql"),
    ),
    (
        16,
        "retention",
        include_str!("../../../migrations/0016_retention.sql"),
    ),
    (
        17,
        "known devices",
        include_str!("../../../migrations/0017_known_devices.sql"),
    ),
    (
        18,
        "job retries",
        include_str!("../../../migrations/0018_job_retries.sql"),
    ),
    (
        19,
        "visits",
        include_str!("../../../migrations/0019_visits.sql"),
    ),
    (
        20,
        "questions and final values",
        include_str!("../../../migrations/0020_questions_and_final_values.sql"),
    ),
    (
        21,
        "assignments by source",
        include_str!("../../../migrations/0021_assignments_by_source.sql"),
    ),
    (
        22,
        "covering indexes",
        include_str!("../../../migrations/0022_covering_indexes.sql"),
    ),
    (
        23,
        "places",
        include_str!("../../../migrations/0023_places.sql"),
    ),
    (
        24,
        "hidden systems",
        include_str!("../../../migrations/0024_hidden_systems.sql"),
    ),
    (
        25,
        "comparisons",
        include_str!("../../../migrations/0025_comparisons.sql"),
    ),
    (
        27,
        "source context",
        include_str!("../../../migrations/0027_source_context.sql"),
    ),
    (
        28,
        "archived studies",
        include_str!("../../../migrations/0028_archived_studies.sql"),
    ),
    (
        29,
        "consensus",
        include_str!("../../../migrations/0029_consensus.sql"),
    ),
    (
        30,
        "api tokens",
        include_str!("../../../migrations/0030_api_tokens.sql"),
    ),
    (
        31,
        "crowd raters",
        include_str!("../../../migrations/0031_crowd_raters.sql"),
    ),
    (
        32,
        "webhooks",
        include_str!("../../../migrations/0032_webhooks.sql"),
    ),
    (
        35,
        "comparison plans",
        include_str!("../../../migrations/0035_comparison_plans.sql"),
    ),
    (
        36,
        "rater groups",
        include_str!("../../../migrations/0036_rater_groups.sql"),
    ),
    (
        37,
        "protocol experiments",
        include_str!("../../../migrations/0037_protocol_experiments.sql"),
    ),
    (
        38,
        "quality outputs",
        include_str!("../../../migrations/0038_quality_outputs.sql"),
    ),
    (
        39,
        "own overlap",
        include_str!("../../../migrations/0039_own_overlap.sql"),
    ),
    (
        40,
        "source priority",
        include_str!("../../../migrations/0040_source_priority.sql"),
    ),
];

/// The version of the newest migration.
pub(crate) fn newest() -> Option<i64> {
    MIGRATIONS.iter().map(|(version, ..)| *version).max()
}

/// All migrations, ready to run.
pub(crate) fn migrator() -> Migrator {
    let migrations = MIGRATIONS.iter().map(|(version, description, sql)| {
        let kind = MigrationType::Simple;
        Migration::new(
            *version,
            (*description).into(),
            kind,
            sql.into_sql_str(),
            false,
        )
    });
    Migrator::with_migrations(migrations.collect())
}

#[cfg(test)]
mod tests {
    use std::{collections::BTreeSet, fs, path::Path};

    use super::*;

    #[test]
    fn every_file_is_listed() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../migrations");
        let files: BTreeSet<_> = fs::read_dir(folder)
            .expect("the folder is there")
            .map(|entry| entry.expect("it can be read").file_name())
            .map(|name| name.into_string().expect("plain names"))
            .collect();
        let listed: BTreeSet<_> = MIGRATIONS
            .iter()
            .map(|(version, description, _)| {
                format!("{version:04}_{}.sql", description.replace(' ', "_"))
            })
            .collect();
        assert_eq!(files, listed);
    }
}
