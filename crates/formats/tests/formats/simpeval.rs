//! SimpEval files of our own writing.

use domain::{category::Category, score::RatingScale};
use formats::{
    FileFormat, FileNote, FileReadOptions, FormatFamily, FormulaEscaping, open,
    simpeval::{SimpEval2022Row, SimpEval2022Writer, SlotRaterWriter, SlotRaters, SlotRating},
};

use crate::{read, released::written, rows};

/// Quoted commas, quotes and line breaks; a missing rating; numbers with odd digits.
const PAST: &str = "\
id,original,generation,processed_generation,original_id,system,rating_1,rating_2,rating_1_z_score,rating_2_z_score
3,\"The mill, long idle, burned down.\",the mill burned .,The mill burned.,0,short,90,7.50,1.0,-0.10
7,\"The mill, long idle, burned down.\",,,0,silent,0,,-1.0,
8,\"She said \"\"no\"\" twice.\",\"a
b\",\"She said \"\"no\"\".\",1,short,55,100,1e-05,0.3
";

const IN_2022: &str = "\
original_id,original,generation,system,sentence_type,rating_1,rating_2,rating_1_zscore,rating_2_zscore
0,\"The mill, long idle, burned down.\",The mill was idle. It burned.,long,Splittings,100.0,80.0,0.5,0.25
0,\"The mill, long idle, burned down.\",The mill burned.,short,Deletions,60.0,,-0.5,
";

const RATERS: &str = "\
original_id,system,slot,rater
0,long,1,annotator 1
0,long,2,annotator 2
0,short,1,annotator 2
";

fn raters() -> Option<SlotRaters> {
    Some(SlotRaters::read(RATERS.as_bytes()).unwrap())
}

#[test]
fn a_past_row_says_what_is_shown_and_keeps_the_rest() {
    let opened = open(PAST.as_bytes(), FileReadOptions::default()).unwrap();
    assert_eq!(
        (opened.format, opened.notes),
        (FileFormat::SimpEvalPast, vec![])
    );

    let rows = rows(PAST, FileReadOptions::default());
    let output = rows[0].output.as_ref().unwrap();
    assert_eq!(rows[0].source.key.as_deref(), Some("0"));
    assert_eq!(output.text, "The mill burned.");
    assert_eq!(output.system.as_deref(), Some("short"));
    assert_eq!(output.category, None);
    let verbatim: Vec<_> = rows[0]
        .verbatim
        .iter()
        .map(|(name, text)| (&**name, text.as_str()))
        .collect();
    assert_eq!(verbatim, [("id", "3"), ("generation", "the mill burned .")]);

    let [first, second] = &output.ratings[..] else {
        panic!("{:?}", output.ratings)
    };
    assert_eq!(first.rater.as_deref(), Some("rating_1"));
    assert_eq!(
        (&*first.dimension, first.scale),
        ("overall", Some(RatingScale::PERCENT))
    );
    assert_eq!((second.value.value(), second.value.text()), (7.5, "7.50"));
    assert_eq!(second.z.as_ref().map(|z| z.text()), Some("-0.10"));

    assert_eq!(rows[1].output.as_ref().unwrap().ratings.len(), 1);
    assert_eq!(
        rows.iter().map(|row| row.line).collect::<Vec<_>>(),
        [2, 3, 4]
    );
}

#[test]
fn a_past_file_comes_out_as_it_went_in() {
    assert_eq!(
        String::from_utf8(written(&rows(PAST, FileReadOptions::default()), 2)).unwrap(),
        PAST
    );
}

#[test]
fn columns_may_come_in_any_order_with_others_between() {
    let file = "system,comment,processed_generation,rating_10,original_id,generation,original,id\n\
                short,fine,It burned.,50,4,it burned .,The mill burned.,0\n";
    let rows = rows(file, FileReadOptions::default());
    assert_eq!(rows[0].verbatim[0], ("comment".into(), "fine".to_owned()));
    assert_eq!(
        &*rows[0].output.as_ref().unwrap().ratings[0].column,
        "rating_10"
    );
}

#[test]
fn a_2022_file_without_a_file_of_raters_has_scores_only() {
    let opened = open(IN_2022.as_bytes(), FileReadOptions::default()).unwrap();
    assert_eq!(
        (opened.format, opened.notes),
        (FileFormat::SimpEval2022, vec![FileNote::RatersUnknown])
    );
    for row in rows(IN_2022, FileReadOptions::default()) {
        let output = row.output.unwrap();
        assert!(output.category.is_some());
        assert!(output.ratings.iter().all(|rating| rating.rater.is_none()));
    }
}

#[test]
fn a_file_of_raters_says_who_wrote_in_which_slot() {
    let reading = FileReadOptions {
        raters: raters(),
        ..FileReadOptions::default()
    };
    assert_eq!(open(IN_2022.as_bytes(), reading.clone()).unwrap().notes, []);
    let rows = rows(IN_2022, reading);
    let named = |row: usize| {
        let ratings = &rows[row].output.as_ref().unwrap().ratings;
        ratings
            .iter()
            .map(|r| r.rater.clone().unwrap())
            .collect::<Vec<_>>()
    };

    assert_eq!(
        rows[0].output.as_ref().unwrap().category,
        Some(Category::Split)
    );
    assert_eq!(named(0), ["annotator 1", "annotator 2"]);
    assert_eq!(named(1), ["annotator 2"]);
}

#[test]
fn a_rating_that_the_file_of_raters_does_not_know_is_a_bad_row() {
    let file = IN_2022.replace("60.0,,-0.5,", "60.0,70.0,-0.5,0.0");
    let outcome = read(
        file,
        FileReadOptions {
            raters: raters(),
            ..FileReadOptions::default()
        },
    );

    assert_eq!(outcome.rows.len(), 1);
    assert_eq!(
        outcome.bad[0].to_string(),
        "line 3, “rating_2”: is a rating whose rater is not in the file of raters: \
         add the row 0,short,2,… there"
    );
}

#[test]
fn a_2022_file_and_its_raters_come_out_as_they_went_in() {
    let rows = rows(
        IN_2022,
        FileReadOptions {
            raters: raters(),
            ..FileReadOptions::default()
        },
    );

    let mut writer = SimpEval2022Writer::new(Vec::new(), 2, FormulaEscaping::Verbatim).unwrap();
    let mut companion = SlotRaterWriter::new(Vec::new(), FormulaEscaping::Verbatim).unwrap();
    for row in &rows {
        let output = row.output.as_ref().unwrap();
        let (key, system) = (
            row.source.key.as_deref().unwrap(),
            output.system.as_deref().unwrap(),
        );
        let mut slots = [SlotRating::default(); 2];
        for (index, rating) in output.ratings.iter().enumerate() {
            let z = rating.z.as_ref().map_or("", |z| z.text());
            slots[index] = SlotRating {
                rating: rating.value.text(),
                z,
            };
            companion
                .write(key, system, index + 1, rating.rater.as_deref().unwrap())
                .unwrap();
        }

        let row = SimpEval2022Row {
            shared_ratings: None,
            original_id: key,
            original: &row.source.text,
            generation: &output.text,
            system,
            sentence_type: output.category.map_or("", Category::sentence_type),
            slots: &slots,
        };
        writer.write(&row).unwrap();
    }

    assert_eq!(
        String::from_utf8(writer.finish().unwrap()).unwrap(),
        IN_2022
    );
    assert_eq!(
        String::from_utf8(companion.finish().unwrap()).unwrap(),
        RATERS
    );
}

#[test]
fn files_of_raters_that_contradict_themselves_are_refused() {
    let cases = [
        (
            "original_id,system,slot\n",
            "“file of raters”: wrong header: expected original_id,system,slot,rater; \
             found original_id,system,slot; add the column “rater”, or read the file as CSV and map its columns",
        ),
        (
            "original_id,system,slot,rater\n0,a,1,x\n0,a,1,y\n",
            "“file of raters”: line 3, “rater”: is a second rater for the same rating: keep one",
        ),
        (
            "original_id,system,slot,rater\n0,a,1,x\n0,a,rating_2,x\n",
            "“file of raters”: line 3, “rater”: is behind two ratings of one output: keep one",
        ),
        (
            "original_id,system,slot,rater\n0,a,first,x\n",
            "“file of raters”: line 2, “slot”: is not a slot: write the number N of the column rating_N",
        ),
        (
            "original_id,system,slot,rater\n0,,1,x\n",
            "“file of raters”: line 2, “system”: is empty: fill it in",
        ),
    ];

    for (file, expected) in cases {
        assert_eq!(
            SlotRaters::read(file.as_bytes()).unwrap_err().to_string(),
            expected
        );
    }
}

#[test]
fn a_file_of_raters_is_not_for_other_formats() {
    let reading = FileReadOptions {
        raters: raters(),
        family: FormatFamily::Csv,
        ..FileReadOptions::default()
    };
    assert_eq!(
        open("source\nx\n".as_bytes(), reading).unwrap().notes,
        [FileNote::RatersUnused]
    );
}
