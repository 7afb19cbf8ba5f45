//! Importing uploaded files into a study.

mod add_written;
mod begin_import;
mod begin_references;
mod begin_scores;
mod cancel_import;
mod import_progress;
mod undo_import;

pub use add_written::{AddWritten, add_written};
pub use begin_import::{
    BeginImport, ImportColumnField, ImportOptionFields, ImportScaleField, ImportSystemField,
    InputOptionFields, ReadOptionFields, begin_import,
};
pub use begin_references::{ACCEPTED, BeginReferences, begin_references};
pub use begin_scores::{BeginScores, DirectionField, begin_scores};
pub use cancel_import::{CancelImport, cancel_import};
pub use import_progress::{ImportProgress, import_progress};
pub use undo_import::{UndoImport, undo_import};

#[cfg(feature = "ssr")]
pub use server_side::{
    MOST_FILES, enqueue_import_as, files, import_job, input_query, parse_input_options, percent,
    refuse_files, refuse_files_as, study_job, uploads,
};
#[cfg(feature = "ssr")]
use server_side::{
    enqueue_import, enqueue_supplementary_import, parse_import_options, parse_read_options,
};

#[cfg(feature = "ssr")]
mod server_side {
    use domain::{
        dimensions::dimension_name,
        ids::{JobId, UploadId},
        score::RatingScale,
        study::RaterKind,
    };
    use formats::{ColumnMapping, InputOptions};
    use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};
    use store::{
        Job, JobKind, NewJob,
        audit::{AuditKind, AuditSubject, NewAuditEntry},
    };

    use super::{ImportOptionFields, InputOptionFields, ReadOptionFields};
    use crate::{
        Services,
        error::Refusal,
        links::StudyPage,
        request::{RequestAccess, audit_entry, parse, refuse, refuse_as, see_other, visitor},
        services,
    };
    use service::{
        Context,
        import::{
            ImportChoices, ImportFileError, ImportJob, ImportKind, ImportOptions, ReadOptions,
            UploadedFiles,
        },
        wording::sentence,
    };

    /// Queues an import that adds to existing sources and outputs, and leads to its progress.
    ///
    /// # Errors
    /// [`Refusal::Invalid`] where the files cannot be read as that kind.
    pub(super) async fn enqueue_supplementary_import(
        access: &RequestAccess,
        uploads: &str,
        what: ImportKind,
        choices: ImportChoices,
        input: &InputOptionFields,
    ) -> Result<(), Refusal> {
        let file_ids = self::uploads(uploads)?;

        let turn = services().previews.take(access.person.id).await;
        let uploaded_files = files(access, &file_ids).await?.in_turn(&turn);
        let input = parse_input_options(input)?;
        let checked = uploaded_files.check_as(what, &input).await;
        checked.map_err(refuse_files)?;

        let input = ImportJob {
            names: uploaded_files.names(),
            files: file_ids,
            raters: None,
            read_options: ReadOptions {
                input,
                ..ReadOptions::default()
            },
            import_options: ImportOptions::default(),
            kind: what,
            choices,
        };

        enqueue_import(access, &input).await
    }

    /// Queues an import and leads to its progress.
    pub(super) async fn enqueue_import(
        access: &RequestAccess,
        input: &ImportJob,
    ) -> Result<(), Refusal> {
        let services = services();
        let subject = AuditSubject::Named(input.names.join(", "));
        let (kind, study) = (AuditKind::ImportBegun, Some(access.study.id));

        let entry = audit_entry(&services, &visitor(), kind, study, subject);
        let id = enqueue_import_as(&services, entry, access, input).await?;
        see_other(&StudyPage::ImportJob(id).path(&access.study.slug));
        Ok(())
    }

    /// Queues an import and writes the audit entry, outside a Leptos request.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn enqueue_import_as(
        services: &Services,
        entry: NewAuditEntry,
        access: &RequestAccess,
        input: &ImportJob,
    ) -> Result<JobId, Refusal> {
        let id = JobId(services.context.new_id());

        let new = NewJob {
            id,
            study: Some(access.study.id),
            kind: JobKind::Import,
            input: &serde_json::to_value(input).expect("options are plain data"),
            created_by: Some(access.person.id),
        };

        let queued = services.store.audited(entry);
        let queued = queued.enqueue_job(&new, services.context.now_ms()).await;
        queued.map_err(|error| refuse_as(error, services.context))?;
        services.job_monitor.wake();
        Ok(id)
    }

    /// The most files in one import.
    pub const MOST_FILES: usize = 64;

    /// The ids of files in an address, separated by commas.
    ///
    /// # Errors
    /// [`Refusal::NotFound`] where one is not an id.
    pub fn uploads(ids: &str) -> Result<Vec<UploadId>, Refusal> {
        ids.split(',').take(MOST_FILES).map(parse::id).collect()
    }

    /// The files of the study that an address names.
    ///
    /// # Errors
    /// [`Refusal::NotFound`] where they do not belong to this study or no longer exist.
    pub async fn files(access: &RequestAccess, ids: &[UploadId]) -> Result<UploadedFiles, Refusal> {
        let store = services().store;
        match UploadedFiles::find(&store, access.study.id, ids).await {
            Err(ImportFileError::Gone) => Err(Refusal::NotFound),
            found => found.map_err(refuse_files),
        }
    }

    /// The refusal for files that cannot be imported.
    pub fn refuse_files(error: ImportFileError) -> Refusal {
        refuse_files_as(error, services().context)
    }

    /// [`refuse_files`] outside a Leptos request.
    pub fn refuse_files_as(error: ImportFileError, context: Context) -> Refusal {
        match error {
            ImportFileError::Store(error) => refuse_as(error, context),
            error => Refusal::Invalid(sentence(&error.page_message())),
        }
    }

    /// The import of the study that an address names.
    ///
    /// # Errors
    /// [`Refusal::NotFound`] where there is none.
    pub async fn import_job(access: &RequestAccess, id: &str) -> Result<Job, Refusal> {
        let job = study_job(access, id).await?;
        Some(job)
            .filter(|job| job.kind == JobKind::Import)
            .ok_or(Refusal::NotFound)
    }

    /// The job of the study that an address names, of any kind.
    ///
    /// # Errors
    /// [`Refusal::NotFound`] where there is none.
    pub async fn study_job(access: &RequestAccess, id: &str) -> Result<Job, Refusal> {
        let id: JobId = parse::id(id)?;
        let job = services().store.job(id).await.map_err(refuse)?;
        job.filter(|job| job.study == Some(access.study.id))
            .ok_or(Refusal::NotFound)
    }

    /// The progress of an unfinished job in percent, at most 95, in steps of 5, large enough for a screen
    /// reader to announce.
    pub fn percent(job: &Job) -> u64 {
        let (done, total) = match services().job_monitor.progress(job.id) {
            Some(progress) => progress.get(),
            None => (job.done.unsigned_abs(), job.total.unsigned_abs()),
        };
        (done * 20).checked_div(total).unwrap_or(0).min(19) * 5
    }

    /// Parses the stated columns, rating scales and input options.
    ///
    /// # Errors
    /// For two columns of a field that only one can have, and for a scale whose end is not above its beginning.
    pub(super) fn parse_read_options(fields: &ReadOptionFields) -> Result<ReadOptions, Refusal> {
        let mut mapping = ColumnMapping::default();
        for column in fields
            .columns
            .iter()
            .filter(|column| !column.field.is_empty())
        {
            let field = parse::choice(&column.field)?;
            let added = mapping.fields.add(field, &column.name);
            added.map_err(|error| Refusal::Invalid(sentence(&error.to_string())))?;
        }
        if fields.whole.is_some() {
            mapping.fields = mapping.fields.without_defaults();
        }

        mapping.scales.all = scale(&fields.low, &fields.high, "rating")?;
        for field in &fields.scales {
            let rating_label = format!("rating of “{}”", field.dimension);
            if let Some(scale) = scale(&field.low, &field.high, &rating_label)? {
                let name = dimension_name(&field.dimension);
                mapping.scales.by_dimension.push((name, scale));
            }
        }

        Ok(ReadOptions {
            mapping,
            simplifications_as_outputs: fields.as_outputs.is_some(),
            input: parse_input_options(&fields.input)?,
        })
    }

    /// Parses the stated encoding, separator and sheet.
    ///
    /// # Errors
    /// For an encoding or separator that isn't offered.
    pub fn parse_input_options(fields: &InputOptionFields) -> Result<InputOptions, Refusal> {
        let stated = |text: &str| (!text.is_empty()).then(|| text.to_owned());
        Ok(InputOptions {
            encoding: stated(&fields.encoding)
                .map(|name| parse::choice(&name))
                .transpose()?,
            separator: stated(&fields.separator)
                .map(|name| parse::choice(&name))
                .transpose()?,
            sheet: stated(&fields.sheet),
        })
    }

    /// The stated encoding, separator and sheet as further parameters of an address.
    pub fn input_query(input: &InputOptions) -> String {
        let mut query = String::new();
        if let Some(encoding) = input.encoding {
            query += &format!("&encoding={}", encoding.name());
        }
        if let Some(separator) = input.separator {
            query += &format!("&separator={}", separator.name());
        }
        if let Some(sheet) = &input.sheet {
            query += &format!("&sheet={}", utf8_percent_encode(sheet, NON_ALPHANUMERIC));
        }
        query
    }

    /// The scale between two ends; `None` where both are empty.
    fn scale(low: &str, high: &str, what: &str) -> Result<Option<RatingScale>, Refusal> {
        if low.trim().is_empty() && high.trim().is_empty() {
            return Ok(None);
        }

        let end = |text, bound| parse::integer(text, &format!("The {bound} {what}"), -1000..=1000);
        let (low, high) = (end(low, "lowest")?, end(high, "highest")?);

        if low >= high {
            return Err(Refusal::invalid(format!(
                "The highest {what} must be above the lowest."
            )));
        }
        Ok(Some(RatingScale { low, high }))
    }

    /// Parses the stated options for rows.
    ///
    /// # Errors
    /// For an unknown purpose, or raters that are neither imported nor simulated.
    pub(super) fn parse_import_options(
        fields: &ImportOptionFields,
    ) -> Result<ImportOptions, Refusal> {
        let raters = match fields.raters.as_str() {
            "" | "imported" => RaterKind::Imported,
            "simulated" => RaterKind::Simulated,
            _ => {
                return Err(Refusal::invalid(
                    "Choose whether the raters of the file are people or simulated.",
                ));
            }
        };

        let kinds = fields.kinds.iter().filter(|field| !field.kind.is_empty());
        let kinds = kinds.map(|field| Ok((field.name.clone(), parse::choice(&field.kind)?)));
        Ok(ImportOptions {
            purpose: parse::choice(&fields.purpose)?,
            raters,
            strict: fields.strict.is_some(),
            kinds: kinds.collect::<Result<_, Refusal>>()?,
        })
    }

    #[cfg(test)]
    mod tests {
        use formats::FileField;

        use super::*;
        use crate::api::{ImportColumnField, ImportScaleField};

        fn read_options(
            columns: &[(&str, &str)],
            low: &str,
            high: &str,
        ) -> Result<ReadOptions, Refusal> {
            let column = |(name, field): &(&str, &str)| ImportColumnField {
                name: (*name).into(),
                field: (*field).into(),
            };
            parse_read_options(&ReadOptionFields {
                columns: columns.iter().map(column).collect(),
                whole: None,
                low: low.into(),
                high: high.into(),
                scales: vec![ImportScaleField {
                    dimension: "Fluency ".into(),
                    low: "1".into(),
                    high: "5".into(),
                }],
                as_outputs: None,
                input: InputOptionFields::default(),
            })
        }

        #[test]
        fn columns_become_a_mapping_and_what_cannot_be_is_refused() {
            let columns = [
                ("complex", "source"),
                ("notes", ""),
                ("first", "rating"),
                ("second", "rating"),
            ];
            let mapping = read_options(&columns, "-2", "2").expect("it fits").mapping;
            let columns_for = |field| mapping.fields.columns(field).collect::<Vec<_>>();
            assert_eq!(columns_for(FileField::Source), ["complex"]);
            assert_eq!(columns_for(FileField::Rating), ["first", "second"]);
            assert_eq!(
                mapping.scales.scale_for("second"),
                Some(RatingScale::LIKERT)
            );
            assert_eq!(
                mapping.scales.scale_for("fluency"),
                Some(RatingScale { low: 1, high: 5 })
            );
            // Empty ends are inferred from the file.
            let unsaid = read_options(&[], "", "").expect("it fits").mapping;
            assert_eq!((unsaid.fields.is_empty(), unsaid.scales.all), (true, None));

            let twice = read_options(&[("a", "source"), ("b", "source")], "", "");
            let expected = "“source” is mapped to two columns: keep one.";
            assert_eq!(twice, Err(Refusal::invalid(expected)));
            for (low, high) in [("5", "5"), ("x", ""), ("0", ""), ("0", "5000")] {
                assert!(read_options(&[], low, high).is_err(), "{low} to {high}");
            }
            assert!(read_options(&[("a", "no field")], "", "").is_err());
        }
    }
}
