//! An alignment under construction.

use super::AlignmentLink;

/// The links so far, and for each word whether it has one. Words are numbered within a window.
#[derive(Debug)]
pub(super) struct PartialAlignment {
    links: Vec<AlignmentLink>,
    near_misses: Vec<AlignmentLink>,
    /// The output word to which each source word was first linked.
    to_output: Vec<Option<usize>>,
    output_linked: Vec<bool>,
}

impl PartialAlignment {
    pub(super) fn new(sources: usize, outputs: usize) -> Self {
        Self {
            links: Vec::new(),
            near_misses: Vec::new(),
            to_output: vec![None; sources],
            output_linked: vec![false; outputs],
        }
    }

    pub(super) fn add(&mut self, source: usize, output: usize, confidence: f64) {
        self.links.push(AlignmentLink {
            source,
            output,
            confidence,
        });
        self.to_output[source].get_or_insert(output);
        self.output_linked[output] = true;
    }

    pub(super) fn add_near_miss(&mut self, source: usize, output: usize, confidence: f64) {
        self.near_misses.push(AlignmentLink {
            source,
            output,
            confidence,
        });
    }

    pub(super) fn links(&self) -> &[AlignmentLink] {
        &self.links
    }

    pub(super) fn near_misses(&self) -> &[AlignmentLink] {
        &self.near_misses
    }

    /// The output word that source word `source` is linked to.
    pub(super) fn output_of(&self, source: usize) -> Option<usize> {
        self.to_output.get(source).copied().flatten()
    }

    pub(super) fn source_is_free(&self, source: usize) -> bool {
        self.to_output[source].is_none()
    }

    pub(super) fn output_is_free(&self, output: usize) -> bool {
        !self.output_linked[output]
    }

    /// Whether these two are linked to each other.
    pub(super) fn has_link(&self, source: usize, output: usize) -> bool {
        self.output_of(source) == Some(output)
    }
}
