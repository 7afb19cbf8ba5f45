//! Guesses on headers as people write them.

use super::*;

fn table(header: &str, rows: &[&str]) -> (Vec<String>, Vec<Vec<String>>) {
    let cells = |line: &str| line.split(',').map(|cell| cell.trim().to_owned()).collect();
    (cells(header), rows.iter().map(|row| cells(row)).collect())
}

/// The guessed fields as text, `-` where there is none.
fn fields(header: &str, rows: &[&str]) -> String {
    let (header, rows) = table(header, rows);
    let guesses = guess_columns(&header, &rows);
    let names = guesses
        .iter()
        .map(|guess| guess.map_or("-", |guess| guess.field.name()));
    names.collect::<Vec<_>>().join(",")
}

#[test]
fn headers_are_understood_by_their_words() {
    for (header, expected) in [
        (
            "Complex sentence,Simplified sentence,Item",
            "source,output,source_id",
        ),
        (
            "source,output,system,rater,rating",
            "source,output,system,rater,rating",
        ),
        (
            "Original,Simplification,Model name,Annotator,Score",
            "source,output,system,rater,rating",
        ),
        ("src,hyp,sys", "source,output,system"),
        (
            "orig_sent,simp_sent,sys_name,sent_id",
            "source,output,system,source_id",
        ),
        ("Input text,Generated text,Model", "source,output,system"),
        (
            "Input.original,Input.simplified,Input.system,WorkerId,Answer.fluency",
            "source,output,system,rater,rating",
        ),
        (
            "id,complex,simple,reference_1,reference_2",
            "source_id,source,output,reference,reference",
        ),
        (
            "key,complex,model,simplified,who,overall score",
            "source_id,source,system,output,-,rating",
        ),
        (
            "ItemNumber,SourceSentence,SystemOutput,SystemName",
            "source_id,source,output,system",
        ),
        (
            "sentence_id,original,generation,sentence type,rating_1,rating_1_zscore",
            "source_id,source,output,category,rating,-",
        ),
        (
            "Source text,Model output,System type,Comments",
            "source,output,kind,-",
        ),
        (
            "Complex-Sentence,Hypothesis,Worker ID,Aspect,Value",
            "source,output,rater,dimension,-",
        ),
        (
            "original,gold,prediction,model",
            "source,reference,output,system",
        ),
        (
            "SOURCE;,OUTPUT;,Meaning preservation,Simplicity,Grammar",
            "source,output,rating,rating,rating",
        ),
        (
            "Text ID,Normal,Simple,Evaluator,Fluency rating",
            "source_id,source,output,rater,rating",
        ),
        (
            "output_id,source_id,source,candidate,rating time",
            "-,source_id,source,output,-",
        ),
        ("Name,Street,Town", "-,-,-"),
    ] {
        assert_eq!(fields(header, &[]), expected, "{header}");
    }
}

#[test]
fn contents_say_what_names_do_not() {
    let rows = [
        "the old ferry which carried timber was withdrawn,ferry no longer runs at all,alpha,3,1",
        "the old ferry which carried timber was withdrawn,they stopped the old ferry,beta,5,2",
        "the harbour was reconstructed after the great storm,they built the harbour again,alpha,3,3",
        "the harbour was reconstructed after the great storm,the harbour was rebuilt,beta,1,4",
    ];
    assert_eq!(fields("a,b,c,d,e", &rows), "source,output,system,rating,-");
    let (header, rows) = table("a,b,c,d,e", &rows);
    let mut origins = guess_columns(&header, &rows).into_iter().flatten();
    assert!(origins.all(|guess| guess.origin == GuessOrigin::Contents));
    // Where no text repeats the longer one is the source, if there are two.
    let pairs = [
        "they stopped the ferry,the old ferry which carried timber was withdrawn from service",
        "they built it again,the harbour was reconstructed in the aftermath of the storm",
    ];
    assert_eq!(fields("a,b", &pairs), "output,source");
    assert_eq!(fields("a", &["one sentence of five words"]), "-");
}

#[test]
fn contents_overrule_names_that_mislead() {
    // Each row has a number of its own, though its source comes twice.
    let rows = [
        "1,the ferry was withdrawn from service,it stopped running at last,Alpha,good",
        "2,the ferry was withdrawn from service,they stopped the old ferry,Beta,bad",
    ];
    let header = "id,original,simplified,system,rating";
    assert_eq!(fields(header, &rows), "-,source,output,system,-");
    let rows = [
        "s1,the ferry was withdrawn from service,it stopped running at last,Alpha,4",
        "s1,the ferry was withdrawn from service,they stopped the old ferry,Beta,5",
    ];
    assert_eq!(
        fields(header, &rows),
        "source_id,source,output,system,rating"
    );
    // Words of categories that the program does not have.
    let rows = ["the ferry was withdrawn,it stopped,lexical"];
    assert_eq!(
        fields("original,simplified,operation", &rows),
        "source,output,-"
    );
}

#[test]
fn the_fields_own_names_come_before_other_words() {
    let (header, _) = table("original,source,model,system", &[]);
    let guesses = guess_columns(&header, &[]);
    let own = ColumnGuess {
        field: FileField::Source,
        origin: GuessOrigin::FieldName,
    };
    assert_eq!(guesses[..2], [None, Some(own)]);
    assert_eq!(guesses[2], None);
}
