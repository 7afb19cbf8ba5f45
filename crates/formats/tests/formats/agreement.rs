//! Ratings of a file as agreement takes them.

use domain::statistics::{MeasurementLevel, UndefinedReason, agreement};
use formats::{RatingsWarning, read_ratings, simpeval::SlotRaters};

const HEADER: &str = "original_id,original,generation,system,sentence_type,\
                      rating_1,rating_2,rating_1_zscore,rating_2_zscore\n";

/// Two people wrote in the first column: z = (x − 50)/10 and z = (x − 80)/5.
fn mixed() -> String {
    format!(
        "{HEADER}0,A b c.,A.,s,,40,10,-1,-1\n0,A b c.,B.,t,,60,20,1,0\n\
         1,D e f.,D.,s,,75,30,-1,1\n1,D e f.,E.,t,,85,,1,\n"
    )
}

#[test]
fn a_column_that_several_people_wrote_in_is_warned_of() {
    let file = read_ratings(mixed().as_bytes(), None).unwrap();
    assert_eq!(
        file.warnings,
        [RatingsWarning::SeveralRatersInColumn("rating_1".to_owned())]
    );

    assert_eq!(file.raw.raters(), ["rating_1", "rating_2"]);
    assert_eq!((file.raw.len(), file.z.len()), (7, 7));
    assert_eq!(file.raw.units(), [2, 3, 4, 5]);
    let output = |line| &file.outputs[&line];
    let actual = [2, 3, 4, 5].map(|line| (&output(line).source[..], &output(line).system[..]));
    assert_eq!(actual, [("0", "s"), ("0", "t"), ("1", "s"), ("1", "t")]);
    assert_eq!(
        (&output(3).source_text[..], &output(3).text[..]),
        ("A b c.", "B.")
    );
    assert_eq!(output(3).category, None);
}

#[test]
fn a_file_of_raters_makes_people_of_slots() {
    let mut raters = "original_id,system,slot,rater\n".to_owned();
    for (key, first) in [(0, "x"), (1, "y")] {
        for system in ["s", "t"] {
            raters += &format!("{key},{system},1,{first}\n{key},{system},2,z\n");
        }
    }
    let raters = SlotRaters::read(raters.as_bytes()).unwrap();
    let file = read_ratings(mixed().as_bytes(), Some(raters)).unwrap();
    assert_eq!(file.warnings, []);
    assert_eq!(file.raw.raters(), ["x", "y", "z"]);
    assert_eq!(agreement(&file.raw, MeasurementLevel::Interval).raters, 3);
}

#[test]
fn rounded_and_constant_z_scores_are_on_one_line() {
    let rounded = format!(
        "{HEADER}0,A b.,A.,s,,41,70,-0.44,0\n0,A b.,B.,t,,47,70,0.22,0\n0,A b.,C.,u,,53,70,0.89,0\n"
    );
    let constant = RatingsWarning::ConstantRater {
        rater: "rating_2".to_owned(),
        ratings: 3,
    };
    assert_eq!(
        read_ratings(rounded.as_bytes(), None).unwrap().warnings,
        [constant]
    );
}

#[test]
fn ratings_without_z_scores_or_pairs_are_undefined_rather_than_zero() {
    let file = "original_id,original,generation,system,sentence_type,rating_1\n0,A b.,A.,s,,4\n";
    let file = read_ratings(file.as_bytes(), None).unwrap();
    assert!(file.z.is_empty());
    let alpha = |ratings| agreement(ratings, MeasurementLevel::Interval).alpha;
    assert_eq!(alpha(&file.raw), Err(UndefinedReason::NoPairableUnit));
    assert_eq!(alpha(&file.z), Err(UndefinedReason::NoPairableUnit));
}

#[test]
fn bad_rows_are_left_out_and_said() {
    let file = format!("{HEADER}0,A b.,A.,s,,101,70,1,0\n0,A b.,B.,t,,47,70,1,0\n");
    let file = read_ratings(file.as_bytes(), None).unwrap();
    assert_eq!(file.raw.units(), [3]);
    assert_eq!(
        file.bad_rows[0].to_string(),
        "line 2, “rating_1”: 101 is outside the scale from 0 to 100"
    );
}

#[test]
fn other_formats_are_refused() {
    let file = "WorkerId,Input.original,Input.simplified,Input.system,Answer.fluency\n1,a,b,c,9\n";
    let fault = read_ratings(file.as_bytes(), None).unwrap_err().to_string();
    assert!(
        fault.starts_with("wrong header: expected a SimpEval file, past or 2022; found WorkerId")
    );
}
