//! The use of a source: the annotators who have it, and the answers to it.

use domain::ids::{SourceId, StudyId};
use sqlx::{AnyConnection, Row};

use crate::{Error, Result, Store, columns::BindId, import};

/// Counts that decide whether rows of a source may be removed.
const USE_OF_SOURCE: &str = "
    SELECT (SELECT COUNT(*) FROM assignment WHERE source_id = $1 AND state = 'open') AS open,
           (SELECT COUNT(*) FROM assignment WHERE source_id = $1 AND state = 'handed-in')
           + (SELECT COUNT(*) FROM stored_annotation WHERE source_id = $1) AS judged";

impl Store {
    /// Whether a source has no assignment and no answers, so that it and its outputs can be removed.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn is_untouched(&self, source: SourceId) -> Result<bool> {
        let mut reader = self.reader().acquire().await?;
        let source_use = load_source_use(&mut reader, source).await?;
        Ok(source_use == SourceUse::default())
    }
}

/// The use of a source.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct SourceUse {
    /// The number of annotators who have it.
    open: i64,
    /// The number of annotators who handed it in, plus the number of answers to it.
    judged: i64,
}

pub(super) async fn load_source_use(tx: &mut AnyConnection, source: SourceId) -> Result<SourceUse> {
    let row = sqlx::query(USE_OF_SOURCE)
        .bind_id(source)
        .fetch_one(tx)
        .await?;
    Ok(SourceUse {
        open: row.try_get("open")?,
        judged: row.try_get("judged")?,
    })
}

pub(super) fn refuse_open(found: SourceUse) -> Result<()> {
    if found.open > 0 {
        return Err(Error::Refused(
            "An annotator has this source at the moment: wait until it is submitted, or take it back \
             on the page Members."
                .into(),
        ));
    }
    Ok(())
}

/// Refuses if an annotator has or judged the source, or an import may be adding to it.
pub(super) async fn refuse_use(
    tx: &mut AnyConnection,
    study: StudyId,
    source: SourceId,
) -> Result<()> {
    let source_use = load_source_use(tx, source).await?;
    refuse_open(source_use)?;
    if source_use.judged > 0 {
        return Err(Error::Refused(
            "This source was judged: it can be hidden, and what was said of it is kept.".into(),
        ));
    }
    import::refuse_concurrent_import(tx, study).await
}
