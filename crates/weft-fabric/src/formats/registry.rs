//! The formats there are, in one table.

use super::error::{FormatError, UnknownFormat, WriteError};
use super::source::Source;
use super::{
    ReadFabric, anynet, caminos, dot, graphml, iblinkinfo, ibnetdiscover, json, node_link,
    ports_report, slurm, subnet_list,
};
use crate::fabric::Fabric;
use std::fmt;
use std::str::FromStr;
use weft_registry::Suggestion;

/// A format fabrics are read from or written in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum FormatName {
    /// Our own JSON.
    Json,
    /// The output of `ibnetdiscover`.
    Ibnetdiscover,
    /// The ports report of `ibnetdiscover -p`.
    PortsReport,
    /// The output of `iblinkinfo`, in blocks or in lines.
    Iblinkinfo,
    /// Subnet lists of `OpenSM` and ibdiagnet.
    SubnetList,
    /// The node-link JSON of networkx.
    NodeLink,
    /// GraphML.
    GraphMl,
    /// The network files of BookSim.
    Anynet,
    /// The neighbour lists of CAMINOS.
    Caminos,
    /// Graphviz.
    Dot,
    /// Slurm's `topology.conf`.
    SlurmConf,
    /// Slurm's `topology.yaml`.
    SlurmYaml,
}

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
    pub(super) reader: Option<Reader>,
    /// How files are written, where they can be.
    pub(super) writer: Option<Writer>,
}

/// How files of a format are read.
#[derive(Clone, Copy, Debug)]
pub(super) struct Reader {
    /// Whether a text is in this format; a text that is only partly whole is as well.
    pub(super) recognises: fn(&str) -> bool,
    /// The reader itself.
    pub(super) read: fn(Source<'_>) -> Result<ReadFabric, FormatError>,
}

/// How a fabric is written in a format.
pub(super) type Writer = fn(&Fabric) -> Result<String, WriteError>;

/// All formats, in the order in which they are listed; a text belongs to the first that recognises
/// it.
pub const FORMATS: &[Format] = &[
    json::FORMAT,
    ibnetdiscover::FORMAT,
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

impl FormatName {
    /// What is known of the format.
    pub fn format(self) -> &'static Format {
        match FORMATS.iter().find(|format| format.name == self) {
            Some(format) => format,
            // Invariant: every name has its line in the table; a test walks them.
            None => unreachable!("every format is in the table"),
        }
    }

    /// The format that a file is written in by the end of its name.
    ///
    /// # Errors
    /// [`UnknownFormat`] when no written format has files of such names.
    pub fn from_path(path: &str) -> Result<Self, UnknownFormat> {
        let file = path.rsplit(['/', '\\']).next().unwrap_or(path);
        let extension = file.rsplit_once('.').map(|(_, extension)| extension);
        let written = || FORMATS.iter().filter(|format| format.writes());
        let has = |format: &&Format| {
            extension.is_some_and(|end| {
                (format.extensions.iter()).any(|known| end.eq_ignore_ascii_case(known))
            })
        };
        written()
            .find(has)
            .map(|format| format.name)
            .ok_or_else(|| UnknownFormat::Extension {
                file: file.to_owned(),
                known: written()
                    .flat_map(|format| format.extensions)
                    .map(|end| format!(".{end}"))
                    .collect::<Vec<_>>()
                    .join(", "),
            })
    }
}

impl fmt::Display for FormatName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.format().title)
    }
}

impl FromStr for FormatName {
    type Err = UnknownFormat;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let ids = || FORMATS.iter().map(|format| format.id);
        FORMATS
            .iter()
            .find(|format| format.id == text)
            .map(|format| format.name)
            .ok_or_else(|| UnknownFormat::Name {
                found: text.to_owned(),
                known: ids().collect::<Vec<_>>().join(", "),
                suggestion: Suggestion::nearest(text, ids()),
            })
    }
}

/// The formats fabrics are read from, as errors list them.
pub(super) fn readable() -> String {
    let titles: Vec<&str> = FORMATS
        .iter()
        .filter(|format| format.reads())
        .map(|format| format.title)
        .collect();
    titles.join(", ")
}
