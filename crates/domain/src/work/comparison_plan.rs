//! The choice of pairs of a source by what earlier comparisons leave uncertain.

use std::collections::HashSet;

use crate::{random::SeededRandom, statistics::pairwise::StrengthUncertainty};

/// The outputs of a source, by number, and its pairs that are planned already.
#[derive(Debug, Clone)]
pub struct ComparisonPlan<'a> {
    /// The number of the system that wrote each output, none twice.
    pub systems: &'a [usize],
    /// The pairs of outputs that stay, the smaller number first.
    pub planned: Vec<[usize; 2]>,
    /// The number of pairs to have in the end. There are more where outputs would be left out otherwise, and fewer
    /// where all pairs are planned.
    pub target: usize,
}

impl ComparisonPlan<'_> {
    /// Chooses pairs, one after the other: always the one whose outcome tells most about the strengths of the systems, on
    /// all dimensions together, after those chosen before. First come pairs with an output that is in none yet, so that
    /// each output is judged. Among equals the random `seed` decides.
    ///
    /// `uncertainties` holds one for each dimension; the chosen pairs are added to them.
    ///
    /// # Panics
    /// If a system is not among those of the uncertainties, or a planned pair names an output that is not there.
    #[must_use]
    pub fn choose(self, uncertainties: &mut [StrengthUncertainty], seed: u64) -> Vec<[usize; 2]> {
        let count = self.systems.len();
        let mut pairs = self.planned;
        let mut compared: HashSet<usize> = pairs.iter().flatten().copied().collect();
        for [a, b] in &pairs {
            plan_pair(self.systems, uncertainties, [*a, *b]);
        }

        let mut open: Vec<[usize; 2]> = (0..count)
            .flat_map(|a| (a + 1..count).map(move |b| [a, b]))
            .filter(|pair| !pairs.contains(pair))
            .collect();
        SeededRandom::new(seed).shuffle(&mut open);

        while !open.is_empty() && (pairs.len() < self.target || compared.len() < count) {
            let candidates = open.iter().enumerate().map(|(place, [a, b])| {
                let has_new_output = !compared.contains(a) || !compared.contains(b);
                let information: f64 = uncertainties
                    .iter()
                    .map(|open| open.expected_information(self.systems[*a], self.systems[*b]))
                    .sum();
                (place, has_new_output, information)
            });
            let best = candidates.max_by(|(_, first, information), (_, other, least)| {
                first.cmp(other).then(information.total_cmp(least))
            });
            let Some((place, ..)) = best else { break };

            let pair = open.swap_remove(place);
            plan_pair(self.systems, uncertainties, pair);
            compared.extend(pair);
            pairs.push(pair);
        }
        pairs
    }
}

/// Counts a comparison of two outputs, on each dimension.
fn plan_pair(systems: &[usize], uncertainties: &mut [StrengthUncertainty], [a, b]: [usize; 2]) {
    for uncertainty in uncertainties {
        uncertainty.plan_comparison(systems[a], systems[b]);
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::{
        ids::OutputId,
        protocol::CompareStep,
        statistics::{
            pairwise::{WinMatrix, bradley_terry},
            systems::WinTieLoss,
        },
        work::{comparisons::ComparisonDraw, test_tasks::output},
    };

    #[test]
    fn near_systems_are_compared_once_the_rest_is_settled() {
        let mut matrix = WinMatrix::new(4);
        // 0 and 1 are as strong as each other, 2 and 3 are far behind and far apart.
        for (a, b, wins, losses) in [
            (0, 1, 9, 9),
            (0, 2, 17, 1),
            (1, 2, 17, 1),
            (2, 3, 17, 1),
            (0, 3, 18, 1),
        ] {
            matrix.add(
                a,
                b,
                WinTieLoss {
                    wins,
                    ties: 0,
                    losses,
                },
            );
        }
        let plan = |target| ComparisonPlan {
            systems: &[0, 1, 2, 3],
            planned: vec![],
            target,
        };
        let choose = |target| plan(target).choose(&mut [StrengthUncertainty::new(&matrix)], 1);
        let three = choose(3);
        assert!(three.contains(&[0, 1]), "{three:?}");
        assert_eq!(choose(99).len(), 6);
    }

    #[test]
    fn pairs_that_are_planned_stay_and_a_new_output_is_compared() {
        let open = StrengthUncertainty::new(&WinMatrix::new(3));
        let plan = ComparisonPlan {
            systems: &[0, 1, 2],
            planned: vec![[0, 1]],
            target: 1,
        };
        let chosen = plan.choose(&mut [open], 1);
        assert_eq!(chosen[0], [0, 1]);
        assert!(chosen.len() == 2 && chosen[1].contains(&2), "{chosen:?}");
    }

    /// The number of the 2,640 pairs of systems whose order is estimated the wrong way round: of twelve systems, each with
    /// odds of e^⅓ against the next one, after thirty sources in which each output is in two comparisons, in forty
    /// simulations.
    fn count_wrong_orders(is_adaptive: bool) -> usize {
        const SYSTEMS: usize = 12;
        let truth = |system: usize| system as f64 / 3.0;
        let outputs: Vec<OutputId> = (1..=12).map(output).collect();
        let systems: Vec<usize> = (0..SYSTEMS).collect();
        let step = CompareStep {
            times: Some(2),
            ..CompareStep::default()
        };
        let draw_pairs = |source_seed: u64| {
            let draw = ComparisonDraw {
                step: &step,
                outputs: &outputs,
                planned: &[],
                source_seed,
                order_seed: 0,
                answered: &[],
                checks: &[],
            };
            let place = |of: &OutputId| outputs.iter().position(|one| one == of);
            let places = |pair: &Vec<OutputId>| Some([place(&pair[0])?, place(&pair[1])?]);
            draw.comparisons().iter().filter_map(places).collect()
        };
        let choose_pairs = |matrix: &WinMatrix, seed: u64| {
            let plan = ComparisonPlan {
                systems: &systems,
                planned: vec![],
                target: SYSTEMS,
            };
            plan.choose(&mut [StrengthUncertainty::new(matrix)], seed)
        };
        let mut wrong = 0;
        for simulation in 0..40 {
            let mut random = SeededRandom::new(simulation);
            let mut matrix = WinMatrix::new(SYSTEMS);
            for source in 0..30 {
                let seed = 100 * simulation + source;
                let pairs: Vec<[usize; 2]> = match is_adaptive {
                    true => choose_pairs(&matrix, seed),
                    false => draw_pairs(seed),
                };
                for [a, b] in pairs {
                    let chance = 1.0 / (1.0 + (truth(b) - truth(a)).exp());
                    let outcome = WinTieLoss {
                        wins: 1,
                        ..WinTieLoss::default()
                    };
                    match (random.below(1_000_000) as f64) < chance * 1e6 {
                        true => matrix.add(a, b, outcome),
                        false => matrix.add(b, a, outcome),
                    }
                }
            }
            let fit = bradley_terry(&matrix).expect("all are connected");
            let pairs = (0..SYSTEMS).flat_map(|a| (0..a).map(move |b| (a, b)));
            wrong += pairs
                .filter(|(a, b)| fit.strengths[*a] < fit.strengths[*b])
                .count();
        }
        wrong
    }

    #[test]
    fn chosen_pairs_tell_more_of_the_order_than_drawn_ones() {
        let (chosen, drawn) = (count_wrong_orders(true), count_wrong_orders(false));
        assert!(10 * chosen < 8 * drawn, "{chosen} and {drawn}");
    }

    proptest! {
        #[test]
        fn each_output_is_compared_and_no_pair_twice(
            count in 2_usize..20, target in 0_usize..60, seed: u64,
        ) {
            let systems: Vec<usize> = (0..count).collect();
            let plan = ComparisonPlan { systems: &systems, planned: vec![], target };
            let chosen = plan.choose(&mut [StrengthUncertainty::new(&WinMatrix::new(count))], seed);
            let pairs: HashSet<_> = chosen.iter().collect();
            let compared: HashSet<_> = chosen.iter().flatten().collect();
            let all = count * (count - 1) / 2;
            prop_assert_eq!((pairs.len(), compared.len()), (chosen.len(), count));
            prop_assert!(chosen.len() >= target.min(all));
            prop_assert!(chosen.len() <= target.max(count).min(all));
        }
    }
}
