use crate::Result;

/// Lets this program wait for a processor that a server uses, instead of interrupting it for each response: a client on another machine would not
/// interrupt a server, either. On other systems than Linux it does nothing.
pub fn yield_to_servers() -> Result<()> {
    #[cfg(target_os = "linux")]
    {
        let parameters = libc::sched_param { sched_priority: 0 };
        // SAFETY: the pointer is valid during the call.
        if unsafe { libc::sched_setscheduler(0, libc::SCHED_BATCH, &parameters) } != 0 {
            return Err(std::io::Error::last_os_error().into());
        }
    }
    Ok(())
}

/// Processor time of this thread, the only one.
pub fn busy_seconds() -> Result<f64> {
    let text = std::fs::read_to_string("/proc/self/schedstat")?;
    let nanoseconds: f64 = text.split(' ').next().unwrap_or_default().parse()?;
    Ok(nanoseconds / 1e9)
}
