//! The order and the scores of a group: the annotator gives both, and neither is derived from the other.

use crate::{category::Category, ids::OutputId, score::RatingScore};

/// A move of an output within its group.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OrderMove {
    /// Up by this many places, at most to the first.
    Up(usize),
    /// Down by this many places, at most to the last.
    Down(usize),
    /// To an index, from 0, at most the last.
    To(usize),
    /// To the first place.
    First,
    /// To the last place.
    Last,
}

/// The group after moving `output`; `None` if it does not move or is not in the group.
#[must_use]
pub fn move_output(group: &[OutputId], output: OutputId, by: OrderMove) -> Option<Vec<OutputId>> {
    let from = group.iter().position(|o| *o == output)?;
    let last = group.len() - 1;
    let to = match by {
        OrderMove::Up(n) => from.saturating_sub(n),
        OrderMove::Down(n) => from.saturating_add(n).min(last),
        OrderMove::To(at) => at.min(last),
        OrderMove::First => 0,
        OrderMove::Last => last,
    };
    (to != from).then(|| {
        let mut group = group.to_vec();
        group.remove(from);
        group.insert(to, output);
        group
    })
}

/// The order of all outputs with those of `group` in the order of `group`, in the places that they had among all.
#[must_use]
pub fn merge_order(all: &[OutputId], group: &[OutputId]) -> Vec<OutputId> {
    let mut next = group.iter();
    all.iter()
        .map(|output| {
            if group.contains(output) {
                next.next().unwrap_or(output)
            } else {
                output
            }
        })
        .copied()
        .collect()
}

/// `order` reduced to the outputs in `shown`, with missing ones appended.
#[must_use]
pub fn complete_order(order: &[OutputId], shown: &[OutputId]) -> Vec<OutputId> {
    let mut whole: Vec<OutputId> = vec![];
    for output in order.iter().filter(|o| shown.contains(o)).chain(shown) {
        if !whole.contains(output) {
            whole.push(*output);
        }
    }
    whole
}

/// Whether two orders differ within the groups only in the places of `moving`. Outputs of different groups have no
/// order among them.
#[must_use]
pub fn moves_only(
    before: &[OutputId],
    after: &[OutputId],
    moving: &[OutputId],
    group: &dyn Fn(OutputId) -> Category,
) -> bool {
    Category::ALL.iter().all(|category| {
        let stays = |output: &&OutputId| !moving.contains(output) && group(**output) == *category;
        before.iter().filter(stays).eq(after.iter().filter(stays))
    })
}

/// The group with the best score first; equal scores keep their order, unrated outputs come last.
#[must_use]
pub fn sort_by_score(
    group: &[OutputId],
    score: impl Fn(OutputId) -> Option<RatingScore>,
) -> Vec<OutputId> {
    // Insertion sort: a group is short, and the standard sort would add much code to the WebAssembly
    // module.
    let mut sorted: Vec<OutputId> = Vec::with_capacity(group.len());
    for output in group {
        let at = sorted.partition_point(|before| score(*before) >= score(*output));
        sorted.insert(at, *output);
    }
    sorted
}

/// An output that is rated higher than one placed before it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct OrderDisagreement {
    /// The output.
    pub output: OutputId,
    /// The nearest rated output before it with a lower score.
    pub before: OutputId,
    /// The index of `before`, from 0.
    pub place: usize,
    /// Whether the two are adjacent.
    pub adjacent: bool,
}

/// The disagreements between the order and the scores of a group. Ties agree with any order;
/// unrated outputs are skipped.
#[must_use]
pub fn find_disagreements(
    group: &[OutputId],
    score: impl Fn(OutputId) -> Option<RatingScore>,
) -> Vec<OrderDisagreement> {
    let scored_outputs = group
        .iter()
        .enumerate()
        .filter_map(|(at, output)| score(*output).map(|s| (at, *output, s)));
    let scored_outputs: Vec<_> = scored_outputs.collect();

    scored_outputs
        .windows(2)
        .filter(|pair| pair[1].2 > pair[0].2)
        .map(|pair| OrderDisagreement {
            output: pair[1].1,
            before: pair[0].1,
            place: pair[0].0,
            adjacent: pair[1].0 == pair[0].0 + 1,
        })
        .collect()
}

impl OrderDisagreement {
    /// The text on the row.
    #[must_use]
    pub fn sentence(&self) -> String {
        if self.adjacent {
            "Scored higher than the one above.".to_owned()
        } else {
            format!("Scored higher than number {}.", self.place + 1)
        }
    }
}

/// The announcement that an output has moved to index `place` of the `count` in its category.
#[must_use]
pub fn announce_place(category: Category, place: usize, count: usize) -> String {
    format!("Number {} of {count} in {}", place + 1, category.title())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::work::test_tasks::output;

    fn ids(numbers: &[u32]) -> Vec<OutputId> {
        numbers.iter().copied().map(output).collect()
    }

    #[test]
    fn an_output_moves_by_one_by_ten_and_to_a_place() {
        let group = ids(&[1, 2, 3, 4]);
        let check = |number, by, expect: Option<&[u32]>| {
            assert_eq!(
                move_output(&group, output(number), by),
                expect.map(ids),
                "{number} {by:?}"
            );
        };
        check(2, OrderMove::Up(1), Some(&[2, 1, 3, 4]));
        check(3, OrderMove::Up(10), Some(&[3, 1, 2, 4]));
        check(2, OrderMove::Down(10), Some(&[1, 3, 4, 2]));
        check(1, OrderMove::To(2), Some(&[2, 3, 1, 4]));
        check(1, OrderMove::To(99), Some(&[2, 3, 4, 1]));
        check(4, OrderMove::First, Some(&[4, 1, 2, 3]));
        check(1, OrderMove::Up(1), None);
        check(4, OrderMove::Last, None);
        check(9, OrderMove::First, None);
    }

    #[test]
    fn a_group_keeps_its_places_among_all() {
        assert_eq!(
            merge_order(&ids(&[1, 2, 3, 4, 5]), &ids(&[5, 3, 1])),
            ids(&[5, 2, 3, 4, 1])
        );
    }

    #[test]
    fn an_order_differs_in_nothing_but_what_may_move() {
        let check = |after: &[u32], moving: &[u32], expect| {
            let before = ids(&[1, 2, 3, 4]);
            let group = |output: OutputId| match output.0.as_u128() {
                4 => Category::Split,
                _ => Category::Paraphrase,
            };
            let after = ids(after);
            assert_eq!(moves_only(&before, &after, &ids(moving), &group), expect);
        };
        check(&[1, 2, 3, 4], &[], true);
        check(&[3, 1, 2, 4], &[3], true);
        check(&[3, 1, 2, 4], &[2], false);
        check(&[4, 1, 2, 3], &[], true);
        check(&[4, 2, 1, 3], &[2], true);
        check(&[1, 2, 3], &[4], true);
        check(&[1, 2, 3], &[2], false);
    }

    #[test]
    fn an_order_holds_each_shown_output_once() {
        assert_eq!(
            complete_order(&ids(&[3, 9, 3, 1]), &ids(&[1, 2, 3])),
            ids(&[3, 1, 2])
        );
    }

    #[test]
    fn ties_keep_their_order_and_unrated_outputs_come_last() {
        let score = |o: OutputId| match o.0.as_u128() {
            1 => Some(50),
            2 => None,
            3 => Some(70),
            4 => Some(50),
            _ => Some(0),
        };
        let score = |o| score(o).map(|s| crate::score::RatingScale::PERCENT.clamp(s));
        assert_eq!(
            sort_by_score(&ids(&[1, 2, 3, 4, 5]), score),
            ids(&[3, 1, 4, 5, 2])
        );
    }

    #[test]
    fn a_higher_score_below_a_lower_one_is_said() {
        let scores = [Some(60), None, Some(80), Some(80), Some(10)];
        let score = |o: OutputId| {
            let at = usize::try_from(o.0.as_u128()).ok()? - 1;
            scores[at].map(|s| crate::score::RatingScale::PERCENT.clamp(s))
        };
        let disagreements = find_disagreements(&ids(&[1, 2, 3, 4, 5]), score);
        assert_eq!(disagreements.len(), 1);
        assert_eq!(
            (disagreements[0].output, disagreements[0].before),
            (output(3), output(1))
        );
        assert_eq!(disagreements[0].sentence(), "Scored higher than number 1.");
        let disagreements = find_disagreements(&ids(&[1, 3]), score);
        assert_eq!(
            disagreements[0].sentence(),
            "Scored higher than the one above."
        );
    }
}
