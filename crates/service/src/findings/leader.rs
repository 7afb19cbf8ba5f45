use super::names_or_count;

/// One of several items, such as metrics, with its value and interval.
#[derive(Debug, Clone, PartialEq)]
pub struct LeaderCandidate<'a> {
    /// The name of the item.
    pub name: &'a str,
    /// The value; a larger one is better.
    pub value: f64,
    /// The ends of its 95 % interval; `None` if there is none.
    pub interval: Option<(f64, f64)>,
}

/// The verb phrases of a sentence on the leader.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LeaderPhrases {
    /// For one leader: “follows ratings most closely”.
    pub one: &'static str,
    /// For several with the same value: “follow ratings most closely”.
    pub several: &'static str,
}

/// A sentence that names the items with the largest value, and those that cannot be told apart from them: all whose
/// interval overlaps with a leader's, or that have none. Requiring that 95 % intervals do not overlap is stricter than
/// a test at .05, which leaves room for the number of comparisons. `None` without values.
#[must_use]
pub fn leader_sentence(
    candidates: &[LeaderCandidate<'_>],
    phrases: LeaderPhrases,
) -> Option<String> {
    let best = candidates
        .iter()
        .map(|candidate| candidate.value)
        .reduce(f64::max)?;

    let (leaders, others): (Vec<&LeaderCandidate<'_>>, Vec<&LeaderCandidate<'_>>) = candidates
        .iter()
        .partition(|candidate| candidate.value >= best);

    let overlaps = |other: &LeaderCandidate<'_>| {
        leaders
            .iter()
            .any(|leader| match (leader.interval, other.interval) {
                (Some((low, _)), Some((_, high))) => high >= low,
                _ => true,
            })
    };

    let names: Vec<_> = leaders.iter().map(|leader| leader.name).collect();
    let near: Vec<_> = others
        .iter()
        .filter(|other| overlaps(other))
        .map(|other| other.name)
        .collect();

    let (verb, them) = match names.len() {
        1 => (phrases.one, "it"),
        _ => (phrases.several, "them"),
    };

    let claim = format!("{} {verb}", names_or_count(&names, "tied leader"));
    Some(match near.len() {
        0 => claim,
        number if number == others.len() && number > 1 => {
            format!("{claim}, but cannot be told apart from any other")
        }
        _ => format!(
            "{claim}; {} cannot be told apart from {them}",
            names_or_count(&near, "other")
        ),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const PHRASES: LeaderPhrases = LeaderPhrases {
        one: "leads",
        several: "lead",
    };

    fn candidate(name: &str, value: f64, half: f64) -> LeaderCandidate<'_> {
        LeaderCandidate {
            name,
            value,
            interval: Some((value - half, value + half)),
        }
    }

    fn sentence(candidates: &[LeaderCandidate<'_>]) -> String {
        leader_sentence(candidates, PHRASES).unwrap()
    }

    #[test]
    fn who_leads_is_said_with_who_is_near() {
        let clear = [candidate("a", 0.9, 0.1), candidate("b", 0.5, 0.1)];
        assert_eq!(sentence(&clear), "a leads");
        assert_eq!(sentence(&clear[1..]), "b leads");

        let near = [
            candidate("b", 0.75, 0.1),
            candidate("a", 0.9, 0.1),
            candidate("c", 0.1, 0.1),
        ];
        assert_eq!(sentence(&near), "a leads; b cannot be told apart from it");
        assert_eq!(
            sentence(&near[..2]),
            "a leads; b cannot be told apart from it"
        );
    }

    #[test]
    fn ties_and_missing_intervals_claim_nothing() {
        let tied = [
            candidate("a", 0.9, 0.1),
            candidate("b", 0.9, 0.1),
            candidate("c", 0.8, 0.1),
        ];
        assert_eq!(
            sentence(&tied),
            "a and b lead; c cannot be told apart from them"
        );

        let unknown = |name| LeaderCandidate {
            interval: None,
            ..candidate(name, 0.1, 0.0)
        };

        let open = [candidate("a", 0.9, 0.1), unknown("b"), unknown("c")];
        assert_eq!(
            sentence(&open),
            "a leads, but cannot be told apart from any other"
        );
        assert_eq!(leader_sentence(&[], PHRASES), None);
    }

    #[test]
    fn many_that_are_near_are_counted() {
        let names = ["a", "b", "c", "d", "e", "f"];
        let mut many: Vec<_> = (0..5)
            .map(|at| candidate(names[at], 0.9 - 0.01 * at as f64, 0.1))
            .collect();
        many.push(candidate("f", 0.1, 0.1));
        assert_eq!(
            sentence(&many),
            "a leads; 4 others cannot be told apart from it"
        );
    }
}
