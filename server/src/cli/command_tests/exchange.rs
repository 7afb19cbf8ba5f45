//! Bringing files into a study and taking its dataset out.

use super::Workspace;

#[test]
fn an_import_says_first_what_it_brings() {
    let workspace = Workspace::new();
    insta::assert_snapshot!(workspace.run("study create river"), @r#"
    river  river
    annotators for each source: 3
    category rule: tuned, threshold 0.7
    steps: Categorise, check edits, rank & rate
    way of working: steps
    hours until an unfinished source is given to someone else: 72
    dimensions: overall (0 to 100)
    "#);

    insta::assert_snapshot!(workspace.run("import river @ratings.csv --dry-run"), @r#"
    The file would add: 18 rows → 3 sources, 2 systems, 6 outputs (2 per source), 3 raters, 36 ratings, 0 problems.
      dimension simplicity, from -2 to 2 (new): 18 ratings
      dimension fluency, from 1 to 5 (new): 18 ratings
      system A: machine (a guess by its name)
      system B: machine (a guess by its name)
    "#);
    insta::assert_snapshot!(workspace.json("import river @ratings.csv --dry-run"), @r#"
    {
      "bad": 0,
      "bad_rows": [],
      "complete": true,
      "contents": {"answers":36,"contexts":0,"outputs":6,"raters":3,"references":0,"sources":3,"systems":2},
      "dimensions": [
        {"created":true,"name":"simplicity","ratings":18,"scale":{"high":2,"low":-2}},
        {"created":true,"name":"fluency","ratings":18,"scale":{"high":5,"low":1}}
      ],
      "empty_outputs": 0,
      "lines": 19,
      "new": {"answers":36,"contexts":0,"outputs":6,"raters":3,"references":0,"sources":3,"systems":2},
      "outputs_per_source": [2,2],
      "refused": null,
      "rows": 18,
      "schema": "import-preview/1",
      "systems": [
        {"contradicted":false,"from":"guess","kind":"machine","name":"A"},
        {"contradicted":false,"from":"guess","kind":"machine","name":"B"}
      ],
      "without_rater": 0
    }
    "#);

    insta::assert_snapshot!(workspace.run("import river @ratings.csv"), @r#"
    Likert ratings: 18 rows; new are 3 sources, 0 references, 2 systems, 6 outputs, 3 raters and 36 ratings
    new dimension: simplicity, from -2 to 2
    new dimension: fluency, from 1 to 5
    The kinds of new systems were guessed from their names (machine: 2 systems). Change them on the page Systems, or with “rankrate system”.
    "#);
    insta::assert_snapshot!(workspace.json("import river @ratings.csv"), @r#"
    {
      "bad": 0,
      "bad_rows": [],
      "format": "Likert ratings",
      "metric_scores": 0,
      "new": {"answers":0,"contexts":0,"outputs":0,"raters":0,"references":0,"sources":0,"systems":0},
      "notes": [],
      "rows": 18,
      "schema": "import/1",
      "scores": 0
    }
    "#);

    insta::assert_snapshot!(workspace.error("import lake @ratings.csv"), @r#"there is no study “lake”: see `rankrate study list`"#);
}

#[test]
fn references_and_scores_join_what_is_there() {
    let workspace = Workspace::with_study();
    workspace.write(
        "scores.csv",
        "source,system,lens\nThe vessel sank near the coast.,A,61.5\nNo such source.,A,1\n",
    );
    workspace.write(
        "references.csv",
        "source,reference\nThe vessel sank near the coast.,The ship sank.\n",
    );

    insta::assert_snapshot!(workspace.json("import river --references @references.csv"), @r#"
    {
      "bad": 0,
      "bad_rows": [],
      "format": "references, CSV",
      "matched": {"matched":1,"unmatched":0},
      "metric_scores": 0,
      "new": {"answers":0,"contexts":0,"outputs":0,"raters":0,"references":1,"sources":0,"systems":0},
      "notes": [],
      "references": {
        "accepted": 0,
        "exact": 1,
        "first_unused": [],
        "first_without": [
          {"id":"[id]","name":"2","nearest":null,"text":"Rain fell on the roof all night."},
          {"id":"[id]","name":"3","nearest":null,"text":"The council withdrew its plan."}
        ],
        "normalised": 0,
        "sources": 3,
        "unused": 0,
        "unused_rows": 0,
        "without": 2
      },
      "rows": 1,
      "schema": "import/1",
      "scores": 0
    }
    "#);

    insta::assert_snapshot!(workspace.json("import river --scores @scores.csv"), @r#"
    {
      "bad": 1,
      "bad_rows": [{"column":null,"line":3,"reason":"is about an output that the study does not have"}],
      "format": "scores",
      "matched": {"matched":1,"unmatched":1},
      "metric_scores": 1,
      "new": {"answers":0,"contexts":0,"outputs":0,"raters":0,"references":0,"sources":0,"systems":0},
      "notes": ["“lens” has scores of 1 outputs; higher is better."],
      "rows": 2,
      "schema": "import/1",
      "scores": 0
    }
    "#);

    insta::assert_snapshot!(workspace.run("import river --references @references.csv"), @r#"
    references, CSV: 1 rows; new are 0 sources, 0 references, 0 systems, 0 outputs, 0 raters and 0 ratings
    1 rows belong to what is in the study, 0 do not
    1 of 3 sources get references from this file: 1 by the same text, 0 by one that differs in tokenisation, quotes or dashes alone.
    2 of 3 sources have no reference, so their outputs have no score where one is needed:
      2 “Rain fell on the roof all night.”: no text is like it
      3 “The council withdrew its plan.”: no text is like it
    "#);
}

#[test]
fn imports_are_listed_and_taken_back() {
    let workspace = Workspace::with_study();
    insta::assert_snapshot!(workspace.run("import river --list"), @r#"[id]  [time]  ratings.csv by command line: 3 sources, 6 outputs, 36 ratings"#);
    insta::assert_snapshot!(workspace.json("import river --list"), @r#"
    {
      "imports": [
        {
          "id": "[id]",
          "imported_at": "[time]",
          "names": ["ratings.csv"],
          "new": {"answers":36,"contexts":0,"outputs":6,"raters":3,"references":0,"sources":3,"systems":2},
          "person": null,
          "undone_at": null
        }
      ],
      "schema": "imports/1"
    }
    "#);

    let nobody = "00000000-0000-7000-8000-000000000000";
    insta::assert_snapshot!(workspace.error(&format!("import river --undo {nobody}")), @r#"the study has no import [id]: see --list"#);
}

#[test]
fn a_table_goes_to_standard_output() {
    let workspace = Workspace::with_study();
    insta::assert_snapshot!(workspace.run("export river --format tidy"), @r#"
    source_id,output_id,system,kind,category,automatic_category,rater,dimension,value,z,rank,seconds,shared,final_value,final_category
    1,[id],A,machine,,deletion,1,fluency,5,1.154701,1,,false,,
    1,[id],A,machine,,deletion,1,simplicity,2,1.118034,1,,false,,
    1,[id],A,machine,,deletion,2,fluency,4,0.707107,1,,false,,
    1,[id],A,machine,,deletion,2,simplicity,1,0.603023,1,,false,,
    1,[id],A,machine,,deletion,3,fluency,5,1.549193,1,,false,,
    1,[id],A,machine,,deletion,3,simplicity,2,1.549193,1,,false,,
    1,[id],B,machine,,paraphrase,1,fluency,1,-1.154701,2,,false,,
    1,[id],B,machine,,paraphrase,1,simplicity,-1,-0.894427,2,,false,,
    1,[id],B,machine,,paraphrase,2,fluency,2,-0.707107,2,,false,,
    1,[id],B,machine,,paraphrase,2,simplicity,0,-0.301511,2,,false,,
    1,[id],B,machine,,paraphrase,3,fluency,1,-1.549193,2,,false,,
    1,[id],B,machine,,paraphrase,3,simplicity,-2,-1.549193,2,,false,,
    2,[id],A,machine,,deletion,1,fluency,4,0.577350,1,,false,,
    2,[id],A,machine,,deletion,1,simplicity,1,0.447214,1,,false,,
    2,[id],A,machine,,deletion,2,fluency,4,0.707107,1,,false,,
    2,[id],A,machine,,deletion,2,simplicity,1,0.603023,1,,false,,
    2,[id],A,machine,,deletion,3,fluency,3,0.000000,1,,false,,
    2,[id],A,machine,,deletion,3,simplicity,0,0.000000,1,,false,,
    2,[id],B,machine,,deletion,1,fluency,2,-0.577350,2,,false,,
    2,[id],B,machine,,deletion,1,simplicity,0,-0.223607,2,,false,,
    2,[id],B,machine,,deletion,2,fluency,1,-1.414214,2,,false,,
    2,[id],B,machine,,deletion,2,simplicity,-1,-1.206045,2,,false,,
    2,[id],B,machine,,deletion,3,fluency,2,-0.774597,2,,false,,
    2,[id],B,machine,,deletion,3,simplicity,-1,-0.774597,2,,false,,
    3,[id],A,machine,,paraphrase,1,fluency,5,1.154701,1,,false,,
    3,[id],A,machine,,paraphrase,1,simplicity,2,1.118034,1,,false,,
    3,[id],A,machine,,paraphrase,2,fluency,5,1.414214,1,,false,,
    3,[id],A,machine,,paraphrase,2,simplicity,2,1.507557,1,,false,,
    3,[id],A,machine,,paraphrase,3,fluency,4,0.774597,1,,false,,
    3,[id],A,machine,,paraphrase,3,simplicity,1,0.774597,1,,false,,
    3,[id],B,machine,,deletion,1,fluency,1,-1.154701,2,,false,,
    3,[id],B,machine,,deletion,1,simplicity,-2,-1.565248,2,,false,,
    3,[id],B,machine,,deletion,2,fluency,2,-0.707107,2,,false,,
    3,[id],B,machine,,deletion,2,simplicity,-1,-1.206045,2,,false,,
    3,[id],B,machine,,deletion,3,fluency,3,0.000000,2,,false,,
    3,[id],B,machine,,deletion,3,simplicity,0,0.000000,2,,false,,
    "#);

    insta::assert_snapshot!(workspace.run("export river --format simpeval-past"), @r#"
    id,original,generation,processed_generation,original_id,system,rating_1,rating_2,rating_3,rating_1_z_score,rating_2_z_score,rating_3_z_score
    0,The vessel sank near the coast.,The boat sank.,The boat sank.,1,A,2,1,2,1.118034,0.603023,1.549193
    1,The vessel sank near the coast.,Sank the vessel of boats.,Sank the vessel of boats.,1,B,-1,0,-2,-0.894427,-0.301511,-1.549193
    2,Rain fell on the roof all night.,It rained all night.,It rained all night.,2,A,1,1,0,0.447214,0.603023,0.000000
    3,Rain fell on the roof all night.,Rain the roof.,Rain the roof.,2,B,0,-1,-1,-0.223607,-1.206045,-0.774597
    4,The council withdrew its plan.,The council dropped its plan.,The council dropped its plan.,3,A,2,2,1,1.118034,1.507557,0.774597
    5,The council withdrew its plan.,Council plan withdrew.,Council plan withdrew.,3,B,-2,-1,0,-1.565248,-1.206045,0.000000
    "#);

    insta::assert_snapshot!(workspace.run("export river --format jsonl"), @r#"
    {"event":2,"source_id":"1","source":"The vessel sank near the coast.","references":[],"output_id":"[id]","output":"The boat sank.","system":"A","kind":"machine","twin_of":null,"category":"deletion","categories":[],"automatic":{"category":"deletion","reason":"50 % of the length","category_version":"tuned-0.7 v1","edits":[{"kind":"paraphrase","source":[{"start":4,"end":10}],"output":[{"start":4,"end":8}],"confidence":0.93},{"kind":"deletion","source":[{"start":16,"end":30}],"output":[{"start":13,"end":13}],"confidence":1.0}],"edits_version":"string v1 edits v2"},"edits":[],"ratings":[{"rater":"1","dimension":"fluency","scale":{"low":1,"high":5},"value":5,"z":1.154701,"imported_value":"5","imported_z":null,"shared":false,"recorded_at":"[time]"},{"rater":"1","dimension":"simplicity","scale":{"low":-2,"high":2},"value":2,"z":1.118034,"imported_value":"2","imported_z":null,"shared":false,"recorded_at":"[time]"},{"rater":"2","dimension":"fluency","scale":{"low":1,"high":5},"value":4,"z":0.707107,"imported_value":"4","imported_z":null,"shared":false,"recorded_at":"[time]"},{"rater":"2","dimension":"simplicity","scale":{"low":-2,"high":2},"value":1,"z":0.603023,"imported_value":"1","imported_z":null,"shared":false,"recorded_at":"[time]"},{"rater":"3","dimension":"fluency","scale":{"low":1,"high":5},"value":5,"z":1.549193,"imported_value":"5","imported_z":null,"shared":false,"recorded_at":"[time]"},{"rater":"3","dimension":"simplicity","scale":{"low":-2,"high":2},"value":2,"z":1.549193,"imported_value":"2","imported_z":null,"shared":false,"recorded_at":"[time]"}],"notes":[],"work":[],"metric_scores":{}}
    {"event":2,"source_id":"1","source":"The vessel sank near the coast.","references":[],"output_id":"[id]","output":"Sank the vessel of boats.","system":"B","kind":"machine","twin_of":null,"category":"paraphrase","categories":[],"automatic":{"category":"paraphrase","reason":"one sentence with new words, 83 % of the length","category_version":"tuned-0.7 v1","edits":[{"kind":"deletion","source":[{"start":16,"end":30}],"output":[{"start":4,"end":4}],"confidence":1.0},{"kind":"paraphrase","source":[],"output":[{"start":16,"end":24}],"confidence":1.0}],"edits_version":"string v1 edits v2"},"edits":[],"ratings":[{"rater":"1","dimension":"fluency","scale":{"low":1,"high":5},"value":1,"z":-1.154701,"imported_value":"1","imported_z":null,"shared":false,"recorded_at":"[time]"},{"rater":"1","dimension":"simplicity","scale":{"low":-2,"high":2},"value":-1,"z":-0.894427,"imported_value":"-1","imported_z":null,"shared":false,"recorded_at":"[time]"},{"rater":"2","dimension":"fluency","scale":{"low":1,"high":5},"value":2,"z":-0.707107,"imported_value":"2","imported_z":null,"shared":false,"recorded_at":"[time]"},{"rater":"2","dimension":"simplicity","scale":{"low":-2,"high":2},"value":0,"z":-0.301511,"imported_value":"0","imported_z":null,"shared":false,"recorded_at":"[time]"},{"rater":"3","dimension":"fluency","scale":{"low":1,"high":5},"value":1,"z":-1.549193,"imported_value":"1","imported_z":null,"shared":false,"recorded_at":"[time]"},{"rater":"3","dimension":"simplicity","scale":{"low":-2,"high":2},"value":-2,"z":-1.549193,"imported_value":"-2","imported_z":null,"shared":false,"recorded_at":"[time]"}],"notes":[],"work":[],"metric_scores":{}}
    {"event":2,"source_id":"2","source":"Rain fell on the roof all night.","references":[],"output_id":"[id]","output":"It rained all night.","system":"A","kind":"machine","twin_of":null,"category":"deletion","categories":[],"automatic":{"category":"deletion","reason":"57 % of the length","category_version":"tuned-0.7 v1","edits":[{"kind":"paraphrase","source":[],"output":[{"start":0,"end":2}],"confidence":1.0},{"kind":"paraphrase","source":[{"start":0,"end":4}],"output":[{"start":3,"end":9}],"confidence":0.97},{"kind":"deletion","source":[{"start":5,"end":21}],"output":[{"start":9,"end":9}],"confidence":1.0}],"edits_version":"string v1 edits v2"},"edits":[],"ratings":[{"rater":"1","dimension":"fluency","scale":{"low":1,"high":5},"value":4,"z":0.57735,"imported_value":"4","imported_z":null,"shared":false,"recorded_at":"[time]"},{"rater":"1","dimension":"simplicity","scale":{"low":-2,"high":2},"value":1,"z":0.447214,"imported_value":"1","imported_z":null,"shared":false,"recorded_at":"[time]"},{"rater":"2","dimension":"fluency","scale":{"low":1,"high":5},"value":4,"z":0.707107,"imported_value":"4","imported_z":null,"shared":false,"recorded_at":"[time]"},{"rater":"2","dimension":"simplicity","scale":{"low":-2,"high":2},"value":1,"z":0.603023,"imported_value":"1","imported_z":null,"shared":false,"recorded_at":"[time]"},{"rater":"3","dimension":"fluency","scale":{"low":1,"high":5},"value":3,"z":0.0,"imported_value":"3","imported_z":null,"shared":false,"recorded_at":"[time]"},{"rater":"3","dimension":"simplicity","scale":{"low":-2,"high":2},"value":0,"z":0.0,"imported_value":"0","imported_z":null,"shared":false,"recorded_at":"[time]"}],"notes":[],"work":[],"metric_scores":{}}
    {"event":2,"source_id":"2","source":"Rain fell on the roof all night.","references":[],"output_id":"[id]","output":"Rain the roof.","system":"B","kind":"machine","twin_of":null,"category":"deletion","categories":[],"automatic":{"category":"deletion","reason":"words deleted only","category_version":"tuned-0.7 v1","edits":[{"kind":"deletion","source":[{"start":5,"end":12}],"output":[{"start":4,"end":4}],"confidence":1.0},{"kind":"deletion","source":[{"start":22,"end":31}],"output":[{"start":13,"end":13}],"confidence":1.0}],"edits_version":"string v1 edits v2"},"edits":[],"ratings":[{"rater":"1","dimension":"fluency","scale":{"low":1,"high":5},"value":2,"z":-0.57735,"imported_value":"2","imported_z":null,"shared":false,"recorded_at":"[time]"},{"rater":"1","dimension":"simplicity","scale":{"low":-2,"high":2},"value":0,"z":-0.223607,"imported_value":"0","imported_z":null,"shared":false,"recorded_at":"[time]"},{"rater":"2","dimension":"fluency","scale":{"low":1,"high":5},"value":1,"z":-1.414214,"imported_value":"1","imported_z":null,"shared":false,"recorded_at":"[time]"},{"rater":"2","dimension":"simplicity","scale":{"low":-2,"high":2},"value":-1,"z":-1.206045,"imported_value":"-1","imported_z":null,"shared":false,"recorded_at":"[time]"},{"rater":"3","dimension":"fluency","scale":{"low":1,"high":5},"value":2,"z":-0.774597,"imported_value":"2","imported_z":null,"shared":false,"recorded_at":"[time]"},{"rater":"3","dimension":"simplicity","scale":{"low":-2,"high":2},"value":-1,"z":-0.774597,"imported_value":"-1","imported_z":null,"shared":false,"recorded_at":"[time]"}],"notes":[],"work":[],"metric_scores":{}}
    {"event":2,"source_id":"3","source":"The council withdrew its plan.","references":[],"output_id":"[id]","output":"The council dropped its plan.","system":"A","kind":"machine","twin_of":null,"category":"paraphrase","categories":[],"automatic":{"category":"paraphrase","reason":"one sentence with new words, 100 % of the length","category_version":"tuned-0.7 v1","edits":[{"kind":"paraphrase","source":[{"start":12,"end":20}],"output":[{"start":12,"end":19}],"confidence":0.93}],"edits_version":"string v1 edits v2"},"edits":[],"ratings":[{"rater":"1","dimension":"fluency","scale":{"low":1,"high":5},"value":5,"z":1.154701,"imported_value":"5","imported_z":null,"shared":false,"recorded_at":"[time]"},{"rater":"1","dimension":"simplicity","scale":{"low":-2,"high":2},"value":2,"z":1.118034,"imported_value":"2","imported_z":null,"shared":false,"recorded_at":"[time]"},{"rater":"2","dimension":"fluency","scale":{"low":1,"high":5},"value":5,"z":1.414214,"imported_value":"5","imported_z":null,"shared":false,"recorded_at":"[time]"},{"rater":"2","dimension":"simplicity","scale":{"low":-2,"high":2},"value":2,"z":1.507557,"imported_value":"2","imported_z":null,"shared":false,"recorded_at":"[time]"},{"rater":"3","dimension":"fluency","scale":{"low":1,"high":5},"value":4,"z":0.774597,"imported_value":"4","imported_z":null,"shared":false,"recorded_at":"[time]"},{"rater":"3","dimension":"simplicity","scale":{"low":-2,"high":2},"value":1,"z":0.774597,"imported_value":"1","imported_z":null,"shared":false,"recorded_at":"[time]"}],"notes":[],"work":[],"metric_scores":{}}
    {"event":2,"source_id":"3","source":"The council withdrew its plan.","references":[],"output_id":"[id]","output":"Council plan withdrew.","system":"B","kind":"machine","twin_of":null,"category":"deletion","categories":[],"automatic":{"category":"deletion","reason":"words deleted only","category_version":"tuned-0.7 v1","edits":[{"kind":"deletion","source":[{"start":0,"end":3}],"output":[{"start":0,"end":0}],"confidence":1.0},{"kind":"deletion","source":[{"start":21,"end":24}],"output":[{"start":21,"end":21}],"confidence":1.0}],"edits_version":"string v1 edits v2"},"edits":[],"ratings":[{"rater":"1","dimension":"fluency","scale":{"low":1,"high":5},"value":1,"z":-1.154701,"imported_value":"1","imported_z":null,"shared":false,"recorded_at":"[time]"},{"rater":"1","dimension":"simplicity","scale":{"low":-2,"high":2},"value":-2,"z":-1.565248,"imported_value":"-2","imported_z":null,"shared":false,"recorded_at":"[time]"},{"rater":"2","dimension":"fluency","scale":{"low":1,"high":5},"value":2,"z":-0.707107,"imported_value":"2","imported_z":null,"shared":false,"recorded_at":"[time]"},{"rater":"2","dimension":"simplicity","scale":{"low":-2,"high":2},"value":-1,"z":-1.206045,"imported_value":"-1","imported_z":null,"shared":false,"recorded_at":"[time]"},{"rater":"3","dimension":"fluency","scale":{"low":1,"high":5},"value":3,"z":0.0,"imported_value":"3","imported_z":null,"shared":false,"recorded_at":"[time]"},{"rater":"3","dimension":"simplicity","scale":{"low":-2,"high":2},"value":0,"z":0.0,"imported_value":"0","imported_z":null,"shared":false,"recorded_at":"[time]"}],"notes":[],"work":[],"metric_scores":{}}
    "#);
}

#[test]
fn files_stand_side_by_side() {
    let workspace = Workspace::with_study();
    insta::assert_snapshot!(workspace.run("export river --format tidy -o @tidy.csv"), @r#"
    6 outputs with 36 ratings, as of event 2:
      @tidy.csv
      @tidy.README.md
    "#);

    insta::assert_snapshot!(workspace.json("export river --format tidy -o @tidy.csv"), @r#"
    {
      "event": 2,
      "files": ["@tidy.csv","@tidy.README.md"],
      "format": "tidy",
      "formula_cells": 0,
      "outputs": 6,
      "ratings": 36,
      "schema": "export/1",
      "shared_ratings": 0,
      "study": "river"
    }
    "#);

    insta::assert_snapshot!(workspace.json("export river --format metric-scores -o @metrics.csv"), @r#"
    {
      "event": 2,
      "files": ["@metrics.csv","@metrics.signatures.csv","@metrics.README.md"],
      "format": "metric-scores",
      "formula_cells": 0,
      "outputs": 6,
      "ratings": 0,
      "schema": "export/1",
      "shared_ratings": 0,
      "study": "river"
    }
    "#);
}

#[test]
fn a_dataset_is_a_folder() {
    let workspace = Workspace::with_study();
    insta::assert_snapshot!(workspace.run("export river --format dataset -o @river --license cc-by-4.0"), @r#"
    6 outputs with 36 ratings, as of event 2:
      @river/ratings.parquet
      @river/outputs.parquet
      @river/README.md
    "#);
    let card = workspace.read("river/README.md");
    assert!(card.contains("\nlicense: \"cc-by-4.0\"\n"), "{card}");

    insta::assert_snapshot!(workspace.json("export river --format dataset -o @river"), @r#"
    {
      "answers": 0,
      "comparisons": 0,
      "event": 2,
      "files": ["@river/ratings.parquet","@river/outputs.parquet","@river/README.md"],
      "format": "dataset",
      "formula_cells": 0,
      "marked_outputs": 0,
      "outputs": 6,
      "ratings": 36,
      "schema": "export/1",
      "shared_ratings": 0,
      "study": "river"
    }
    "#);
    let card = workspace.read("river/README.md");
    assert!(!card.contains("\nlicense:"), "{card}");

    insta::assert_snapshot!(workspace.error("export river --format dataset -o @ratings.csv"), @"@ratings.csv cannot be read as a folder: Not a directory (os error 20)");
}

#[test]
fn kinds_are_stated_at_the_import_and_changed_later() {
    let workspace = Workspace::new();
    workspace.run("import river @ratings.csv --create --kind B=baseline");
    let kinds = |report: &serde_json::Value| {
        let systems = report["systems"].as_array().expect("a list of systems");
        let kinds = systems.iter().map(|system| system["kind"].clone());
        kinds.collect::<Vec<_>>()
    };
    let changed = workspace.value("system river A --kind human");
    assert_eq!(kinds(&changed), ["human", "baseline"]);

    let study = workspace.value("agreement --study river --by dimension");
    let file = workspace.value("agreement @ratings.csv --by dimension");
    assert_eq!(study["parts"], file["parts"]);
    assert!(study["parts"]["fluency"].is_object(), "{study}");

    let refused = workspace.error("raters --study river --dimension overall");
    assert!(refused.contains("“overall”"), "{refused}");
}

#[test]
fn the_text_around_sources_comes_back_with_an_export() {
    let workspace = Workspace::new();
    workspace.write(
        "context.csv",
        "source_id,source,context_before,context_after,output,system\n\
         1,The ferry was withdrawn.,It carried timber.,\"A bus, though, replaces it.\",It stopped.,A\n",
    );

    workspace.run("import river @context.csv --create");
    workspace.run("export river --format jsonl -o @out.jsonl");
    workspace.run("import lake @out.jsonl --create");
    let again = workspace.run("export lake --format jsonl");
    let again: serde_json::Value = serde_json::from_str(&again).expect("one line of JSON");
    assert_eq!(again["context_before"], "It carried timber.");
    assert_eq!(again["context_after"], "A bus, though, replaces it.");
}
