//! Files of reading comprehension, of our own writing and as released.

use domain::comprehension::{
    AnswerChoice, MaterialWarning, PassagePurpose, Question, find_material_warnings,
};
use formats::{
    FormulaEscaping,
    comprehension::{
        ComprehensionAnswerRow, ComprehensionAnswerWriter, ComprehensionFile, ComprehensionFormat,
        ComprehensionMapping, UNANSWERABLE, ats_eval, read_comprehension, write_spans,
    },
    is_formula, write_line,
};
use testdata::needs_released_data;

use crate::released;

const ATS_EVAL: &str = "rc/ats_eval_even_articles.csv";

fn read(bytes: impl AsRef<[u8]>) -> ComprehensionFile {
    read_comprehension(bytes.as_ref(), &ComprehensionMapping::default()).unwrap()
}

#[needs_released_data("onestopqa")]
#[test]
fn onestopqa_30_articles_162_paragraphs_486_questions() {
    let bytes = released("onestopqa/onestop_qa.json");
    let parsed = read(bytes);
    assert_eq!(
        (parsed.format, parsed.bad_rows.len()),
        (ComprehensionFormat::OneStopQa, 0)
    );

    let mut titles: Vec<_> = parsed
        .passages
        .iter()
        .map(|passage| &passage.title)
        .collect();
    titles.dedup();
    assert_eq!((titles.len(), parsed.passages.len()), (30, 162));
    let questions = parsed
        .passages
        .iter()
        .map(|passage| passage.questions.len());
    assert_eq!(questions.sum::<usize>(), 486);

    let conditions: Vec<_> = parsed
        .conditions()
        .iter()
        .map(ToString::to_string)
        .collect();
    assert_eq!(conditions, ["Advanced", "Intermediate", "Elementary"]);
    assert!(
        parsed
            .passages
            .iter()
            .all(|passage| passage.texts.len() == 3)
    );

    let missing = |doubt: &MaterialWarning| !matches!(doubt, MaterialWarning::Verbatim { .. });
    assert_eq!(
        find_material_warnings(&parsed.passages)
            .iter()
            .filter(|doubt| missing(doubt))
            .count(),
        0
    );

    let first = &parsed.passages[0];
    let (condition, question, spans) = &first.spans[0];
    assert_eq!((condition.as_str(), question.as_str()), ("Advanced", "q1"));
    let text = first.texts[0].1.as_str();
    let critical = spans.critical[0].slice(text).unwrap();
    assert!(
        critical.starts_with("Angela") && critical.ends_with("Baltic Sea."),
        "{critical}"
    );
    assert_eq!(
        spans.distractor[0]
            .slice(text)
            .unwrap()
            .split_whitespace()
            .count(),
        1
    );
}

#[needs_released_data("rc")]
#[test]
fn ats_eval_329_rows_and_the_doubled_one_is_told() {
    let bytes = released(ATS_EVAL);
    let parsed = read(bytes);
    assert_eq!(
        (parsed.format, parsed.bad_rows.len()),
        (ComprehensionFormat::AtsEval, 0)
    );

    assert_eq!((parsed.passages.len(), parsed.conditions().len()), (30, 11));
    assert_eq!(parsed.answers.len(), 987);
    assert!(
        parsed
            .answers
            .iter()
            .all(|answer| answer.participant.is_none())
    );

    assert_eq!(parsed.notes.len(), 2);
    assert!(
        parsed.notes[0].contains("is the same as line"),
        "{}",
        parsed.notes[0]
    );

    let missing = find_material_warnings(&parsed.passages);
    let missing = missing
        .iter()
        .filter(|doubt| matches!(doubt, MaterialWarning::MissingText { .. }));
    let messages: Vec<_> = missing.map(ToString::to_string).collect();
    assert_eq!(messages.len(), 2, "{messages:?}");
    assert!(
        messages
            .iter()
            .all(|sentence| sentence.contains("in MUSS-Unsup"))
    );
}

#[needs_released_data("rc")]
#[test]
fn ats_eval_comes_out_as_it_went_in() {
    let bytes = released(ATS_EVAL);
    let parsed = read(&bytes);
    let mut writer = ats_eval::AtsEvalWriter::new(Vec::new(), FormulaEscaping::Verbatim).unwrap();
    let mut reader = csv::Reader::from_reader(&bytes[..]);
    let header = reader.headers().unwrap().clone();
    let at = |name: &str| header.iter().position(|column| column == name).unwrap();

    for (record, answers) in reader.records().zip(parsed.answers.chunks(3)) {
        let record = record.unwrap();
        let cell = |name| record.get(at(name)).unwrap();
        let passage = &answers[0].passage;
        let passage = parsed
            .passages
            .iter()
            .find(|own| own.name == *passage)
            .unwrap();
        let text = passage
            .texts
            .iter()
            .find(|(name, _)| *name == answers[0].condition);
        let answer = |number: usize| (&passage.questions[number].1, answers[number].choice);
        let row = ats_eval::AtsEvalRow {
            article_id: cell("article_id"),
            para_id: cell("para_id"),
            title: &passage.title,
            paragraph: text.unwrap().1.as_str(),
            model_name: cell("model_name"),
            model: answers[0].condition.as_str(),
            comments: cell("comments"),
            answers: [answer(0), answer(1), answer(2)],
        };
        writer.write(&row).unwrap();
    }

    let output = writer.finish().unwrap();
    let differ = output.iter().zip(&bytes).position(|(a, b)| a != b);
    assert!(output == bytes, "differs at {differ:?}");
}

#[test]
fn ats_eval_runs_nothing_in_a_spreadsheet_where_that_is_asked_for() {
    let question = Question::new("+Why?", &["=1+1", "b", "c", "d"]).unwrap();
    let row = ats_eval::AtsEvalRow {
        article_id: "1",
        para_id: "-2",
        title: "@title",
        paragraph: "A text.",
        model_name: "a model",
        model: "a model",
        comments: " =cmd()",
        answers: [(&question, AnswerChoice::A); 3],
    };

    for (cells, expect) in [
        (FormulaEscaping::Verbatim, 11),
        (FormulaEscaping::Guarded, 0),
    ] {
        let mut writer = ats_eval::AtsEvalWriter::new(Vec::new(), cells).unwrap();
        writer.write(&row).unwrap();
        let bytes = writer.finish().unwrap();
        let mut reader = csv::Reader::from_reader(&bytes[..]);
        let record = reader.records().next().unwrap().unwrap();
        let formulas = record.iter().filter(|cell| is_formula(cell)).count();
        assert_eq!(formulas, expect, "{record:?}");
        assert!(record.iter().any(|cell| cell == "-2"), "a number stays one");
    }
}

#[test]
fn rows_of_texts_questions_and_answers_come_together() {
    let file = "\
passage,condition,text,question,question_text,a,b,c,d,participant,answer,order,active_ms
p1,Original,Two sisters rowed.,,,,,,,,,,
p1,Simple,They rowed.,q1,Who rowed?,Sisters,Brothers,Cats,Nobody,,,,
p1,Original,,q1,,,,,,reader 1,A,CADB,1200
p1,Simple,,q1,,,,,,reader 2,brothers,,
p1,Simple,,q1,,,,,,reader 3,unanswerable,,
p1,Simple,,q9,,,,,,reader 3,A,,
p1,Simple,,q1,,,,,,reader 3,E,,
p1,Simple,Others rowed.,,,,,,,,,,
,Simple,They rowed.,,,,,,,,,,
p1,Simple,,q1,,,,,,reader 3,A,AACD,
p2,Simple,Rain.,q1,Why?,Rain,rain,Snow,Hail,,,,
";
    let parsed = read(file);
    assert_eq!(
        (parsed.format, parsed.passages.len()),
        (ComprehensionFormat::Csv, 1)
    );

    let choices: Vec<_> = parsed.answers.iter().map(|answer| answer.choice).collect();
    assert_eq!(
        choices,
        [AnswerChoice::A, AnswerChoice::B, AnswerChoice::Unanswerable]
    );
    let order = parsed.answers[0].order.unwrap();
    assert_eq!(
        (order.place_of(AnswerChoice::A), parsed.answers[0].active_ms),
        (2, Some(1200))
    );

    let bad: Vec<_> = parsed.bad_rows.iter().map(ToString::to_string).collect();
    let expected = [
        ("line 7, “question”", "is not known"),
        ("line 8, “answer”", "none of the question's answers"),
        ("line 9, “text”", "has another text in Simple"),
        ("line 10, “passage”", "is missing"),
        ("line 11, “order”", "not an order of answers"),
        ("line 12, “question_text”", "are the same"),
    ];
    assert_eq!(bad.len(), expected.len(), "{bad:?}");
    for (bad, (place, reason)) in bad.iter().zip(expected) {
        assert!(bad.starts_with(place) && bad.contains(reason), "{bad}");
    }
}

#[test]
fn columns_are_mapped_and_a_missing_one_is_told() {
    let file = "para;arm;body\n1;Original;Rain fell.\n";
    let mapping =
        ComprehensionMapping::parse(["passage=para", "condition=arm", "text=body"]).unwrap();
    let parsed = read_comprehension(file.as_bytes(), &mapping).unwrap();
    assert_eq!(parsed.passages[0].texts[0].1.as_str(), "Rain fell.");

    let fault = read_comprehension(file.as_bytes(), &ComprehensionMapping::default()).unwrap_err();
    assert!(fault.to_string().contains("a column “passage”"), "{fault}");
    for (pair, reason) in [
        ("text", "write FIELD=COLUMN"),
        ("body=text", "is not a field"),
    ] {
        assert!(
            ComprehensionMapping::parse([pair])
                .unwrap_err()
                .to_string()
                .contains(reason)
        );
    }
    assert!(ComprehensionMapping::parse(["text=a", "text=b"]).is_err());
}

#[test]
fn answers_written_a_row_each_are_read_again() {
    let question = Question::new("Who, “really”?", &["Sisters", "Brothers", "Cats", "Nobody"]);
    let question = question.unwrap();
    let row = |choice: AnswerChoice| ComprehensionAnswerRow {
        participant: Some("participant 1"),
        passage: "p1",
        title: "A river",
        condition: "Original",
        question: "q1",
        question_text: question.text(),
        answer: choice,
        answer_text: question.answer(choice).unwrap_or(UNANSWERABLE),
        correct: choice == AnswerChoice::A,
        order: Some("CADB".parse().unwrap()),
        place: Some(2),
        active_ms: Some(1500),
        passage_active_ms: None,
        left_out: false,
        recorded_at: Some(7),
    };

    let mut csv = ComprehensionAnswerWriter::new(
        b"passage,condition,text,question,question_text,a,b,c,d\n".to_vec(),
        FormulaEscaping::Verbatim,
    )
    .unwrap();
    csv.write(&row(AnswerChoice::Unanswerable)).unwrap();
    let csv = String::from_utf8(csv.finish().unwrap()).unwrap();
    let last = csv.lines().last().unwrap();
    assert_eq!(
        last,
        "participant 1,p1,A river,Original,q1,\"Who, “really”?\",unanswerable,\
         The question or the answer options are not supported by the passage.,false,CADB,2,1500,,\
         false,7"
    );

    let mut lines = Vec::new();
    let material = serde_json::json!({
        "passage": "p1", "condition": "Original", "text": "Two sisters rowed.", "question": "q1",
        "question_text": question.text(), "a": "Sisters", "b": "Brothers", "c": "Cats", "d": "Nobody",
    });
    write_line(&mut lines, &material).unwrap();
    // From several readers, since one reader's second answer would not count.
    for (reader, choice) in (1..).zip(AnswerChoice::ALL) {
        let participant = format!("participant {reader}");
        let row = ComprehensionAnswerRow {
            participant: Some(&participant),
            ..row(choice)
        };
        write_line(&mut lines, &row).unwrap();
    }

    let parsed = read(lines);
    assert_eq!(parsed.bad_rows, []);
    assert_eq!(parsed.format, ComprehensionFormat::Jsonl);
    let choices: Vec<_> = parsed.answers.iter().map(|answer| answer.choice).collect();
    assert_eq!(choices, AnswerChoice::ALL);
    assert_eq!(
        parsed.answers[0].participant.as_ref().unwrap().as_str(),
        "participant 1"
    );
}

#[test]
fn what_is_no_such_file_is_told() {
    let fault = |bytes: &[u8]| {
        read_comprehension(bytes, &ComprehensionMapping::default())
            .unwrap_err()
            .to_string()
    };
    assert!(fault(b"").contains("is empty"));
    assert!(fault(b"[{}]").contains("one JSON array"));
    // Every .xlsx file begins with these bytes.
    assert!(fault(b"PK\x03\x04").contains("the workbook cannot be read"));
    let article = br#"{"data":[{"title":"T","paragraphs":[{"Adv":{"context":"x"},"qas":[{"question":"q","answers":["a","b","c"]}]}]}]}"#;
    assert!(fault(article).contains("1_p1 (“T”): question 1: a question has four answers"));
}

#[test]
fn purposes_and_spans_are_read_and_bad_ones_told() {
    let parsed = read(
        "passage,purpose,condition,text,question,question_text,a,b,c,d,critical,distractor\n\
         1,check,Original,Für uns fiel Regen.,q,What fell?,rain,snow,hail,night,8-18,\n\
         1,,Original,,q,,,,,,0-3,4-7\n\
         2,later,Original,Rain.,,,,,,,,\n\
         1,,Original,,r,,,,,,99-100,\n\
         1,,Simple,,q,,,,,,0-3,\n",
    );

    let [passage] = &parsed.passages[..] else {
        panic!("{:?}", parsed.passages)
    };
    assert_eq!(passage.purpose, PassagePurpose::Check);
    // The first statement stays.
    let [(condition, question, spans)] = &passage.spans[..] else {
        panic!("{:?}", passage.spans)
    };
    assert_eq!((condition.as_str(), question.as_str()), ("Original", "q"));
    let text = passage.texts[0].1.as_str();
    assert_eq!(spans.critical[0].slice(text), Some("fiel Regen"));
    assert_eq!(write_spans(text, &spans.critical), "8-18");
    assert!(spans.distractor.is_empty());

    let bad: Vec<_> = parsed.bad_rows.iter().map(ToString::to_string).collect();
    assert_eq!(bad.len(), 3, "{bad:?}");
    assert!(
        bad[0].contains("purpose") && bad[0].contains("later"),
        "{bad:?}"
    );
    assert!(bad[1].contains("not a range of the text"), "{bad:?}");
    assert!(bad[2].contains("has no text yet"), "{bad:?}");
}

#[test]
fn a_whole_mapping_takes_no_column_beside_it() {
    let file = "passage,who,condition,text\n1,Simple,Original,Rain.\n";
    let pairs = ["passage=passage", "condition=who", "text=text"];
    let mapping = ComprehensionMapping::parse(pairs)
        .unwrap()
        .without_defaults();
    let parsed = read_comprehension(file.as_bytes(), &mapping).unwrap();
    assert_eq!(parsed.passages[0].texts[0].0.as_str(), "Simple");

    let mapping = ComprehensionMapping::parse(["condition=condition"])
        .unwrap()
        .without_defaults();
    let refused = read_comprehension(file.as_bytes(), &mapping).unwrap_err();
    assert!(
        refused.to_string().contains("for the field passage"),
        "{refused}"
    );
}

#[test]
fn conditions_are_few_and_a_file_of_many_is_read_in_one_go() {
    let header = "passage,condition,text\n";
    let rows: String = (0..20_000)
        .map(|n| format!("p{n},c{n},It rained.\n"))
        .collect();
    let parsed = read(format!("{header}{rows}"));
    assert_eq!(
        (parsed.passages.len(), parsed.bad_rows.len()),
        (1_000, 19_000)
    );
    assert_eq!(parsed.conditions().len(), 1_000);
    assert_eq!(
        parsed.bad_rows[0].to_string(),
        "line 1002, “condition”: is one more than the conditions that a file may have, 1000"
    );
}

#[test]
fn other_formats_have_the_same_limits() {
    let header = "article_id,para_id,title,paragraph,Model,question_1,question_2,question_3,\
                  answer_1,answer_2,answer_3,all_options_1,all_options_2,all_options_3\n";
    let options = "\"['a', 'b', 'c', 'd']\"";
    // Copied for each row, the passage's texts would be 100 GB.
    let text = "It rained. ".repeat(1_000);
    let rows: String = (0..5_000)
        .map(|n| {
            format!("1,1,T,{text},c{n},One?,Two?,Three?,a,b,c,{options},{options},{options}\n")
        })
        .collect();

    let parsed = read(format!("{header}{rows}"));
    assert_eq!(parsed.format, ComprehensionFormat::AtsEval);
    assert_eq!(parsed.passages[0].texts.len(), 1_000);
    assert_eq!(
        (parsed.answers.len(), parsed.bad_rows.len()),
        (3_000, 4_000)
    );
    assert_eq!(
        parsed.bad_rows[0].to_string(),
        "line 1002, “Model”: is one more than the conditions that a file may have, 1000"
    );

    let question = r#"{"question":"What fell?","answers":["rain","snow","hail","fog"]}"#;
    let questions = vec![question; 1_001].join(",");
    let file = format!(
        r#"{{"data":[{{"title":"T","paragraphs":[{{"Adv":{{"context":"Rain."}},"qas":[{questions}]}}]}}]}}"#
    );
    let fault = read_comprehension(file.as_bytes(), &ComprehensionMapping::default());
    let fault = fault.unwrap_err().to_string();
    assert!(
        fault.contains("1001 questions are more than the 1000"),
        "{fault}"
    );
}

#[test]
fn a_row_costs_no_more_because_its_passage_is_long() {
    // Copied for each row, the passage's 8 MB would be 160 GB.
    let text = "It rained. ".repeat(80_000);
    let mut file =
        "passage,condition,text,question,question_text,a,b,c,d,participant,answer\n".to_owned();
    for number in 0..10 {
        file += &format!("p,c{number},{text},,,,,,,,\n");
    }
    file += "p,c0,,q,What?,rain,snow,hail,fog,,\n";
    for number in 0..20_000 {
        file += &format!("p,c0,,q,,,,,,r{number},A\n");
    }

    let parsed = read(file);
    assert_eq!((parsed.answers.len(), parsed.bad_rows.len()), (20_000, 0));
    assert_eq!(parsed.passages[0].texts.len(), 10);
}

#[test]
fn a_bad_row_leaves_its_passage_as_it_was() {
    let file = "passage,title,condition,text,question,question_text,a,b,c,d,answer,active_ms\n\
        p,The ferry,one,It rained.,,,,,,,,\n\
        p,,two,It snowed.,q,,,,,,A,\n\
        p2,,one,It rained.,q,,,,,,A,\n\
        p,,one,,q,What?,a,b,c,d,A,9223372036854775807\n\
        p,,one,,q,What?,a,b,c,d,A,2592000000\n";
    let parsed = read(file);
    let bad: Vec<_> = parsed.bad_rows.iter().map(ToString::to_string).collect();
    assert_eq!(bad.len(), 3, "{bad:?}");
    assert!(
        bad[2].contains("“active_ms”: is more than 30 days"),
        "{bad:?}"
    );

    assert_eq!(parsed.passages.len(), 1);
    let passage = &parsed.passages[0];
    let shape = (
        passage.title.as_str(),
        passage.texts.len(),
        passage.questions.len(),
    );
    assert_eq!(shape, ("The ferry", 1, 1));
    assert_eq!(parsed.answers[0].active_ms, Some(2_592_000_000));
}
