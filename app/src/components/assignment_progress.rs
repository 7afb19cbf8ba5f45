use service::wording::count_noun;
use store::assignments::AssignmentProgress;

/// Says how much of an assignment is judged: “3 of 5” outputs, “12 comparisons”, or of a source without outputs, “1 answer”.
pub fn describe_progress(progress: &AssignmentProgress) -> String {
    match (progress.rated, progress.compared) {
        _ if progress.items == 0 => count_noun(progress.answers as usize, "answer"),
        (0, 1..) => count_noun(progress.compared as usize, "comparison"),
        (rated, _) => format!("{rated} of {}", progress.items),
    }
}
