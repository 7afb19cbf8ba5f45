//! Picking among candidates.

use super::Workspace;

const CANDIDATES: &str = r#"{"source":"The vessel sank near the coast.","candidates":["A dog ran.","The ship sank near the coast.","The ship sank close to the coast."],"references":["The ship sank close to the coast."]}
{"source":"Rain fell all night.","candidates":["It rained all night."],"references":["It rained."]}
"#;

fn workspace() -> Workspace {
    let workspace = Workspace::new();
    workspace.write("candidates.jsonl", CANDIDATES);
    workspace
}

#[test]
fn candidates_speak_for_one_another() {
    let workspace = workspace();
    let picked = workspace.run("rerank @candidates.jsonl --metrics bleu");
    assert_eq!(
        picked,
        "The ship sank near the coast.\nIt rained all night.\n"
    );

    let json = workspace.json("rerank @candidates.jsonl --metrics sari");
    assert!(
        json.contains("mean-over-others") && json.contains("nrefs:1"),
        "{json}"
    );
    // The second source has one candidate, and so no other to compare it with.
    assert!(json.contains("\"scores\": [null]"), "{json}");
}

#[test]
fn an_oracle_looks_at_references() {
    let workspace = workspace();
    let picked = workspace.run("rerank @candidates.jsonl --metrics bleu --oracle");
    assert!(
        picked.starts_with("The ship sank close to the coast.\n"),
        "{picked}"
    );

    workspace.write(
        "references.csv",
        "source,reference\nThe vessel sank near the coast.,A dog ran.\nRain fell all night.,It rained.\n",
    );
    workspace.write(
        "bare.jsonl",
        r#"{"source":"The vessel sank near the coast.","candidates":["A dog ran.","The ship sank."]}"#,
    );

    let picked =
        workspace.run("rerank @bare.jsonl --metrics bleu --oracle --references @references.csv");
    assert_eq!(picked, "A dog ran.\n");
}

#[test]
fn what_cannot_be_picked_by_is_said() {
    let workspace = workspace();
    let error = |command: &str| workspace.error(command);
    let unknown = error("rerank @candidates.jsonl --metrics questeval");
    assert!(unknown.contains("there is no metric"), "{unknown}");
    let pointless = error("rerank @candidates.jsonl --metrics fkgl --oracle");
    assert!(pointless.contains("needs no references"), "{pointless}");
    let misplaced = error("rerank @candidates.jsonl --metrics bleu --references @candidates.jsonl");
    assert!(misplaced.contains("--oracle"), "{misplaced}");

    workspace.write("bare.jsonl", r#"{"source":"A.","candidates":["B."]}"#);
    let missing = error("rerank @bare.jsonl --metrics bleu --oracle");
    assert!(
        missing.contains("bare.jsonl, line 1") && missing.contains("“A.”"),
        "{missing}"
    );
}
