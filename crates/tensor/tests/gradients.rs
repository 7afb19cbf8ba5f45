//! The gradient of each operation against finite differences.

use tensor::{Attention, Draw, Dropout, DropoutMasks, Grids, Random, Tensor, WeightSpec, Weights};

/// An operation on the tensors of these shapes.
struct Case {
    name: &'static str,
    shapes: &'static [&'static [usize]],
    compute: fn(&[Tensor]) -> Tensor,
}

const GRIDS: Grids = Grids {
    count: 2,
    rows: 3,
    columns: 2,
};

const CASES: &[Case] = &[
    case("add", &[&[2, 3], &[2, 3]], |x| &x[0] + &x[1]),
    case("add twice", &[&[2, 3]], |x| &x[0] + &x[0]),
    case("subtract", &[&[2, 3], &[2, 3]], |x| &x[0] - &x[1]),
    case("multiply", &[&[2, 3], &[2, 3]], |x| &x[0] * &x[1]),
    case("square", &[&[2, 3]], |x| &x[0] * &x[0]),
    case("times a constant", &[&[2, 3]], |x| &x[0] * 1.7),
    case("scale", &[&[2, 3], &[1]], |x| x[0].scale(&x[1])),
    case("scale rows", &[&[3, 2]], |x| {
        x[0].scale_rows(&[0.5, 0.0, -2.0])
    }),
    case("sum", &[&[3, 2]], |x| x[0].sum()),
    case("mean", &[&[3, 2]], |x| x[0].mean()),
    case("dropout", &[&[4, 5]], |x| {
        x[0].dropout(dropout(&DropoutMasks::new(1)))
    }),
    case("gelu", &[&[3, 4]], |x| x[0].gelu()),
    case("gelu by tanh", &[&[3, 4]], |x| x[0].gelu_tanh()),
    case("relu", &[&[3, 4]], |x| x[0].relu()),
    case("tanh", &[&[3, 4]], |x| x[0].tanh()),
    case("sigmoid", &[&[3, 4]], |x| x[0].sigmoid()),
    case("softplus", &[&[3, 4]], |x| x[0].softplus()),
    case("abs", &[&[3, 4]], |x| x[0].abs()),
    case("softmax", &[&[5]], |x| x[0].softmax()),
    case("select rows", &[&[3, 2]], |x| {
        x[0].select_rows(&[2, 0, 2, 2])
    }),
    case("sum rows", &[&[4, 2]], |x| x[0].sum_rows(&[2, 0, 2, 0], 3)),
    case("max rows", &[&[4, 3]], |x| x[0].max_rows(&[1, 0, 1, 1], 2)),
    case("add rows", &[&[4, 3], &[2, 3]], |x| {
        x[0].add_rows(&x[1], &[1, 0, 1, 1])
    }),
    case("stack rows", &[&[2, 3], &[1, 3]], Tensor::stack_rows),
    case("join columns", &[&[2, 3], &[2, 1]], |x| {
        Tensor::join_columns(x)
    }),
    case("linear", &[&[3, 4], &[2, 4], &[2]], |x| {
        x[0].linear(&x[1], Some(&x[2]))
    }),
    case("linear without bias", &[&[3, 4], &[2, 4]], |x| {
        x[0].linear(&x[1], None)
    }),
    case("layer norm", &[&[3, 5], &[5], &[5]], |x| {
        x[0].layer_norm(&x[1], &x[2], 1e-5)
    }),
    case("attention", &[&[5, 4], &[5, 4], &[5, 4]], |x| {
        attend(x, 0.0)
    }),
    case(
        "attention with dropout",
        &[&[5, 4], &[5, 4], &[5, 4]],
        |x| attend(x, 0.4),
    ),
    case("convolution", &[&[12, 4], &[6, 2, 3, 3], &[6]], |x| {
        x[0].convolution(&x[1], &x[2], GRIDS, 2)
    }),
];

const fn case(
    name: &'static str,
    shapes: &'static [&'static [usize]],
    compute: fn(&[Tensor]) -> Tensor,
) -> Case {
    Case {
        name,
        shapes,
        compute,
    }
}

const fn dropout(masks: &DropoutMasks) -> Dropout<'_> {
    Dropout {
        share: 0.4,
        masks: Some(masks),
    }
}

fn attend(x: &[Tensor], share: f32) -> Tensor {
    let masks = DropoutMasks::new(1);
    let attention = Attention {
        texts: &[0..3, 3..5],
        heads: 2,
        dropout: Dropout {
            share,
            ..dropout(&masks)
        },
    };
    Tensor::attention(&x[0], &x[1], &x[2], attention)
}

/// Numbers of which none is near 0, where some functions have a kink.
fn draw(shape: &[usize], random: &mut Random) -> Tensor {
    let mut number = |_| {
        let number = 2.0 * random.uniform() - 1.0;
        number + 0.1 * number.signum()
    };
    let count = shape.iter().product();
    Tensor::new(shape, (0..count).map(&mut number).collect())
}

/// A number that depends on each number of the result in another way.
fn measure(result: &Tensor) -> Tensor {
    let weights = draw(result.shape(), &mut Random::new(9));
    (result * &weights).sum()
}

#[test]
fn gradients_are_those_of_finite_differences() {
    const STEP: f32 = 1e-2;
    for case in CASES {
        let mut random = Random::new(4);
        let inputs = case
            .shapes
            .iter()
            .map(|shape| draw(shape, &mut random).tracked());
        let inputs: Vec<Tensor> = inputs.collect();
        let gradients = measure(&(case.compute)(&inputs)).backward();
        for (at, input) in inputs.iter().enumerate() {
            let ours = gradients.find(input).expect(case.name);
            for (place, ours) in ours.iter().enumerate() {
                let moved = |by: f32| {
                    let mut inputs = inputs.clone();
                    inputs[at].values_mut()[place] += by;
                    measure(&(case.compute)(&inputs)).scalar()
                };
                let expected = (moved(STEP) - moved(-STEP)) / (2.0 * STEP);
                assert!(
                    (ours - expected).abs() < 2e-3 * (1.0 + expected.abs()),
                    "{}: input {at}, number {place}: {ours}, not {expected}",
                    case.name
                );
            }
        }
    }
}

#[test]
fn the_same_numbers_come_from_any_number_of_threads() {
    let compute = || {
        let random = &mut Random::new(2);
        let [x, weight, bias] =
            [&[300, 96][..], &[128, 96], &[128]].map(|shape| draw(shape, random).tracked());
        let loss = x.linear(&weight, Some(&bias)).gelu().mean();
        let gradients = loss.backward();
        [&x, &weight, &bias].map(|one| gradients.find(one).expect("a variable").to_vec())
    };
    let with_threads = |threads| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads);
        pool.build().expect("threads").install(compute)
    };
    assert_eq!(with_threads(1), with_threads(3));
}

#[test]
fn dropout_keeps_the_mean_and_is_none_without_masks() {
    let ones = Tensor::new([100, 100], vec![1.0; 10_000]);
    let masks = DropoutMasks::new(5);
    let [first, second] = [(); 2].map(|()| ones.dropout(dropout(&masks)));
    assert!(first != second, "each operation has its own mask");
    let mean = first.mean().scalar();
    assert!((mean - 1.0).abs() < 0.03, "{mean}");
    let none = Dropout {
        share: 0.4,
        masks: None,
    };
    assert_eq!(ones.dropout(none), ones);
}

#[test]
fn weights_are_drawn_as_wide_as_is_said() {
    let spec = |name, draw| WeightSpec::new(name, [100, 100], draw);
    let specs = vec![
        spec("uniform", Draw::Uniform(0.5)),
        spec("normal", Draw::Normal(0.02)),
    ];
    let weights = Weights::draw(specs, &mut Random::new(3));
    for (name, deviation) in [("uniform", 0.5 / 3_f32.sqrt()), ("normal", 0.02)] {
        let weight = weights.own(name);
        let (mean, square) = (weight.mean().scalar(), (weight * weight).mean().scalar());
        assert!(mean.abs() < 0.05 * deviation, "{name}: mean {mean}");
        let ratio = square.sqrt() / deviation;
        assert!((ratio - 1.0).abs() < 0.03, "{name}: {ratio} times");
    }
    assert!(
        weights
            .own("uniform")
            .values()
            .iter()
            .all(|value| value.abs() <= 0.5)
    );
}
