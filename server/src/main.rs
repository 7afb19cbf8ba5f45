//! The program `rankrate`: command line, settings, telemetry and web server.

mod cli;
mod clock;
mod settings;
mod shutdown;
mod telemetry;
mod web;

use std::process::ExitCode;

fn main() -> ExitCode {
    cli::run()
}
