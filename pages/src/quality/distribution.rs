use domain::{
    score::RatingScale,
    statistics::quality::{Histogram, HistogramBin, RaterQuality},
};
use leptos::prelude::*;

use super::rater_facts::percent;
use crate::charts::decimal;
use service::figures::RaterQualityEntry;
use store::Rater;

/// The distribution of every rater's scores as a table, folded away; nothing without scores.
#[component]
pub fn Distribution(
    /// The raters in the order shown.
    raters: Vec<RaterQualityEntry>,
) -> impl IntoView {
    let with_scores = raters.iter();
    let with_scores = with_scores.filter_map(|entry| Some((&entry.rater, entry.scores.as_ref()?)));
    let bins = with_scores.clone().next();
    let bins = bins.map(|(_, scores)| scores.histogram.bins.clone())?;

    let head = |bin: &HistogramBin| view! { <th scope="col" class="number">{bin_label(bin)}</th> };
    let row = |(rater, scores): (&Rater, &RaterQuality)| {
        let shares = shares(scores).into_iter();
        let cell = |share: f64| view! { <td class="number">{decimal(100.0 * share, 1)}</td> };
        view! {
            <tr>
                <th scope="row">{rater.label.clone()}</th>
                {shares.map(cell).collect_view()}
                <td class="number">{scores.histogram.outside}</td>
            </tr>
        }
    };

    Some(view! {
        <details class="terms spread">
            <summary>"The distribution of scores as a table"</summary>
            <div class="table-scroll" role="group" aria-label="The distribution of scores" tabindex="0">
                <table>
                    <caption>"Of each rater's scores, in percent; the last column counts scores."</caption>
                    <thead>
                        <tr>
                            <th scope="col">"Rater"</th>
                            {bins.iter().map(head).collect_view()}
                            <th scope="col" class="number">"Off the scale"</th>
                        </tr>
                    </thead>
                    <tbody>{with_scores.map(row).collect_view()}</tbody>
                </table>
            </div>
        </details>
    })
}

/// The share of scores in each bin, of all scores.
fn shares(of: &RaterQuality) -> Vec<f64> {
    let all = of.ratings.max(1) as f64;
    let bins = of.histogram.bins.iter();
    bins.map(|bin| bin.count as f64 / all).collect()
}

/// The share of scores in the fullest bin.
pub fn highest_share(of: &RaterQuality) -> f64 {
    shares(of).into_iter().fold(0.0, f64::max)
}

/// The heights of the bars, where `top` is the highest of all raters.
pub fn bar_heights(of: &RaterQuality, top: f64) -> Vec<f64> {
    let shares = shares(of).into_iter();
    shares
        .map(|share| if top > 0.0 { share / top } else { 0.0 })
        .collect()
}

/// The position of a value along the bars: 0 to 1.
pub fn relative_position(value: f64, of: &Histogram) -> f64 {
    match &of.bins[..] {
        [first, .., last] => (value - first.low) / (last.high - first.low),
        _ => 0.5,
    }
}

/// The drawing in words.
pub fn describe_distribution(label: &str, of: &RaterQuality, scale: RatingScale) -> String {
    let fullest = of.histogram.bins.iter().rev().max_by_key(|bin| bin.count);
    let most = fullest.map(|bin| {
        let share = percent(highest_share(of));
        format!("; most often {} ({share})", bin_label(bin))
    });
    let mean = decimal(of.mean, scale.decimals());
    format!("Scores of {label}: mean {mean}{}", most.unwrap_or_default())
}

/// The range of a bin: “20–25”, or a single number.
fn bin_label(bin: &HistogramBin) -> String {
    let middle = f64::midpoint(bin.low, bin.high);
    if bin.high - bin.low == 1.0 && middle.fract() == 0.0 {
        return decimal(middle, 0);
    }
    let decimals = usize::from(bin.low.fract() != 0.0 || bin.high.fract() != 0.0);
    format!(
        "{}–{}",
        decimal(bin.low, decimals),
        decimal(bin.high, decimals)
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bins_are_named_by_their_numbers() {
        let names = |scale| {
            let bins = Histogram::from_values(&[], scale).bins;
            (bin_label(&bins[0]), bin_label(&bins[bins.len() - 1]))
        };
        assert_eq!(names(RatingScale::PERCENT), ("0–5".into(), "95–100".into()));
        assert_eq!(names(RatingScale::LIKERT), ("−2".into(), "2".into()));
    }

    #[test]
    fn a_mean_lies_along_the_bars() {
        let percent = Histogram::from_values(&[], RatingScale::PERCENT);
        assert_eq!(relative_position(25.0, &percent), 0.25);
        assert_eq!(
            relative_position(0.0, &Histogram::from_values(&[], RatingScale::LIKERT)),
            0.5
        );
    }
}
