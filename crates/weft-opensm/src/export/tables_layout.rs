//! Which lines the text of tables has, and where.

/// Characters of a name in a heading: `OpenSM` reads no line longer than 1,024 bytes.
const NAME_CHARACTERS: usize = 60;
/// Which lines a text has.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Layout {
    pub(super) switches: Vec<Heading>,
    /// Ascending by LID.
    pub(super) goals: Vec<Goal>,
    /// The lines of a switch, with port 0.
    pub(super) lines: Vec<u8>,
    /// Per switch: where its lines begin in the text; then the length of all.
    pub(super) offsets: Vec<u64>,
}

/// A switch, as the first of its lines names it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Heading {
    pub(super) guid: u64,
    pub(super) lid: u16,
    pub(super) name: String,
}

/// A LID, and the port that it is of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Goal {
    pub(super) lid: u16,
    pub(super) guid: u64,
}

impl Heading {
    pub(super) fn line(&self, last: u16) -> String {
        let Self { guid, lid, name } = self;
        format!("Unicast lids [0-{last}] of switch Lid {lid} guid 0x{guid:016x} ('{name}'):\n")
    }

    pub(super) fn read(line: &str) -> Option<Self> {
        let (_, rest) = line.split_once("] of switch Lid ")?;
        let (lid, rest) = rest.split_once(" guid 0x")?;
        let (guid, rest) = rest.split_once(" ('")?;
        Some(Self {
            guid: u64::from_str_radix(guid, 16).ok()?,
            lid: lid.parse().ok()?,
            name: rest.strip_suffix("'):")?.to_owned(),
        })
    }
}

impl Layout {
    pub(super) fn new(switches: Vec<Heading>, goals: Vec<Goal>) -> Self {
        let line = |goal: &Goal| format!("0x{:04x} 000 portguid 0x{:016x}\n", goal.lid, goal.guid);
        let lines = goals.iter().map(line).collect::<String>().into_bytes();
        let mut layout = Self {
            switches,
            goals,
            lines,
            offsets: Vec::new(),
        };
        let mut end = 0_u64;
        for switch in &layout.switches {
            layout.offsets.push(end);
            let around = switch.line(layout.last()).len() + layout.count_line().len();
            end += (around + layout.lines.len()) as u64;
        }
        layout.offsets.push(end);
        layout
    }

    pub(super) fn last(&self) -> u16 {
        self.goals.last().map_or(0, |goal| goal.lid)
    }

    /// The last line of a switch. `OpenSM` counts there the LIDs that there could be, too.
    pub(super) fn count_line(&self) -> String {
        format!("{} lids dumped\n", self.goals.len())
    }
}

/// A name as it may stand in a line: short, without control characters.
pub(super) fn shown(name: &str) -> String {
    let held = name.chars().filter(|c| !c.is_control());
    held.take(NAME_CHARACTERS).collect()
}
