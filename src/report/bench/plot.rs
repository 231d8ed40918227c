//! Time against N as a picture: a line for each series, with its own colour, marker and dashes.
//!
//! The colours are those of Okabe and Ito (*Color Universal Design*, 2008), which the colour-blind can tell apart, in an
//! order in which neighbours differ in lightness too.

use std::sync::Once;

use plotters::{
    backend::{BitMapBackend, SVGBackend},
    chart::{ChartBuilder, SeriesLabelPosition},
    coord::{Shift, combinators::IntoLogRange},
    drawing::{DrawingArea, DrawingAreaErrorKind, IntoDrawingArea},
    element::{Drawable, PointCollection},
    series::{DashedLineSeries, LineSeries},
    style::{Color, FontStyle, RGBColor, ShapeStyle, WHITE, register_font},
};
use plotters_backend::{BackendCoord, DrawingBackend, DrawingErrorKind};

use super::{Results, growth};
use crate::{
    Error,
    bench::{Measurement, Stats},
};

/// Width and height in pixels.
const SIZE: (u32, u32) = (960, 600);

/// Letters of DejaVu Sans that the text here is made of; `font/LICENSE` is its licence.
const FONT: &[u8] = include_bytes!("font/DejaVuSans-subset.ttf");

const COLOURS: [RGBColor; 7] = [
    RGBColor(0, 0, 0),
    RGBColor(213, 94, 0),
    RGBColor(0, 114, 178),
    RGBColor(230, 159, 0),
    RGBColor(0, 158, 115),
    RGBColor(204, 121, 167),
    RGBColor(86, 180, 233),
];

/// Length of dashes and of what is between them; no gap is a solid line.
const DASHES: [(u32, u32); 4] = [(8, 0), (9, 5), (2, 4), (16, 5)];

/// Corners of markers, about (0, 0); the circle has none.
const MARKERS: [&[(i32, i32)]; 5] = [
    &[],
    &[(-4, -4), (4, -4), (4, 4), (-4, 4)],
    &[(0, -6), (6, 4), (-6, 4)],
    &[(0, -6), (6, 0), (0, 6), (-6, 0)],
    &[(-6, -4), (6, -4), (0, 6)],
];

/// How a series is drawn. No two of the first 140 share all three.
#[derive(Clone, Copy)]
struct Look {
    colour: RGBColor,
    dash: (u32, u32),
    marker: &'static [(i32, i32)],
}

impl Look {
    const fn of(line: usize) -> Self {
        Self {
            colour: COLOURS[line % COLOURS.len()],
            dash: DASHES[line % DASHES.len()],
            marker: MARKERS[line % MARKERS.len()],
        }
    }

    fn style(self) -> ShapeStyle {
        self.colour.stroke_width(2)
    }
}

/// The picture as SVG.
///
/// # Errors
///
/// [`Error::Internal`] where it cannot be drawn.
pub fn svg(results: &Results) -> Result<String, Error> {
    let mut text = String::new();
    draw(results, &SVGBackend::with_string(&mut text, SIZE).into_drawing_area())?;
    Ok(text)
}

/// The picture as PNG.
///
/// # Errors
///
/// As [`svg`].
pub fn png(results: &Results) -> Result<Vec<u8>, Error> {
    let mut pixels = vec![0; 3 * (SIZE.0 * SIZE.1) as usize];
    draw(results, &BitMapBackend::with_buffer(&mut pixels, SIZE).into_drawing_area())?;
    let mut bytes = Vec::new();
    let mut encoder = ::png::Encoder::new(&mut bytes, SIZE.0, SIZE.1);
    encoder.set_color(::png::ColorType::Rgb);
    encoder.set_depth(::png::BitDepth::Eight);
    encoder
        .write_header()
        .and_then(|mut writer| writer.write_image_data(&pixels))
        .map_err(|error| undrawn(&error))?;
    Ok(bytes)
}

fn undrawn(error: &dyn std::error::Error) -> Error {
    Error::Internal(format!("the plot cannot be drawn: {error}"))
}

fn draw<B: DrawingBackend>(results: &Results, area: &DrawingArea<B, Shift>) -> Result<(), Error> {
    static FONT_READY: Once = Once::new();
    FONT_READY.call_once(|| {
        // a font that cannot be read shows in the error of the first text
        let _ = register_font("sans-serif", FontStyle::Normal, FONT);
    });
    chart(results, area).and_then(|()| area.present()).map_err(|error| undrawn(&error))
}

/// The range of an axis: that of the values, or the one for none.
fn range(values: impl Iterator<Item = f64> + Clone, none: (f64, f64)) -> (f64, f64) {
    let ends = (values.clone().fold(f64::INFINITY, f64::min), values.fold(f64::NEG_INFINITY, f64::max));
    if ends.0 <= ends.1 { ends } else { none }
}

/// A time that a logarithmic axis can show.
const fn shown(seconds: f64) -> f64 {
    seconds.max(1e-9)
}

fn chart<B: DrawingBackend>(
    results: &Results,
    area: &DrawingArea<B, Shift>,
) -> Result<(), DrawingAreaErrorKind<B::ErrorType>> {
    area.fill(&WHITE)?;
    let sizes = range(results.rows.iter().map(|row| f64::from(row.n)), (8.0, 16.0));
    let times = results.rows.iter().flat_map(|row| [row.wall_s.min, row.wall_s.max]).map(shown);
    let times = range(times, (1e-3, 1.0));
    let title = if results.grows() {
        "N queens: time to count all solutions"
    } else {
        "N queens: time to the first solution by plain backtracking"
    };
    let mut chart = ChartBuilder::on(area)
        .caption(title, ("sans-serif", 22))
        .margin(12)
        .x_label_area_size(44)
        .y_label_area_size(76)
        // room above the lines for their names
        .build_cartesian_2d(sizes.0 - 0.5..sizes.1 + 0.5, (times.0 / 1.6..times.1 * 4.0).log_scale())?;
    chart
        .configure_mesh()
        .x_desc("N")
        .y_desc("time of a run: median, min to max")
        .x_labels((sizes.1 - sizes.0) as usize + 2)
        .x_label_formatter(&|n| if n.fract() == 0.0 { format!("{n:.0}") } else { String::new() })
        .y_label_formatter(&|time| tick(*time))
        .label_style(("sans-serif", 14))
        .light_line_style(RGBColor(240, 240, 240))
        .bold_line_style(RGBColor(215, 215, 215))
        .draw()?;
    let lines = results.series();
    let number = lines.len() as i32;
    for (at_line, (name, rows)) in (0..).zip(lines) {
        let look = Look::of(at_line as usize);
        let points: Vec<(f64, f64)> =
            rows.iter().map(|row| (f64::from(row.n), shown(row.wall_s.median))).collect();
        let factor = growth(&rows).filter(|_| results.grows());
        let label = factor.map_or_else(|| name.clone(), |factor| format!("{name}: ×{factor:.1} each N"));
        let line = match look.dash {
            (_, 0) => chart.draw_series(LineSeries::new(points, look.style()))?,
            (dash, gap) => chart.draw_series(DashedLineSeries::new(points, dash, gap, look.style()))?,
        };
        line.label(label).legend(move |(x, y)| Sign { at: [(x + 22, y); 3], reach: 22, aside: 0, look });
        let sign = |row: &&Measurement| {
            let Stats { min, median, max, .. } = row.wall_s;
            let at = [min, median, max].map(|time| (f64::from(row.n), shown(time)));
            Sign { at, reach: 0, aside: 5 * at_line - 5 * (number - 1) / 2, look }
        };
        chart.draw_series(rows.iter().map(sign))?;
    }
    chart
        .configure_series_labels()
        .position(SeriesLabelPosition::UpperLeft)
        .legend_area_size(52)
        .margin(10)
        .background_style(WHITE.mix(0.85))
        .border_style(RGBColor(160, 160, 160))
        .label_font(("sans-serif", 15))
        .draw()
}

/// What a series shows at one N: a marker, a bar from the min to the max time, and in the list of names a piece of its
/// line.
struct Sign<C> {
    /// The min, the median and the max.
    at: [C; 3],
    /// Pixels of line to each side.
    reach: i32,
    /// Pixels from the marker to the bar, so that the bars of several series stand apart.
    aside: i32,
    look: Look,
}

impl<'a, C: 'a> PointCollection<'a, C> for &'a Sign<C> {
    type Point = &'a C;
    type IntoIter = std::slice::Iter<'a, C>;

    fn point_iter(self) -> Self::IntoIter {
        self.at.iter()
    }
}

impl<B: DrawingBackend, C> Drawable<B> for Sign<C> {
    fn draw<I: Iterator<Item = BackendCoord>>(
        &self,
        at: I,
        backend: &mut B,
        _: (u32, u32),
    ) -> Result<(), DrawingErrorKind<B::ErrorType>> {
        const CAP: i32 = 4;
        let Look { colour, dash: (dash, gap), marker } = self.look;
        let &[(_, bottom), (x, y), (_, top)] = &at.collect::<Vec<_>>()[..] else { return Ok(()) };
        for start in (-self.reach..self.reach).step_by((dash + gap) as usize) {
            let end = (start + dash as i32).min(self.reach);
            backend.draw_path([(x + start, y), (x + end, y)], &self.look.style())?;
        }
        if top < bottom {
            let bar = x + self.aside;
            backend.draw_line((bar, bottom), (bar, top), &colour)?;
            for end in [bottom, top] {
                backend.draw_line((bar - CAP, end), (bar + CAP, end), &colour)?;
            }
        }
        if marker.is_empty() {
            return backend.draw_circle((x, y), 4, &colour.filled(), true);
        }
        backend.fill_polygon(marker.iter().map(|(right, down)| (x + right, y + down)), &colour.filled())
    }
}

/// A mark of the axis of times.
fn tick(time: f64) -> String {
    let (unit, scale) = match time {
        short if short < 0.9e-3 => ("µs", 1e6),
        short if short < 0.9 => ("ms", 1e3),
        _ => ("s", 1.0),
    };
    format!("{} {unit}", (time * scale * 100.0).round() / 100.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bench::Task;

    #[test]
    fn marks_are_short() {
        assert_eq!([1e-5, 1e-3, 0.1, 1.0, 1000.0].map(tick), ["10 µs", "1 ms", "100 ms", "1 s", "1000 s"]);
    }

    #[test]
    fn lines_share_no_look_for_long() {
        let looks: Vec<_> =
            (0..140).map(Look::of).map(|look| (look.colour, look.dash, look.marker)).collect();
        assert!((0..140).all(|at| !looks[..at].contains(&looks[at])));
    }

    #[test]
    fn a_picture_without_rows_is_one() -> Result<(), Error> {
        let empty = Results::new(Task::Count, 1);
        assert!(svg(&empty)?.ends_with("</svg>\n") && png(&empty)?.starts_with(b"\x89PNG"));
        Ok(())
    }
}
