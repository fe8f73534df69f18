//! Has somebody asked this process to stop?
//!
//! From [`Stop::listen`] on SIGTERM and SIGINT end nothing by themselves: whoever works
//! asks between two pieces of work, so that none is cut short.

use std::io;
use std::time::Duration;

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
    /// Begins to listen.
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
        let asked = {
            let terminate = Box::pin(self.terminate.recv());
            select(terminate, Box::pin(self.interrupt.recv()))
        };
        #[cfg(not(unix))]
        let asked = tokio::signal::ctrl_c();
        // The runtime hears of a signal only while it waits.
        let wait = wait.max(Duration::from_millis(1));
        self.runtime
            .block_on(async { timeout(wait, asked).await.is_ok() })
    }
}
