use domain::metrics::ReferenceCount;

/// The numbers of references of some sources.
#[derive(Debug, Clone, Default)]
pub(crate) struct ReferenceCoverage {
    /// The number of sources.
    pub(crate) sources: usize,
    /// The number of sources without references.
    pub(crate) bare: usize,
    /// The first of these.
    pub(crate) first_bare: Option<String>,
    /// The smallest and the largest number of references of a source.
    ends: Option<(usize, usize)>,
}

impl ReferenceCoverage {
    /// Adds a source that was not added before.
    pub(crate) fn add(&mut self, source: &str, references: usize) {
        self.sources += 1;
        if references == 0 {
            self.bare += 1;
            self.first_bare.get_or_insert_with(|| source.to_owned());
        }
        let (least, most) = self.ends.unwrap_or((references, references));
        self.ends = Some((least.min(references), most.max(references)));
    }

    /// The number of references, for signatures.
    pub(crate) fn count(&self) -> ReferenceCount {
        let ends = self.ends.into_iter();
        ReferenceCount::from_counts(ends.flat_map(|(least, most)| [least, most]))
    }

    /// Whether a source has a reference.
    pub(crate) fn has_references(&self) -> bool {
        self.bare < self.sources
    }
}
