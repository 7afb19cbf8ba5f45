//! Surveys of files: what an import would add, and the ratings by dimension.

use domain::{
    score::RatingScale,
    statistics::{MeasurementLevel, agreement},
    study::SystemKind,
};
use formats::{
    ColumnMapping, FatalReadError, FileReadOptions, StatedScales, open, read_dimensions, survey,
};

use crate::rows;

const ASSESSED: &str = "original,simplification,original_sentence_id,aspect,worker_id,rating\n\
     The old mill burned.,It burned.,5,Fluency,1,66.5\n\
     The old mill burned.,It burned.,5,fluency,2,70\n\
     The ferry sank.,It sank.,6,fluency,1,20\n\
     The ferry sank.,It sank.,6,fluency,2,24.5\n\
     The ferry sank.,It sank.,6,meaning,1,91\n\
     The ferry sank.,It sank.,6,meaning,1,12\n";

/// The default options with these scales.
fn stated(scales: &[&str]) -> FileReadOptions {
    let mut reading = FileReadOptions::default();
    reading.mapping.scales = StatedScales::parse(scales).unwrap();
    reading
}

#[test]
fn a_survey_names_dimensions_systems_and_what_is_stated() {
    let file = "source,output,system,kind,rater,rating,dimension\n\
                A b.,A.,one,,w,1,clarity\nA b.,B.,two,human,w,4.5,clarity\n\
                A b.,A.,one,baseline,v,3,clarity\nA b.,B.,two,machine,w,-1,tone\n,C.,one,,w,1,tone\n";
    let reading = stated(&["tone=-3..3"]);
    let file_survey = survey(open(file.as_bytes(), reading).unwrap(), |_| true).unwrap();
    let systems = file_survey
        .systems
        .iter()
        .map(|system| (system.name.as_deref(), system.kind));
    assert!(systems.eq([
        (Some("one"), Some(SystemKind::Baseline)),
        (Some("two"), Some(SystemKind::Human)),
    ]));

    let [clarity, tone] = &file_survey.dimensions[..] else {
        panic!("{file_survey:?}")
    };
    assert_eq!((&clarity.name[..], clarity.stated), ("clarity", None));
    assert_eq!((clarity.low, clarity.high, clarity.ratings), (1.0, 4.5, 3));
    assert_eq!(tone.stated, Some(RatingScale { low: -3, high: 3 }));

    assert_eq!(
        (
            file_survey.rows,
            file_survey.bad_rows,
            file_survey.without_rater,
            file_survey.empty_outputs
        ),
        (5, 1, 0, 0)
    );
    assert!(file_survey.complete);

    let opened = open(file.as_bytes(), FileReadOptions::default()).unwrap();
    let cut = survey(opened, |so_far| so_far.rows < 2).unwrap();
    assert_eq!((cut.rows, cut.complete), (2, false));
}

#[test]
fn a_stated_scale_comes_before_that_of_the_format() {
    let reading = stated(&["0..70", "Meaning=0..10"]);
    let opened = open(ASSESSED.as_bytes(), reading).unwrap();
    let messages: Vec<_> = opened
        .rows
        .filter_map(Result::err)
        .map(|error| error.to_string())
        .collect();

    assert_eq!(
        messages,
        [
            "line 6, “rating”: 91 is outside the scale from 0 to 10",
            "line 7, “rating”: 12 is outside the scale from 0 to 10",
        ]
    );
    assert!(StatedScales::parse(["fluency=5"]).is_err());
}

#[test]
fn a_file_is_read_dimension_by_dimension_with_outputs_as_units() {
    let parts = read_dimensions(ASSESSED.as_bytes(), FileReadOptions::default()).unwrap();
    let names = parts
        .iter()
        .map(|(dimension, _)| (&dimension.name[..], dimension.scale));
    assert!(names.eq([
        ("fluency", RatingScale::PERCENT),
        ("meaning", RatingScale::PERCENT)
    ]));

    let (fluency, meaning) = (&parts[0].1, &parts[1].1);
    // The same worker twice is one rating, and a bad row.
    assert_eq!((fluency.raw.units(), meaning.raw.len()), (&[2, 4][..], 1));
    assert_eq!(fluency.bad_rows[0].line, 7);

    // Observed ((66.5-70)²+(20-24.5)²)/2, expected over all pairs of the four.
    let alpha = agreement(&fluency.raw, MeasurementLevel::Interval)
        .alpha
        .unwrap();
    let values = [66.5, 70.0, 20.0, 24.5];
    let squares = |pairs: &[(f64, f64)]| pairs.iter().map(|(a, b)| (a - b) * (a - b)).sum::<f64>();
    let all: Vec<_> = (0..4)
        .flat_map(|one| (0..one).map(move |other| (values[one], values[other])))
        .collect();
    let observed = squares(&[(66.5, 70.0), (20.0, 24.5)]) / 2.0;
    let expected = squares(&all) / 6.0;
    assert!((alpha - (1.0 - observed / expected)).abs() < 1e-12);

    let means = "source,output,rating\nA b.,A.,5\n";
    let opened = open(means.as_bytes(), FileReadOptions::default()).unwrap();
    assert_eq!(survey(opened, |_| true).unwrap().without_rater, 1);
    let blank = "source,output,system\nA b.,A.,one\nA b., ,two\nA b.,,three\n";
    let opened = open(blank.as_bytes(), FileReadOptions::default()).unwrap();
    assert_eq!(survey(opened, |_| true).unwrap().empty_outputs, 2);
    let fault = read_dimensions(means.as_bytes(), FileReadOptions::default()).unwrap_err();
    assert!(matches!(fault, FatalReadError::NoRatings), "{fault}");
}

#[test]
fn decimals_are_ratings_in_every_format_and_keep_their_digits() {
    let files = [
        "original,simplification,original_sentence_id,aspect,worker_id,rating\nA b.,A.,5,x,1,3.50\n",
        "WorkerId,Input.original,Input.simplified,Input.system,Answer.fluency\nw,A b.,A.,s,3.50\n",
        "original_id,original,generation,system,sentence_type,rating_1\n0,A b.,A.,s,,3.50\n",
        "source,output,rater,rating\nA b.,A.,w,3.50\n",
        r#"{"source":"A b.","output":"A.","ratings":[{"rater":"w","value":3.50}]}"#,
    ];

    for file in files {
        let row = rows(file, FileReadOptions::default()).remove(0);
        let value = &row.output.unwrap().ratings[0].value;
        assert_eq!((value.value(), value.text()), (3.5, "3.50"), "{file}");
    }
}

#[test]
fn a_header_without_rows_is_refused() {
    for header in ["source,output,system\n", "source,output,system\n\n"] {
        let opened = open(header.as_bytes(), FileReadOptions::default()).unwrap();
        let message = survey(opened, |_| true).unwrap_err().to_string();
        assert_eq!(
            message,
            "the file has a header and no rows: add rows, or choose another file"
        );
    }
}

#[test]
fn a_mistyped_number_is_off_the_scale_and_does_not_stretch_it() {
    let file = "source,output,rater,rating\nA b.,A.,v,80\nA b.,A.,w,101\n";
    let parts = read_dimensions(file.as_bytes(), FileReadOptions::default()).unwrap();
    let (dimension, file) = &parts[0];
    assert_eq!((dimension.scale, file.raw.len()), (RatingScale::PERCENT, 1));
    let expected = "line 3, “rating”: 101 is outside the scale from 0 to 100";
    assert_eq!(file.bad_rows[0].to_string(), expected);
}

#[test]
fn the_columns_of_released_ratings_are_suggested_and_name_their_dimension() {
    let header = [
        "sent_id",
        "sys_name",
        "orig_sent",
        "simp_sent",
        "rater_id",
        "simplicity",
    ];
    let file = format!("{}\n1,ACCESS,A b.,A.,8,100\n", header.join(","));
    let reading = FileReadOptions {
        mapping: ColumnMapping::suggest(&header),
        ..FileReadOptions::default()
    };

    let row = rows(&file, reading).remove(0);
    let output = row.output.unwrap();
    assert_eq!(row.source.key.as_deref(), Some("1"));
    assert_eq!(output.system.as_deref(), Some("ACCESS"));
    assert_eq!(&*output.ratings[0].dimension, "simplicity");
    assert_eq!(output.ratings[0].rater.as_deref(), Some("8"));
    assert!(row.verbatim.is_empty());
}
