//! The measurement of `../latencies.ts`.
use crate::Result;
use serde::Serialize;
use std::time::Instant;

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Latency {
    per_second: f64,
    p50: f64,
    p95: f64,
    p99: f64,
    matches: f64,
}

/// Queries by kind, in the order of the kinds' first occurrences.
pub fn by_kind<T>(queries: Vec<(String, T)>) -> Vec<(String, Vec<T>)> {
    let mut kinds: Vec<(String, Vec<T>)> = Vec::new();
    for (kind, query) in queries {
        match kinds.iter_mut().find(|(name, _)| *name == kind) {
            Some((_, list)) => list.push(query),
            None => kinds.push((kind, vec![query])),
        }
    }
    kinds
}

/// Runs queries for the given number of seconds, after a warm-up of a quarter of that; `ask` returns the matches.
pub fn measure<T>(list: &[T], seconds: f64, ask: impl Fn(&T) -> Result<usize>) -> Result<Latency> {
    run_for(list, seconds / 4.0, &ask)?;
    run_for(list, seconds, &ask)
}

/// Runs until the time is over; all queries run at least once, unless that takes more than twice the time.
pub fn run_for<T>(list: &[T], seconds: f64, ask: &impl Fn(&T) -> Result<usize>) -> Result<Latency> {
    let begun = Instant::now();
    let mut times: Vec<f64> = Vec::new();
    let mut matches = 0;
    loop {
        let before = Instant::now();
        let elapsed = (before - begun).as_secs_f64();
        if !times.is_empty()
            && (elapsed > seconds * 2.0 || (elapsed > seconds && times.len() >= list.len()))
        {
            break;
        }
        let found = ask(&list[times.len() % list.len()])?;
        if times.len() < list.len() {
            matches += found;
        }
        times.push(before.elapsed().as_secs_f64() * 1e6);
    }
    let asked = times.len().min(list.len()).max(1);
    let sum: f64 = times.iter().sum();
    times.sort_by(f64::total_cmp);
    let at = |share: f64| times[((times.len() as f64 * share) as usize).min(times.len() - 1)];
    Ok(Latency {
        per_second: times.len() as f64 * 1e6 / sum,
        p50: at(0.5),
        p95: at(0.95),
        p99: at(0.99),
        matches: matches as f64 / asked as f64,
    })
}
