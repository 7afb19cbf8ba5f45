//! The planes of words as strings, of their positions, and of the string grade's alignment.

use strsim::{jaro_winkler, normalized_levenshtein};

use super::{
    FeatureTensor,
    anchors::find_anchors,
    words::{TextFeatures, WordFeatures},
    zero_padded,
};
use crate::text::align::{Alignment, AlignmentLink, similarity::similarity};

/// The distance up to which the similarity of neighbours is used.
const REACH: usize = 3;

pub(super) fn add(
    grid: &mut FeatureTensor,
    sources: &TextFeatures,
    outputs: &TextFeatures,
    strings: &Alignment,
) {
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
fn add_likeness(
    grid: &mut FeatureTensor,
    sources: &TextFeatures,
    outputs: &TextFeatures,
) -> Vec<f32> {
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
        common_affix_ratio(a.chars(), b.chars(), &sources[i], &outputs[j])
    });
    grid.add(|i, j| {
        let (a, b) = bare(i, j);
        common_affix_ratio(a.chars().rev(), b.chars().rev(), &sources[i], &outputs[j])
    });

    alike
}

/// The length of the common prefix as a share of the longer word.
fn common_affix_ratio(
    a: impl Iterator<Item = char>,
    b: impl Iterator<Item = char>,
    one: &WordFeatures,
    other: &WordFeatures,
) -> f32 {
    let common = a.zip(b).take_while(|(a, b)| a == b).count();
    ratio(common, one.length.max(other.length))
}

/// The similarity of the surrounding words: along the diagonal on each side, and the
/// best of the neighbourhood.
fn add_context(grid: &mut FeatureTensor, alike: &[f32]) {
    let at = zero_padded(alike, grid);
    let before = |i: usize, j: usize, k: usize| at(i.wrapping_sub(k), j.wrapping_sub(k));
    let after = |i: usize, j: usize, k: usize| at(i + k, j + k);

    grid.add(|i, j| before(i, j, 1));
    grid.add(|i, j| after(i, j, 1));
    grid.add(|i, j| (1..=REACH).map(|k| before(i, j, k)).sum());
    grid.add(|i, j| (1..=REACH).map(|k| after(i, j, k)).sum());

    let near = |step: fn(usize, usize) -> usize| {
        let pairs = || (1..=REACH).flat_map(|a| (1..=REACH).map(move |b| (a, b)));
        move |i: usize, j: usize| {
            let values = pairs().map(|(a, b)| at(step(i, a), step(j, b)));
            values.fold(0.0, f32::max)
        }
    };
    grid.add(near(usize::wrapping_sub));
    grid.add(near(usize::wrapping_add));
}

fn add_kinds(grid: &mut FeatureTensor, sources: &TextFeatures, outputs: &TextFeatures) {
    for is in [
        WordFeatures::is_sign,
        WordFeatures::is_function_word,
        |word: &WordFeatures| word.has_digit,
    ] {
        grid.add_flag(|i, _| is(&sources[i]));
        grid.add_flag(|_, j| is(&outputs[j]));
        grid.add_flag(|i, j| is(&sources[i]) && is(&outputs[j]));
    }
    grid.add_flag(|i, j| sources[i].form.classes & outputs[j].form.classes != 0);
    grid.add(|i, _| log_count(sources[i].length));
    grid.add(|_, j| log_count(outputs[j].length));
}

fn add_counts(grid: &mut FeatureTensor, sources: &TextFeatures, outputs: &TextFeatures) {
    grid.add(|i, _| log_count(sources[i].own_occurrences));
    grid.add(|_, j| log_count(outputs[j].own_occurrences));
    grid.add(|i, _| log_count(sources[i].other_occurrences));
    grid.add(|_, j| log_count(outputs[j].other_occurrences));
    grid.add(|i, j| {
        let same = sources[i].form.bare == outputs[j].form.bare;
        let (a, b) = (
            to_f32(sources[i].earlier_occurrences),
            to_f32(outputs[j].earlier_occurrences),
        );
        if same { signed_log(a - b).abs() } else { -1.0 }
    });
}

fn add_places(grid: &mut FeatureTensor, sources: &TextFeatures, outputs: &TextFeatures) {
    let (rows, columns) = (grid.rows, grid.columns);
    grid.add(|i, _| ratio(i, rows));
    grid.add(|_, j| ratio(j, columns));
    grid.add(|i, j| (ratio(i, rows) - ratio(j, columns)).abs());
    grid.add(|_, _| log_count(rows) - log_count(columns));

    let (from, to) = find_anchors(sources, outputs);
    grid.add_flag(|i, j| from.anchor[i] == Some(j));
    grid.add_flag(|i, _| from.anchor[i].is_some());
    grid.add_flag(|_, j| to.anchor[j].is_some());
    grid.add(|i, j| signed_log(to_f32(j) - from.expected[i]));
    grid.add(|i, j| signed_log(to_f32(i) - to.expected[j]));
    grid.add(|i, j| signed_log((to_f32(j) - from.expected[i]).abs()));
    grid.add(|i, j| signed_log((to_f32(i) - to.expected[j]).abs()));
    grid.add(|i, _| log_count(from.gap[i]));
    grid.add(|_, j| log_count(to.gap[j]));
    grid.add_flag(|i, j| {
        from.gap[i] > 0 && to.gap[j] > 0 && from.anchors_before[i] == to.anchors_before[j]
    });
}

/// The links of the string grade, its near misses, and the links next to a pair.
fn add_links(grid: &mut FeatureTensor, strings: &Alignment) {
    let (rows, columns) = (grid.rows, grid.columns);
    let links = confidence_plane(&strings.links, rows, columns);
    let near = confidence_plane(&strings.near_misses, rows, columns);
    let at = zero_padded(&links, grid);

    let row_sums: Vec<f32> = (0..rows)
        .map(|i| (0..columns).map(|j| at(i, j)).sum())
        .collect();
    let column_sums: Vec<f32> = (0..columns)
        .map(|j| (0..rows).map(|i| at(i, j)).sum())
        .collect();

    grid.add(at);
    grid.add(|i, j| near[i * columns + j]);
    grid.add_adjacent(at);
    grid.add(|i, j| row_sums[i] - at(i, j));
    grid.add(|i, j| column_sums[j] - at(i, j));
}

/// The confidence of each link in the plane, 0 elsewhere.
#[expect(
    clippy::cast_possible_truncation,
    reason = "features need no double precision"
)]
fn confidence_plane(links: &[AlignmentLink], rows: usize, columns: usize) -> Vec<f32> {
    let mut cells = vec![0.0_f32; rows * columns];
    for link in links {
        cells[link.source * columns + link.output] = link.confidence as f32;
    }
    cells
}

#[expect(
    clippy::cast_precision_loss,
    reason = "texts have far fewer than 2²³ words"
)]
fn to_f32(count: usize) -> f32 {
    count as f32
}

fn log_count(count: usize) -> f32 {
    (1.0 + to_f32(count)).ln()
}

/// A distance on a logarithmic scale.
fn signed_log(distance: f32) -> f32 {
    (1.0 + distance.abs()).ln().copysign(distance)
}

fn ratio(part: usize, whole: usize) -> f32 {
    to_f32(part) / to_f32(whole.max(1))
}
