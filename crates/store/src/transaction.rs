//! Transactions that are tried again when the database says that they may.

/// Runs `$body` in a write transaction `$tx` and commits; on a transient failure all of it again,
/// up to five times. The body uses `?` with [`crate::Error`] and ends in the value to give back.
/// It may run more than once: it must not move what it captures.
macro_rules! in_transaction {
    ($store:expr, |$tx:ident| $body:block) => {{
        let mut tries = 0_u32;
        loop {
            let result = async {
                let mut $tx = $store.begin().await?;
                let value = $body;
                $tx.commit().await?;
                $crate::Result::Ok(value)
            }
            .await;
            match result {
                Err(error) if error.is_transient() && tries < 5 => {
                    tries += 1;
                    tracing::debug!(tries, %error, "a transaction is tried again");
                    tokio::time::sleep(std::time::Duration::from_millis(20 << tries)).await;
                }
                result => break result,
            }
        }
    }};
}
