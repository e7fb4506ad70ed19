//! Dates as ISO 8601 writes them; other ways to write them mean one day here and another there, and stay words.

/// Days since 1970-01-01 of `YYYY-MM-DD` or `YYYY-MM`, with `/` or `-` between, and perhaps a time of the day after it.
pub(crate) fn days(text: &str) -> Option<f64> {
    let (date, time) = match text.find(['T', ' ']) {
        Some(at) => (&text[..at], text[at + 1..].trim()),
        None => (text, ""),
    };
    let mut parts = date.split(['-', '/']);
    let year = digits(parts.next()?, 4)?;
    let month = digits(parts.next()?, 2).filter(|m| (1..=12).contains(m))?;
    let day = parts.next().map_or(Some(1), |d| digits(d, 2))?;
    let leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    let long = match month {
        2 if leap => 29,
        2 => 28,
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    };
    if parts.next().is_some() || !(1..=long).contains(&day) {
        return None;
    }
    Some(civil(year, month, day) + hours(time)? / 24.0)
}

fn digits(text: &str, count: usize) -> Option<i64> {
    let plain = text.len() == count && text.bytes().all(|b| b.is_ascii_digit());
    plain.then(|| text.parse().ok()).flatten()
}

/// Hours of `HH:MM`, `HH:MM:SS` with fractions, and a zone `Z`; an offset from it is not looked at.
fn hours(time: &str) -> Option<f64> {
    if time.is_empty() {
        return Some(0.0);
    }
    let end = time.find(['Z', '+', '-']).unwrap_or(time.len());
    let mut parts = time[..end].split(':');
    let hour = digits(parts.next()?, 2).filter(|h| *h < 24)?;
    let minute = digits(parts.next()?, 2).filter(|m| *m < 60)?;
    let second: f64 = parts.next().map_or(Some(0.0), |s| s.parse().ok())?;
    let inside = (0.0..61.0).contains(&second) && parts.next().is_none();
    inside.then(|| hour as f64 + minute as f64 / 60.0 + second / 3600.0)
}

/// Days since 1970-01-01 in the Gregorian calendar: years begin in March, so that the leap day is their last.
fn civil(year: i64, month: i64, day: i64) -> f64 {
    let year = if month <= 2 { year - 1 } else { year };
    let era = year.div_euclid(400);
    let of_era = year.rem_euclid(400);
    let of_year = (153 * (month + if month > 2 { -3 } else { 9 }) + 2) / 5 + day - 1;
    (era * 146_097 + of_era * 365 + of_era / 4 - of_era / 100 + of_year - 719_468) as f64
}

/// The date of a day since 1970-01-01, as `YYYY-MM-DD`.
pub fn date(days: f64) -> String {
    let day = days.floor() as i64 + 719_468;
    let (era, of_era) = (day.div_euclid(146_097), day.rem_euclid(146_097));
    let year_of_era = (of_era - of_era / 1460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let shifted = (5 * of_year + 2) / 153;
    let month = if shifted < 10 {
        shifted + 3
    } else {
        shifted - 9
    };
    let year = era * 400 + year_of_era + i64::from(month <= 2);
    format!(
        "{year:04}-{month:02}-{:02}",
        of_year - (153 * shifted + 2) / 5 + 1
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn days_of_dates() {
        assert_eq!(days("1970-01-01"), Some(0.0));
        assert_eq!(days("2000-03-01"), Some(11_017.0));
        assert_eq!(days("2024/02/29"), Some(19_782.0));
        assert_eq!(days("2015-10"), Some(16_709.0));
        assert_eq!(days("1970-01-02T12:00:00Z"), Some(1.5));
        assert_eq!(days("1970-01-02 06:00"), Some(1.25));
    }

    #[test]
    fn dates_of_days() {
        for text in ["1970-01-01", "2000-02-29", "2023-12-31", "1899-03-01"] {
            assert_eq!(date(days(text).unwrap()), text);
        }
    }

    #[test]
    fn what_is_no_date() {
        for text in [
            "2023-02-29",
            "10/1/2015",
            "1-2",
            "2015",
            "2015-13-01",
            "1970-01-01 25:00",
            "a-b-c",
            "",
        ] {
            assert_eq!(days(text), None, "{text}");
        }
    }
}
