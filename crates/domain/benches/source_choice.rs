//! How many ratings are saved by choosing the next source where it narrows the ranking of systems most, on made data and on
//! the released ratings of SimpEval.
//!
//! Sources are rated one after the other, in a random order and in the chosen one, from the same data. Printed at shares of
//! the sources, of neighbours in the ranking by all ratings: how many are in the right order, the error of their difference
//! (root mean square), and its mean error, which is 0 without bias. Where the chosen order has as many in the right order
//! as the random one with fewer sources, it saves the rest of them.

#![allow(clippy::print_stdout, reason = "a bench prints what it measured")]
#![allow(clippy::disallowed_methods, reason = "a bench reads the clock")]

use std::{collections::BTreeMap, env, time::Instant};

use domain::{
    random::SeededRandom,
    statistics::{
        mean,
        source_choice::{RankedOutput, RankedSource, choose_sources},
    },
};

/// The shares of sources, in percent, at which figures are taken.
const SHARES: [usize; 9] = [10, 20, 30, 40, 50, 60, 70, 80, 90];
/// A plan is made again after this many sources, as the server does.
const REPLAN: usize = 5;

/// A study whose ratings are all known.
struct FullyRatedStudy {
    systems: usize,
    sources: Vec<Vec<RankedOutput>>,
    /// The differences that rated sources are to show: neighbours in the ranking, with the mean over all sources.
    truth: Vec<(usize, usize, f64)>,
}

/// The figures of an order at one share of the sources, summed over repetitions.
#[derive(Clone, Copy, Default)]
struct PairFigures {
    squared: f64,
    error: f64,
    right: f64,
    count: f64,
}

fn main() {
    let runs = env::args().find_map(|arg| arg.strip_prefix("--runs=")?.parse().ok());
    let runs = runs.unwrap_or(100);
    type MakeStudy = fn(u64) -> FullyRatedStudy;
    let made: [(&str, MakeStudy); 3] = [
        ("made: 600 sources, each with 3 of 8 systems", |seed| {
            make(seed, 3, 0.0)
        }),
        ("made: 600 sources, each with all of 8 systems", |seed| {
            make(seed, 8, 0.0)
        }),
        (
            "made: 600 sources, each with all of 8 systems, and a metric with r = .7",
            |seed| make(seed, 8, 0.7),
        ),
    ];
    for (title, world) in made {
        report(title, runs, world);
    }
    for (sources, shown) in [(1_000, 8), (100_000, 4), (100_000, 8)] {
        time_choice(sources, shown);
    }
    let rated = read_simpeval_past();
    if rated.is_empty() {
        println!("simpeval_past is not there: testdata/README.md says how to get it");
        return;
    }
    for shown in [4, 8, 24] {
        let title = format!("simpeval_past: 100 sources, each with {shown} of 24 systems");
        report(&title, runs, |seed| hide(&rated, shown, seed));
    }
}

/// How long it takes to choose 200 sources once a tenth of them is rated, with a metric.
fn time_choice(sources: usize, shown: usize) {
    let world = make_sources(1, sources, shown, 0.7);
    let rate = |(at, outputs): (usize, &Vec<RankedOutput>)| match at % 10 {
        0 => RankedSource {
            outputs: outputs.clone(),
            is_given: true,
        },
        _ => hidden(outputs),
    };
    let rated: Vec<_> = world.sources.iter().enumerate().map(rate).collect();
    let start = Instant::now();
    let chosen = choose_sources(world.systems, &rated, 200).len();
    let seconds = start.elapsed().as_secs_f64();
    println!("{chosen} of {sources} sources with {shown} outputs were chosen in {seconds:.3} s");
}

/// Compares both orders.
fn report(title: &str, runs: u64, world: impl Fn(u64) -> FullyRatedStudy) {
    let mut figures = [[PairFigures::default(); SHARES.len()]; 2];
    for seed in 0..runs {
        let world = world(seed);
        for (order, figures) in figures.iter_mut().enumerate() {
            world.rate(seed, order == 1, figures);
        }
    }
    println!("\n{title}; {runs} runs");
    println!(
        "rated    in order: random  chosen   error: random  chosen   bias: random  chosen   saved"
    );
    let right = |of: &PairFigures| 100.0 * of.right / of.count;
    let error = |of: &PairFigures| (of.squared / of.count).sqrt();
    for (place, share) in SHARES.iter().enumerate() {
        let [random, chosen] = [&figures[0][place], &figures[1][place]];
        let saved = saved(&figures[1].map(|of| right(&of)), place, right(random));
        println!(
            "{share:4} % {:15.1} % {:5.1} % {:14.3} {:7.3} {:14.3} {:7.3}   {saved}",
            right(random),
            right(chosen),
            error(random),
            error(chosen),
            random.error / random.count,
            chosen.error / chosen.count,
        );
    }
}

/// The share of the ratings that the chosen order saves until as many neighbours are in the right order, by straight lines
/// between shares.
fn saved(chosen: &[f64; SHARES.len()], place: usize, right: f64) -> String {
    let reached = chosen.iter().position(|own| *own >= right);
    let Some(reached) = reached.filter(|reached| *reached > 0) else {
        return "–".to_owned();
    };
    let [before, after] = [chosen[reached - 1], chosen[reached]];
    let part = (right - before) / (after - before);
    let [from, to] = [SHARES[reached - 1], SHARES[reached]].map(|share| share as f64);
    let needed = from + part * (to - from);
    format!("{:.0} %", 100.0 * (1.0 - needed / SHARES[place] as f64))
}

impl FullyRatedStudy {
    fn new(systems: usize, sources: Vec<Vec<RankedOutput>>, quality: &[f64]) -> Self {
        let mut ranking: Vec<usize> = (0..systems).collect();
        ranking.sort_by(|a, b| quality[*b].total_cmp(&quality[*a]));
        let neighbours = ranking.windows(2).map(|pair| {
            let [a, b] = [pair[0], pair[1]];
            (a, b, quality[a] - quality[b])
        });
        Self {
            systems,
            truth: neighbours.collect(),
            sources,
        }
    }

    /// Rates source by source, and adds what is known at each share.
    fn rate(&self, seed: u64, is_chosen: bool, figures: &mut [PairFigures]) {
        let mut sources: Vec<_> = self.sources.iter().map(|of| hidden(of)).collect();
        let mut listed: Vec<usize> = (0..sources.len()).collect();
        SeededRandom::new(seed).shuffle(&mut listed);
        let mut plan = Vec::new();
        for rated in 1..=sources.len() {
            if is_chosen && plan.is_empty() {
                // The random order is that of the list.
                let shuffled: Vec<_> = listed.iter().map(|at| sources[*at].clone()).collect();
                plan = choose_sources(self.systems, &shuffled, REPLAN);
                plan.iter_mut().for_each(|at| *at = listed[*at]);
                plan.reverse();
            }
            let first = listed.iter().find(|at| !sources[**at].is_given);
            let next = plan.pop().or(first.copied()).expect("one is left");
            sources[next] = RankedSource {
                outputs: self.sources[next].clone(),
                is_given: true,
            };
            let share = SHARES
                .iter()
                .position(|share| share * sources.len() / 100 == rated);
            if let Some(place) = share {
                self.add_figures(&sources, &mut figures[place]);
            }
        }
    }

    /// Adds the figures of neighbours that share a rated source.
    fn add_figures(&self, sources: &[RankedSource], figures: &mut PairFigures) {
        for (a, b, truth) in &self.truth {
            let difference = |source: &RankedSource| {
                let rating = |system| {
                    let mut outputs = source.outputs.iter();
                    outputs.find(|output| output.system == system)?.rating
                };
                Some(rating(*a)? - rating(*b)?)
            };
            let differences: Vec<f64> = sources.iter().filter_map(difference).collect();
            if differences.is_empty() {
                continue;
            }
            let found = mean(&differences);
            figures.squared += (found - truth).powi(2);
            figures.error += found - truth;
            figures.right += f64::from(u8::from(found > 0.0));
            figures.count += 1.0;
        }
    }
}

/// The source before it is rated.
fn hidden(outputs: &[RankedOutput]) -> RankedSource {
    let hide = |output: &RankedOutput| RankedOutput {
        rating: None,
        ..*output
    };
    RankedSource {
        outputs: outputs.iter().map(hide).collect(),
        is_given: false,
    }
}

/// Eight systems, some of which are close, and a metric with that correlation within systems; 0 for none. What is to be
/// found out is the mean over all sources, also where these show outputs of only some systems.
fn make(seed: u64, shown: usize, correlation: f64) -> FullyRatedStudy {
    make_sources(seed, 600, shown, correlation)
}

/// The same of any number of sources.
fn make_sources(seed: u64, count: usize, shown: usize, correlation: f64) -> FullyRatedStudy {
    const QUALITY: [f64; 8] = [0.0, 0.1, 1.0, 1.1, 2.0, 2.1, 3.0, 4.0];
    let mut random = SeededRandom::new(1_000 + seed);
    let mut sums = [0.0; QUALITY.len()];
    let mut source = |_| {
        let of_source = normal(&mut random);
        let output = |(system, quality): (usize, &f64)| {
            let [own, other] = [normal(&mut random), normal(&mut random)];
            let score = correlation * own + (1.0 - correlation.powi(2)).sqrt() * other;
            let rating = quality + 0.7 * of_source + own;
            sums[system] += rating;
            RankedOutput {
                system,
                rating: Some(rating),
                score: (correlation > 0.0).then_some(quality + score),
            }
        };
        let mut outputs: Vec<_> = QUALITY.iter().enumerate().map(output).collect();
        random.shuffle(&mut outputs);
        outputs.truncate(shown);
        outputs.sort_by_key(|output| output.system);
        outputs
    };
    let sources: Vec<_> = (0..count).map(&mut source).collect();
    let quality = sums.map(|sum| sum / count as f64);
    FullyRatedStudy::new(QUALITY.len(), sources, &quality)
}

/// A number from about the standard normal distribution: the sum of twelve uniform ones.
fn normal(random: &mut SeededRandom) -> f64 {
    let uniform = (0..12).map(|_| random.below(1 << 24) as f64 / f64::from(1 << 24));
    uniform.sum::<f64>() - 6.0
}

/// The mean z-score of each output of SimpEval, by source and system; nothing where the file is not there.
fn read_simpeval_past() -> BTreeMap<usize, BTreeMap<String, f64>> {
    let mut sources = BTreeMap::<usize, BTreeMap<String, f64>>::new();
    let path = testdata::released_path("simpeval/simpeval_past.csv");
    let Ok(mut reader) = csv::Reader::from_path(path) else {
        return sources;
    };
    for record in reader.records() {
        let record = record.expect("a row");
        let z = (11..16).map(|column| record[column].parse().expect("a z-score"));
        let source = record[4].parse().expect("the number of a source");
        let rated = sources.entry(source).or_default();
        rated.insert(record[5].to_owned(), mean(&z.collect::<Vec<f64>>()));
    }
    sources
}

/// The released ratings, where each source has outputs of some systems only, at random.
fn hide(
    rated: &BTreeMap<usize, BTreeMap<String, f64>>,
    shown: usize,
    seed: u64,
) -> FullyRatedStudy {
    let names: Vec<_> = rated.values().flat_map(BTreeMap::keys).collect();
    let mut names: Vec<String> = names.into_iter().cloned().collect();
    names.sort_unstable();
    names.dedup();
    let quality = names.iter().map(|name| {
        let of_system = rated.values().filter_map(|outputs| outputs.get(name));
        mean(&of_system.copied().collect::<Vec<f64>>())
    });
    let quality: Vec<f64> = quality.collect();
    let mut random = SeededRandom::new(2_000 + seed);
    let source = |outputs: &BTreeMap<String, f64>| {
        let mut systems: Vec<usize> = (0..names.len()).collect();
        random.shuffle(&mut systems);
        systems.truncate(shown);
        systems.sort_unstable();
        let output = |system: usize| {
            Some(RankedOutput {
                system,
                rating: Some(*outputs.get(&names[system])?),
                score: None,
            })
        };
        systems.into_iter().filter_map(output).collect()
    };
    let sources: Vec<Vec<RankedOutput>> = rated.values().map(source).collect();
    FullyRatedStudy::new(names.len(), sources, &quality)
}
