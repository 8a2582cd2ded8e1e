//! Keeps connections busy with one request each: `quire-bench-load-client ADDRESS REQUESTS CONNECTIONS WARM_UP SECONDS`.
//!
//! REQUESTS is a file of requests, each after its length as four bytes, little endian. Each connection starts at a different position of it.
//! Prints JSON: the responses of the measured time and that time, and for the whole run the responses and the processor time. Fails on any
//! response that is not 200 or does not state its length.
mod connection;
mod load;
mod scheduling;

use load::Load;
use std::time::{Duration, Instant};

type Result<T> = std::result::Result<T, Box<dyn std::error::Error>>;

fn main() -> Result<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [address, file, connections, warm_up, seconds] = arguments.as_slice() else {
        return Err("expected ADDRESS REQUESTS CONNECTIONS WARM_UP SECONDS".into());
    };
    let bytes = std::fs::read(file)?;
    let requests = split(&bytes)?;
    let (warm_up, seconds) = (seconds_of(warm_up)?, seconds_of(seconds)?);
    scheduling::yield_to_servers()?;
    let before = scheduling::busy_seconds()?;
    let mut load = Load::start(address, &requests, connections.parse()?)?;
    let warming = load.run(warm_up)?;
    let begun = Instant::now();
    let answered = load.run(seconds)?;
    println!(
        r#"{{"answered":{answered},"seconds":{},"all":{},"busySeconds":{}}}"#,
        begun.elapsed().as_secs_f64(),
        warming + answered,
        scheduling::busy_seconds()? - before
    );
    Ok(())
}

fn seconds_of(text: &str) -> Result<Duration> {
    Ok(Duration::from_secs_f64(text.parse()?))
}

fn split(mut bytes: &[u8]) -> Result<Vec<&[u8]>> {
    let mut requests = Vec::new();
    while let Some((length, rest)) = bytes.split_first_chunk::<4>() {
        let (request, rest) = rest
            .split_at_checked(u32::from_le_bytes(*length) as usize)
            .ok_or("the last request is cut off")?;
        requests.push(request);
        bytes = rest;
    }
    if requests.is_empty() || !bytes.is_empty() {
        return Err("the requests are not in the expected form".into());
    }
    Ok(requests)
}
