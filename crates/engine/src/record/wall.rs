//! Times of day read back from text.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// A time as this driver writes it: `2026-01-31T09:00:00.000Z`. `None` for anything else.
pub fn parse(text: &str) -> Option<SystemTime> {
    let (day, time) = text.strip_suffix('Z')?.split_once('T')?;
    let mut day = day.splitn(3, '-').map(str::parse::<i64>);
    let (y, m, d) = (day.next()?.ok()?, day.next()?.ok()?, day.next()?.ok()?);
    let (clock, fraction) = time.split_once('.').unwrap_or((time, "0"));
    let mut clock = clock.splitn(3, ':').map(str::parse::<u64>);
    let (h, min, s) = (clock.next()?.ok()?, clock.next()?.ok()?, clock.next()?.ok()?);
    let ms: u64 = format!("{fraction:0<3}").get(..3)?.parse().ok()?;
    if !(1970..=9999).contains(&y) || !(1..=12).contains(&m) || !(1..=31).contains(&d) || h > 23 || min > 59 || s > 60 {
        return None;
    }
    let secs = u64::try_from(days(y, m, d)).ok()? * 86_400 + h * 3600 + min * 60 + s;
    Some(UNIX_EPOCH + Duration::from_millis(secs * 1000 + ms))
}

/// Days since 1970 of a date, counted in years that begin in March.
fn days(y: i64, m: i64, d: i64) -> i64 {
    let y = if m <= 2 { y - 1 } else { y };
    let era = y.div_euclid(400);
    let yoe = y.rem_euclid(400);
    let doy = (153 * (if m > 2 { m - 3 } else { m + 9 }) + 2) / 5 + d - 1;
    era * 146_097 + yoe * 365 + yoe / 4 - yoe / 100 + doy - 719_468
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_come_back() {
        for ms in [0u64, 951_782_400_123, 1_795_996_799_999] {
            let t = UNIX_EPOCH + Duration::from_millis(ms);
            assert_eq!(parse(&crate::time::rfc3339(t)), Some(t));
        }
        for bad in ["", "yesterday", "2026-13-01T00:00:00Z", "2026-01-01T25:00:00Z", "2026-01-01"] {
            assert_eq!(parse(bad), None, "{bad}");
        }
    }
}
