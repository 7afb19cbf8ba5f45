//! Limits of workbooks, checked before one is read: a small file may unpack to any size, and a part may ask
//! for any amount of memory.

use std::io::{Cursor, Read, Seek};

use zip::{ZipArchive, result::ZipError};

use super::{
    long_numbers::{LongNumbers, MAX_LONG_NUMBERS},
    xml_tags::XmlTags,
};
use crate::error::FatalReadError;

/// The most bytes of a workbook.
pub(super) const MAX_WORKBOOK_BYTES: u64 = 32 << 20;
/// The most bytes of all its parts together.
const MAX_PARTS_BYTES: u64 = 128 << 20;
/// The most bytes of its formats, each of which takes many times its size in memory.
const MAX_STYLES_BYTES: u64 = 2 << 20;
/// The most parts.
const MAX_PARTS: usize = 10_000;
/// The most texts in its table of texts. Each takes up to 64 bytes of memory in addition to its letters.
const MAX_TEXTS: usize = 2_000_000;
/// The most digits of the number of texts that a workbook announces.
const MAX_COUNT_DIGITS: usize = 7;
/// The beginning of each entry in an archive's directory.
const DIRECTORY_ENTRY: &[u8] = b"PK\x01\x02";
/// The attribute by which a workbook announces its number of texts.
const ANNOUNCED_COUNT: &[u8] = b"uniqueCount";
/// The most bytes of that attribute, with its value.
const COUNT_BYTES: usize = ANNOUNCED_COUNT.len() + 2 + MAX_COUNT_DIGITS + 1;

/// Refuses an archive that is not a workbook or is beyond the limits. Returns the numbers of its sheets with more
/// digits than a floating-point number holds.
pub(super) fn check_workbook(bytes: &[u8]) -> Result<LongNumbers, FatalReadError> {
    if count_matches(bytes, DIRECTORY_ENTRY) > MAX_PARTS {
        return Err(too_large(
            "the workbook has more parts",
            MAX_PARTS.to_string(),
        ));
    }

    let mut archive = ZipArchive::new(Cursor::new(bytes)).map_err(damaged)?;
    check_kind(&archive)?;
    let mut budget = MAX_PARTS_BYTES;
    let mut long_numbers = LongNumbers::default();

    for index in 0..archive.len() {
        let mut part = archive.by_index(index).map_err(damaged)?;
        let name = part.name().map_err(damaged)?.to_ascii_lowercase();
        if part.size() > budget {
            return Err(parts_too_large());
        }
        if name.ends_with("styles.xml") && part.size() > MAX_STYLES_BYTES {
            return Err(too_large(
                "the formatting of the workbook is larger",
                megabytes(MAX_STYLES_BYTES),
            ));
        }

        // The directory may state a smaller size than the part has.
        let stated = part.size();
        let mut contents = PartContents::new(&name, &mut long_numbers);
        check_part(&mut part, &name, stated, &mut budget, &mut contents)?;
    }
    Ok(long_numbers)
}

/// The contents of a part that are counted or kept.
enum PartContents<'a> {
    Sheet(XmlTags, &'a mut LongNumbers),
    /// The table of texts, with the number of texts so far.
    Texts(XmlTags, usize),
    Other,
}

impl<'a> PartContents<'a> {
    fn new(name: &str, long_numbers: &'a mut LongNumbers) -> Self {
        if name.ends_with("sharedstrings.xml") {
            Self::Texts(XmlTags::default(), 0)
        } else if name.contains("worksheets/") {
            long_numbers.begin_part();
            Self::Sheet(XmlTags::default(), long_numbers)
        } else {
            Self::Other
        }
    }

    fn add(&mut self, piece: &[u8]) -> Result<(), FatalReadError> {
        match self {
            Self::Sheet(tags, long_numbers) => {
                tags.read(piece, |tag| long_numbers.add(&tag));
                match long_numbers.len() > MAX_LONG_NUMBERS {
                    true => Err(too_large(
                        "the workbook has more numbers of 16 and more digits",
                        "2 million".to_owned(),
                    )),
                    false => Ok(()),
                }
            }
            Self::Texts(tags, count) => {
                tags.read(piece, |tag| {
                    *count += usize::from(tag.name == b"si" && !tag.is_end);
                });
                match *count > MAX_TEXTS {
                    true => Err(too_many_texts()),
                    false => Ok(()),
                }
            }
            Self::Other => Ok(()),
        }
    }
}

/// Refuses archives of other kinds, by the names of their parts.
fn check_kind<R: Read + Seek>(archive: &ZipArchive<R>) -> Result<(), FatalReadError> {
    let names = || archive.file_names_raw();
    let has = |end: &str| names().any(|name| name.ends_with(end.as_bytes()));

    // Some programs add a number to the name.
    let is_workbook = |name: &[u8]| name.ends_with(b".xml") && count_matches(name, b"workbook") > 0;
    if names().any(is_workbook) {
        return Ok(());
    }

    Err(if has("workbook.bin") {
        FatalReadError::OfficeFile("a binary workbook (.xlsb)")
    } else if has("word/document.xml") {
        FatalReadError::OfficeFile("a Word document")
    } else if has("content.xml") && has("mimetype") {
        FatalReadError::OfficeFile("an OpenDocument file")
    } else {
        FatalReadError::NotText("a zip archive")
    })
}

/// Unpacks a part without keeping it.
fn check_part(
    part: &mut impl Read,
    name: &str,
    stated: u64,
    budget: &mut u64,
    contents: &mut PartContents<'_>,
) -> Result<(), FatalReadError> {
    let is_xml = name.ends_with(".xml") || name.ends_with(".rels");
    let mut left = stated.min(*budget);
    let mut chunk = [0; 16 << 10];
    // The end of what was read, in which the attribute may begin.
    let mut window: Vec<u8> = Vec::new();

    loop {
        let count = match part.read(&mut chunk) {
            Ok(0) => break,
            Ok(count) => count,
            Err(error) => return Err(FatalReadError::DamagedWorkbook(error.to_string())),
        };
        left = left.checked_sub(count as u64).ok_or_else(parts_too_large)?;
        *budget -= count as u64;
        contents.add(&chunk[..count])?;

        if is_xml {
            window.extend_from_slice(&chunk[..count]);
            check_xml(&window, false)?;
            window.drain(..window.len().saturating_sub(COUNT_BYTES));
        }
    }
    check_xml(&window, true)
}

/// Refuses XML in an encoding that could hide the attribute, and an attribute whose number is too large or
/// not in the usual notation. Unless `ended`, more may follow.
fn check_xml(window: &[u8], ended: bool) -> Result<(), FatalReadError> {
    let is_control = |byte: &u8| *byte < 0x20 && !matches!(byte, b'\t' | b'\n' | b'\r');
    if window.iter().any(is_control) {
        return Err(FatalReadError::DamagedWorkbook(
            "a part is not plain XML".to_owned(),
        ));
    }

    for (place, found) in window.windows(ANNOUNCED_COUNT.len()).enumerate() {
        let rest = &window[place + found.len()..];
        let is_cut = rest.len() < COUNT_BYTES - ANNOUNCED_COUNT.len();
        if found != ANNOUNCED_COUNT || is_cut && !ended {
            continue;
        }

        let digits = rest.strip_prefix(b"=\"").unwrap_or_default();
        let length = digits.iter().take_while(|b| b.is_ascii_digit()).count();
        let count = std::str::from_utf8(&digits[..length.min(MAX_COUNT_DIGITS)]);
        let count = count.ok().and_then(|count| count.parse().ok());
        let is_in_bounds = count.is_some_and(|count: usize| count <= MAX_TEXTS);
        if !is_in_bounds || length > MAX_COUNT_DIGITS || digits.get(length) != Some(&b'"') {
            return Err(too_many_texts());
        }
    }
    Ok(())
}

fn count_matches(bytes: &[u8], wanted: &[u8]) -> usize {
    bytes.windows(wanted.len()).filter(|w| *w == wanted).count()
}

fn too_many_texts() -> FatalReadError {
    too_large("the workbook has more texts", "2 million".to_owned())
}

fn parts_too_large() -> FatalReadError {
    too_large("the workbook unpacks to more", megabytes(MAX_PARTS_BYTES))
}

pub(super) fn too_large(what: &'static str, limit: String) -> FatalReadError {
    FatalReadError::WorkbookTooLarge { what, limit }
}

pub(super) fn megabytes(bytes: u64) -> String {
    format!("{} MiB", bytes >> 20)
}

fn damaged(error: ZipError) -> FatalReadError {
    FatalReadError::DamagedWorkbook(error.to_string())
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use zip::{ZipWriter, write::SimpleFileOptions};

    use super::*;

    fn archive(parts: &[(&str, &[u8])]) -> Vec<u8> {
        let mut writer = ZipWriter::new(Cursor::new(Vec::new()));
        for (name, bytes) in parts {
            writer
                .start_file(*name, SimpleFileOptions::default())
                .unwrap();
            writer.write_all(bytes).unwrap();
        }
        writer.finish().unwrap().into_inner()
    }

    fn fault(parts: &[(&str, &[u8])]) -> String {
        let bytes = archive(parts);
        check_workbook(&bytes).map_or_else(|fault| fault.to_string(), |_| "fine".to_owned())
    }

    #[test]
    fn bombs_and_other_archives_are_refused() {
        let book: (&str, &[u8]) = ("xl/workbook.xml", b"<workbook/>");
        assert_eq!(fault(&[book]), "fine");
        let zeros = vec![b' '; (MAX_PARTS_BYTES + 1) as usize];
        let bomb = [book, ("xl/worksheets/sheet1.xml", &zeros[..])];
        assert_eq!(
            fault(&bomb),
            "the workbook unpacks to more than 128 MiB: save the sheet as CSV and choose that file"
        );
        let styles = vec![b' '; (MAX_STYLES_BYTES + 1) as usize];
        let formats = fault(&[book, ("xl/styles.xml", &styles)]);
        assert!(formats.starts_with("the formatting of the workbook is larger than 2 MiB"));
        for (name, expected) in [
            (
                "word/document.xml",
                "this is a Word document: save it as .xlsx",
            ),
            ("xl/workbook.bin", "this is a binary workbook (.xlsb)"),
            ("notes.txt", "this is a zip archive, not a table"),
        ] {
            let fault = fault(&[(name, b"")]);
            assert!(fault.starts_with(expected), "{fault}");
        }
    }

    /// The directory of an archive is not trusted.
    #[test]
    fn a_part_that_is_larger_than_stated_is_refused() {
        let zeros = vec![b' '; 100_000];
        let mut bytes = archive(&[("xl/workbook.xml", &zeros)]);
        let stated = 100_000_u32.to_le_bytes();
        let places: Vec<_> = (0..bytes.len() - 4)
            .filter(|at| bytes[*at..*at + 4] == stated)
            .collect();
        assert!(!places.is_empty());
        for at in places {
            bytes[at..at + 4].copy_from_slice(&10_u32.to_le_bytes());
        }
        assert!(check_workbook(&bytes).is_err());
    }

    #[test]
    fn announced_numbers_of_texts_are_bounded() {
        let check = |xml: &str| {
            let padding = " ".repeat(16 << 10);
            // The attribute may lie across two pieces.
            (0..40).all(|shift| {
                let xml = format!("{}{xml}", &padding[..padding.len() - shift]);
                fault(&[
                    ("xl/workbook.xml", b""),
                    ("xl/sharedStrings.xml", xml.as_bytes()),
                ]) == "fine"
            })
        };
        assert!(check("<sst count=\"3\" uniqueCount=\"2000000\"/>"));
        for xml in [
            "<sst uniqueCount=\"2000001\"/>",
            "<sst uniqueCount=\"\"/>",
            "<sst uniqueCount=\"99999999\"/>",
            "<sst uniqueCount = \"5\"/>",
            "<sst uniqueCount='5'/>",
            "<sst unique\u{1b}Count=\"99999999\"/>",
        ] {
            assert!(!check(xml), "{xml}");
        }
    }

    /// Millions of empty texts compress to nothing, and each takes memory.
    #[test]
    fn the_number_of_texts_is_bounded() {
        let texts = |text: &str, count: usize| {
            let xml = format!("<x:sst>{}</x:sst>", text.repeat(count));
            fault(&[
                ("xl/workbook.xml", b""),
                ("xl/sharedStrings.xml", xml.as_bytes()),
            ])
        };
        assert_eq!(texts("<si><t/></si>", 10_000), "fine");
        for text in ["<si/>", "<x:si/>"] {
            let refused = texts(text, MAX_TEXTS + 1);
            let expected = "the workbook has more texts than 2 million: save the sheet as CSV";
            assert!(refused.starts_with(expected), "{refused}");
        }
    }
}
