//! Errors of the core as exceptions of `weft.errors`, in one place.

use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use std::any::Any;
use weft::RehearsalError;
use weft_engine::cut_through;
use weft_engine::run::RunError;
use weft_engine::wormhole::EngineError;
use weft_model::workload::program::TraceError;
use weft_routing::RepairError;

/// The exception an error of the core becomes.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Exception {
    /// `weft.FormatError`.
    Format,
    /// `weft.FabricError`.
    Fabric,
    /// `weft.RoutingError`.
    Routing,
    /// `weft.NoRepairError`.
    NoRepair,
    /// `weft.HardwareError`.
    Hardware,
    /// `weft.TrafficError`.
    Traffic,
    /// `weft.InputError`.
    Input,
    /// `weft.EnvironmentFailure`.
    Environment,
    /// `weft.Cancelled`.
    Cancelled,
}

impl Exception {
    /// Ends a function of the bindings with this exception.
    pub(crate) fn told(self, text: String) -> Failure {
        Failure::Told(self, text)
    }

    /// Most classes are named as the variant.
    fn class_name(self) -> String {
        match self {
            Self::Cancelled => "Cancelled".to_owned(),
            Self::Environment => "EnvironmentFailure".to_owned(),
            error => format!("{error:?}Error"),
        }
    }
}

/// What a function of the bindings ends with instead of a value.
#[derive(Debug)]
pub(crate) enum Failure {
    /// An exception of `weft.errors` with its text.
    Told(Exception, String),
    /// An exception of Python's own.
    Python(PyErr),
}

/// What a function of the bindings gives.
pub(crate) type Outcome<T> = Result<T, Failure>;

impl From<PyErr> for Failure {
    fn from(error: PyErr) -> Self {
        Self::Python(error)
    }
}

impl<Error: IntoException> From<Error> for Failure {
    fn from(error: Error) -> Self {
        error.exception().told(error.to_string())
    }
}

impl From<Failure> for PyErr {
    fn from(failure: Failure) -> Self {
        let (exception, text) = match failure {
            Failure::Python(error) => return error,
            Failure::Told(exception, text) => (exception, text),
        };
        let made = Python::attach(|py| {
            let class = py.import("weft.errors")?.getattr(exception.class_name())?;
            class.call1((text,)).map(PyErr::from_value)
        });
        made.unwrap_or_else(|error| error)
    }
}

/// An error of the core that knows which exception it becomes; the text is the error's own.
pub(crate) trait IntoException: std::fmt::Display {
    /// The exception's class.
    fn exception(&self) -> Exception;
}

macro_rules! exceptions {
    ($($error:ty => $exception:ident),+ $(,)?) => {
        $(impl IntoException for $error {
            fn exception(&self) -> Exception {
                Exception::$exception
            }
        })+
    };
}

exceptions! {
    weft_fabric::FabricError => Fabric,
    weft_fabric::degrade::DegradeError => Fabric,
    weft_fabric::formats::FormatError => Format,
    weft_fabric::formats::UnknownFormat => Format,
    weft_fabric::formats::WriteError => Format,
    weft_model::hardware::HardwareError => Hardware,
    weft_model::workload::TrafficError => Traffic,
    weft_model::workload::program::MulticastError => Input,
    weft_model::workload::program::ProgramError => Input,
    weft_model::workload::program::RegionError => Input,
    weft_proof::CertificateError => Routing,
    weft_proof::LoadBoundError => Routing,
    weft_proof::ObstructionError => Routing,
    weft_proof::ProofError => Routing,
    weft_proof::TransitionCheckError => Routing,
    weft_routing::RenamingError => Routing,
    weft_opensm::OpensmError => Routing,
    weft_routing::RoutingError => Routing,
    weft_routing::TransitionError => Routing,
}

impl IntoException for RepairError {
    fn exception(&self) -> Exception {
        match self {
            Self::NoWay { .. } => Exception::NoRepair,
            _ => Exception::Routing,
        }
    }
}

impl IntoException for TraceError {
    fn exception(&self) -> Exception {
        match self {
            Self::Unreadable { .. } | Self::Algorithm(_) => Exception::Input,
            _ => Exception::Format,
        }
    }
}

impl IntoException for EngineError {
    fn exception(&self) -> Exception {
        match self {
            Self::Model(_) => Exception::Hardware,
            _ => Exception::Routing,
        }
    }
}

impl IntoException for cut_through::EngineError {
    fn exception(&self) -> Exception {
        match self {
            Self::Routes(_) | Self::Lanes { .. } => Exception::Routing,
            _ => Exception::Hardware,
        }
    }
}

impl IntoException for RunError {
    fn exception(&self) -> Exception {
        match self {
            Self::Interrupted => Exception::Cancelled,
            _ => Exception::Input,
        }
    }
}

impl IntoException for weft::Error {
    fn exception(&self) -> Exception {
        match self {
            Self::Fabric(error) => error.exception(),
            Self::Routing(error) => error.exception(),
            Self::Hardware(error) => error.exception(),
            Self::Traffic(error) => error.exception(),
            Self::Program(error) => error.exception(),
            Self::Trace(error) => error.exception(),
            Self::Proof(error) => error.exception(),
            Self::Wormhole(error) => error.exception(),
            Self::CutThrough(error) => error.exception(),
            Self::Run(error) => error.exception(),
            Self::NotWormhole { .. } => Exception::Hardware,
            Self::Rehearsal(error) => error.exception(),
            _ => Exception::Input,
        }
    }
}

impl IntoException for RehearsalError {
    fn exception(&self) -> Exception {
        match self {
            Self::Part(_) => Exception::Fabric,
            Self::Tables(_) | Self::NoTables | Self::NoRoutes => Exception::Routing,
            Self::Event { error, .. } => error.exception(),
            _ => Exception::Input,
        }
    }
}

/// Makes the exception for a panic of the core: a bug, never the user's doing.
pub(crate) fn bug(panic: &(dyn Any + Send)) -> PyErr {
    let text = panic
        .downcast_ref::<&str>()
        .map(|text| (*text).to_owned())
        .or_else(|| panic.downcast_ref::<String>().cloned())
        .unwrap_or_else(|| "of unknown cause".to_owned());
    PyRuntimeError::new_err(format!("a bug in Weft: {text}"))
}
