//! How does a drawing become pixels?
//!
//! A backend of plotters over tiny-skia, which draws smooth edges; plotters'
//! own bitmap does not, and its text needs the fonts of the machine. Places
//! texts as plotters' SVG does, so that both pictures look the same.

use std::convert::Infallible;

use plotters_backend::text_anchor::{HPos, VPos};
use plotters_backend::{
    BackendColor, BackendCoord, BackendStyle, BackendTextStyle, DrawingBackend, DrawingErrorKind,
    FontTransform,
};
use tiny_skia::{FillRule, Paint, Path, PathBuilder, Pixmap, Rect, Stroke, Transform};

use super::font;

/// A picture in pixels.
pub(super) struct Canvas(Pixmap);

type Drawn = Result<(), DrawingErrorKind<Infallible>>;

impl Canvas {
    /// An empty picture; `None` if there is no room for one of that size.
    pub(super) fn new(width: u32, height: u32) -> Option<Canvas> {
        Pixmap::new(width, height).map(Canvas)
    }

    /// The picture as a PNG.
    pub(super) fn png(&self) -> Result<Vec<u8>, String> {
        self.0.encode_png().map_err(|error| error.to_string())
    }

    /// Red, green and blue of every pixel, row by row. The ground has no
    /// holes.
    pub(super) fn rgb(&self) -> Vec<u8> {
        let pixels = self.0.pixels().iter();
        pixels
            .flat_map(|pixel| [pixel.red(), pixel.green(), pixel.blue()])
            .collect()
    }

    /// Columns and rows.
    pub(super) fn size(&self) -> (i32, i32) {
        (self.0.width() as i32, self.0.height() as i32)
    }

    fn fill(&mut self, path: &Path, color: BackendColor) {
        let (paint, rule) = (paint(color), FillRule::Winding);
        self.0
            .fill_path(path, &paint, rule, Transform::identity(), None);
    }

    fn stroke(&mut self, path: &Path, style: &impl BackendStyle) {
        let stroke = Stroke {
            width: style.stroke_width() as f32,
            ..Stroke::default()
        };
        let paint = paint(style.color());
        // A thin line covers one row of pixels, not two by half.
        let half = (style.stroke_width() % 2) as f32 / 2.0;
        let aligned = Transform::from_translate(half, half);
        self.0.stroke_path(path, &paint, &stroke, aligned, None);
    }
}

fn paint(color: BackendColor) -> Paint<'static> {
    let (red, green, blue) = color.rgb;
    let mut paint = Paint::default();
    paint.set_color_rgba8(red, green, blue, (color.alpha * 255.0).round() as u8);
    paint
}

fn path_of(points: impl IntoIterator<Item = BackendCoord>, closed: bool) -> Option<Path> {
    let mut path = PathBuilder::new();
    for (i, (x, y)) in points.into_iter().enumerate() {
        match i {
            0 => path.move_to(x as f32, y as f32),
            _ => path.line_to(x as f32, y as f32),
        }
    }
    if closed {
        path.close();
    }
    path.finish()
}

/// Of a borrowed canvas, since plotters keeps the backend it draws on.
impl DrawingBackend for &mut Canvas {
    type ErrorType = Infallible;

    fn get_size(&self) -> (u32, u32) {
        (self.0.width(), self.0.height())
    }

    fn ensure_prepared(&mut self) -> Drawn {
        Ok(())
    }

    fn present(&mut self) -> Drawn {
        Ok(())
    }

    fn draw_pixel(&mut self, (x, y): BackendCoord, color: BackendColor) -> Drawn {
        if let Some(rect) = Rect::from_xywh(x as f32, y as f32, 1.0, 1.0) {
            self.0
                .fill_rect(rect, &paint(color), Transform::identity(), None);
        }
        Ok(())
    }

    fn draw_line<S: BackendStyle>(
        &mut self,
        from: BackendCoord,
        to: BackendCoord,
        style: &S,
    ) -> Drawn {
        self.draw_path([from, to], style)
    }

    fn draw_rect<S: BackendStyle>(
        &mut self,
        (left, top): BackendCoord,
        (right, bottom): BackendCoord,
        style: &S,
        fill: bool,
    ) -> Drawn {
        let corners = [(left, top), (right, top), (right, bottom), (left, bottom)];
        match (path_of(corners, true), fill) {
            (Some(path), true) => self.fill(&path, style.color()),
            (Some(path), false) => self.stroke(&path, style),
            (None, _) => {}
        }
        Ok(())
    }

    fn draw_path<S: BackendStyle, I: IntoIterator<Item = BackendCoord>>(
        &mut self,
        points: I,
        style: &S,
    ) -> Drawn {
        if let Some(path) = path_of(points, false) {
            self.stroke(&path, style);
        }
        Ok(())
    }

    fn draw_circle<S: BackendStyle>(
        &mut self,
        (x, y): BackendCoord,
        radius: u32,
        style: &S,
        fill: bool,
    ) -> Drawn {
        match (
            PathBuilder::from_circle(x as f32, y as f32, radius as f32),
            fill,
        ) {
            (Some(path), true) => self.fill(&path, style.color()),
            // Round it is not aligned to pixels, so that it has one centre
            // with what is filled.
            (Some(path), false) => {
                let stroke = Stroke {
                    width: style.stroke_width() as f32,
                    ..Stroke::default()
                };
                let paint = paint(style.color());
                self.0
                    .stroke_path(&path, &paint, &stroke, Transform::identity(), None);
            }
            (None, _) => {}
        }
        Ok(())
    }

    fn fill_polygon<S: BackendStyle, I: IntoIterator<Item = BackendCoord>>(
        &mut self,
        points: I,
        style: &S,
    ) -> Drawn {
        if let Some(path) = path_of(points, true) {
            self.fill(&path, style.color());
        }
        Ok(())
    }

    fn draw_text<S: BackendTextStyle>(
        &mut self,
        text: &str,
        style: &S,
        (x, y): BackendCoord,
    ) -> Drawn {
        let pixels = style.size() / super::FONT_UNITS_PER_PIXEL;
        let width = font::width(text, pixels);
        let dx = match style.anchor().h_pos {
            HPos::Left => 0.0,
            HPos::Center => -width / 2.0,
            HPos::Right => -width,
        };
        // An ex of this font is 0.55 em.
        let dy = pixels
            * match style.anchor().v_pos {
                VPos::Top => 0.76,
                VPos::Center => 0.27,
                VPos::Bottom => -0.27,
            };
        let Some(path) = font::outlines(text, pixels, dx, dy) else {
            return Ok(());
        };
        let degrees = match style.transform() {
            FontTransform::None => 0.0,
            FontTransform::Rotate90 => 90.0,
            FontTransform::Rotate180 => 180.0,
            FontTransform::Rotate270 => 270.0,
        };
        let placed = Transform::from_rotate(degrees).post_translate(x as f32, y as f32);
        self.0.fill_path(
            &path,
            &paint(style.color()),
            FillRule::Winding,
            placed,
            None,
        );
        Ok(())
    }
}
