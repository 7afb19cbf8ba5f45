//! Word alignments as corrected edits show them: lines as MultiMWA has them, for training.

use std::io::{BufWriter, Write};

use domain::{
    edit::{Edit, corrections::Corrections},
    ids::RaterId,
    study::AssignmentState,
    text::{
        align::{
            corrected::{Base, links},
            gold::GoldPair,
            grid::Style,
        },
        tokenised::Tokenised,
    },
};
use learn::encoder::EncoderError;
use store::export::ExportedOutput;

use super::{About, Edits, Facts, Failure, Pages};

/// Writes a line an output and annotator.
pub(super) fn write(about: &About, pages: &mut Pages, out: &mut dyn Write) -> Result<(), Failure> {
    let mut out = BufWriter::new(out);
    pages.each(|output, _| {
        let accepted = about.asked.edits == Edits::WithAccepted;
        for look in looks(&about.facts, output).filter(|look| look.corrected || accepted) {
            writeln!(out, "{}", line(about, output, &look)?)?;
        }
        Ok(())
    })?;
    Ok(out.flush()?)
}

/// An annotator's look at the edits of an output.
pub(super) struct Look<'a> {
    rater: RaterId,
    /// The edits as they left them.
    edits: &'a [Edit],
    /// Whether these are others than the automatic ones.
    pub(super) corrected: bool,
}

/// The looks of all who handed the source in, none at an output that another is judged for.
pub(super) fn looks<'a>(
    facts: &'a Facts,
    output: &'a ExportedOutput,
) -> impl Iterator<Item = Look<'a>> {
    let automatic = &output.automatic.edits;
    let handed_in = output.source.work.iter().filter(|work| {
        work.state == AssignmentState::HandedIn
            && output.twin_of.is_none()
            && facts.is_person(work.rater)
    });
    handed_in.map(move |work| {
        let own = output.edits.iter().find(|(rater, _)| *rater == work.rater);
        let edits = own.map_or(automatic, |(_, edits)| edits);
        let compare = || Corrections::of(automatic, edits, &output.source.text, &output.text);
        Look {
            rater: work.rater,
            edits,
            corrected: own.is_some() && compare().any(),
        }
    })
}

fn line(about: &About, output: &ExportedOutput, look: &Look<'_>) -> Result<String, EncoderError> {
    let (source, text) = (
        Tokenised::new(&output.source.text),
        Tokenised::new(&output.text),
    );
    let aligned = |style| about.aligner.align(&[(&source, &text)], style);
    let (within, outside) = (aligned(Style::Phrasal)?, aligned(Style::Word)?);
    let base = Base {
        within: &within[0],
        outside: &outside[0],
    };
    let links = links(&source, &text, look.edits, base);
    let columns = [
        GoldPair::of(&source, &text, links).line(&output.output.to_string()),
        plain(about.facts.label(look.rater)),
        match look.corrected {
            true => "corrected".to_owned(),
            false => "accepted".to_owned(),
        },
        plain(&output.source.key),
        plain(&output.system),
        plain(&output.automatic.edits_version),
    ];
    Ok(columns.join("\t"))
}

/// A cell without tabs and line ends.
fn plain(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}
