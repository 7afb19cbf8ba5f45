//! Experiments that compare protocols on the same sources and people.
//!
//! An arm begins as an empty study ([`add_arm`]). [`update_arms`] then adds what the other arms have and gives each
//! source its place in the plan. It only adds what is missing, so it can be called at any time: an import into one arm
//! reaches the others, and an interrupted update is completed.

use std::{fmt, str::FromStr};

use domain::{
    ids::{ExperimentId, PersonId, StudyId},
    study::{Slug, SourcePurpose, StudySettings},
};
use store::{
    NewStudy, Store, Study,
    experiments::{
        CopiedSource, ExperimentArm, MOST_ARMS, MemberEntry, NewArm, ProtocolExperiment,
    },
    import::{ImportCounts, NewOutput, StudyImport},
};
use tokio::runtime::Handle;

use crate::{
    Context,
    automatic_annotation::annotate_automatically,
    study_file::StudyFile,
    templates::{StudyTemplate, UnknownStudyTemplate, add_tutorial},
};

/// The initial protocol of an arm.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ArmProtocol {
    /// The protocol of a template, with its guidelines.
    Template(StudyTemplate),
    /// The protocol of the first study with its guidelines, to be changed by hand.
    Same,
}

impl ArmProtocol {
    /// The name of [`Self::Same`].
    pub const SAME: &'static str = "same";

    /// Its name for people.
    #[must_use]
    pub const fn title(self) -> &'static str {
        match self {
            Self::Template(template) => template.title(),
            Self::Same => "Same protocol",
        }
    }
}

impl fmt::Display for ArmProtocol {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Template(template) => template.fmt(f),
            Self::Same => f.write_str(Self::SAME),
        }
    }
}

impl FromStr for ArmProtocol {
    type Err = UnknownStudyTemplate;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        match text {
            Self::SAME => Ok(Self::Same),
            template => template.parse().map(Self::Template),
        }
    }
}

/// A new arm: a study, with its names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ArmPlan {
    /// The initial protocol.
    pub protocol: ArmProtocol,
    /// The short name.
    pub slug: Slug,
    /// The name for people.
    pub name: String,
}

/// The names for new arms: the first arm's, followed by the protocol's.
#[derive(Debug, Clone)]
pub struct ArmNames {
    slug: Slug,
    name: String,
    /// The names of existing arms.
    taken: Vec<String>,
}

impl ArmNames {
    /// The longest short name of a study.
    const LONGEST_SLUG: usize = 40;
    /// The longest name of a study, in characters.
    const LONGEST_NAME: usize = 120;

    /// The names for arms of an experiment; without one, `first` becomes its first arm.
    #[must_use]
    pub fn new(first: &Study, experiment: Option<&ProtocolExperiment>) -> Self {
        let arms = experiment.map_or(&[][..], |experiment| &experiment.arms);
        let (slug, name) = arms
            .first()
            .map_or((&first.slug, &first.name), |arm| (&arm.slug, &arm.name));

        Self {
            slug: slug.clone(),
            name: name.clone(),
            taken: arms.iter().map(|arm| arm.name.clone()).collect(),
        }
    }

    /// Suggests an arm with the next free name. The short name ends in a number from the second `attempt` on; the
    /// name does if another arm has the same.
    ///
    /// # Panics
    /// Never: such a short name is valid.
    #[must_use]
    pub fn suggest(&self, protocol: ArmProtocol, attempt: usize) -> ArmPlan {
        let number = match attempt {
            0 => String::new(),
            attempt => format!("-{}", attempt + 1),
        };
        let slug = join(
            self.slug.as_str(),
            &format!("-{protocol}{number}"),
            Self::LONGEST_SLUG,
        );

        let mut name = String::new();
        for number in 1..=self.taken.len() + 1 {
            let number = match number {
                1 => String::new(),
                number => format!(" {number}"),
            };
            let end = format!(": {}{number}", protocol.title());
            name = join(&self.name, &end, Self::LONGEST_NAME);
            if !self.taken.contains(&name) {
                break;
            }
        }

        ArmPlan {
            protocol,
            slug: slug.parse().expect("it is short, of letters, digits and -"),
            name,
        }
    }

    /// Notes that an arm now has the name.
    pub fn take(&mut self, name: String) {
        self.taken.push(name);
    }
}

/// Joins the beginning of `text` and the whole of `end` into at most `longest` characters.
fn join(text: &str, end: &str, longest: usize) -> String {
    let left = longest - end.chars().count();

    let beginning: String = text.chars().take(left).collect();
    beginning + end
}

/// Refuses arms that would exceed the most an experiment may have, before any is made.
///
/// # Errors
/// Refused if the existing arms (one if there is no experiment yet) and the `added` ones are more than [`MOST_ARMS`].
pub fn refuse_too_many(experiment: Option<&ProtocolExperiment>, added: usize) -> store::Result<()> {
    let existing = experiment.map_or(1, |experiment| experiment.arms.len());
    if existing + added <= MOST_ARMS {
        return Ok(());
    }

    let left = MOST_ARMS.saturating_sub(existing);
    Err(store::Error::Refused(format!(
        "An experiment compares {MOST_ARMS} protocols at most, those of existing studies included: choose {left} or fewer."
    )))
}

/// The person or command that changes an experiment, for the list of imports and the log of changes.
#[derive(Clone, Copy)]
pub struct ExperimentEditor<'a> {
    /// The person; `None` for the command line.
    pub person: Option<PersonId>,
    /// Makes the entry of the log of changes for each person who becomes a member of an arm.
    pub member_entry: &'a MemberEntry<'a>,
}

/// The changes made by [`update_arms`].
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ArmUpdate {
    /// The short names of the arms that got something, with the counts.
    pub imported: Vec<(Slug, ImportCounts)>,
    /// The number of annotators who were added to an arm.
    pub annotators: u64,
    /// The number of sources that got their place in the plan.
    pub placed: u32,
    /// Sentences on what an arm has in another form, which is left as it is.
    pub conflicts: Vec<String>,
}

/// The most conflicts that are listed individually.
const MOST_CONFLICTS: usize = 20;

/// Creates a study, still without sources, as a new arm of the experiment that `first` is in or begins.
///
/// It takes from `first` the settings that do not depend on the protocol: the number of raters, leases, quality
/// control, the rule of categories, the retention period, and the information sheet. With the same protocol it also
/// takes everything that teaches and tests annotators; with a template, the template's tutorial if `first` has a
/// tutorial.
///
/// # Errors
/// Refused if sources of `first` were given out already, or it is open to crowd raters; see [`Store::create_arm`].
pub async fn add_arm(
    store: &Store,
    context: Context,
    editor: ExperimentEditor<'_>,
    first: &Study,
    id: StudyId,
    plan: &ArmPlan,
) -> store::Result<()> {
    if first.settings.crowd.is_open {
        return Err(store::Error::Refused(
            "Crowd raters see one study only, so they cannot take part in an experiment: close the study to them under \
             Crowd raters, and invite annotators."
                .to_owned(),
        ));
    }

    let settings = settings_of(first, plan.protocol);
    let guidelines = match plan.protocol {
        ArmProtocol::Template(template) => template.guidelines(),
        ArmProtocol::Same => &first.guidelines,
    };

    let arm = NewArm {
        experiment: ExperimentId(context.new_id()),
        study: NewStudy {
            id,
            slug: &plan.slug,
            name: &plan.name,
            settings: &settings,
            guidelines,
            lead: None,
        },
        information: &first.information,
        member_entry: editor.member_entry,
    };
    store.create_arm(first.id, &arm, context.now_ms()).await?;

    match plan.protocol {
        ArmProtocol::Template(template) => {
            let training = store.training_sources(first.id).await?;
            let mut purposes = training.iter().map(|source| source.purpose);
            if purposes.any(|purpose| purpose == SourcePurpose::Tutorial) {
                add_tutorial(store, context, id, template, editor.person).await?;
            }
        }
        ArmProtocol::Same => copy_training(store, context, editor, first, id).await?,
    }
    Ok(())
}

/// Copies the sources that teach and test annotators to a new arm, with the expected answers. Without them, nobody
/// would pass the arm's qualification.
async fn copy_training(
    store: &Store,
    context: Context,
    editor: ExperimentEditor<'_>,
    first: &Study,
    id: StudyId,
) -> store::Result<()> {
    let file = StudyFile::load(store, first).await?;

    let mut import = store
        .begin_import(id, context.now_ms(), context.ids)
        .await?;
    import.describe(editor.person, &["Training of the first study".to_owned()]);

    let work = move || {
        let added = file.add_training_items(&mut import);
        (import, added)
    };
    let (import, added) = tokio::task::spawn_blocking(work)
        .await
        .expect("adding sources does not panic");

    match added {
        Ok(()) => import.commit().await.map(|_| ()),
        Err(error) => {
            import.rollback().await?;
            Err(error)
        }
    }
}

fn settings_of(first: &Study, protocol: ArmProtocol) -> StudySettings {
    let own = &first.settings;
    match protocol {
        ArmProtocol::Same => own.clone(),
        ArmProtocol::Template(template) => StudySettings {
            // The new study has no groups with their own number of raters.
            overlap: own.raters_each().min(*StudySettings::OVERLAP.end()),
            category_rule: own.category_rule,
            category_threshold: own.category_threshold,
            lease_hours: own.lease_hours,
            quality_control: own.quality_control,
            retention: own.retention,
            ..template.settings()
        },
    }
}

/// Brings the open arms of an experiment up to date: each gets the main sources, outputs, references and contexts that
/// others have and it lacks; annotators of one become annotators of all; and sources that all of them have get
/// their place in the plan. Closed arms neither give nor get anything. Calling it again changes nothing.
///
/// # Errors
/// When an import is running in an arm, or the database fails. What was added until then is kept.
pub async fn update_arms(
    store: &Store,
    context: Context,
    editor: ExperimentEditor<'_>,
    experiment: &ProtocolExperiment,
) -> store::Result<ArmUpdate> {
    let mut update = ArmUpdate::default();
    let open: Vec<_> = experiment
        .arms
        .iter()
        .filter(|arm| !arm.is_closed)
        .collect();

    let mut studies = Vec::with_capacity(open.len());
    for arm in &open {
        studies.push(store.sources_to_copy(arm.study).await?);
    }

    for (index, arm) in open.into_iter().enumerate() {
        let others = studies.iter().enumerate();
        let others = others.filter(|(other, _)| *other != index);
        let sources: Vec<_> = others.flat_map(|(_, sources)| sources).cloned().collect();

        let (counts, conflicts) =
            import_sources(store, context, editor.person, arm, sources).await?;
        if counts != ImportCounts::default() {
            update.imported.push((arm.slug.clone(), counts));
        }
        let conflicts = conflicts.into_iter();
        update
            .conflicts
            .extend(conflicts.map(|conflict| format!("{}: {conflict}", arm.name)));
    }

    let now_ms = context.now_ms();
    let spread = store.spread_annotators(experiment.id, editor.member_entry, now_ms);
    update.annotators = spread.await?;
    update.placed = store.place_sources(experiment.id, now_ms).await?;

    Ok(update)
}

/// Imports the sources that an arm lacks. Returns the counts, and sentences on what the arm has in another form.
async fn import_sources(
    store: &Store,
    context: Context,
    person: Option<PersonId>,
    arm: &ExperimentArm,
    sources: Vec<CopiedSource>,
) -> store::Result<(ImportCounts, Vec<String>)> {
    let begun = store.begin_import(arm.study, context.now_ms(), context.ids);
    let mut import = match begun.await {
        Err(store::Error::ImportUnderWay) => {
            return Err(store::Error::Refused(format!(
                "A file is being imported into “{}”. Try again when it is done.",
                arm.name
            )));
        }
        import => import?,
    };

    import.describe(person, &["Sources of the other studies".to_owned()]);
    let (runtime, settings) = (Handle::current(), arm.settings.clone());
    let seed = context.new_id().as_u64_pair().1;

    let work = move || {
        let added = add_sources(&runtime, context, &mut import, &sources).and_then(|conflicts| {
            let automatic = |source: &str, output: &str| {
                annotate_automatically(&settings, source, output, None)
            };
            runtime.block_on(import.add_quality_control(seed, automatic))?;
            Ok(conflicts)
        });
        (import, added)
    };
    let (import, added) = tokio::task::spawn_blocking(work)
        .await
        .expect("adding sources does not panic");

    match added {
        Ok(conflicts) => Ok((import.commit().await?, conflicts)),
        Err(error) => {
            import.rollback().await?;
            Err(error)
        }
    }
}

/// The number of sources after which the import renews its lease and sends the batches that fill a transaction.
const BATCH: usize = 250;

fn add_sources(
    runtime: &Handle,
    context: Context,
    import: &mut StudyImport,
    sources: &[CopiedSource],
) -> store::Result<Vec<String>> {
    let mut conflicts = vec![];
    for (number, source) in sources.iter().enumerate() {
        match add_source(import, source) {
            Err(store::Error::Refused(conflict)) if conflicts.len() < MOST_CONFLICTS => {
                conflicts.push(conflict);
            }
            Ok(()) | Err(store::Error::Refused(_)) => {}
            Err(error) => return Err(error),
        }

        if (number + 1).is_multiple_of(BATCH) {
            import.renew(context.now_ms());
            runtime.block_on(import.flush_full())?;
        }
    }

    Ok(conflicts)
}

fn add_source(import: &mut StudyImport, source: &CopiedSource) -> store::Result<()> {
    let id = import.source(Some(&source.key), &source.text, SourcePurpose::Main)?;
    import.context(id, &source.context)?;
    import.references(id, &source.references)?;

    for output in &source.outputs {
        let system = import.system(&output.system, Some(output.kind))?;
        if output.is_hidden {
            import.hide_system(system);
        }
        let new = NewOutput {
            verbatim: output.verbatim.as_deref(),
            ..NewOutput::new(id, system, &output.text)
        };
        import.output(&new, || output.automatic.clone())?;
    }
    Ok(())
}
