//! Passwords, as argon2id hashes.

mod memory;

use std::sync::LazyLock;

use argon2::{
    Algorithm, Argon2, Block, Params, Version,
    password_hash::{
        Error as HashError,
        phc::{Output, ParamsString, PasswordHash, Salt},
    },
};
use tokio::{sync::Semaphore, task::spawn_blocking};
use unicode_normalization::UnicodeNormalization as _;

/// The shortest password, in characters.
pub const SHORTEST: usize = 10;
/// The longest, in bytes: hashing a book would keep the server busy.
const LONGEST: usize = 1024;

/// How many passwords are worked on at a time: each takes 19 MiB and some tens of milliseconds.
/// [`super::attempts`] relies on it, too: guesses sent all at once come by a few at a time.
static AT_ONCE: Semaphore = Semaphore::const_new(4);

/// Verified against where there is no hash, so that an unknown name takes as long as a known one.
static NOBODYS: LazyLock<String> = LazyLock::new(|| {
    let hash = memory::with_blocks(|blocks| hash_now(b"nobody's", [0; 32], blocks));
    hash.expect("the default parameters and a full salt hash anything")
});

/// Why a password was not taken.
#[derive(Debug, thiserror::Error)]
pub enum PasswordError {
    /// Too easy to guess.
    #[error("A password has at least {SHORTEST} characters. Several words in a row do well.")]
    TooShort,
    /// Longer than anybody types.
    #[error("This password is too long: use one of at most {LONGEST} bytes.")]
    TooLong,
    /// It is the name.
    #[error("The password must not be the name.")]
    IsName,
    /// Hashing failed inside.
    #[error("the password could not be worked on")]
    Hash(#[source] HashError),
    /// The stored hash is none.
    #[error("a stored password does not read")]
    Stored(#[source] HashError),
    /// The worker was cancelled or panicked.
    #[error("the worker that hashes passwords broke off")]
    Worker(#[source] tokio::task::JoinError),
}

impl PasswordError {
    /// Whether the person can do something about it.
    pub fn is_user_error(&self) -> bool {
        matches!(self, Self::TooShort | Self::TooLong | Self::IsName)
    }
}

/// The hash to store for a person's new password, with a salt from `random`.
///
/// # Errors
/// Where the password is not one to take, or hashing fails.
pub async fn hash(name: &str, password: &str, random: [u8; 32]) -> Result<String, PasswordError> {
    let password: String = password.nfc().collect();
    if password.chars().count() < SHORTEST {
        return Err(PasswordError::TooShort);
    }
    if password.len() > LONGEST {
        return Err(PasswordError::TooLong);
    }
    if password.to_lowercase() == name.trim().to_lowercase() {
        return Err(PasswordError::IsName);
    }
    let _permit = AT_ONCE
        .acquire()
        .await
        .expect("the semaphore is never closed");
    spawn_blocking(move || {
        memory::with_blocks(|blocks| hash_now(password.as_bytes(), random, blocks))
    })
    .await
    .map_err(PasswordError::Worker)?
}

/// Whether the password is the one of the stored hash. Without a hash it is not, and finding out
/// takes as long.
///
/// # Errors
/// Where the stored hash does not read.
pub async fn verify(password: &str, stored: Option<String>) -> Result<bool, PasswordError> {
    let password: String = password.nfc().collect();
    if password.len() > LONGEST {
        return Ok(false);
    }
    spawn_blocking(move || {
        // Made with the first verification, whoever's that is: its time tells nothing either.
        let nobodys = NOBODYS.as_str();
        let known = stored.is_some();
        let stored = stored.as_deref().unwrap_or(nobodys);
        let stored =
            PasswordHash::new(stored).map_err(|error| PasswordError::Stored(error.into()))?;
        let fits = memory::with_blocks(|blocks| matches(password.as_bytes(), &stored, blocks))?;
        Ok(fits && known)
    })
    .await
    .map_err(PasswordError::Worker)?
}

/// A password of 100 random bits that can be read out: letters and digits that are not mistaken
/// for each other, in groups of five.
pub fn generate(random: [u8; 32]) -> String {
    const LETTERS: &[u8; 32] = b"abcdefghijkmnpqrstuvwxyz23456789";
    let letters: Vec<char> = random
        .iter()
        .take(20)
        .map(|byte| char::from(LETTERS[usize::from(byte % 32)]))
        .collect();
    let groups: Vec<String> = letters
        .chunks(5)
        .map(|group| group.iter().collect())
        .collect();
    groups.join("-")
}

/// A turn to verify: whoever has it counts the attempt before the turn ends.
pub(super) async fn verification_permit() -> tokio::sync::SemaphorePermit<'static> {
    AT_ONCE
        .acquire()
        .await
        .expect("the semaphore is never closed")
}

fn hash_now(
    password: &[u8],
    salt: [u8; 32],
    blocks: &mut Vec<Block>,
) -> Result<String, PasswordError> {
    let argon2 = Argon2::default();
    let made = (|| -> Result<_, HashError> {
        let salt = Salt::new(&salt)?;
        Ok(PasswordHash {
            algorithm: Algorithm::default().ident(),
            version: Some(Version::default().into()),
            params: ParamsString::try_from(argon2.params())?,
            salt: Some(salt),
            hash: Some(output(&argon2, password, &salt, blocks)?),
        })
    })();
    made.map(|hash: PasswordHash| hash.to_string())
        .map_err(PasswordError::Hash)
}

/// Whether the password is the one of the hash. As `PasswordVerifier` of argon2 does it, which takes
/// memory of its own each time.
fn matches(
    password: &[u8],
    stored: &PasswordHash,
    blocks: &mut Vec<Block>,
) -> Result<bool, PasswordError> {
    let (Some(salt), Some(expected)) = (&stored.salt, &stored.hash) else {
        return Ok(false);
    };
    let made = (|| -> Result<_, HashError> {
        let algorithm = Algorithm::try_from(stored.algorithm.as_str())?;
        let version = stored.version.map(Version::try_from).transpose()?;
        let params = Params::try_from(stored)?;
        let argon2 = Argon2::new(algorithm, version.unwrap_or_default(), params);
        output(&argon2, password, salt, blocks)
    })();
    // Outputs are compared in constant time.
    made.map(|made| made == *expected)
        .map_err(PasswordError::Hash)
}

fn output(
    argon2: &Argon2<'_>,
    password: &[u8],
    salt: &[u8],
    blocks: &mut Vec<Block>,
) -> Result<Output, HashError> {
    let params = argon2.params();
    let length = params.output_len().unwrap_or(Params::DEFAULT_OUTPUT_LEN);
    let mut bytes = [0; Output::MAX_LENGTH];
    let bytes = bytes.get_mut(..length).ok_or(HashError::OutputSize)?;
    let needed = params.block_count();
    if blocks.len() < needed {
        blocks.resize(needed, Block::default());
    }
    argon2.hash_password_into_with_memory(password, salt, bytes, &mut blocks[..needed])?;
    Ok(Output::new(bytes)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn the_right_password_alone_opens() {
        let stored = hash("a", "correct horse", [7; 32]).await.unwrap();
        assert!(
            stored.starts_with("$argon2id$v=19$m=19456,t=2,p=1$"),
            "{stored}"
        );
        assert!(verify("correct horse", Some(stored.clone())).await.unwrap());
        for wrong in ["", "correct hors", "Correct horse", "correct horse "] {
            assert!(
                !verify(wrong, Some(stored.clone())).await.unwrap(),
                "{wrong}"
            );
        }
    }

    #[tokio::test]
    async fn nobody_has_a_password_that_opens() {
        assert!(!verify("nobody's", None).await.unwrap());
        assert!(verify("x", Some("no hash".into())).await.is_err());
    }

    #[tokio::test]
    async fn the_way_in_which_accents_are_typed_does_not_matter() {
        let stored = hash("a", "dix caf\u{e9}s noirs", [7; 32]).await.unwrap();
        assert!(
            verify("dix cafe\u{301}s noirs", Some(stored))
                .await
                .unwrap()
        );
    }

    #[tokio::test]
    async fn what_is_easily_guessed_is_not_taken() {
        let long = "x".repeat(LONGEST + 1);
        for bad in ["", "123456789", "Annotator 1", &long] {
            let error = hash("annotator 1 ", bad, [7; 32]).await.unwrap_err();
            assert!(error.is_user_error(), "{bad}: {error}");
        }
    }
}
