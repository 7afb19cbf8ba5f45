/// So many of something: “1 source”, “2 sources”.
#[must_use]
pub fn count_noun(number: usize, what: &str) -> String {
    let s = if number == 1 { "" } else { "s" };
    format!("{number} {what}{s}")
}
