//! Words that moved: links out of reading order.

use std::collections::BTreeMap;

use super::{
    partial::PartialAlignment,
    similarity::{WordForm, similarity},
};

/// The least value of a link: a content word reaches it alone, a function word only with a neighbour.
const MIN_VALUE: f64 = 0.7;
/// The bonus for each neighbour that moved along.
const NEIGHBOUR_BONUS: f64 = 0.35;

/// Links free words to similar ones, the best supported first.
pub(super) fn link(sources: &[WordForm], outputs: &[WordForm], alignment: &mut PartialAlignment) {
    let candidates = free_pairs(sources, outputs, alignment);
    let mut ranked: Vec<MoveCandidate> = candidates
        .iter()
        .map(|(&(source, output), &similarity)| {
            let moves_along = [-1, 1].into_iter().filter(|&step| {
                match (
                    source.checked_add_signed(step),
                    output.checked_add_signed(step),
                ) {
                    (Some(i), Some(j)) => {
                        alignment.has_link(i, j) || candidates.contains_key(&(i, j))
                    }
                    _ => false,
                }
            });

            let weight = sources[source].weight().min(outputs[output].weight());
            let neighbours: f64 = moves_along.map(|_| NEIGHBOUR_BONUS).sum();
            let distance = relative_distance(source, sources.len(), output, outputs.len());
            MoveCandidate {
                source,
                output,
                similarity,
                value: similarity * weight + neighbours,
                distance,
            }
        })
        .filter(|candidate| candidate.value >= MIN_VALUE)
        .collect();

    ranked.sort_by(|a, b| {
        let by_value = b
            .value
            .total_cmp(&a.value)
            .then(a.distance.total_cmp(&b.distance));
        by_value.then((a.source, a.output).cmp(&(b.source, b.output)))
    });

    for MoveCandidate {
        source,
        output,
        similarity,
        ..
    } in ranked
    {
        if alignment.source_is_free(source) && alignment.output_is_free(output) {
            alignment.add(source, output, confidence(similarity));
        }
    }
}

struct MoveCandidate {
    source: usize,
    output: usize,
    similarity: f64,
    value: f64,
    /// The distance that the word moved, as a share of its text.
    distance: f64,
}

/// The pairs of similar free words, with their similarity.
fn free_pairs(
    sources: &[WordForm],
    outputs: &[WordForm],
    alignment: &PartialAlignment,
) -> BTreeMap<(usize, usize), f64> {
    let free_outputs: Vec<usize> = (0..outputs.len())
        .filter(|&j| alignment.output_is_free(j))
        .collect();
    let mut pairs = BTreeMap::new();
    for i in (0..sources.len()).filter(|&i| alignment.source_is_free(i)) {
        for &j in &free_outputs {
            let similarity = similarity(&sources[i], &outputs[j]);
            if similarity > 0.0 {
                pairs.insert((i, j), similarity);
            }
        }
    }
    pairs
}

#[expect(
    clippy::cast_precision_loss,
    reason = "a window has far fewer than 2⁵³ words"
)]
fn relative_distance(source: usize, sources: usize, output: usize, outputs: usize) -> f64 {
    (source as f64 / sources as f64 - output as f64 / outputs as f64).abs()
}

/// The confidence of a link: the share of such links that are also in the gold alignments, over the training pairs of
/// Wiki and MTRef.
fn confidence(similarity: f64) -> f64 {
    if similarity < 1.0 { 0.75 } else { 0.9 }
}
