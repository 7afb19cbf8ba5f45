//! Servers of other platforms: a plan says which requests each annotator's page sends to save a rating.

use std::{collections::BTreeMap, net::SocketAddr};

use domain::random::SeededRandom;
use serde::Deserialize;

use super::annotator::{SaveRequest, SaveSource, SavedValue};

/// The placeholder for the value of the rating.
const PLACEHOLDER: &str = "{value}";

/// A running server, and what its annotators send to it.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PeerPlan {
    /// Where it listens.
    pub(super) address: SocketAddr,
    /// Its process. Those that it started count as well.
    pub(super) process: u32,
    pub(super) annotators: Vec<PeerAnnotator>,
}

/// An annotator who is signed in.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct PeerAnnotator {
    /// Headers of every request, such as the cookie.
    headers: BTreeMap<String, String>,
    /// Sent one after the other, over and over.
    requests: Vec<PeerRequest>,
}

/// A request that saves one rating, which replaces `{value}`.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
struct PeerRequest {
    method: String,
    path: String,
    body: String,
    /// A text that the answer contains when the rating was stored.
    expect: String,
}

/// The page that one annotator of a peer has open.
pub(super) struct PeerPage {
    pub(super) annotator: PeerAnnotator,
    pub(super) address: SocketAddr,
    pub(super) random: SeededRandom,
}

impl PeerPlan {
    /// Reads a plan, which is JSON.
    ///
    /// # Errors
    /// Where it is not a plan, or cannot be sent.
    pub fn parse(text: &str) -> Result<Self, String> {
        let plan: Self = serde_json::from_str(text).map_err(|error| error.to_string())?;

        if plan.annotators.iter().any(|one| one.requests.is_empty()) {
            return Err("an annotator has no request".to_owned());
        }

        match plan.broken_line() {
            Some(line) => Err(format!("{line:?} is more than a line")),
            None => Ok(plan),
        }
    }

    /// A part of a request's head that contains a line break.
    fn broken_line(&self) -> Option<String> {
        let headers = self.annotators.iter().flat_map(|one| &one.headers);
        let requests = self.annotators.iter().flat_map(|one| &one.requests);
        let mut lines = headers
            .flat_map(|(name, value)| [name, value])
            .chain(requests.flat_map(|request| [&request.method, &request.path]));
        lines.find(|line| line.contains(['\r', '\n'])).cloned()
    }
}

impl SaveSource for PeerPage {
    fn next_save(&mut self, number: usize) -> SaveRequest {
        let at = number % self.annotator.requests.len();
        let request = &self.annotator.requests[at];
        let value = i32::try_from(self.random.below(101)).expect("at most 100");
        let fill = |text: &str| text.replace(PLACEHOLDER, &value.to_string());

        let body = fill(&request.body);
        let headers: String = self
            .annotator
            .headers
            .iter()
            .map(|(name, value)| format!("{name}: {value}\r\n"))
            .collect();

        let text = format!(
            "{} {} HTTP/1.1\r\nhost: {}\r\n{headers}content-length: {}\r\n\r\n{body}",
            request.method,
            request.path,
            self.address,
            body.len(),
        );

        SaveRequest {
            text,
            expect: fill(&request.expect),
            saves: SavedValue { request: at, value },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PLAN: &str = r#"{"address": "127.0.0.1:8080", "process": 7, "annotators": [{
        "headers": {"cookie": "session=1", "content-type": "application/json"},
        "requests": [
            {"method": "POST", "path": "/save?item=1", "body": "{\"overall\": {value}}",
             "expect": "\"stored\":{value}"},
            {"method": "PATCH", "path": "/save?item=2", "body": "[{value}]", "expect": ""}
        ]}]}"#;

    #[test]
    fn each_request_carries_a_value_and_its_length() {
        let plan = PeerPlan::parse(PLAN).unwrap();
        let mut page = PeerPage {
            annotator: plan.annotators[0].clone(),
            address: plan.address,
            random: SeededRandom::new(1),
        };

        let first = page.next_save(0);
        let value = first.saves.value;
        let body = format!("{{\"overall\": {value}}}");
        assert_eq!(
            first.text,
            format!(
                "POST /save?item=1 HTTP/1.1\r\nhost: 127.0.0.1:8080\r\ncontent-type: application/json\r\n\
                 cookie: session=1\r\ncontent-length: {}\r\n\r\n{body}",
                body.len()
            )
        );
        assert_eq!(first.expect, format!("\"stored\":{value}"));

        for (number, method, request) in [(1, "PATCH", 1), (2, "POST", 0), (5, "PATCH", 1)] {
            let next = page.next_save(number);
            assert!(next.text.starts_with(method), "{}", next.text);
            assert_eq!(next.saves.request, request);
        }
    }

    #[test]
    fn a_plan_that_cannot_be_sent_is_refused() {
        for (text, part) in [
            ("{}".to_owned(), "missing field"),
            (PLAN.replace("session=1", "a\\r\\nb: c"), "more than a line"),
            (PLAN.replace("PATCH", "PATCH\\n"), "more than a line"),
            (
                PLAN.replace("127.0.0.1:8080", "localhost"),
                "socket address",
            ),
            (PLAN.replace("process", "proces"), "unknown field"),
        ] {
            let reason = PeerPlan::parse(&text).unwrap_err();
            assert!(reason.contains(part), "{reason}");
        }

        let idle = r#"{"address": "127.0.0.1:1", "process": 1, "annotators": [{"headers": {}, "requests": []}]}"#;
        assert!(PeerPlan::parse(idle).is_err());
    }
}
