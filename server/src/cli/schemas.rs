//! JSON Schemas of what commands print with `--json`, and of exports.

use std::borrow::Cow;

use anyhow::Context as _;
use domain::text::align::evaluate::AlignmentEvaluation;
use serde::Serialize;
use serde_json::{Value, json};
use service::{
    export::{ExportFormat, TypeSchema},
    import::{ImportReport, ImportSummary},
};
use store::DatabaseCheck;
use utoipa::ToSchema;

use super::{
    align::{AlignTrainReport, PairEdits, PairLinks},
    annotators::SourceAnnotators,
    backup::{BackupReport, RestoreReport},
    compare::CompareJson,
    comprehension::ComprehensionJson,
    demo::DemoReport,
    experiment::StudyExperiment,
    export::ExportReport,
    imports::{ImportListing, ListedImport},
    meta_eval::MetaEvalJson,
    output::CommandOutput,
    pairwise::PairwiseJson,
    pretrain::{AblationJson, PretrainingJson},
    protocols::ProtocolsJson,
    raters::RatersJson,
    rerank::BestCandidate,
    score::ScoreSummary,
    spans::SpansJson,
    study::{StudyDetails, StudyErasure, StudyListing},
    study_file::StudyFileReport,
    system::SystemListing,
    token::{RevokedToken, TokenDetails, TokenListing},
    train::{LeaveOneOutReport, TrainingJson},
    user::{AccountDetails, AccountListing, ErasedAccount, GrantedRole},
    webhook::{RemovedWebhook, WebhookDetails, WebhookListing, WebhookTest},
};
use crate::reports::{AgreementJson, SystemsJson};

/// A report that a command prints as one JSON object.
pub(crate) trait PrintedReport: Serialize + ToSchema {
    /// The name.
    const NAME: &'static str;
    /// The version, raised when a key is removed or changes its meaning, but not for a new key.
    const VERSION: u32;
}

/// A report, a line or an export that a command writes, with its JSON Schema.
struct PrintedSchema {
    name: Cow<'static, str>,
    version: u32,
    /// The command that writes it.
    command: Cow<'static, str>,
    /// Whether it has the key `schema`.
    is_tagged: bool,
    schema: TypeSchema,
}

macro_rules! printed {
    (
        reports { $($report:ty: $name:literal $version:literal, $command:literal;)* }
        lines { $($line:ty: $line_name:literal $line_version:literal, $line_command:literal;)* }
    ) => {
        $(impl PrintedReport for $report {
            const NAME: &'static str = $name;
            const VERSION: u32 = $version;
        })*

        /// All that commands print with `--json`.
        fn printed() -> Vec<PrintedSchema> {
            vec![
                $(PrintedSchema {
                    name: $name.into(),
                    version: $version,
                    command: $command.into(),
                    is_tagged: true,
                    schema: TypeSchema::describe::<$report>(),
                },)*
                $(PrintedSchema {
                    name: $line_name.into(),
                    version: $line_version,
                    command: $line_command.into(),
                    is_tagged: false,
                    schema: TypeSchema::describe::<$line>(),
                },)*
            ]
        }
    };
}

printed! {
    reports {
        AgreementJson<'_>: "agreement" 1, "agreement";
        RatersJson<'_>: "raters" 1, "raters";
        SystemsJson<'_>: "systems" 1, "systems";
        CompareJson<'_>: "compare" 1, "compare";
        PairwiseJson<'_>: "pairwise" 1, "pairwise";
        SpansJson<'_>: "spans" 1, "spans";
        ProtocolsJson<'_>: "protocols" 1, "protocols";
        ComprehensionJson<'_>: "reading" 1, "rc";
        ScoreSummary<'_>: "score" 1, "score";
        MetaEvalJson<'_>: "meta-eval" 1, "meta-eval";
        TrainingJson<'_>: "train" 1, "train";
        LeaveOneOutReport: "leave-one-out" 1, "train --leave-one-dataset-out";
        PretrainingJson<'_>: "pretrain" 1, "pretrain";
        AblationJson: "pretrain-ablation" 1, "pretrain --ablation";
        AlignTrainReport<'_>: "align-train" 1, "align train";
        AlignmentEvaluation: "align-eval" 1, "align eval";
        ImportReport: "import" 1, "import";
        ImportSummary: "import-preview" 1, "import --dry-run";
        ImportListing: "imports" 1, "import --list";
        ListedImport: "import-undo" 1, "import --undo";
        ExportReport: "export" 1, "export";
        StudyListing<'_>: "studies" 1, "study list";
        StudyDetails<'_>: "study" 1, "study show, create, import, clone, close, archive, unarchive";
        StudyFileReport<'_>: "study-file" 1, "study export";
        StudyExperiment<'_>: "study-experiment" 1, "study experiment";
        SourceAnnotators<'_>: "study-annotators" 1, "study annotators";
        StudyErasure<'_>: "study-erase" 1, "study erase";
        SystemListing<'_>: "study-systems" 1, "system";
        AccountListing<'_>: "users" 1, "user list";
        AccountDetails<'_>: "user" 1, "user add, reset";
        GrantedRole<'_>: "user-role" 1, "user role";
        ErasedAccount<'_>: "user-erase" 1, "user erase";
        TokenListing<'_>: "tokens" 1, "token list";
        TokenDetails<'_>: "token" 1, "token add";
        RevokedToken<'_>: "token-revoke" 1, "token revoke";
        WebhookListing<'_>: "webhooks" 1, "webhook list";
        WebhookDetails<'_>: "webhook" 1, "webhook add";
        RemovedWebhook: "webhook-remove" 1, "webhook remove";
        WebhookTest: "webhook-test" 1, "webhook test";
        BackupReport: "backup" 1, "backup";
        RestoreReport: "restore" 1, "restore";
        DatabaseCheck: "check" 1, "check";
        DemoReport: "demo" 1, "demo";
    }
    lines {
        PairLinks<'_>: "align-links" 1, "align --format json";
        PairEdits<'_>: "align-edits" 1, "align --format edits";
        BestCandidate<'_>: "rerank" 1, "rerank";
    }
}

/// The schemas of all reports, lines and exports, in listing order.
fn all_schemas() -> Vec<PrintedSchema> {
    let export = |format: ExportFormat| {
        Some(PrintedSchema {
            name: format!("export-{}", format.name()).into(),
            version: format.schema_version(),
            command: format!("export --format {}", format.name()).into(),
            is_tagged: false,
            schema: format.schema()?,
        })
    };

    let exports = ExportFormat::ALL.into_iter().filter_map(export);
    printed().into_iter().chain(exports).collect()
}

impl PrintedSchema {
    /// The value of the key `schema` in a report.
    fn tag(&self) -> String {
        format_tag(&self.name, self.version)
    }

    /// The complete JSON Schema, including the definitions that it refers to.
    fn into_document(self) -> Value {
        let tag = self.tag();
        let TypeSchema { mut root, nested } = self.schema;
        let title = format!("rankrate {}", self.command);

        let object = root.as_object_mut().expect("a schema is an object");
        let parts = object.get_mut("allOf").and_then(Value::as_array_mut);
        parts.into_iter().flatten().for_each(allow_missing);
        object.insert(
            "$schema".into(),
            json!("https://json-schema.org/draft/2020-12/schema"),
        );
        object.insert("$id".into(), json!(format!("urn:rankrate:{tag}")));
        object.insert("title".into(), json!(title));

        if self.is_tagged {
            let properties = object.entry("properties").or_insert_with(|| json!({}));
            properties["schema"] = json!({
                "const": tag,
                "description": "The name and the version of this schema.",
            });
            let required = object.entry("required").or_insert_with(|| json!([]));
            required
                .as_array_mut()
                .expect("a list of names")
                .push(json!("schema"));
        }

        let nested: serde_json::Map<String, Value> = nested
            .into_iter()
            .map(|(name, schema)| (shape_name(&name).to_owned(), schema))
            .collect();
        if !nested.is_empty() {
            object.insert("$defs".into(), Value::Object(nested));
        }

        refer_to_definitions(&mut root);
        root
    }
}

/// A shape's name: that of its type without the suffix `Json`, which means nothing to readers.
fn shape_name(type_name: &str) -> &str {
    type_name.strip_suffix("Json").unwrap_or(type_name)
}

/// Points references to an API's components at this schema's definitions instead.
fn refer_to_definitions(schema: &mut Value) {
    match schema {
        Value::Object(keys) => {
            if let Some(Value::String(target)) = keys.get_mut("$ref")
                && let Some((_, name)) = target.rsplit_once('/')
            {
                *target = format!("#/$defs/{}", shape_name(name));
            }
            keys.values_mut().for_each(refer_to_definitions);
        }
        Value::Array(values) => values.iter_mut().for_each(refer_to_definitions),
        _ => {}
    }
}

/// Allows the keys of an optional flattened part to be missing, where its generated schema allows null.
fn allow_missing(part: &mut Value) {
    let null = json!({ "type": "null" });
    let choices = part["oneOf"].as_array();
    let Some(choices) = choices.filter(|choices| choices.contains(&null)) else {
        return;
    };

    let object = json!({ "type": "object" });
    let given = choices.iter().filter(|choice| **choice != null);
    *part = json!({ "anyOf": given.chain([&object]).collect::<Vec<_>>() });
}

/// The name and version of a schema, as reports contain them.
fn format_tag(name: &str, version: u32) -> String {
    format!("{name}/{version}")
}

/// A report with the name and version of its schema.
#[derive(Serialize)]
pub(super) struct TaggedReport<'a, R> {
    schema: String,
    #[serde(flatten)]
    report: &'a R,
}

impl<'a, R: PrintedReport> TaggedReport<'a, R> {
    pub(super) fn new(report: &'a R) -> Self {
        let schema = format_tag(R::NAME, R::VERSION);
        Self { schema, report }
    }
}

#[derive(Debug, clap::Args)]
pub(super) struct SchemaArgs {
    /// The report or export, by its name in the list.
    name: Option<String>,
}

impl SchemaArgs {
    pub(super) fn run(self, mut output: CommandOutput) -> anyhow::Result<()> {
        let mut all = all_schemas().into_iter();
        let text = match &self.name {
            Some(name) => {
                let named = all.find(|printed| printed.name == *name);
                let named = named.with_context(|| {
                    format!("there is no schema “{name}”: `rankrate schema` lists all")
                })?;
                serde_json::to_string_pretty(&named.into_document())?
            }
            None if output.is_json() => {
                serde_json::to_string(&all.map(|printed| printed.name).collect::<Vec<_>>())?
            }
            None => all
                .map(|printed| format!("{:<24}{}\n", printed.tag(), printed.command))
                .collect(),
        };

        writeln!(output.writer(), "{}", text.trim_end())?;
        Ok(output.writer().flush()?)
    }
}
