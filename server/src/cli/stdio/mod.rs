//! Answers for a program that keeps this one running: a request a line in, an answer a line out.
//!
//! Models and resources are opened once and kept, so that calls do not wait for them. Requests are answered in order,
//! each after it was read as a whole; a program that writes many before it reads waits at the pipe.

mod line_reader;
mod message;

use std::{
    io::{self, BufRead, BufReader, Write},
    sync::{Mutex, PoisonError},
    thread,
    time::Duration,
};

use self::{
    line_reader::{InputLine, read_line},
    message::{StdioAnswer, StdioRequest},
};
use super::output::CommandOutput;
use crate::{
    calls::{CallError, CallSession},
    progress::ProgressDisplay,
    settings::EncoderSettings,
};

/// The longest request, in bytes: some 100,000 pairs of long sentences.
const MAX_REQUEST_BYTES: usize = 256 << 20;

/// The description of requests and answers, below the command's help.
pub(super) const HELP: &str = "\
A request is {\"id\": 1, \"call\": NAME, \"arguments\": {…}} on one line; its answer is {\"id\": 1, \"result\": …}, or \
{\"id\": 1, \"error\": {\"kind\": …, \"message\": …}} with the kind bad-request, bad-arguments, unavailable or failed. \
Answers come in the order of the requests. The same request gets the same answer, whatever came before it. With \
\"progress\": true beside its arguments, lines {\"id\": 1, \"progress\": {\"of\": STEPS, \"done\": 5, \"total\": 10}} may come \
before the answer: a call has one stage or several, one after the other, and each is told of at most 101 times.

  score       metrics, sources, outputs, references (a list for each output, or null), meaning and corpus (true or false): \
of each metric its name, signature, direction and values, null where an output has none; what they mean, of metrics that know; \
and the score of all outputs as one corpus, of metrics made of counts
  rerank      sources, candidates (a list for each source), model (shipped or a file, or null): of each source \
the place of the best candidate and all scores
  align       sources, outputs, grade (string, grid, encoder, or null for the best): words, links and edits of each pair
  categorise  sources, outputs, rule (tuned or paper, or null), threshold (or null): category and reason of each pair
  metrics     the name and direction of each metric, and whether it needs references
  version     the version of the program

A text has at most 20,000 bytes. Places in texts count Unicode characters from 0. The Python package rankrate is a client.";

#[derive(Debug, clap::Args)]
pub(super) struct StdioArgs {
    /// End as soon as the program that started this one has ended, also in the middle of a request.
    #[arg(long)]
    end_with_parent: bool,
}

/// The interval at which the parent is looked up.
const PARENT_CHECK: Duration = Duration::from_millis(500);

/// Answers requests until standard input ends.
pub(super) fn run(
    args: &StdioArgs,
    mut output: CommandOutput,
    encoder: &EncoderSettings,
) -> anyhow::Result<()> {
    if args.end_with_parent {
        thread::spawn(end_with_parent);
    }
    let input = BufReader::with_capacity(1 << 16, io::stdin().lock());
    answer_requests(input, output.writer(), &mut CallSession::new(encoder))
}

/// Ends this process when its parent has ended, and another process has taken the parent's place. Nobody waits for the
/// answer to a request under way then.
#[cfg(unix)]
fn end_with_parent() {
    let parent = std::os::unix::process::parent_id();
    while std::os::unix::process::parent_id() == parent {
        thread::sleep(PARENT_CHECK);
    }
    std::process::exit(0);
}

/// Elsewhere only the end of the input shows that the parent has ended.
#[cfg(not(unix))]
fn end_with_parent() {}

/// Answers each request of `input`, until it ends.
fn answer_requests(
    mut input: impl BufRead,
    out: &mut (impl Write + Send + ?Sized),
    session: &mut CallSession,
) -> anyhow::Result<()> {
    let mut line = Vec::new();
    loop {
        let answer = match read_line(&mut input, &mut line, MAX_REQUEST_BYTES)? {
            InputLine::End => return Ok(()),
            InputLine::Whole if line.trim_ascii().is_empty() => continue,
            InputLine::Whole => answer_line(&line, session, out),
            InputLine::TooLong => StdioAnswer::refuse(CallError::bad_request(format!(
                "a request has more than {} MiB: send fewer texts at a time",
                MAX_REQUEST_BYTES >> 20
            ))),
        };
        write_line(&answer, out)?;
    }
}

fn write_line(answer: &StdioAnswer, out: &mut (impl Write + ?Sized)) -> anyhow::Result<()> {
    serde_json::to_writer(&mut *out, answer)?;
    out.write_all(b"\n")?;
    Ok(out.flush()?)
}

/// Answers a request. If it asks for progress, writes that to `out` first.
fn answer_line(
    line: &[u8],
    session: &mut CallSession,
    out: &mut (impl Write + Send + ?Sized),
) -> StdioAnswer {
    let request: StdioRequest = match serde_json::from_slice(line) {
        Ok(request) => request,
        Err(error) => {
            return StdioAnswer::refuse(CallError::bad_request(format!(
                "this line is not a request, {{\"id\": …, \"call\": …, \"arguments\": {{…}}}}: {error}"
            )));
        }
    };

    let out = Mutex::new(out);
    let tell = |progress| {
        let mut out = out.lock().unwrap_or_else(PoisonError::into_inner);
        // If the reader is gone, writing the answer fails, too.
        let _ = write_line(&StdioAnswer::tell(request.id.clone(), progress), &mut **out);
    };
    let display = match request.progress {
        true => ProgressDisplay::Told(&tell),
        false => ProgressDisplay::Terminal,
    };

    let result = session.call(request.call, request.arguments, display);
    StdioAnswer::new(request.id, result)
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;
    use crate::learned_metric::testing::empty_settings;

    /// The answers to these lines.
    fn answers(lines: &str) -> Vec<Value> {
        let mut out = Vec::new();
        let mut session = CallSession::new(&empty_settings());
        answer_requests(lines.as_bytes(), &mut out, &mut session).expect("a buffer takes all");
        let text = String::from_utf8(out).expect("UTF-8");
        let answer = |line: &str| serde_json::from_str(line).expect("a line is JSON");
        text.lines().map(answer).collect()
    }

    fn answer(request: &Value) -> Value {
        answers(&request.to_string()).remove(0)
    }

    /// The kind and the message of the error with which a call fails.
    fn error(call: &str, arguments: &Value) -> (String, String) {
        let answer = answer(&json!({ "id": "a", "call": call, "arguments": arguments }));
        assert_eq!(answer["id"], "a");
        let text = |key: &str| answer["error"][key].as_str().unwrap_or_default().to_owned();
        (text("kind"), text("message"))
    }

    #[test]
    fn requests_are_answered_in_order_with_their_ids() {
        let lines = "\n{\"id\": 1, \"call\": \"version\"}\n \n{\"id\": null, \"call\": \"version\", \"arguments\": {}}";
        let version = json!({ "version": env!("CARGO_PKG_VERSION") });
        assert_eq!(
            answers(lines),
            [
                json!({ "id": 1, "result": version }),
                json!({ "id": null, "result": version })
            ]
        );
    }

    #[test]
    fn a_line_that_is_no_request_is_refused_and_the_next_is_answered() {
        let answers =
            answers("[1]\n{\"id\": 2, \"call\": \"sing\"}\n{\"id\": 3, \"call\": \"version\"}\n");
        assert_eq!(answers[0]["error"]["kind"], "bad-request");
        assert_eq!(answers[1]["error"]["kind"], "bad-request");
        assert_eq!(answers[1]["id"], Value::Null);
        assert_eq!(answers[2]["id"], 3);
    }

    #[test]
    fn scores_are_those_of_the_metrics_in_the_order_of_the_outputs() {
        let arguments = json!({
            "metrics": ["compression", "sari"],
            "sources": ["The vessel sank.", "Ölschiffe sanken.", "The vessel sank."],
            "outputs": ["The boat sank.", "Ölschiffe sanken.", "The boat sank."],
            "references": [["The boat sank."], [], ["The vessel went down."]],
        });

        let answer = answer(&json!({ "id": 1, "call": "score", "arguments": arguments }));
        let [compression, sari] = &answer["result"]["scores"].as_array().expect("a list")[..]
        else {
            panic!("{answer}");
        };
        assert_eq!(compression["values"], json!([0.875, 1.0, 0.875]));
        assert_eq!(compression["direction"], "neither");

        // The same texts with other references have a score of their own, and without any they have none.
        let values = sari["values"].as_array().expect("a list");
        assert_eq!(values[1], Value::Null);
        assert!(values[0].as_f64() > values[2].as_f64(), "{values:?}");
        assert!(
            sari["signature"]
                .as_str()
                .is_some_and(|text| text.contains("|nrefs:0-1|"))
        );
    }

    #[test]
    fn nothing_to_score_is_no_error() {
        let arguments = json!({ "metrics": ["sari"], "sources": [], "outputs": [] });
        let answer = answer(&json!({ "id": 1, "call": "score", "arguments": arguments }));
        assert_eq!(answer["result"]["scores"][0]["values"], json!([]));
    }

    #[test]
    fn progress_is_told_where_it_is_asked_for_and_changes_no_answer() {
        let texts: Vec<String> = (0..300).map(|at| format!("Ship {at} sank.")).collect();
        for (call, arguments, of) in [
            (
                "score",
                json!({ "metrics": ["fkgl", "compression"], "sources": texts, "outputs": texts }),
                "scores",
            ),
            (
                "align",
                json!({ "sources": texts, "outputs": texts, "grade": "string" }),
                "pairs aligned",
            ),
        ] {
            let plain = json!({ "id": "a", "call": call, "arguments": arguments });
            let mut asked = plain.clone();
            asked["progress"] = true.into();
            let mut lines = answers(&asked.to_string());
            assert_eq!(lines.pop().as_ref(), Some(&answer(&plain)));

            assert!((2..=101).contains(&lines.len()), "{} lines", lines.len());
            let last = lines.last().expect("a line");
            let total = if call == "score" { 600 } else { 300 };
            assert_eq!(
                *last,
                json!({ "id": "a", "progress": { "of": of, "done": total, "total": total } })
            );
        }
    }

    #[test]
    fn only_metrics_that_know_say_what_scores_mean() {
        let arguments =
            json!({ "metrics": ["fkgl"], "sources": ["a"], "outputs": ["a"], "meaning": true });
        let answer = answer(&json!({ "id": 1, "call": "score", "arguments": arguments }));
        let scores = answer["result"]["scores"][0].as_object().expect("scores");
        assert!(!scores.contains_key("meanings"), "{scores:?}");
    }

    #[test]
    fn texts_that_do_not_pair_up_are_refused_by_number() {
        let arguments = json!({ "metrics": ["fkgl"], "sources": ["a", "b"], "outputs": ["a"] });
        let (kind, message) = error("score", &arguments);
        assert_eq!(kind, "bad-arguments");
        assert!(message.contains("2 sources and 1 outputs"), "{message}");
        let (kind, _) = error("align", &arguments);
        assert_eq!(kind, "bad-arguments");
        let (kind, message) = error("rerank", &json!({ "sources": ["a"], "candidates": [[]] }));
        assert_eq!(kind, "bad-arguments");
        assert!(message.contains("source 0"), "{message}");
    }

    #[test]
    fn what_a_metric_lacks_is_said() {
        let pair = json!({ "metrics": ["sari"], "sources": ["a"], "outputs": ["a"] });
        let (kind, message) = error("score", &pair);
        assert_eq!(kind, "bad-arguments");
        assert!(message.contains("sari needs references"), "{message}");
        let pair = json!({ "metrics": ["learned-ref"], "sources": ["a"], "outputs": ["a"], "references": [["b"]] });
        let (kind, message) = error("score", &pair);
        assert_eq!(kind, "unavailable");
        assert!(message.contains("rankrate train"), "{message}");
        let pair = json!({ "metrics": ["taste"], "sources": ["a"], "outputs": ["a"] });
        assert_eq!(error("score", &pair).0, "bad-arguments");
    }

    #[test]
    fn places_of_words_count_characters() {
        let arguments =
            json!({ "sources": ["Él vio öl."], "outputs": ["Él vio."], "grade": "string" });
        let answer = answer(&json!({ "id": 1, "call": "align", "arguments": arguments }));
        let pair = &answer["result"]["pairs"][0];
        assert_eq!(
            pair["source_words"],
            json!([[0, 2], [3, 6], [7, 9], [9, 10]])
        );
        assert_eq!(pair["grade"], "string");

        let deletion = &pair["edits"][0];
        assert_eq!(
            (&deletion["kind"], &deletion["source"]),
            (&json!("deletion"), &json!([[7, 9]]))
        );
    }

    #[test]
    fn categories_come_with_their_reasons() {
        let arguments = json!({ "sources": ["One two three four.", "One two."], "outputs": ["One.", "One two."] });
        let answer = answer(&json!({ "id": 1, "call": "categorise", "arguments": arguments }));
        let pairs = &answer["result"]["pairs"];
        assert_eq!(pairs[0]["category"], "deletion");
        assert_eq!(pairs[1]["category"], "paraphrase");
        let wrong = json!({ "sources": ["a"], "outputs": ["a"], "rule": "guess" });
        assert_eq!(error("categorise", &wrong).0, "bad-arguments");
    }
}
