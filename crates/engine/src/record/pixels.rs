//! Marks, covers and comparison of pictures.

use desktop::{Local, Picture, Point, Rect, Size};

/// What is drawn over a secret: blue, green, red, unused.
const COVER: [u8; 4] = [0x60, 0x60, 0x60, 0xff];
const MARK: [u8; 4] = [0x1a, 0x1a, 0xff, 0xff];
const EDGE: [u8; 4] = [0xff, 0xff, 0xff, 0xff];
/// Largest difference of a colour channel that counts as the same.
const NEAR: i16 = 24;
const MAX_SIDE: u32 = 32_768;

/// Cover regions with one flat colour.
pub fn cover(p: &mut Picture, regions: &[Rect<Local>]) {
    let whole = Rect::new(0, 0, p.size.w, p.size.h);
    let row = p.size.w as usize * 4;
    for r in regions.iter().filter_map(|r| r.meet(&whole)) {
        for y in r.y as usize..r.bottom() as usize {
            let start = y * row + r.x as usize * 4;
            if let Some(line) = p.bgrx.get_mut(start..start + r.w as usize * 4) {
                line.chunks_exact_mut(4).for_each(|px| px.copy_from_slice(&COVER));
            }
        }
    }
}

/// Mark a point: a dot in a ring, the same to all sides.
pub fn mark(p: &mut Picture, at: Point<Local>) {
    let row = p.size.w as usize * 4;
    for dy in -14i32..=14 {
        for dx in -14i32..=14 {
            let d = f64::from(dx * dx + dy * dy).sqrt();
            let colour = match d {
                d if d <= 3.0 => MARK,
                d if d <= 4.5 => EDGE,
                d if (9.0..=12.0).contains(&d) => MARK,
                d if (8.0..=13.5).contains(&d) => EDGE,
                _ => continue,
            };
            let (x, y) = (at.x + dx, at.y + dy);
            if x < 0 || y < 0 || x >= p.size.w as i32 || y >= p.size.h as i32 {
                continue;
            }
            let start = y as usize * row + x as usize * 4;
            if let Some(px) = p.bgrx.get_mut(start..start + 4) {
                px.copy_from_slice(&colour);
            }
        }
    }
}

/// Every pixel is the same.
pub fn same(a: &Picture, b: &Picture) -> bool {
    a.size == b.size && a.bgrx == b.bgrx
}

/// Rows of three bytes, red green blue.
#[derive(Clone, Debug, PartialEq)]
pub struct Rgb {
    pub size: Size,
    pub bytes: Vec<u8>,
}

impl From<&Picture> for Rgb {
    fn from(p: &Picture) -> Self {
        Self { size: p.size, bytes: p.bgrx.chunks_exact(4).flat_map(|px| [px[2], px[1], px[0]]).collect() }
    }
}

/// Read a PNG of 8 bits a channel, at most `max` bytes of pixels. `None` where it is none.
pub fn decode(png: &[u8], max: usize) -> Option<Rgb> {
    let mut decoder = png::Decoder::new_with_limits(std::io::Cursor::new(png), png::Limits { bytes: max });
    decoder.set_transformations(png::Transformations::normalize_to_color8());
    let mut reader = decoder.read_info().ok()?;
    let info = reader.info();
    let (w, h) = (info.width, info.height);
    let size = reader.output_buffer_size().filter(|n| *n <= max && w <= MAX_SIDE && h <= MAX_SIDE)?;
    let mut raw = vec![0; size];
    let frame = reader.next_frame(&mut raw).ok()?;
    raw.truncate(frame.buffer_size());
    let bytes = match frame.color_type {
        png::ColorType::Rgb => raw,
        png::ColorType::Rgba => raw.chunks_exact(4).flat_map(|p| [p[0], p[1], p[2]]).collect(),
        png::ColorType::Grayscale => raw.iter().flat_map(|g| [*g; 3]).collect(),
        png::ColorType::GrayscaleAlpha => raw.chunks_exact(2).flat_map(|p| [p[0]; 3]).collect(),
        png::ColorType::Indexed => return None,
    };
    Some(Rgb { size: Size { w, h }, bytes })
}

/// How much of two pictures of one size differs, and the box around it.
pub fn difference(a: &Rgb, b: &Rgb) -> Option<(f64, Rect<Local>)> {
    if a.size != b.size || a.bytes.len() != b.bytes.len() || a.size.w == 0 {
        return None;
    }
    let w = a.size.w as usize;
    let (mut n, mut x0, mut y0, mut x1, mut y1) = (0usize, usize::MAX, usize::MAX, 0, 0);
    for (i, (p, q)) in a.bytes.chunks_exact(3).zip(b.bytes.chunks_exact(3)).enumerate() {
        if p != q && p.iter().zip(q).any(|(u, v)| (i16::from(*u) - i16::from(*v)).abs() > NEAR) {
            let (x, y) = (i % w, i / w);
            n += 1;
            (x0, y0, x1, y1) = (x0.min(x), y0.min(y), x1.max(x), y1.max(y));
        }
    }
    let all = (a.bytes.len() / 3).max(1);
    let around = if n == 0 { Rect::new(0, 0, 0, 0) } else { Rect::new(x0 as i32, y0 as i32, (x1 - x0 + 1) as u32, (y1 - y0 + 1) as u32) };
    Some((n as f64 / all as f64, around))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn flat(w: u32, h: u32, v: u8) -> Picture {
        Picture {
            size: Size { w, h },
            bgrx: vec![v; (w * h * 4) as usize],
            origin: Point::new(0, 0),
            real: Rect::new(0, 0, w, h),
            taken: std::time::Instant::now(),
        }
    }

    #[test]
    fn a_mark_is_centred_and_stays_inside() {
        let (plain, mut marked) = (flat(100, 80, 200), flat(100, 80, 200));
        mark(&mut marked, Point::new(50, 40));
        let (_, r) = difference(&(&plain).into(), &(&marked).into()).expect("one size");
        assert_eq!((r.x + r.w as i32 / 2, r.y + r.h as i32 / 2), (50, 40));
        mark(&mut marked, Point::new(0, 79));
        mark(&mut marked, Point::new(-50, 500));
    }

    #[test]
    fn a_cover_is_flat_and_clipped() {
        let mut p = flat(20, 10, 9);
        cover(&mut p, &[Rect::new(15, 5, 50, 50), Rect::new(-9, -9, 3, 3)]);
        assert_eq!(p.bgrx.chunks_exact(4).filter(|px| **px == COVER).count(), 25);
    }

    #[test]
    fn pictures_come_back_and_broken_ones_do_not() {
        let p = flat(5, 4, 77);
        let png = crate::picture::png(&p.bgrx, p.size).expect("png");
        assert_eq!(decode(&png, 1 << 20).expect("read"), Rgb::from(&p));
        assert_eq!(decode(&png[..20], 1 << 20), None);
        assert_eq!(decode(&png, 10), None);
        assert_eq!(difference(&Rgb::from(&p), &Rgb::from(&flat(5, 4, 77))).map(|d| d.0), Some(0.0));
        assert!(difference(&Rgb::from(&p), &Rgb::from(&flat(6, 4, 77))).is_none());
    }
}
