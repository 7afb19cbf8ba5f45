//! The expected position of each word if nothing moved: between the anchors around it.

use crate::text::align::{backbone, partial::PartialAlignment};

use super::words::TextFeatures;

/// The words of one text relative to the anchors that both texts share.
pub(super) struct AnchorPositions {
    /// The corresponding word in the other text, if the word is an anchor.
    pub(super) anchor: Vec<Option<usize>>,
    /// The expected position in the other text, between the anchors around the word.
    pub(super) expected: Vec<f32>,
    /// The length of its run of words that are not anchors; 0 for an anchor.
    pub(super) gap: Vec<usize>,
    /// The number of anchors before it: two words are in the same gap if their numbers are equal.
    pub(super) anchors_before: Vec<usize>,
}

/// Both sides of the anchors, which are equal or similar words in reading order.
pub(super) fn find_anchors(
    sources: &TextFeatures,
    outputs: &TextFeatures,
) -> (AnchorPositions, AnchorPositions) {
    let mut anchors = PartialAlignment::new(sources.len(), outputs.len());
    backbone::link(&sources.forms(), &outputs.forms(), &mut anchors);

    let mut links: Vec<_> = anchors
        .links()
        .iter()
        .map(|link| (link.source, link.output))
        .collect();
    links.sort_unstable();

    let mirrored: Vec<_> = links.iter().map(|&(i, j)| (j, i)).collect();
    (
        AnchorPositions::new(&links, sources.len(), outputs.len()),
        AnchorPositions::new(&mirrored, outputs.len(), sources.len()),
    )
}

impl AnchorPositions {
    /// `links` ascend on both sides; the ends of both texts count as linked.
    #[expect(
        clippy::cast_precision_loss,
        reason = "texts have far fewer than 2²³ words"
    )]
    fn new(links: &[(usize, usize)], words: usize, others: usize) -> Self {
        let mut side = Self {
            anchor: vec![None; words],
            expected: vec![0.0; words],
            gap: vec![0; words],
            anchors_before: vec![0; words],
        };

        // Positions count from 1 here, so that the beginning of the texts is an anchor as well.
        let mut last = (0, 0);
        let ends = links.iter().map(|&(i, j)| (i + 1, j + 1));

        for (passed, next) in ends.chain([(words + 1, others + 1)]).enumerate() {
            let slope = (next.1 - last.1) as f32 / (next.0 - last.0) as f32;
            for at in last.0 + 1..next.0 {
                side.expected[at - 1] = slope.mul_add((at - last.0) as f32, last.1 as f32) - 1.0;
                side.gap[at - 1] = next.0 - last.0 - 1;
                side.anchors_before[at - 1] = passed;
            }

            if next.0 <= words {
                side.anchor[next.0 - 1] = Some(next.1 - 1);
                side.expected[next.0 - 1] = (next.1 - 1) as f32;
                side.anchors_before[next.0 - 1] = passed;
            }
            last = next;
        }
        side
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_lie_between_their_anchors() {
        let side = AnchorPositions::new(&[(0, 0), (3, 5)], 5, 6);
        assert_eq!(side.anchor, [Some(0), None, None, Some(5), None]);
        let thirds: Vec<_> = side.expected.iter().map(|x| (x * 3.0).round()).collect();
        assert_eq!(thirds, [0.0, 5.0, 10.0, 15.0, 17.0]);
        assert_eq!(side.gap, [0, 2, 2, 0, 1]);
        assert_eq!(side.anchors_before, [0, 1, 1, 1, 2]);
    }
}
