//! The text around a source.

use domain::{ids::SourceId, source_context::SourceContext};
use sqlx::AnyConnection;

use crate::{
    Result, Store,
    columns::{BindId, TableRow},
};

impl Store {
    /// The text around a source.
    ///
    /// # Errors
    /// When the database fails or a row does not read.
    pub async fn source_context(&self, source: SourceId) -> Result<SourceContext> {
        load(&mut *self.reader().acquire().await?, source).await
    }
}

/// The text around a source.
pub(crate) async fn load(tx: &mut AnyConnection, source: SourceId) -> Result<SourceContext> {
    let rows = sqlx::query("SELECT source_id AS id, side, text FROM context WHERE source_id = $1")
        .bind_id(source)
        .fetch_all(tx)
        .await?;
    let mut context = SourceContext::default();
    for row in &rows {
        let row = TableRow::new("context", row)?;
        context.set(row.parse("side")?, row.get("text")?);
    }
    Ok(context)
}
