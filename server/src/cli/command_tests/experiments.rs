//! Experiments that compare protocols.

use super::Workspace;

/// Four sources of two systems, without ratings.
const OUTPUTS: &str = "\
source,system,output
The vessel sank near the coast.,A,The boat sank.
The vessel sank near the coast.,B,Sank the vessel of boats.
Rain fell on the roof all night.,A,It rained all night.
Rain fell on the roof all night.,B,Rain the roof.
The council withdrew its plan.,A,The council dropped its plan.
The council withdrew its plan.,B,Council plan withdrew.
The ferry was late.,A,The ferry was late.
";

fn with_outputs() -> Workspace {
    let workspace = Workspace::new();
    workspace.write("outputs.csv", OUTPUTS);
    workspace.run("study create river --name River --overlap 2");
    workspace.run("import river @outputs.csv");
    workspace
}

#[test]
fn an_experiment_begins_and_is_brought_up_to_date() {
    let workspace = with_outputs();
    insta::assert_snapshot!(
        workspace.run("study experiment river --with likert --with same --slug lake --slug pond"),
        @r#"
    3 protocols on the same sources; annotators needed: 6, begun: 0
    river  River: 4 sources (0 without a place), 0 annotators
    lake  River: Likert scales: 4 sources (0 without a place), 0 annotators
    pond  River: Same protocol: 4 sources (0 without a place), 0 annotators
    placed just now: 4 sources; annotators added to an arm: 0
    "#
    );

    workspace.write(
        "more.csv",
        "source,system,output\nA new source.,A,It is new.\n",
    );
    workspace.run("import lake @more.csv");
    insta::assert_snapshot!(workspace.json("study experiment pond"), @r#"
    {
      "annotators_added": 0,
      "arms": [
        {
          "annotators": 0,
          "closed": false,
          "imported": {"answers":0,"contexts":0,"outputs":1,"raters":0,"references":0,"sources":1,"systems":0},
          "name": "River",
          "sources": 5,
          "study": "river",
          "unplaced": 0
        },
        {
          "annotators": 0,
          "closed": false,
          "imported": null,
          "name": "River: Likert scales",
          "sources": 5,
          "study": "lake",
          "unplaced": 0
        },
        {
          "annotators": 0,
          "closed": false,
          "imported": {"answers":0,"contexts":0,"outputs":1,"raters":0,"references":0,"sources":1,"systems":0},
          "name": "River: Same protocol",
          "sources": 5,
          "study": "pond",
          "unplaced": 0
        }
      ],
      "conflicts": [],
      "protocols": 3,
      "raters": 0,
      "raters_needed": 6,
      "schema": "study-experiment/1",
      "sources_placed": 1
    }
    "#);
    let again = workspace.value("study experiment river");
    assert_eq!(again["sources_placed"], 0);
    assert_eq!(again["arms"][1]["imported"], serde_json::Value::Null);

    // All arms share the sources, and every two of them are compared.
    let compared = workspace.value("protocols river lake pond");
    assert_eq!(compared["sources"]["shared"], 5);
    assert_eq!(compared["randomised"], true);
    assert_eq!(compared["differences"].as_array().map(Vec::len), Some(3));
    assert_eq!(
        compared["differences"][0]["minutes"],
        serde_json::Value::Null
    );
    assert!(
        workspace
            .run("protocols river lake")
            .contains("\nRandomised: arms of one experiment")
    );

    // The experiment did not give the raters of a file their sources.
    workspace.run("import pond @ratings.csv");
    let compared = workspace.value("protocols river lake pond");
    assert_eq!(compared["randomised"], false);
    assert!(
        workspace
            .run("protocols river lake pond")
            .contains("\nNot randomised: arms of one experiment, but with ratings from files")
    );
}

#[test]
fn arms_that_were_made_before_one_failed_are_of_use() {
    let workspace = with_outputs();
    let error = workspace
        .error("study experiment river --with likert --with same --slug lake --slug river");
    assert!(error.contains("river"), "{error}");
    let again = workspace.value("study experiment river");
    assert_eq!(again["arms"].as_array().map(Vec::len), Some(2));
    assert_eq!(again["arms"][1]["sources"], 4);
    assert_eq!(again["sources_placed"], 0, "they have their places");
}

#[test]
fn too_many_protocols_make_no_study() {
    let workspace = with_outputs();
    let with = " --with same".repeat(6);
    insta::assert_snapshot!(workspace.error(&format!("study experiment river{with}")), @"An experiment compares 6 protocols at most, those of existing studies included: choose 5 or fewer.");
    insta::assert_snapshot!(workspace.run("study list"), @"river  River");
}

#[test]
fn what_cannot_begin_is_refused() {
    let workspace = with_outputs();
    insta::assert_snapshot!(
        workspace.error("study experiment river"),
        @"“river” is in no experiment: begin one with --with and a template, such as likert"
    );

    insta::assert_snapshot!(
        workspace.error("study experiment river --with likert --slug lake --slug pond"),
        @"give --slug as often as --with, or not at all"
    );
    assert!(
        workspace
            .error("study experiment river --with best-of-all")
            .contains("best-of-all")
    );

    workspace.run("import lake @ratings.csv --create");
    insta::assert_snapshot!(workspace.error("study experiment lake --with likert"), @"3 sources have been given out or rated already, so nobody can be given them by the experiment’s plan. Clone the study under Settings, import the sources there, and begin the experiment with the clone.");
    // The refused commands created nothing.
    insta::assert_snapshot!(workspace.run("study list"), @r#"
    lake  lake
    river  River
    "#);
}
