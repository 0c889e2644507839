//! From the layouts of X pixels to BGRX.

use desktop::{Local, Rect, Size};
use x11rb::connection::Connection;
use x11rb::protocol::xproto::ImageOrder;

use super::fault::Outcome;
use super::link::Conn;

/// How pixels of one depth lie in memory.
pub struct Format {
    bits: u32,
    pad: u32,
    big_endian: bool,
    masks: [u32; 3],
}

impl Format {
    pub fn of(conn: &Conn, screen: usize, depth: u8) -> Outcome<Self> {
        let setup = conn.setup();
        let format = setup.pixmap_formats.iter().find(|f| f.depth == depth);
        let (bits, pad) = format.map_or((32, 32), |f| (f.bits_per_pixel.into(), f.scanline_pad.into()));
        let visual = setup.roots[screen].allowed_depths.iter().filter(|d| d.depth == depth).flat_map(|d| &d.visuals).next();
        let masks = visual.map_or([0xff_0000, 0xff00, 0xff], |v| [v.red_mask, v.green_mask, v.blue_mask]);
        Ok(Self { bits, pad, big_endian: setup.image_byte_order == ImageOrder::MSB_FIRST, masks })
    }

    /// Bytes of one row.
    pub fn stride(&self, width: u32) -> usize {
        (width * self.bits).next_multiple_of(self.pad) as usize / 8
    }

    /// Rows of four bytes a pixel, blue green red and one unused.
    pub fn bgrx(&self, raw: Vec<u8>, size: Size) -> Vec<u8> {
        let plain = self.bits == 32 && !self.big_endian && self.masks == [0xff_0000, 0xff00, 0xff];
        let stride = self.stride(size.w);
        if plain && raw.len() == stride * size.h as usize {
            return raw;
        }
        let step = (self.bits / 8).max(1) as usize;
        let mut out = Vec::with_capacity(size.w as usize * size.h as usize * 4);
        for row in raw.chunks(stride).take(size.h as usize) {
            for pixel in row.chunks_exact(step).take(size.w as usize) {
                let value = pixel.iter().enumerate().fold(0u32, |v, (i, b)| {
                    let at = if self.big_endian { step - 1 - i } else { i };
                    v | u32::from(*b) << (8 * at)
                });
                let [r, g, b] = self.masks.map(|m| channel(value, m));
                out.extend_from_slice(&[b, g, r, 0xff]);
            }
        }
        out.resize(size.w as usize * size.h as usize * 4, 0);
        out
    }
}

/// One colour of a pixel, widened or cut to eight bits.
fn channel(value: u32, mask: u32) -> u8 {
    let bits = mask.count_ones();
    if bits == 0 {
        return 0;
    }
    let value = u64::from((value & mask) >> mask.trailing_zeros());
    (value * 255 / ((1u64 << bits) - 1)) as u8
}

/// A part put into a picture of this size; what is not real is filled grey.
pub fn pad(part: Vec<u8>, real: Rect<Local>, size: Size) -> Vec<u8> {
    if real.size() == size {
        return part;
    }
    let stride = size.w as usize * 4;
    let mut out = vec![0x80; stride * size.h as usize];
    let (left, width) = (real.x as usize * 4, real.w as usize * 4);
    for (y, row) in part.chunks_exact(width).enumerate() {
        let at = (real.y as usize + y) * stride + left;
        if let Some(place) = out.get_mut(at..at + width) {
            place.copy_from_slice(row);
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rgb565() -> Format {
        Format { bits: 16, pad: 32, big_endian: false, masks: [0xf800, 0x07e0, 0x001f] }
    }

    #[test]
    fn sixteen_bits_widen_and_row_padding_goes() {
        let raw = vec![0x00, 0xf8, 0, 0, 0xe0, 0x07, 0, 0];
        let out = rgb565().bgrx(raw, Size { w: 1, h: 2 });
        assert_eq!(out, [0, 0, 255, 255, 0, 255, 0, 255]);
    }

    #[test]
    fn a_part_lands_where_it_is_real() {
        let out = pad(vec![1, 2, 3, 4], Rect::new(1, 0, 1, 1), Size { w: 2, h: 1 });
        assert_eq!(out, [0x80, 0x80, 0x80, 0x80, 1, 2, 3, 4]);
    }
}
