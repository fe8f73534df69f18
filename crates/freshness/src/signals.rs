//! Has somebody asked this process to stop?
//!
//! From [`Stop::listen`] on SIGTERM and SIGINT end nothing by themselves: whoever works
//! asks between two pieces of work, so that none is cut short. A piece of work may be
//! stuck, though: who asks a second time ends the process at once.

use std::io;
#[cfg(unix)]
use std::io::Write as _;
use std::time::Duration;
#[cfg(unix)]
use std::{process, thread};

#[cfg(unix)]
use futures_util::future::select;
use tokio::runtime::{Builder, Runtime};
#[cfg(unix)]
use tokio::signal::unix::{Signal, SignalKind, signal};
use tokio::time::timeout;

/// Hears that somebody asks to stop.
#[derive(Debug)]
pub(crate) struct Stop {
    runtime: Runtime,
    #[cfg(unix)]
    terminate: Signal,
    #[cfg(unix)]
    interrupt: Signal,
}

impl Stop {
    /// Begins to listen. From here on a second signal ends the process.
    pub(crate) fn listen() -> io::Result<Stop> {
        let runtime = Builder::new_current_thread().enable_all().build()?;
        #[cfg(unix)]
        let (terminate, interrupt) = {
            let _entered = runtime.enter();
            (
                signal(SignalKind::terminate())?,
                signal(SignalKind::interrupt())?,
            )
        };
        #[cfg(unix)]
        insist()?;
        Ok(Stop {
            runtime,
            #[cfg(unix)]
            terminate,
            #[cfg(unix)]
            interrupt,
        })
    }

    /// Waits so long, or until somebody asks, and says whether somebody has asked.
    pub(crate) fn asked_within(&mut self, wait: Duration) -> bool {
        #[cfg(unix)]
        let asked = { asked(&mut self.terminate, &mut self.interrupt) };
        #[cfg(not(unix))]
        let asked = tokio::signal::ctrl_c();
        // The runtime hears of a signal only while it waits.
        let wait = wait.max(Duration::from_millis(1));
        self.runtime
            .block_on(async { timeout(wait, asked).await.is_ok() })
    }
}

/// Who is asked to stop and has not within this time is at work on something.
#[cfg(unix)]
const PATIENCE: Duration = Duration::from_secs(1);

/// What a process ends with that SIGTERM ended: 128 and the number of the signal.
#[cfg(unix)]
const ENDED_BY_SIGNAL: i32 = 128 + 15;

/// Ends the process when it is asked a second time, whatever it is at work on.
#[cfg(unix)]
fn insist() -> io::Result<()> {
    let runtime = Builder::new_current_thread().enable_all().build()?;
    let (mut terminate, mut interrupt) = {
        let _entered = runtime.enter();
        (
            signal(SignalKind::terminate())?,
            signal(SignalKind::interrupt())?,
        )
    };
    let wait = async move {
        asked(&mut terminate, &mut interrupt).await;
        let again = asked(&mut terminate, &mut interrupt);
        if timeout(PATIENCE, again).await.is_err() {
            let words = "asked to stop: the step in hand is done first; ask again to end at once";
            // Nobody may be there to read it.
            let _ = writeln!(io::stderr(), "{words}");
            asked(&mut terminate, &mut interrupt).await;
        }
    };
    thread::Builder::new()
        .name("signals".to_owned())
        .spawn(move || {
            runtime.block_on(wait);
            #[allow(
                clippy::disallowed_methods,
                clippy::exit,
                reason = "the thread that would return to main is the one that is stuck; the \
                          store takes being killed at any instant"
            )]
            process::exit(ENDED_BY_SIGNAL);
        })?;
    Ok(())
}

#[cfg(unix)]
async fn asked(terminate: &mut Signal, interrupt: &mut Signal) {
    let terminate = Box::pin(terminate.recv());
    select(terminate, Box::pin(interrupt.recv())).await;
}
