//! Kappa against the literature and scikit-learn.

use domain::statistics::{
    UndefinedReason,
    agreement::{KappaWeights, cohen_kappa, percent_agreement},
};
use testdata::golden;

use crate::shared::assert_close;

#[test]
fn scikit_learn_cohen_cases() {
    let golden = golden("kappa.json");
    for (name, case) in golden["cohen"].as_object().unwrap() {
        // Labels are small numbers, or words: as text they sort the same.
        let labels = |side: &str| -> Vec<String> {
            case[side]
                .as_array()
                .unwrap()
                .iter()
                .map(ToString::to_string)
                .collect()
        };
        let items: Vec<_> = labels("a").into_iter().zip(labels("b")).collect();
        let expected = |key: &str| case["expected"][key].as_f64();
        let percent = percent_agreement(&items).unwrap();
        assert_close(percent, expected("percent_agreement").unwrap(), name);
        for (weights, key) in [
            (KappaWeights::Unweighted, "cohen"),
            (KappaWeights::Linear, "cohen_linear"),
            (KappaWeights::Quadratic, "cohen_quadratic"),
        ] {
            match expected(key) {
                Some(expected) => {
                    assert_close(cohen_kappa(&items, &[], weights).unwrap(), expected, name)
                }
                // Without a figure where κ is undefined, or for weights on labels without order.
                None if expected("cohen").is_none() => {
                    assert_eq!(
                        cohen_kappa(&items, &[], weights),
                        Err(UndefinedReason::Constant)
                    );
                }
                None => {}
            }
        }
    }
}

/// The encyclopaedia article on Cohen's κ: 50 grant proposals, 20 both yes, 15 both no.
#[test]
fn encyclopaedia_article_cohen_2x2() {
    let cells = [(20, (1, 1)), (5, (1, 0)), (10, (0, 1)), (15, (0, 0))];
    let items: Vec<_> = cells.iter().flat_map(|(n, pair)| vec![*pair; *n]).collect();
    assert_close(
        cohen_kappa(&items, &[], KappaWeights::Unweighted).unwrap(),
        0.4,
        "kappa",
    );
}

#[test]
fn a_whole_scale_keeps_the_distance_over_unused_points() {
    let items = [(1, 1), (1, 5), (5, 4), (4, 4)];
    let scale = [1, 2, 3, 4, 5];
    let whole = cohen_kappa(&items, &scale, KappaWeights::Linear).unwrap();
    let without_scale = cohen_kappa(&items, &[], KappaWeights::Linear).unwrap();
    // By hand, with margins (2, 1, 1) and (1, 2, 1) of the labels 1, 4 and 5.
    assert_close(whole, 1.0 - 4.0 * 5.0 / 30.0, "whole scale");
    assert_close(without_scale, 1.0 - 4.0 * 3.0 / 14.0, "labels that occur");
    assert_eq!(
        cohen_kappa(&items, &[1, 5], KappaWeights::Linear),
        Err(UndefinedReason::OffScale)
    );
}

#[test]
fn what_cannot_be_computed_has_a_reason() {
    assert_eq!(
        cohen_kappa::<u8>(&[], &[], KappaWeights::Unweighted),
        Err(UndefinedReason::TooFew {
            found: 0,
            needed: 1
        })
    );
}
