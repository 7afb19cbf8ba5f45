//! Charts: drawn by the server as SVG, readable without a mouse, with their numbers behind them.
//!
//! A page puts one of the drawings into a [`Chart`], which gives it a heading, a note, the table of
//! its values and the buttons to take it away, and says [`ChartDownloads`] once at its end:
//!
//! ```text
//! view! {
//!     <Chart title="Scores" note="Mean and 95 % interval." file="scores" table>
//!         <IntervalChart label="Scores of systems" axis groups/>
//!     </Chart>
//!     <ChartDownloads/>
//! }
//! ```
//!
//! - [`IntervalChart`]: one row a system or rater, a mark with its interval.
//! - [`SmallBars`]: a histogram in one image, to be shown many times on a page.
//! - [`LineChart`]: a value over time or events, with its interval where it has one.
//! - [`Matrix`]: each against each.
//! - [`Scatter`]: two numbers of many things.
//!
//! Every mark can be reached by keyboard and says its values ([`Row::said`] and its like): a chart is
//! one stop for the Tab key, with arrows inside, where scripts run; each mark is one where not. Colour
//! repeats what shape, place or text tell. Sizes are in units of the drawing, which are CSS pixels
//! where there is room; what is wider than its screen
//! scrolls sideways, and rows with intervals have a drawing for phones. Nothing here reaches the
//! browser but HTML and one small script, which buttons need.

mod axis;
mod figure;
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
pub use figure::{Chart, ChartDownloads};
pub use intervals::{IntervalChart, IntervalRow, IntervalRowGroup, MarkShape};
pub use line::{LineChart, LinePoint};
pub use matrix::{Matrix, MatrixCell, MatrixRow};
pub use numbers::{decimal, signed};
pub use scatter::{Scatter, ScatterPoint};
pub use small_bars::SmallBars;
pub use strip::Strip;
pub use table::{ChartCell, ChartColumn, ChartTable};
