//! Charts: drawn by the server as SVG, readable without a mouse, with their numbers behind them.
//!
//! A page puts a drawing into a [`Chart`], which adds a heading that says what is found, the table of its
//! values and the download buttons, and puts [`ChartDownloads`] once at its end:
//!
//! ```text
//! view! {
//!     <Chart caption file="scores" table>
//!         <IntervalChart label="Scores of systems" axis groups/>
//!     </Chart>
//!     <ChartDownloads study/>
//! }
//! ```
//!
//! - [`IntervalChart`]: one row for each system or rater, a mark with its interval.
//! - [`SmallBars`]: a histogram as one image, for pages that show many.
//! - [`LineChart`]: a value over time or events, with its interval where it has one.
//! - [`Matrix`]: each against each.
//! - [`Scatter`]: two numbers of many items.
//!
//! Every mark can be reached by keyboard and announces its values ([`IntervalRow::description`] and the like).
//! With scripts a chart is one tab stop, with arrow keys inside; without, each mark is a tab stop. Colour
//! only repeats what shape, position or text already say. Sizes are in units of the drawing, which are
//! CSS pixels where there is room. Rows, lines and dots have a drawing for phones; a matrix that is wider
//! than its screen scrolls sideways. The browser gets HTML and two small scripts.

mod axis;
mod figure;
mod fold;
mod frame;
mod intervals;
mod line;
mod matrix;
mod numbers;
mod scatter;
mod small_bars;
mod strip;
mod table;

pub use axis::{Axis, AxisScale, AxisTick};
pub use figure::{Chart, ChartCaption, ChartDownloads};
pub use fold::Fold;
pub use intervals::{IntervalChart, IntervalRow, IntervalRowGroup, MarkShape};
pub use line::{LineChart, LinePoint};
pub use matrix::{Matrix, MatrixCell, MatrixRow};
pub use scatter::{Scatter, ScatterPoint};
pub use service::wording::{decimal, signed};
pub use small_bars::SmallBars;
pub use strip::Strip;
pub use table::{ChartCell, ChartColumn, ChartTable};
