//! Final values of outputs, which leads decide on.

mod make_gold_item;
mod record_final_value;

pub use make_gold_item::{MakeGoldItem, make_gold_item};
pub use record_final_value::{RecordFinalValue, record_final_value};
