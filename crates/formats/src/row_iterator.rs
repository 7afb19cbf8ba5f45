//! Rows of a file, read one at a time.

use crate::{error::ReadError, row::FileRow};

/// Rows and errors in the order of the file. After a [`ReadError::Row`] the next rows follow; a
/// [`ReadError::Fatal`] is the last item.
pub type RowIterator<'r> = Box<dyn Iterator<Item = Result<FileRow, ReadError>> + Send + 'r>;

/// The items that `next` returns, up to its first `None` or [`ReadError::Fatal`].
pub(crate) fn until_fatal<'r, T>(
    mut next: impl FnMut() -> Option<Result<T, ReadError>> + Send + 'r,
) -> Box<dyn Iterator<Item = Result<T, ReadError>> + Send + 'r> {
    let mut ended = false;
    Box::new(std::iter::from_fn(move || {
        if ended {
            return None;
        }
        let item = next();
        ended = matches!(item, None | Some(Err(ReadError::Fatal(_))));
        item
    }))
}
