//! The growth test: the processor time of each page while a study gains ratings.

mod report;
mod setup;

use std::{path::PathBuf, time::Duration};

use service::figures::RatingScope;
use tokio::time::Instant;

pub use self::report::GrowthReport;
use self::setup::PreparedStudy;
use crate::{
    TestDatabase,
    servers::{
        http::{HttpRequest, send_patiently},
        process::{ServerGroup, ServerLaunch},
        usage::{own_memory_kib, processor_time},
    },
};

/// The pages of a study that its lead opens, by their paths below the study's. Annotators' pages are measured as well.
const LEAD_PAGES: [&str; 19] = [
    "",
    "/sources",
    "/sources?page=2",
    "/training",
    "/members",
    "/assignments",
    "/log",
    "/import",
    "/ratings",
    "/agreement",
    "/quality",
    "/systems",
    "/systems/edit",
    "/protocols",
    "/metrics",
    "/consensus",
    "/reading",
    "/settings",
    "/export",
];

/// A page is requested until its requests together took this processor time: less cannot be measured.
const ENOUGH: Duration = Duration::from_millis(400);

/// The most requests for one page.
const MOST_REQUESTS: u32 = 20;

/// The cost of a page, or of an action.
#[derive(Debug, Clone)]
pub struct PageCost {
    /// Its name: its path, for a page.
    pub name: String,
    /// How long the first request took.
    pub cold: Duration,
    /// The server's processor time for the first request.
    pub cold_processor: Duration,
    /// The server's processor time for each further one, on average.
    pub warm_processor: Duration,
}

/// Makes a study with that many ratings in an empty database, reads it into memory, and measures every page of the
/// program's server. Without a program, no page is measured.
///
/// # Errors
/// Where the server does not start, or does not answer.
pub async fn run(
    database: &TestDatabase,
    program: Option<PathBuf>,
    ratings: usize,
) -> Result<GrowthReport, String> {
    let begun = Instant::now();
    let study = setup::prepare_study(database, ratings).await;
    let filled = begun.elapsed();

    let reading = setup::measure_reading(database, &study, RatingScope::HandedIn).await;
    let mut report = GrowthReport {
        ratings: study.ratings,
        filled,
        idle_kib: 0,
        memory_kib: 0,
        snapshot_bytes: reading.bytes,
        reading: reading.clock,
        reading_processor: reading.processor,
        costs: vec![],
    };

    let Some(program) = program else {
        return Ok(report);
    };

    database.store.close().await;
    let folder = tempfile::tempdir().map_err(|error| format!("no temporary folder: {error}"))?;
    let launch = ServerLaunch {
        program,
        database_url: database.url.clone(),
        folder: folder.path().to_owned(),
    };
    let mut server = ServerGroup::start(launch, 1).await?;
    report.idle_kib = memory(&server);

    let mut costs = vec![];
    costs.push(measure_next(&server, &study).await?);
    for page in LEAD_PAGES {
        let path = format!("/s/{}{page}", setup::SHORT_NAME);
        costs.push(measure_page(&server, page, &path, &study.lead).await?);
    }
    for page in ["/work", "/guidelines"] {
        let path = format!("/s/{}{page}", setup::SHORT_NAME);
        costs.push(measure_page(&server, page, &path, &study.annotator).await?);
    }

    report.memory_kib = memory(&server);
    report.costs = costs;
    server.kill(0).await?;
    Ok(report)
}

/// Opens a page once, and then often enough to measure its cost.
async fn measure_page(
    server: &ServerGroup,
    name: &str,
    path: &str,
    cookie: &str,
) -> Result<PageCost, String> {
    let request = HttpRequest::page(path, cookie);
    let name = if name.is_empty() { "overview" } else { name };
    measure(server, name, |_| request.clone(), MOST_REQUESTS).await
}

/// Gives one source each to annotators who have none.
async fn measure_next(server: &ServerGroup, study: &PreparedStudy) -> Result<PageCost, String> {
    let requests = |number: u32| {
        let cookie = &study.newcomers[number as usize];
        let slug = format!("slug={}", setup::SHORT_NAME);
        HttpRequest::form("next-source", cookie, &slug)
    };
    let most = u32::try_from(study.newcomers.len()).expect("a few") - 1;
    measure(server, "next source", requests, most).await
}

async fn measure(
    server: &ServerGroup,
    name: &str,
    request: impl Fn(u32) -> HttpRequest,
    most: u32,
) -> Result<PageCost, String> {
    let address = server.addresses.running()[0];
    let processes = server.process_ids();
    let ask = async |number: u32| -> Result<Duration, String> {
        let before = processor_time(&processes);
        let answer = send_patiently(address, &request(number)).await;
        let answer = answer.map_err(|error| format!("{name} does not come: {error}"))?;
        if answer.status >= 400 {
            return Err(format!("{name} answers {}: {}", answer.status, answer.body));
        }
        Ok(processor_time(&processes) - before)
    };

    let begun = Instant::now();
    let cold_processor = ask(0).await?;
    let cold = begun.elapsed();

    let mut together = Duration::ZERO;
    let mut asked = 0;
    while asked < most && together < ENOUGH {
        asked += 1;
        together += ask(asked).await?;
    }

    Ok(PageCost {
        name: name.to_owned(),
        cold,
        cold_processor,
        warm_processor: together / asked.max(1),
    })
}

fn memory(server: &ServerGroup) -> u64 {
    server.process_ids().into_iter().map(own_memory_kib).sum()
}
