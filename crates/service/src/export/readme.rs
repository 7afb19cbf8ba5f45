//! The README of an export: its contents, rules and versions.

use std::io::{self, Write};

use domain::study::RaterKind;
use formats::FormulaEscaping;
use store::{Rater, rating_rows::RatingScope};

use super::{
    AlignmentEdits, ExportContext, ExportFormat,
    jsonl::format_timestamp,
    metric_scores::{MetricColumn, columns},
    summary::RaterRatings,
};

/// Writes the README, as Markdown.
pub(super) fn write(context: &ExportContext, out: &mut dyn Write) -> io::Result<()> {
    let summary = &context.summary;
    writeln!(out, "# {}\n", context.study.name.trim())?;
    writeln!(
        out,
        "The dataset of the study `{}`, taken out at {} as of its event number {}, by Rank & Rate \
         {}.\n",
        context.study.slug,
        format_timestamp(context.at_ms),
        context.event,
        env!("CARGO_PKG_VERSION"),
    )?;
    writeln!(out, "- Outputs: {}", summary.outputs)?;
    match context.request.format {
        ExportFormat::Alignments => {
            write_alignments(context, out)?;
            return write_versions(context, out);
        }
        ExportFormat::MetricScores => {
            out.write_all(METRIC_SCORES.as_bytes())?;
            write_metrics(context, out)?;
            write_csv(context, out)?;
            return write_versions(context, out);
        }
        _ => {}
    }
    let dimension = match context.request.format {
        ExportFormat::Jsonl | ExportFormat::Tidy => String::new(),
        _ => format!(" of “{}”", context.request.dimension),
    };
    let copies = match summary.shared {
        0 => String::new(),
        shared => format!(", and {shared} copies of these at identical outputs"),
    };
    writeln!(out, "- Ratings{dimension}: {}{copies}", summary.ratings)?;
    if summary.scores > 0 {
        let scores = summary.scores;
        writeln!(
            out,
            "- Numbers of imported files that name no rater: {scores}"
        )?;
    }
    write_inclusion_rules(context, out)?;
    write_z_scores(context, out)?;
    write_raters(context, out)?;
    out.write_all(
        match context.request.format {
            ExportFormat::SimpevalPast => SIMPEVAL_PAST,
            ExportFormat::Simpeval2022 => SIMPEVAL_2022,
            ExportFormat::Jsonl => JSONL,
            ExportFormat::Tidy => TIDY,
            ExportFormat::MetricScores => METRIC_SCORES,
            ExportFormat::Alignments => ALIGNMENTS,
        }
        .as_bytes(),
    )?;
    if context.request.format == ExportFormat::Jsonl {
        write_metrics(context, out)?;
    } else {
        write_csv(context, out)?;
    }
    write_versions(context, out)
}

/// Writes the section on the CSV format.
fn write_csv(context: &ExportContext, out: &mut dyn Write) -> io::Result<()> {
    out.write_all(CSV.as_bytes())?;
    out.write_all(match context.request.cells {
        FormulaEscaping::Guarded => GUARDED.as_bytes(),
        FormulaEscaping::Verbatim => VERBATIM.as_bytes(),
    })
}

/// Writes the table of metrics with their signatures.
fn write_metrics(context: &ExportContext, out: &mut dyn Write) -> io::Result<()> {
    writeln!(out, "\n## Metrics\n")?;
    if context.metrics.is_empty() {
        return writeln!(out, "The study has no metrics yet.");
    }
    writeln!(
        out,
        "| Name | Signature | Outputs with a score |\n|---|---|---|"
    )?;
    for MetricColumn { name, metric } in columns(&context.metrics) {
        let outputs = context.summary.scored_outputs.get(&metric.id).copied();
        let [name, signature] = [&name, &metric.signature].map(|text| text.replace('|', "\\|"));
        let outputs = outputs.unwrap_or_default();
        writeln!(out, "| {name} | `{signature}` | {outputs} |")?;
    }
    Ok(())
}

/// Writes the counts and rules of an export of alignments, which has no ratings.
fn write_alignments(context: &ExportContext, out: &mut dyn Write) -> io::Result<()> {
    let summary = &context.summary;
    let (corrected, accepted) = (summary.corrected_edits, summary.accepted_edits);
    let left = match context.request.edits {
        AlignmentEdits::Corrected => "not in the table",
        AlignmentEdits::WithAccepted => "in the table, too",
    };
    writeln!(
        out,
        "- Edits of an output that an annotator corrected: {corrected}, each a line\n\
         - Edits that an annotator left as they were: {accepted}, {left}\n\
         - What links words where edits leave it open: {} v{}",
        context.aligner.grade, context.aligner.version
    )?;
    out.write_all(ALIGNMENTS.as_bytes())
}

fn write_inclusion_rules(context: &ExportContext, out: &mut dyn Write) -> io::Result<()> {
    let work = match context.request.which {
        RatingScope::HandedIn => {
            "- Annotators' answers are those of sources that they handed in; work in progress is \
             left out."
        }
        RatingScope::IncludingOpen => {
            "- Annotators' answers are those of sources that they handed in, and **also those of \
             sources still in work**, which may change. Categories in work have no vote yet."
        }
    };
    writeln!(out, "\n## What is in it\n\n{work}")?;
    out.write_all(INCLUSION_RULES.as_bytes())
}

fn write_z_scores(context: &ExportContext, out: &mut dyn Write) -> io::Result<()> {
    out.write_all(Z_SCORES.as_bytes())?;
    let without = |(_, rater, ratings): &(&str, &Rater, &RaterRatings)| {
        let reason = ratings.scale.err().filter(|_| !keeps_z(context, ratings))?;
        Some(format!("\n“{}” has no z-scores: {reason}.\n", rater.label))
    };
    for line in ratings_per_rater(context).iter().filter_map(without) {
        out.write_all(line.as_bytes())?;
    }
    Ok(())
}

/// Whether the table has the z-scores of the rater's file; a tidy table never has.
fn keeps_z(context: &ExportContext, rated: &RaterRatings) -> bool {
    rated.has_file_z && context.request.format != ExportFormat::Tidy
}

/// The raters with their ratings, for each included dimension.
fn ratings_per_rater(context: &ExportContext) -> Vec<(&str, &Rater, &RaterRatings)> {
    let summary = &context.summary;
    let dimensions = summary
        .dimensions()
        .filter(|dimension| context.request.includes_dimension(dimension));
    dimensions
        .flat_map(|dimension| {
            let raters = summary.raters(dimension).into_iter();
            raters.map(move |(rater, ratings)| (dimension, rater, ratings))
        })
        .collect()
}

/// Writes the table of raters, with their columns where columns are raters.
fn write_raters(context: &ExportContext, out: &mut dyn Write) -> io::Result<()> {
    let entries = ratings_per_rater(context);
    if entries.is_empty() {
        return writeln!(out, "\n## Raters\n\nNobody's rating counts yet.");
    }
    let by_column = context.request.format == ExportFormat::SimpevalPast;
    let third = if by_column { "Column" } else { "Dimension" };
    write!(out, "{RATERS}| Rater | Kind | {third}")?;
    out.write_all(RATERS_HEAD.as_bytes())?;
    for ((dimension, rater, rated), number) in entries.into_iter().zip(1..) {
        let third = match by_column {
            true => format!("`rating_{number}`"),
            false => dimension.to_owned(),
        };
        let kind = match rater.kind {
            RaterKind::Person => "annotator",
            RaterKind::Imported => "imported",
            RaterKind::Simulated => "simulated: no person",
        };
        let (mean, sd) = match rated.scale {
            Ok(scale) => (format!("{:.3}", scale.mean), format!("{:.3}", scale.sd)),
            Err(_) => ("–".to_owned(), "–".to_owned()),
        };
        let z = match keeps_z(context, rated) {
            true => "the file's",
            false => "computed",
        };
        let (label, count) = (rater.label.replace('|', "\\|"), rated.count());
        writeln!(
            out,
            "| {label} | {kind} | {third} | {count} | {mean} | {sd} | {z} |"
        )?;
    }
    Ok(())
}

fn write_versions(context: &ExportContext, out: &mut dyn Write) -> io::Result<()> {
    writeln!(out, "\n## Versions\n")?;
    writeln!(out, "- Rank & Rate {}", env!("CARGO_PKG_VERSION"))?;
    let summary = &context.summary;
    let (categories, edits) = (&summary.category_versions, &summary.edits_versions);
    for (what, versions) in [
        ("Automatic categories", categories),
        ("Aligner and automatic edits", edits),
    ] {
        let versions: Vec<_> = versions
            .iter()
            .map(|version| format!("`{version}`"))
            .collect();
        if !versions.is_empty() {
            writeln!(out, "- {what}: {}", versions.join(", "))?;
        }
    }
    Ok(())
}

const INCLUSION_RULES: &str = "\
- Imported and simulated ratings always count. An answer that was changed later is here as it is \
now.
- Left out: sources of the tutorial, for training and for qualification, quality-control items \
(copies, scrambled and repeated outputs), skipped sources, and everything of people who withdrew.
- The category of an output is the one that most of those who judged it chose; a tie goes to the \
automatic one. A rater who handed a source in and moved nothing chose the automatic one.
- Outputs of one source with the same text are judged once. The answers are at each of them; in \
JSONL the copies are marked `shared`, and `twin_of` names the output that was judged. A copy counts \
neither for means and standard deviations nor as a unit of agreement.
";

const Z_SCORES: &str = "
## z-scores

z = (rating − mean) / standard deviation, by rater: mean and population standard deviation (divided \
by n, not n − 1) of all the ratings of that rater in this study that count, on one dimension. \
Rounded to six decimals. A rater with one rating, or with equal ratings only, has none.

z-scores that came with an imported file are kept to the letter in SimpEval tables, for all ratings of \
that rater; they may rest on ratings that the file does not hold. JSONL gives both: `z` is computed \
here, `imported_z` is the file's. In the tidy table all are computed here.
";

const RATERS: &str = "
## Raters

Annotators are numbered and not named; imported raters are called as in their files.

";

const RATERS_HEAD: &str = " | Ratings | Mean | Standard deviation | z-scores in tables |
|---|---|---|---|---|---|---|
";

const SIMPEVAL_PAST: &str = "
## Columns

- `id`: the imported file's, else the row's number, from 0
- `original`: the source
- `generation`: the output as the imported file had it before it was processed, else the same as the \
next
- `processed_generation`: the output as it was judged
- `original_id`: the source's name
- `system`: who wrote the output
- `rating_1`, `rating_2` …: one column per rater, as listed above; empty where that rater gave nothing
- `rating_1_z_score` …: the z-scores of these
";

const SIMPEVAL_2022: &str = "
## Columns

- `original_id`: the source's name
- `original`: the source
- `generation`: the output as it was judged
- `system`: who wrote the output
- `sentence_type`: the category that counts: `Splittings`, `Deletions` or `Paraphrases`
- `rating_1`, `rating_2` …: slots. **They are not raters**: different people may be behind one \
slot in different rows
- `rating_1_zscore` …: the z-scores of these

The file that ends in `.raters.csv` names who is behind each rating: `original_id`, `system`, `slot` \
(the N of `rating_N`), `rater`. Agreement is to be computed by rater, with that file. A number that \
is not in it came from a file that names no rater; it enters no figure.
";

const CSV: &str = "
The tables are CSV as RFC 4180 has it: UTF-8 without a byte-order mark, lines end with LF.
";

const GUARDED: &str = "
A `'` stands before cells that a spreadsheet would run as a formula (they begin with `=`, `+`, `-` or `@`, \
also after blanks, or with a tab or a line end, and are no numbers), so texts may differ from the originals \
by that character.
";

const VERBATIM: &str = "
Texts are to the letter what was imported or written. A spreadsheet runs cells that begin with `=`, `+`, `-` \
or `@` as formulas: export with guarded cells (`--guard-cells`) to open the file in one.
";

const TIDY: &str = "
## Columns

One rating per row: of one rater, on one dimension, of one output. UTF-8 with a header; numbers with a decimal \
point and without units; an empty cell is a missing value. `pandas.read_csv(FILE)` needs no options.

| Column | Unit or values | Missing | Meaning |
|---|---|---|---|
| `source_id` | text | never | the source's name, as imported |
| `output_id` | UUID | never | the output |
| `system` | text | never | who wrote the output |
| `kind` | `machine`, `human`, `baseline` | never | what kind of writer that is |
| `category` | `split`, `deletion`, `paraphrase` | the rater gave none, as imported raters mostly do, or the source \
is still in work | this rater's final category of the output; a rater who handed a source in and moved nothing chose \
the automatic one |
| `automatic_category` | as `category` | never | what the algorithm chose |
| `rater` | text | never | the pseudonym of an annotator, or the name in the imported file |
| `dimension` | text | never | on what was rated, such as `overall` |
| `value` | points on the dimension's scale | never | the rating |
| `z` | standard deviations | the rater rated once, or always the same | the z-score within this rater and \
dimension, as above, computed here, to six decimals |
| `rank` | 1 for the best, 2, … | never | the rank of `value` among the ratings that this rater gave the outputs \
of this source on this dimension; the highest value has rank 1, equal values share the smallest rank, identical \
outputs count once |
| `seconds` | seconds, to the millisecond | the rating was imported | active time of this rater on **the whole \
source** in all three steps; it is the same in all rows of a rater and source: do not add it up over rows |
| `shared` | `true`, `false` | never | `true` where the rating was given to an identical output of the same \
source; leave these rows out of means over raters and of agreement |
";

const METRIC_SCORES: &str = "
## What is in it

Scores of automatic metrics: one row per output and one column per metric. Scores that were imported are as in their \
file, computed and learned ones as the metric gives them; none is rescaled or negated.

## Columns

- `source_id`: the source's name
- `output_id`: the output, as in the other exports
- `system`: who wrote the output
- one column per metric, with its name; of several metrics with the same name, the second is called `NAME (2)`, and \
so on. Unit and range are the metric's. Empty where it gave the output no score: it is undefined there, or not \
computed yet

The file that ends in `.signatures.csv` says which metric is behind each column: `column`, `metric`, `signature` \
(all that its scores depend on), `origin` (`computed` here, `learned` from ratings, or `imported` from a file), \
`outputs` (how many have a score).
";

const JSONL: &str = "
## Keys

One JSON object per output, in the order of import. Times are UTC; spans are byte offsets into the \
UTF-8 form of `source` and `output`, the end exclusive.

- `event`: the number of the study's newest event at the time of this export
- `source_id`, `source`, `references`: the source's name, its text, human simplifications of it
- `output_id`, `output`, `system`, `kind`: the output, who wrote it, and whether that is a machine, a \
human or a baseline
- `twin_of`: the identical output of the same source that was judged in place of this one
- `category`: the one that counts; `categories`: each rater's own
- `automatic`: category and edits as the algorithms gave them, with reason and versions
- `edits`: each rater's corrected edits; raters who are not listed left the automatic ones
- `ratings`: by rater and dimension: `scale`, `value`, `z` (computed), `imported_value` and \
`imported_z` (the letter of the file), `shared`, `recorded_at`
- `notes`: remarks by rater
- `work`: by annotator: `state`, when the source was given and handed in, milliseconds of activity in \
the three steps, and the output's `place` in the order that they put all outputs in (1 is the best)
- `metric_scores`: scores of automatic metrics by name, `null` where one gave none; the names are listed below
- `scores`: numbers of an imported file that name no rater
- `columns`: further cells of the imported file, to the letter
";

const ALIGNMENTS: &str = "
## What is in it

Word alignments to train an aligner with (`rankrate align train`), as people's corrections of the \
highlighted edits show them: one line per output and annotator.

- Annotators' edits are those of sources that they handed in. Those who handed an output in without \
touching its edits left them as they were.
- Left out: sources of the tutorial, for training and for qualification, quality-control items, \
identical outputs after the first, and everything of people who withdrew.
- Annotators are numbered and not named.
- Two annotators who corrected the same output are two lines, which may contradict each other.

## Columns

UTF-8, separated by tabs, without quoting. The first line names the columns; the first ten columns are \
those of MultiMWA's files, which have no such line. `rankrate align` reads files with it and without; for \
other readers of MultiMWA, leave the first line out.

1. `output_id`: the output, as in JSONL
2. `source`: the source, its words joined by spaces
3. `source_note`: `N/A`
4. `output`: the output, its words joined by spaces
5. `output_note`: `N/A`
6. `flag_1`: `1`
7. `flag_2`: `1`
8. `links`: links `i-j`: word `i` of the source stands for word `j` of the output, both counted from 0
9. `possible_links`: empty
10. `note`: empty
11. `annotator`: who handed the source in, by pseudonym
12. `state`: `corrected`, or `accepted` where the automatic edits were left
13. `source_id`: the source's name
14. `system`: who wrote the output
15. `edits_version`: the version of the aligner that made the automatic edits

## Links

- Words that were left out or are new have no link. The words of a change, and a sentence end with \
what stood in its place, are linked phrase to phrase: as the aligner links them, a word that it leaves \
alone with what the nearest word goes with; where it links none, all with all.
- Words outside edits are linked as the aligner links them, and where it does not with an equal or similar word nearby that has no link either.
";
