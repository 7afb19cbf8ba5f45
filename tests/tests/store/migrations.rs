//! Each migration, applied to a database that holds rows of the schema before it.

use std::path::Path;

use domain::study::StudySettings;
use sqlx::{Connection, migrate::Migrator};
use store::{EventKind, InvitationTarget, Store};
use stories::{TestDatabase, on_both, slug};

/// Names of ids in the SQL below: `@study` is written as a UUID.
const IDS: [&str; 24] = [
    "@study",
    "@lead",
    "@annotator",
    "@system1",
    "@system2",
    "@source",
    "@output",
    "@twin",
    "@rater",
    "@imported",
    "@assignment",
    "@older",
    "@rating",
    "@order",
    "@job",
    "@upload",
    "@condition",
    "@passage",
    "@question",
    "@participant",
    "@reading",
    "@answer",
    "@import",
    "@metric",
];

/// The SQL with ids in place of their names.
fn with_ids(sql: &str) -> String {
    let settings = serde_json::to_string(&StudySettings::default()).unwrap();
    let named = sql.replace("@settings", &settings);
    (1..).zip(IDS).fold(named, |sql, (number, name)| {
        sql.replace(name, &format!("00000000-0000-7000-8000-{number:012}"))
    })
}

/// Rows of every table of the first schema.
const FIRST_ROWS: &str = "
    INSERT INTO person VALUES ('@lead', 'Lea', 'lea', 'hash', 1, 1, NULL),
        ('@annotator', 'Ann', 'ann', NULL, 0, 2, 9);
    INSERT INTO session VALUES ('session', '@lead', 1, 99);
    INSERT INTO password_link VALUES ('password', '@annotator', 1, 99);
    INSERT INTO login_failure VALUES ('ann', 5, 2);
    INSERT INTO study VALUES ('@study', 'rivers', 'Rivers', '# Rate', 'A sheet', '@settings', 3, 1, NULL);
    INSERT INTO member VALUES ('@study', '@lead', 'lead', 1, NULL, NULL, NULL, NULL),
        ('@study', '@annotator', 'annotator', 2, 3, NULL, 4, 5);
    INSERT INTO invitation VALUES ('a', '@study', 'annotator', 'a course', '@lead', 1, 99, 7, NULL);
    INSERT INTO system VALUES ('@system1', '@study', 0, 'A', 'machine'),
        ('@system2', '@study', 1, 'B', 'human');
    INSERT INTO source VALUES ('@source', '@study', 0, 'one', 'The river rose.', 'main');
    INSERT INTO reference VALUES ('@source', 0, 'It rose.'), ('@source', 1, 'It rose.');
    INSERT INTO output VALUES
        ('@output', '@study', '@source', '@system1', 0, 'It rose.', 'main', NULL, NULL,
         'paraphrase', 'why', 'rule 1', '[]', 'string v1 edits v1', '{}', NULL),
        ('@twin', '@study', '@source', '@system2', 1, 'It rose.', 'main', NULL, '@output',
         'paraphrase', 'why', 'rule 1', '[]', 'string v1 edits v1', NULL, NULL);
    INSERT INTO rater VALUES ('@rater', '@study', 0, 'person', 'annotator 1', '@annotator'),
        ('@imported', '@study', 1, 'imported', 'rater 1', NULL);
    INSERT INTO assignment VALUES
        ('@assignment', '@study', '@source', '@rater', 'handed-in', 7, 1, 99, 8, '');
    INSERT INTO annotation VALUES
        ('@older', '@study', '@source', '@output', '@rater', '@assignment', 'rating', 'overall',
         40, '0..100', NULL, NULL, 0, 2, 5),
        ('@rating', '@study', '@source', '@output', '@rater', '@assignment', 'rating', 'overall',
         70, '0..100', NULL, '@older', 1, 3, 6),
        ('@order', '@study', '@source', NULL, '@rater', '@assignment', 'order', '', NULL, NULL,
         'null', NULL, 1, 3, 6);
    INSERT INTO event VALUES ('@study', 1, 'study', '@study', 1), ('@study', 2, 'rating', '@older', 5),
        ('@study', 3, 'rating', '@rating', 6);
    INSERT INTO activity VALUES ('@assignment', 'tab 1', 'rate', 700), ('@assignment', 'tab 2', 'rate', -5),
        ('@assignment', 'tab 3', 'rate', 9223372036854775807);
    INSERT INTO job VALUES ('@job', '@study', 'import', 'done', '{}', 5, 5, '{}', NULL, '@lead', 1, 2,
        NULL, NULL, 1, 0);
    INSERT INTO upload VALUES ('@upload', '@study', 'a.csv', 3, '@lead', 1, 1);
    INSERT INTO upload_chunk VALUES ('@upload', 0, 3, 'YWJj');";

/// Queries whose rows no migration may change: all columns of the first schema, except those that a case names.
const KEPT: [&str; 17] = [
    "SELECT id, name, folded_name, password_hash, is_admin, created_at, disabled_at FROM person ORDER BY id",
    "SELECT token_hash, person_id, created_at, expires_at FROM session",
    "SELECT token_hash, person_id, created_at, expires_at FROM password_link",
    "SELECT subject, at, times FROM login_failure",
    "SELECT id, slug, name, guidelines, information, settings, events, created_at, closed_at FROM study",
    "SELECT study_id, person_id, role, joined_at, consented_at, withdrawn_at, admitted_at, tutorial_done_at
     FROM member ORDER BY person_id",
    "SELECT study_id, role, label, created_by, created_at, expires_at, uses_left, revoked_at
     FROM invitation WHERE token_hash = 'a'",
    "SELECT id, study_id, position, name, kind FROM system ORDER BY id",
    "SELECT id, study_id, position, key, text, purpose FROM source ORDER BY id",
    "SELECT source_id, position, text FROM reference ORDER BY source_id, position",
    "SELECT id, study_id, source_id, system_id, position, text, purpose, made_from, twin_of, category,
            category_reason, category_version, edits, edits_version, verbatim, expected
     FROM output ORDER BY id",
    "SELECT id, study_id, position, kind, label, person_id FROM rater ORDER BY id",
    "SELECT id, study_id, source_id, rater_id, state, seed, created_at, leased_until, ended_at, reason
     FROM assignment",
    "SELECT id, study_id, source_id, output_id, rater_id, assignment_id, kind, dimension,
            CAST(value AS BIGINT), scale, body, supersedes, current, event, recorded_at
     FROM annotation ORDER BY id",
    "SELECT number, kind, subject, at FROM event ORDER BY number",
    "SELECT id, study_id, kind, state, input, done, total, result, failure, created_by, created_at,
            ended_at, worker, leased_until, attempts, cancelled FROM job",
    "SELECT u.id, u.study_id, u.name, u.size, u.created_by, u.created_at, u.complete, c.number, c.bytes,
            c.content
     FROM upload u JOIN upload_chunk c ON c.upload_id = u.id",
];

/// A migration, and its effect on rows.
struct MigrationCase {
    version: i64,
    /// Rows of tables that are younger than the first schema, inserted before the migration.
    rows: &'static str,
    /// Rows that the new schema must accept in addition to the old ones.
    accepts: &'static str,
    /// Queries after it, each with the rows expected: values by `|`, rows by line.
    expect: &'static [(&'static str, &'static [&'static str])],
}

const CASES: [MigrationCase; 35] = [
    MigrationCase {
        version: 2,
        rows: "",
        accepts: "",
        expect: &[(
            "SELECT id FROM annotation WHERE source_id = '@source' AND kind = 'rating' AND current = 1",
            &["@rating"],
        )],
    },
    MigrationCase {
        version: 3,
        rows: "",
        accepts: "INSERT INTO discussion VALUES
            ('question', '@study', '@source', '@output', 'Look again.', '@lead', 7);",
        expect: &[("SELECT note, asked_by FROM discussion", &["Look again.|@lead"])],
    },
    MigrationCase {
        version: 4,
        rows: "",
        accepts: "INSERT INTO comprehension VALUES ('@study', '{}', 1);
            INSERT INTO reading_condition VALUES ('@condition', '@study', 0, 'Original');
            INSERT INTO passage VALUES ('@passage', '@study', 0, 'p', 'Rivers', 'main');
            INSERT INTO passage_text VALUES ('@passage', '@condition', 'The river rose.');
            INSERT INTO question VALUES ('@question', '@passage', 0, 'q', '{}');
            INSERT INTO participant (id, study_id, label, joined_at, seen_at, seed)
            VALUES ('@participant', '@study', 'reader 1', 1, 2, 3);
            INSERT INTO reading VALUES ('@reading', '@participant', '@passage', '@condition', 0, NULL);",
        expect: &[("SELECT study_id, begun FROM comprehension", &["@study|1"])],
    },
    MigrationCase {
        version: 5,
        rows: "",
        accepts: "INSERT INTO metric VALUES
            ('@metric', '@study', 'sari', 'sari', 'computed', 1, '[]', NULL, 1, 0);
            INSERT INTO metric_score VALUES ('@metric', '@output', 0, 'no references', 0, 3);",
        expect: &[(
            "SELECT metric_id, output_id, undefined FROM metric_score",
            &["@metric|@output|no references"],
        )],
    },
    MigrationCase {
        version: 6,
        rows: "INSERT INTO reading_link VALUES ('b', '@study', 'readers', 1, 99, 4, NULL),
            ('c', '@study', '', 2, 98, 0, 50);",
        accepts: "INSERT INTO question_spans VALUES ('@question', '@condition', '[]');",
        expect: &[(
            "SELECT token_hash, study_id, role, label, created_by, created_at, expires_at, uses_left,
                    revoked_at FROM invitation ORDER BY token_hash",
            &[
                "a|@study|annotator|a course|@lead|1|99|7|NULL",
                "b|@study|participant|readers|NULL|1|99|4|NULL",
                "c|@study|participant||NULL|2|98|0|50",
            ],
        )],
    },
    MigrationCase {
        version: 7,
        rows: "",
        accepts: "UPDATE job SET log = 'one line' WHERE id = 'none';",
        expect: &[("SELECT id, log FROM job", &["@job|"])],
    },
    MigrationCase {
        version: 9,
        rows: "INSERT INTO metric VALUES
            ('m1', '@study', 'fkgl', '1', 'computed', 0, '[]', NULL, 1, 0),
            ('m2', '@study', 'self-bleu', '2', 'computed', 0, '[]', NULL, 1, 0),
            ('m3', '@study', 'TER', '3', 'imported', 0, '[]', NULL, 1, 0),
            ('m4', '@study', 'Length', '4', 'imported', 0, '[]', NULL, 1, 0),
            ('m5', '@study', 'lens', '5', 'imported', 0, '[]', NULL, 1, 0),
            ('m6', '@study', 'word-rank', '6', 'computed', 0, '[]', NULL, 1, 0),
            ('m7', '@study', 'word-rank', '7', 'imported', 0, '[]', NULL, 1, 0);",
        accepts: "",
        expect: &[(
            "SELECT id, direction FROM metric ORDER BY id",
            &[
                "@metric|higher-is-better",
                "m1|lower-is-better",
                "m2|neither",
                "m3|lower-is-better",
                "m4|neither",
                "m5|higher-is-better",
                "m6|lower-is-better",
                "m7|higher-is-better",
            ],
        )],
    },
    MigrationCase {
        version: 10,
        rows: "",
        accepts: "INSERT INTO import (id, study_id, state, began_at, leased_until)
            VALUES ('@import', '@study', 'running', 1, 2);
            INSERT INTO stored_source (id, study_id, position, key, text, purpose, import_id)
            VALUES ('unseen', '@study', 1, 'two', 'Unseen.', 'main', '@import');",
        expect: &[
            (
                "SELECT id, import_id, hidden_at FROM stored_source ORDER BY position",
                &["@source|NULL|NULL", "unseen|@import|NULL"],
            ),
            ("SELECT id FROM source", &["@source"]),
            (
                "SELECT id, import_id, hidden_at FROM stored_output ORDER BY position",
                &["@output|NULL|NULL", "@twin|NULL|NULL"],
            ),
            (
                "SELECT id, import_id FROM annotation ORDER BY id",
                &["@older|NULL", "@rating|NULL", "@order|NULL"],
            ),
        ],
    },
    MigrationCase {
        version: 11,
        rows: "INSERT INTO reading_activity VALUES ('@reading', 'tab 1', '', 700),
                ('@reading', 'tab 2', '@question', -1),
                ('@reading', 'tab 3', '', 9223372036854775807);
            INSERT INTO reading_answer (id, study_id, question_id, condition_id, choice, active_ms,
                current, event, recorded_at)
            VALUES ('a1', '@study', '@question', '@condition', 'A', NULL, 1, 3, 1),
                ('a2', '@study', '@question', '@condition', 'A', 40, 1, 3, 1),
                ('a3', '@study', '@question', '@condition', 'A', -1, 1, 3, 1),
                ('a4', '@study', '@question', '@condition', 'A', 9223372036854775807, 1, 3, 1);",
        accepts: "INSERT INTO activity VALUES ('@assignment', 'tab 4', 'rate', 2592000000);",
        expect: &[
            (
                "SELECT assignment_id, tab, step, active_ms FROM activity ORDER BY tab",
                &[
                    "@assignment|tab 1|rate|700",
                    "@assignment|tab 2|rate|0",
                    "@assignment|tab 3|rate|2592000000",
                    "@assignment|tab 4|rate|2592000000",
                ],
            ),
            (
                "SELECT reading_id, tab, part, active_ms FROM reading_activity ORDER BY tab",
                &[
                    "@reading|tab 1||700",
                    "@reading|tab 2|@question|0",
                    "@reading|tab 3||2592000000",
                ],
            ),
            (
                "SELECT id, active_ms FROM reading_answer ORDER BY id",
                &["a1|NULL", "a2|40", "a3|0", "a4|2592000000"],
            ),
        ],
    },
    MigrationCase {
        version: 12,
        rows: "UPDATE stored_output SET hidden_at = 5 WHERE id = '@twin';",
        accepts: "INSERT INTO aligner VALUES ('string v1 edits v1', 7);",
        expect: &[
            ("SELECT id, added_at FROM output", &["@output|0"]),
            (
                "SELECT id, added_at FROM stored_output ORDER BY position",
                &["@output|0", "@twin|0"],
            ),
        ],
    },
    MigrationCase {
        version: 13,
        rows: "",
        accepts: "",
        expect: &[("SELECT checked_at FROM write_check", &["0"])],
    },
    MigrationCase {
        version: 14,
        rows: "",
        accepts: "INSERT INTO session VALUES ('younger', '@annotator', 5, 99, 6, 7, 'Firefox');",
        expect: &[(
            "SELECT token_hash, confirmed_at, seen_at, user_agent FROM session ORDER BY created_at",
            &["session|0|1|", "younger|6|7|Firefox"],
        )],
    },
    MigrationCase {
        version: 15,
        rows: "",
        accepts: "INSERT INTO audit_entry VALUES
            ('e1', 5, '@lead', 'Lea', '192.0.2.1', 'exported', '@study', 'a.zip', 'lea a.zip'),
            ('e2', 6, NULL, '', '', 'signed-in', NULL, '', '');",
        expect: &[(
            "SELECT id, actor_id, study_id FROM audit_entry ORDER BY at",
            &["e1|@lead|@study", "e2|NULL|NULL"],
        )],
    },
    MigrationCase {
        version: 16,
        rows: "INSERT INTO stored_rater (id, study_id, position, kind, label)
            VALUES ('leaving', '@study', 2, 'person', 'annotator 2');
            INSERT INTO stored_annotation (id, study_id, source_id, rater_id, kind, current, event, recorded_at)
            VALUES ('left', '@study', '@source', 'leaving', 'order', 1, 3, 6);",
        accepts: "UPDATE stored_rater SET erased_at = 7 WHERE id = 'leaving';",
        expect: &[
            (
                "SELECT id, participants_joined, raters_joined, erased_at, personal_data_erased_at FROM study",
                &["@study|1|2|NULL|NULL"],
            ),
            (
                "SELECT id, erased_at FROM person ORDER BY id",
                &["@lead|NULL", "@annotator|NULL"],
            ),
            ("SELECT id FROM rater ORDER BY id", &["@rater", "@imported"]),
            (
                "SELECT id FROM annotation ORDER BY id",
                &["@older", "@rating", "@order"],
            ),
            ("SELECT COUNT(*) FROM stored_annotation", &["4"]),
        ],
    },
    MigrationCase {
        version: 17,
        rows: "",
        accepts: "INSERT INTO known_device VALUES ('device', '@lead', 'a', 5), ('device', '@annotator', 'b', 6);
            INSERT INTO recent_join VALUES ('reading', 0, 0), ('reading', 5, 2);",
        expect: &[
            (
                "SELECT token_hash, person_id, id, used_at FROM known_device ORDER BY used_at",
                &["device|@lead|a|5", "device|@annotator|b|6"],
            ),
            (
                "SELECT subject, at, times FROM recent_join ORDER BY at",
                &["reading|0|0", "reading|5|2"],
            ),
        ],
    },
    MigrationCase {
        version: 18,
        rows: "",
        accepts: "UPDATE import SET job_id = '@job' WHERE id = '@import';",
        expect: &[
            ("SELECT id, retries, retry_at FROM job", &["@job|0|NULL"]),
            ("SELECT id, job_id FROM import", &["@import|@job"]),
        ],
    },
    MigrationCase {
        version: 19,
        rows: "",
        accepts: "UPDATE member SET seen_at = 8, seen_event = 3, visited_at = 7, visited_event = 2
            WHERE person_id = '@lead';",
        expect: &[(
            "SELECT person_id, seen_at, seen_event, visited_at, visited_event FROM member ORDER BY person_id",
            &["@lead|8|3|7|2", "@annotator|NULL|0|NULL|0"],
        )],
    },
    MigrationCase {
        version: 20,
        rows: "",
        accepts: "INSERT INTO discussion (id, study_id, source_id, output_id, note, asked_by, asked_at)
            VALUES ('asked', '@study', '@source', '@output', 'Why?', '@lead', 5);
            INSERT INTO reopened_output VALUES ('asked', '@assignment', '@output', NULL);
            INSERT INTO final_value VALUES
                ('v1', '@study', '@output', 'overall', 40, NULL, 'Why.', NULL, 0, '@lead', 6),
                ('v2', '@study', '@output', 'overall', NULL, NULL, '', 'v1', 1, NULL, 7),
                ('v3', '@study', '@output', '', NULL, 'split', '', NULL, 1, '@lead', 8);",
        expect: &[
            (
                "SELECT discussion_id, output_id, submitted_at FROM reopened_output",
                &["asked|@output|NULL"],
            ),
            (
                "SELECT id, CAST(value AS BIGINT), category, supersedes FROM final_value ORDER BY id",
                &["v1|40|NULL|NULL", "v2|NULL|NULL|v1", "v3|NULL|split|NULL"],
            ),
        ],
    },
    MigrationCase {
        version: 21,
        rows: "",
        accepts: "UPDATE assignment SET state = 'handed-in' WHERE id = '@assignment';",
        expect: &[(
            "SELECT id, state FROM assignment WHERE study_id = '@study' ORDER BY source_id",
            &["@assignment|handed-in"],
        )],
    },
    MigrationCase {
        version: 22,
        rows: "",
        accepts: "UPDATE assignment SET leased_until = 9 WHERE id = '@assignment';",
        expect: &[
            (
                "SELECT leased_until FROM assignment WHERE study_id = '@study' AND source_id = '@source'",
                &["9"],
            ),
            (
                "SELECT COUNT(*) FROM output WHERE source_id = '@source' AND twin_of IS NULL",
                &["1"],
            ),
        ],
    },
    MigrationCase {
        version: 23,
        rows: "",
        accepts: "",
        expect: &[("SELECT taken FROM source", &["1"])],
    },
    MigrationCase {
        version: 24,
        rows: "",
        accepts: "UPDATE stored_system SET hidden = 1 WHERE id = '@system2';",
        expect: &[(
            "SELECT id, hidden FROM system ORDER BY position",
            &["@system1|0", "@system2|1"],
        )],
    },
    MigrationCase {
        version: 25,
        rows: "",
        accepts: "
            INSERT INTO stored_annotation
                (id, study_id, source_id, rater_id, kind, compared, current, event, recorded_at) VALUES
                ('one', '@study', '@source', '@rater', 'comparison', 'a b', 1, 1, 1),
                ('two', '@study', '@source', '@rater', 'comparison', 'a c', 1, 1, 1);",
        expect: &[(
            "SELECT DISTINCT compared FROM annotation ORDER BY compared",
            &["", "a b", "a c"],
        )],
    },
    MigrationCase {
        version: 27,
        rows: "",
        accepts: "INSERT INTO stored_context (source_id, side, text) VALUES ('@source', 'before', 'It rained.');",
        expect: &[(
            "SELECT source_id, side, text FROM context",
            &["@source|before|It rained."],
        )],
    },
    MigrationCase {
        version: 28,
        rows: "",
        accepts: "UPDATE study SET archived_at = 5 WHERE id = '@study';",
        expect: &[("SELECT archived_at FROM study", &["5"])],
    },
    MigrationCase {
        version: 29,
        rows: "",
        accepts: "
            INSERT INTO consensus VALUES ('@source', '@study', 5, NULL);
            INSERT INTO consensus_answer VALUES
                ('one', '@study', '@source', '@output', 'rating', 'overall', '', 60, '0..100', NULL, '[]', NULL, 1,
                 '@lead', 6);",
        expect: &[(
            "SELECT c.begun_at, a.left_out FROM consensus_answer a JOIN consensus c ON c.source_id = a.source_id",
            &["5|[]"],
        )],
    },
    MigrationCase {
        version: 30,
        rows: "",
        accepts: "
            INSERT INTO api_token VALUES ('one', 'hash', '@lead', 'notebook', 'write', 0, 5, 99, NULL);
            INSERT INTO api_token_study VALUES ('one', '@study');",
        expect: &[(
            "SELECT t.name, t.access, s.study_id FROM api_token t JOIN api_token_study s ON s.token_id = t.id",
            &["notebook|write|@study"],
        )],
    },
    MigrationCase {
        version: 31,
        rows: "",
        accepts: "
            INSERT INTO person (id, name, folded_name, is_admin, is_crowd, created_at)
            VALUES ('crowd', 'Crowd rater 1', 'crowd rater 1', 0, 1, 5);
            INSERT INTO participant (id, study_id, label, kind, person_id, joined_at, seen_at, seed)
            VALUES ('came', '@study', 'participant 2', 'rating', 'crowd', 5, 5, 0);
            DELETE FROM person WHERE id = 'crowd';",
        expect: &[
            ("SELECT name, is_crowd FROM person ORDER BY name", &["Ann|0", "Lea|0"]),
            (
                "SELECT label, kind, person_id, checks_after FROM participant ORDER BY label",
                &["participant 2|rating|NULL|0", "reader 1|reading|NULL|0"],
            ),
        ],
    },
    MigrationCase {
        version: 32,
        rows: "",
        accepts: "
            INSERT INTO webhook (id, study_id, address, notices, secret, created_at)
            VALUES ('hook', '@study', 'https://hooks.example.org/', '[]', 'whsec_s', 5);
            INSERT INTO webhook_delivery (webhook_id, number, kind, notice, state, created_at, next_try_at)
            VALUES ('hook', 1, 'test', '{}', 'waiting', 5, 5);",
        expect: &[
            (
                "SELECT w.deliveries, w.failures, w.paused_at, w.paused_by_server, d.attempts, d.leased_until
                 FROM webhook w JOIN webhook_delivery d ON d.webhook_id = w.id",
                &["0|0|NULL|0|0|NULL"],
            ),
        ],
    },
    MigrationCase {
        version: 35,
        rows: "",
        accepts: "UPDATE stored_source SET planned_pairs = '[]' WHERE id = '@source';",
        expect: &[("SELECT planned_pairs FROM stored_source WHERE id = '@source'", &["[]"])],
    },
    MigrationCase {
        version: 36,
        rows: "",
        accepts: "
            UPDATE member SET group_id = 'experts' WHERE person_id = '@annotator';
            UPDATE assignment SET group_id = 'experts' WHERE id = '@assignment';
            INSERT INTO group_place (source_id, group_id, study_id, position) VALUES ('@source', 'experts', '@study', 0);",
        expect: &[
            ("SELECT source_id, group_id, position, taken FROM group_place", &["@source|experts|0|0"]),
            ("SELECT DISTINCT group_id FROM invitation", &["NULL"]),
            ("SELECT group_id FROM assignment WHERE id = '@assignment'", &["experts"]),
        ],
    },
    MigrationCase {
        version: 37,
        rows: "",
        accepts: "
            INSERT INTO protocol_experiment (id, arms, created_at) VALUES ('experiment', 2, 5);
            INSERT INTO experiment_arm (study_id, experiment_id, arm) VALUES ('@study', 'experiment', 0);
            UPDATE stored_source SET square_column = 1 WHERE id = '@source';",
        expect: &[
            ("SELECT arms, next_row FROM protocol_experiment", &["2|0"]),
            ("SELECT square_column FROM source WHERE id = '@source'", &["1"]),
            ("SELECT DISTINCT square_row FROM stored_rater", &["NULL"]),
        ],
    },
    MigrationCase {
        version: 38,
        rows: "",
        accepts: "",
        expect: &[],
    },
    MigrationCase {
        version: 39,
        rows: "",
        accepts: "UPDATE stored_source SET own_overlap = 10 WHERE id = '@source';",
        expect: &[
            ("SELECT own_overlap FROM source WHERE id = '@source'", &["10"]),
            ("SELECT DISTINCT own_overlap FROM stored_source WHERE id <> '@source'", &["NULL"]),
        ],
    },
    MigrationCase {
        version: 40,
        rows: "",
        accepts: "UPDATE stored_source SET priority = 2 WHERE id = '@source';",
        expect: &[
            ("SELECT priority FROM source WHERE id = '@source'", &["2"]),
            ("SELECT DISTINCT priority FROM stored_source WHERE id <> '@source'", &["0"]),
            ("SELECT DISTINCT priority FROM group_place", &["0"]),
        ],
    },
];

/// The tables that [`KEPT`] names, as they are now.
async fn kept_rows(story: &TestDatabase) -> Vec<Vec<Vec<String>>> {
    let mut tables = vec![];
    for query in KEPT {
        tables.push(story.query_rows(query).await);
    }
    tables
}

async fn insert(story: &TestDatabase, rows: &str) {
    if !rows.is_empty() {
        story.execute_sql(with_ids(rows)).await;
    }
}

/// Empties the database, which its store has migrated already.
async fn empty(story: &TestDatabase) {
    match story.file() {
        Some(file) => {
            story.store.close().await;
            for end in ["", "-wal", "-shm"] {
                drop(std::fs::remove_file(format!("{}{end}", file.display())));
            }
            std::fs::write(file, "").unwrap();
        }
        None => {
            let sql = "DROP SCHEMA public CASCADE; CREATE SCHEMA public";
            story.execute_sql(sql.into()).await;
        }
    }
}

async fn migrate_to(story: &TestDatabase, migrator: &Migrator, version: i64) {
    let mut connection = story.connection().await;
    let migrated = migrator.run_to(version, &mut connection).await;
    migrated.unwrap_or_else(|error| panic!("migration {version}: {error:?}"));
    connection.close().await.unwrap();
}

async fn read_migrations() -> Migrator {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../migrations");
    Migrator::new(folder).await.unwrap()
}

/// Leaves a database of an earlier version with those rows.
pub(crate) async fn restore(story: &TestDatabase, version: i64, rows: &str) {
    empty(story).await;
    migrate_to(story, &read_migrations().await, version).await;
    story.execute_sql(rows.to_owned()).await;
}

/// Leaves a database of an earlier version with three events, and returns the newest version.
pub(crate) async fn go_back_to(story: &TestDatabase, version: i64) -> i64 {
    let migrator = read_migrations().await;
    empty(story).await;
    migrate_to(story, &migrator, 1).await;
    insert(story, FIRST_ROWS).await;
    migrate_to(story, &migrator, version).await;
    let versions = migrator.iter().map(|migration| migration.version);
    versions.max().unwrap()
}

#[tokio::test]
async fn every_migration_keeps_the_rows_that_it_finds() {
    let migrator = read_migrations().await;
    let versions: Vec<_> = migrator.iter().map(|migration| migration.version).collect();
    let tested: Vec<_> = CASES.iter().map(|case| case.version).collect();
    assert_eq!(versions[1..], tested, "each migration needs a case");

    on_both(async |story| {
        empty(story).await;
        migrate_to(story, &migrator, 1).await;
        insert(story, FIRST_ROWS).await;
        for case in &CASES {
            let version = case.version;
            insert(story, case.rows).await;
            let before = kept_rows(story).await;
            assert!(before.iter().all(|table| !table.is_empty()), "{version}");
            migrate_to(story, &migrator, version).await;
            let after = kept_rows(story).await;
            for (before, after) in before.iter().zip(&after) {
                assert_eq!(before, after, "migration {version}");
            }
            insert(story, case.accepts).await;
            for (query, expected) in case.expect {
                let rows = story.query_rows(&with_ids(query)).await;
                let rows: Vec<_> = rows.iter().map(|row| row.join("|")).collect();
                let expected: Vec<_> = expected.iter().map(|row| with_ids(row)).collect();
                assert_eq!(rows, expected, "migration {version}: {query}");
            }
        }
        reads_what_was_migrated(story).await;
    })
    .await;
}

/// Checks that today's program reads what the first one wrote.
async fn reads_what_was_migrated(story: &TestDatabase) {
    let store = Store::open(&story.url).await.unwrap();
    let study = store.study_by_slug(&slug("rivers")).await.unwrap().unwrap();
    assert_eq!(study.settings, StudySettings::default());
    assert_eq!(store.members(study.id).await.unwrap().len(), 2);

    let sources = store.sources(study.id).await.unwrap();
    assert_eq!(sources.len(), 1);
    let outputs = store.source_outputs(sources[0].id).await.unwrap();
    assert_eq!(outputs.len(), 1, "the other one is hidden");
    let references = store.references(sources[0].id).await.unwrap();
    assert_eq!(references, ["It rose.", "It rose."]);

    let jobs = store.jobs(study.id, 9).await.unwrap();
    assert_eq!((jobs.len(), &jobs[0].log[..]), (1, ""));
    let events = store.latest_events(study.id, 9).await.unwrap();
    let kinds: Vec<_> = events.iter().map(|recent| recent.event.kind).collect();
    assert_eq!(
        kinds,
        [EventKind::Rating, EventKind::Rating, EventKind::Study]
    );

    let invitations = store.invitations(study.id).await.unwrap();
    let links = invitations.iter();
    let links = links.filter(|link| link.target == InvitationTarget::Comprehension);
    assert_eq!((invitations.len(), links.count()), (3, 2));

    assert_eq!(store.unreadable_rows(study.id), Vec::<String>::new());
    store.close().await;
}
