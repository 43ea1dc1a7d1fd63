//! Runs that leave the interpreter to others, and stop at Ctrl-C.

use crate::errors::bug;
use pyo3::exceptions::PyKeyboardInterrupt;
use pyo3::prelude::*;
use std::ops::ControlFlow;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, sync_channel};
use std::thread;
use std::time::Duration;
use weft_routing::Progress;

/// Looks for signals before anybody is told how far a run is: a second.
const UNTOLD: u32 = 20;

/// How often the main thread looks for signals while it waits for a run.
const SIGNAL_INTERVAL: Duration = Duration::from_millis(50);

/// A request to stop runs, made by any thread.
///
/// Give the same `Cancel` to every simulation of a sweep; each raises `weft.errors.Cancelled` soon
/// after `cancel()` was called.
#[pyclass(name = "Cancel", module = "weft._core", frozen)]
#[derive(Debug, Default)]
pub(crate) struct PyCancel {
    flag: Arc<AtomicBool>,
}

#[pymethods]
impl PyCancel {
    #[new]
    fn new() -> Self {
        Self::default()
    }

    /// Ask the runs that were given this object to stop.
    fn cancel(&self) {
        self.flag.store(true, Ordering::Relaxed);
    }

    /// Whether `cancel()` was called.
    #[getter]
    fn is_cancelled(&self) -> bool {
        self.flag.load(Ordering::Relaxed)
    }

    fn __repr__(&self) -> &'static str {
        if self.is_cancelled() {
            "<Cancel: asked to stop>"
        } else {
            "<Cancel: go on>"
        }
    }
}

/// Told, while the main thread waits for a run, that it goes on.
pub(crate) type Look<'a> = &'a mut dyn FnMut(Python<'_>) -> PyResult<()>;

/// What a run polls to learn that nobody waits for it any more.
#[derive(Clone, Debug, Default)]
pub(crate) struct Stop {
    abandoned: Arc<AtomicBool>,
    cancelled: Option<Arc<AtomicBool>>,
}

impl Stop {
    /// A stop that also heeds a user's `Cancel`.
    pub(crate) fn heeding(cancel: Option<&PyCancel>) -> Self {
        Self {
            cancelled: cancel.map(|cancel| Arc::clone(&cancel.flag)),
            ..Self::default()
        }
    }

    /// Tells a run whether to go on.
    pub(crate) fn flow(&self) -> ControlFlow<()> {
        if self.is_requested() {
            ControlFlow::Break(())
        } else {
            ControlFlow::Continue(())
        }
    }

    /// Tells whether the run should end.
    pub(crate) fn is_requested(&self) -> bool {
        let set = |flag: &AtomicBool| flag.load(Ordering::Relaxed);
        set(&self.abandoned) || self.cancelled.as_deref().is_some_and(set)
    }
}

/// As [`run_until`], where nothing but Ctrl-C ends the run.
///
/// # Errors
/// As [`run_until`].
pub(crate) fn run<T: Send + 'static>(
    py: Python<'_>,
    work: impl FnOnce() -> T + Send + 'static,
) -> PyResult<T> {
    run_until(&Stop::default(), py, work)
}

/// Runs `work` detached from the interpreter.
///
/// In Python's main thread `work` gets a thread of its own, while the main thread looks for signals:
/// Ctrl-C raises `KeyboardInterrupt` at once, and `stop` tells `work` that it may end. In other
/// threads, which receive no signals, `work` runs in place.
///
/// # Errors
/// What a signal handler raised, or `RuntimeError` when `work` panicked, which is a bug.
pub(crate) fn run_until<T: Send + 'static>(
    stop: &Stop,
    py: Python<'_>,
    work: impl FnOnce() -> T + Send + 'static,
) -> PyResult<T> {
    run_watched(stop, py, &mut |_| Ok(()), work)
}

/// As [`run_until`]; in Python's main thread `progress` is called, a second after the beginning and each time that signals
/// are looked for, with the steps that `work` has begun and what part of the last is done, if that is known.
///
/// # Errors
/// As [`run_until`], and what `progress` raises, which ends the wait as a signal does.
pub(crate) fn run_told<T: Send + 'static>(
    stop: &Stop,
    py: Python<'_>,
    progress: Option<&Py<PyAny>>,
    work: impl FnOnce(&Arc<Progress>) -> T + Send + 'static,
) -> PyResult<T> {
    let told = Arc::new(Progress::default());
    let (shown, mut looks) = (Arc::clone(&told), 0_u32);
    let mut look = |py: Python<'_>| {
        looks = looks.saturating_add(1);
        match progress {
            Some(progress) if looks >= UNTOLD => {
                progress.call1(py, (shown.steps(), shown.share())).map(drop)
            }
            _ => Ok(()),
        }
    };
    run_watched(stop, py, &mut look, move || work(&told))
}

fn run_watched<T: Send + 'static>(
    stop: &Stop,
    py: Python<'_>,
    look: Look<'_>,
    work: impl FnOnce() -> T + Send + 'static,
) -> PyResult<T> {
    let mut signals_and_look = |py: Python<'_>| {
        py.check_signals()?;
        look(py)
    };
    run_with_signals(stop, py, &mut signals_and_look, work)
}

fn run_with_signals<T: Send + 'static>(
    stop: &Stop,
    py: Python<'_>,
    look: Look<'_>,
    work: impl FnOnce() -> T + Send + 'static,
) -> PyResult<T> {
    let guarded = move || catch_unwind(AssertUnwindSafe(work));
    let outcome = if is_main_thread(py)? {
        let (sender, receiver) = sync_channel(1);
        // A send fails only after the main thread was interrupted: then nobody wants the outcome.
        let task = move || drop(sender.send(guarded()));
        thread::Builder::new()
            .name("weft-run".to_owned())
            .spawn(task)?;
        let ended = wait(py, receiver, look);
        ended.inspect_err(|_| stop.abandoned.store(true, Ordering::Relaxed))?
    } else {
        py.detach(guarded)
    };
    outcome.map_err(|panic| bug(panic.as_ref()))
}

/// Runs `work`, whose outcome is wanted also if Ctrl-C is pressed: the first sets `ending`, which `work` looks at, the
/// next ends the wait as in [`run`].
///
/// # Errors
/// As [`run_until`].
pub(crate) fn run_ended<T: Send + 'static>(
    ending: &AtomicBool,
    py: Python<'_>,
    work: impl FnOnce() -> T + Send + 'static,
) -> PyResult<T> {
    let mut signals = |py: Python<'_>| match py.check_signals() {
        Err(error) if error.is_instance_of::<PyKeyboardInterrupt>(py) => {
            if ending.swap(true, Ordering::Relaxed) {
                return Err(error);
            }
            Ok(())
        }
        other => other,
    };
    run_with_signals(&Stop::default(), py, &mut signals, work)
}

fn wait<T: Send>(py: Python<'_>, mut receiver: Receiver<T>, look: Look<'_>) -> PyResult<T> {
    loop {
        let received;
        (receiver, received) = py.detach(move || {
            let received = receiver.recv_timeout(SIGNAL_INTERVAL);
            (receiver, received)
        });
        match received {
            Ok(outcome) => return Ok(outcome),
            Err(RecvTimeoutError::Timeout) => look(py)?,
            Err(RecvTimeoutError::Disconnected) => {
                return Err(bug(&"a run ended without an outcome"));
            }
        }
    }
}

fn is_main_thread(py: Python<'_>) -> PyResult<bool> {
    let threading = py.import("threading")?;
    let current = threading.call_method0("current_thread")?;
    Ok(current.is(&threading.call_method0("main_thread")?))
}
