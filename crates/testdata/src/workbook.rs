//! Workbooks (.xlsx) for tests, as spreadsheet programs write them.

use std::io::{Cursor, Write as _};

use zip::{ZipWriter, write::SimpleFileOptions};

const MAIN: &str = "http://schemas.openxmlformats.org/spreadsheetml/2006/main";
const RELATIONS: &str = "http://schemas.openxmlformats.org/officeDocument/2006/relationships";
const PACKAGE: &str = "http://schemas.openxmlformats.org/package/2006/relationships";

/// A workbook of sheets, each a name and rows of cells. Numbers are stored as numbers, texts in the table of
/// texts, and empty cells not at all.
///
/// # Panics
/// Never: writing to memory does not fail.
#[must_use]
pub fn workbook(sheets: &[(&str, &[&[&str]])]) -> Vec<u8> {
    let mut texts: Vec<String> = Vec::new();
    let sheets = sheets.iter();
    let sheets: Vec<_> = sheets
        .map(|(name, rows)| (*name, sheet_rows(rows, &mut texts)))
        .collect();
    pack(&sheets, &texts)
}

/// A workbook of sheets, each a name and the XML of its rows, for cells that [`workbook`] does not write.
///
/// # Panics
/// Like [`workbook`].
#[must_use]
pub fn workbook_of_xml(sheets: &[(&str, &str)]) -> Vec<u8> {
    let sheets = sheets.iter();
    let sheets: Vec<_> = sheets
        .map(|(name, rows)| (*name, (*rows).to_owned()))
        .collect();
    pack(&sheets, &[])
}

fn pack(sheets: &[(&str, String)], texts: &[String]) -> Vec<u8> {
    let mut parts: Vec<(String, String)> = Vec::new();
    let (mut list, mut relations) = (String::new(), String::new());
    for (number, (name, rows)) in (1..).zip(sheets) {
        let sheet =
            format!("<worksheet xmlns=\"{MAIN}\"><sheetData>{rows}</sheetData></worksheet>");
        parts.push((format!("xl/worksheets/sheet{number}.xml"), sheet));
        let name = escape(name);
        list += &format!("<sheet name=\"{name}\" sheetId=\"{number}\" r:id=\"rId{number}\"/>");
        relations += &relation(
            number,
            "worksheet",
            &format!("worksheets/sheet{number}.xml"),
        );
    }

    let count = texts.len();
    let items: String = texts
        .iter()
        .map(|text| format!("<si><t xml:space=\"preserve\">{}</t></si>", escape(text)))
        .collect();

    let workbook = format!(
        "<workbook xmlns=\"{MAIN}\" xmlns:r=\"{RELATIONS}\"><sheets>{list}</sheets></workbook>"
    );
    let strings = format!("<sst xmlns=\"{MAIN}\" uniqueCount=\"{count}\">{items}</sst>");
    let strings_relation = relation(sheets.len() + 1, "sharedStrings", "sharedStrings.xml");
    let all =
        |relations: &str| format!("<Relationships xmlns=\"{PACKAGE}\">{relations}</Relationships>");
    let root = relation(1, "officeDocument", "xl/workbook.xml");

    parts.extend([
        ("_rels/.rels".to_owned(), all(&root)),
        ("xl/workbook.xml".to_owned(), workbook),
        (
            "xl/_rels/workbook.xml.rels".to_owned(),
            all(&(relations + &strings_relation)),
        ),
        ("xl/sharedStrings.xml".to_owned(), strings),
    ]);

    let mut writer = ZipWriter::new(Cursor::new(Vec::new()));
    for (name, xml) in parts {
        let begun = writer.start_file(name, SimpleFileOptions::default());
        begun.expect("memory takes it");
        writer.write_all(xml.as_bytes()).expect("memory takes it");
    }
    writer.finish().expect("memory takes it").into_inner()
}

fn sheet_rows(rows: &[&[&str]], texts: &mut Vec<String>) -> String {
    let mut xml = String::new();
    for (row, cells) in (1..).zip(rows) {
        xml += &format!("<row r=\"{row}\">");
        for (column, text) in ('A'..='Z').zip(*cells) {
            if text.is_empty() {
                continue;
            }

            xml += &match text.parse::<f64>() {
                Ok(_) => format!("<c r=\"{column}{row}\"><v>{text}</v></c>"),
                Err(_) => {
                    let known = texts.iter().position(|known| known == text);
                    let index = known.unwrap_or_else(|| {
                        texts.push((*text).to_owned());
                        texts.len() - 1
                    });
                    format!("<c r=\"{column}{row}\" t=\"s\"><v>{index}</v></c>")
                }
            };
        }
        xml += "</row>";
    }
    xml
}

fn relation(number: usize, kind: &str, target: &str) -> String {
    format!("<Relationship Id=\"rId{number}\" Type=\"{RELATIONS}/{kind}\" Target=\"{target}\"/>")
}

fn escape(text: &str) -> String {
    text.replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('"', "&quot;")
}
