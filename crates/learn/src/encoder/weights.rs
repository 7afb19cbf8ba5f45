//! The tensors of a safetensors file, and their places in it.

use std::{
    collections::HashMap,
    fs::{self, File},
    io::{self, BufRead, BufReader, Read},
    path::{Path, PathBuf},
};

use safetensors::{Dtype, tensor::Metadata};
use sha2::{Digest, Sha256};

use super::{EncoderError, families::FAMILIES};

/// The longest header in bytes (100 MB, the format's own limit).
const LONGEST_HEADER: u64 = 100_000_000;
/// A tensor that every model has; the prefix of its name is that of all names.
const WORD_PIECES: &str = "embeddings.word_embeddings.weight";

/// The header of a safetensors file of a BERT- or RoBERTa-like model.
#[derive(Debug)]
pub(crate) struct WeightsHeader {
    path: PathBuf,
    prefix: String,
    tensors: HashMap<String, TensorEntry>,
    texts: HashMap<String, String>,
}

/// One tensor in the file.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct TensorEntry {
    /// Its name in the file.
    pub name: String,
    /// The type of its numbers.
    pub kind: Dtype,
    /// Rows and columns, or elements.
    pub shape: Vec<usize>,
    /// The place of its first byte, from the file's start.
    pub offset: u64,
    /// Its length in bytes.
    pub length: u64,
}

impl WeightsHeader {
    /// Reads the header of the file at `path`.
    ///
    /// # Errors
    /// The file cannot be read, is truncated, or is not a safetensors file of such a model.
    pub(crate) fn read(path: &Path) -> Result<Self, EncoderError> {
        let unreadable = |source| EncoderError::file(path, source);

        // A link is followed here, since ONNX Runtime refuses weights outside their folder.
        let path = fs::canonicalize(path).map_err(unreadable)?;
        let mut file = File::open(&path).map_err(unreadable)?;
        let size = file.metadata().map_err(unreadable)?.len();
        let (header, data) =
            read_header(&mut file, size).map_err(|reason| EncoderError::content(&path, reason))?;

        let tensors: HashMap<_, _> = parse_tensors(&header, data)
            .map(|tensor| (tensor.name.clone(), tensor))
            .collect();
        let Some(prefix) = tensors
            .keys()
            .find_map(|name| name.strip_suffix(WORD_PIECES))
        else {
            return Err(EncoderError::content(
                &path,
                format!(
                    "there is no tensor {WORD_PIECES}; use the weights of a model of {FAMILIES}"
                ),
            ));
        };
        let prefix = prefix.to_owned();

        Ok(Self {
            path,
            prefix,
            tensors,
            texts: header.metadata().clone().unwrap_or_default(),
        })
    }

    /// The file, without links.
    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// The tensor of that name (without the model's prefix) and shape. The weight and bias of a
    /// normalisation may have their old names, gamma and beta.
    ///
    /// # Errors
    /// The tensor is missing, has another shape, or has a type that the encoder cannot compute with.
    pub(crate) fn tensor(&self, name: &str, shape: &[usize]) -> Result<&TensorEntry, EncoderError> {
        let wrong = |reason| EncoderError::content(&self.path, reason);
        let full = format!("{}{name}", self.prefix);
        let tensor = self.find(name).ok_or_else(|| {
            wrong(format!(
                "there is no tensor {full}; take weights and config.json of one model"
            ))
        })?;

        if tensor.shape != shape {
            return Err(wrong(format!(
                "{full} has the shape {:?} where config.json says {shape:?}; take both files of one model",
                tensor.shape
            )));
        }
        if !matches!(tensor.kind, Dtype::F32 | Dtype::F16 | Dtype::BF16) {
            return Err(wrong(format!(
                "{full} is of type {:?}; save the model in F32, F16 or BF16",
                tensor.kind
            )));
        }

        Ok(tensor)
    }

    /// A text that the header holds in addition to the tensors.
    pub(crate) fn text(&self, name: &str) -> Option<&str> {
        self.texts.get(name).map(String::as_str)
    }

    /// The full name of the tensor in the file, if it is there.
    pub(crate) fn name(&self, name: &str) -> Option<&str> {
        self.find(name).map(|tensor| tensor.name.as_str())
    }

    fn find(&self, name: &str) -> Option<&TensorEntry> {
        let full = format!("{}{name}", self.prefix);
        let old = full
            .replace("LayerNorm.weight", "LayerNorm.gamma")
            .replace("LayerNorm.bias", "LayerNorm.beta");
        self.tensors.get(&full).or_else(|| self.tensors.get(&old))
    }

    /// The SHA-256 of the file, in hexadecimal.
    ///
    /// # Errors
    /// The file cannot be read.
    pub(crate) fn sha256(&self) -> Result<String, EncoderError> {
        let hash = sha256(&self.path).map_err(|source| EncoderError::file(&self.path, source))?;
        Ok(hash.iter().map(|byte| format!("{byte:02x}")).collect())
    }
}

/// The texts in the header of any safetensors file; empty if it has none.
///
/// # Errors
/// The file cannot be read, or is not a safetensors file.
pub(crate) fn read_texts(path: &Path) -> Result<HashMap<String, String>, EncoderError> {
    let unreadable = |source| EncoderError::file(path, source);
    let mut file = File::open(path).map_err(unreadable)?;
    let size = file.metadata().map_err(unreadable)?.len();
    let (header, _) =
        read_header(&mut file, size).map_err(|reason| EncoderError::content(path, reason))?;
    Ok(header.metadata().clone().unwrap_or_default())
}

fn sha256(path: &Path) -> io::Result<[u8; 32]> {
    let mut file = BufReader::with_capacity(1 << 20, File::open(path)?);
    let mut hash = Sha256::new();
    loop {
        let part = file.fill_buf()?;
        if part.is_empty() {
            return Ok(hash.finalize().into());
        }
        hash.update(part);
        let length = part.len();
        file.consume(length);
    }
}

/// The header, and the place where the data begin. The error says why a file of `size` bytes has no valid header.
fn read_header(file: &mut File, size: u64) -> Result<(Metadata, u64), String> {
    let mut length = [0; 8];
    file.read_exact(&mut length)
        .map_err(|error| describe_broken(&error))?;
    let length = u64::from_le_bytes(length);
    if length > size.min(LONGEST_HEADER) {
        return Err(describe_broken(&"its header is too long"));
    }

    let mut text = Vec::new();
    file.take(length)
        .read_to_end(&mut text)
        .map_err(|error| describe_broken(&error))?;
    let header: Metadata =
        serde_json::from_slice(&text).map_err(|error| describe_broken(&error))?;
    let data = 8 + length;
    if data + header.data_len() as u64 != size {
        return Err(describe_broken(
            &"its size differs from what its header says",
        ));
    }
    Ok((header, data))
}

fn describe_broken(reason: &dyn std::fmt::Display) -> String {
    format!("this is not a safetensors file ({reason}); fetch it again")
}

fn parse_tensors(header: &Metadata, data: u64) -> impl Iterator<Item = TensorEntry> {
    header
        .tensors()
        .into_iter()
        .map(move |(name, info)| TensorEntry {
            name,
            kind: info.dtype,
            shape: info.shape.clone(),
            offset: data + info.data_offsets.0 as u64,
            length: (info.data_offsets.1 - info.data_offsets.0) as u64,
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(header: &str, data: usize) -> tempfile::NamedTempFile {
        let file = tempfile::NamedTempFile::new().unwrap();
        let mut bytes = (header.len() as u64).to_le_bytes().to_vec();
        bytes.extend(header.as_bytes());
        bytes.resize(bytes.len() + data, 0);
        fs::write(file.path(), bytes).unwrap();
        file
    }

    const OLD: &str = r#"{"bert.embeddings.word_embeddings.weight":
        {"dtype":"F16","shape":[3,2],"data_offsets":[0,12]},
        "bert.embeddings.LayerNorm.gamma":{"dtype":"F32","shape":[2],"data_offsets":[12,20]},
        "bert.embeddings.position_ids":{"dtype":"I64","shape":[1],"data_offsets":[20,28]}}"#;

    #[test]
    fn tensors_are_found_by_their_old_names_and_behind_a_prefix() {
        let file = file(OLD, 28);
        let weights = WeightsHeader::read(file.path()).unwrap();
        let tensor = weights.tensor("embeddings.LayerNorm.weight", &[2]).unwrap();
        assert_eq!(tensor.name, "bert.embeddings.LayerNorm.gamma");
        assert_eq!(
            (tensor.offset, tensor.length),
            (8 + OLD.len() as u64 + 12, 8)
        );
        let check = |name, shape: &[usize], expect: &str| {
            let error = weights.tensor(name, shape).unwrap_err().to_string();
            assert!(error.contains(expect), "{error}");
        };
        check(
            "pooler.dense.weight",
            &[2, 2],
            "there is no tensor bert.pooler.dense.weight",
        );
        check(
            "embeddings.LayerNorm.weight",
            &[3],
            "has the shape [2] where config.json says [3]",
        );
        check("embeddings.position_ids", &[1], "is of type I64");
    }

    #[test]
    fn a_broken_file_is_said_to_be_one() {
        let check = |header: &str, data, expect: &str| {
            let error = WeightsHeader::read(file(header, data).path())
                .unwrap_err()
                .to_string();
            assert!(error.contains(expect), "{error}");
        };
        check(OLD, 27, "its size differs");
        check("{", 0, "EOF while parsing");
        check(
            "{}",
            0,
            "there is no tensor embeddings.word_embeddings.weight",
        );
        let short = tempfile::NamedTempFile::new().unwrap();
        fs::write(short.path(), [255; 9]).unwrap();
        let error = WeightsHeader::read(short.path()).unwrap_err().to_string();
        assert!(error.contains("its header is too long"), "{error}");
    }

    #[test]
    fn sha256_of_abc_as_in_fips_180() {
        let file = tempfile::NamedTempFile::new().unwrap();
        fs::write(file.path(), "abc").unwrap();
        assert_eq!(sha256(file.path()).unwrap()[..4], [0xba, 0x78, 0x16, 0xbf]);
    }
}
