//! Files that hold fabrics, one folder or file a format. A new one is its folder and one line in
//! [`FORMATS`].
//!
//! ```text
//! bytes ─► recognise ─► the format's reader ─► FabricBuilder ─► ReadFabric
//! Fabric ─► the format's writer ─► text
//! ```

mod anynet;
mod caminos;
mod db_csv;
mod disjoint_sets;
mod dot;
mod error;
mod format_name;
mod graph;
mod graphml;
mod iblinkinfo;
mod ibnetdiscover;
mod ibutils;
mod infiniband;
mod json;
mod json_text;
mod levels;
mod lldp_table;
mod ndt;
mod net_dump;
mod node_link;
mod notes;
mod opa_links;
mod placed;
mod ports_report;
mod recognise;
mod single_links;
mod slurm;
mod source;
mod subnet_list;
mod ufm_links;

pub use error::{FormatError, FormatErrorKind, WriteError};
pub use format_name::{FormatName, UnknownFormat};
pub use json_text::JsonText;
pub use slurm::hostlist;
pub use source::Source;

use crate::fabric::{Endpoint, Fabric};
use std::sync::Arc;

/// What is known of a format.
#[derive(Clone, Copy, Debug)]
pub struct Format {
    /// Which format this is.
    pub name: FormatName,
    /// Its name on the command line and in Python.
    pub id: &'static str,
    /// Its name for people.
    pub title: &'static str,
    /// What it is and where such files come from, in one sentence.
    pub summary: &'static str,
    /// What of a fabric comes back from a file written in it, in one sentence.
    pub keeps: &'static str,
    /// Ends of the names of its files, without the dot, the usual one first.
    pub extensions: &'static [&'static str],
    /// How files are read, where they can be.
    reader: Option<Reader>,
    /// How files are written, where they can be.
    writer: Option<Writer>,
}

/// A fabric and its notes, in the order of the file.
type Found = (Fabric, Vec<ReadNote>);

/// How files of a format are read: what tells whether a text is in it, be it only partly whole, and the
/// reader itself.
#[derive(Clone, Copy, Debug)]
struct Reader(
    fn(&str) -> bool,
    fn(Source<'_>) -> Result<Found, FormatError>,
);

/// How a fabric is written in a format.
type Writer = fn(&Fabric) -> Result<String, WriteError>;

/// All formats, in the order in which they are listed; a text belongs to the first that recognises
/// it.
pub const FORMATS: &[Format] = &[
    json::FORMAT,
    ufm_links::FORMAT,
    ibnetdiscover::FORMAT,
    db_csv::FORMAT,
    net_dump::FORMAT,
    lldp_table::FORMAT,
    opa_links::FORMAT,
    ndt::FORMAT,
    ibutils::FORMAT,
    ports_report::FORMAT,
    iblinkinfo::FORMAT,
    subnet_list::FORMAT,
    node_link::FORMAT,
    graphml::FORMAT,
    anynet::FORMAT,
    caminos::FORMAT,
    dot::FORMAT,
    slurm::CONF,
    slurm::YAML,
];

impl Format {
    /// Tells whether fabrics are read from this format.
    pub fn reads(&self) -> bool {
        self.reader.is_some()
    }

    /// Tells whether fabrics are written in this format.
    pub fn writes(&self) -> bool {
        self.writer.is_some()
    }
}

/// Something a reader passed over, corrected or found worth telling.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReadNote {
    /// Its line in the file, from 1, where it belongs to one.
    pub line: Option<u32>,
    /// The text or the part of the fabric it is about.
    pub text: String,
    /// What was done about it and why.
    pub reason: String,
}

/// What a tool knows of a port beside its cable's ends.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PortRecord {
    /// The port.
    pub end: Endpoint,
    /// Counters of errors that are not 0, by their names in the InfiniBand specification.
    pub errors: Vec<(&'static str, u64)>,
    /// What is known of the cable plugged in there: vendor, part, serial, length, temperature, as the file
    /// says it.
    pub cable: Vec<(&'static str, Arc<str>)>,
}

/// A fabric as read from a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReadFabric {
    /// The fabric.
    pub fabric: Fabric,
    /// The format the file was in.
    pub format: FormatName,
    /// What was passed over or corrected, in the order of the file; of many of one kind the first,
    /// which counts the others.
    pub notes: Vec<ReadNote>,
    /// What is known of ports, in the order of switches, hosts and ports; of formats that tell it.
    pub ports: Vec<PortRecord>,
}

/// Reads a fabric; the format is found from the content.
///
/// `source_name` is what errors call the file; the fabric takes its name from it where the format
/// has none.
///
/// # Errors
/// [`FormatError`] with the place, for anything that is no complete fabric. No content makes the
/// reader panic.
pub fn read(bytes: &[u8], source_name: &str) -> Result<ReadFabric, FormatError> {
    read_beside(bytes, source_name, &[])
}

/// A file beside another that tells more of what is named there: definitions of systems (`.ibnl`) beside
/// a topology of ibutils.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Companion {
    /// What errors call the file.
    pub name: String,
    /// The content.
    pub text: String,
}

/// Reads a fabric as [`read`] does, from a file with others beside it. What is asked of these is looked up
/// there; files that nothing is asked of are passed over.
///
/// # Errors
/// Those of [`read`]; of a companion by its name.
pub fn read_beside(
    bytes: &[u8],
    source_name: &str,
    companions: &[Companion],
) -> Result<ReadFabric, FormatError> {
    let recognised = recognise::recognise(bytes, source_name)?;
    let source = Source {
        name: source_name,
        text: &recognised.text,
    };
    let Reader(_, read) = recognised.reader;
    let (fabric, notes) = match recognised.format {
        FormatName::Ibutils => ibutils::read_beside(source, companions)?,
        _ => read(source)?,
    };
    let ports = match recognised.format {
        FormatName::DbCsv => db_csv::port_records(source, &fabric)?,
        _ => Vec::new(),
    };
    Ok(ReadFabric {
        fabric,
        format: recognised.format,
        notes: notes::summarised(notes),
        ports,
    })
}

/// Writes a fabric in a format; [`Format::keeps`] says what of it the file holds.
///
/// # Errors
/// [`WriteError`] when the format is only read, or cannot hold this fabric.
///
/// # Examples
/// ```
/// use weft_fabric::formats::{FormatName, read, write};
///
/// let fabric = weft_fabric::generate::mesh(2, 2, 1)?;
/// let text = write(&fabric, FormatName::Json)?;
/// assert_eq!(read(text.as_bytes(), "mesh.json")?.fabric, fabric);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn write(fabric: &Fabric, format: FormatName) -> Result<String, WriteError> {
    match format.format().writer {
        Some(write) => write(fabric),
        None => Err(WriteError::ReadOnly { format }),
    }
}

/// A fabric's name made from its file's: the last part of the path without its extension.
fn fabric_name(source_name: &str) -> String {
    let file = source_name
        .rsplit(['/', '\\'])
        .next()
        .unwrap_or(source_name);
    let stem = file.rsplit_once('.').map_or(file, |(stem, _)| stem);
    let name: String = stem.chars().filter(|c| !c.is_control()).collect();
    if name.trim_matches(['-', ' ']).is_empty() {
        "fabric".to_owned()
    } else {
        name
    }
}
