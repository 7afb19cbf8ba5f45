//! A study with something of every kind, for tests that need real objects.

use std::collections::{BTreeMap, BTreeSet};

use domain::{
    category::Category,
    ids::{
        AnnotationId, AssignmentId, FinalValueId, JobId, MetricId, ModelId, OutputId, PersonId,
        RaterId, StudyId, UploadId, WebhookId,
    },
    metrics::ScoreDirection,
    score::RatingScale,
    study::{Role, SourcePurpose, SystemKind},
    work::{
        activity::ActivityReport,
        change::{AnnotationAnswer, AnnotationChange, AnnotationSlot},
    },
};
use serde_json::json;
use service::{
    accounts::SecretToken,
    import::{ImportChoices, ImportJob, ImportKind, ImportOptions, ReadOptions},
    webhooks::new_secret,
};
use store::{
    InvitationTarget, JobKind, NewAssignment, NewInvitation, NewJob, NewUpload,
    annotator_answers::HandInOutcome,
    assignments::NextAssignment,
    final_values::NewFinalValue,
    import::{AutomaticAnswers, NewOutput},
    metrics::{MetricOrigin, NewMetric, NewModel},
    webhooks::{NewWebhook, NoticeKind},
};

use super::testing::TestSite;
use crate::clock;

/// The number of its sources; each annotator is given one.
const SOURCES: usize = 8;

/// The material of the reading study, each of whose texts ends in `ending`.
fn reading_material(ending: &str) -> String {
    let row = [
        "p1",
        "Original",
        "The ferry stopped at noon.",
        "q1",
        "When did it stop?",
        "at noon",
        "at night",
        "at ten",
        "never",
    ];

    let quoted = row.map(|cell| format!("\"{}\"", format!("{cell}{ending}").replace('"', "\"\"")));
    let head = "passage,condition,text,question,question_text,a,b,c,d";
    format!("{head}\n{}\n", quoted.join(","))
}

/// A site with the study `a-study`.
pub(super) struct StudyFixture {
    pub(super) site: TestSite,
    pub(super) study: StudyId,
    pub(super) lead: PersonId,
    /// The values that replace `{name}` in forms and addresses.
    pub(super) names: BTreeMap<&'static str, String>,
    /// The ending of all texts and names of the study.
    ending: String,
}

impl StudyFixture {
    pub(super) async fn new() -> Self {
        Self::with_ending("").await
    }

    /// A study whose texts and names all end in `ending`.
    pub(super) async fn with_ending(ending: &str) -> Self {
        let site = TestSite::new().await;
        let study = site.study("a-study").await;
        let lead = site.member(study, "a lead", Role::Lead).await;

        let mut furnished = Self {
            site,
            study,
            lead,
            names: BTreeMap::new(),
            ending: ending.to_owned(),
        };

        furnished.fill().await;
        furnished
    }

    /// An annotator who has handed a source in, and its assignment.
    pub(super) async fn annotator(&self, name: &str) -> (PersonId, AssignmentId) {
        let person = self.site.member(self.study, name, Role::Annotator).await;
        let assignment = self.next_assignment(person).await;
        self.judge(person, assignment).await;
        (person, assignment)
    }

    /// Rates all outputs of the annotator's source, and hands it in.
    pub(super) async fn judge(&self, person: PersonId, assignment: AssignmentId) {
        let (store, now) = (self.site.store.clone(), clock::now_ms());
        let task = store.task(person, assignment).await.unwrap().unwrap();
        let changes: Vec<_> = task.items.iter().map(|item| rating(item.output)).collect();

        let spent = ActivityReport {
            tab: clock::new_id(),
            rate_ms: 1,
            ..ActivityReport::default()
        };
        let saved = store
            .save_work(person, assignment, &changes, &[spent], now)
            .await;
        assert!(saved.unwrap().is_some());

        let hand_in = tokio::spawn(async move { store.hand_in(person, assignment, now).await });
        assert_eq!(hand_in.await.unwrap().unwrap(), Some(HandInOutcome::Done));
    }

    /// The annotator's next assignment.
    pub(super) async fn next_assignment(&self, person: PersonId) -> AssignmentId {
        let new = NewAssignment {
            id: AssignmentId(clock::new_id()),
            rater: RaterId(clock::new_id()),
            seed: 1,
            now_ms: clock::now_ms(),
        };

        let next = self.site.store.next_assignment(self.study, person, new);
        match next.await.unwrap() {
            NextAssignment::Assignment(assignment) => assignment,
            other => panic!("there is something to judge, not {other:?}"),
        }
    }

    /// The text with each `{name}` replaced.
    pub(super) fn replace_names(&self, text: &str) -> String {
        let mut filled = text.to_owned();
        for (name, value) in &self.names {
            filled = filled.replace(&format!("{{{name}}}"), value);
        }

        // Braces of JSON are not followed by a lower-case letter.
        let open = filled.find('{').map(|at| &filled[at + 1..]);
        let unknown = open.filter(|rest| rest.starts_with(|c: char| c.is_ascii_lowercase()));
        assert_eq!(unknown, None, "{text} names something that is not there");
        filled
    }

    /// The study's newest event, which moves with every change in the study.
    pub(super) async fn event(&self) -> i64 {
        let newest = self.site.store.newest_event(self.study).await.unwrap();
        newest.unwrap_or_default()
    }

    async fn fill(&mut self) {
        let (store, study, now) = (self.site.store.clone(), self.study, clock::now_ms());
        let ending = self.ending.clone();

        let mut import = store.begin_import(study, now, clock::new_id).await.unwrap();
        for number in 0..SOURCES {
            let text = format!("The ferry number {number} was withdrawn.{ending}");
            let source = import.source(None, &text, SourcePurpose::Main).unwrap();
            for text in ["The ferry stopped.", "It was withdrawn."] {
                let text = &format!("{text}{ending}");
                let new = NewOutput::new(
                    source,
                    import.system(text, Some(SystemKind::Machine)).unwrap(),
                    text,
                );
                let (output, _) = import.output(&new, automatic).unwrap();
                self.names.insert("output", output.to_string());
            }
            self.names.insert("source", source.to_string());
        }
        import.commit().await.unwrap();

        let imports = store.imports(study).await.unwrap();
        self.names.insert("import", imports[0].id.to_string());
        let systems = store.systems(study).await.unwrap();
        self.names.insert("system", systems[0].id.to_string());

        let (other, assignment) = self.annotator("another annotator").await;
        let task = store.task(other, assignment).await.unwrap().unwrap();
        let decided = NewFinalValue {
            ids: [FinalValueId(clock::new_id()), FinalValueId(clock::new_id())],
            output: task.items[0].output,
            dimension: "overall",
            value: Some(60.0),
            category: None,
            reason: &format!("The cause is lost.{ending}"),
            decided_by: self.lead,
        };
        let decided = store.record_final_value(study, decided, now).await;
        assert_eq!(decided.unwrap(), Some(true));

        let job = JobId(clock::new_id());
        let queued = NewJob {
            id: job,
            study: Some(study),
            kind: JobKind::Import,
            input: &serde_json::to_value(import_job()).unwrap(),
            created_by: Some(self.lead),
        };
        store.enqueue_job(&queued, now).await.unwrap();

        let metric = NewMetric {
            id: MetricId(clock::new_id()),
            name: &format!("lens{ending}"),
            signature: "lens|imported|file:lens.csv",
            origin: MetricOrigin::Imported,
            direction: ScoreDirection::HigherIsBetter,
            uses_references: false,
            trained_on: &[],
            model: None,
        };
        store.declare_metric(study, &metric, now).await.unwrap();

        let model = NewModel {
            id: ModelId(clock::new_id()),
            name: "learned-free",
            hash: "0",
            file: b"a model",
            report: &json!({}),
            adopted: false,
        };
        store.add_model(study, &model, now).await.unwrap();

        let link = SecretToken::new(clock::random());
        let invitation = NewInvitation {
            token_hash: &link.hash(),
            target: InvitationTarget::Membership(Role::Annotator),
            label: &ending,
            created_by: Some(self.lead),
            group: None,
            expires_at: now + 60_000,
            uses: 5,
        };
        store
            .create_invitation(study, &invitation, now)
            .await
            .unwrap();

        let webhook = NewWebhook {
            id: WebhookId(clock::new_id()),
            address: "https://hooks.example.org/studies/a",
            notices: &BTreeSet::from([NoticeKind::JobEnded]),
            secret: &new_secret(clock::random()),
        };
        store.add_webhook(study, &webhook, now).await.unwrap();
        let test = store.queue_test_notice(study, webhook.id, now).await;
        assert_eq!(test.unwrap(), Some(1));

        let upload = self
            .upload(
                &format!("rows{ending}.csv"),
                "source,output\nIt rained.,Rain.\n",
            )
            .await;

        for (name, value) in [
            ("slug", "a-study".to_owned()),
            ("person", other.to_string()),
            ("assignment", assignment.to_string()),
            ("job", job.to_string()),
            ("metric", metric.id.to_string()),
            ("model", model.id.to_string()),
            ("invitation", link.hash()),
            ("token", link.secret().to_owned()),
            ("upload", upload.to_string()),
            ("webhook", webhook.id.to_string()),
            ("file", "jsonl.zip".to_owned()),
        ] {
            self.names.insert(name, value);
        }

        self.fill_reading().await;
    }

    async fn fill_reading(&mut self) {
        let (store, study) = (self.site.store.clone(), self.study);
        let cookie = self.site.sign_in(self.lead).await;
        let set_up = form(
            "slug=a-study&design[readers]=1&design[doubly]=0&design[texts]=1&design[spread]=between\
             &design[ties]=random&design[lease_hours]=1&session[unanswerable]=Unsaid.",
        );
        let answer = self.call(Some(&cookie), "set-comprehension", &set_up).await;
        assert_eq!(answer, 200);

        let material = reading_material(&self.ending);
        let reading = self.upload("texts.csv", &material).await;
        let bring_in = form(&format!("slug=a-study&upload={reading}"));
        let answer = self
            .call(Some(&cookie), "bring-in-reading", &bring_in)
            .await;
        assert_eq!(answer, 200);

        // An upload that still has to be imported.
        let reading = self.upload("more.csv", &material).await;
        let material = store.comprehension_material(study).await.unwrap();
        let passage = &material.passages[0];

        let link = SecretToken::new(clock::random());
        let invitation = NewInvitation {
            token_hash: &link.hash(),
            target: InvitationTarget::Comprehension,
            label: &self.ending,
            created_by: Some(self.lead),
            group: None,
            expires_at: clock::now_ms() + 60_000,
            uses: 5,
        };
        let creation = store.create_invitation(study, &invitation, clock::now_ms());
        creation.await.unwrap();

        let begin = format!("token={}&consent=yes", link.secret());
        let answer = self.site.call_text(None, "reading/begin", &begin).await;
        assert_eq!(answer.status, 200, "{}", answer.body);

        let cookie = answer.cookie("reader").to_owned();
        let hash = SecretToken::from_text(cookie.trim_start_matches("reader=")).hash();
        let session = store.participant_session(&hash).await.unwrap().unwrap();

        for (name, value) in [
            ("reading-upload", reading.to_string()),
            ("passage", passage.id.to_string()),
            ("question", passage.questions[0].to_string()),
            ("participant", session.participant.to_string()),
            ("reading", session.texts[0].id.to_string()),
            ("reader", cookie),
            ("reading-token", link.secret().to_owned()),
        ] {
            self.names.insert(name, value);
        }
    }

    /// Calls a server function and returns the status.
    pub(super) async fn call(
        &self,
        cookie: Option<&str>,
        endpoint: &str,
        form: &[(String, String)],
    ) -> u16 {
        let form: Vec<_> = form.iter().map(|(a, b)| (a.as_str(), b.as_str())).collect();
        self.site
            .call(cookie, endpoint, &form)
            .await
            .status
            .as_u16()
    }

    async fn upload(&self, name: &str, text: &str) -> UploadId {
        let (store, now) = (&self.site.store, clock::now_ms());
        let new = NewUpload {
            id: UploadId(clock::new_id()),
            study: self.study,
            name,
            size: i64::MAX,
            created_by: Some(self.lead),
        };

        store.create_upload(&new, now).await.unwrap();
        store
            .append_chunk(new.id, 0, text.as_bytes())
            .await
            .unwrap();
        store.seal_upload(new.id).await.unwrap();
        new.id
    }
}

/// The fields of a form, written as in an address but not escaped.
pub(super) fn form(text: &str) -> Vec<(String, String)> {
    let fields = text.split('&').filter(|field| !field.is_empty());
    let field = |field: &str| {
        let (name, value) = field.split_once('=').expect("a field has a value");
        (name.to_owned(), value.to_owned())
    };
    fields.map(field).collect()
}

fn import_job() -> ImportJob {
    ImportJob {
        files: vec![],
        names: vec![],
        raters: None,
        read_options: ReadOptions::default(),
        import_options: ImportOptions::default(),
        kind: ImportKind::Sources,
        choices: ImportChoices::default(),
    }
}

fn rating(output: OutputId) -> AnnotationChange {
    AnnotationChange {
        id: AnnotationId(clock::new_id()),
        supersedes: None,
        slot: AnnotationSlot::Rating {
            output,
            dimension: "overall".into(),
        },
        answer: AnnotationAnswer::Rating(Some(RatingScale::PERCENT.score(70).unwrap())),
    }
}

/// The automatic answers about an output.
pub(super) fn automatic() -> AutomaticAnswers {
    AutomaticAnswers {
        category: Category::Paraphrase,
        reason: "for the test".into(),
        category_version: "test 1".into(),
        edits: vec![],
        edits_version: "test 1".into(),
    }
}
