//! Features of whether shared words mean the same in both texts.

use super::{
    FeatureRow,
    readability::{ratio, to_float},
    similarity::{LayerMatches, WordMatch},
    text::FeatureText,
};

/// Words more frequent than this carry little content.
const MAX_CONTENT_ZIPF: f64 = 6.0;
/// The least cosine at which words count as the same when their order is compared.
const MIN_SAME_COSINE: f32 = 0.5;

/// Adds the likeness of the contexts of shared words, and whether matched content words are in the order of the source:
/// only their order shows who did what to whom. Adds nothing without an encoder.
pub(super) fn add(
    row: &mut FeatureRow,
    source: &FeatureText,
    output: &FeatureText,
    matches: Option<&[LayerMatches]>,
) {
    for layer in matches.unwrap_or_default() {
        add_layer(row, source, output, layer);
    }
}

fn add_layer(
    row: &mut FeatureRow,
    source: &FeatureText,
    output: &FeatureText,
    matches: &LayerMatches,
) {
    let shared: Vec<(usize, &WordMatch)> = matches
        .of_output
        .iter()
        .enumerate()
        .filter(|(at, closest)| {
            let is_same = source.folded.get(closest.word) == Some(&output.folded[*at]);
            output.zipf[*at].is_some() && is_same
        })
        .collect();
    let shared_content = shared.iter().filter(|(at, _)| is_content(output, *at));
    let layer = matches.layer;
    let least = shared.iter().map(|(_, closest)| f64::from(closest.cosine));

    row.add(
        format_args!("context of shared words, layer {layer}"),
        compute_mean_cosine(shared.iter()),
    );
    row.add(
        format_args!("context of shared words, least, layer {layer}"),
        least.reduce(f64::min).unwrap_or(0.0),
    );
    row.add(
        format_args!("context of shared content words, layer {layer}"),
        compute_mean_cosine(shared_content),
    );

    let order: Vec<usize> = matches
        .of_output
        .iter()
        .enumerate()
        .filter(|(at, closest)| is_content(output, *at) && closest.cosine > MIN_SAME_COSINE)
        .map(|(_, closest)| closest.word)
        .collect();
    let turned = order.windows(2).filter(|two| two[1] < two[0]).count();
    row.add(
        format_args!("matches out of order, layer {layer}"),
        ratio(turned, order.len()),
    );
    let steps = order.windows(2).map(|two| two[0].abs_diff(two[1]));
    row.add(
        format_args!("steps between matches, layer {layer}"),
        ratio(steps.sum(), order.len().saturating_sub(1)),
    );
}

fn is_content(text: &FeatureText, at: usize) -> bool {
    text.zipf[at].is_some_and(|zipf| zipf < MAX_CONTENT_ZIPF)
}

/// The mean cosine of matches; 0 without any.
fn compute_mean_cosine<'a>(matches: impl Iterator<Item = &'a (usize, &'a WordMatch)>) -> f64 {
    let cosines: Vec<f64> = matches
        .map(|(_, closest)| f64::from(closest.cosine))
        .collect();
    cosines.iter().sum::<f64>() / to_float(cosines.len().max(1))
}

#[cfg(test)]
mod tests {
    use super::{super::tests::text, *};

    const ZIPF: [(&str, f32); 1] = [("the", 7.7)];

    fn features(output: &str, of_output: &[(usize, f32)]) -> FeatureRow {
        let found = of_output.iter();
        let matches = LayerMatches {
            layer: 3,
            of_other: Vec::new(),
            of_output: found
                .map(|&(word, cosine)| WordMatch { word, cosine })
                .collect(),
        };
        let (source, output) = (text("The dog chased the cat", &ZIPF), text(output, &ZIPF));
        let mut row = FeatureRow::named();
        add(&mut row, &source, &output, Some(&[matches]));
        row
    }

    #[test]
    fn shared_words_are_told_from_replaced_ones() {
        let row = features("The dog followed", &[(0, 0.9), (1, 0.7), (2, 0.6)]);
        let value = |name: &str| row.value(&format!("context of shared {name}, layer 3"));
        assert!((value("words") - 0.8).abs() < 1e-6);
        assert!((value("words, least") - 0.7).abs() < 1e-6);
        assert!((value("content words") - 0.7).abs() < 1e-6);
    }

    #[test]
    fn who_did_what_to_whom_is_a_matter_of_order() {
        let order = |output, matches: &[(usize, f32)]| {
            features(output, matches).value("matches out of order, layer 3")
        };
        let kept = [(0, 0.9), (1, 0.9), (2, 0.9), (3, 0.9), (4, 0.9)];
        assert!(order("The dog chased the cat", &kept).abs() < 1e-6);
        let turned = [(3, 0.9), (4, 0.9), (2, 0.9), (0, 0.9), (1, 0.9)];
        assert!(order("The cat chased the dog", &turned) > 0.6);
    }
}
