//! Servers are killed while people save: nothing that they acknowledged is lost. The program `kill-test` does
//! the same as often as it is asked to.

use stories::{
    kills::{self, KillSettings, ViolationKind},
    on_postgres, on_sqlite,
};

fn settings(kills: usize, servers: usize) -> KillSettings {
    KillSettings {
        program: env!("CARGO_BIN_EXE_rankrate").into(),
        kills,
        servers,
        seed: 1,
        plant_lost_write: false,
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn nothing_acknowledged_is_lost_on_sqlite() {
    on_sqlite(async |database| {
        let report = kills::run(database, &settings(6, 1)).await.unwrap();
        eprintln!("{report}");
        assert!(report.violations.is_empty(), "{report}");
        assert!(report.kills == 7 && report.restarts == 6, "{report}");
        assert!(report.acknowledged > 40 && report.hand_ins > 0, "{report}");
        assert!(report.times > 0, "{report}");
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn nothing_acknowledged_is_lost_by_two_servers_on_one_postgresql() {
    on_postgres(async |database| {
        let report = kills::run(database, &settings(4, 2)).await.unwrap();
        eprintln!("{report}");
        assert!(report.violations.is_empty(), "{report}");
        assert!(report.kills == 6 && report.restarts == 4, "{report}");
        assert!(report.acknowledged > 40 && report.hand_ins > 0, "{report}");
        assert!(report.times > 0, "{report}");
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_planted_lost_write_is_found_and_named() {
    on_sqlite(async |database| {
        let settings = KillSettings {
            plant_lost_write: true,
            ..settings(1, 1)
        };
        let report = kills::run(database, &settings).await.unwrap();
        eprintln!("{report}");
        let planted = report.planted.expect("it was planted").to_string();
        let [violation] = &report.violations[..] else {
            panic!("it is the only violation: {report}");
        };
        assert_eq!(violation.kind, ViolationKind::Lost);
        assert!(violation.sentence.contains(&planted), "{report}");
    })
    .await;
}
