//! Synthetic texts of a small vocabulary, and CPU time.

use std::fs;

use domain::random::SeededRandom;

const WORDS: &str = "the a of in and was were by for with river ferry harbour bridge storm engineers \
    rebuilt closed opened winter spring damaged workers finished repairs carried passengers cargo \
    northern bank town council decided old stone wooden narrow built destroyed flood after before \
    several many years later because although , .";

/// A text of `words` words.
pub(crate) fn text(random: &mut SeededRandom, words: usize) -> String {
    let all: Vec<&str> = WORDS.split_whitespace().collect();
    let chosen: Vec<&str> = (0..words).map(|_| all[random.below(all.len())]).collect();
    chosen.join(" ")
}

/// A source's words with some left out and some replaced.
pub(crate) fn simplified(random: &mut SeededRandom, source: &str) -> String {
    let all: Vec<&str> = WORDS.split_whitespace().collect();
    let words: Vec<&str> = source
        .split(' ')
        .filter_map(|word| match random.below(10) {
            0..2 => None,
            2 => Some(all[random.below(all.len())]),
            _ => Some(word),
        })
        .collect();
    words.join(" ")
}

/// Processor time of this process so far, in seconds; absent where the system does not tell.
pub(crate) fn processor() -> Option<f64> {
    const TICKS: f64 = 100.0;
    let stat = fs::read_to_string("/proc/self/stat").ok()?;
    let fields: Vec<&str> = stat.rsplit_once(") ")?.1.split(' ').collect();
    let ticks: f64 = fields[11].parse::<f64>().ok()? + fields[12].parse::<f64>().ok()?;
    Some(ticks / TICKS)
}
