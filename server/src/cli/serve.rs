use std::{io::Write as _, path::PathBuf, sync::Arc, time::Duration};

use anyhow::Context as _;
use app::{Services, known_devices};
use domain::text::align::AlignerGrade;
use learn::aligner::Aligner;
use service::{
    accounts::{SecretToken, attempts},
    comparison_plans::ComparisonPlanner,
    figures::{
        comparisons::ComparisonFigureCache, metrics::ComparedMetricsCache,
        questions::QuestionFigureCache, spans::SpanFigureCache,
    },
    import::{JobMonitor, PreviewTurns},
    live::LiveStudies,
    source_order::SourcePlanner,
    webhooks::AllowedAddresses,
};
use store::{Store, join_rate};
use tokio::net::TcpListener;
use tokio_util::sync::CancellationToken;

use super::server_models::ServerModels;
use crate::{
    aligner::MissingAligner,
    calls::CallSession,
    clock, database,
    event_feed::EventFeed,
    settings::{AccountSettings, DataSettings, EncoderSettings, WebSettings, WebhookSettings},
    shutdown::Shutdown,
    web::{
        self, SiteContext,
        connections::{self, ConnectionLimits, ConnectionTimeouts, raise_file_limit},
    },
    webhooks::{WebhookClient, WebhookWorker},
    worker::{self, TrainerSettings},
};

/// Serves the platform on the web.
#[derive(Debug, clap::Args)]
pub(crate) struct ServeArgs {
    // First, since arguments take over the help heading of the settings above them.
    /// Load the demonstration study first, unless it exists, and print how to sign in.
    #[arg(long)]
    demo: bool,
    #[command(flatten)]
    web: WebSettings,
    #[command(flatten)]
    accounts: AccountSettings,
    #[command(flatten)]
    webhooks: WebhookSettings,
    /// The network that aligns words, as `rankrate align train` writes it; by default the one that
    /// is shipped.
    #[arg(
        long,
        env = "RANKRATE_ALIGNER",
        value_name = "FILE",
        help_heading = "Encoder"
    )]
    aligner: Option<PathBuf>,
}

impl ServeArgs {
    pub(crate) fn run(self, data: &DataSettings, encoder: &EncoderSettings) -> anyhow::Result<()> {
        super::block_on(serve(self, data, encoder))
    }
}

async fn serve(
    serve: ServeArgs,
    data: &DataSettings,
    encoder: &EncoderSettings,
) -> anyhow::Result<()> {
    let ServeArgs {
        web: settings,
        accounts,
        webhooks,
        demo,
        aligner: network,
    } = serve;

    settings.check_protection()?;
    let reserved = database::lock_database(data)?;
    let store = database::open(data).await?;
    let started_ms = clock::now_ms();
    if reserved.is_some() {
        worker::release_jobs_of_dead_server(&store).await;
    }

    let network = network.as_deref().map(super::align::read_network);
    let models = ServerModels::open(network.transpose()?, encoder);
    let without_encoder = models.lack_encoder();
    let ServerModels {
        aligner,
        missing,
        resources,
        call_resources,
    } = models;
    let resources = Arc::new(resources);
    if let Some(missing) = &missing {
        tracing::warn!("words are aligned without the encoder: {missing}");
    }
    let aligner_description = describe_aligner(&aligner, missing.as_ref());

    let (aligner, job_monitor) = (Arc::new(aligner), JobMonitor::default());
    let live = LiveStudies::new(clock::now_ms);
    let services = Services {
        store: store.clone(),
        context: clock::CONTEXT,

        session_ms: accounts.session_ms(),
        public_url: settings.public_address(),
        secure_cookies: settings.is_https(),
        job_monitor: job_monitor.clone(),
        previews: PreviewTurns::default(),
        live: live.clone(),
        comparisons: ComparisonFigureCache::default(),
        comparison_planner: ComparisonPlanner::default(),
        compared_metrics: ComparedMetricsCache::default(),
        spans: SpanFigureCache::default(),
        questions: QuestionFigureCache::default(),
        aligner: aligner_description,
        offered_metrics: resources.offers().into(),
        api: Arc::default(),
        word_ranks: resources.clone().word_ranks(),
        webhooks: webhooks.allowed(),
    };

    let (feed, shutdown) = (EventFeed::default(), Shutdown::listen());
    let limits = ConnectionLimits::new(
        raise_file_limit(settings.max_connections()),
        (accounts.proxies == 0).then_some(settings.max_connections_per_address()),
    );
    let site_context = SiteContext {
        services,
        aligner: aligner.clone(),
        session: CallSession::with_resources(encoder, call_resources),
        feed: feed.clone(),
        stop: shutdown.soft.clone(),
        limits: limits.clone(),
    };
    let site = web::site(&settings, accounts.proxies, site_context);

    let listener = TcpListener::bind(settings.listen)
        .await
        .with_context(|| format!("{} cannot be listened on", settings.listen))?;
    let address = match &settings.public_url {
        Some(url) => url.to_string(),
        None => format!("http://{}{}/", listener.local_addr()?, settings.base_path()),
    };
    writeln!(std::io::stdout(), "Rank & Rate is at {address}")?;
    if demo {
        writeln!(
            std::io::stdout(),
            "{}",
            super::demo::load(&store, true).await?
        )?;
    }
    print_first_admin_link(&store, &address).await?;

    tokio::spawn(feed.poll_counters(store.clone(), shutdown.soft.clone()));
    tokio::spawn(delete_expired(store.clone(), shutdown.soft.clone()));
    let planner = SourcePlanner::new(store.clone(), live, clock::now_ms);
    tokio::spawn(choose_sources(planner, shutdown.soft.clone()));
    let erasing = tokio::spawn(worker::erase(store.clone(), shutdown.soft.clone()));
    let sending = tokio::spawn(send_notices(
        store.clone(),
        webhooks.allowed(),
        shutdown.soft.clone(),
    ));

    let work = worker::work(
        store.clone(),
        (aligner.clone(), resources),
        job_monitor,
        started_ms,
        shutdown.soft.clone(),
    );
    let work = tokio::spawn(work);

    let trainer = TrainerSettings {
        program: std::env::current_exe().context("the program does not find itself")?,
        arguments: encoder.arguments(),
        folder: data.data.join("training"),
        lock: data.data.join("training.lock"),
        without_encoder,
    };
    let training = worker::train(store.clone(), trainer, aligner, shutdown.soft.clone());
    let training = tokio::spawn(training);

    let stop = shutdown.soft.clone();
    let served = connections::serve(listener, site, limits, ConnectionTimeouts::default(), stop);
    tokio::select! {
        () = served => {}
        () = shutdown.hard.cancelled() => {}
    }

    // Workers release their jobs, which takes no longer than their current rows or tree.
    shutdown.soft.cancel();
    tokio::select! {
        _ = async { tokio::join!(work, training, erasing, sending) } => {}
        () = shutdown.hard.cancelled() => {}
    }
    store.close().await;
    Ok(())
}

/// Chooses the next sources of studies that ask for it, until `stop`.
async fn choose_sources(mut planner: SourcePlanner, stop: CancellationToken) {
    const INTERVAL: Duration = Duration::from_secs(5);
    let mut turns = tokio::time::interval(INTERVAL);
    turns.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
    while stop.run_until_cancelled(turns.tick()).await.is_some() {
        let planned = stop.run_until_cancelled(planner.plan_due_studies()).await;
        if let Some(Err(error)) = planned {
            tracing::warn!(%error, "the next sources were not chosen");
        }
    }
}

/// Sends the notices of studies until `stop`, if the settings allow any address.
async fn send_notices(store: Store, allowed: AllowedAddresses, stop: CancellationToken) {
    if !allowed.is_empty() {
        WebhookWorker::new(store, allowed, WebhookClient::new())
            .work(stop)
            .await;
    }
}

/// A sentence for administrators on the aligner in use, with the reason if it is not of the best grade.
fn describe_aligner(aligner: &Aligner, missing: Option<&MissingAligner>) -> Arc<str> {
    let method = match aligner.grade() {
        AlignerGrade::String => "Words are aligned by their letters and places",
        AlignerGrade::Grid => "Words are aligned by a network over letters and places",
        AlignerGrade::Encoder => "Words are aligned by a network over word vectors",
    };
    let version = aligner.version();
    match missing {
        None => format!("{method} (version {version})."),
        Some(why) => format!("{method} (version {version}), without an encoder: {why}."),
    }
    .into()
}

/// The lifetime of the link for the first administrator, in milliseconds.
const DAY_MS: i64 = 24 * 60 * 60 * 1000;

/// The lifetime of an upload that is not imported, in milliseconds.
const UPLOAD_LIFETIME_MS: i64 = 2 * DAY_MS;

/// The lifetime of entries of the log of changes, in milliseconds: two years.
const AUDIT_LIFETIME_MS: i64 = 2 * 365 * DAY_MS;

/// Prints a link that creates an administrator, unless there is one.
async fn print_first_admin_link(store: &Store, address: &str) -> anyhow::Result<()> {
    let (token, now) = (SecretToken::new(clock::random()), clock::now_ms());
    if store
        .create_first_admin_link(&token.hash(), now, now + DAY_MS)
        .await?
    {
        let address = address.trim_end_matches('/');
        writeln!(
            std::io::stdout(),
            "Nobody administers it yet. Open this link within a day, once, to become its \
             administrator:\n{address}/welcome/{}",
            token.secret(),
        )?;
    }
    Ok(())
}

/// Deletes at once and then every hour: expired sessions and API tokens, failed sign-in attempts, old counts of joins,
/// devices that were not used for a year, uploads that were never imported, old deliveries of webhooks, and old entries
/// of the log of changes.
async fn delete_expired(store: Store, stop: CancellationToken) {
    const HOUR: Duration = Duration::from_secs(60 * 60);
    let mut hours = tokio::time::interval(HOUR);
    while stop.run_until_cancelled(hours.tick()).await.is_some() {
        let now = clock::now_ms();
        if let Err(error) = store.sweep_sessions(now, now - attempts::WINDOW_MS).await {
            tracing::warn!(%error, "sessions that are over were not deleted");
        }
        if let Err(error) = store.sweep_api_tokens(now).await {
            tracing::warn!(%error, "API tokens that are over were not deleted");
        }

        let unused_since = now - known_devices::LIFETIME_MS;
        if let Err(error) = store.sweep_known_devices(unused_since).await {
            tracing::warn!(%error, "devices that were not used for a year were not forgotten");
        }

        let counted_since = now - join_rate::LONGEST_WINDOW_MS;
        if let Err(error) = store.sweep_recent_joins(counted_since).await {
            tracing::warn!(%error, "old counts of joins were not deleted");
        }

        if let Err(error) = store.sweep_uploads(now - UPLOAD_LIFETIME_MS).await {
            tracing::warn!(%error, "old files were not deleted");
        }
        if let Err(error) = store.sweep_deliveries(now).await {
            tracing::warn!(%error, "old deliveries of webhooks were not deleted");
        }
        if let Err(error) = store.sweep_audit(now - AUDIT_LIFETIME_MS).await {
            tracing::warn!(%error, "old entries of the log of changes were not deleted");
        }
    }
}
