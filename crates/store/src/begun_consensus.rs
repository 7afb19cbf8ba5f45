//! Sources on which raters have begun to agree; their own answers stay as they are.

use domain::ids::SourceId;
use sqlx::AnyConnection;

use crate::{Result, columns::BindId};

/// Whether raters have begun to agree on a source.
pub(crate) async fn is_begun(tx: &mut AnyConnection, source: SourceId) -> Result<bool> {
    let row = sqlx::query("SELECT source_id FROM consensus WHERE source_id = $1")
        .bind_id(source)
        .fetch_optional(tx)
        .await?;
    Ok(row.is_some())
}
