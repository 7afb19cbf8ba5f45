//! Counts of word n-grams, of order 1 to 4, shared by all outputs of a source.
//!
//! A source and its references are counted once. For an output only its own words are looked up;
//! its counts are stored by index into the tables of its source.

use rustc_hash::{FxHashMap, FxHashSet};

/// The highest n-gram order of SARI and BLEU.
pub(super) const ORDERS: usize = 4;

/// Up to four words, 32 bits each, the last one lowest: its number in the vocabulary plus 1.
type PackedGram = u128;

/// The n-grams of a source and its references.
#[derive(Debug, Default)]
pub(super) struct SourceGrams {
    words: FxHashMap<Box<str>, u32>,
    orders: [GramTable; ORDERS],
    source: Vec<u32>,
    /// The number of words of each reference.
    pub(super) reference_lengths: Vec<usize>,
}

/// All n-grams of one order by index; those of the source come first.
#[derive(Debug, Default)]
pub(super) struct GramTable {
    places: FxHashMap<PackedGram, u32>,
    /// The counts in the source.
    pub(super) source: Vec<u32>,
    /// The counts in all references together.
    pub(super) references: Vec<u32>,
    /// The largest count in a single reference.
    pub(super) max_in_reference: Vec<u32>,
}

/// The n-grams of an output, counted against the tables of its source.
pub(super) struct OutputGrams {
    /// The number of words.
    pub(super) length: usize,
    /// The counts by order.
    pub(super) orders: [OutputGramCounts; ORDERS],
}

#[derive(Default)]
pub(super) struct OutputGramCounts {
    /// The output's count of the n-gram at each index.
    pub(super) counts: Vec<u32>,
    /// The number of distinct n-grams that neither source nor references have.
    pub(super) unseen: usize,
    /// The number of n-grams.
    pub(super) total: usize,
}

impl SourceGrams {
    /// Counts the words of a source and of each of its references.
    pub(super) fn new<'a>(
        source: impl IntoIterator<Item = &'a str>,
        references: impl IntoIterator<Item = impl IntoIterator<Item = &'a str>>,
    ) -> Self {
        let mut grams = Self::default();
        grams.source = grams.number_words(source);
        for_each_gram(&grams.source, |order, gram| {
            let order = &mut grams.orders[order];
            let place = order.place(gram);
            order.source[place] += 1;
        });

        for reference in references {
            let words = grams.number_words(reference);
            let mut grams_by_order: [Vec<u32>; ORDERS] = Default::default();
            for_each_gram(&words, |order, gram| {
                let counts = &mut grams_by_order[order];
                let place = grams.orders[order].place(gram);
                counts.resize(counts.len().max(place + 1), 0);
                counts[place] += 1;
            });
            for (order, counts) in grams.orders.iter_mut().zip(grams_by_order) {
                let columns = order.references.iter_mut().zip(&mut order.max_in_reference);
                for ((sum, most), count) in columns.zip(counts) {
                    *sum += count;
                    *most = (*most).max(count);
                }
            }
            grams.reference_lengths.push(words.len());
        }
        grams
    }

    pub(super) fn orders(&self) -> &[GramTable; ORDERS] {
        &self.orders
    }

    /// The number of words in the source.
    pub(super) fn source_length(&self) -> usize {
        self.source.len()
    }

    /// The number of references.
    pub(super) fn references(&self) -> usize {
        self.reference_lengths.len()
    }

    /// Counts the words of an output.
    pub(super) fn output<'a>(&self, words: impl IntoIterator<Item = &'a str>) -> OutputGrams {
        let vocabulary_size = self.words.len() as u32;
        let mut unknown: FxHashMap<&str, u32> = FxHashMap::default();
        let words: Vec<u32> = words
            .into_iter()
            .map(|word| {
                self.words.get(word).copied().unwrap_or_else(|| {
                    let next = vocabulary_size + unknown.len() as u32;
                    *unknown.entry(word).or_insert(next)
                })
            })
            .collect();

        let mut orders: [OutputGramCounts; ORDERS] = Default::default();
        for (at, order) in orders.iter_mut().enumerate() {
            order.counts = vec![0; self.orders[at].source.len()];
            order.total = words.len().saturating_sub(at);
        }

        let mut new: FxHashSet<PackedGram> = FxHashSet::default();
        for_each_gram(&words, |order, gram| {
            if let Some(place) = self.orders[order].places.get(&gram) {
                orders[order].counts[*place as usize] += 1;
            } else if new.insert(gram) {
                orders[order].unseen += 1;
            }
        });
        OutputGrams {
            length: words.len(),
            orders,
        }
    }

    /// The words of each n-gram of an order, by index.
    pub(super) fn gram_words(&self, order: usize) -> Vec<Vec<&str>> {
        let mut words = vec![""; self.words.len()];
        for (word, number) in &self.words {
            words[*number as usize] = word;
        }
        let mut spelled = vec![Vec::new(); self.orders[order].source.len()];
        for (gram, place) in &self.orders[order].places {
            let parts = (0..=order).rev().map(|at| (gram >> (32 * at)) as u32 - 1);
            spelled[*place as usize] = parts.map(|number| words[number as usize]).collect();
        }
        spelled
    }

    fn number_words<'a>(&mut self, words: impl IntoIterator<Item = &'a str>) -> Vec<u32> {
        let numbers = words.into_iter().map(|word| match self.words.get(word) {
            Some(number) => *number,
            None => {
                let next = self.words.len() as u32;
                self.words.insert(word.into(), next);
                next
            }
        });
        numbers.collect()
    }
}

impl GramTable {
    /// The index of an n-gram, which is added at the end if it is new.
    fn place(&mut self, gram: PackedGram) -> usize {
        let next = self.source.len();
        let place = *self.places.entry(gram).or_insert(next as u32) as usize;
        if place == next {
            self.source.push(0);
            self.references.push(0);
            self.max_in_reference.push(0);
        }
        place
    }
}

/// Passes every n-gram of the words to `take`, with its order, counted from 0.
fn for_each_gram(words: &[u32], mut take: impl FnMut(usize, PackedGram)) {
    let mut last: PackedGram = 0;
    for (at, word) in words.iter().enumerate() {
        last = last << 32 | PackedGram::from(word + 1);
        for order in 0..ORDERS.min(at + 1) {
            take(
                order,
                last & (PackedGram::MAX >> (32 * (ORDERS - 1 - order))),
            );
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_repeats_is_counted_and_the_sources_come_first() {
        let grams = SourceGrams::new("a b a b".split(' '), ["a b".split(' '), "b b c".split(' ')]);
        assert_eq!((grams.source_length(), grams.references()), (4, 2));
        let [one, two, ..] = grams.orders();
        assert_eq!(grams.gram_words(0), [["a"], ["b"], ["c"]]);
        assert_eq!(
            (&one.source[..], &one.references[..]),
            (&[2, 2, 0][..], &[1, 3, 1][..])
        );
        assert_eq!(one.max_in_reference, [1, 2, 1]);
        assert_eq!(
            grams.gram_words(1),
            [["a", "b"], ["b", "a"], ["b", "b"], ["b", "c"]]
        );
        assert_eq!(
            (&two.source[..], &two.references[..]),
            (&[2, 1, 0, 0][..], &[1, 0, 1, 1][..])
        );
        let output = grams.output("x b a x b".split(' '));
        assert_eq!(output.length, 5);
        let [one, two, three, four] = output.orders;
        assert_eq!(
            (&one.counts[..], one.unseen, one.total),
            (&[1, 2, 0][..], 1, 5)
        );
        assert_eq!(
            (&two.counts[..], two.unseen, two.total),
            (&[0, 1, 0, 0][..], 2, 4)
        );
        assert_eq!(
            (three.unseen, three.total, four.unseen, four.total),
            (3, 3, 2, 2)
        );
    }
}
