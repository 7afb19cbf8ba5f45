//! Commands on tables as people hand them out.

use serde_json::{Value, json};

use super::Workspace;

const HEADER: &str = "source,system,output,rater,rating\n";

/// The sentences of a list in a report.
fn sentences(list: &Value) -> Vec<&str> {
    let list = list.as_array().map(Vec::as_slice).unwrap_or_default();
    list.iter().filter_map(Value::as_str).collect()
}

#[test]
fn an_import_keeps_the_values_beside_a_missing_one() {
    let workspace = Workspace::new();
    workspace.write(
        "wide.csv",
        "id,original,generation,processed_generation,original_id,system,rating_1,rating_2,rating_3\n\
         0,The dog barked.,It barked.,It barked.,s1,A,80,NA,75\n1,The cat sat.,It sat.,It sat.,s2,A,20,30,25\n",
    );
    let report = workspace.value("import wide @wide.csv --create");
    assert_eq!(
        (&report["bad"], &report["new"]["answers"]),
        (&json!(0), &json!(5))
    );

    workspace.write("comma.csv", &format!("{HEADER}The dog barked.,A,It barked.,r1,\"8,0\"\nThe dog barked.,A,It barked.,r2,\"7,5\"\n"));
    let report = workspace.value("import comma @comma.csv --create");
    assert_eq!(
        (&report["bad"], &report["new"]["answers"]),
        (&json!(0), &json!(2))
    );
}

#[test]
fn rejected_assignments_are_left_out_of_studies_and_reports() {
    let workspace = Workspace::new();
    workspace.write(
        "mturk.csv",
        "WorkerId,AssignmentStatus,Input.original,Input.simplified,Input.system,Answer.adequacy\n\
         W1,Approved,The dog barked.,It barked.,A,80\nW2,Approved,The dog barked.,It barked.,A,85\n\
         W9,Rejected,The dog barked.,It barked.,A,1\nW1,Approved,The cat sat.,It sat.,A,20\n\
         W2,Approved,The cat sat.,It sat.,A,25\nW9,Rejected,The cat sat.,It sat.,A,1\n",
    );
    let said = "Ratings of 2 rows are left out, since “AssignmentStatus” says that the assignment was rejected or not \
                completed. To count them, remove that column.";

    let agreement = workspace.value("agreement @mturk.csv");
    assert_eq!(sentences(&agreement["warnings"]), [said]);
    let alpha = agreement["raw"]["alpha"].as_f64();
    assert!(alpha.is_some_and(|alpha| alpha > 0.98), "{agreement}");

    let preview = workspace.value("import crowd @mturk.csv --create --dry-run");
    assert!(sentences(&preview["notes"]).contains(&said), "{preview}");
    let report = workspace.value("import crowd @mturk.csv --create");
    assert!(sentences(&report["notes"]).contains(&said), "{report}");
    assert_eq!(
        (&report["new"]["answers"], &report["new"]["raters"]),
        (&json!(4), &json!(2))
    );
}

#[test]
fn a_second_rating_is_left_out_and_the_rest_of_its_row_counts() {
    let workspace = Workspace::new();
    workspace.write(
        "twice.csv",
        "source,system,output,rater,fluency,meaning\nThe dog barked.,A,It barked.,r1,5,\nThe dog barked.,A,It barked.,r1,4,3\n",
    );

    let map = "--map rating=fluency --map rating=meaning";
    let report = workspace.value(&format!("import twice @twice.csv --create {map}"));
    assert_eq!(report["new"]["answers"], json!(2));
    assert_eq!(
        (
            &report["bad"],
            &report["bad_rows"][0]["line"],
            &report["bad_rows"][0]["column"]
        ),
        (&json!(1), &json!(3), &json!("fluency"))
    );
}

#[test]
fn of_two_scores_of_an_output_the_first_counts() {
    let workspace = Workspace::new();
    workspace.write(
        "three.csv",
        &format!(
            "{HEADER}The dog barked.,A,It barked.,r1,80\nThe cat sat.,A,It sat.,r1,20\nThe sun set.,A,It set.,r1,50\n"
        ),
    );
    workspace.write(
        "scores.csv",
        "source,system,a\nThe dog barked.,A,0.9\nThe cat sat.,A,0.1\nThe sun set.,A,0.4\nThe dog barked.,A ,0.0\n\
         The sun set.,A,0.4\n",
    );

    let report =
        workspace.value("meta-eval --ratings @three.csv --scores @scores.csv --bootstrap 10");
    let said = sentences(&report["warnings"]);
    assert!(
        said.iter().any(|warning| warning.ends_with(
            "has another score of an output that has one, the first on line 5: the first score of an output counts"
        ) || warning.contains("the first on line 5")),
        "{said:?}"
    );

    workspace.run("import three @three.csv --create");
    let report = workspace.value("import three --scores @scores.csv");
    assert_eq!(
        (&report["metric_scores"], &report["bad"]),
        (&json!(3), &json!(1))
    );
    assert_eq!(
        report["bad_rows"][0]["reason"],
        json!("is another score of an output that has one on line 2: the first one counts")
    );
}

#[test]
fn a_later_file_finds_the_sources_and_raters_that_it_writes_otherwise() {
    let workspace = Workspace::new();
    workspace.write(
        "first.csv",
        &format!("{HEADER}Zoë said “no”.,A,Zoë said no.,José,80\n"),
    );
    workspace.write(
        "second.csv",
        &format!("{HEADER}Zoe\u{308} said \"no\" .,A ,Zoe\u{308} said no.,r2,70\nZoë said “no”.,B,No.,Jose\u{301},60\n"),
    );

    workspace.run("import study @first.csv --create");
    let report = workspace.value("import study @second.csv");
    let new = &report["new"];
    assert_eq!(
        (
            &new["sources"],
            &new["systems"],
            &new["outputs"],
            &new["raters"],
            &new["answers"]
        ),
        (&json!(0), &json!(1), &json!(1), &json!(1), &json!(2)),
        "{report}"
    );

    let said = sentences(&report["notes"]).join(" ");
    assert!(
        said.contains("“A ” is read as “A”") && said.contains("written in several ways"),
        "{said}"
    );
}

/// A hundred rows with the same fault are reported in a few lines, with their number.
#[test]
fn repeated_warnings_are_folded() {
    let workspace = Workspace::new();
    let mut rows = HEADER.to_owned();
    for rater in ["r1", "r2"] {
        for (source, rating) in [("s1", 10), ("s2", 60), ("s3", 90)] {
            rows += &format!("{source},a,o,{rater},{rating}\n");
        }
    }
    for row in 0..100 {
        rows += &format!("s1,a,o,r3,many{row}\n");
    }
    workspace.write("bad.csv", &rows);

    for command in ["agreement @bad.csv", "systems @bad.csv", "raters @bad.csv"] {
        let text = workspace.run(command);
        assert_eq!(text.matches("! Left out: ").count(), 5, "{text}");
        assert!(text.contains("\n! and 95 more of this kind"), "{text}");
    }
    let text = workspace.run("import river @bad.csv --create");
    assert!(text.contains("\n  and 95 more of this kind"), "{text}");
    assert!(text.lines().count() < 12, "{text}");

    // Programs get all of them.
    let report = workspace.value("agreement @bad.csv");
    let warnings = sentences(&report["warnings"]);
    let left_out = warnings
        .iter()
        .filter(|warning| warning.starts_with("Left out"));
    assert_eq!(left_out.count(), 100);
}
