//! How commands read files: encodings, separators, sheets, columns and scales, and what they report of bad rows.

use clap::CommandFactory as _;
use testdata::{workbook, workbook_of_xml};

use super::{CliArgs, Workspace};

/// Ratings of two systems as a German program writes them: other column names, semicolons, Windows-1252.
const LATIN: &[u8] = b"Quelle;Ausgabe;Modell;Person;Note\n\
    Das Boot f\xe4hrt heute.;Es f\xe4hrt.;A;Ada;1\n\
    Das Boot f\xe4hrt heute.;Es f\xe4hrt.;A;Bo;2\n\
    Das Boot f\xe4hrt heute.;Boot f\xe4hrt.;B;Ada;3\n\
    Das Boot f\xe4hrt heute.;Boot f\xe4hrt.;B;Bo;3\n\
    Es regnet, oft.;Regen.;A;Ada;1\n\
    Es regnet, oft.;Regen.;A;Bo;1\n\
    Es regnet, oft.;Nass.;B;Ada;2\n\
    Es regnet, oft.;Nass.;B;Bo;3\n";

const MAPPED: &str = "--encoding windows-1252 --separator semicolon --map source=Quelle --map output=Ausgabe --map \
                      system=Modell --map rater=Person --map rating=Note --scale 1..4";

/// The same ratings in the second sheet of a workbook.
fn book() -> Vec<u8> {
    let text: String = LATIN.iter().map(|byte| char::from(*byte)).collect();
    let rows: Vec<Vec<&str>> = text.lines().map(|line| line.split(';').collect()).collect();
    let mut rows: Vec<&[&str]> = rows.iter().map(Vec::as_slice).collect();
    rows[0] = &["source", "output", "system", "rater", "rating"];
    let cover: &[&[&str]] = &[&["Ratings"], &["of", "spring"]];
    workbook(&[("Cover", cover), ("Ratings", &rows), ("Old", &rows[..7])])
}

fn workspace() -> Workspace {
    let workspace = Workspace::new();
    workspace.write_bytes("latin.csv", LATIN);
    workspace.write_bytes("book.xlsx", &book());
    workspace
}

/// Messages recommend these options, so all commands that read files must have them.
#[test]
fn commands_that_read_files_have_the_same_options() {
    let all = &["encoding", "separator", "sheet", "map", "scale"][..];
    let expected = [
        ("import", all),
        ("agreement", all),
        ("raters", all),
        ("systems", all),
        ("compare", all),
        ("protocols", all),
        ("score", all),
        ("meta-eval", all),
        ("train", all),
        ("pretrain", all),
        ("rc", &all[..4]),
        ("pairwise", &all[..3]),
        ("spans", &all[..3]),
        ("rerank", &all[..3]),
        ("align", &all[..1]),
    ];

    let command = CliArgs::command();
    let flags = |command: &clap::Command| -> Vec<String> {
        let longs = command.get_arguments().filter_map(clap::Arg::get_long);
        longs.map(str::to_owned).collect()
    };

    for (name, options) in expected {
        let found = flags(command.find_subcommand(name).expect(name));
        for option in options {
            assert!(
                found.iter().any(|flag| flag == option),
                "{name} --{option}: {found:?}"
            );
        }
    }

    let align = command.find_subcommand("align").expect("align");
    for part in align.get_subcommands() {
        assert!(
            flags(part).iter().any(|flag| flag == "encoding"),
            "align {part}"
        );
    }
}

/// The commands on ratings of a file; `FILE` takes its place.
const OF_RATINGS: [&str; 5] = [
    "agreement FILE",
    "raters FILE",
    "systems FILE",
    "compare A B FILE",
    "protocols FILE FILE",
];

#[test]
fn reading_options_are_honoured() {
    let workspace = workspace();
    for command in OF_RATINGS {
        let plain = command.replace("FILE", "@latin.csv");
        let error = workspace.error(&plain);
        assert!(
            error.contains("--encoding windows-1252"),
            "{command}: {error}"
        );

        let read = workspace.run(&format!("{plain} {MAPPED}"));
        let of_sheet = command.replace("FILE", "@book.xlsx");
        let of_sheet = workspace.run(&format!("{of_sheet} --sheet Ratings --scale 1..4"));
        let names = |text: &str| {
            text.replace("latin.csv", "FILE")
                .replace("book.xlsx", "FILE")
        };
        assert_eq!(names(&read), names(&of_sheet), "{command}");
    }

    let scored = workspace.run(&format!("score @latin.csv --metrics compression {MAPPED}"));
    assert_eq!(scored.lines().count(), 5, "{scored}");
    assert!(scored.contains("Das Boot fährt heute."), "{scored}");
    let judged = workspace.run(&format!(
        "meta-eval --ratings @latin.csv --metrics fkgl --bootstrap 10 {MAPPED}"
    ));
    assert!(judged.contains("fkgl"), "{judged}");
    let imported = workspace.run(&format!("import boot @latin.csv --create {MAPPED}"));
    assert!(imported.contains("8 rows; new are 2 sources"), "{imported}");
}

#[test]
fn other_files_of_a_command_are_read_by_the_same_encoding() {
    let workspace = workspace();
    workspace.write_bytes(
        "references.csv",
        b"source;reference\nDas Boot f\xe4hrt heute.;Es f\xe4hrt bald.\n",
    );
    let command = format!("score @latin.csv --references @references.csv --metrics sari {MAPPED}");
    let scored = workspace.run(&command);
    assert!(scored.contains("nrefs:0-1"), "{scored}");

    workspace.write_bytes(
        "pairs.csv",
        b"source,rater,system_a,system_b,outcome\nf\xe4hrt,Ada,A,B,a\nregnet,Ada,A,B,b\n",
    );
    let read = workspace.run("pairwise @pairs.csv --encoding windows-1252 --bootstrap 0");
    assert!(read.contains('A'), "{read}");

    workspace.write_bytes(
        "reading.csv",
        b"p;passage;condition;text\n1;Fl\xfcsse;original;Es regnet.\n",
    );
    let error = workspace.error("rc @reading.csv --encoding windows-1252 --map passage=p");
    assert!(error.contains("there are no answers"), "{error}");

    workspace.write_bytes("pairs.tsv", b"Das Boot f\xe4hrt.\tEs f\xe4hrt.\n");
    let error = workspace.error("align @pairs.tsv --grade string");
    assert!(
        error.contains("line 1: this is not UTF-8; read it with --encoding windows-1252"),
        "{error}"
    );
    let aligned =
        workspace.run("align @pairs.tsv --grade string --format json --encoding windows-1252");
    assert!(aligned.contains("Es fährt."), "{aligned}");
}

#[test]
fn the_sheet_with_the_ratings_is_found_and_said() {
    let workspace = workspace();
    let note =
        "Read from the sheet “Ratings”; other sheets of the workbook were not read: Cover, Old.";

    for command in OF_RATINGS {
        let read = workspace.run(&format!(
            "{} --scale 1..4",
            command.replace("FILE", "@book.xlsx")
        ));
        assert!(read.contains(note), "{command}: {read}");

        let old = workspace.run(&format!(
            "{} --sheet Old",
            command.replace("FILE", "@book.xlsx")
        ));
        assert!(!old.contains("Read from the sheet"), "{command}: {old}");
        let error = workspace.error(&format!(
            "{} --sheet New",
            command.replace("FILE", "@book.xlsx")
        ));
        assert!(
            error.contains("there is no sheet “New”; the sheets are: Cover, Ratings, Old"),
            "{error}"
        );
    }

    let dry = workspace.run("import boot @book.xlsx --create --dry-run");
    assert!(dry.contains(note), "{dry}");
    let imported = workspace.value("import boot @book.xlsx --create");
    assert_eq!(imported["notes"][0], note);
    let scored = workspace.value("score @book.xlsx --metrics compression");
    assert_eq!(scored["warnings"][0], note);
    let judged = workspace.value("meta-eval --ratings @book.xlsx --metrics fkgl --bootstrap 10");
    assert_eq!(judged["warnings"][0], note, "{judged}");
}

#[test]
fn reading_options_are_of_no_use_beside_a_study() {
    let workspace = Workspace::with_study();
    for command in [
        "agreement --study river --map source=x",
        "systems --study river --sheet Data",
        "raters --study river --encoding utf-8",
        "compare A B --study river --scale 1..5",
        "protocols river river --separator tab",
        "pairwise river --sheet Data",
        "spans river --encoding utf-8",
        "rc --study river --separator tab",
    ] {
        let error = workspace.error(command);
        assert!(
            error.contains("leave them out for a study"),
            "{command}: {error}"
        );
    }
}

/// A long table has a row for each rating, but an output is scored once.
#[test]
fn each_output_is_scored_once_and_keeps_the_name_of_its_source() {
    let workspace = Workspace::new();
    let scored = workspace.value("score @ratings.csv --metrics compression");
    assert_eq!(scored["outputs"], 6);
    assert_eq!(
        scored["warnings"][0],
        "12 rows repeat an output with another rating: each output is scored once"
    );

    // The first rating may be missing, and the same text may be another source.
    workspace.write(
        "long.csv",
        "source_id,source,system,output,rater,rating\n\
         a,It rained.,A,Rain.,r1,\n\
         a,It rained.,A,Rain.,r2,\n\
         a,It rained.,A,Rain.,r3,70\n\
         b,It rained.,A,Rain.,r1,80\n\
         b,It rained.,B,Rain.,r1,80\n",
    );

    let table = workspace.run("score @long.csv --metrics compression");
    let rows: Vec<_> = table
        .lines()
        .map(|line| line.split(',').take(5).collect::<Vec<_>>())
        .collect();
    assert_eq!(
        rows,
        [
            ["id", "source_id", "source", "system", "output"],
            ["", "a", "It rained.", "A", "Rain."],
            ["", "b", "It rained.", "A", "Rain."],
            ["", "b", "It rained.", "B", "Rain."],
        ]
    );
    let lines = workspace.run("score @long.csv --metrics compression --format jsonl");
    assert!(lines.contains("\"source_id\":\"b\""), "{lines}");

    // Without ratings, rows that say the same are outputs of their own.
    workspace.write(
        "outputs.csv",
        "source,output\nIt rained.,Rain.\nIt rained.,Rain.\n",
    );
    assert_eq!(
        workspace.value("score @outputs.csv --metrics compression")["outputs"],
        2
    );
}

/// Written lines match those of the file.
#[test]
fn empty_lines_of_pairs_keep_their_place() {
    let workspace = Workspace::new();
    workspace.write(
        "pairs.tsv",
        "It rained.\tRain fell.\n\nIt snowed.\tSnow.\n\t\n\n",
    );
    let links = workspace.run("align @pairs.tsv --grade string");
    let lines: Vec<_> = links.lines().map(str::is_empty).collect();
    assert_eq!(lines, [false, true, false, true, true], "{links:?}");
    let edits = workspace.run("align @pairs.tsv --grade string --format edits");
    assert_eq!(edits.lines().count(), 5);

    workspace.write("empty.txt", "\n\n");
    let links = workspace.run("align @empty.txt --source @empty.txt --grade string");
    assert_eq!(links, "\n\n");
}

#[test]
fn a_file_of_bad_rows_is_an_error_and_makes_no_study() {
    let workspace = Workspace::new();
    let row = "a,It rained.,A,Rain.,r1,good\n";
    workspace.write(
        "bad.csv",
        &format!("source_id,source,system,output,rater,rating\n{row}{row}"),
    );

    for command in [
        "import new @bad.csv --create",
        "agreement @bad.csv",
        "systems @bad.csv",
    ] {
        let error = workspace.error(command);
        assert!(
            error.contains(
                "no row of the file can be used:\n  line 2, “rating”: “good” is not a number"
            ),
            "{error}"
        );
        assert!(!error.contains("map its columns"), "{error}");
    }

    let error = workspace.error("score @bad.csv --metrics compression");
    assert!(
        error.contains("line 3, “rating”: “good” is not a number"),
        "{error}"
    );
    workspace.error("study show new");

    workspace.run("import river @ratings.csv --create");
    workspace.write("scores.csv", "source,system,lens\nNo such source.,A,1\n");
    let error = workspace.error("import river --scores @scores.csv");
    assert!(
        error.starts_with("no row of the file could be imported:\n  line 2"),
        "{error}"
    );
}

/// A workbook by a program that does not compute formulas.
#[test]
fn formulas_without_values_are_told() {
    let workspace = Workspace::new();
    let text = |text: &str| format!("<c t=\"inlineStr\"><is><t>{text}</t></is></c>");
    let row = |cells: &[String]| format!("<row>{}</row>", cells.concat());
    let header = ["source", "output", "system", "rater", "rating"].map(text);
    let rated = |rater: &str, output: &str, rating: &str| {
        // A system has one output of a source, so each output is that of another system.
        let texts = ["It rained.", output, output, rater].map(text);
        row(&[&texts[..], &[format!("<c>{rating}</c>")]].concat())
    };
    let rows = [
        row(&header),
        rated("r1", "Rain.", "<v>70</v>"),
        rated("r2", "Rain.", "<f>E2+1</f><v/>"),
        rated("r1", "Wet.", "<v>40</v>"),
        rated("r2", "Wet.", "<f>E4+1</f><v>41</v>"),
    ];
    workspace.write_bytes("book.xlsx", &workbook_of_xml(&[("Data", &rows.concat())]));

    let report = workspace.value("agreement @book.xlsx");
    let warnings = report["warnings"].to_string();
    assert!(
        warnings.contains("A formula has no stored value and counts as missing, in row 3"),
        "{warnings}"
    );
    assert!(
        warnings.contains("Left out: line 3, “rating”: is a formula without a stored value"),
        "{warnings}"
    );

    let imported = workspace.value("import new @book.xlsx --create");
    assert_eq!(
        (
            imported["bad"].as_u64(),
            imported["new"]["answers"].as_u64()
        ),
        (Some(1), Some(3))
    );
}
