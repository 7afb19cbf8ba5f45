//! Word alignments as corrected edits show them: lines as MultiMWA has them, for training.

use std::io::{BufWriter, Write};

use domain::{
    edit::{Edit, corrections::EditCorrections},
    ids::RaterId,
    study::AssignmentState,
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

use super::{AlignmentEdits, ExportContext, ExportFailure, ExportSummary, OutputPages};

/// The columns after those of MultiMWA.
const MORE_COLUMNS: &str = "annotator\tstate\tsource_id\tsystem\tedits_version";

/// Writes a header, and a line an output and annotator.
pub(super) fn write(
    about: &ExportContext,
    pages: &mut OutputPages,
    out: &mut dyn Write,
) -> Result<(), ExportFailure> {
    let mut out = BufWriter::new(out);
    writeln!(out, "{}\t{MORE_COLUMNS}", GoldPair::HEADER)?;
    pages.for_each_output(|output, _| {
        let accepted = about.request.edits == AlignmentEdits::WithAccepted;
        let mut aligned = None;
        for look in edit_reviews(&about.summary, output).filter(|look| look.corrected || accepted) {
            let aligned = match &aligned {
                Some(aligned) => aligned,
                None => aligned.insert(AlignedTexts::new(about, output)?),
            };
            writeln!(out, "{}", format_line(about, output, &look, aligned))?;
        }
        Ok(())
    })?;
    Ok(out.flush()?)
}

/// An annotator's look at the edits of an output.
pub(super) struct EditReview<'a> {
    rater: RaterId,
    /// The edits as they left them.
    edits: &'a [Edit],
    /// Whether these are others than the automatic ones.
    pub(super) corrected: bool,
}

/// The looks of all who handed the source in, none at an output that another is judged for.
pub(super) fn edit_reviews<'a>(
    facts: &'a ExportSummary,
    output: &'a ExportedOutput,
) -> impl Iterator<Item = EditReview<'a>> {
    let automatic = &output.automatic.edits;
    let handed_in = output.source.work.iter().filter(|work| {
        work.state == AssignmentState::HandedIn
            && output.twin_of.is_none()
            && facts.is_person(work.rater)
    });
    handed_in.map(move |work| {
        let own = output.edits.iter().find(|(rater, _)| *rater == work.rater);
        let edits = own.map_or(automatic, |(_, edits)| edits);
        let compare =
            || EditCorrections::from_edits(automatic, edits, &output.source.text, &output.text);
        EditReview {
            rater: work.rater,
            edits,
            corrected: own.is_some() && compare().has_corrections(),
        }
    })
}

/// The texts of an output and its source, with what links words where edits leave it open.
struct AlignedTexts {
    source: TokenisedText,
    output: TokenisedText,
    within_edits: Alignment,
    outside_edits: Alignment,
}

impl AlignedTexts {
    fn new(about: &ExportContext, output: &ExportedOutput) -> Result<Self, ExportFailure> {
        let source = TokenisedText::new(&output.source.text);
        let text = TokenisedText::new(&output.text);
        let aligned =
            |style| (about.aligner.align)(&source, &text, style).map_err(ExportFailure::Align);
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
    about: &ExportContext,
    output: &ExportedOutput,
    look: &EditReview<'_>,
    of: &AlignedTexts,
) -> String {
    let base = BaseAlignments {
        within: &of.within_edits,
        outside: &of.outside_edits,
    };
    let links = links_from_edits(&of.source, &of.output, look.edits, base);
    let columns = [
        GoldPair::from_texts(&of.source, &of.output, links).line(&output.output.to_string()),
        collapse_whitespace(about.summary.label(look.rater)),
        match look.corrected {
            true => "corrected".to_owned(),
            false => "accepted".to_owned(),
        },
        collapse_whitespace(&output.source.key),
        collapse_whitespace(&output.system),
        collapse_whitespace(&output.automatic.edits_version),
    ];
    columns.join("\t")
}

/// A cell without tabs and line ends.
fn collapse_whitespace(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}
