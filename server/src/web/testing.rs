//! A whole site on its own database, called without a network.

use std::{net::SocketAddr, sync::Arc};

use app::Services;
use axum::{
    Router,
    body::{Body, to_bytes},
    extract::ConnectInfo,
    http::{Request, StatusCode, header},
    response::Response,
};
use clap::Parser;
use domain::{
    ids::{PersonId, StudyId},
    metrics::{ScaleMark, ScoreScale},
    study::{Role, StudySettings},
};
use learn::aligner::Aligner;
use service::{
    accounts::SecretToken,
    comparison_plans::ComparisonPlanner,
    figures::{
        comparisons::ComparisonFigureCache, metrics::ComparedMetricsCache,
        questions::QuestionFigureCache, spans::SpanFigureCache,
    },
    import::{JobMonitor, PreviewTurns},
    live::LiveStudies,
    metrics::{OfferedMetric, OfferedMetricVersion},
    webhooks::AllowedAddresses,
    written_texts::WordRanks,
};
use store::{NewSession, NewStudy, Store, metrics::MetricOrigin};
use tempfile::TempDir;
use tokio_util::sync::CancellationToken;
use tower::ServiceExt as _;

use super::{SiteContext, connections::ConnectionLimits, study_fixture::form};
use crate::{
    calls::CallSession, clock, event_feed::EventFeed, learned_metric::testing::empty_settings,
    metrics::MetricResources, settings::WebSettings, worker,
};

/// A site with its database, which exists as long as this value.
pub(crate) struct TestSite {
    pub(crate) store: Store,
    pub(crate) services: Services,
    router: Router,
    job_monitor: JobMonitor,
    pub(crate) stop: CancellationToken,
    _folder: TempDir,
}

#[derive(Parser)]
struct TestFlags {
    #[command(flatten)]
    web: WebSettings,
}

/// A response of the site.
#[derive(Debug)]
pub(crate) struct TestResponse {
    pub(crate) status: StatusCode,
    /// The address that it redirects to, if any.
    pub(crate) location: Option<String>,
    /// The cookies that it sets, each as `name=value`.
    pub(crate) cookies: Vec<String>,
    pub(crate) body: String,
}

/// Checks of the text of a page. Their messages name the text.
pub(crate) trait TextAssertions {
    fn assert_shows(&self, texts: &[&str]);
    fn assert_lacks(&self, texts: &[&str]);
}

impl TextAssertions for str {
    #[track_caller]
    fn assert_shows(&self, texts: &[&str]) {
        for text in texts {
            assert!(self.contains(text), "{text:?} is missing: {self}");
        }
    }

    #[track_caller]
    fn assert_lacks(&self, texts: &[&str]) {
        for text in texts {
            assert!(!self.contains(text), "{text:?} must not be here: {self}");
        }
    }
}

impl TestResponse {
    /// Checks the status and that the body shows each text.
    #[track_caller]
    pub(crate) fn assert_is(&self, status: u16, texts: &[&str]) {
        let (actual, body) = (self.status.as_u16(), &self.body);
        assert_eq!(actual, status, "{texts:?} is expected: {body}");
        body.assert_shows(texts);
    }

    #[track_caller]
    pub(crate) fn assert_shows(&self, texts: &[&str]) {
        self.body.assert_shows(texts);
    }

    #[track_caller]
    pub(crate) fn assert_lacks(&self, texts: &[&str]) {
        self.body.assert_lacks(texts);
    }

    /// The cookie with this name that the answer sets, as `name=value`.
    #[track_caller]
    pub(crate) fn cookie(&self, name: &str) -> &str {
        let start = format!("{name}=");
        let cookie = self
            .cookies
            .iter()
            .find(|cookie| cookie.starts_with(&start));
        cookie.unwrap_or_else(|| panic!("{name} is not set: {self:?}"))
    }
}

/// Offered metrics: one learned metric, and two that are missing something.
fn offers() -> [OfferedMetric; 3] {
    let version = OfferedMetricVersion {
        signature: "learned-free|of the test".to_owned(),
        origin: MetricOrigin::Learned,
        direction: domain::metrics::ScoreDirection::HigherIsBetter,
        uses_references: false,
        trained_on: vec!["a fingerprint".to_owned()],
        scale: ScoreScale(vec![ScaleMark {
            score: 0.0,
            percent: 62.4,
            interval: (12.0, 95.6),
        }]),
    };

    let offer = |name, version| OfferedMetric {
        name,
        about: "for the test",
        version,
    };

    [
        offer("learned-free", Ok(version)),
        offer("similarity", Err("no encoder is named".to_owned())),
        offer(
            "learned-ref",
            Err("none is shipped: train one with `rankrate train FILE`".to_owned()),
        ),
    ]
}

impl TestSite {
    pub(crate) async fn new() -> Self {
        Self::with_flags(&[]).await
    }

    /// A site that was started with these flags of `rankrate serve`.
    pub(crate) async fn with_flags(flags: &[&str]) -> Self {
        let web = TestFlags::parse_from([&["test"], flags].concat()).web;
        let folder = tempfile::tempdir().unwrap();
        let url = store::sqlite_url(&folder.path().join("site.sqlite"));
        let store = Store::open(&url).await.unwrap();

        let job_monitor = JobMonitor::default();
        let services = Services {
            store: store.clone(),
            context: clock::CONTEXT,
            session_ms: 60_000,
            public_url: web.public_address(),
            secure_cookies: web.is_https(),
            job_monitor: job_monitor.clone(),
            previews: PreviewTurns::default(),
            live: LiveStudies::new(clock::now_ms),
            comparisons: ComparisonFigureCache::default(),
            comparison_planner: ComparisonPlanner::default(),
            compared_metrics: ComparedMetricsCache::default(),
            spans: SpanFigureCache::default(),
            questions: QuestionFigureCache::default(),
            aligner: "Words are aligned by their letters and places.".into(),
            offered_metrics: offers().into(),
            api: Arc::default(),
            word_ranks: WordRanks::default(),
            webhooks: AllowedAddresses::new(vec![
                "https://hooks.example.org/studies/".parse().unwrap(),
            ]),
        };

        let feed = EventFeed::default();
        let stop = CancellationToken::new();
        tokio::spawn(feed.clone().poll_counters(store.clone(), stop.clone()));

        let context = SiteContext {
            services: services.clone(),
            aligner: Arc::new(Aligner::strings()),
            session: CallSession::new(&empty_settings()),
            feed,
            stop: stop.clone(),
            limits: ConnectionLimits::new(100, None),
        };

        let router = super::site(&web, 0, context);
        Self {
            store,
            services,
            router,
            job_monitor,
            stop,
            _folder: folder,
        }
    }

    pub(crate) async fn person(&self, name: &str, is_admin: bool) -> PersonId {
        let id = PersonId(clock::new_id());
        self.store
            .create_person(id, name, None, is_admin, clock::now_ms())
            .await
            .unwrap()
            .id
    }

    pub(crate) async fn study(&self, slug: &str) -> StudyId {
        let id = StudyId(clock::new_id());
        let new = NewStudy {
            id,
            slug: &slug.parse().unwrap(),
            name: slug,
            settings: &StudySettings::default(),
            guidelines: "",
            lead: None,
        };

        self.store
            .create_study(&new, clock::now_ms())
            .await
            .unwrap();
        id
    }

    pub(crate) async fn member(&self, study: StudyId, name: &str, role: Role) -> PersonId {
        let person = self.person(name, false).await;
        self.store
            .add_member(study, person, role, clock::now_ms())
            .await
            .unwrap();
        person
    }

    /// Adds a member and returns the cookie of their session.
    pub(crate) async fn sign_in_member(&self, study: StudyId, name: &str, role: Role) -> String {
        let person = self.member(study, name, role).await;
        self.sign_in(person).await
    }

    /// Begins a session and returns its cookie.
    pub(crate) async fn sign_in(&self, person: PersonId) -> String {
        self.sign_in_since(person, clock::now_ms()).await
    }

    /// Like [`Self::sign_in`], for a session that began, with its password typed, at `began_at`.
    pub(crate) async fn sign_in_since(&self, person: PersonId, began_at: i64) -> String {
        let token = SecretToken::new(clock::random());
        let until = clock::now_ms() + 60_000;
        let account = self.store.person(person).await.unwrap().unwrap();
        let account = self.store.person_named(&account.name).await.unwrap();
        let (_, password_hash) = account.unwrap();

        let new = NewSession {
            token_hash: &token.hash(),
            person,
            password_hash: password_hash.as_deref(),
            user_agent: "Firefox/140.0",
            now_ms: began_at,
            expires_ms: until,
        };

        assert!(self.store.create_session(&new).await.unwrap());
        format!("session={}", token.secret())
    }

    /// Calls a server function as the workspace does.
    pub(crate) async fn call(
        &self,
        cookie: Option<&str>,
        endpoint: &str,
        form: &[(&str, &str)],
    ) -> TestResponse {
        self.answer(form_request(cookie, endpoint, form)).await
    }

    /// Calls a server function from this network address.
    pub(crate) async fn call_from(
        &self,
        address: &str,
        cookie: Option<&str>,
        endpoint: &str,
        form: &[(&str, &str)],
    ) -> TestResponse {
        let mut request = form_request(cookie, endpoint, form);
        let peer = SocketAddr::new(address.parse().unwrap(), 4_000);
        request.extensions_mut().insert(ConnectInfo(peer));
        self.answer(request).await
    }

    /// Calls a server function that takes JSON.
    pub(crate) async fn call_json(
        &self,
        cookie: Option<&str>,
        endpoint: &str,
        body: impl Into<Body>,
    ) -> TestResponse {
        let mut request = Request::post(format!("/api/{endpoint}"))
            .header(header::ACCEPT, "application/json")
            .header(header::CONTENT_TYPE, "application/json");
        if let Some(cookie) = cookie {
            request = request.header(header::COOKIE, cookie);
        }

        self.answer(request.body(body.into()).unwrap()).await
    }

    /// Calls a server function with a body as tables of cases write it: JSON, or fields that [`form`] reads.
    pub(crate) async fn call_text(
        &self,
        cookie: Option<&str>,
        endpoint: &str,
        body: &str,
    ) -> TestResponse {
        if body.starts_with('{') {
            return self.call_json(cookie, endpoint, body.to_owned()).await;
        }

        let fields = form(body);
        let fields: Vec<_> = fields
            .iter()
            .map(|(name, value)| (name.as_str(), value.as_str()))
            .collect();
        self.call(cookie, endpoint, &fields).await
    }

    /// Sends a form with files.
    pub(crate) async fn upload(
        &self,
        cookie: Option<&str>,
        fields: &[(&str, &str)],
        files: &[(&str, &[u8])],
    ) -> TestResponse {
        self.upload_to("upload", cookie, fields, files).await
    }

    /// Sends a form with files to another endpoint.
    pub(crate) async fn upload_to(
        &self,
        endpoint: &str,
        cookie: Option<&str>,
        fields: &[(&str, &str)],
        files: &[(&str, &[u8])],
    ) -> TestResponse {
        let (content_type, body) = multipart_body(fields, files);
        let mut request = Request::post(format!("/api/{endpoint}"))
            .header(header::ACCEPT, "application/json")
            .header(header::CONTENT_LENGTH, body.len())
            .header(header::CONTENT_TYPE, content_type);
        if let Some(cookie) = cookie {
            request = request.header(header::COOKIE, cookie);
        }

        self.answer(request.body(Body::from(body)).unwrap()).await
    }

    /// Opens a page.
    pub(crate) async fn open(&self, cookie: Option<&str>, path: &str) -> TestResponse {
        let mut request = Request::get(path).header(header::ACCEPT, "text/html");
        if let Some(cookie) = cookie {
            request = request.header(header::COOKIE, cookie);
        }
        self.answer(request.body(Body::empty()).unwrap()).await
    }

    /// Runs the background worker until the site stops.
    pub(crate) fn start_worker(&self) {
        let resources = Arc::new(MetricResources::new(&empty_settings()));
        tokio::spawn(worker::work(
            self.store.clone(),
            (Arc::new(Aligner::strings()), resources),
            self.job_monitor.clone(),
            0,
            self.stop.clone(),
        ));
    }

    /// Sends any request.
    pub(crate) async fn send(&self, request: Request<Body>) -> Response {
        self.router.clone().oneshot(request).await.unwrap()
    }

    /// Sends a request and reads the response.
    pub(crate) async fn answer(&self, request: Request<Body>) -> TestResponse {
        let (parts, body) = self.send(request).await.into_parts();
        let text = |name| {
            let values = parts.headers.get_all(name).iter();
            values
                .map(|value| value.to_str().unwrap().to_owned())
                .collect::<Vec<_>>()
        };

        let cookies = text(header::SET_COOKIE);
        let body = to_bytes(body, usize::MAX).await.unwrap();
        TestResponse {
            status: parts.status,
            location: text(header::LOCATION).pop(),
            cookies: cookies
                .iter()
                .filter_map(|cookie| cookie.split(';').next().map(str::to_owned))
                .collect(),
            body: String::from_utf8_lossy(&body).into_owned(),
        }
    }
}

/// A request for a server function, as the workspace sends it.
fn form_request(cookie: Option<&str>, endpoint: &str, form: &[(&str, &str)]) -> Request<Body> {
    let fields = urlencoded_body(form);
    let mut request = Request::post(format!("/api/{endpoint}"))
        .header(header::ACCEPT, "application/json")
        .header(header::CONTENT_TYPE, "application/x-www-form-urlencoded");
    if let Some(cookie) = cookie {
        request = request.header(header::COOKIE, cookie);
    }
    request.body(Body::from(fields)).unwrap()
}

/// The fields of a form, encoded as browsers do.
pub(crate) fn urlencoded_body(fields: &[(&str, &str)]) -> String {
    url::form_urlencoded::Serializer::new(String::new())
        .extend_pairs(fields)
        .finish()
}

/// The content type and the body of a form with files.
pub(crate) fn multipart_body(
    fields: &[(&str, &str)],
    files: &[(&str, &[u8])],
) -> (String, Vec<u8>) {
    const BETWEEN: &str = "----between";
    let mut body = Vec::new();
    let mut part = |head: String, content: &[u8]| {
        body.extend(
            format!("--{BETWEEN}\r\ncontent-disposition: form-data; {head}\r\n\r\n").bytes(),
        );
        body.extend(content);
        body.extend(b"\r\n");
    };

    for (name, value) in fields {
        part(format!("name=\"{name}\""), value.as_bytes());
    }
    for (name, content) in files {
        part(format!("name=\"files\"; filename=\"{name}\""), content);
    }

    body.extend(format!("--{BETWEEN}--\r\n").bytes());
    (format!("multipart/form-data; boundary={BETWEEN}"), body)
}
