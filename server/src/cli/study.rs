use std::path::PathBuf;

use anyhow::Context as _;
use domain::{
    ids::StudyId,
    study::{CategoryRule, Slug, SourceOrder, StudySettings, WorkLayout},
};
use serde::Serialize;
use service::{
    experiments::ArmProtocol,
    study_file::StudyFile,
    templates::{StudyTemplate, add_tutorial},
};
use store::{
    NewStudy, Store, Study as Stored,
    audit::{AuditKind, AuditSubject},
};
use utoipa::ToSchema;

use super::{annotators, experiment, output::CommandOutput, study_file};
use crate::{audit::command_entry, clock, database, settings::DataSettings};

/// Commands for studies. They may be used while the server runs.
#[derive(Debug, clap::Subcommand)]
pub(crate) enum StudyCommand {
    /// List all studies.
    List,
    /// Show one study: what is set, and what it holds.
    Show {
        /// Its short name.
        study: Slug,
    },
    /// Make a study.
    Create {
        /// Its short name, as in addresses and commands: a–z, 0–9 and -.
        study: Slug,
        /// Its name for people; by default the short name.
        #[arg(long)]
        name: Option<String>,
        /// The name of its lead; by default only administrators lead it.
        #[arg(long, value_name = "NAME")]
        lead: Option<String>,
        /// How many annotators each source gets; by default as many as the template suggests: two in
        /// `expert-evaluation`, one in `writing`, three in the others.
        #[arg(long, value_name = "NUMBER", value_parser = clap::value_parser!(u32).range(1..=100))]
        overlap: Option<u32>,
        /// The rule of step 1: `tuned` or `paper`.
        #[arg(long, default_value = "tuned")]
        category_rule: CategoryRule,
        /// The rule's threshold, 0 to 1; by default the one that belongs to the rule.
        #[arg(long, value_name = "RATIO", value_parser = parse_ratio)]
        category_threshold: Option<f64>,
        /// The template to begin with: `rank-and-rate`, `direct-assessment`, `likert`, `pairwise`, `best-worst`,
        /// `expert-evaluation`, `edit-quality`, `span-errors`, `questions` or `writing`.
        #[arg(long, default_value = "rank-and-rate")]
        template: StudyTemplate,
        /// Begin with the template's tutorial: a source that teaches annotators.
        #[arg(long)]
        tutorial: bool,
        /// How annotators go through the steps of Rank & Rate: in three `steps`, or `merged`, output by output.
        #[arg(long, default_value = "steps")]
        layout: WorkLayout,
        /// Annotators must score every output: they cannot say that they cannot judge one.
        #[arg(long)]
        no_unjudged: bool,
    },
    /// Write a study as a file: settings, texts and training items, without ratings, people and rated sources.
    Export {
        /// Its short name.
        study: Slug,
        /// The file to write; by default standard output.
        #[arg(short, long, value_name = "FILE")]
        output: Option<PathBuf>,
    },
    /// Make a study from such a file. Only administrators lead it until it has another lead.
    Import {
        /// The file.
        file: PathBuf,
        /// The short name of the new study; by default the file's.
        #[arg(long, value_name = "STUDY")]
        slug: Option<Slug>,
        /// Its name for people; by default the file's.
        #[arg(long, alias = "title", value_name = "NAME")]
        name: Option<String>,
    },
    /// Make a study like another one, with its settings, texts and training items. Only administrators lead it until
    /// it has another lead.
    Clone {
        /// The short name of the other study.
        study: Slug,
        /// The short name of the new study.
        #[arg(long, value_name = "STUDY")]
        slug: Slug,
        /// Its name for people.
        #[arg(long, alias = "title", value_name = "NAME")]
        name: String,
    },
    /// Compare protocols in an experiment: the same people judge the same sources, each source under one protocol.
    ///
    /// Each --with makes a study with another protocol, an arm of the experiment, with the sources and members of the first
    /// one. A Latin square says in which arm an annotator judges a source. Without --with, the arms are brought up to date:
    /// what one of them has, the others get.
    Experiment {
        /// The short name of the first study, none of whose sources was given out yet, or of any arm.
        study: Slug,
        /// The protocol of a new arm: a template, as for `study create`, or `same`, to be changed by hand. May be repeated.
        #[arg(long, value_name = "PROTOCOL")]
        with: Vec<ArmProtocol>,
        /// The short name of the new study, in the order of --with; by default made of the first one's and the protocol.
        #[arg(long, value_name = "STUDY")]
        slug: Vec<Slug>,
    },
    /// Give some sources a number of annotators of their own, such as ten for 50 of 500 sources, to measure agreement.
    ///
    /// Annotators who have a source keep it, whatever the number is. Unless all keys are known, nothing is changed.
    Annotators {
        /// Its short name.
        study: Slug,
        /// The number of annotators; by default as many as the study asks for.
        #[arg(long, alias = "number", value_name = "NUMBER", value_parser = clap::value_parser!(u32).range(1..=100))]
        overlap: Option<u32>,
        /// A file with the key of a source (`source_id`) on each line.
        #[arg(long, value_name = "FILE")]
        keys: PathBuf,
    },
    /// Say which of the sources that nobody has yet comes next.
    ///
    /// Where each source has outputs of all systems and no metric scored them, both orders are the same.
    Order {
        /// Its short name.
        study: Slug,
        /// The first one of the import (`as-imported`), or the one that makes the ranking of systems most certain
        /// (`where-uncertain`).
        order: SourceOrder,
    },
    /// Close a study: annotators get no more sources, and answers can no longer change.
    Close {
        /// Its short name.
        study: Slug,
    },
    /// Archive a finished study: it is closed, and nothing in it can be changed until it is unarchived.
    Archive {
        /// Its short name.
        study: Slug,
    },
    /// Take a study out of the archive; it stays closed.
    Unarchive {
        /// Its short name.
        study: Slug,
    },
    /// Erase a closed study with everything in it.
    Erase {
        /// Its short name.
        study: Slug,
        /// Erase it; otherwise the command only says what would go.
        #[arg(long)]
        yes: bool,
    },
}

/// The contents that go with a study, or went, as they are printed.
#[derive(Debug, Serialize, ToSchema)]
pub(super) struct StudyErasure<'a> {
    /// Its short name.
    study: &'a Slug,
    /// Whether it was erased, or this is what would go.
    erased: bool,
    /// The number of sources.
    sources: u32,
    /// The number of outputs.
    outputs: u32,
    /// The number of ratings.
    ratings: u32,
    /// The number of readers and crowd raters.
    participants: u32,
    /// The number of people with a role.
    members: u32,
}

/// A study, as commands print it.
#[derive(Debug, Serialize, ToSchema)]
pub(super) struct StudyDetails<'a> {
    /// The study.
    id: StudyId,
    /// Its short name.
    study: &'a Slug,
    /// Its name.
    name: &'a str,
    /// Whether it is closed.
    closed: bool,
    /// Whether it is archived.
    archived: bool,
    /// Its settings.
    settings: &'a StudySettings,
}

/// All studies, as they are printed.
#[derive(Debug, Serialize, ToSchema)]
pub(super) struct StudyListing<'a> {
    /// All studies.
    studies: Vec<StudyDetails<'a>>,
}

impl StudyCommand {
    pub(crate) async fn run(
        self,
        mut output: CommandOutput,
        data: &DataSettings,
    ) -> anyhow::Result<()> {
        let store = match self {
            Self::Create { .. } | Self::Import { .. } => database::open(data).await?,
            Self::List | Self::Show { .. } | Self::Export { .. } => {
                database::open_to_read(data).await?
            }
            _ => database::open_existing(data).await?,
        };

        match self {
            Self::List => {
                let studies = store.studies().await?;
                let entries: Vec<_> = studies.iter().map(study_details).collect();
                output.print(&StudyListing { studies: entries }, || {
                    studies.iter().map(line).collect()
                })
            }
            Self::Show { study } => show(output, &store, &study).await,
            Self::Create {
                study,
                name,
                lead,
                overlap,
                category_rule,
                category_threshold,
                template,
                tutorial,
                layout,
                no_unjudged,
            } => {
                let suggested = template.settings();
                let settings = StudySettings {
                    overlap: overlap.unwrap_or(suggested.overlap),
                    category_rule,
                    category_threshold: category_threshold
                        .unwrap_or_else(|| category_rule.default_threshold()),
                    layout,
                    accepts_unjudged: !no_unjudged,
                    ..suggested
                };

                let name = name.unwrap_or_else(|| study.to_string());
                let new = (&study, name.trim(), lead.as_deref());
                let id = create(&store, new, &settings, template).await?;
                if tutorial {
                    add_tutorial(&store, clock::CONTEXT, id, template, None).await?;
                }
                show(output, &store, &study).await
            }
            Self::Export {
                study,
                output: path,
            } => {
                let study = find_study(&store, &study).await?;
                study_file::export(output, &store, &study, path).await
            }
            Self::Import { file, slug, name } => {
                let mut read = study_file::read(&file)?;
                read.slug = slug.unwrap_or(read.slug);
                read.title = name.unwrap_or(read.title);
                let slug = study_file::create(&store, read).await?;
                show(output, &store, &slug).await
            }
            Self::Clone { study, slug, name } => {
                let study = find_study(&store, &study).await?;
                let mut copy = StudyFile::load(&store, &study).await?;
                (copy.slug, copy.title) = (slug, name);
                let slug = study_file::create(&store, copy).await?;
                show(output, &store, &slug).await
            }
            Self::Experiment { study, with, slug } => {
                experiment::run(output, &store, &study, &with, &slug).await
            }
            Self::Annotators {
                study,
                overlap,
                keys,
            } => annotators::set(output, &store, &study, overlap, &keys).await,
            Self::Order { study, order } => {
                let changing = find_study(&store, &study).await?;
                let settings = StudySettings {
                    source_order: order,
                    ..changing.settings
                };
                let now = clock::now_ms();
                store.set_settings(changing.id, &settings, now).await?;
                show(output, &store, &study).await
            }
            Self::Close { study } => {
                let closing = find_study(&store, &study).await?;
                let subject = AuditSubject::Named(closing.name);
                let entry = command_entry(AuditKind::StudyClosed, Some(closing.id), subject);
                store
                    .audited(entry)
                    .close_study(closing.id, clock::now_ms())
                    .await?;
                show(output, &store, &study).await
            }
            Self::Archive { study } => {
                let archiving = find_study(&store, &study).await?;
                let subject = AuditSubject::Named(archiving.name);
                let entry = command_entry(AuditKind::StudyArchived, Some(archiving.id), subject);
                let audited = store.audited(entry);
                audited.archive_study(archiving.id, clock::now_ms()).await?;
                show(output, &store, &study).await
            }
            Self::Unarchive { study } => {
                let archived = find_study(&store, &study).await?;
                let subject = AuditSubject::Named(archived.name);
                let entry = command_entry(AuditKind::StudyUnarchived, Some(archived.id), subject);
                let audited = store.audited(entry);
                audited
                    .unarchive_study(archived.id, clock::now_ms())
                    .await?;
                show(output, &store, &study).await
            }
            Self::Erase { study, yes } => erase(output, &store, &study, yes).await,
        }
    }
}

/// Erases a study, or says what would go.
async fn erase(
    mut output: CommandOutput,
    store: &Store,
    slug: &Slug,
    yes: bool,
) -> anyhow::Result<()> {
    if yes {
        // Finish an interrupted erasure first: its study is hidden already.
        store.finish_erasures().await?;
    }

    let study = find_study(store, slug).await?;
    let holdings = store.study_holdings(study.id).await?;
    if yes {
        let subject = AuditSubject::Named(study.name.clone());
        store
            .audited(command_entry(
                AuditKind::StudyErased,
                Some(study.id),
                subject,
            ))
            .erase_study(study.id, clock::now_ms())
            .await?;
        store.finish_erasures().await?;
    }

    let erasure = StudyErasure {
        study: slug,
        erased: yes,
        sources: holdings.sources,
        outputs: holdings.outputs,
        ratings: holdings.ratings,
        participants: holdings.participants,
        members: holdings.members,
    };
    output.print(&erasure, || erasure_lines(&erasure))
}

fn erasure_lines(erasure: &StudyErasure<'_>) -> String {
    let StudyErasure {
        study,
        sources,
        outputs,
        ratings,
        participants,
        members,
        ..
    } = erasure;

    let holds = format!(
        "sources: {sources}, outputs: {outputs}, ratings: {ratings}, participants: {participants}, \
         members: {members}"
    );

    if erasure.erased {
        format!(
            "{study}: erased with everything in it\n{holds}\nBackups made before still hold it."
        )
    } else {
        format!("{study}: nothing was erased; with --yes all of this goes\n{holds}")
    }
}

async fn create(
    store: &Store,
    (slug, name, lead): (&Slug, &str, Option<&str>),
    settings: &StudySettings,
    template: StudyTemplate,
) -> anyhow::Result<StudyId> {
    let lead = match lead {
        Some(lead) => {
            let account = store.person_named(lead).await?;
            let (person, _) = account
                .with_context(|| format!("nobody is called “{lead}”: see `rankrate user list`"))?;
            Some(person.id)
        }
        None => None,
    };

    let id = StudyId(clock::new_id());
    let subject = AuditSubject::Named(name.to_owned());
    store
        .audited(command_entry(AuditKind::StudyCreated, Some(id), subject))
        .create_study(
            &NewStudy {
                id,
                slug,
                name,
                settings,
                guidelines: template.guidelines(),
                lead,
            },
            clock::now_ms(),
        )
        .await?;
    Ok(id)
}

async fn show(mut output: CommandOutput, store: &Store, slug: &Slug) -> anyhow::Result<()> {
    let study = find_study(store, slug).await?;
    output.print(&study_details(&study), || lines(&study))
}

fn study_details(study: &Stored) -> StudyDetails<'_> {
    StudyDetails {
        id: study.id,
        study: &study.slug,
        name: &study.name,
        closed: study.closed_at.is_some(),
        archived: study.archived_at.is_some(),
        settings: &study.settings,
    }
}

fn line(study: &Stored) -> String {
    let closed = match (study.archived_at, study.closed_at) {
        (Some(_), _) => "  archived",
        (None, Some(_)) => "  closed",
        (None, None) => "",
    };
    format!("{}  {}{closed}\n", study.slug, study.name)
}

fn lines(study: &Stored) -> String {
    let StudySettings {
        overlap,
        category_rule,
        category_threshold,
        layout,
        lease_hours,
        source_order,
        ..
    } = study.settings;

    let dimensions: Vec<_> = study
        .settings
        .dimensions
        .iter()
        .map(|dimension| format!("{} ({})", dimension.name, dimension.scale))
        .collect();
    let order = match source_order {
        SourceOrder::AsImported => "",
        SourceOrder::WhereUncertain => {
            "next source: the one that makes the ranking of systems most certain\n"
        }
    };

    format!(
        "{}annotators for each source: {overlap}\n{order}category rule: {category_rule}, threshold \
         {category_threshold}\nsteps: {}\nway of working: {layout}\nhours until an unfinished source is given to someone else: {lease_hours}\ndimensions: {}",
        line(study),
        study.settings.protocol.describe(),
        dimensions.join(", "),
    )
}

/// Parses a number from 0 to 1.
fn parse_ratio(text: &str) -> Result<f64, String> {
    let number = text
        .parse()
        .ok()
        .filter(|number| (0.0..=1.0).contains(number));
    number.ok_or_else(|| "use a number from 0 to 1".to_owned())
}

/// Finds the study with this short name.
///
/// # Errors
/// No study has this name.
pub(super) async fn find_study(store: &Store, slug: &Slug) -> anyhow::Result<Stored> {
    let study = store.study_by_slug(slug).await?;
    study.with_context(|| format!("there is no study “{slug}”: see `rankrate study list`"))
}
