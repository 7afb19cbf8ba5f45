use service::figures::protocols::{ProtocolComparison, ProtocolFigures};
use testdata::{needs_released_data, released_path};

use super::*;

fn compare(files: &[&str]) -> ProtocolComparison {
    let read = |name: &&str| read_file(&released_path(name), &ReadingArgs::default(), &[]).unwrap();
    compare_protocols(&files.iter().map(read).collect::<Vec<_>>())
}

/// α of raw ratings and of z-scores; the means over dimensions if there are several.
fn alphas(of: &ProtocolFigures) -> [f64; 2] {
    let (raw, z) = match of.mean {
        Some(mean) => (mean.raw, mean.z),
        None => (
            of.agreement.raw.agreement.alpha,
            of.agreement.z.agreement.alpha,
        ),
    };
    [raw.unwrap(), z.unwrap()]
}

fn check(found: f64, expected: f64, tolerance: f64) {
    assert!(
        (found - expected).abs() < tolerance,
        "{found}, not {expected}"
    );
}

/// A study compared with itself shares everything, and has the published α of SimpEval: .7051 on the file's own
/// z-scores.
#[needs_released_data("simpeval")]
#[test]
fn simpeval_past_with_itself() {
    let file = "simpeval/simpeval_past.csv";
    let comparison = compare(&[file, file]);
    assert_eq!((comparison.exact, comparison.rated), (100, 100));
    for of in &comparison.protocols {
        check(alphas(of)[1], 0.7051, 5e-5);
        assert_eq!((of.ranking.len(), of.time), (24, None));
    }
    check(
        comparison.orders[0].kendall.unwrap().coefficient,
        1.0,
        1e-12,
    );
}

/// SimpEval and ASSET's ratings on the sources of both, 11 of which differ in tokenisation. The expected α was computed
/// in Python by its definition.
#[needs_released_data("simpeval", "asset_ratings")]
#[test]
fn simpeval_past_and_asset_ratings() {
    let comparison = compare(&[
        "simpeval/simpeval_past.csv",
        "asset_ratings/human_ratings.csv",
    ]);
    assert_eq!(
        (comparison.exact, comparison.normalised, comparison.rated),
        (19, 11, 30)
    );

    let [simpeval, asset] = &comparison.protocols[..] else {
        panic!("two protocols");
    };
    assert_eq!(simpeval.agreement.z.agreement.pairable_units, 720);
    for (found, expected) in alphas(simpeval)
        .into_iter()
        .zip([0.506_626_534_4, 0.711_294_751_7])
    {
        check(found, expected, 1e-9);
    }

    let expected = [
        ("meaning", 0.589_746_494_3, 0.629_011_696_0),
        ("fluency", 0.613_394_698_2, 0.652_258_644_1),
        ("simplicity", 0.444_962_643_0, 0.500_336_358_1),
    ];
    for (name, raw, z) in expected {
        let is = |of: &&service::figures::protocols::DimensionAgreement| of.dimension.name == name;
        let of = asset.dimensions.iter().find(is).unwrap();
        check(of.raw.agreement.alpha.unwrap(), raw, 1e-9);
        check(of.z.agreement.alpha.unwrap(), z, 1e-9);
    }

    // ASSET's file names no systems, so no order can be compared.
    assert!(comparison.orders[0].kendall.is_err());
}

/// The published comparison of protocols: α of z-scores; the means over dimensions if there are several.
#[ignore = "needs SimpEval 2022, which testdata/fetch does not bring: see testdata/README.md"]
#[test]
fn simpeval_2022_published_comparison() {
    let files = ["simpeval_2022", "simpDA_2022", "simplikert_2022"];
    let paths = files.map(|name| format!("simpeval_2022/{name}.csv"));
    let comparison = compare(&paths.each_ref().map(String::as_str));
    let expected = [(0.3258, 5e-5), (0.247, 5e-4), (0.235, 5e-4)];
    for (of, (alpha, tolerance)) in comparison.protocols.iter().zip(expected) {
        check(alphas(of)[1], alpha, tolerance);
    }
}
