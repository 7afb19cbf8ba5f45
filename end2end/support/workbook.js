const main = "http://schemas.openxmlformats.org/spreadsheetml/2006/main";
const relations = "http://schemas.openxmlformats.org/officeDocument/2006/relationships";
const packages = "http://schemas.openxmlformats.org/package/2006/relationships";

/** A workbook (.xlsx) of sheets, each a name and rows of texts and numbers. */
export function workbook(sheets) {
  const numbered = Object.entries(sheets).map(([name, rows], index) => ({ name, rows, number: index + 1 }));
  const relation = (id, kind, target) => `<Relationship Id="rId${id}" Type="${relations}/${kind}" Target="${target}"/>`;
  const all = (items) => `<Relationships xmlns="${packages}">${items.join("")}</Relationships>`;
  const list = numbered.map(({ name, number }) => {
    return `<sheet name="${escapeXml(name)}" sheetId="${number}" r:id="rId${number}"/>`;
  });
  const parts = {
    "_rels/.rels": all([relation(1, "officeDocument", "xl/workbook.xml")]),
    "xl/workbook.xml": `<workbook xmlns="${main}" xmlns:r="${relations}"><sheets>${list.join("")}</sheets></workbook>`,
    "xl/_rels/workbook.xml.rels": all(
      numbered.map(({ number }) => relation(number, "worksheet", `worksheets/sheet${number}.xml`)),
    ),
  };
  for (const { rows, number } of numbered) {
    parts[`xl/worksheets/sheet${number}.xml`] =
      `<worksheet xmlns="${main}"><sheetData>${rows.map(row).join("")}</sheetData></worksheet>`;
  }
  return archive(parts);
}

function row(cells, index) {
  const xml = cells.map((cell, column) => {
    const place = `${String.fromCharCode(65 + column)}${index + 1}`;
    return typeof cell === "number"
      ? `<c r="${place}"><v>${cell}</v></c>`
      : `<c r="${place}" t="inlineStr"><is><t>${escapeXml(cell)}</t></is></c>`;
  });
  return `<row r="${index + 1}">${xml.join("")}</row>`;
}

const escapeXml = (text) => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll('"', "&quot;");

/** A zip archive of texts, none of which is compressed. */
function archive(parts) {
  const [files, directory] = [[], []];
  let offset = 0;
  for (const [path, text] of Object.entries(parts)) {
    const [name, body] = [Buffer.from(path), Buffer.from(text)];
    // Version, flags, method, time and date, then checksum, both sizes, and the length of the name.
    const about = Buffer.alloc(26);
    about.writeUInt16LE(20, 0);
    about.writeUInt16LE(0x21, 8);
    about.writeUInt32LE(checksum(body), 10);
    about.writeUInt32LE(body.length, 14);
    about.writeUInt32LE(body.length, 18);
    about.writeUInt16LE(name.length, 22);
    files.push(Buffer.from("PK\x03\x04"), about, name, body);
    const place = Buffer.alloc(14);
    place.writeUInt32LE(offset, 10);
    directory.push(Buffer.from("PK\x01\x02\x14\x00"), about, place, name);
    offset += 4 + about.length + name.length + body.length;
  }
  const entries = Buffer.concat(directory);
  const end = Buffer.alloc(18);
  end.writeUInt16LE(Object.keys(parts).length, 4);
  end.writeUInt16LE(Object.keys(parts).length, 6);
  end.writeUInt32LE(entries.length, 8);
  end.writeUInt32LE(offset, 12);
  return Buffer.concat([...files, entries, Buffer.from("PK\x05\x06"), end]);
}

/** CRC-32. */
function checksum(bytes) {
  let sum = ~0;
  for (const byte of bytes) {
    sum ^= byte;
    for (let bit = 0; bit < 8; bit++) sum = (sum >>> 1) ^ (sum & 1 ? 0xedb88320 : 0);
  }
  return ~sum >>> 0;
}
