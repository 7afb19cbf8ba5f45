//! The program `rankrate`: command line, settings, telemetry and web server.

// A page is one deeply nested type until it is rendered.
#![recursion_limit = "256"]

mod aligner;
mod audit;
mod calls;
mod candidates;
mod cli;
mod clock;
mod database;
mod demo;
mod event_feed;
mod learned_metric;
mod metrics;
mod progress;
mod reports;
mod settings;
mod shutdown;
mod telemetry;
mod tuning_args;
mod web;
mod webhooks;
mod worker;

use std::process::ExitCode;

fn main() -> ExitCode {
    cli::run()
}
