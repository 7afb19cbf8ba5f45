//! Passages from the study's own sources and outputs.

use domain::{
    comprehension::{MaterialError, MaterialName, NonBlankText, Passage, PassagePurpose},
    ids::{SourceId, StudyId},
    study::SourcePurpose,
};
use store::Store;

/// A passage for each main source of the study: the source as condition *Original*, its references as
/// *Reference* (*Reference 2*, …), and each system's output as a condition of the system's name.
/// Leaves out empty outputs, and conditions with the name of an earlier one.
///
/// # Errors
/// When the database fails; the inner result is a [`MaterialError`] if the name of a source or system
/// cannot be the name of a passage or condition.
pub async fn passages_from_sources(
    store: &Store,
    study: StudyId,
) -> store::Result<Result<Vec<Passage>, MaterialError>> {
    let outputs = store.output_entries(study).await?;
    let mut passages = Vec::new();
    for source in store.sources(study).await? {
        if source.purpose != SourcePurpose::Main {
            continue;
        }

        let references = store.references(source.id).await?;
        let numbered = references.iter().zip(1..).map(|(text, number)| {
            let name = match number {
                1 => "Reference".to_owned(),
                number => format!("Reference {number}"),
            };
            (name, text.as_str())
        });

        let outputs_of = |id: SourceId| outputs.iter().filter(move |output| output.source == id);
        let systems =
            outputs_of(source.id).map(|output| (output.system_name.clone(), &*output.text));
        let texts = std::iter::once(("Original".to_owned(), &*source.text))
            .chain(numbered)
            .chain(systems);

        match passage(&source.key, texts) {
            Ok(passage) => passages.push(passage),
            Err(error) => return Ok(Err(error)),
        }
    }

    Ok(Ok(passages))
}

/// A main passage without questions.
fn passage<'a>(
    key: &str,
    texts: impl IntoIterator<Item = (String, &'a str)>,
) -> Result<Passage, MaterialError> {
    let mut passage = Passage {
        name: key.parse()?,
        title: String::new(),
        texts: vec![],
        questions: vec![],
        spans: vec![],
        purpose: PassagePurpose::Main,
    };

    for (condition, text) in texts {
        let condition: MaterialName = condition.parse()?;
        let is_new = passage.texts.iter().all(|(own, _)| *own != condition);
        if let (true, Ok(text)) = (is_new, NonBlankText::try_from(text.to_owned())) {
            passage.texts.push((condition, text));
        }
    }

    Ok(passage)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn empty_and_doubled_texts_are_left_out() {
        let texts = [
            ("Original", "Rain fell."),
            ("T5", " "),
            ("BART", "Rain."),
            ("Original", "?"),
        ];
        let passage_of = |texts: &[(&str, &'static str)]| {
            let texts = texts.iter().map(|(name, text)| ((*name).to_owned(), *text));
            super::passage("s1", texts.collect::<Vec<_>>())
        };

        let passage = passage_of(&texts).expect("names are names");
        let names: Vec<_> = passage
            .texts
            .iter()
            .map(|(name, _)| name.as_str())
            .collect();
        assert_eq!(
            (passage.name.as_str(), &names[..]),
            ("s1", &["Original", "BART"][..])
        );

        assert_eq!(passage_of(&[("", "Rain.")]), Err(MaterialError::Name));
    }
}
