//! Files with one worker's ratings a row.

use domain::score::RatingScale;
use formats::{FileFormat, FileReadOptions, open, survey};

use crate::rows;

const HEADER: &str = "WorkerId,Input.id,Input.original,Input.simplified,Input.system,\
                      Answer.adequacy,Answer.fluency,Answer.simplicity\n";

fn check(ratings: &str, format: FileFormat, expected: &[(&str, f64, Option<RatingScale>)]) {
    let file = format!("{HEADER}w1,12,The old mill burned.,It burned.,short,{ratings}\n");
    assert_eq!(
        open(file.as_bytes(), FileReadOptions::default())
            .unwrap()
            .format,
        format
    );
    let row = rows(&file, FileReadOptions::default()).remove(0);
    let output = row.output.unwrap();
    let actual: Vec<_> = output
        .ratings
        .iter()
        .map(|r| (&*r.dimension, r.value.value(), r.scale))
        .collect();
    assert_eq!(actual, expected);
    assert!(
        output
            .ratings
            .iter()
            .all(|r| r.rater.as_deref() == Some("w1"))
    );
    assert_eq!(row.source.key, None);
    assert_eq!(row.verbatim, [("Input.id".into(), "12".to_owned())]);
}

const PERCENT: Option<RatingScale> = Some(RatingScale::PERCENT);

#[test]
fn direct_assessment_has_three_dimensions_from_0_to_100() {
    let all = [
        ("adequacy", 70.0, PERCENT),
        ("fluency", 100.0, PERCENT),
        ("simplicity", 3.0, PERCENT),
    ];
    check("70,100,3", FileFormat::DirectAssessment, &all);
    check("70,,", FileFormat::DirectAssessment, &all[..1]);
}

#[test]
fn the_scales_of_likert_ratings_are_told_from_all_of_them() {
    let likert = |simplicity| {
        [
            ("adequacy", 5.0, None),
            ("fluency", 4.5, None),
            ("simplicity", simplicity, None),
        ]
    };
    check("5,4.5,-2", FileFormat::Likert, &likert(-2.0));
    check("5,4.5,0", FileFormat::Likert, &likert(0.0));
    // Whatever simplicity is in the first rows, a 5 further down says that it goes to 5.
    for (last, simplicity) in [("5,4,2", "-2 to 2"), ("5,4,5", "1 to 5")] {
        let row = |worker: &str, ratings: &str| {
            format!("{worker},12,The old mill burned.,It burned.,short,{ratings}\n")
        };
        let file = format!("{HEADER}{}{}", row("w1", "3,1,1"), row("w2", last));
        let opened = open(file.as_bytes(), FileReadOptions::default()).unwrap();
        let file_survey = survey(opened, |_| true).unwrap();
        let scales = file_survey.dimensions.iter().map(|dimension| {
            let scale = RatingScale::infer(&dimension.name, dimension.low, dimension.high);
            format!("{} {scale}", dimension.name)
        });
        let expected = ["adequacy 1 to 5", "fluency 1 to 5"].map(str::to_owned);
        let simplicity = format!("simplicity {simplicity}");
        assert!(scales.eq(expected.into_iter().chain([simplicity])));
    }
}

#[test]
fn asset_ratings_name_an_aspect_and_a_worker_but_no_system() {
    let file = "original,simplification,original_sentence_id,aspect,worker_id,rating\n\
                The old mill burned.,It burned.,5,meaning,17,66\n\
                The old mill burned.,It burned.,5,fluency,17,91\n";
    assert_eq!(
        open(file.as_bytes(), FileReadOptions::default())
            .unwrap()
            .format,
        FileFormat::AssetRatings
    );
    let rows = rows(file, FileReadOptions::default());
    let output = rows[1].output.as_ref().unwrap();
    assert_eq!(rows[1].source.key.as_deref(), Some("5"));
    assert_eq!(output.system, None);
    assert_eq!(&*output.ratings[0].dimension, "fluency");
    assert_eq!(output.ratings[0].rater.as_deref(), Some("17"));
    assert_eq!(output.ratings[0].value.value(), 91.0);
}
