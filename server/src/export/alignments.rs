//! Word alignments as corrected edits show them: lines as MultiMWA has them, for training.

use std::io::{BufWriter, Write};

use domain::{
    edit::{Edit, corrections::Corrections},
    ids::RaterId,
    study::AssignmentState,
    text::{
        align::{
            Alignment,
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

/// The columns after those of MultiMWA.
const MORE_COLUMNS: &str = "annotator\tstate\tsource_id\tsystem\tedits_version";

/// Writes a header, and a line an output and annotator.
pub(super) fn write(about: &About, pages: &mut Pages, out: &mut dyn Write) -> Result<(), Failure> {
    let mut out = BufWriter::new(out);
    writeln!(out, "{}\t{MORE_COLUMNS}", GoldPair::HEADER)?;
    pages.each(|output, _| {
        let accepted = about.asked.edits == Edits::WithAccepted;
        let mut aligned = None;
        for look in looks(&about.facts, output).filter(|look| look.corrected || accepted) {
            let aligned = match &aligned {
                Some(aligned) => aligned,
                None => aligned.insert(Aligned::of(about, output)?),
            };
            writeln!(out, "{}", line(about, output, &look, aligned))?;
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

/// The texts of an output and its source, with what links words where edits leave it open.
struct Aligned {
    source: Tokenised,
    text: Tokenised,
    within: Alignment,
    outside: Alignment,
}

impl Aligned {
    fn of(about: &About, output: &ExportedOutput) -> Result<Self, EncoderError> {
        let source = Tokenised::new(&output.source.text);
        let text = Tokenised::new(&output.text);
        let aligned = |style| -> Result<_, EncoderError> {
            let mut found = about.aligner.align(&[(&source, &text)], style)?;
            Ok(found.pop().expect("one pair, one alignment"))
        };
        let (within, outside) = (aligned(Style::Phrasal)?, aligned(Style::Word)?);
        Ok(Self {
            source,
            text,
            within,
            outside,
        })
    }
}

fn line(about: &About, output: &ExportedOutput, look: &Look<'_>, of: &Aligned) -> String {
    let base = Base {
        within: &of.within,
        outside: &of.outside,
    };
    let links = links(&of.source, &of.text, look.edits, base);
    let columns = [
        GoldPair::of(&of.source, &of.text, links).line(&output.output.to_string()),
        plain(about.facts.label(look.rater)),
        match look.corrected {
            true => "corrected".to_owned(),
            false => "accepted".to_owned(),
        },
        plain(&output.source.key),
        plain(&output.system),
        plain(&output.automatic.edits_version),
    ];
    columns.join("\t")
}

/// A cell without tabs and line ends.
fn plain(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}
