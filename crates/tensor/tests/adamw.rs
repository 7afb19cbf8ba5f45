//! The optimiser, against the formula and against itself after a break.

use tensor::{AdamW, Gradients, Tensor, Weights};

/// The gradients of ½·(w − target)², for each number of the weight `w`.
fn gradients(weights: &Weights) -> Gradients {
    let off = weights.own("w") - &Tensor::new([2], vec![3.0, -1.0]);
    (&(&off * &off).sum() * 0.5).backward()
}

fn start() -> Weights {
    let weight = ("w".to_owned(), Tensor::new([2], vec![1.0, 1.0]));
    Weights::from_iter([weight]).tracked(|_| true)
}

#[test]
fn steps_are_those_of_the_formula() {
    let (rate, decay, epsilon) = (0.1, 0.01, 1e-8);
    let mut weights = start();
    let mut optimiser = AdamW::new(1e-8, decay);
    let (mut expected, mut means) = ([1.0_f64, 1.0], [[0.0_f64; 2]; 2]);
    for step in 1..=20 {
        optimiser.step(&gradients(&weights), &mut weights, rate);
        for (at, target) in [3.0, -1.0].into_iter().enumerate() {
            let gradient = expected[at] - target;
            means[0][at] = 0.9 * means[0][at] + 0.1 * gradient;
            means[1][at] = 0.999 * means[1][at] + 0.001 * gradient * gradient;
            let mean = means[0][at] / (1.0 - 0.9_f64.powi(step));
            let square = means[1][at] / (1.0 - 0.999_f64.powi(step));
            expected[at] -= rate * (mean / (square.sqrt() + epsilon) + decay * expected[at]);
        }
        for (ours, expected) in weights.own("w").values().iter().zip(expected) {
            assert!(
                (f64::from(*ours) - expected).abs() < 1e-5,
                "{step}: {ours}, not {expected}"
            );
        }
    }
}

#[test]
fn an_optimiser_continues_from_its_memory() {
    let (mut weights, mut optimiser) = (start(), AdamW::new(1e-8, 0.0));
    for _ in 0..3 {
        optimiser.step(&gradients(&weights), &mut weights, 0.1);
    }
    let mut others = start();
    others.replace(&weights);
    let mut continued = AdamW::new(1e-8, 0.0).with_memory(&optimiser.memory());
    optimiser.step(&gradients(&weights), &mut weights, 0.1);
    continued.step(&gradients(&others), &mut others, 0.1);
    assert_eq!(weights, others);
}
