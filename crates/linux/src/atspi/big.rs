//! Containers that say they have more children than anybody can list.
//!
//! Owns: which few of them are taken: those that can be seen. Refuses to own: walking.

use super::ask::{ACCESSIBLE, Ask, COMPONENT, Ref, TABLE, get, number_of, one_ref};
use super::detail::Survey;
use super::raw::Raw;
use super::walk::whole;
use super::wire::{End, call};

/// So many children of a huge container are taken at most.
const SOME: i64 = 600;

impl Survey<'_> {
    /// Children of a huge container that can be seen, or the first ones where that can't be told.
    pub async fn visible(&self, raw: &Raw) -> Result<Vec<Ref>, End> {
        let places = self.seen_places(raw).await?;
        let asked = places.iter().filter_map(|i| call(&raw.at.bus, &raw.at.path, ACCESSIBLE, "GetChildAtIndex", &(i,)));
        let mut round = self.way(&raw.at.bus).round(asked.collect(), self.until, self.patience).await;
        whole(round.end)?;
        Ok((0..places.len()).filter_map(|i| round.take(i).and_then(|m| one_ref(&m))).collect())
    }

    /// Indices of the children between the one at the first and the one at the last pixel.
    async fn seen_places(&self, raw: &Raw) -> Result<Vec<i32>, End> {
        let mut own = [Raw::at(raw.at.clone())];
        whole(self.ask(&mut own, &[(0, Ask::Extents)]).await)?;
        let first = |n: i64| (0..n.min(i64::from(raw.child_count))).filter_map(|i| i32::try_from(i).ok()).collect();
        let Some((x, y, w, h)) = own[0].extents.filter(|e| e.2 > 8 && e.3 > 8 && e.0 != i32::MIN) else {
            return Ok(first(SOME / 3));
        };
        let at = |x: i32, y: i32| call(&raw.at.bus, &raw.at.path, COMPONENT, "GetAccessibleAtPoint", &(x, y, 0u32));
        let corners = [at(x + 3, y + 3), at(x.saturating_add(w - 4), y.saturating_add(h - 4))];
        let columns = get(&raw.at, TABLE, "NColumns");
        let mut round = self
            .way(&raw.at.bus)
            .round(corners.into_iter().chain([columns]).flatten().collect(), self.until, self.patience)
            .await;
        whole(round.end)?;
        let (one, other) = (round.take(0).and_then(|m| one_ref(&m)), round.take(1).and_then(|m| one_ref(&m)));
        let columns = round.take(2).and_then(|m| number_of(&m)).map_or(1, |n| (n as i64).max(1));
        let Some(one) = one else { return Ok(first(SOME / 3)) };
        let mut ends = [Raw::at(one.clone()), Raw::at(other.unwrap_or(one))];
        whole(self.ask(&mut ends, &[(0, Ask::Index), (1, Ask::Index)]).await)?;
        let (from, to) = (i64::from(ends[0].index), i64::from(ends[1].index));
        if from < 0 || to < from {
            return Ok(first(SOME / 3));
        }
        Ok(block(from, to, columns, i64::from(raw.child_count)))
    }
}

/// The rectangle of cells between two, row by row.
fn block(from: i64, to: i64, columns: i64, count: i64) -> Vec<i32> {
    let (left, right) = (from % columns, to % columns);
    let rows = from / columns..=to / columns;
    let all = rows.flat_map(|r| (left.min(right)..=left.max(right)).map(move |c| r * columns + c));
    all.filter(|i| *i < count).take(SOME as usize).filter_map(|i| i32::try_from(i).ok()).collect()
}

#[cfg(test)]
mod tests {
    use super::block;

    #[test]
    fn a_block_is_the_cells_between_two_corners() {
        for ((from, to, columns, count), want) in [
            ((0, 2, 1, 10), vec![0, 1, 2]),
            ((0, 11, 10, 100), vec![0, 1, 10, 11]),
            ((12, 24, 10, 24), vec![12, 13, 14, 22, 23]),
        ] {
            assert_eq!(block(from, to, columns, count), want, "{from} to {to} of {columns}");
        }
    }
}
