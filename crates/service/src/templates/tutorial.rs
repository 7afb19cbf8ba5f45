//! The tutorial that a new study can begin with: one source, its outputs, and the expected answers.

use domain::{
    category::Category,
    ids::{AssignmentId, OutputId, PersonId, StudyId},
    questions::QuestionOptions,
    source_context::SourceContext,
    study::{AssignmentState, Slug, SourcePurpose, StudySettings},
    work::{
        anchors::ScoreAnchors,
        comparisons::ComparisonDraw,
        task::{AnnotationTask, ExpectedAnswer, TaskItem},
    },
    writing::WritingStart,
};
use store::{Store, import::NewOutput};
use uuid::Uuid;

use super::{StudyTemplate, questions};
use crate::{Context, automatic_annotation::annotate_automatically};

/// The name of the source. With a number, it is also the name of the system of an output.
const NAME: &str = "tutorial";

/// The source of the tutorial. Previews show it, too.
pub const SAMPLE_SOURCE: &str = "The committee, which had been criticised for its slow response, announced on Friday that \
     residents whose homes were damaged in the flood would be compensated within six weeks.";

/// An output of the tutorial.
struct TutorialOutput {
    text: &'static str,
    category: Category,
    /// The overall score, with Rank & Rate.
    overall: i32,
    /// The score for adequacy, from 0 to 100.
    adequacy: i32,
    /// The score for adequacy on five levels.
    adequacy_level: i32,
    /// The answers to whether anything important is missing, whether anything was added, and whether it is easy to read.
    answers: [&'static str; 3],
    /// The lesson that it teaches.
    why: &'static str,
}

const OUTPUTS: [TutorialOutput; 5] = [
    TutorialOutput {
        text: "On Friday, the committee said that it will pay people whose homes were damaged by the flood. They \
               will get the money within six weeks. People had said that the committee was too slow.",
        category: Category::Split,
        overall: 92,
        adequacy: 97,
        adequacy_level: 5,
        answers: ["no", "no", "yes"],
        why: "Three short sentences with everyday words, and nothing is missing.",
    },
    TutorialOutput {
        text: SAMPLE_SOURCE,
        category: Category::Paraphrase,
        overall: 40,
        adequacy: 100,
        adequacy_level: 5,
        answers: ["no", "no", "no"],
        why: "This is the source itself: all of the meaning, but no easier to read.",
    },
    TutorialOutput {
        text: "The committee announced that residents would be compensated.",
        category: Category::Deletion,
        overall: 45,
        adequacy: 50,
        adequacy_level: 3,
        answers: ["yes", "no", "yes"],
        why: "Short and correct, but readers do not learn who gets the money, why, and when.",
    },
    TutorialOutput {
        text: "The committee will punish people who damaged homes in the flood within six weeks.",
        category: Category::Deletion,
        overall: 6,
        adequacy: 5,
        adequacy_level: 1,
        answers: ["yes", "yes", "yes"],
        why: "Easy to read, but false: the people get money, and the flood did the damage.",
    },
    TutorialOutput {
        text: "On friday the committee say that peoples with home damaged by flood gets money within six week, it \
               was blamed for slow.",
        category: Category::Paraphrase,
        overall: 58,
        adequacy: 88,
        adequacy_level: 4,
        answers: ["no", "no", "no"],
        why: "Nearly all is there in simple words. The mistakes make it harder to read, but change nothing of what \
              it says.",
    },
];

/// The points by which a score may differ from the expected one: on a scale of 100 points, and on five levels.
const TOLERANCE: (i32, i32) = (14, 1);

impl TutorialOutput {
    fn expected(&self, template: StudyTemplate) -> ExpectedAnswer {
        let (points, levels) = TOLERANCE;

        let (category, rating, tolerance) = match template {
            StudyTemplate::RankAndRate => (Some(self.category), self.overall, points),
            StudyTemplate::DirectAssessment => (None, self.adequacy, points),
            StudyTemplate::Likert | StudyTemplate::ExpertEvaluation => {
                (None, self.adequacy_level, levels)
            }
            StudyTemplate::Writing => return ExpectedAnswer::default(),
            StudyTemplate::Pairwise
            | StudyTemplate::BestWorst
            | StudyTemplate::EditQuality
            | StudyTemplate::SpanErrors => (None, self.overall, points),

            StudyTemplate::Questions => {
                let keys = [questions::MISSING, questions::ADDED, questions::EASY];
                let choice = |(key, answer): (&str, &str)| QuestionOptions {
                    question: key.to_owned(),
                    options: vec![answer.to_owned()],
                };
                let choices = keys.into_iter().zip(self.answers).map(choice);
                return ExpectedAnswer {
                    explanation: self.why.to_owned(),
                    choices: choices.collect(),
                    ..ExpectedAnswer::default()
                };
            }
        };

        ExpectedAnswer {
            category,
            rating: Some(rating),
            tolerance,
            explanation: self.why.to_owned(),
            ..ExpectedAnswer::default()
        }
    }
}

/// Adds the tutorial to a study that began with the template, as an import by the person or the command line. Its
/// systems are hidden, because they do not belong to the study.
///
/// # Errors
/// When the database fails.
pub async fn add_tutorial(
    store: &Store,
    context: Context,
    study: StudyId,
    template: StudyTemplate,
    person: Option<PersonId>,
) -> store::Result<()> {
    let now = context.now_ms();

    let settings = template.settings();
    let mut import = store
        .begin_import(study, now, move || context.new_id())
        .await?;
    import.describe(person, &["Tutorial of the template".to_owned()]);

    let source = import.source(Some(NAME), SAMPLE_SOURCE, SourcePurpose::Tutorial)?;
    // Annotators who only write see no outputs.
    let outputs = match settings.protocol.only_writes() {
        true => &[],
        false => &OUTPUTS[..],
    };

    for (at, output) in outputs.iter().enumerate() {
        let system = import.system(&format!("{NAME}-{}", at + 1), None)?;
        import.hide_system(system);

        let expected = output.expected(template);
        let new = NewOutput {
            source,
            system,
            text: output.text,
            verbatim: None,
            expected: Some(&expected),
        };

        let annotate = || annotate_automatically(&settings, SAMPLE_SOURCE, output.text, None);
        import.output(&new, annotate)?;
    }

    import.commit().await?;
    Ok(())
}

/// The tutorial's source as a task of a study with these settings, without expected answers. Nothing of it is stored.
#[must_use]
pub fn sample_task(study: SampleStudy<'_>) -> AnnotationTask {
    let SampleStudy {
        slug,
        name,
        guidelines,
        settings,
    } = study;

    let item = |(number, output): (u128, &TutorialOutput)| {
        let automatic = annotate_automatically(settings, SAMPLE_SOURCE, output.text, None);
        TaskItem {
            output: OutputId(Uuid::from_u128(number)),
            copies: 1,
            text: output.text.to_owned(),
            category: automatic.category,
            reason: automatic.reason,
            edits: automatic.edits,
            unsure: vec![],
            moved: vec![],
            expected: None,
        }
    };

    let items: Vec<_> = (1..).zip(&OUTPUTS).map(item).collect();

    let mut task = AnnotationTask {
        assignment: AssignmentId(Uuid::nil()),
        state: AssignmentState::Open,
        study: StudyId(Uuid::nil()),
        slug,
        study_name: name.to_owned(),
        purpose: SourcePurpose::Main,
        number: 1,
        source: SAMPLE_SOURCE.to_owned(),
        context: SourceContext::default(),
        reference: settings
            .protocol
            .shows_reference()
            .then(|| OUTPUTS[0].text.to_owned()),
        anchors: ScoreAnchors::for_study(guidelines, &settings.dimensions),
        dimensions: settings.dimensions.clone(),
        layout: settings.layout,
        accepts_unjudged: settings.accepts_unjudged,
        comparisons: settings
            .protocol
            .compare_step()
            .map_or_else(Vec::new, |step| {
                let outputs: Vec<_> = items.iter().map(|item| item.output).collect();
                let draw = ComparisonDraw {
                    step,
                    outputs: &outputs,
                    planned: &[],
                    source_seed: 0,
                    order_seed: 0,
                    answered: &[],
                    checks: &[],
                };
                draw.comparisons()
            }),
        items,
        start: match settings.protocol.write_step().map(|step| step.start) {
            Some(WritingStart::Source) => SAMPLE_SOURCE.to_owned(),
            Some(WritingStart::Output) => OUTPUTS[0].text.to_owned(),
            Some(WritingStart::Blank) | None => String::new(),
        },
        protocol: settings.protocol.clone(),
        answers: vec![],
        active_ms: 0,
        questions: vec![],
        only_questions: false,
        is_study_closed: false,
        is_being_agreed: false,
    };

    task.take_out_hidden();
    task.find_marks();
    task
}

/// The parts of a study that a task shows.
#[derive(Debug, Clone)]
pub struct SampleStudy<'a> {
    /// Its short name.
    pub slug: Slug,
    /// Its name for people.
    pub name: &'a str,
    /// The guidelines for annotators.
    pub guidelines: &'a str,
    /// The lead's settings.
    pub settings: &'a StudySettings,
}

#[cfg(test)]
mod tests {
    use domain::questions::QuestionAnswer;

    use super::*;

    fn sample(template: StudyTemplate) -> AnnotationTask {
        sample_task(SampleStudy {
            slug: "sample".parse().expect("a short name"),
            name: "Sample",
            guidelines: template.guidelines(),
            settings: &template.settings(),
        })
    }

    #[test]
    fn a_sample_has_edits_where_the_protocol_shows_them() {
        let has_edits = |template| {
            sample(template)
                .items
                .iter()
                .any(|item| !item.edits.is_empty())
        };

        assert!(has_edits(StudyTemplate::RankAndRate));
        assert!(!has_edits(StudyTemplate::Likert));
        assert_eq!(sample(StudyTemplate::DirectAssessment).dimensions.len(), 3);
    }

    #[test]
    fn explanations_name_no_dimension_that_the_study_does_not_have() {
        for template in StudyTemplate::ALL {
            let dimensions = template.settings().dimensions;

            let names = ["adequacy", "fluency", "simplicity"];
            let mut names = names.iter().filter(|name| {
                let mut dimensions = dimensions.iter();
                !dimensions.any(|dimension| dimension.name == **name)
            });

            let named = names.find(|name| OUTPUTS.iter().any(|output| output.why.contains(**name)));
            assert_eq!(named, None, "{template}");
        }
    }

    #[test]
    fn expected_answers_are_on_the_scale_of_the_first_dimension() {
        for template in StudyTemplate::ALL {
            let settings = template.settings();
            for output in &OUTPUTS {
                let expected = output.expected(*template);
                let judges = settings.protocol.scores() || settings.protocol.compares();
                assert_eq!(expected.rating.is_some(), judges);
                if let Some(rating) = expected.rating {
                    assert!(
                        settings.dimensions[0].scale.score(rating).is_ok(),
                        "{template} {rating}"
                    );
                }

                for choice in &expected.choices {
                    let step = settings.protocol.answer_step().expect("questions");
                    let question = step.find(&choice.question).expect("the question");
                    let answer = QuestionAnswer::One(choice.options[0].clone());
                    assert_eq!(question.check_answer(&answer), Ok(()));
                }

                assert_eq!(expected.category.is_some(), settings.protocol.categorises());

                // The guidelines define categories as the automatic rule does.
                let automatic = annotate_automatically(&settings, SAMPLE_SOURCE, output.text, None);
                assert_eq!(output.category, automatic.category, "{}", output.text);
            }
        }
    }
}
