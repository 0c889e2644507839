//! Pictures as they go out: scaled to the cap, PNG, and the way back from their pixels.

use std::sync::Arc;

use desktop::{Local, Picture, Point, Rect, Screen, Size};
use fast_image_resize as fir;
use png::{BitDepth, ColorType, Compression, Encoder};

use crate::Image;

/// A picture that was given to a session: what its pixels mean.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Frame {
    /// Of the picture.
    pub size: Size,
    /// Of the window or display when it was taken, in native pixels.
    pub native: Size,
    pub origin: Point<Screen>,
}

impl Frame {
    /// Pixels of the picture per native pixel.
    pub fn scale(&self) -> f64 {
        if self.native.w == 0 { 1.0 } else { f64::from(self.size.w) / f64::from(self.native.w) }
    }

    pub fn contains(&self, x: f64, y: f64) -> bool {
        x >= 0.0 && y >= 0.0 && x < f64::from(self.size.w) && y < f64::from(self.size.h)
    }

    /// The native pixel that a point of the picture shows.
    pub fn native(&self, x: f64, y: f64) -> Point<Local> {
        let one = |v: f64, size: u32, native: u32| {
            let k = if size == 0 { 1.0 } else { f64::from(native) / f64::from(size) };
            let exact = v * k;
            // A whole pixel of an unscaled picture is itself; a scaled one means its middle.
            let px = if (k - 1.0).abs() < 1e-9 { exact.floor() } else { exact.round() };
            (px as i64).clamp(0, i64::from(native.saturating_sub(1))) as i32
        };
        Point::new(one(x, self.size.w, self.native.w), one(y, self.size.h, self.native.h))
    }

    /// Where a rectangle of the screen stands in the picture: x, y, w, h.
    pub fn image_frame(&self, r: &Rect<Screen>) -> [i32; 4] {
        let k = self.scale();
        let v = |n: i32| (f64::from(n) * k).round() as i32;
        [v(r.x - self.origin.x), v(r.y - self.origin.y), v(r.w as i32), v(r.h as i32)]
    }
}

/// Size of a picture of `native` with its longest side at most `cap` (0: as it is).
pub fn capped(native: Size, cap: u32) -> Size {
    let longest = native.w.max(native.h);
    if cap == 0 || longest <= cap {
        return native;
    }
    let k = f64::from(cap) / f64::from(longest);
    let side = |n: u32| ((f64::from(n) * k).round() as u32).clamp(1, cap);
    Size { w: side(native.w), h: side(native.h) }
}

#[derive(Debug, thiserror::Error)]
#[error("the picture could not be made: {0}")]
pub struct PictureError(String);

/// The picture scaled to `size`, still blue green red.
pub fn scaled(p: &Picture, size: Size) -> Result<std::borrow::Cow<'_, [u8]>, PictureError> {
    if size == p.size {
        return Ok((&p.bgrx).into());
    }
    let fail = |e: &dyn std::fmt::Display| PictureError(e.to_string());
    let source = fir::images::ImageRef::new(p.size.w, p.size.h, &p.bgrx, fir::PixelType::U8x4).map_err(|e| fail(&e))?;
    let mut out = fir::images::Image::new(size.w, size.h, fir::PixelType::U8x4);
    let options = fir::ResizeOptions::new().use_alpha(false).resize_alg(fir::ResizeAlg::Convolution(fir::FilterType::Bilinear));
    fir::Resizer::new().resize(&source, &mut out, &options).map_err(|e| fail(&e))?;
    Ok(out.into_vec().into())
}

/// PNG of a picture with its longest side at most `cap`.
pub fn encode(p: &Picture, cap: u32) -> Result<(Image, Frame), PictureError> {
    let size = capped(p.size, cap);
    let bytes = png(&scaled(p, size)?, size)?;
    Ok((Image { mime: "image/png", bytes: Arc::from(bytes) }, Frame { size, native: p.size, origin: p.origin }))
}

/// PNG of pixels of four bytes each, blue green red and one unused.
pub fn png(bgrx: &[u8], size: Size) -> Result<Vec<u8>, PictureError> {
    let mut rgb = Vec::with_capacity(size.w as usize * size.h as usize * 3);
    for px in bgrx.chunks_exact(4) {
        rgb.extend_from_slice(&[px[2], px[1], px[0]]);
    }
    let mut out = Vec::with_capacity(rgb.len() / 8);
    let mut encoder = Encoder::new(&mut out, size.w, size.h);
    encoder.set_color(ColorType::Rgb);
    encoder.set_depth(BitDepth::Eight);
    encoder.set_compression(Compression::Fast);
    let fail = |e: png::EncodingError| PictureError(e.to_string());
    encoder.write_header().and_then(|mut w| w.write_image_data(&rgb)).map_err(fail)?;
    Ok(out)
}

/// A part of a picture. `None` where the part lies outside.
pub fn crop(p: &Picture, part: Rect<Local>) -> Option<Picture> {
    let part = part.meet(&Rect::new(0, 0, p.size.w, p.size.h))?;
    let row = p.size.w as usize * 4;
    let mut bgrx = Vec::with_capacity(part.w as usize * part.h as usize * 4);
    for y in part.y as usize..part.bottom() as usize {
        let start = y * row + part.x as usize * 4;
        bgrx.extend_from_slice(p.bgrx.get(start..start + part.w as usize * 4)?);
    }
    Some(Picture { size: part.size(), bgrx, origin: p.origin.offset(part.x, part.y), real: Rect::new(0, 0, part.w, part.h), taken: p.taken })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn points_of_a_scaled_picture_come_back_within_a_pixel() {
        for (native, cap) in [(Size { w: 2400, h: 1300 }, 1568), (Size { w: 300, h: 200 }, 1568), (Size { w: 3840, h: 2160 }, 1000), (Size { w: 1, h: 1 }, 1)] {
            let size = capped(native, cap);
            let f = Frame { size, native, origin: Point::new(7, 9) };
            for x in 0..native.w as i32 {
                let back = f.native(f64::from(x) * f.scale(), 0.0);
                assert!((back.x - x).abs() <= 1, "{native:?} {cap}: {x} became {}", back.x);
            }
            assert!(size.w.max(size.h) <= cap.max(1));
        }
    }

    #[test]
    fn what_is_encoded_is_what_was_there() {
        let bgrx = vec![1, 2, 3, 0, 4, 5, 6, 0];
        let bytes = png(&bgrx, Size { w: 2, h: 1 }).expect("png");
        let mut reader = png::Decoder::new(std::io::Cursor::new(bytes)).read_info().expect("header");
        let mut out = vec![0; reader.output_buffer_size().expect("size")];
        reader.next_frame(&mut out).expect("pixels");
        assert_eq!(out, [3, 2, 1, 6, 5, 4]);
    }
}
