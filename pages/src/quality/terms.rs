use domain::statistics::quality::{
    FEWEST_TIMES, FLAT_OUTPUTS, FLAT_SPAN, LEAST_MS_AN_OUTPUT, LONG_SCALE, MOST_SHORT_STEPS,
    OUTLIER_CUTOFF, WORDS_A_SECOND,
};
use leptos::prelude::*;

/// The exact meaning of each figure, and the value from which it is pointed out.
#[component]
pub fn Terms() -> impl IntoView {
    let flat = 100.0 * FLAT_SPAN;
    let entries = [
        ("Mean, standard deviation", "Of all the rater's scores on the dimension, the population's standard \
            deviation. If all scores are the same, there are no z-scores, and that is pointed out.".to_owned()),
        ("Multiples of 5, of 10", format!("The share of scores that are round numbers, on scales of \
            more than {} points. Of all whole numbers from 0 to 100, 21 % are multiples of 5 and \
            11 % of 10. Pointed out from 80 % multiples of 10, or of 5, of 20 scores or more.", MOST_SHORT_STEPS + 1)),
        ("Flat sources", format!("Sources with {FLAT_OUTPUTS} or more rated outputs whose scores span at \
            most {flat:.0} % of the scale. Pointed out from 20 % of 5 sources or more, on scales of {LONG_SCALE} points \
            or more.")),
        ("Longest run", format!("The most scores in a row that are exactly the same, source by source in the \
            order in which these were imported, across sources. Pointed out from 10, on scales of {LONG_SCALE} points or \
            more.")),
        ("α without the rater", "Interval Krippendorff's α of the z-scores of all others, and in brackets by how \
            much it is above (+) or below (−) α of all. Pointed out from +0.02.".to_owned()),
        ("α in pairs", "The mean of α with each of the other raters alone, over the outputs that both \
            rated.".to_owned()),
        ("Median time", "Of the active time on each source: from the first touch to the last interaction, without \
            idle time and time out of sight.".to_owned()),
        ("Unusually fast, slow", format!("Sources whose time t is an outlier among those of all raters: \
            |ln t − median| > {OUTLIER_CUTOFF} · 1.4826 · MAD, with MAD the median absolute deviation of ln t; from \
            {FEWEST_TIMES} times on. Fast ones are pointed out from 10 % of 5 sources or more.")),
        ("Faster than reading", format!("Sources done in less active time than anyone needs to read the source \
            and its different outputs, at {WORDS_A_SECOND} words a second, or in less than {} s an output; \
            whatever the others do. Pointed out from one source on.", LEAST_MS_AN_OUTPUT / 1_000.0)),
        ("Order against scores", "Of the pairs of outputs in the same category of the rater that have different \
            scores, those where the lower-placed one has the higher score; only orders that the rater set. \
            Pointed out from 5 % of 20 pairs or more.".to_owned()),
        ("Categories changed", "Outputs that the rater put in a category other than the automatic one, of all in \
            submitted sources.".to_owned()),
        ("Edits corrected", "The correction rate: automatic edits changed or removed, and edits added, of \
            the automatic and the added ones together.".to_owned()),
        ("Copies of the source", "The mean score of outputs that are the unchanged source; the guidelines \
            say what they should get.".to_owned()),
        ("Scrambled outputs", "Of outputs whose words were scrambled: the mean score, and (“lower”) how many scored below the output that they were made \
            from; a tie is not below. Pointed out where 25 % of 3 or more did not.".to_owned()),
        ("Scrambled lost", "Comparisons that scrambled outputs lost against the output that they were made from. A tie \
            is no loss.".to_owned()),
        ("Same choice again", "Comparisons that came twice, with an output shown a second time, and ended alike. \
            Attentive raters change their mind about outputs that are about as good.".to_owned()),
        ("Without, with marks", "Unchanged copies in which nothing was marked, and scrambled outputs in which \
            something was; of repeated outputs, F1 of the marked characters with the first marks.".to_owned()),
        ("Repeated outputs", "How far the two scores of an output that was shown twice lie apart, on \
            average. Pointed out from 15 % of the scale, and from one point, of 3 or more.".to_owned()),
        ("Attention items passed", "Sources with known answers that the rater answered as expected, of those that tell \
            something. Pointed out where 25 % of 2 or more were not.".to_owned()),
    ];
    let entry = |(term, meaning): (&'static str, String)| {
        view! { <div><dt>{term}</dt><dd>{meaning}</dd></div> }
    };

    view! {
        <details class="terms">
            <summary>"What the figures mean"</summary>
            <dl class="meanings" id="terms">{entries.map(entry).collect_view()}</dl>
            <p class="soft">
                "Scores are those chosen above; time, order, categories, edits and quality control are of submitted \
                 sources. Annotators judge identical outputs once, and they count once; files may \
                 list them several times. Training, qualification and attention items do not count, and neither does anyone who \
                 withdrew."
            </p>
        </details>
    }
}
