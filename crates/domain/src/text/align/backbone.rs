//! The links in reading order: equal and similar words, unbroken runs preferred.

use super::{
    partial::PartialAlignment,
    similarity::{WordForm, similarity},
};

/// The bonus of a link that continues a run.
const RUN_BONUS: f64 = 0.4;

#[derive(Debug, Clone, Copy, Default)]
struct BackboneCell {
    /// The best sum of links up to this cell.
    best: f64,
    /// The best sum that ends with a link of these two words, if they are similar.
    linked: Option<BackboneLink>,
}

#[derive(Debug, Clone, Copy)]
struct BackboneLink {
    sum: f64,
    similarity: f64,
    continues: bool,
}

/// Adds the ordered set of links with the greatest sum of similarity × weight and run bonuses.
///
/// The ends of both texts count as linked, so that first words and last words tend to be linked to each
/// other.
pub(super) fn link(sources: &[WordForm], outputs: &[WordForm], alignment: &mut PartialAlignment) {
    let width = outputs.len() + 1;
    let mut cells = vec![BackboneCell::default(); (sources.len() + 1) * width];
    for (i, source) in sources.iter().enumerate() {
        for (j, output) in outputs.iter().enumerate() {
            let before = cells[i * width + j];
            let linked = score_link(source, output, before, i == 0 && j == 0);
            let best = cells[i * width + j + 1]
                .best
                .max(cells[(i + 1) * width + j].best);
            let best = linked.map_or(best, |l| best.max(l.sum));
            cells[(i + 1) * width + j + 1] = BackboneCell { best, linked };
        }
    }

    trace_back(
        &cells,
        width,
        (sources.len(), outputs.len()),
        |i, j, linked| {
            alignment.add(i, j, confidence(&sources[i], linked));
        },
    );
}

fn score_link(
    source: &WordForm,
    output: &WordForm,
    before: BackboneCell,
    first: bool,
) -> Option<BackboneLink> {
    let similarity = similarity(source, output);
    (similarity > 0.0).then(|| {
        let run = before
            .linked
            .map(|l| l.sum + RUN_BONUS)
            .or(first.then_some(RUN_BONUS));

        let value = similarity * source.weight().min(output.weight());
        let (continues, sum) = match run {
            Some(run) if run >= before.best => (true, run),
            _ => (false, before.best),
        };

        BackboneLink {
            sum: sum + value,
            similarity,
            continues,
        }
    })
}

/// Traces the links of the best sum back from the cell `from`.
fn trace_back(
    cells: &[BackboneCell],
    width: usize,
    from: (usize, usize),
    mut visit: impl FnMut(usize, usize, BackboneLink),
) {
    let (mut i, mut j) = from;
    let mut in_run = false;

    while i > 0 && j > 0 {
        let cell = cells[i * width + j];
        match cell.linked {
            Some(linked) if in_run || linked.sum >= cell.best => {
                (i, j, in_run) = (i - 1, j - 1, linked.continues);
                visit(i, j, linked);
            }
            _ if cells[(i - 1) * width + j].best >= cell.best => i -= 1,
            _ => j -= 1,
        }
    }
}

/// The confidence of a link: the share of such links that are also in the gold alignments, over the training pairs of
/// Wiki and MTRef.
fn confidence(source: &WordForm, linked: BackboneLink) -> f64 {
    if linked.similarity < 1.0 {
        0.97
    } else if linked.continues || source.is_content() {
        0.995
    } else {
        0.93
    }
}
