//! System scores against numpy.

use domain::statistics::systems::{WinTieLoss, system_scores, win_tie_loss};

use crate::shared::{close, golden, past_table, simpeval_past};

#[test]
fn simpeval_past_systems() {
    let (Some(golden), Some(rows)) = (golden("system_scores.json"), simpeval_past()) else {
        return;
    };
    let of = |table| system_scores(&table, |unit: &usize| Some(rows[*unit].system.as_str()));
    let raw = of(past_table(&rows, |row| &row.raw));
    let z = of(past_table(&rows, |row| &row.z));
    let expected = golden["expected"].as_object().unwrap();
    assert_eq!(raw.len(), expected.len());
    for (raw, z) in raw.iter().zip(&z) {
        let expected = &expected[raw.system];
        let figure = |key: &str| expected[key].as_f64().unwrap();
        let spread = raw.spread.unwrap();
        assert_eq!(raw.outputs, expected["n"]);
        close(raw.mean, figure("mean_raw"), raw.system);
        close(z.mean, figure("mean_z"), raw.system);
        close(spread.sd, figure("sd_item_means"), raw.system);
        close(spread.median, figure("median_item_mean"), raw.system);
        assert_eq!(raw.place, expected["rank_raw"], "{}", raw.system);
        assert_eq!(z.place, expected["rank_z"], "{}", raw.system);
    }
}

#[test]
fn a_tie_is_within_the_threshold() {
    let pairs = [(80.0, 70.0), (70.0, 75.0), (70.0, 75.5), (50.0, 50.0)];
    assert_eq!(
        win_tie_loss(&pairs, 5.0),
        WinTieLoss {
            wins: 1,
            ties: 2,
            losses: 1
        }
    );
    assert_eq!(
        win_tie_loss(&pairs, 0.0),
        WinTieLoss {
            wins: 1,
            ties: 1,
            losses: 2
        }
    );
}
