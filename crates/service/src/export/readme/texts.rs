//! Fixed texts of the README.

pub(in crate::export) const INCLUSION_RULES: &str = "\
- Imported and simulated ratings always count. An answer that was changed later is here as it is \
now.
- Left out: sources of the tutorial, for training and for qualification, attention items, quality-control items \
(copies, scrambled and repeated outputs), skipped sources, and everything of people who withdrew.
- The category of an output is the one that most of those who judged it chose; a tie goes to the \
automatic one. A rater who handed a source in and moved nothing chose the automatic one.
- Outputs of one source with the same text are judged once. The answers are at each of them; \
`shared` marks the copies where a format has it, and `twin_of` names the output that was judged. A copy counts \
neither for means and standard deviations nor as a unit of agreement.
";

pub(in crate::export) const Z_SCORES: &str = "
## z-scores

z = (rating − mean) / standard deviation, by rater: mean and population standard deviation (divided \
by n, not n − 1) of all the ratings of that rater in this study that count, on one dimension. \
Rounded to six decimals. A rater with one rating, or with equal ratings only, has none.
";

pub(super) const IMPORTED_Z_SCORES: &str = "
z-scores that came with an imported file are kept to the letter in SimpEval tables, for all ratings of \
that rater; they may rest on ratings that the file does not hold. JSONL gives both: `z` is computed \
here, `imported_z` is the file's. In the tidy table all are computed here.
";

pub(super) const RATERS: &str = "
## Raters

Annotators are numbered and not named; imported raters are called as in their files.

";

pub(super) const RATERS_HEAD: &str = " | Ratings | Mean | Standard deviation | z-scores in tables |
|---|---|---|---|---|---|---|
";

pub(super) const SIMPEVAL_PAST: &str = "
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
- `shared_ratings`: the columns of ratings that were given to an identical output, separated by spaces; the column is there \
where the study has such ratings
";

pub(super) const SIMPEVAL_2022: &str = "
## Columns

- `original_id`: the source's name
- `original`: the source
- `generation`: the output as it was judged
- `system`: who wrote the output
- `sentence_type`: the category that counts: `Splittings`, `Deletions` or `Paraphrases`
- `rating_1`, `rating_2` …: slots. **They are not raters**: different people may be behind one \
slot in different rows
- `rating_1_zscore` …: the z-scores of these
- `shared_ratings`: the columns of ratings that were given to an identical output, separated by spaces; the column is there \
where the study has such ratings

The file that ends in `.raters.csv` names who is behind each rating: `original_id`, `system`, `slot` \
(the N of `rating_N`), `rater`. Agreement is to be computed by rater, with that file. A number that \
is not in it came from a file that names no rater; it enters no figure.
";

pub(super) const COMPARISONS: &str = "
## Columns

One comparison per row, of one rater, on one dimension, of outputs of one source. `rankrate pairwise FILE` reads it. \
Incomplete choices are left out. Systems that the lead hides are here, although figures of the study leave them out.

";

pub(in crate::export) const COMPARISON_COLUMNS: &str = "\
- `source_id`: the source's name
- `rater`: the annotator's number
- `dimension`: on what the outputs were compared
- `system_1` … `system_6`: the systems whose outputs were shown, whatever their order on the screen; empty after the \
last
- `outcome`: of two, the column of the better one, or `tie`; else empty
- `best`, `worst`: of three or more, the systems chosen; else empty
- `recorded_at`: when the answer was stored

An output that several systems wrote was shown once, and has a row for each of them: where A and B wrote the same text, \
and it was better than that of C, there are the rows A, C and B, C.
";

pub(super) const ANSWERS: &str = "
## Columns

One answer of one rater to one question per row. An answer about an output that several systems wrote has a row for each of \
them. Left out are answers to questions whose condition does not hold beside the rater's other answers, and answers about \
outputs that the rater could not judge. A question that the study no longer asks has the answers that it had. Systems that \
the lead hides are here, although figures of the study leave them out.

- `source_id`: the source's name
- `output_id`, `system`: the output and who wrote it; empty for a question about the source
- `rater`: the annotator's number
- `about`: `output` or `source`
- `question`, `wording`: the key of the question and its wording, which is empty where the study no longer asks it
- `options`: the keys of the chosen options, with a space between them; empty for a text
- `answer`: the wordings of the options with a semicolon between them, or the text; an option that is no longer offered \
has its key
- `shared`: `true` where an identical output of the same source was judged for this one
- `recorded_at`: when the answer was stored
";

pub(super) const WRITTEN: &str = "
## Columns

One simplification that one annotator wrote per row, as they wrote it but for white space at its ends. That a lead has \
added it to the study as a reference or an output changes nothing here.

- `source_id`, `source`: the source's name and text
- `rater`: the annotator's number
- `text`: the simplification
- `words`: its words, separated by white space
- `compression`: its characters divided by the source's
- `fkgl`: its grade level by Flesch and Kincaid, as the metric `fkgl` has it; larger is harder
- `word_rank`: how rare its words are beside the source's, as the metric `word-rank` has it: below 1 they are more frequent. \
Empty where either text has no ranked word, and where the program that wrote this file had no list of word frequencies
- `recorded_at`: when the text was stored
";

pub(super) const SPANS: &str = "
## Keys

One JSON object per output and rater who judged its spans; `rankrate spans FILE` reads it. Systems that the lead \
hides are here, although figures of the study leave them out. Offsets count Unicode scalar values (characters) from 0, \
the end exclusive.

- `source_id`, `source`: the source's name and text
- `output_id`, `output`, `system`, `kind`: the output, who wrote it, and whether that is a machine, a human or a \
baseline
- `rater`: the annotator's number
- `marks`: all spans that the rater marked; empty where the rater said that there is nothing to mark. Each has its \
`type`, its `level` with the `value` for which it counts (`null` where there is none), its stretches of the source and \
of the output (`source`, `output`: pairs of first character and character after the last), and the words there \
(`source_words`, `output_words`)
- `shared`: `true` where an identical output of the same source was judged for this one
- `recorded_at`: when the marks were stored
";

pub(super) const THRESH: &str = "
## Keys

One JSON array, with an object per output and rater who judged its spans, in the shape that Thresh \
(thresh.tools) reads and SALSA's data have. Systems that the lead hides are here. Offsets count Unicode scalar values \
(characters) from 0, the end exclusive.

- `source`, `target`: the texts of the source and of the output
- `metadata`: `annotator` (the annotator's number), `system`, `source_id`, `output_id`
- `edits`: each with `id` (from 1 within its category), `category` (the type), `input_idx` and `output_idx` (stretches \
of the source and of the output; absent where there are none), and `annotation`, in which `level` is the level; empty \
where it has none
";

pub(super) const UNJUDGED: &str = "
## Outputs that could not be judged

The file that ends in `.unjudged.csv` has a row for each output that a rater could not judge and therefore gave no \
rating: `source_id`, `output_id`, `output`, `system`, `rater`, `reason`, `note` (what the rater wrote on it), `shared` \
(`true` where it was said of an identical output of the same source) and `recorded_at` (UTC). `reason` is one of \
`incomplete` (empty or cut off), `other-language`, `other-text` (it belongs to another text), `unclear` (the rater did \
not understand it) and `other` (the note tells). These outputs have no row, or an empty cell, among the ratings, and \
count in no mean.
";

pub(super) const CSV: &str = "
The tables are CSV as RFC 4180 has it: UTF-8 without a byte-order mark, lines end with LF.
";

pub(super) const GUARDED: &str = "
A `'` stands before cells that a spreadsheet would run as a formula (they begin with `=`, `+`, `-` or `@`, \
also after blanks, or with a tab or a line end, and are no numbers), so texts may differ from the originals \
by that character.
";

pub(super) const VERBATIM: &str = "
Texts are to the letter what was imported or written. A spreadsheet runs cells that begin with `=`, `+`, `-` \
or `@` as formulas: export with guarded cells (`--guard-cells`) to open the file in one.
";

pub(super) const TIDY: &str = "
## Columns

One rating per row: of one rater, on one dimension, of one output. UTF-8 with a header; numbers with a decimal \
point and without units; an empty cell is a missing value. `pandas.read_csv(FILE)` needs no options.

";

pub(in crate::export) const RATING_COLUMNS: &str = "\
| Column | Unit or values | Missing | Meaning |
|---|---|---|---|
| `source_id` | text | never | the source's name, as imported |
| `output_id` | UUID | never | the output, the same in all exports |
| `system` | text | never | who wrote the output |
| `kind` | `machine`, `human`, `baseline` | never | what kind of writer that is |
| `category` | `split`, `deletion`, `paraphrase` | the rater gave none, as imported raters mostly do, or the source \
is still in progress | this rater's final category of the output; a rater who handed a source in and moved nothing chose \
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
| `final_value` | points on the dimension's scale | no lead decided | what a lead decided the value of this output on \
this dimension to be; it is the same in all rows of an output and dimension, and enters no other column |
| `final_category` | as `category` | no lead decided | what a lead decided the category of this output to be |
";

pub(super) const GOLD: &str = "
## Columns

Final values, on which a lead decided: one row per output and dimension, and one with an empty dimension where a lead \
decided on the category alone. They enter no other figure of the study.

| Column | Unit or values | Missing | Meaning |
|---|---|---|---|
| `source_id` | text | never | the source's name, as imported |
| `output_id` | UUID | never | the output, as in the other exports |
| `source`, `output` | text | never | the texts |
| `system` | text | never | who wrote the output |
| `kind` | `machine`, `human`, `baseline` | never | what kind of writer that is |
| `category` | `split`, `deletion`, `paraphrase` | never | the category that most raters chose |
| `final_category` | as `category` | no lead decided on it | the category that a lead decided on |
| `dimension` | text | only the category was decided | on what |
| `final_value` | points on the dimension's scale | only the category was decided | the value that a lead decided on |
| `mean` | points on the dimension's scale | no rating counts | the mean of the raters' ratings of this output on this \
dimension |
| `n` | count | never | the number of these ratings |
| `reason` | text | no reason was given | why the lead decided so |
| `shared` | `true`, `false` | never | `true` where an identical output of the same source was judged for this one |
";

pub(super) const METRIC_SCORES: &str = "
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

pub(super) const JSONL: &str = "
## Keys

One JSON object per output, in the order of import. Times are UTC; spans are byte offsets into the \
UTF-8 form of `source` and `output`, the end exclusive.

- `event`: the number of the study's newest event at the time of this export
- `source_id`, `source`, `references`: the source's name, its text, human simplifications of it
- `context_before`, `context_after`: the text around the source in its document; absent where it is not known
- `output_id`, `output`, `system`, `kind`: the output, who wrote it, and whether that is a machine, a \
human or a baseline
- `twin_of`: the identical output of the same source that was judged in place of this one
- `category`: the one that counts; `categories`: each rater's own
- `automatic`: category and edits as the algorithms gave them, with reason and versions
- `edits`: each rater's corrected edits; raters who are not listed left the automatic ones. Of a consensus all edits that \
it keeps
- `ratings`: by rater and dimension: `scale`, `value`, `z` (computed), `imported_value` and \
`imported_z` (the letter of the file), `shared`, `recorded_at`
- `unjudged`: the raters who could not judge the output and gave it no rating, with `reason`, `shared` and \
`recorded_at`. Absent where there are none
- `marks`: the spans that each rater marked, with `type`, `level`, their places in `source` and `output`, `shared` and \
`recorded_at`; an empty list where a rater said that there is nothing to mark. Absent where nobody marked any
- `answers`: each rater's answers to questions about the output, with `question` (its key), `options` (the keys of the \
chosen options) or `text`, `shared` and `recorded_at`; `source_answers`: those about the source. Absent where there are \
none, and without those to questions whose condition does not hold
- `written`: the simplifications of the source that annotators wrote: `text`, `words`, `compression`, `fkgl`, `word_rank` and \
`recorded_at`, as the export `written` has them. Absent where there are none
- `notes`: remarks by rater
- `replies`: replies to leads' questions about the output, by rater; absent where there are none
- `work`: by annotator: `state`, when the source was given and submitted, milliseconds of activity in \
the steps (all in the third where the study has one page for all steps; `answer` and `write` only where these steps took any), and the output's `place` in the order \
that they put all outputs in (1 is the best)
- `final_value`: what leads decided, by dimension: `value` and `reason`; `final_category`: the category that they \
decided on. Absent where nobody decided; they enter no other figure
- `metric_scores`: scores of automatic metrics by name, `null` where one gave none; the names are listed below. \
`metric_directions`: the directions of metrics whose names do not tell them; absent where all do
- `scores`: numbers of an imported file that name no rater
- `columns`: further cells of the imported file, to the letter

An import of the file brings texts, ratings with their times, categories, edits, notes and metric scores, and every figure of \
ratings is as it was. It cannot bring what belongs to people and their work here: groups, places in an order, active times, \
outputs that could not be judged, marked spans, answers, written texts, replies and decisions of leads. These stay in `columns` \
of the lines.
";

pub(super) const GROUP_COLUMN: &str = "
The last column, `group`, is the name of the rater's group, and empty where they are in none.
";

pub(super) const GROUP_KEY: &str = "
Beside each `rater`, `group` is the name of the rater's group; it is absent where they are in none.
";

pub(super) const ALIGNMENTS: &str = "
## What is in it

Word alignments to train an aligner with (`rankrate align train`), as people's corrections of the \
highlighted edits show them: one line per output and annotator.

- Annotators' edits are those of sources that they submitted. Those who submitted an output without \
touching its edits left them as they were.
- Left out: sources of the tutorial, for training and for qualification, attention items, quality-control items, \
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
