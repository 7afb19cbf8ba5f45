//! Cyclic Latin squares: in a table of `order` rows and columns, each of `order` symbols is once in every row and once in
//! every column.
//!
//! Reading comprehension turns conditions over passages by them. In an experiment that compares protocols, rows are raters,
//! columns are sources, and symbols are protocols: a rater judges a source under one protocol only, and those in `order`
//! consecutive rows together judge each source once under each.

/// The symbol at a row and a column, from 0 to `order` − 1: row and column, added and wrapped. Rows and columns beyond the
/// square repeat it.
///
/// # Panics
/// Where `order` is 0.
#[must_use]
pub const fn cyclic_symbol(row: usize, column: usize, order: usize) -> usize {
    // Both are wrapped first: the sum of large numbers would overflow.
    (row % order + column % order) % order
}

/// The column, from 0 to `order` − 1, at which a row has a symbol: the inverse of [`cyclic_symbol`].
///
/// # Panics
/// Where `order` is 0.
#[must_use]
pub const fn column_of_symbol(row: usize, symbol: usize, order: usize) -> usize {
    (symbol % order + order - row % order) % order
}

/// All symbols in the order in which a row goes through them, one block each. It begins with another one in each of `order`
/// consecutive rows, so that each symbol is equally often in each place.
///
/// # Panics
/// Where `order` is 0.
pub fn block_order(row: usize, order: usize) -> impl Iterator<Item = usize> {
    let first = row % order;
    (0..order).map(move |place| cyclic_symbol(first, place, order))
}

/// The row for the next rater: of the `order` rows from `next` on, the one whose row of the square the fewest raters
/// hold, and the first of equals. It is not `next` itself where raters of another row have left. `held` holds the
/// rows of those who take part, not wrapped into the square and all below `next`.
///
/// # Panics
/// Where `order` is 0.
#[must_use]
pub fn next_row(held: &[usize], next: usize, order: usize) -> usize {
    let mut raters = vec![0_usize; order];
    for row in held {
        raters[row % order] += 1;
    }
    let turns = (0..order).map(|turn| next + turn);
    turns.min_by_key(|row| raters[row % order]).unwrap_or(next)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn every_row_and_column_has_each_symbol_once(order in 1..9_usize, start: u32) {
            let start = start as usize;
            for one in start..start + order {
                let row: BTreeSet<_> = (0..order).map(|column| cyclic_symbol(one, column, order)).collect();
                let column: BTreeSet<_> = (0..order).map(|row| cyclic_symbol(row, one, order)).collect();
                prop_assert_eq!(row.len(), order);
                prop_assert_eq!(column.len(), order);
                for symbol in 0..order {
                    prop_assert_eq!(cyclic_symbol(one, column_of_symbol(one, symbol, order), order), symbol);
                }
            }
        }

        #[test]
        fn a_rater_meets_each_source_once_and_each_protocol_equally_often(
            order in 1..7_usize,
            raters in 1..25_usize,
            sources in 1..40_usize,
        ) {
            for rater in 0..raters {
                let mut met = vec![0_usize; order];
                for source in 0..sources {
                    met[cyclic_symbol(rater, source, order)] += 1;
                }
                prop_assert!(met.iter().max().unwrap() - met.iter().min().unwrap() <= 1);
            }
            for source in 0..sources {
                let mut judged = vec![0_usize; order];
                for rater in 0..raters {
                    judged[cyclic_symbol(rater, source, order)] += 1;
                }
                prop_assert!(judged.iter().max().unwrap() - judged.iter().min().unwrap() <= 1);
            }
        }

        #[test]
        fn each_block_comes_equally_often_at_each_place(order in 1..7_usize, start in 0..100_usize) {
            for place in 0..order {
                let blocks: BTreeSet<_> = (start..start + order)
                    .map(|row| block_order(row, order).nth(place).unwrap())
                    .collect();
                prop_assert_eq!(blocks.len(), order);
            }
        }

        #[test]
        fn rows_stay_balanced_while_raters_leave_and_come(
            order in 1..6_usize,
            leaves in prop::collection::vec(any::<Option<prop::sample::Index>>(), 1..40),
        ) {
            let (mut held, mut next) = (vec![], 0);
            for leaving in leaves {
                if let (Some(index), false) = (leaving, held.is_empty()) {
                    held.remove(index.index(held.len()));
                }
                let fewest = |held: &[usize]| {
                    (0..order).map(|row| held.iter().filter(|one| *one % order == row).count()).min()
                };
                let before = fewest(&held);
                let row = next_row(&held, next, order);
                prop_assert!(row >= next && !held.contains(&row));
                let there = held.iter().filter(|one| *one % order == row % order).count();
                prop_assert_eq!(Some(there), before);
                held.push(row);
                next = row + 1;
            }
        }
    }

    #[test]
    fn rows_follow_each_other_while_nobody_leaves() {
        let mut held = vec![];
        for number in 0..12 {
            assert_eq!(next_row(&held, number, 3), number);
            held.push(number);
        }
        // The third and the sixth left: they had the same row of the square.
        held.retain(|row| row % 6 != 2 && row % 6 != 5);
        assert_eq!(next_row(&held, 12, 3), 14);
    }
}
