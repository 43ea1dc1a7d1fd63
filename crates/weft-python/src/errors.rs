//! Errors of the core as exceptions of `weft.errors`, in one place.

use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use std::any::Any;
use weft_engine::cut_through;
use weft_engine::run::RunError;
use weft_engine::wormhole::EngineError;
use weft_model::workload::program::TraceError;

/// The exception an error of the core becomes.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Exception {
    /// `weft.FormatError`.
    Format,
    /// `weft.FabricError`.
    Fabric,
    /// `weft.RoutingError`.
    Routing,
    /// `weft.HardwareError`.
    Hardware,
    /// `weft.TrafficError`.
    Traffic,
    /// `weft.InputError`.
    Input,
    /// `weft.Cancelled`.
    Cancelled,
}

impl Exception {
    fn class_name(self) -> &'static str {
        match self {
            Self::Format => "FormatError",
            Self::Fabric => "FabricError",
            Self::Routing => "RoutingError",
            Self::Hardware => "HardwareError",
            Self::Traffic => "TrafficError",
            Self::Input => "InputError",
            Self::Cancelled => "Cancelled",
        }
    }

    /// Makes the exception with a text.
    pub(crate) fn with_text(self, py: Python<'_>, text: String) -> PyErr {
        let class = py
            .import("weft.errors")
            .and_then(|module| module.getattr(self.class_name()));
        match class.and_then(|class| class.call1((text,))) {
            Ok(exception) => PyErr::from_value(exception),
            Err(error) => error,
        }
    }
}

/// An error of the core that knows which exception it becomes; the text is the error's own.
pub(crate) trait IntoException: std::fmt::Display + Sized {
    /// The exception's class.
    fn exception(&self) -> Exception;

    /// Makes the exception.
    fn into_exception(self, py: Python<'_>) -> PyErr {
        self.exception().with_text(py, self.to_string())
    }
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
    weft_proof::ProofError => Routing,
    weft_routing::RenamingError => Routing,
    weft_opensm::OpensmError => Routing,
    weft_routing::RoutingError => Routing,
}

impl IntoException for TraceError {
    fn exception(&self) -> Exception {
        match self {
            Self::Unreadable { .. } => Exception::Input,
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
