//! The planes of words as strings, of their places, and of what the string grade says.

use strsim::{jaro_winkler, normalized_levenshtein};

use super::{
    Grid,
    anchors::anchors,
    around,
    words::{Word, Words},
};
use crate::text::align::{Alignment, Link, similarity::similarity};

/// How far the likeness of neighbours is looked at.
const REACH: usize = 3;

pub(super) fn add(grid: &mut Grid, sources: &Words, outputs: &Words, strings: &Alignment) {
    let alike = add_likeness(grid, sources, outputs);
    add_context(grid, &alike);
    add_kinds(grid, sources, outputs);
    add_counts(grid, sources, outputs);
    add_places(grid, sources, outputs);
    add_links(grid, strings);
}

#[expect(
    clippy::cast_possible_truncation,
    reason = "features need no double precision"
)]
fn add_likeness(grid: &mut Grid, sources: &Words, outputs: &Words) -> Vec<f32> {
    grid.add_flag(|i, j| sources[i].folded == outputs[j].folded);
    grid.add_flag(|i, j| sources[i].form.bare == outputs[j].form.bare);
    let from = grid.values.len();
    grid.add(|i, j| similarity(&sources[i].form, &outputs[j].form) as f32);
    let alike = grid.values[from..].to_vec();
    let bare = |i: usize, j: usize| (&*sources[i].form.bare, &*outputs[j].form.bare);
    grid.add(|i, j| jaro_winkler(bare(i, j).0, bare(i, j).1) as f32);
    grid.add(|i, j| normalized_levenshtein(bare(i, j).0, bare(i, j).1) as f32);
    grid.add(|i, j| {
        let (a, b) = bare(i, j);
        shared(a.chars(), b.chars(), &sources[i], &outputs[j])
    });
    grid.add(|i, j| {
        let (a, b) = bare(i, j);
        shared(a.chars().rev(), b.chars().rev(), &sources[i], &outputs[j])
    });
    alike
}

/// The share of the longer word that both begin with.
fn shared(
    a: impl Iterator<Item = char>,
    b: impl Iterator<Item = char>,
    one: &Word,
    other: &Word,
) -> f32 {
    let common = a.zip(b).take_while(|(a, b)| a == b).count();
    share(common, one.length.max(other.length))
}

/// How alike the words around are: along the diagonal on each side, and the best of the
/// neighbourhood.
fn add_context(grid: &mut Grid, alike: &[f32]) {
    let at = around(alike, grid);
    let before = |i: usize, j: usize, k: usize| at(i.wrapping_sub(k), j.wrapping_sub(k));
    let after = |i: usize, j: usize, k: usize| at(i + k, j + k);
    let reach = || 1..=REACH;
    grid.add(|i, j| before(i, j, 1));
    grid.add(|i, j| after(i, j, 1));
    grid.add(|i, j| reach().map(|k| before(i, j, k)).sum());
    grid.add(|i, j| reach().map(|k| after(i, j, k)).sum());
    let near = |step: fn(usize, usize) -> usize| {
        let pairs = || reach().flat_map(|a| (1..=REACH).map(move |b| (a, b)));
        move |i: usize, j: usize| {
            let values = pairs().map(|(a, b)| at(step(i, a), step(j, b)));
            values.fold(0.0, f32::max)
        }
    };
    grid.add(near(usize::wrapping_sub));
    grid.add(near(usize::wrapping_add));
}

fn add_kinds(grid: &mut Grid, sources: &Words, outputs: &Words) {
    for is in [Word::is_sign, Word::is_function_word, |word: &Word| {
        word.has_digit
    }] {
        grid.add_flag(|i, _| is(&sources[i]));
        grid.add_flag(|_, j| is(&outputs[j]));
        grid.add_flag(|i, j| is(&sources[i]) && is(&outputs[j]));
    }
    grid.add_flag(|i, j| sources[i].form.classes & outputs[j].form.classes != 0);
    grid.add(|i, _| log(sources[i].length));
    grid.add(|_, j| log(outputs[j].length));
}

fn add_counts(grid: &mut Grid, sources: &Words, outputs: &Words) {
    grid.add(|i, _| log(sources[i].here));
    grid.add(|_, j| log(outputs[j].here));
    grid.add(|i, _| log(sources[i].there));
    grid.add(|_, j| log(outputs[j].there));
    grid.add(|i, j| {
        let same = sources[i].form.bare == outputs[j].form.bare;
        let (a, b) = (signed(sources[i].before), signed(outputs[j].before));
        if same { squash(a - b).abs() } else { -1.0 }
    });
}

fn add_places(grid: &mut Grid, sources: &Words, outputs: &Words) {
    let (rows, columns) = (grid.rows, grid.columns);
    grid.add(|i, _| share(i, rows));
    grid.add(|_, j| share(j, columns));
    grid.add(|i, j| (share(i, rows) - share(j, columns)).abs());
    grid.add(|_, _| log(rows) - log(columns));
    let (from, to) = anchors(sources, outputs);
    grid.add_flag(|i, j| from.anchor[i] == Some(j));
    grid.add_flag(|i, _| from.anchor[i].is_some());
    grid.add_flag(|_, j| to.anchor[j].is_some());
    grid.add(|i, j| squash(signed(j) - from.expected[i]));
    grid.add(|i, j| squash(signed(i) - to.expected[j]));
    grid.add(|i, j| squash((signed(j) - from.expected[i]).abs()));
    grid.add(|i, j| squash((signed(i) - to.expected[j]).abs()));
    grid.add(|i, _| log(from.gap[i]));
    grid.add(|_, j| log(to.gap[j]));
    grid.add_flag(|i, j| from.gap[i] > 0 && to.gap[j] > 0 && from.passed[i] == to.passed[j]);
}

/// The links of the string grade, its near misses, and the links next to a pair.
#[expect(
    clippy::cast_possible_truncation,
    reason = "features need no double precision"
)]
fn add_links(grid: &mut Grid, strings: &Alignment) {
    let (rows, columns) = (grid.rows, grid.columns);
    let plane = |links: &[Link]| {
        let mut cells = vec![0.0_f32; rows * columns];
        for link in links {
            cells[link.source * columns + link.output] = link.confidence as f32;
        }
        cells
    };
    let (links, near) = (plane(&strings.links), plane(&strings.near_misses));
    let at = around(&links, grid);
    let taken_row: Vec<f32> = (0..rows)
        .map(|i| (0..columns).map(|j| at(i, j)).sum())
        .collect();
    let taken_column: Vec<f32> = (0..columns)
        .map(|j| (0..rows).map(|i| at(i, j)).sum())
        .collect();
    grid.add(at);
    grid.add(|i, j| near[i * columns + j]);
    grid.add_next_to(at);
    grid.add(|i, j| taken_row[i] - at(i, j));
    grid.add(|i, j| taken_column[j] - at(i, j));
}

#[expect(
    clippy::cast_precision_loss,
    reason = "texts have far fewer than 2²³ words"
)]
fn signed(count: usize) -> f32 {
    count as f32
}

fn log(count: usize) -> f32 {
    (1.0 + signed(count)).ln()
}

/// A distance whose steps count less the further away they are.
fn squash(distance: f32) -> f32 {
    (1.0 + distance.abs()).ln().copysign(distance)
}

fn share(part: usize, whole: usize) -> f32 {
    signed(part) / signed(whole.max(1))
}
