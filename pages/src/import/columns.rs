use formats::{ColumnMapping, FileField, FileFormat, FilePreview, GuessOrigin};
use leptos::prelude::*;

use app::components::{ColumnRow, ColumnTable};

/// The meaning of each column: suggested, to be corrected.
#[component]
pub fn Columns(
    /// The first rows of the file.
    preview: FilePreview,
) -> impl IntoView {
    let mapping = &preview.mapping;
    let scale = mapping.scales.all;

    // These keys of JSONL have a fixed structure.
    let own = |name: &str| {
        preview.format == FileFormat::Jsonl && matches!(name, "ratings" | "references")
    };

    let line = |(at, name): (usize, &String)| {
        let taken = field_of(mapping, name);
        let option = |field: FileField| {
            view! {
                <option value=field.name() selected=taken == Some(field)>{title(field)}</option>
            }
        };
        let options = FileField::ALL.map(option);
        let (name, example) = (name.clone(), preview.example(at));
        let guess = preview.guesses.get(at).copied().flatten();
        let remark = guess.and_then(|guess| guess_remark(guess.origin));
        view! {
            <ColumnRow meaning="Meaning" field=format!("way[columns][{at}]") name example remark>
                {options}
            </ColumnRow>
        }
    };

    let is_guessed = preview.guesses.iter().flatten().next().is_some();
    let lines: Vec<_> = preview
        .header
        .iter()
        .enumerate()
        .filter(|(_, name)| !own(name))
        .map(line)
        .collect();

    view! {
        <section aria-labelledby="columns">
            <h2 id="columns">"What the columns mean"</h2>
            <p class="soft">
                "Only the source is required. Several columns may be references, and several may be \
                 ratings: then each is a dimension of its own. Columns without a field are kept with the \
                 output."
            </p>
            {is_guessed.then(|| view! {
                <p>"Columns marked “guessed” were recognised by their names or contents. Please check them."</p>
            })}
            {(preview.format != FileFormat::Jsonl).then(|| view! {
                <input type="hidden" name="way[whole]" value="yes"/>
            })}
            <ColumnTable meaning="Meaning">{lines}</ColumnTable>
            <div class="side-by-side" role="group" aria-label="Ratings">
                <span>"Ratings are numbers from"</span>
                <input
                    name="way[low]"
                    type="number"
                    class="short"
                    aria-label="Lowest rating"
                    value=scale.map(|scale| scale.low)
                />
                <span>"to"</span>
                <input
                    name="way[high]"
                    type="number"
                    class="short"
                    aria-label="Highest rating"
                    value=scale.map(|scale| scale.high)
                />
                <span class="soft">"(leave empty to use the range of the numbers)"</span>
            </div>
        </section>
    }
}

/// The suggested field of a column.
fn field_of(mapping: &ColumnMapping, column: &str) -> Option<FileField> {
    let is = |field: &FileField| mapping.fields.columns(*field).any(|name| name == column);
    FileField::ALL.into_iter().find(is)
}

/// The remark on a guess; a column with the field's own name needs none.
pub(super) const fn guess_remark(origin: GuessOrigin) -> Option<&'static str> {
    match origin {
        GuessOrigin::FieldName => None,
        GuessOrigin::Words => Some("guessed from its name"),
        GuessOrigin::Contents => Some("guessed from its contents"),
    }
}

fn title(field: FileField) -> &'static str {
    match field {
        FileField::Source => "source: the text that was simplified",
        FileField::Output => "output: what a system made of it",
        FileField::System => "system: who wrote the output",
        FileField::SourceId => "name or number of the source",
        FileField::ContextBefore => "context: the text before the source",
        FileField::ContextAfter => "context: the text after the source",
        FileField::Reference => "reference: a human simplification",
        FileField::Rater => "rater: who rated",
        FileField::Rating => "rating",
        FileField::Dimension => "dimension: what was rated",
        FileField::Category => "category: split, deletion or paraphrase",
        FileField::Kind => "kind of system: machine, human or baseline",
    }
}
