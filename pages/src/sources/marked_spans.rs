//! The spans that raters marked in an output and its source.

use domain::span_marks::{
    SpanMark,
    taxonomy::{MarkedSides, SpanTaxonomy},
};
use leptos::prelude::*;

/// Each rater's marks: type, level, and the words of the source that became words of the output.
#[component]
pub(super) fn RaterMarks(
    source: String,
    output: String,
    /// The marks by rater's pseudonym.
    marks: Vec<(String, Vec<SpanMark>)>,
) -> impl IntoView {
    let rater = |(label, marks): (String, Vec<SpanMark>)| {
        let mark = |mark: SpanMark| {
            let words = describe_words(&mark, &source, &output);
            let level = mark.level.map(|level| view! { " · " {level} });
            view! { <li><b>{mark.kind}</b> {level} ": " {words}</li> }
        };
        let list = match marks.is_empty() {
            true => view! { <p class="soft">"Nothing to mark."</p> }.into_any(),
            false => view! { <ol>{marks.into_iter().map(mark).collect_view()}</ol> }.into_any(),
        };
        view! { <div class="rater-marks"><h4 class="soft">{label}</h4> {list}</div> }
    };

    (!marks.is_empty()).then(|| {
        view! {
            <section class="marked-spans">
                <h4>"Marked spans"</h4>
                {marks.into_iter().map(rater).collect_view()}
            </section>
        }
    })
}

/// The marked words: “old words” → “new words”, or what was left out or added.
pub fn describe_words(mark: &SpanMark, source: &str, output: &str) -> String {
    let words = |spans: &[domain::span::Span], text: &str| {
        let words = spans.iter().filter_map(|span| span.slice(text));
        words.collect::<Vec<_>>().join(" … ")
    };
    let (from, to) = (words(&mark.source, source), words(&mark.output, output));

    // An added sentence end is an empty place in the output.
    if let ([], [place]) = (mark.source.as_slice(), mark.output.as_slice())
        && place.is_empty()
    {
        let before = output.get(..place.start).unwrap_or_default();
        let word = before.split_whitespace().next_back().unwrap_or_default();
        return format!("after “{word}” (output)");
    }

    match (from.is_empty(), to.is_empty()) {
        (false, false) => format!("“{from}” → “{to}”"),
        (false, true) => format!("“{from}” (source)"),
        (true, false) => format!("“{to}” (output)"),
        (true, true) => "words that are no longer in the texts".to_owned(),
    }
}

/// Explains how to write marks, or edits, as lines, with the existing types. `noun` names a mark or
/// an edit.
#[must_use]
pub fn explain_mark_lines(noun: &str, taxonomy: &SpanTaxonomy) -> AnyView {
    let example = taxonomy.types.first().map(|kind| {
        let words = match kind.sides {
            MarkedSides::Both => "words of the source -> words of the output",
            MarkedSides::Source => "words of the source",
            MarkedSides::Output => "words of the output",
        };
        format!("{}: {words}", kind.name)
    });

    let names = taxonomy.types.iter().map(|kind| match kind.sides {
        MarkedSides::Output => kind.name.clone(),
        MarkedSides::Source => format!("{} (words of the source)", kind.name),
        MarkedSides::Both => format!("{} (words of both texts)", kind.name),
    });
    let names = names.collect::<Vec<_>>().join(", ");

    view! {
        {format!("Write each {noun} on a line of its own, as ")} <code>{example}</code>
        ", with the words as they appear in the text. Put “ … ” between stretches that belong together. Types: " {names} "."
    }
    .into_any()
}

#[cfg(test)]
mod tests {
    use domain::span::Span;

    use super::*;

    #[test]
    fn words_are_quoted_from_both_texts() {
        let (source, output) = ("The old ferry sank.", "The boat sank. It was old.");
        let check = |source_spans: &[(usize, usize)], output_spans: &[(usize, usize)], expect| {
            let spans = |places: &[(usize, usize)]| {
                let spans = places.iter().map(|(start, end)| Span::new(*start, *end));
                spans.collect()
            };
            let mark = SpanMark {
                source: spans(source_spans),
                output: spans(output_spans),
                ..SpanMark::default()
            };
            assert_eq!(describe_words(&mark, source, output), expect);
        };
        check(&[(8, 13)], &[(4, 8)], "“ferry” → “boat”");
        check(&[(4, 7)], &[], "“old” (source)");
        check(&[], &[(0, 3), (15, 17)], "“The … It” (output)");
        check(&[(50, 60)], &[], "words that are no longer in the texts");
    }
}
