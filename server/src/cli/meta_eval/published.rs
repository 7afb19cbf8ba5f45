//! Preparation of texts as in published evaluations, whose figures are comparable only then.

use clap::ValueEnum;

/// An evaluation of metrics that was released with a paper.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum PublishedEvaluation {
    /// LENS (Maddela et al. 2023): outputs without marks between sentences and without the spaces of tokenised
    /// text, and all texts in lower case.
    Lens,
    /// The evaluation with `QuestEval` (Scialom et al. 2021): texts as they are, and of the references the first alone.
    /// The paper does not say so, but only then are its figures reproduced.
    #[value(name = "questeval")]
    QuestEval,
}

/// The texts of an output as a metric gets them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct EvaluatedTexts {
    pub(super) source: String,
    pub(super) output: String,
    pub(super) references: Vec<String>,
}

impl PublishedEvaluation {
    /// Its name on the command line.
    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::Lens => "lens",
            Self::QuestEval => "questeval",
        }
    }

    /// A sentence on what happens to the texts.
    pub(super) const fn describe(self) -> &'static str {
        match self {
            Self::Lens => {
                "texts as in the evaluation released with LENS: outputs cleaned of tokenisation, all in lower case"
            }
            Self::QuestEval => {
                "texts as in the evaluation with QuestEval: as they are, with the first reference alone"
            }
        }
    }

    /// The texts as this evaluation gives them to metrics.
    pub(super) fn prepare(
        self,
        source: &str,
        output: &str,
        references: &[String],
    ) -> EvaluatedTexts {
        match self {
            Self::Lens => {
                let source = source.to_lowercase();
                let lower = |text: &String| text.trim().to_lowercase();
                EvaluatedTexts {
                    output: remove_tokenisation(output, &source).to_lowercase(),
                    references: references.iter().map(lower).collect(),
                    source,
                }
            }
            Self::QuestEval => EvaluatedTexts {
                source: source.to_owned(),
                output: output.to_owned(),
                references: references.first().cloned().into_iter().collect(),
            },
        }
    }
}

/// ASCII punctuation in code order, as in Python's `string.punctuation`.
const PUNCTUATION: &str = "!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~";

/// Removes marks between sentences (`||`, `<SEP>`), and spaces around punctuation that the source does not have. The
/// source is in lower case and the output is not, so spaces next to a capitalised word stay: the published figures
/// depend on it.
fn remove_tokenisation(output: &str, source: &str) -> String {
    let marked = output.replace(" || ", " ").replace("||", "");
    let mut cleaned = marked.replace(" <SEP> ", " ");
    let tokenised = cleaned.clone();
    let tokens: Vec<&str> = tokenised.split_whitespace().collect();

    for neighbours in tokens.windows(3) {
        let [before, token, after] = *neighbours else {
            continue;
        };
        // A run of signs in the order of their codes counts as one sign, as in the released program.
        if !PUNCTUATION.contains(token) {
            continue;
        }

        let joined = [
            (
                format!("{before}{token}{after}"),
                format!("{before} {token} {after}"),
            ),
            (format!("{before}{token}"), format!("{before} {token}")),
            (format!("{token}{after}"), format!("{token} {after}")),
        ];
        let written = joined.iter().find(|(joined, _)| source.contains(joined));
        if let Some((joined, apart)) = written {
            cleaned = cleaned.replace(apart, joined);
        }
    }
    cleaned
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Outputs as they are, and as the loader of the LENS repository cleans them.
    #[test]
    fn outputs_are_cleaned_as_by_the_released_lens_evaluation() {
        let source =
            "the mill (built in 1870) wasn't rebuilt, and it's a well-known ruin; see the map.";
        for (output, expected) in CLEANED {
            let prepared = PublishedEvaluation::Lens.prepare(source, output, &[]);
            assert_eq!(prepared.output, *expected, "{output}");
        }
    }

    const CLEANED: &[(&str, &str)] = &[
        (
            "The mill ( built in 1870 ) was n't rebuilt , and it 's a well - known ruin .",
            "the mill (built in 1870) was n't rebuilt, and it 's a well-known ruin .",
        ),
        (
            "A Mill , built in 1870 , is a ruin ; see the map .",
            "a mill , built in 1870 , is a ruin; see the map .",
        ),
        (
            "The mill is a ruin. || It was built in 1870.",
            "the mill is a ruin. it was built in 1870.",
        ),
        ("It is a ruin||see the map", "it is a ruinsee the map"),
        ("a ruin <SEP> the mill", "a ruin the mill"),
        ("mill  (  built in 1870", "mill  (  built in 1870"),
        (
            "the mill was rebuilt , and rebuilt , and lost",
            "the mill was rebuilt, and rebuilt, and lost",
        ),
        ("ruin !\" see", "ruin !\" see"),
    ];

    #[test]
    fn questeval_had_the_first_reference_alone() {
        let references = ["The first.".to_owned(), "The second.".to_owned()];
        let prepared = PublishedEvaluation::QuestEval.prepare("A || Mill", "A Mill", &references);
        let expected = EvaluatedTexts {
            source: "A || Mill".to_owned(),
            output: "A Mill".to_owned(),
            references: vec!["The first.".to_owned()],
        };
        assert_eq!(prepared, expected);
    }

    #[test]
    fn all_texts_are_in_lower_case() {
        let references = [" The Mill fell. ".to_owned()];
        let prepared = PublishedEvaluation::Lens.prepare("The Mill", "A MILL", &references);
        let expected = EvaluatedTexts {
            source: "the mill".to_owned(),
            output: "a mill".to_owned(),
            references: vec!["the mill fell.".to_owned()],
        };
        assert_eq!(prepared, expected);
    }
}
