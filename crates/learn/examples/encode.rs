//! Vectors of texts, for comparison with other implementations: `encode FOLDER LIBRARY [THREADS]`.
//!
//! A line on standard input is a JSON list of texts, a text a list of words; it is answered with a
//! line: for each text a list of layers, a layer a list of words, a word a list of numbers. With
//! `QUIET` set, each text is answered by its number of words only, for measuring speed.

use std::{
    env,
    error::Error,
    io::{self, BufRead, Write},
    sync::Arc,
};

use learn::encoder::{EncodedText, Encoder, EncoderDevice, EncoderOptions};

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = env::args().skip(1).collect();
    let [folder, runtime, threads @ ..] = arguments.as_slice() else {
        return Err("say: encode FOLDER LIBRARY [THREADS]".into());
    };
    let encoder = Encoder::open(&EncoderOptions {
        folder: folder.into(),
        runtime: runtime.into(),
        threads: threads.first().map_or(Ok(1), |threads| threads.parse())?,
        device: EncoderDevice::Cpu,
        cache_mib: 0,
    })?;
    eprintln!("{}", encoder.name());
    let quiet = env::var_os("QUIET").is_some();
    let mut output = io::stdout().lock();
    for line in io::stdin().lock().lines() {
        let texts: Vec<Vec<String>> = serde_json::from_str(&line?)?;
        let encoded = encode(&encoder, &texts)?;
        if quiet {
            let words: Vec<usize> = encoded.iter().map(|text| text.words()).collect();
            serde_json::to_writer(&mut output, &words)?;
        } else {
            let vectors: Vec<_> = encoded.iter().map(|text| vectors(text)).collect();
            serde_json::to_writer(&mut output, &vectors)?;
        }
        writeln!(output)?;
        output.flush()?;
    }
    Ok(())
}

fn encode(
    encoder: &Encoder,
    texts: &[Vec<String>],
) -> Result<Vec<Arc<EncodedText>>, Box<dyn Error>> {
    let texts: Vec<Vec<&str>> = texts
        .iter()
        .map(|words| words.iter().map(String::as_str).collect())
        .collect();
    let texts: Vec<&[&str]> = texts.iter().map(Vec::as_slice).collect();
    Ok(encoder.encode(&texts)?)
}

fn vectors(text: &EncodedText) -> Vec<Vec<&[f32]>> {
    let layer = |layer| {
        (0..text.words())
            .map(|word| text.vector(layer, word))
            .collect()
    };
    (0..text.layers()).map(layer).collect()
}
