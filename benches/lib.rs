//! What the benchmarks share: the networks and loads they run, and the clock they read.

pub mod caminos;
mod measured;

pub use measured::{Measured, Work, highest_accepted, packets_of};

use weft::fabric::generate;
use weft::{Fabric, Hardware};

/// Whatever goes wrong ends the benchmark with its message.
pub type Result<T> = std::result::Result<T, Box<dyn std::error::Error>>;

/// A preset with changes, by name of the parameter.
///
/// # Errors
/// When the hardware has no such parameter, or not this value.
pub fn hardware(preset: &str, changes: &[(&str, &str)]) -> Result<Hardware> {
    let mut hardware = Hardware::preset(preset)?;
    for (name, value) in changes {
        hardware = hardware.with(name, value)?;
    }
    Ok(hardware)
}

/// A random network of 64 switches with four links and four hosts each.
///
/// # Errors
/// Never, unless the generator refuses its own parameters.
pub fn random_regular() -> Result<Fabric> {
    Ok(generate::irregular(&generate::IrregularParameters {
        switches: 64,
        hosts_per_switch: 4,
        ports_per_switch: 8,
        seed: 1,
        ..generate::IrregularParameters::default()
    })?)
}

/// The process's highest resident memory so far in MB, from the kernel.
///
/// # Errors
/// When the kernel does not tell, as on other systems than Linux.
pub fn peak_memory_mb() -> Result<f64> {
    let status = std::fs::read_to_string("/proc/self/status")?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let kib = line.and_then(|line| line.trim().strip_suffix("kB"));
    let kib: f64 = kib
        .ok_or("the kernel does not tell VmHWM")?
        .trim()
        .parse()?;
    Ok(kib * 1024.0 / 1e6)
}

/// Lets [`peak_memory_mb`] begin anew.
///
/// # Errors
/// When the kernel does not let a process do so.
pub fn reset_peak_memory() -> Result<()> {
    Ok(std::fs::write("/proc/self/clear_refs", "5")?)
}

/// The least, which other work on a shared machine moves least.
pub fn least(values: &[f64]) -> f64 {
    values.iter().copied().fold(f64::INFINITY, f64::min)
}

/// The median, which noise on a shared machine moves little.
pub fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values.get(values.len() / 2).copied().unwrap_or(f64::NAN)
}
