//! Passwords, as argon2id hashes.

mod memory;

use std::sync::LazyLock;

use argon2::{
    Algorithm, Argon2, Params, Version,
    password_hash::{
        Error as HashError,
        phc::{Output, ParamsString, PasswordHash, Salt},
    },
};
use tokio::{sync::Semaphore, task::spawn_blocking};
use unicode_normalization::UnicodeNormalization as _;
use zxcvbn::{Score, zxcvbn};

/// The shortest password, in characters.
pub const SHORTEST: usize = 10;
/// The longest password, in bytes, so that hashing a very long one cannot keep the server busy.
const MAX_BYTES: usize = 1024;

/// Limits how many passwords are hashed at a time: each takes 19 MiB and some tens of milliseconds.
/// [`super::attempts`] relies on it as well: of guesses that are sent all at once, only a few run at a time.
static HASHING_PERMITS: Semaphore = Semaphore::const_new(4);

/// The hash that is verified if a person has none, so that an unknown name takes as long as a known one.
static DUMMY_HASH: LazyLock<String> = LazyLock::new(|| {
    let hash = hash_now(b"nobody's", [0; 32]);
    hash.expect("the default parameters and a full salt hash anything")
});

/// Why a password was refused, or could not be hashed or verified.
#[derive(Debug, thiserror::Error)]
pub enum PasswordError {
    /// Too easy to guess.
    #[error("A password has at least {SHORTEST} characters. Several words in a row do well.")]
    TooShort,
    /// Too long.
    #[error("This password is too long: use one of at most {MAX_BYTES} bytes.")]
    TooLong,
    /// Among the first that people guess.
    #[error("This password is too easy to guess. Several words in a row do well.")]
    Guessable,
    /// The same as the name.
    #[error("The password must not be the name.")]
    IsName,
    /// Hashing failed internally.
    #[error("the password could not be hashed")]
    Hash(#[source] HashError),
    /// The stored hash is invalid.
    #[error("a stored password hash is invalid")]
    Stored(#[source] HashError),
    /// The thread was cancelled or panicked.
    #[error("the thread that hashes passwords stopped")]
    Worker(#[source] tokio::task::JoinError),
}

impl PasswordError {
    /// Whether the user can fix it by choosing another password.
    pub fn is_user_error(&self) -> bool {
        matches!(
            self,
            Self::TooShort | Self::TooLong | Self::Guessable | Self::IsName
        )
    }
}

/// Hashes a person's new password, with `random` as its salt.
///
/// # Errors
/// When the password is refused, or hashing fails.
pub async fn hash(name: &str, password: &str, random: [u8; 32]) -> Result<String, PasswordError> {
    let password: String = password.nfc().collect();

    if password.chars().count() < SHORTEST {
        return Err(PasswordError::TooShort);
    }
    if password.len() > MAX_BYTES {
        return Err(PasswordError::TooLong);
    }
    if password.to_lowercase() == name.trim().to_lowercase() {
        return Err(PasswordError::IsName);
    }
    if is_guessable(name, &password) {
        return Err(PasswordError::Guessable);
    }

    let _permit = HASHING_PERMITS
        .acquire()
        .await
        .expect("the semaphore is never closed");
    spawn_blocking(move || hash_now(password.as_bytes(), random))
        .await
        .map_err(PasswordError::Worker)?
}

/// Verifies a password against the stored hash. Without a hash the result is `false`, after the same time.
///
/// # Errors
/// When the stored hash is invalid.
pub async fn verify(password: &str, stored: Option<String>) -> Result<bool, PasswordError> {
    let password: String = password.nfc().collect();
    if password.len() > MAX_BYTES {
        return Ok(false);
    }
    spawn_blocking(move || {
        // The first verification computes the dummy hash in any case, so that its time reveals nothing either.
        let dummy = DUMMY_HASH.as_str();
        let has_hash = stored.is_some();
        let stored = stored.as_deref().unwrap_or(dummy);
        let stored =
            PasswordHash::new(stored).map_err(|error| PasswordError::Stored(error.into()))?;

        let is_right = matches(password.as_bytes(), &stored)?;
        Ok(is_right && has_hash)
    })
    .await
    .map_err(PasswordError::Worker)?
}

/// Generates a password of 100 random bits that is easy to read out: letters and digits that are not easily
/// confused, in groups of five.
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

/// A permit to verify a password. Its holder counts a failed attempt before releasing it.
pub(super) async fn verification_permit() -> tokio::sync::SemaphorePermit<'static> {
    HASHING_PERMITS
        .acquire()
        .await
        .expect("the semaphore is never closed")
}

/// Whether a password takes fewer than a million guesses: common passwords, repetitions, runs of keys, the name with
/// a number.
fn is_guessable(name: &str, password: &str) -> bool {
    // The estimate takes time that grows with the square of the length.
    let beginning: String = password.chars().take(100).collect();
    zxcvbn(&beginning, &[name.trim()]).score() < Score::Two
}

fn hash_now(password: &[u8], salt: [u8; 32]) -> Result<String, PasswordError> {
    let argon2 = Argon2::default();
    let result = (|| -> Result<_, HashError> {
        let salt = Salt::new(&salt)?;
        Ok(PasswordHash {
            algorithm: Algorithm::default().ident(),
            version: Some(Version::default().into()),
            params: ParamsString::try_from(argon2.params())?,
            salt: Some(salt),
            hash: Some(output(&argon2, password, &salt)?),
        })
    })();

    result
        .map(|hash: PasswordHash| hash.to_string())
        .map_err(PasswordError::Hash)
}

/// Whether the hash is that of the password. Does the same as `PasswordVerifier` of argon2, which would allocate
/// memory that the process keeps.
fn matches(password: &[u8], stored: &PasswordHash) -> Result<bool, PasswordError> {
    let (Some(salt), Some(expected)) = (&stored.salt, &stored.hash) else {
        return Ok(false);
    };

    let computed = (|| -> Result<_, HashError> {
        let algorithm = Algorithm::try_from(stored.algorithm.as_str())?;
        let version = stored.version.map(Version::try_from).transpose()?;
        let params = Params::try_from(stored)?;
        let argon2 = Argon2::new(algorithm, version.unwrap_or_default(), params);
        output(&argon2, password, salt)
    })();

    // Outputs are compared in constant time.
    computed
        .map(|computed| computed == *expected)
        .map_err(PasswordError::Hash)
}

/// Computes the hash of a password.
fn output(argon2: &Argon2<'_>, password: &[u8], salt: &[u8]) -> Result<Output, HashError> {
    let params = argon2.params();
    let length = params.output_len().unwrap_or(Params::DEFAULT_OUTPUT_LEN);
    let mut bytes = [0; Output::MAX_LENGTH];
    let bytes = bytes.get_mut(..length).ok_or(HashError::OutputSize)?;

    let mut blocks = memory::allocate_blocks(params.block_count());
    argon2.hash_password_into_with_memory(password, salt, bytes, &mut blocks)?;
    Ok(Output::new(bytes)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn only_the_right_password_is_accepted() {
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
    async fn no_password_is_accepted_without_a_hash() {
        assert!(!verify("nobody's", None).await.unwrap());
        assert!(verify("x", Some("no hash".into())).await.is_err());
    }

    #[tokio::test]
    async fn composed_and_decomposed_accents_are_the_same() {
        let stored = hash("a", "dix caf\u{e9}s noirs", [7; 32]).await.unwrap();

        assert!(
            verify("dix cafe\u{301}s noirs", Some(stored))
                .await
                .unwrap()
        );
    }

    #[tokio::test]
    async fn passwords_that_are_easily_guessed_are_refused() {
        let long = "x".repeat(MAX_BYTES + 1);
        for bad in [
            "",
            "123456789",
            "1234567890",
            "aaaaaaaaaa",
            "passwordpassword",
            "qwertyuiop",
            "Annotator 1",
            "annotator 12",
            &long,
        ] {
            let error = hash("annotator 1 ", bad, [7; 32]).await.unwrap_err();
            assert!(error.is_user_error(), "{bad}: {error}");
        }
    }
}
