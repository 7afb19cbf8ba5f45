//! Whether the likelihood has a maximum at finite parameters.

use super::WinMatrix;

/// Whether every two systems were compared, directly or through others.
pub(super) fn is_connected(matrix: &WinMatrix) -> bool {
    reaches_all(matrix.systems(), |a, b| matrix.counts(a, b).total() > 0)
}

/// Whether exactly one maximum exists at finite strengths and, where there are ties, a finite tie parameter.
///
/// Without ties it does if and only if, of every two groups that the systems are split into, each beat the
/// other somewhere: the graph of wins is strongly connected (Ford 1957). With ties the log-likelihood is that of a
/// multinomial model linear in the log strengths θ and in η = ln ν. It keeps rising in a direction (δ, ε)
/// if no observed outcome becomes less likely: δᵢ − δⱼ ≥ 2ε where i beat j, and |δᵢ − δⱼ| ≤ 2ε where
/// they tied. With ε = 0 that is impossible if wins and ties, which count both ways, connect the graph
/// strongly; with ε > 0 (for the difference constraints to contradict each other) if on some cycle wins
/// outnumber ties.
pub(super) fn has_finite_maximum(matrix: &WinMatrix) -> bool {
    let systems = matrix.systems();
    let has_ties = matrix.pairs().any(|(_, _, counts)| counts.ties > 0);
    reaches_all(systems, |a, b| won_or_tied(matrix, a, b))
        && reaches_all(systems, |a, b| won_or_tied(matrix, b, a))
        && (!has_ties || wins_outnumber_ties_on_a_cycle(matrix))
}

/// Whether a ever beat b or tied with it.
fn won_or_tied(matrix: &WinMatrix, a: usize, b: usize) -> bool {
    let counts = matrix.counts(a, b);
    counts.wins + counts.ties > 0
}

/// Whether paths along the edges lead from the first system to all others.
fn reaches_all(systems: usize, edge: impl Fn(usize, usize) -> bool) -> bool {
    let mut unreached: Vec<usize> = (1..systems).collect();
    let mut open = vec![0];
    while let Some(from) = open.pop() {
        let reached = unreached.extract_if(.., |to| edge(from, *to));
        open.extend(reached);
    }
    unreached.is_empty()
}

/// Whether a cycle has more wins than ties: a negative cycle, where a win is an edge of length −1 and a tie
/// one of length 1 in both directions (Bellman and Ford).
fn wins_outnumber_ties_on_a_cycle(matrix: &WinMatrix) -> bool {
    // Nearly always some pair of systems is such a cycle.
    if matrix
        .pairs()
        .any(|(_, _, counts)| counts.wins > 0 && counts.losses > 0)
    {
        return true;
    }

    let systems = matrix.systems();
    let mut distances = vec![0_i64; systems];
    for _ in 0..=systems {
        let mut shorter = false;
        for from in 0..systems {
            for to in 0..systems {
                let counts = matrix.counts(from, to);
                let length = match (counts.wins, counts.ties) {
                    (0, 0) => continue,
                    (0, _) => 1,
                    _ => -1,
                };
                if distances[from] + length < distances[to] {
                    distances[to] = distances[from] + length;
                    shorter = true;
                }
            }
        }
        if !shorter {
            return false;
        }
    }
    true
}

#[cfg(test)]
mod tests {
    use super::{super::WinTieLoss, *};

    /// A matrix of (a, b, wins of a, ties, losses).
    fn matrix(systems: usize, pairs: &[(usize, usize, usize, usize, usize)]) -> WinMatrix {
        let mut matrix = WinMatrix::new(systems);
        for (a, b, wins, ties, losses) in pairs.iter().copied() {
            let counts = WinTieLoss { wins, ties, losses };
            matrix.add(a, b, counts);
        }
        matrix
    }

    #[test]
    fn a_maximum_needs_defeats_of_every_group() {
        for (systems, pairs, expected) in [
            (2, &[(0, 1, 3, 0, 1)][..], true),
            (2, &[(0, 1, 3, 0, 0)], false),
            // A circle of wins.
            (
                3,
                &[(0, 1, 1, 0, 0), (1, 2, 1, 0, 0), (2, 0, 1, 0, 0)],
                true,
            ),
            (3, &[(0, 1, 1, 0, 1), (1, 2, 1, 0, 0)], false),
            // The third system was compared with nobody.
            (3, &[(0, 1, 1, 0, 1)], false),
            // Three outcomes, two parameters: a share of no defeats is at infinity.
            (2, &[(0, 1, 3, 2, 0)], false),
            (2, &[(0, 1, 3, 2, 1)], true),
            (2, &[(0, 1, 0, 2, 0)], false),
            // A tie closes the circle, and wins outnumber it.
            (
                3,
                &[(0, 1, 1, 0, 0), (1, 2, 1, 0, 0), (2, 0, 0, 1, 0)],
                true,
            ),
            (
                3,
                &[(0, 1, 1, 0, 0), (1, 2, 0, 1, 0), (2, 0, 0, 1, 0)],
                false,
            ),
        ] {
            let matrix = matrix(systems, pairs);
            assert_eq!(has_finite_maximum(&matrix), expected, "{pairs:?}");
        }
    }

    #[test]
    fn comparisons_connect_systems_through_others() {
        assert!(is_connected(&matrix(
            3,
            &[(0, 1, 1, 0, 0), (1, 2, 0, 0, 1)]
        )));
        assert!(!is_connected(&matrix(
            4,
            &[(0, 1, 1, 0, 1), (2, 3, 1, 0, 1)]
        )));
    }
}
