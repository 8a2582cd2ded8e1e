//! tantivy as a peer: `quire-bench-tantivy speed|counts|rank|filters|serve NAME=VALUE ...` prints a result in the form of `../job.ts` or
//! `../filters/job.ts`; `serve` prints its address and runs until it is ended.
mod ask;
mod filters;
mod job;
mod latency;
mod serve;
mod text;

use job::Job;

type Result<T> = std::result::Result<T, Box<dyn std::error::Error>>;

fn main() -> Result<()> {
    let mut arguments = std::env::args().skip(1);
    let mode = arguments.next().ok_or("no mode")?;
    let job = Job::from_arguments(arguments);
    match mode.as_str() {
        "speed" => println!("{}", text::speed(&job)?),
        "counts" => println!("{}", text::counts(&job)?),
        "rank" => println!("{}", text::rankings(&job)?),
        "filters" => println!("{}", filters::speed(&job)?),
        "serve" => serve::serve(filters::FilterIndex::open(&job)?)?,
        other => return Err(format!("unknown mode {other}").into()),
    }
    Ok(())
}
