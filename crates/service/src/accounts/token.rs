use std::fmt;

use base64::{Engine as _, prelude::BASE64_URL_SAFE_NO_PAD};
use sha2::{Digest as _, Sha256};

/// The beginning of tokens for the HTTP API.
pub const API_PREFIX: &str = "rankrate_";

/// A bearer token: the value of a session's cookie, the end of a one-time link, or the secret by which a program uses
/// the HTTP API. Only its hash is stored, and the lookup is by hash, so that neither a copy of the database nor the
/// time of a comparison reveals it.
#[derive(Clone, PartialEq, Eq)]
pub struct SecretToken(String);

impl SecretToken {
    /// A token from 256 random bits.
    pub fn new(random: [u8; 32]) -> Self {
        Self(BASE64_URL_SAFE_NO_PAD.encode(random))
    }

    /// A token for the HTTP API, from 256 random bits. Its prefix tells people, and programs that search files for
    /// secrets, what it opens.
    pub fn new_api(random: [u8; 32]) -> Self {
        Self(format!(
            "{API_PREFIX}{}",
            BASE64_URL_SAFE_NO_PAD.encode(random)
        ))
    }

    /// A token as it was received, possibly invalid.
    pub fn from_text(text: &str) -> Self {
        Self(text.to_owned())
    }

    /// The text that is sent: letters, digits, `-` and `_`.
    pub fn secret(&self) -> &str {
        &self.0
    }

    /// The stored hash: SHA-256 in hexadecimal digits. A salt is not needed, as the token has 256 random bits.
    pub fn hash(&self) -> String {
        digest(&self.0)
    }
}

/// The SHA-256 of bytes or text in hexadecimal digits.
pub fn digest(content: impl AsRef<[u8]>) -> String {
    Sha256::digest(content)
        .iter()
        .map(|byte| format!("{byte:02x}"))
        .collect()
}

impl fmt::Debug for SecretToken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Token(…)")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fips_180_4_abc() {
        let expect = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
        assert_eq!(SecretToken::from_text("abc").hash(), expect);
    }

    #[test]
    fn a_token_fits_into_an_address_and_is_not_logged() {
        let token = SecretToken::new([0xff; 32]);

        assert_eq!(token.secret().len(), 43);
        assert!(
            token
                .secret()
                .bytes()
                .all(|b| b.is_ascii_alphanumeric() || b"-_".contains(&b))
        );

        assert_eq!(SecretToken::from_text(token.secret()).hash(), token.hash());
        assert!(!format!("{token:?}").contains(token.secret()));

        let token = SecretToken::new_api([0xff; 32]);
        assert_eq!(token.secret().len(), API_PREFIX.len() + 43);
    }
}
