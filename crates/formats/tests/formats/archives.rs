//! Lines and tables of a study that was exported.

use formats::{FileReadOptions, FileRow, open, read_dimensions};

const LINE: &str = r#"{"event":3,"source_id":"1","source":"The ship sank.","output_id":"o","output":"It sank.",
"system":"A","category":"split","automatic":{"category":"deletion","reason":"r","category_version":"v",
"edits":[],"edits_version":"e"},"categories":[{"rater":"r1","category":"split"}],"edits":[{"rater":"r1","edits":[]}],
"ratings":[{"rater":"r1","dimension":"overall","value":81,"shared":true,"recorded_at":"2026-11-28T17:30:00Z"}],
"notes":[{"rater":"r1","group":"g","note":"odd"}],"metric_scores":{"bleu":1.5,"sari":null},
"work":[{"rater":"r1","state":"handed-in"},{"rater":"r2","state":"handed-in"},{"rater":"r3","state":"open"}],
"unjudged":[{"rater":"r2","reason":"unclear"}],
"scores":[{"column":"rating_1","value":"7.0","z":"0.5"}],"columns":{"id":"12"}}"#;

fn read(text: &str) -> FileRow {
    let text = text.replace('\n', "");
    let mut opened = open(text.as_bytes(), FileReadOptions::default()).unwrap();
    opened.rows.next().unwrap().unwrap()
}

#[test]
fn a_line_of_an_exported_study_is_read_with_all_answers() {
    let row = read(LINE);
    assert!(row.verbatim.contains(&("id".into(), "12".to_owned())));
    let output = row.output.unwrap();
    let [rating, score] = &output.ratings[..] else {
        panic!("a rating and a score: {:?}", output.ratings);
    };

    assert!(rating.shared);
    assert_eq!(rating.recorded_at.as_deref(), Some("2026-11-28T17:30:00Z"));
    assert_eq!((score.rater.as_deref(), score.value.text()), (None, "7.0"));

    let archived = output.archived.unwrap();
    assert_eq!(archived.automatic.unwrap().reason, "r");
    assert_eq!(archived.categories.len(), 1);
    assert_eq!(archived.notes, [("r1".to_owned(), "odd".to_owned())]);
    assert_eq!(archived.reviewers, ["r1"]);
    assert_eq!(
        archived.metric_scores.into_iter().collect::<Vec<_>>(),
        [("bleu".to_owned(), 1.5)]
    );
}

#[test]
fn a_line_of_another_origin_keeps_the_same_keys_as_they_are() {
    for key in ["event", "output_id", "automatic"] {
        let row = read(&LINE.replace(&format!("\"{key}\""), "\"another\""));
        let output = row.output.unwrap();
        assert_eq!(output.archived, None, "{key}");
        assert!(output.ratings.iter().all(|rating| !rating.shared), "{key}");
        assert!(
            row.verbatim.iter().any(|(name, _)| **name == *"notes"),
            "{key}"
        );
    }
}

const TIDY: &str = "\
source_id,output_id,system,category,automatic_category,rater,dimension,value,shared
1,a,A,split,deletion,r1,overall,10,false
1,a,A,split,deletion,r2,overall,20,false
1,b,B,split,deletion,r1,overall,10,true
2,c,A,deletion,deletion,r1,overall,50,False
2,c,A,paraphrase,deletion,r2,overall,90,False
";

#[test]
fn a_table_of_exported_ratings_is_read_by_names_where_these_suffice() {
    let options = FileReadOptions {
        names_for_texts: true,
        ..FileReadOptions::default()
    };
    let [(dimension, ratings)] = &read_dimensions(TIDY.as_bytes(), options).unwrap()[..] else {
        panic!("one dimension");
    };
    assert_eq!(dimension.name, "overall");
    assert_eq!((ratings.raw.len(), ratings.shared.len()), (4, 1));
    assert_eq!(ratings.shared[0].output.system.as_ref(), "B");
    let categories = ratings
        .outputs
        .values()
        .map(|output| output.category.unwrap().name());
    // That of the majority; a tie goes to the automatic one.
    assert_eq!(categories.collect::<Vec<_>>(), ["split", "deletion"]);

    let fault = read_dimensions(TIDY.as_bytes(), FileReadOptions::default()).unwrap_err();
    assert!(
        fault.to_string().contains("exported without texts"),
        "{fault}"
    );
}

#[test]
fn shared_ratings_of_a_simpeval_table_are_named_by_their_columns() {
    let table = "\
id,original,generation,processed_generation,original_id,system,rating_1,rating_2,shared_ratings
0,The ship sank.,It sank.,It sank.,1,A,80,70,
1,The ship sank.,It sank.,It sank.,1,B,80,60,rating_1
2,The ship sank.,It sank.,It sank.,1,C,80,,rating_1 rating_2
";
    let ratings = formats::read_ratings(table.as_bytes(), None).unwrap();
    assert_eq!((ratings.raw.len(), ratings.shared.len()), (3, 2));
    assert_eq!(ratings.outputs.len(), 2);
}
