//! Tables as people and platforms produce them: missing values, decimal commas, names with spaces, rejected work,
//! repeats and quotation marks.

use std::fmt::Write as _;

use formats::{
    BadRow, FileInput, FileRatings, FileReadOptions, RatingsWarning, ScoreFile,
    comprehension::{ComprehensionMapping, read_comprehension},
    open, preview, read_comparisons, read_dimensions, read_ratings,
};

use crate::{read, rows};

const HEADER: &str = "source,system,output,rater,rating\n";

/// The ratings of a file on its first dimension.
fn ratings<'r>(file: impl Into<FileInput<'r>>) -> FileRatings {
    let mut parts = read_dimensions(file, FileReadOptions::default()).expect("ratings");
    parts.swap_remove(0).1
}

/// The ratings as raters, units and values, row after row.
fn entries(file: &FileRatings) -> String {
    let mut text = String::new();
    for (rater, unit, value) in file.raw.entries() {
        let (rater, unit) = (&file.raw.raters()[rater], file.raw.units()[unit]);
        let _ = write!(text, "{rater}:{unit}={value} ");
    }
    text.trim_end().to_owned()
}

fn messages(bad_rows: &[BadRow]) -> Vec<String> {
    bad_rows.iter().map(ToString::to_string).collect()
}

fn warnings(file: &FileRatings) -> Vec<String> {
    file.warnings.iter().map(ToString::to_string).collect()
}

#[test]
fn a_missing_rating_leaves_the_others_of_its_row() {
    let header = "id,original,generation,processed_generation,original_id,system,rating_1,rating_2,rating_3\n";
    for missing in ["NA", "N/A", "nan", "None", "-"] {
        let file = format!(
            "{header}0,The dog barked.,It barked.,It barked.,s1,A,80,{missing},75\n\
             1,The cat sat.,It sat.,It sat.,s2,A,20,30,25\n"
        );
        let file = read_ratings(file.as_bytes(), None).expect("ratings");
        assert_eq!(messages(&file.bad_rows), [""; 0], "{missing}");
        assert_eq!(
            entries(&file),
            "rating_1:2=80 rating_3:2=75 rating_1:3=20 rating_2:3=30 rating_3:3=25"
        );
    }

    // A single rating that is missing is none, whatever else the row has.
    let file =
        format!("{HEADER}The dog barked.,A,It barked.,r1,NA\nThe dog barked.,A,It barked.,r2,7\n");
    let file = ratings(file.as_bytes());
    assert_eq!((entries(&file), file.bad_rows.len()), ("r2:2=7".into(), 0));
    let category = "source,output,category,kind\nThe dog barked.,It barked.,n/a,NA\n";
    assert_eq!(
        rows(category, FileReadOptions::default())[0]
            .output
            .as_ref()
            .unwrap()
            .category,
        None
    );
}

#[test]
fn missing_values_of_jsonl_are_none_as_python_writes_them() {
    let file = r#"{"source":"A b.","output":"A.","rater":"x","rating":NaN}
{"source":"A b.","output":"A.","ratings":[{"rater":"x","value":null},{"rater":"y","value":"NA"},{"rater":"z","value":3,"z":NaN}],"note":NaN}
{"source":"A b.","output":"A.","rater":"x","rating":Infinity}
"#;

    let outcome = read(file, FileReadOptions::default());
    assert_eq!(
        messages(&outcome.bad),
        [
            "line 3, “rating”: “Infinity” is not a number: write it in digits with a decimal point, or leave it out \
             where there is none"
        ]
    );

    let of_row = outcome
        .rows
        .iter()
        .map(|row| row.output.as_ref().unwrap().ratings.len());
    assert_eq!(of_row.collect::<Vec<_>>(), [0, 1]);
}

#[test]
fn missing_scores_leave_other_metrics_alone() {
    for (file, expected) in [
        // In the first row, later, and as Python writes JSON.
        (
            "id,a,b\n1,NA,0.9\n2,0.2,0.1\n3,0.5,0.4\n",
            "b=[1: 0.9, 2: 0.1, 3: 0.4] a=[2: 0.2, 3: 0.5]",
        ),
        (
            "id,a,b\n1,0.8,0.9\n2,NA,0.1\n3,0.5,N/A\n",
            "a=[1: 0.8, 3: 0.5] b=[1: 0.9, 2: 0.1]",
        ),
        (
            "{\"id\":\"1\",\"a\":0.9,\"b\":1}\n{\"id\":\"2\",\"a\":NaN,\"b\":2}\n",
            "a=[1: 0.9] b=[1: 1, 2: 2]",
        ),
        // Decimal commas, whole numbers among them.
        ("id;a\n1;0,9\n2;1\n3;0,4\n", "a=[1: 0.9, 2: 1, 3: 0.4]"),
    ] {
        let read = ScoreFile::read(file.as_bytes()).expect("scores");
        assert_eq!(messages(&read.bad_rows), [""; 0], "{file}");
        assert_eq!(scores(&read), expected, "{file}");
    }
}

/// The scores of a file by metric, for the outputs 1, 2 and 3.
fn scores(file: &ScoreFile) -> String {
    let output = |id: &str| formats::RatedOutput {
        system: "A".into(),
        id: Some(id.into()),
        source: id.into(),
        category: None,
        source_text: id.into(),
        text: id.into(),
    };

    let outputs = ["1", "2", "3"].map(output);
    let matched = file.match_outputs(&outputs.each_ref());
    let columns = file
        .metrics
        .iter()
        .zip(matched.scores)
        .map(|(name, scores)| {
            let scores = (1..).zip(scores);
            let scores = scores.filter_map(|(id, score)| Some(format!("{id}: {}", score?)));
            format!("{name}=[{}]", scores.collect::<Vec<_>>().join(", "))
        });
    columns.collect::<Vec<_>>().join(" ")
}

#[test]
fn decimal_commas_are_read_where_the_column_has_them_and_named_elsewhere() {
    let file = format!(
        "{HEADER}The dog barked.,A,It barked.,r1,\"8,0\"\nThe dog barked.,A,It barked.,r2,\"7,5\"\n"
    );
    let read = ratings(file.as_bytes());
    assert_eq!(
        (entries(&read), read.bad_rows.len()),
        ("r1:2=8 r2:2=7.5".into(), 0)
    );
    let guessed = preview("ratings.csv", file.as_bytes(), 5).expect("a preview");
    assert_eq!(
        guessed
            .mapping
            .fields
            .columns(formats::FileField::Rating)
            .collect::<Vec<_>>(),
        ["rating"]
    );

    let mixed = format!(
        "{HEADER}The dog barked.,A,It barked.,r1,7.5\nThe dog barked.,A,It barked.,r2,\"7,5\"\n"
    );
    let read = ratings(mixed.as_bytes());
    assert_eq!(entries(&read), "r1:2=7.5");
    assert_eq!(
        messages(&read.bad_rows),
        [
            "line 3, “rating”: “7,5” has a comma, and numbers of this column before it have a decimal point: write \
             all of them with a point"
        ]
    );

    let likert = "WorkerId,Input.original,Input.simplified,Input.system,Answer.fluency\n\
                  w,A b.,A.,s,\"3,5\"\nv,A b.,A.,s,4\n";
    assert_eq!(
        open(likert.as_bytes(), FileReadOptions::default())
            .unwrap()
            .format,
        formats::FileFormat::Likert
    );
}

#[test]
fn names_that_look_the_same_are_one() {
    // A space, a no-break space and a letter written in two ways.
    let file = format!(
        "{HEADER}The dog barked.,A,It barked.,José,80\nThe cat sat.,A\u{a0},It sat.,Jose\u{301} ,20\n\
         The dog barked.,A ,It barked.,r2,70\nThe cat sat.,A,It sat.,\u{200b}r2,25\n"
    );

    let read = ratings(file.as_bytes());
    assert_eq!(entries(&read), "José:2=80 r2:2=70 José:3=20 r2:3=25");
    let systems = read.outputs.values().map(|output| &*output.system);
    assert_eq!(systems.collect::<Vec<_>>(), ["A", "A"]);
    assert_eq!(
        warnings(&read),
        [
            "Names that look the same count as one, whatever spaces they have and however their letters are encoded: \
             “A ” is read as “A”, “A[U+00A0]” is read as “A”, “Jose[U+0301] ” is read as “José”, and 1 more."
        ]
    );

    let raters = "original_id,system,slot,rater\n0 ,s,1,x\n0,s\u{a0},2,y\u{a0}\n";
    let raters = formats::simpeval::SlotRaters::read(raters.as_bytes()).expect("raters");
    let file = "original_id,original,generation,system,sentence_type,rating_1,rating_2\n0,A b.,A.,s ,,5,6\n";
    let read = read_ratings(file.as_bytes(), Some(raters)).expect("ratings");
    assert_eq!(read.raw.raters(), ["x", "y"]);

    let file = "source,rater,system_a,system_b,outcome\n1,r,A,B,A\n1 ,r\u{a0},A ,B,B\n";
    let read = read_comparisons(file.as_bytes()).expect("comparisons");
    assert_eq!(
        messages(&read.bad_rows),
        ["line 3: “r” compared these before, on line 2: one rater gives one answer"]
    );
}

#[test]
fn sources_without_names_are_matched_as_references_are() {
    let file = format!(
        "{HEADER}Zoë said “no”.,A,It barked.,r1,80\nZoe\u{308} said \"no\" .,A,It barked.,r2,70\n\
         He sat.\u{a0}Then he rose.,A,He  sat.,r1,20\nHe sat. Then he rose.,A,He sat.,r2,30\n"
    );

    let read = ratings(file.as_bytes());
    assert_eq!(entries(&read), "r1:2=80 r2:2=70 r1:4=20 r2:4=30");
    assert_eq!(
        warnings(&read),
        [
            "Some sources are written in several ways and count as one each, such as “Zoe[U+0308] said \"no\" .” and \
             “Zoë said “no”.”. To keep them apart, give each a source_id of its own."
        ]
    );

    // The output keeps the text that it has in the file.
    assert_eq!(&*read.outputs[&4].text, "He  sat.");
    let named = "source_id,source,system,output,rater,rating\n1,It's over.,A,Over.,r,8\n2,It’s over.,A,Over.,r,10\n";
    let read = ratings(named.as_bytes());
    assert_eq!(
        (entries(&read).as_str(), read.warnings.len()),
        ("r:2=8 r:3=10", 0)
    );
}

#[test]
fn ratings_of_rejected_assignments_are_left_out_and_counted() {
    let header =
        "WorkerId,AssignmentStatus,Input.original,Input.simplified,Input.system,Answer.adequacy\n";
    let mturk = format!(
        "{header}W1,Approved,The dog barked.,It barked.,A,80\nW9,Rejected,The dog barked.,It barked.,A,1\n\
         W2,Submitted,The dog barked.,It barked.,A,85\nW9,Rejected,The cat sat.,It sat.,A,1\n"
    );

    let read = ratings(mturk.as_bytes());
    assert_eq!(entries(&read), "W1:2=80 W2:2=85");
    assert_eq!(
        warnings(&read),
        [
            "Ratings of 2 rows are left out, since “AssignmentStatus” says that the assignment was rejected or not \
             completed. To count them, remove that column."
        ]
    );

    // The texts stay, so that other people can rate them.
    let read = crate::rows(&mturk, FileReadOptions::default());
    assert_eq!(read[3].output.as_ref().unwrap().text, "It sat.");

    for (status, value) in [
        ("Status", "TIMED-OUT"),
        ("ASSIGNMENT:status", "REJECTED"),
        ("_tainted", "true"),
    ] {
        let file = format!(
            "source,output,rater,rating,{status}\nA b.,A.,r1,5,APPROVED\nA b.,A.,r2,1,{value}\n"
        );
        assert_eq!(entries(&ratings(file.as_bytes())), "r1:2=5", "{status}");
    }

    let jsonl = "{\"source\":\"A b.\",\"output\":\"A.\",\"rater\":\"r1\",\"rating\":5,\"status\":\"APPROVED\"}\n\
                 {\"source\":\"A b.\",\"output\":\"A.\",\"rater\":\"r2\",\"rating\":1,\"status\":\"RETURNED\"}\n";
    let read = ratings(jsonl.as_bytes());
    assert_eq!(
        (entries(&read).as_str(), read.warnings.len()),
        ("r1:1=5", 1)
    );

    let file = "source,rater,system_a,system_b,outcome,AssignmentStatus\n1,r,A,B,A,Approved\n1,s,A,B,B,Rejected\n";
    let read = read_comparisons(file.as_bytes()).expect("comparisons");
    assert_eq!(read.rows.len(), 1);
    assert_eq!(
        messages(&read.bad_rows),
        [
            "line 3, “AssignmentStatus”: says that the assignment was rejected or not completed: remove this column \
             to count it"
        ]
    );
}

#[test]
fn of_repeated_values_the_first_counts_and_the_others_are_named() {
    let file =
        ScoreFile::read(&b"id,a,b\n1,0.9,2\n2,0.1,3\n1,0.0,2\n2,0.1,3\n"[..]).expect("scores");
    assert_eq!(scores(&file), "a=[1: 0.9, 2: 0.1] b=[1: 2, 2: 3]");
    let output = formats::RatedOutput {
        system: "A".into(),
        id: Some("1".into()),
        source: "1".into(),
        category: None,
        source_text: "1".into(),
        text: "1".into(),
    };
    // The same score once more says nothing new.
    assert_eq!(file.match_outputs(&[&output]).repeated, [4]);

    let header = "passage,condition,text,question,question_text,a,b,c,d,participant,answer\n";
    let text = "p,Easy,It rained.,q1,What happened?,Rain,Snow,Hail,Wind";
    let reading = format!(
        "{header}{text},r1,A\n{text},r2,A\n{text},r1,B\n{text},r1 ,B\n{text},,A\n{text},,A\n"
    );
    let file =
        read_comprehension(reading.as_bytes(), &ComprehensionMapping::default()).expect("answers");
    let lines = file.answers.iter().map(|answer| answer.line);
    assert_eq!(lines.collect::<Vec<_>>(), [2, 3, 6, 7]);
    assert_eq!(
        file.notes,
        [
            "Line 4: r1 answered question q1 of passage p in Easy on line 2 already. The first answer counts.",
            "Line 5: r1 answered question q1 of passage p in Easy on line 2 already. The first answer counts."
        ]
    );
}

#[test]
fn a_rating_without_a_rater_is_named() {
    let file = r#"{"source":"A b.","output":"A.","rater":"x","rating":20}
{"source":"A b.","output":"A.","rating":30}
{"source":"A b.","output":"A.","ratings":[{"rater":null,"value":40},{"rater":"y","value":50}]}
"#;
    let read = ratings(file.as_bytes());
    assert_eq!(entries(&read), "x:1=20 y:1=50");
    assert_eq!(
        warnings(&read),
        ["2 ratings name no rater and are in no figure, the first on line 2: add the rater."]
    );
}

#[test]
fn a_rater_without_spread_and_a_scale_that_nothing_states_are_warned_of() {
    let file = format!(
        "{HEADER}The dog barked.,A,It barked.,r1,1\nThe dog barked.,A,It barked.,r2,2\n\
         The cat sat.,A,It sat.,r1,3\nThe cat sat.,A,It sat.,r2,2\n"
    );

    let read = ratings(file.as_bytes());
    assert_eq!(
        warnings(&read),
        [
            "Ratings on overall go from 1 to 3, and the file states no scale, so they are taken as 1 to 5: state it, \
             as in --scale 1..3, where it is another.",
            "“r2” gave all of 2 outputs the same rating: these ratings do not tell outputs apart, and no z-scores can \
             be computed from them."
        ]
    );

    let mut stated = FileReadOptions::default();
    stated.mapping.scales = formats::StatedScales::parse(["1..3"]).expect("a scale");
    let read = &read_dimensions(file.as_bytes(), stated).expect("ratings")[0].1;
    assert!(
        matches!(&read.warnings[..], [RatingsWarning::ConstantRater { .. }]),
        "{:?}",
        read.warnings
    );

    let past = "id,original,generation,processed_generation,original_id,system,rating_1,rating_2\n\
                0,A b.,A.,A.,1,s,50,1\n1,B c.,B.,B.,2,s,50,90\n";
    let read = read_ratings(past.as_bytes(), None).expect("ratings");
    assert!(
        matches!(&read.warnings[..], [RatingsWarning::ConstantRater { .. }]),
        "{:?}",
        read.warnings
    );
}

#[test]
fn quotation_marks_of_a_table_with_tabs_are_letters_where_their_cells_do_not_close_them() {
    let file = "source\tsystem\toutput\trater\trating\n\
                The dog barked.\tA\t\"It barked.\tr1\t80\nThe dog barked.\tA\tIt barked.\tr2\t70\n\
                The sun set.\tA\t\"It set.\tr1\t50\nThe sun set.\tA\t\"It\nset.\"\tr2\t55\n";

    let read = rows(file, FileReadOptions::default());
    let outputs = read
        .iter()
        .map(|row| (row.line, &*row.output.as_ref().unwrap().text));
    assert_eq!(
        outputs.collect::<Vec<_>>(),
        [
            (2, "\"It barked."),
            (3, "It barked."),
            (4, "\"It set."),
            (5, "It\nset.")
        ]
    );
}

#[test]
fn a_quotation_mark_that_swallows_rows_is_warned_of() {
    let file = format!(
        "{HEADER}The dog barked.,A,\"It barked.,r1,80\nThe dog barked.,A,It barked.,r2,70\n\
         The sun set.,A,\"It set.,r1,50\nThe sun set.,A,It set.,r2,55\n"
    );

    let read = ratings(file.as_bytes());
    assert_eq!(
        warnings(&read),
        [
            "The row on line 2 has a cell with line breaks that looks like rows of the table: look there for a \
             quotation mark that is not closed, and close it or write it twice."
        ]
    );

    let lines =
        format!("{HEADER}The dog barked.,A,\"It barked, and loud.\nThen, it ran.\",r1,80\n");
    assert_eq!(warnings(&ratings(lines.as_bytes())), [""; 0]);
}

#[test]
fn spreadsheets_may_leave_empty_cells_rows_and_a_line_with_the_separator() {
    for file in [
        "source,system,output,rater,rating\nThe dog barked.,A,It barked.,r1,80,,\n,,,,,,\nThe dog barked.,A,It barked.,r2,70,,\n",
        "sep=;\nsource;system;output;rater;rating\nThe dog barked.;A;It barked.;r1;80\n;;;;\nThe dog barked.;A;It barked.;r2;70\n",
        "sep=\t\r\nsource\tsystem\toutput\trater\trating\r\nThe dog barked.\tA\tIt barked.\tr1\t80\r\n\t\t\t\t\t\r\nThe dog barked.\tA\tIt barked.\tr2\t70\t\r\n",
    ] {
        let outcome = read(file, FileReadOptions::default());
        assert!(outcome.fatal.is_none(), "{file}");
        assert_eq!(
            (outcome.rows.len(), messages(&outcome.bad)),
            (2, vec![]),
            "{file}"
        );
        let line = if file.starts_with("sep") { 5 } else { 4 };
        assert_eq!(outcome.rows[1].line, line, "{file}");
    }

    // A cell with a value to the right of the header is still a fault.
    let bad = read("source,output\nA b.,A.,x\n", FileReadOptions::default()).bad;
    assert_eq!(bad.len(), 1);
}
