//! Word frequencies, from wordfreq's list.

use std::{
    collections::HashMap,
    fmt,
    fs::File,
    io::{self, BufReader},
    path::{Path, PathBuf},
    sync::Arc,
};

use flate2::bufread::GzDecoder;
use serde::Deserialize;
use sha2::{Digest as _, Sha256};

/// The name of the file in wordfreq's package, and next to the program.
pub const FILE: &str = "large_en.msgpack.gz";

/// A list of words with their frequencies. Clones share it.
///
/// It is the English list of [wordfreq](https://pypi.org/project/wordfreq/) 3.1 (Robyn Speer; data
/// under CC BY-SA 4.0): some 300,000 words, lower case, from one in ten to one in a hundred million.
#[derive(Clone)]
pub struct WordFrequencies(Arc<FrequencyTable>);

struct FrequencyTable {
    words: HashMap<Box<str>, WordFrequency>,
    name: String,
}

struct WordFrequency {
    /// log₁₀ of the word's frequency in a thousand million words.
    zipf: f32,
    rank: u32,
}

/// Reasons why a list of word frequencies cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum WordFrequenciesError {
    /// It cannot be read.
    #[error(
        "the list of word frequencies {path} cannot be read ({error}): ./run fetches one, or name \
         wordfreq's {FILE} with --frequencies or RANKRATE_FREQUENCIES"
    )]
    Unreadable {
        /// The path of the list.
        path: PathBuf,
        /// The system's reason.
        #[source]
        error: io::Error,
    },
    /// The file is not a list of word frequencies in wordfreq's format.
    #[error("{path} is not a wordfreq list: take data/{FILE} out of the package wordfreq 3.1.1")]
    Format {
        /// The path of the file.
        path: PathBuf,
    },
}

/// A part of the file: first its format, then the words of each hundredth of a decade.
#[derive(Deserialize)]
#[serde(untagged)]
enum FrequencyFilePart {
    Words(Vec<Box<str>>),
    Header { format: String, version: u32 },
}

impl WordFrequencies {
    /// Reads wordfreq's compressed list; takes a fifth of a second.
    ///
    /// # Errors
    /// The file is missing or has another format.
    pub fn open(path: &Path) -> Result<Self, WordFrequenciesError> {
        let format_error = || WordFrequenciesError::Format {
            path: path.to_owned(),
        };
        let file = File::open(path).map_err(|error| WordFrequenciesError::Unreadable {
            path: path.to_owned(),
            error,
        })?;
        let parts: Vec<FrequencyFilePart> =
            rmp_serde::from_read(GzDecoder::new(BufReader::new(file)))
                .map_err(|_| format_error())?;

        let mut parts = parts.into_iter();
        match parts.next() {
            Some(FrequencyFilePart::Header { format, version: 1 }) if format == "cB" => {}
            _ => return Err(format_error()),
        }

        let mut all = HashMap::new();
        let mut digest = Sha256::new();
        for (centibels, part) in (0_u16..).zip(parts) {
            let FrequencyFilePart::Words(words) = part else {
                return Err(format_error());
            };
            digest.update([0]);
            for word in words {
                digest.update(word.as_bytes());
                digest.update([10]);
                let rank = u32::try_from(all.len()).map_err(|_| format_error())?;
                let zipf = 9.0 - f32::from(centibels) / 100.0;
                all.insert(word, WordFrequency { zipf, rank });
            }
        }

        let digest = digest.finalize();
        let digits: String = digest[..6]
            .iter()
            .map(|byte| format!("{byte:02x}"))
            .collect();
        let name = format!("wordfreq-en-{}-{digits}", all.len());
        Ok(Self(Arc::new(FrequencyTable { words: all, name })))
    }

    /// The name of the list: kind, number of words and the first twelve digits of a hash of all words.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.0.name
    }

    /// The Zipf value of a lower-cased word: 7.7 for “the”, 3 for one in a million; 0 if the list
    /// lacks it.
    #[must_use]
    pub fn zipf(&self, word: &str) -> f32 {
        self.0.words.get(word).map_or(0.0, |entry| entry.zipf)
    }

    /// The rank of a lower-cased word in the list, 0 for the most frequent one.
    #[must_use]
    pub fn rank(&self, word: &str) -> Option<usize> {
        self.0.words.get(word).map(|entry| entry.rank as usize)
    }
}

#[cfg(test)]
impl WordFrequencies {
    /// A list of these words with their Zipf values, the most frequent first.
    pub(super) fn from_words(words: &[(&str, f32)]) -> Self {
        let entries = (0..).zip(words);
        let words = entries.map(|(rank, (word, zipf))| {
            let entry = WordFrequency { zipf: *zipf, rank };
            (Box::from(*word), entry)
        });
        Self(Arc::new(FrequencyTable {
            words: words.collect(),
            name: "test".to_owned(),
        }))
    }
}

impl fmt::Debug for WordFrequencies {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("WordFrequencies")
            .field(&self.0.name)
            .finish()
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write as _;

    use flate2::{Compression, write::GzEncoder};
    use serde::Serialize;

    use super::*;

    #[derive(Serialize)]
    struct FrequencyFileHeader {
        format: &'static str,
        version: u32,
    }

    fn file(content: &impl Serialize) -> tempfile::NamedTempFile {
        let bytes = rmp_serde::to_vec_named(content).expect("plain data");
        let file = tempfile::NamedTempFile::new().expect("a temporary file");
        let mut out = GzEncoder::new(file.as_file(), Compression::fast());
        out.write_all(&bytes).expect("written");
        out.finish().expect("written");
        file
    }

    #[test]
    fn a_words_place_in_the_list_is_its_frequency() {
        let header = FrequencyFileHeader {
            format: "cB",
            version: 1,
        };
        let words: [&[&str]; 3] = [&[], &["the"], &["of", "to"]];
        let file = file(&(header, words[0], words[1], words[2]));
        let list = WordFrequencies::open(file.path()).expect("a list");
        assert!((list.zipf("the") - 8.99).abs() < 1e-6);
        assert!((list.zipf("to") - 8.98).abs() < 1e-6);
        assert_eq!(list.zipf("zyzzyva").to_bits(), 0);
        assert_eq!(
            (list.rank("the"), list.rank("to"), list.rank("zyzzyva")),
            (Some(0), Some(2), None)
        );
        assert!(list.name().starts_with("wordfreq-en-3-"), "{}", list.name());
    }

    #[test]
    fn another_file_is_refused_with_what_to_do() {
        let header = FrequencyFileHeader {
            format: "cB",
            version: 2,
        };
        let error = WordFrequencies::open(file(&(header, ["the"])).path()).expect_err("version 2");
        assert!(error.to_string().contains("wordfreq 3.1.1"), "{error}");
        let error = WordFrequencies::open(Path::new("nowhere")).expect_err("no file");
        assert!(
            error.to_string().contains("RANKRATE_FREQUENCIES"),
            "{error}"
        );
    }
}
