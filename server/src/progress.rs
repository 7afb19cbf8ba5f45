//! The progress of long computations, for people and programs that wait for them.

use std::{
    cell::Cell,
    io::{self, Write as _},
};

use indicatif::{ProgressBar, ProgressStyle};
use serde::Serialize;

/// The progress of one stage of a computation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub(crate) struct StageProgress {
    /// The name of the counted steps, such as “texts encoded”.
    of: &'static str,
    done: u64,
    total: u64,
}

/// Where progress is shown.
#[derive(Clone, Copy)]
pub(crate) enum ProgressDisplay<'a> {
    /// Nowhere.
    Hidden,
    /// As a bar on standard error, if that is a terminal.
    Terminal,
    /// By calls of this function, one for each hundredth of a stage.
    Told(&'a (dyn Fn(StageProgress) + Sync)),
}

impl ProgressDisplay<'static> {
    /// As JSON on standard error, one line for each hundredth of a stage.
    pub(crate) const LINES: Self = Self::Told(&print_line);
}

impl<'a> ProgressDisplay<'a> {
    /// Begins a stage with this number of steps.
    pub(crate) fn begin(self, of: &'static str, total: usize) -> ProgressMeter<'a> {
        let total = total as u64;
        let bar = match self {
            Self::Terminal => terminal_bar(of, total),
            Self::Hidden | Self::Told(_) => ProgressBar::hidden(),
        };
        let tell = match self {
            Self::Told(tell) => Some(tell),
            Self::Hidden | Self::Terminal => None,
        };

        let meter = ProgressMeter {
            of,
            total,
            bar,
            tell,
            hundredths: Cell::new(None),
        };

        meter.tell();
        meter
    }
}

/// The progress of a running stage. Its bar disappears when it is dropped.
pub(crate) struct ProgressMeter<'a> {
    of: &'static str,
    total: u64,
    bar: ProgressBar,
    tell: Option<&'a (dyn Fn(StageProgress) + Sync)>,
    /// The last hundredth that was reported.
    hundredths: Cell<Option<u64>>,
}

impl ProgressMeter<'_> {
    /// The name of the counted steps.
    pub(crate) const fn name_steps(&self) -> &'static str {
        self.of
    }

    /// Counts more steps.
    pub(crate) fn add(&self, more: usize) {
        self.bar.inc(more as u64);
        self.tell();
    }

    /// Sets how many steps are done.
    pub(crate) fn set(&self, done: usize) {
        self.bar.set_position(done as u64);
        self.tell();
    }

    /// Sets the text next to the bar.
    pub(crate) fn describe(&self, text: String) {
        self.bar.set_message(text);
    }

    fn tell(&self) {
        let Some(tell) = self.tell else { return };
        let done = self.bar.position();
        let hundredths = Some(100 * done / self.total.max(1));
        if self.hundredths.replace(hundredths) != hundredths {
            tell(StageProgress {
                of: self.of,
                done,
                total: self.total,
            });
        }
    }
}

impl Drop for ProgressMeter<'_> {
    fn drop(&mut self) {
        self.bar.finish_and_clear();
    }
}

fn terminal_bar(of: &'static str, total: u64) -> ProgressBar {
    let style = ProgressStyle::with_template("{bar:30} {pos}/{len} {msg}, {eta} left");
    let bar = ProgressBar::new(total).with_message(of);
    match style {
        Ok(style) => bar.with_style(style),
        Err(_) => bar,
    }
}

fn print_line(progress: StageProgress) {
    let line = serde_json::json!({ "progress": progress });
    // If standard error is closed, nobody is waiting for progress.
    let _ = writeln!(io::stderr(), "{line}");
}

#[cfg(test)]
mod tests {
    use std::sync::Mutex;

    use super::*;

    #[test]
    fn a_stage_is_told_by_hundredths_from_none_to_all() {
        let told = Mutex::new(vec![]);
        let tell = |progress| told.lock().expect("one thread").push(progress);
        let meter = ProgressDisplay::Told(&tell).begin("scores", 1_000);
        for _ in 0..1_000 {
            meter.add(1);
        }
        drop(meter);

        let told = told.into_inner().expect("one thread");
        let done: Vec<u64> = told.iter().map(|progress| progress.done).collect();
        let every_tenth: Vec<u64> = (0..=100).map(|hundredth| 10 * hundredth).collect();
        assert_eq!(done, every_tenth);
        assert!(told.iter().all(|progress| progress.total == 1_000));
    }

    #[test]
    fn a_stage_without_steps_is_told_once() {
        let told = Mutex::new(vec![]);
        let tell = |progress| told.lock().expect("one thread").push(progress);
        drop(ProgressDisplay::Told(&tell).begin("scores", 0));
        assert_eq!(told.into_inner().expect("one thread").len(), 1);
    }
}
