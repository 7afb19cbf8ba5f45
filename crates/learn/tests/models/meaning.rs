//! Metrics of meaning, on the encoder where it is fetched.

use domain::metrics::{bertscore, cosine};
use learn::embeddings::embed_texts;

#[test]
fn a_paraphrase_means_more_of_the_same_than_another_sentence() {
    let Some(encoder) = crate::available::encoder() else {
        return;
    };
    let texts = [
        "The vessel foundered in the storm.",
        "The ship sank in bad weather.",
        "She keeps her buttons in a tea tin.",
        "",
    ];
    let done = std::cell::Cell::new(0);
    let embeddings = embed_texts(&encoder, &texts, |more| done.set(done.get() + more)).unwrap();
    assert_eq!(done.get(), 4);
    let [source, paraphrase, other, empty] = &embeddings[..] else {
        panic!("four texts have four meanings")
    };
    let similarity =
        |to: &learn::embeddings::TextEmbedding| cosine(&source.embedding, &to.embedding);
    assert!((similarity(source) - 1.0).abs() < 1e-5);
    assert!(similarity(paraphrase) > similarity(other) + 0.3);
    let f1 = |to: &learn::embeddings::TextEmbedding| bertscore(&to.words, &source.words).f1;
    assert!((f1(source) - 1.0).abs() < 1e-5 && f1(paraphrase) > f1(other) + 0.1);
    assert!(f1(empty) == 0.0 && similarity(empty) == 0.0);
}
