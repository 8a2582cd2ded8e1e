//! A query of `../filters/job.ts`, in the form of a URL's query.
use crate::Result;

#[derive(Default)]
pub struct Ask {
    pub words: String,
    pub matching: String,
    /// A field and the value that it must have.
    pub filter: Option<(String, String)>,
    /// The first and the last day, as days since 1970.
    pub days: Option<(i64, i64)>,
    pub facet: Option<String>,
    pub histogram: Option<String>,
    pub sort: Option<String>,
    pub offset: usize,
}

impl Ask {
    pub fn from_query(query: &str) -> Result<Ask> {
        let mut ask = Ask::default();
        let (mut from, mut to) = (None, None);
        for (name, value) in query.split('&').filter_map(|pair| pair.split_once('=')) {
            match name {
                "words" => ask.words = value.replace('+', " "),
                "match" => ask.matching = value.to_string(),
                "filter" => {
                    ask.filter = value
                        .split_once(':')
                        .map(|(field, wanted)| (field.to_string(), wanted.to_string()))
                }
                "from" => from = Some(day_of(value)?),
                "to" => to = Some(day_of(value)?),
                "facet" => ask.facet = Some(value.to_string()),
                "histogram" => ask.histogram = Some(value.to_string()),
                "sort" => ask.sort = Some(value.to_string()),
                "offset" => ask.offset = value.parse()?,
                other => return Err(format!("unknown parameter {other}").into()),
            }
        }
        ask.days = from.zip(to);
        Ok(ask)
    }
}

/// Days since 1970 of `YYYY-MM-DD` (Howard Hinnant, "chrono-Compatible Low-Level Date Algorithms", days_from_civil).
pub fn day_of(date: &str) -> Result<i64> {
    let mut parts = date.split('-').map(str::parse::<i64>);
    let mut next = || parts.next().ok_or("a date has three parts");
    let (year, month, day) = (next()??, next()??, next()??);
    let shifted = if month <= 2 { year - 1 } else { year };
    let era = shifted.div_euclid(400);
    let year_of_era = shifted - era * 400;
    let day_of_year = (153 * (month + if month > 2 { -3 } else { 9 }) + 2) / 5 + day - 1;
    Ok(
        era * 146_097 + year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year
            - 719_468,
    )
}
