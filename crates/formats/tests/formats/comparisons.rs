//! Files of pairwise and best-worst comparisons.

use domain::comparison::{ComparisonAnswer, PairOutcome};
use formats::{ComparisonFile, FatalReadError, read_comparisons};
use testdata::needs_released_data;

fn read(text: &str) -> Result<ComparisonFile, FatalReadError> {
    read_comparisons(text.as_bytes())
}

/// Each row in short: source, rater, dimension, and the pairs that it decides.
fn rows(text: &str) -> Vec<String> {
    let file = read(text).unwrap();
    assert_eq!(file.bad_rows, [], "{text}");
    let row = |row: &formats::ComparisonRow| {
        let pairs = row.comparison.pairs();
        let pairs = pairs.iter().map(|pair| {
            let sign = match pair.outcome() {
                PairOutcome::A => '>',
                PairOutcome::B => '<',
                PairOutcome::Tie => '=',
            };
            format!("{}{sign}{}", pair.a(), pair.b())
        });
        let pairs = pairs.collect::<Vec<_>>().join(" ");
        format!("{}, {}, {}: {pairs}", row.source, row.rater, row.dimension)
    };
    file.rows.iter().map(row).collect()
}

#[test]
fn the_texts_of_two_systems_are_read_where_a_row_has_all_three() {
    let read_texts = |columns: &str, cells: &str| {
        let text = format!("source,rater,{columns},outcome\nThe vessel sank.,1,{cells},a\n");
        let row = read(&text).unwrap().rows.remove(0);
        row.texts.map(|texts| [texts.source, texts.a, texts.b])
    };

    let sank = ["The vessel sank.", "It sank.", "The boat sank."].map(str::to_owned);
    let texts = read_texts(
        "system_a,system_b,output_a,output_b",
        "x,y,It sank. ,The boat sank.",
    );
    assert_eq!(texts, Some(sank));
    let one_missing = read_texts("system_a,system_b,output_a,output_b", "x,y,It sank.,");
    assert_eq!(one_missing, None);
    assert_eq!(read_texts("system_a,system_b", "x,y"), None);
}

#[test]
fn pairs_in_the_usual_spellings() {
    let expected = |sign| vec![format!("7, Ada, overall: T5{sign}BART")];
    for (columns, outcome, sign) in [
        ("system_a,system_b,outcome", "a", '>'),
        ("system_a,system_b,outcome", " B ", '<'),
        ("system_a,system_b,outcome", "Tie", '='),
        ("system_a,system_b,preference", "system_b", '<'),
        ("system_a,system_b,winner", "T5", '>'),
        ("system_a,system_b,winner", "similar", '='),
        ("system_a,system_b,outcome", "No preference", '='),
        ("system_1,system_2,outcome", "1", '>'),
        ("system_1,system_2,outcome", "system_2", '<'),
        ("model_a,model_b,winner", "model_a", '>'),
        ("model_a,model_b,winner", "tie (bothbad)", '='),
    ] {
        let text = format!("source_id,rater,{columns}\n7,Ada,T5,BART,{outcome}\n");
        assert_eq!(rows(&text), expected(sign), "{text}");
    }
    assert_eq!(
        rows("source;aspect;WorkerId;system_a;system_b;outcome\nIt sank.;Fluency;w1;A1;B1;b\n"),
        ["It sank., w1, fluency: A1<B1"]
    );
}

#[test]
fn choices_among_several_name_them_in_three_ways() {
    let expected = ["7, Ada, overall: C>B C>A A>B"];
    for text in [
        "source_id,rater,system_1,system_2,system_3,system_4,best,worst\n7,Ada,A,B,C,,C,B\n",
        "source_id,rater,system_a,system_b,system_c,best,worst\n7,Ada,A,B,C,C,B\n",
        "source_id,rater,systems,best,worst\n7,Ada,A | B | C,C,B\n",
        "{\"source_id\":7,\"rater\":\"Ada\",\"systems\":[\"A\",\"B\",\"C\"],\"best\":\"C\",\"worst\":\"B\"}\n",
    ] {
        assert_eq!(rows(text), expected, "{text}");
    }
}

#[test]
fn one_file_may_hold_both_kinds() {
    let text = "{\"source\":\"s\",\"rater\":\"r\",\"systems\":[\"A\",\"B\",\"C\"],\"best\":\"A\",\"worst\":\"C\"}\n\
                {\"source\":\"s\",\"rater\":\"r\",\"system_a\":\"A\",\"system_b\":\"C\",\"outcome\":\"tie\",\"best\":null}\n";
    let expected = ["s, r, overall: A>C A>B B>C", "s, r, overall: A=C"];
    assert_eq!(rows(text), expected);
}

#[test]
fn a_row_that_is_no_comparison_is_left_out_with_the_reason() {
    let header = "source,rater,system_a,system_b,system_c,outcome,best,worst\n";
    let good = "s,r,T5,BART,,a,,\n";
    for (row, expected) in [
        (
            ",r,A1,B1,,a,,",
            "line 3: does not say which source it is about: fill in source",
        ),
        (
            "s,,A1,B1,,a,,",
            "line 3: does not say who compared: fill in rater",
        ),
        (
            "s,r,A1,,,a,,",
            "line 3: compares nothing: fill in system_a, system_b and outcome, or the systems shown, best and worst",
        ),
        (
            "s,r,A1,A1,,a,,",
            "line 3, “system_b”: is the same as system_a: name two different systems",
        ),
        (
            "s,r,A1,B1,,1,,",
            "line 3, “outcome”: “1” is not an outcome: write system_a, system_b or tie, or the name of the better system",
        ),
        (
            "s,r,B,A,,a,,",
            "line 3, “outcome”: “a” can mean more than one of both systems and a tie",
        ),
        (
            "s,r,b,A1,,b,,",
            "line 3, “outcome”: “b” can mean more than one of both systems and a tie: write system_a, system_b or tie",
        ),
        (
            "s,r,BART,T5,,tie,,",
            "line 3: “r” compared these before, on line 2: one rater gives one answer",
        ),
        (
            "s,r,A1,B1,C1,,A1,",
            "line 3, “worst”: is empty: name one of the systems shown",
        ),
        (
            "s,r,A1,B1,C1,,X,A1",
            "line 3, “best”: is none of those shown: name one of them",
        ),
        (
            "s,r,A1,B1,C1,,A1,X",
            "line 3, “worst”: is none of those shown: name one of them",
        ),
        (
            "s,r,A1,B1,C1,,A1,A1",
            "line 3, “worst”: is also the best: name another one",
        ),
        (
            "s,r,A1,B1,B1,,A1,B1",
            "line 3: shows a system twice: name each once",
        ),
        (
            "s,r,A1,,,,A1,B1",
            "line 3: shows fewer than two systems: fill in system_1, system_2, … or systems",
        ),
        ("s,r,A1", "line 3: has 3 cells, the header 8"),
    ] {
        let file = read(&format!("{header}{good}{row}\n")).unwrap();
        assert_eq!(file.rows.len(), 1, "{row}");
        let [bad_row] = &file.bad_rows[..] else {
            panic!("{row}: {:?}", file.bad_rows);
        };
        let message = bad_row.to_string();
        assert!(message.starts_with(expected), "{message}");
    }
}

#[test]
fn a_file_that_compares_nothing_is_refused() {
    let many: String = (0..201)
        .map(|n| format!("s,r,system {n},other,a\n"))
        .collect();
    for (text, expected) in [
        ("", "the file is empty"),
        (
            "source,rater,rating\ns,r,5\n",
            "wrong header: expected source, rater, and system_a, system_b, outcome or system_1, system_2, …, best, worst",
        ),
        (
            "source,rater,system_a,system_b,outcome,rater\ns,r,A1,B1,a,r\n",
            "wrong header: expected one column “rater”",
        ),
        (
            "source,rater,system_a,system_b,outcome\n",
            "the file has a header and no rows",
        ),
        (
            "source,rater,system_a,system_b,outcome\ns,r,A1,B1,?\n",
            "line 2, “outcome”: “?” is not an outcome",
        ),
        ("{\"a\":1}\n", "line 1: compares nothing"),
        ("[]", "the file is one JSON array"),
        (
            &format!("source,rater,system_a,system_b,outcome\n{many}"),
            "the file compares more than 200 systems",
        ),
    ] {
        let message = read(text).unwrap_err().to_string();
        assert!(message.starts_with(expected), "{message}");
    }
}

#[test]
fn asset_names_the_other_data_set() {
    let text = "worker_id,sentence_id,aspect,source,other_dataset,asset_simplification,other_simplification,winner\n\
                w1,7,fluency,The vessel sank.,hsplit,It sank.,The boat sank.,similar\n\
                w1,7,meaning,The vessel sank.,hsplit,It sank.,The boat sank.,hsplit\n";
    let expected = [
        "7, w1, fluency: asset=hsplit",
        "7, w1, meaning: asset<hsplit",
    ];
    assert_eq!(rows(text), expected);
}

#[needs_released_data("asset_ratings")]
#[test]
fn asset_comparisons_of_human_simplifications() {
    let name = "asset_ratings/asset_pairwise_comparisons_with_turkcorpus_and_hsplit.csv";
    let file = read_comparisons(&super::released(name)[..]).unwrap();
    assert_eq!((file.rows.len(), &file.bad_rows[..]), (2_154, &[][..]));

    let mut counts = [0; 3];
    for row in &file.rows {
        let ComparisonAnswer::Pair(pair) = &row.comparison else {
            panic!("line {} compares several", row.line);
        };
        assert_eq!(pair.a(), "asset");
        counts[pair.outcome() as usize] += 1;
    }
    // Counts of the column “winner”: asset, hsplit or turkcorpus, similar.
    assert_eq!(counts, [836, 308 + 290, 720]);
}
