use std::{collections::BTreeMap, fmt::Write as _, time::Duration};

use store::DatabaseEngine;
use stories::{on_both, refusal, slug};

use super::*;

/// Tables whose rows belong to no study.
const OF_NO_STUDY: [&str; 11] = [
    "_sqlx_migrations",
    "aligner",
    "api_token",
    "audit_entry",
    "known_device",
    "login_failure",
    "password_link",
    "person",
    "recent_join",
    "session",
    "write_check",
];

/// More answers than one transaction deletes.
const MANY: usize = 1_100;

/// Rows of every table of a study; `@` precedes each id except those of the study and the person.
const ROWS: &str = "
    INSERT INTO member (study_id, person_id, role, joined_at) VALUES ('STUDY', 'PERSON', 'annotator', 1);
    INSERT INTO api_token (id, token_hash, person_id, name, access, all_studies, created_at, expires_at)
    VALUES ('@t', '@t', 'PERSON', 'a script', 'read', 0, 1, 2);
    INSERT INTO api_token_study (token_id, study_id) VALUES ('@t', 'STUDY');
    INSERT INTO invitation (token_hash, study_id, role, created_at, expires_at, uses_left)
    VALUES ('@i', 'STUDY', 'annotator', 1, 2, 3);
    INSERT INTO import (id, study_id, state, began_at, leased_until) VALUES ('@i', 'STUDY', 'done', 1, 2);
    INSERT INTO stored_system (id, study_id, position, name, kind, import_id)
    VALUES ('@s', 'STUDY', 0, 'A', 'machine', '@i');
    INSERT INTO stored_source (id, study_id, position, key, text, purpose, hidden_at)
    VALUES ('@s', 'STUDY', 0, 'k', 't', 'main', NULL), ('@hidden', 'STUDY', 1, 'h', 't', 'main', 5);
    INSERT INTO group_place (source_id, group_id, study_id, position) VALUES ('@s', 'experts', 'STUDY', 0);
    INSERT INTO stored_reference (source_id, position, text) VALUES ('@s', 0, 't');
    INSERT INTO stored_context (source_id, side, text) VALUES ('@s', 'before', 't');
    INSERT INTO stored_output (id, study_id, source_id, system_id, position, text, purpose, made_from,
        twin_of, category, category_reason, category_version, edits, edits_version)
    VALUES ('@o', 'STUDY', '@s', '@s', 0, 't', 'main', NULL, NULL, 'paraphrase', '', '', '[]', ''),
        ('@copy', 'STUDY', '@s', '@s', 1, 't', 'copy', '@o', NULL, 'paraphrase', '', '', '[]', ''),
        ('@twin', 'STUDY', '@s', '@s', 2, 't', 'repeated', NULL, '@o', 'paraphrase', '', '', '[]', '');
    INSERT INTO stored_rater (id, study_id, position, kind, label, person_id)
    VALUES ('@r', 'STUDY', 0, 'person', 'annotator 1', 'PERSON');
    INSERT INTO assignment (id, study_id, source_id, rater_id, state, seed, created_at, leased_until)
    VALUES ('@a', 'STUDY', '@s', '@r', 'handed-in', 1, 1, 1);
    INSERT INTO activity (assignment_id, tab, step, active_ms) VALUES ('@a', 't', 'rate', 5);
    INSERT INTO discussion (id, study_id, source_id, output_id, note, asked_at)
    VALUES ('@d', 'STUDY', '@s', '@o', 'Look again.', 1);
    INSERT INTO reopened_output (discussion_id, assignment_id, output_id) VALUES ('@d', '@a', '@o');
    INSERT INTO final_value (id, study_id, output_id, dimension, value, reason, current, decided_at)
    VALUES ('@f', 'STUDY', '@o', 'overall', 5, 'Why.', 1, 1);
    INSERT INTO consensus (source_id, study_id, begun_at) VALUES ('@s', 'STUDY', 1);
    INSERT INTO consensus_answer (id, study_id, source_id, output_id, kind, dimension, compared, value, left_out,
        current, decided_at)
    VALUES ('@c', 'STUDY', '@s', '@o', 'rating', 'overall', '', 5, '[]', 1, 1);
    INSERT INTO job (id, study_id, kind, state, input, created_at)
    VALUES ('@j', 'STUDY', 'score', 'done', '{}', 1);
    INSERT INTO upload (id, study_id, name, size, created_at) VALUES ('@u', 'STUDY', 'a.csv', 3, 1);
    INSERT INTO upload_chunk (upload_id, number, bytes, content) VALUES ('@u', 0, 3, 'YWJj');
    INSERT INTO model (id, study_id, version, name, hash, bytes, report, created_at)
    VALUES ('@m', 'STUDY', 1, 'learned-free', 'h', 3, '{}', 1);
    INSERT INTO model_chunk (model_id, number, content) VALUES ('@m', 0, 'YWJj');
    INSERT INTO metric (id, study_id, name, signature, origin, uses_references, trained_on, model_id, created_at)
    VALUES ('@m', 'STUDY', 'learned-free', 's', 'learned', 0, '[]', '@m', 1);
    INSERT INTO metric_score (metric_id, output_id, value, reference_count, event) VALUES ('@m', '@o', 1, 0, 1);
    INSERT INTO webhook (id, study_id, address, notices, secret, created_at)
    VALUES ('@w', 'STUDY', 'https://hooks.example.org/', '[]', 'whsec_s', 1);
    INSERT INTO webhook_delivery (webhook_id, number, kind, notice, state, created_at)
    VALUES ('@w', 1, 'test', '{\"kind\":\"test\"}', 'failed', 1);
    INSERT INTO protocol_experiment (id, arms, created_at) VALUES ('@e', 2, 1);
    INSERT INTO experiment_arm (study_id, experiment_id, arm) VALUES ('STUDY', '@e', 0);
    INSERT INTO comprehension (study_id, settings) VALUES ('STUDY', '{}');
    INSERT INTO reading_condition (id, study_id, position, name) VALUES ('@c', 'STUDY', 0, 'Original');
    INSERT INTO passage (id, study_id, position, name, title, purpose)
    VALUES ('@p', 'STUDY', 0, 'p', 'Rivers', 'main');
    INSERT INTO passage_text (passage_id, condition_id, text) VALUES ('@p', '@c', 't');
    INSERT INTO question (id, passage_id, position, name, body) VALUES ('@q', '@p', 0, 'q', '{}');
    INSERT INTO question_spans (question_id, condition_id, spans) VALUES ('@q', '@c', '[]');
    INSERT INTO participant (id, study_id, label, joined_at, seen_at, seed)
    VALUES ('@p', 'STUDY', 'participant 1', 1, 2, 3);
    INSERT INTO person (id, name, folded_name, is_admin, is_crowd, created_at)
    VALUES ('@crowd', '@crowd rater', '@crowd rater', 0, 1, 1);
    INSERT INTO participant (id, study_id, label, kind, person_id, joined_at, seen_at, seed)
    VALUES ('@came', 'STUDY', 'participant 2', 'rating', '@crowd', 1, 2, 0);
    INSERT INTO reading (id, participant_id, passage_id, condition_id, position) VALUES ('@r', '@p', '@p', '@c', 0);
    INSERT INTO reading_order (reading_id, question_id, answers) VALUES ('@r', '@q', 'ABCD');
    INSERT INTO reading_answer (id, study_id, question_id, condition_id, participant_id, reading_id, choice,
        current, event, recorded_at)
    VALUES ('@old', 'STUDY', '@q', '@c', '@p', '@r', 'A', 0, 1, 1), ('@new', 'STUDY', '@q', '@c', '@p', '@r', 'B', 1, 1, 1);
    INSERT INTO reading_activity (reading_id, tab, part, active_ms) VALUES ('@r', 't', '', 5);";

/// A study with rows in every table.
async fn fill(story: &TestDatabase, short_name: &str, annotator: PersonId) -> StudyId {
    let lead = story.add_person(&format!("lead of {short_name}")).await;
    let study = story.add_study(short_name, Some(lead)).await;

    let mut sql = ROWS.to_owned();
    sql.push_str(
        "INSERT INTO stored_annotation (id, study_id, source_id, output_id, rater_id, assignment_id, kind,
             dimension, value, scale, current, event, recorded_at) VALUES ",
    );

    for number in 0..MANY {
        let separator = if number == 0 { "" } else { ", " };
        let current = i32::from(number == 0);
        write!(
            sql,
            "{separator}('@{number}', 'STUDY', '@s', '@o', '@r', '@a', 'rating', 'overall', 50, \
             '0..100', {current}, 1, 1)"
        )
        .unwrap();
    }

    let sql = sql.replace("STUDY", &study.to_string());
    let sql = sql.replace("PERSON", &annotator.to_string());
    story
        .execute_sql(sql.replace('@', &format!("{short_name} ")))
        .await;
    study
}

/// The number of rows of each table of the schema.
async fn count_tables(story: &TestDatabase) -> BTreeMap<String, i64> {
    let tables = match story.store.engine() {
        DatabaseEngine::Sqlite => {
            "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%'"
        }
        DatabaseEngine::Postgres => {
            "SELECT CAST(table_name AS TEXT) FROM information_schema.tables
             WHERE table_schema = 'public' AND table_type = 'BASE TABLE'"
        }
    };
    let mut counts = BTreeMap::new();
    for row in story.query_rows(tables).await {
        let sql = format!("SELECT COUNT(*) FROM {}", row[0]);
        counts.insert(row[0].clone(), count(story, &sql).await);
    }
    counts
}

#[tokio::test]
async fn of_an_erased_study_no_table_holds_a_row() {
    on_both(async |story| {
        let store = &story.store;
        let annotator = story.add_person("the annotator").await;
        fill(story, "kept", annotator).await;
        let before = count_tables(story).await;
        let gone = fill(story, "gone", annotator).await;
        let holdings = store.study_holdings(gone).await.unwrap();
        assert_eq!((holdings.sources, holdings.outputs), (2, 1));
        assert_eq!((holdings.participants, holdings.members), (2, 2));

        let filled = count_tables(story).await;
        for (table, rows) in &filled {
            assert!(
                OF_NO_STUDY.contains(&table.as_str()) || *rows > before[table],
                "no row of the study is in {table}: add one here, or name it as a table of no study"
            );
        }

        let open = refusal(store.erase_study(gone, NOW).await);
        assert!(open.contains("close it first"), "{open}");
        assert_eq!(count_tables(story).await, filled);

        store.close_study(gone, NOW).await.unwrap();
        store.erase_study(gone, NOW).await.unwrap();
        check_hidden(story, gone).await;

        // Killed on the way, and finished by another process.
        let killed = tokio::time::timeout(Duration::from_millis(60), store.finish_erasures());
        drop(killed.await);
        let other = story.another_store().await;
        other.finish_erasures().await.unwrap();
        other.close().await;

        let mut after = count_tables(story).await;
        // The lead of the study keeps the account.
        *after.get_mut("person").unwrap() -= 1;
        // The annotator keeps the token, which no longer gives access to any study.
        *after.get_mut("api_token").unwrap() -= 1;
        assert_eq!(after, before);
        assert_eq!(store.finish_erasures().await.unwrap(), 0);
        story.add_study("gone", None).await;
    })
    .await;
}

/// Checks that an erased study cannot be found, although its rows are still there.
async fn check_hidden(story: &TestDatabase, study: StudyId) {
    let store = &story.store;
    let gone = slug("gone");
    assert_eq!(count(story, "SELECT COUNT(*) FROM study").await, 2);
    assert_eq!(store.study_by_slug(&gone).await.unwrap(), None);
    assert_eq!(store.study(study).await.unwrap(), None);
    assert_eq!(store.studies().await.unwrap().len(), 1);
    assert_eq!(store.newest_events().await.unwrap().len(), 1);

    let chief = story.add_admin("the chief").await;
    assert_eq!(store.study_access(chief, &gone).await.unwrap(), None);
    assert_eq!(store.studies_of(chief).await.unwrap().len(), 1);
    assert_eq!(store.study_counts(chief).await.unwrap().len(), 1);
    story
        .execute_sql(format!("DELETE FROM person WHERE id = '{chief}'"))
        .await;

    for refused in [
        refusal(store.erase_study(study, NOW).await),
        refusal(
            store
                .add_member(study, chief, domain::study::Role::Lead, NOW)
                .await,
        ),
    ] {
        assert!(refused.contains("no longer there"), "{refused}");
    }
}
