//! An annotator's workspace: ratings and active time, as the browser sends them.

use domain::{
    ids::AnnotationId,
    random::SeededRandom,
    score::RatingScale,
    study::OVERALL,
    work::{
        activity::ActivityReport,
        change::{AnnotationAnswer, AnnotationChange, AnnotationSlot},
    },
};
use serde_json::json;
use tokio::time::Instant;
use uuid::Uuid;

use super::{
    annotator::{SaveRequest, SaveSource, SavedValue},
    setup::AnnotatorDesk,
};
use crate::fresh_id;

/// Rates the outputs of one source over and over.
pub(super) struct AnnotatorWorkspace {
    desk: AnnotatorDesk,
    random: SeededRandom,
    /// The newest rating of each output.
    current: Vec<Option<AnnotationId>>,
    tab: Uuid,
    begun: Instant,
}

impl AnnotatorWorkspace {
    pub(super) fn new(desk: AnnotatorDesk, random: SeededRandom) -> Self {
        Self {
            current: vec![None; desk.outputs.len()],
            desk,
            random,
            tab: fresh_id(),
            begun: Instant::now(),
        }
    }
}

impl SaveSource for AnnotatorWorkspace {
    fn next_save(&mut self, number: usize) -> SaveRequest {
        let at = number % self.desk.outputs.len();
        let id = AnnotationId(fresh_id());
        let score = i32::try_from(self.random.below(101)).expect("at most 100");
        let change = AnnotationChange {
            id,
            supersedes: self.current[at].replace(id),
            slot: AnnotationSlot::Rating {
                output: self.desk.outputs[at],
                dimension: OVERALL.to_owned(),
            },
            answer: AnnotationAnswer::Rating(Some(RatingScale::PERCENT.clamp(score))),
        };

        let report = ActivityReport {
            tab: self.tab,
            rate_ms: u64::try_from(self.begun.elapsed().as_millis()).expect("a short time"),
            ..ActivityReport::default()
        };
        let batch = json!({
            "person": self.desk.person,
            "assignment": self.desk.assignment,
            "changes": [change],
            "activity": [report],
        });

        let body = json!({ "batch": batch }).to_string();
        let text = format!(
            "POST /api/work/save-changes/v1 HTTP/1.1\r\nhost: localhost\r\naccept: application/json\r\n\
             content-type: application/json\r\ncontent-length: {}\r\ncookie: {}\r\n\r\n{body}",
            body.len(),
            self.desk.cookie
        );

        SaveRequest {
            text,
            expect: format!(r#""saved":{{"id":"{id}""#),
            saves: SavedValue {
                request: at,
                value: score,
            },
        }
    }
}
