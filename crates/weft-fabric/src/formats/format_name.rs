//! What the formats are called.

use super::{FORMATS, Format};
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
    /// The database of ibdiagnet.
    DbCsv,
    /// The links that ibdiagnet dumps.
    NetDump,
    /// UFM's links.
    UfmLinks,
    /// Planned topologies of UFM.
    Ndt,
    /// The topologies of ibutils.
    Ibutils,
    /// The links of Omni-Path.
    OpaLinks,
    /// LLDP's neighbours as `SONiC` prints them.
    LldpTable,
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

/// No format goes by this name.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum UnknownFormat {
    /// The name is none of ours.
    #[error("found format “{found}”, expected one of {known}{suggestion}")]
    Name {
        /// The name given.
        found: String,
        /// All names.
        known: String,
        /// The name most like it.
        suggestion: Suggestion,
    },
    /// The file's name does not tell.
    #[error(
        "the name “{file}” does not tell the format to write; expected an end among {known}, or \
         the format named beside it"
    )]
    Extension {
        /// The file's name.
        file: String,
        /// All ends of names that tell.
        known: String,
    },
}
