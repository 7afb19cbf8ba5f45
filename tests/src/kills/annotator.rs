//! A simulated annotator: signs in, judges sources, and sends again what no server has acknowledged.

use std::{
    convert::Infallible,
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicUsize, Ordering},
    },
    time::Duration,
};

use domain::{
    ids::AssignmentId,
    random::SeededRandom,
    study::AssignmentState,
    work::{
        activity::ActivityReport,
        change::{AnnotationChange, SaveOutcome},
        task::AnnotationTask,
    },
};
use serde_json::{Value, json};
use tokio::{
    task::JoinSet,
    time::{Instant, sleep},
};

use super::{
    history::{SentChange, SentDecision, SentHistory, SentTimes},
    open_source::OpenSource,
    setup::{AnnotatorAccount, PASSWORD, STUDY},
};
use crate::servers::{
    http::{self, HttpAnswer, HttpRequest},
    process::ServerAddresses,
};

/// How long an annotator waits for any answer; a restart takes a few seconds.
const PATIENCE: Duration = Duration::from_secs(150);

/// Shared by the annotators of a test.
#[derive(Debug, Clone, Default)]
pub(super) struct SharedProgress {
    /// Set when the test ends: an annotator then stops at the first request that fails.
    pub(super) stop: Arc<AtomicBool>,
    /// The number of batches of changes that were acknowledged.
    pub(super) saved_batches: Arc<AtomicUsize>,
}

/// A simulated annotator.
pub(super) struct SimulatedAnnotator {
    account: AnnotatorAccount,
    addresses: ServerAddresses,
    progress: SharedProgress,
    random: SeededRandom,
    cookie: String,
    handed_in: Vec<AssignmentId>,
    history: SentHistory,
}

/// The end of an annotator's work.
enum WorkInterruption {
    /// The test ended.
    Stopped,
    /// The annotator could not work.
    Failed(String),
}

impl SimulatedAnnotator {
    pub(super) fn new(
        account: AnnotatorAccount,
        addresses: ServerAddresses,
        progress: SharedProgress,
        seed: u64,
    ) -> Self {
        Self {
            account,
            addresses,
            progress,
            random: SeededRandom::new(seed),
            cookie: String::new(),
            handed_in: Vec::new(),
            history: SentHistory::default(),
        }
    }

    /// Works until the test ends, and returns what was sent.
    ///
    /// # Errors
    /// Where no server answers for minutes, or a page shows no task.
    pub(super) async fn work(mut self) -> Result<SentHistory, String> {
        let Err(interruption) = self.work_on().await;
        match interruption {
            WorkInterruption::Stopped => Ok(self.history),
            WorkInterruption::Failed(reason) => Err(format!("{}: {reason}", self.account.name)),
        }
    }

    async fn work_on(&mut self) -> Result<Infallible, WorkInterruption> {
        self.sign_in().await?;
        loop {
            match self.open_next().await? {
                Some(assignment) => self.judge(assignment).await?,
                None => self.pause(100).await,
            }
        }
    }

    async fn sign_in(&mut self) -> Result<(), WorkInterruption> {
        let (name, password) = (&self.account.name, PASSWORD.replace(' ', "+"));
        let fields = format!("name={name}&password={password}&next=");
        let answer = self.call(&HttpRequest::form("log-in", "", &fields)).await?;

        let mut cookies = answer.headers("set-cookie");
        let session = cookies.find(|cookie| cookie.starts_with("session="));
        let Some(session) = session else {
            let reason = format!("no session: {} {}", answer.status, answer.body);
            return Err(WorkInterruption::Failed(reason));
        };
        self.cookie = session.split(';').next().unwrap_or(session).to_owned();
        Ok(())
    }

    /// Opens the next source or, if there is none, reopens one that was handed in.
    async fn open_next(&mut self) -> Result<Option<AssignmentId>, WorkInterruption> {
        let request = HttpRequest::form("next-source", &self.cookie, &format!("slug={STUDY}"));
        let answer = self.call(&request).await?;
        if answer.status != 200 {
            let reason = format!("no next source: {} {}", answer.status, answer.body);
            return Err(WorkInterruption::Failed(reason));
        }

        let path = answer.headers("location").next().unwrap_or_default();
        let end = path.rsplit('/').next().unwrap_or_default();
        if let Ok(assignment) = end.parse() {
            return Ok(Some(assignment));
        }

        if self.handed_in.is_empty() {
            return Ok(None);
        }

        let at = self.random.below(self.handed_in.len());
        let assignment = self.handed_in.swap_remove(at);
        self.decide(assignment, AssignmentState::Open).await?;
        Ok(Some(assignment))
    }

    /// Gives and changes answers, then skips the source, or rates every output and hands the source in.
    async fn judge(&mut self, assignment: AssignmentId) -> Result<(), WorkInterruption> {
        let mut source = OpenSource::new(self.load_task(assignment).await?);
        for _ in 0..=self.random.below(3) {
            let changes = source.make_changes(&mut self.random);
            let times = source.report_times(&mut self.random);
            self.save(assignment, changes, times).await?;
            self.pause(30).await;
        }

        if self.random.below(20) == 0 {
            return self.decide(assignment, AssignmentState::Skipped).await;
        }

        let changes = source.rate_all(&mut self.random);
        let times = source.report_times(&mut self.random);
        self.save(assignment, changes, times).await?;
        self.decide(assignment, AssignmentState::HandedIn).await?;
        self.handed_in.push(assignment);
        Ok(())
    }

    /// The task, as the page of the source gives it to the browser.
    async fn load_task(
        &mut self,
        assignment: AssignmentId,
    ) -> Result<AnnotationTask, WorkInterruption> {
        let path = format!("/s/{STUDY}/work/{assignment}");
        let request = HttpRequest::page(&path, &self.cookie);
        let mut answer = self.call(&request).await?;

        // A page may be cut off without notice.
        for _ in 0..5 {
            if let Some(task) = read_task(&answer.body) {
                return Ok(task);
            }
            answer = self.call(&request).await?;
        }

        let (status, begin) = (answer.status, answer.body.chars().take(500));
        let begin = begin.collect::<String>();
        let reason = format!("{path} shows no task ({status}): {begin}");
        Err(WorkInterruption::Failed(reason))
    }

    /// Sends changes and times until a server acknowledges them; sometimes to all servers at once, sometimes twice.
    async fn save(
        &mut self,
        assignment: AssignmentId,
        changes: Vec<AnnotationChange>,
        times: ActivityReport,
    ) -> Result<(), WorkInterruption> {
        let batch = json!({
            "person": self.account.person,
            "assignment": assignment,
            "changes": &changes,
            "activity": [times],
        });
        let request = HttpRequest::json(
            "work/save-changes/v1",
            &self.cookie,
            &json!({ "batch": batch }),
        );

        let first = self.history.changes.len();
        let sent = changes.into_iter().map(|change| SentChange {
            assignment,
            change,
            acknowledged: false,
        });
        self.history.changes.extend(sent);
        self.history.times.push(SentTimes {
            assignment,
            report: times,
            acknowledged: false,
        });

        let mut answers = match self.random.below(4) {
            0 => self.send_to_all(&request).await,
            _ => vec![],
        };
        if answers.is_empty() {
            answers.push(self.call(&request).await?);
        }

        for answer in &answers {
            self.take_outcomes(first, answer);
        }
        self.progress.saved_batches.fetch_add(1, Ordering::Relaxed);

        if self.random.below(5) == 0 {
            let again = self.call(&request).await?;
            self.take_outcomes(first, &again);
        }
        Ok(())
    }

    /// Records which of the changes from `first` on a server has acknowledged, and that it took the newest times.
    fn take_outcomes(&mut self, first: usize, answer: &HttpAnswer) {
        let body: Option<Value> = serde_json::from_str(&answer.body).ok();
        let outcomes = body.and_then(|mut body| body.get_mut("outcomes").map(Value::take));
        let outcomes = outcomes.and_then(|outcomes| serde_json::from_value(outcomes).ok());
        let outcomes: Option<Vec<SaveOutcome>> = outcomes.filter(|_| answer.status == 200);
        let Some(outcomes) = outcomes else {
            return self.refused("changes", answer);
        };

        let changes = &mut self.history.changes[first..];
        if outcomes.len() != changes.len() {
            return self.refused("some of the changes", answer);
        }
        if let Some(times) = self.history.times.last_mut() {
            times.acknowledged = true;
        }

        for (sent, outcome) in changes.iter_mut().zip(outcomes) {
            match outcome {
                SaveOutcome::Saved { id } if id == sent.change.id => sent.acknowledged = true,
                other => {
                    let sentence = format!("the change {} came to {other:?}", sent.change.id);
                    self.history.refusals.push(sentence);
                }
            }
        }
    }

    /// Hands the source in, opens it again or skips it, until a server acknowledges that.
    async fn decide(
        &mut self,
        assignment: AssignmentId,
        state: AssignmentState,
    ) -> Result<(), WorkInterruption> {
        let endpoint = match state {
            AssignmentState::HandedIn => "work/hand-in/v1",
            AssignmentState::Skipped => "work/skip/v1",
            _ => "work/reopen/v1",
        };

        let at = self.history.decisions.len();
        self.history.decisions.push(SentDecision {
            assignment,
            state,
            acknowledged: false,
        });

        let arguments = match state {
            AssignmentState::Skipped => {
                json!({ "assignment": assignment, "reason": "It is unclear." })
            }
            _ => json!({ "assignment": assignment }),
        };
        let request = HttpRequest::json(endpoint, &self.cookie, &arguments);

        for _ in 0..=usize::from(self.random.below(5) == 0) {
            let answer = self.call(&request).await?;
            // A hand-in that lacks ratings is answered with 200 as well.
            let is_missing = answer.body.contains("Missing");
            if answer.status == 200 && !is_missing {
                self.history.decisions[at].acknowledged = true;
            } else {
                self.refused(&format!("{state} of the source {assignment}"), &answer);
            }
        }
        Ok(())
    }

    fn refused(&mut self, what: &str, answer: &HttpAnswer) {
        let HttpAnswer { status, body, .. } = answer;
        let name = &self.account.name;
        let sentence = format!("{what}: {name} was answered {status} {body}");
        self.history.refusals.push(sentence);
    }

    /// Sends a request to all running servers at the same time, and returns their final answers.
    async fn send_to_all(&self, request: &HttpRequest) -> Vec<HttpAnswer> {
        let mut sending = JoinSet::new();
        for address in self.addresses.running() {
            let request = request.clone();
            sending.spawn(async move { http::send(address, &request).await });
        }
        let answers = sending.join_all().await.into_iter().flatten();
        answers.filter(is_final).collect()
    }

    /// Sends a request again and again, to random servers among those that run, until one answers.
    async fn call(&mut self, request: &HttpRequest) -> Result<HttpAnswer, WorkInterruption> {
        let begun = Instant::now();
        loop {
            let running = self.addresses.running();
            if !running.is_empty() {
                let address = running[self.random.below(running.len())];
                let answer = http::send(address, request).await;
                if let Some(answer) = answer.ok().filter(is_final) {
                    return Ok(answer);
                }
            }

            if self.progress.stop.load(Ordering::Relaxed) {
                return Err(WorkInterruption::Stopped);
            }
            if begun.elapsed() > PATIENCE {
                return Err(WorkInterruption::Failed("no server answers".to_owned()));
            }
            sleep(Duration::from_millis(20)).await;
        }
    }

    /// Waits for up to `most` milliseconds.
    async fn pause(&mut self, most: usize) {
        let milliseconds = self.random.below(most + 1) as u64;
        sleep(Duration::from_millis(milliseconds)).await;
    }
}

/// Whether an answer is final: after a server's own fault, a browser tries again.
fn is_final(answer: &HttpAnswer) -> bool {
    answer.status < 500
}

/// The task in the page of a source: in the input of its workspace, as JSON in an attribute.
fn read_task(page: &str) -> Option<AnnotationTask> {
    let (_, input) = page.split_once(" data-work=\"")?;
    let (input, _) = input.split_once('"')?;
    let input = input
        .replace("&quot;", "\"")
        .replace("&lt;", "<")
        .replace("&gt;", ">")
        .replace("&amp;", "&");
    let mut input: Value = serde_json::from_str(&input).ok()?;
    serde_json::from_value(input.get_mut("task")?.take()).ok()
}
