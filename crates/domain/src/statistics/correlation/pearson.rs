//! Linear correlation, of values and of ranks.

use super::{
    super::{
        UndefinedReason,
        describe::mean,
        distribution::{normal_within, t_two_sided},
        ranks::average_ranks,
    },
    Correlation, split_sides,
};

/// Pearson's r with the two-sided p of t = r√((n−2)/(1−r²)), which holds for normal data.
///
/// # Errors
/// [`UndefinedReason::TooFew`] below three pairs, [`UndefinedReason::Constant`] where one side does not vary.
pub fn pearson(pairs: &[(f64, f64)]) -> Result<Correlation, UndefinedReason> {
    let (x, y) = split_sides(pairs, 3)?;
    correlate_sides(&x, &y)
}

/// Spearman's ρ: Pearson's r of average ranks, which accounts for ties. The p-value is that of
/// t with n−2 degrees of freedom, an approximation for small n.
///
/// # Errors
/// As [`pearson`].
pub fn spearman(pairs: &[(f64, f64)]) -> Result<Correlation, UndefinedReason> {
    let (x, y) = split_sides(pairs, 3)?;
    correlate_sides(&average_ranks(&x), &average_ranks(&y))
}

/// The interval of Pearson's r by Fisher's transformation, tanh(artanh r ± z/√(n−3)). With three
/// pairs it is the whole range from −1 to 1.
#[must_use]
pub fn fisher_interval(found: &Correlation, confidence: f64) -> (f64, f64) {
    if found.n <= 3 {
        return (-1.0, 1.0);
    }
    let width = normal_within(confidence) / (found.n as f64 - 3.0).sqrt();
    let centre = found.coefficient.atanh();
    ((centre - width).tanh(), (centre + width).tanh())
}

fn correlate_sides(x: &[f64], y: &[f64]) -> Result<Correlation, UndefinedReason> {
    let n = x.len();
    let (mean_x, mean_y) = (mean(x), mean(y));
    let (mut xx, mut yy, mut xy) = (0.0, 0.0, 0.0);
    for (x, y) in x.iter().zip(y) {
        let (dx, dy) = (x - mean_x, y - mean_y);
        xx += dx * dx;
        yy += dy * dy;
        xy += dx * dy;
    }

    if xx == 0.0 || yy == 0.0 {
        // The differences are so small that their squares are 0.
        return Err(UndefinedReason::Constant);
    }

    let r = (xy / xx.sqrt() / yy.sqrt()).clamp(-1.0, 1.0);
    let df = n as f64 - 2.0;
    let t = r * (df / ((1.0 - r) * (1.0 + r))).sqrt();
    Ok(Correlation {
        coefficient: r,
        p: t_two_sided(t, df)?,
        n,
    })
}
