//! Figures from marked spans.

use super::Workspace;

/// Two raters on three sources of two systems, one of whose outputs is the same; a repeated and an unreadable line.
const SPANS: &str = r#"{"source_id":"1","source":"The old ferry sank.","output":"The ferry sank.","system":"T5","rater":"Ada","marks":[{"type":"Removal","level":"correct","value":1,"source":[[4,7]]}]}
{"source_id":"1","source":"The old ferry sank.","output":"The ferry sank.","system":"T5","rater":"Grace","marks":[{"type":"Removal","level":"correct","value":1,"source":[[0,7]]}]}
{"source_id":"1","source":"The old ferry sank.","output":"The ferry sank.","system":"Copy","rater":"Ada","marks":[{"type":"Removal","level":"correct","value":1,"source":[[4,7]]}]}
{"source_id":"2","source":"He purchased it.","output":"He bought it.","system":"T5","rater":"Ada","marks":[{"type":"Word","level":"wrong","value":0,"source":[[3,12]],"output":[[3,9]]}]}
{"source_id":"2","source":"He purchased it.","output":"He bought it.","system":"T5","rater":"Grace","marks":[{"type":"Word","level":"correct","value":1,"source":[[3,12]],"output":[[3,9]]}]}
{"source_id":"2","source":"He purchased it.","output":"He purchased it.","system":"Copy","rater":"Ada","marks":[]}
{"source_id":"3","source":"It rained.","output":"Rain fell.","system":"T5","rater":"Ada","marks":[{"type":"Word","level":"correct","value":1,"source":[[3,9]],"output":[[0,4]]}]}
{"source_id":"3","source":"It rained.","output":"Rain fell.","system":"T5","rater":"Ada","marks":[]}
{"source_id":"3","source":"It rained.","output":"It rained.","system":"Copy","rater":"Ada","marks":[{"type":"Word","source":[[3,40]]}]}
"#;

#[test]
fn spans_of_a_file() {
    let workspace = Workspace::new();
    workspace.write("spans.jsonl", SPANS);
    insta::assert_snapshot!(workspace.run("spans @spans.jsonl"), @"");
    insta::assert_snapshot!(workspace.json("spans @spans.jsonl --bootstrap 50"), @"");
}

#[test]
fn spans_say_why_they_fail() {
    let workspace = Workspace::with_study();
    workspace.write("empty.jsonl", "{}\n");
    insta::assert_snapshot!(workspace.error("spans river"), @"no marked spans were submitted in river yet");
    insta::assert_snapshot!(workspace.error("spans @empty.jsonl"), @"@empty.jsonl was not read: line 1, “source”: is missing: add it");
    insta::assert_snapshot!(workspace.error("spans @absent.jsonl"), @"@absent.jsonl cannot be opened: No such file or directory (os error 2)");
}
