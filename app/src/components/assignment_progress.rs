use service::wording::count_noun;
use store::assignments::AssignmentProgress;

/// Says how much of an assignment is judged: “3 of 5” outputs, or “12 comparisons”.
pub fn describe_progress(progress: &AssignmentProgress) -> String {
    match (progress.rated, progress.compared) {
        (0, 1..) => count_noun(progress.compared as usize, "comparison"),
        (rated, _) => format!("{rated} of {}", progress.items),
    }
}
