//! An interrupted run leaves nothing half-written behind, and says by its exit code what ended it: 128 and the signal.
//!
//! The handler is a thread of its own, so that a run ends at once whatever is being computed.

/// Waits for an interrupt from now on.
#[cfg(unix)]
pub fn watch() {
    use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
    let wanted = [SIGINT, SIGTERM, SIGHUP];
    let wanted = wanted.into_iter().filter(|signal| !is_ignored(*signal));
    let Ok(mut signals) = signal_hook::iterator::Signals::new(wanted) else {
        return;
    };
    // Without a thread the system ends the process as it always does.
    let _ = std::thread::Builder::new().spawn(move || {
        if let Some(signal) = signals.forever().next() {
            adjoin_formats::remove_temporaries();
            std::process::exit(128 + signal);
        }
    });
}

/// Whether whoever started the process wants it to live on: `nohup` does, and shells with jobs in the background.
#[cfg(unix)]
fn is_ignored(signal: i32) -> bool {
    // SAFETY: with no new action the call only writes the present one to `action`, for which all zeros is a value.
    unsafe {
        let mut action: libc::sigaction = std::mem::zeroed();
        libc::sigaction(signal, std::ptr::null(), &mut action) == 0
            && action.sa_sigaction == libc::SIG_IGN
    }
}

/// Waits for Ctrl-C from now on.
#[cfg(not(unix))]
pub fn watch() {
    let _ = ctrlc::set_handler(|| {
        adjoin_formats::remove_temporaries();
        std::process::exit(130);
    });
}
