//! Files with one worker's ratings a row.

use domain::score::Scale;
use formats::{Format, Reading, open};

use crate::rows;

const HEADER: &str = "WorkerId,Input.id,Input.original,Input.simplified,Input.system,\
                      Answer.adequacy,Answer.fluency,Answer.simplicity\n";

fn check(ratings: &str, format: Format, expected: &[(&str, f64, Scale)]) {
    let file = format!("{HEADER}w1,12,The old mill burned.,It burned.,short,{ratings}\n");
    assert_eq!(
        open(file.as_bytes(), Reading::default()).unwrap().format,
        format
    );
    let row = rows(&file, Reading::default()).remove(0);
    let output = row.output.unwrap();
    let found: Vec<_> = output
        .ratings
        .iter()
        .map(|r| (&*r.dimension, r.value.get(), r.scale))
        .collect();
    assert_eq!(found, expected);
    assert!(
        output
            .ratings
            .iter()
            .all(|r| r.rater.as_deref() == Some("w1"))
    );
    assert_eq!(row.source.key, None);
    assert_eq!(row.verbatim, [("Input.id".into(), "12".to_owned())]);
}

const PERCENT: Scale = Scale::PERCENT;
const ONE_TO_FIVE: Scale = Scale { low: 1, high: 5 };

#[test]
fn direct_assessment_has_three_dimensions_from_0_to_100() {
    let all = [
        ("adequacy", 70.0, PERCENT),
        ("fluency", 100.0, PERCENT),
        ("simplicity", 3.0, PERCENT),
    ];
    check("70,100,3", Format::DirectAssessment, &all);
    check("70,,", Format::DirectAssessment, &all[..1]);
}

#[test]
fn likert_simplicity_goes_from_minus_2_to_2() {
    let likert = |simplicity| {
        [
            ("adequacy", 5.0, ONE_TO_FIVE),
            ("fluency", 4.0, ONE_TO_FIVE),
            ("simplicity", simplicity, Scale::LIKERT),
        ]
    };
    check("5,4,-2", Format::Likert, &likert(-2.0));
    check("5,4,0", Format::Likert, &likert(0.0));
}

#[test]
fn asset_ratings_name_an_aspect_and_a_worker_but_no_system() {
    let file = "original,simplification,original_sentence_id,aspect,worker_id,rating\n\
                The old mill burned.,It burned.,5,meaning,17,66\n\
                The old mill burned.,It burned.,5,fluency,17,91\n";
    assert_eq!(
        open(file.as_bytes(), Reading::default()).unwrap().format,
        Format::AssetRatings
    );
    let rows = rows(file, Reading::default());
    let output = rows[1].output.as_ref().unwrap();
    assert_eq!(rows[1].source.key.as_deref(), Some("5"));
    assert_eq!(output.system, None);
    assert_eq!(&*output.ratings[0].dimension, "fluency");
    assert_eq!(output.ratings[0].rater.as_deref(), Some("17"));
    assert_eq!(output.ratings[0].value.get(), 91.0);
}
