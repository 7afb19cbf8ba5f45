//! The meaning of the columns of each table.

use std::io::{self, Write};

use crate::export::{
    ExportContext, ExportFile,
    dataset::SCORE_PREFIX,
    groups,
    metric_scores::{self, MetricColumn},
    readme::texts::{COMPARISON_COLUMNS, RATING_COLUMNS},
};

/// The columns of ratings after those of the tidy table.
const MORE_RATING_COLUMNS: &str = "\
| `source`, `output` | text | never | the texts |
| `scale_low`, `scale_high` | points | the scale is not known | the lowest and the highest rating that were possible |
| `recorded_at` | time, UTC | never | when the rating was stored |
";

const OUTPUT_COLUMNS: &str = "\
| Column | Unit or values | Missing | Meaning |
|---|---|---|---|
| `source_id` | text | never | the source's name, as imported |
| `source` | text | never | the text that was simplified |
| `context_before`, `context_after` | text | it is not known | the text around the source in its document |
| `references` | list of texts | never; it may be empty | simplifications of the source by people |
| `output_id` | UUID | never | the output, the same in all exports |
| `output` | text | never | the simplification that was judged |
| `system` | text | never | who wrote the output |
| `kind` | `machine`, `human`, `baseline` | never | what kind of writer that is |
| `twin_of` | UUID | it was judged itself | the identical output of the same source that was judged in place of this one |
| `category` | `split`, `deletion`, `paraphrase` | never | the category that most of those who judged it chose |
| `automatic_category` | as `category` | never | what the algorithm chose |
| `final_category` | as `category` | no lead decided | what a lead decided the category to be |
";

const SPAN_COLUMNS: &str = "\
One mark per row; a judgement that found nothing to mark is one row without a mark. Characters are Unicode scalar values, \
counted from 0, as Python counts them. Systems that the lead hides are here, although figures of the study leave them out.

| Column | Unit or values | Missing | Meaning |
|---|---|---|---|
| `source_id`, `source` | text | never | the source's name and text |
| `output_id`, `output` | UUID, text | never | the output |
| `system`, `kind` | text | never | who wrote the output, and whether that is a `machine`, a `human` or a `baseline` |
| `rater` | text | never | the annotator's number |
| `mark` | 1, 2, … | nothing was marked | the number of the mark within the judgement |
| `type` | text | nothing was marked | the type of the mark |
| `level` | text | the mark has none | the level of the mark |
| `value` | number | the level has none | the value for which the level counts |
| `source_starts`, `source_ends` | lists of characters | never; they may be empty | where the marked stretches of the source \
begin, and the characters after their last |
| `source_words` | list of texts | never; it may be empty | the words of these stretches |
| `output_starts`, `output_ends`, `output_words` | lists | never; they may be empty | the same of the output |
| `shared` | `true`, `false` | never | `true` where an identical output of the same source was judged for this one |
| `recorded_at` | time, UTC | never | when the marks were stored |
";

const ANSWER_COLUMNS: &str = "\
One answer of one rater to one question per row; an answer about an output that several systems wrote has a row for each \
of them. Left out are answers to questions whose condition does not hold beside the rater's other answers, and answers \
about outputs that the rater could not judge. Texts are in the raters' own words: read them before you publish the folder. \
Systems that the lead hides are here, although figures of the study leave them out.

| Column | Unit or values | Missing | Meaning |
|---|---|---|---|
| `source_id` | text | never | the source's name |
| `output_id`, `system` | UUID, text | the question is about the source | the output, and who wrote it |
| `rater` | text | never | the annotator's number |
| `about` | `output`, `source` | never | what the question is about |
| `question` | text | never | the key of the question |
| `wording` | text | the study no longer asks it | the question as raters read it |
| `options` | keys with a space between them | the answer is a text | the chosen options |
| `answer` | text | never | the wordings of the chosen options, with semicolons between them, or the text |
| `shared` | `true`, `false` | never | `true` where it was said of an identical output of the same source |
| `recorded_at` | time, UTC | never | when the answer was stored |
";

const UNJUDGED_COLUMNS: &str = "\
One row per output that a rater could not judge and therefore gave no rating.

| Column | Unit or values | Missing | Meaning |
|---|---|---|---|
| `source_id` | text | never | the source's name |
| `output_id`, `output` | UUID, text | never | the output |
| `system` | text | never | who wrote the output |
| `rater` | text | never | the annotator's number |
| `reason` | `incomplete`, `other-language`, `other-text`, `unclear`, `other` | never | it is empty or cut off; it is in \
another language; it belongs to another text; the rater did not understand it; another reason |
| `shared` | `true`, `false` | never | `true` where it was said of an identical output of the same source |
| `recorded_at` | time, UTC | never | when it was stored |
";

/// Writes the section on a table's columns.
pub(super) fn write(
    file: ExportFile,
    name: &str,
    context: &ExportContext,
    out: &mut dyn Write,
) -> io::Result<()> {
    writeln!(out, "\n## Columns of {name}\n")?;
    write_columns(file, context, out)?;
    match groups::column(context) {
        Some(_) if file != ExportFile::Outputs => writeln!(
            out,
            "\nThe last column, `group`, is the name of the rater's group, and missing where they are in none."
        ),
        _ => Ok(()),
    }
}

fn write_columns(file: ExportFile, context: &ExportContext, out: &mut dyn Write) -> io::Result<()> {
    match file {
        ExportFile::Ratings => {
            out.write_all(
                b"One rating per row: of one rater, on one dimension, of one output.\n\n",
            )?;
            out.write_all(RATING_COLUMNS.as_bytes())?;
            out.write_all(MORE_RATING_COLUMNS.as_bytes())
        }
        ExportFile::Comparisons => {
            out.write_all(
                b"One comparison per row, of one rater, on one dimension, of outputs of one source. Incomplete choices \
                  are left out. Systems that the lead hides are here, although figures of the study leave them out.\n\n",
            )?;
            out.write_all(COMPARISON_COLUMNS.as_bytes())
        }
        ExportFile::Spans => out.write_all(SPAN_COLUMNS.as_bytes()),
        ExportFile::Answers => out.write_all(ANSWER_COLUMNS.as_bytes()),
        ExportFile::Unjudged => out.write_all(UNJUDGED_COLUMNS.as_bytes()),
        _ => {
            out.write_all(OUTPUT_COLUMNS.as_bytes())?;
            write_metrics(context, out)
        }
    }
}

/// Writes a row for the column of each metric.
fn write_metrics(context: &ExportContext, out: &mut dyn Write) -> io::Result<()> {
    for MetricColumn { name, metric } in metric_scores::columns(&context.metrics) {
        let [name, signature] = [&name, &metric.signature].map(|text| text.replace('|', "\\|"));
        writeln!(
            out,
            "| `{SCORE_PREFIX}{name}` | the metric's | it gave no score | the score by `{signature}` |"
        )?;
    }
    Ok(())
}
