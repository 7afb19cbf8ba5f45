//! Word alignments from corrected edits, in the columns of MultiMWA, for training an aligner.

use std::io::{BufWriter, Write};

use domain::{
    edit::{Edit, corrections::EditCorrections},
    ids::RaterId,
    study::{AssignmentState, RaterKind},
    text::{
        align::{
            Alignment,
            edit_links::{BaseAlignments, links_from_edits},
            gold::GoldPair,
            grid::AlignmentStyle,
        },
        tokenised_text::TokenisedText,
    },
};
use store::export::ExportedOutput;

use super::{AlignmentEdits, ExportContext, ExportFailure, OutputPages};

/// The columns after those of MultiMWA.
const FURTHER_COLUMNS: &str = "annotator\tstate\tsource_id\tsystem\tedits_version";

/// Writes a header, and one line for each output and annotator.
pub(super) fn write(
    context: &ExportContext,
    pages: &mut OutputPages,
    out: &mut dyn Write,
) -> Result<(), ExportFailure> {
    let mut out = BufWriter::new(out);
    writeln!(out, "{}\t{FURTHER_COLUMNS}", GoldPair::HEADER)?;

    pages.for_each_output(|output, _| {
        let accepted = context.request.edits == AlignmentEdits::WithAccepted;

        let mut aligned = None;
        for review in edit_reviews(|rater| context.summary.kind(rater), output)
            .filter(|review| review.corrected || accepted)
        {
            let aligned = match &aligned {
                Some(aligned) => aligned,
                None => aligned.insert(AlignedTexts::new(context, output)?),
            };
            writeln!(out, "{}", format_line(context, output, &review, aligned))?;
        }
        Ok(())
    })?;

    Ok(out.flush()?)
}

/// An annotator's review of the edits of an output.
pub(crate) struct EditReview<'a> {
    rater: RaterId,
    /// The edits after the review.
    pub(crate) edits: &'a [Edit],
    /// Whether they differ from the automatic edits.
    pub(crate) corrected: bool,
}

/// The reviews of all annotators, simulated ones included, who handed the source in, or the review on which they
/// agreed. `kind_of` returns the kind of a rater.
///
/// Leaves out outputs that were judged together with an earlier, identical one, and raters who are asked to look at the
/// output again or could not judge it: the edits they left need not be right.
pub(crate) fn edit_reviews<'a>(
    kind_of: impl Fn(RaterId) -> Option<RaterKind>,
    output: &'a ExportedOutput,
) -> impl Iterator<Item = EditReview<'a>> {
    let automatic = &output.automatic.edits;
    let handed_in = output.source.work.iter().filter(|work| {
        work.state == AssignmentState::HandedIn
            && matches!(
                kind_of(work.rater),
                Some(RaterKind::Person | RaterKind::Simulated)
            )
            && !work.to_check.contains(&output.output)
    });

    let agreed = output.edits.iter().map(|(rater, _)| *rater);
    let agreed = agreed.filter(|rater| kind_of(*rater) == Some(RaterKind::Consensus));
    let raters: Vec<_> = handed_in.map(|work| work.rater).chain(agreed).collect();

    let raters = raters.into_iter();
    let is_unjudged = |rater| output.unjudged.iter().any(|own| own.rater == rater);
    let raters = raters.filter(move |rater| output.twin_of.is_none() && !is_unjudged(*rater));

    raters.map(move |rater| {
        let own = output.edits.iter().find(|(own, _)| *own == rater);
        let edits = own.map_or(automatic, |(_, edits)| edits);
        let compare =
            || EditCorrections::from_edits(automatic, edits, &output.source.text, &output.text);
        EditReview {
            rater,
            edits,
            corrected: own.is_some() && compare().has_corrections(),
        }
    })
}

/// The texts of an output and its source, with the alignments from which words that edits leave open are linked.
struct AlignedTexts {
    source: TokenisedText,
    output: TokenisedText,
    within_edits: Alignment,
    outside_edits: Alignment,
}

impl AlignedTexts {
    fn new(context: &ExportContext, output: &ExportedOutput) -> Result<Self, ExportFailure> {
        let source = TokenisedText::new(&output.source.text);
        let text = TokenisedText::new(&output.text);
        let aligned = |style| {
            (context.tools.aligner.align)(&source, &text, style).map_err(ExportFailure::Align)
        };

        let (within, outside) = (
            aligned(AlignmentStyle::Phrasal)?,
            aligned(AlignmentStyle::Word)?,
        );

        Ok(Self {
            source,
            output: text,
            within_edits: within,
            outside_edits: outside,
        })
    }
}

fn format_line(
    context: &ExportContext,
    output: &ExportedOutput,
    review: &EditReview<'_>,
    texts: &AlignedTexts,
) -> String {
    let base = BaseAlignments {
        within: &texts.within_edits,
        outside: &texts.outside_edits,
    };
    let links = links_from_edits(&texts.source, &texts.output, review.edits, base);

    let columns = [
        GoldPair::from_texts(&texts.source, &texts.output, links).line(&output.output.to_string()),
        collapse_whitespace(context.summary.label(review.rater)),
        match review.corrected {
            true => "corrected".to_owned(),
            false => "accepted".to_owned(),
        },
        collapse_whitespace(&output.source.key),
        collapse_whitespace(&output.system),
        collapse_whitespace(&output.automatic.edits_version),
    ];
    columns.join("\t")
}

/// A cell in which each run of white space, tabs and line ends included, is one space.
fn collapse_whitespace(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}
