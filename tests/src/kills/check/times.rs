//! Active times: for each step in each tab, the largest one sent counts.

use std::collections::{BTreeMap, HashMap};

use super::{
    super::history::{SentTimes, StepKey},
    ViolationKind, ViolationList,
};

/// The largest times of a step in a tab.
#[derive(Default)]
struct LargestTime {
    sent: u64,
    acknowledged: Option<u64>,
}

/// Each stored time is at least the largest that was acknowledged, and at most the largest that was sent.
pub(super) fn check_times(
    sent: &[SentTimes],
    stored: &HashMap<StepKey, u64>,
    found: &mut ViolationList,
) {
    let mut steps: BTreeMap<StepKey, LargestTime> = BTreeMap::new();
    for times in sent {
        for (step, ms) in times.report.spent() {
            let key = (times.assignment, times.report.tab, step);
            let largest = steps.entry(key).or_default();
            largest.sent = largest.sent.max(ms);
            if times.acknowledged {
                largest.acknowledged = largest.acknowledged.max(Some(ms));
            }
        }
    }

    for ((assignment, tab, step), largest) in &steps {
        let stored = stored.get(&(*assignment, *tab, *step)).copied();
        let place = format!("{step:?} in the tab {tab} of {assignment}");
        if largest.acknowledged > stored {
            let (ms, stored) = (largest.acknowledged.unwrap_or(0), stored.unwrap_or(0));
            let sentence = format!("{ms} ms were acknowledged, and {stored} are stored ({place})");
            found.add(ViolationKind::Lost, sentence);
        }
        if let Some(stored) = stored.filter(|stored| *stored > largest.sent) {
            let sent = largest.sent;
            let sentence =
                format!("{stored} ms are stored, and at most {sent} were sent ({place})");
            found.add(ViolationKind::Wrong, sentence);
        }
    }

    let mut strange: Vec<_> = stored
        .keys()
        .filter(|key| !steps.contains_key(key))
        .collect();
    strange.sort_unstable();
    for (assignment, tab, step) in strange {
        let sentence = format!("nobody sent a time of {step:?} in the tab {tab} of {assignment}");
        found.add(ViolationKind::Duplicate, sentence);
    }
}
