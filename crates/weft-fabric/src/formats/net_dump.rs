//! The links that ibdiagnet dumps, `ibdiagnet2.net_dump`: a block a switch, a line a port.
//!
//! ```text
//! "MF0;leaf1:MQM8700/U1", Mellanox, 0xb8599f0300000100, LID 7
//! #  : IB# : Sta : PhysSta : MTU : LWA : LSA : FEC mode : Retran : Neighbor Guid : N# : NLID : Neighbor Description
//! 1  : 1 : ACT : LINK UP : 5 : 4x : 50 : STD-RS : NO-RTR : 0xb8599f0300000201 : 1 : 21 : "node1 HCA-1"
//! 2  : 2 : DOWN : POLL : N/A : N/A : N/A : N/A : N/A : : : :
//! ```
//!
//! Columns are known by their names, as releases differ in them. A node that has no block is a channel
//! adapter, of which the file tells the ports at the ends of cables: ports of one name and different numbers
//! are taken for those of one adapter.
//!
//! Source: NVIDIA's manual of ibdiagnet 2.19 to 2.24, "ibdiagnet Dump Files".

use super::infiniband::{
    CableEnd, Columns, Gathering, Lids, Mark, Node, NodeKey, NodeKind, PortLines, Row, TextLine,
    cells, cut_line, finish, guid, lines, number, port, rate, unknown_reason,
};
use super::{Format, FormatError, FormatName, Found, ReadNote, Reader, Source};

/// The dump in the table.
pub(super) const FORMAT: Format = Format {
    name: FormatName::NetDump,
    id: "net_dump",
    title: "ibdiagnet's net_dump",
    summary: "The links of every switch as ibdiagnet dumps them (ibdiagnet2.net_dump).",
    keeps: "Nothing, as it is only read.",
    extensions: &[],
    reader: Some(Reader(|text| text.lines().any(are_names), read)),
    writer: None,
};

/// The line that opens a switch's block.
struct Block<'a> {
    description: &'a str,
    id: &'a str,
    guid: u64,
    lids: Option<Lids>,
}

fn are_names(line: &str) -> bool {
    line.starts_with('#') && line.contains(": IB#") && line.contains("Neighbor Guid")
}

fn block(line: &str) -> Option<Block<'_>> {
    if !line.trim_start().starts_with('"') {
        return None;
    }
    let [description, _, id, lid] = *cells(line, ',') else {
        return None;
    };
    let lid = number(lid.strip_prefix("LID")?.trim())?;
    Some(Block {
        description,
        id,
        guid: guid(id).filter(|_| id.starts_with("0x"))?,
        lids: u32::try_from(lid).ok().and_then(|lid| Lids::new(lid, 0)),
    })
}

fn read(source: Source<'_>) -> Result<Found, FormatError> {
    let mut notes = Vec::new();
    let mut gathering = Gathering::new(source);
    // Switches first: what a line names that is none of them is an adapter.
    for line in lines(source) {
        if let Some(block) = block(line.text) {
            let key = NodeKey::Guid(NodeKind::Switch, block.guid);
            if let Some(&known) = gathering.index.get(&key) {
                let first = gathering.nodes[known].mark.map_or(0, |mark| mark.line);
                gathering.add_repeat(line.mark, line.text, first);
            } else {
                gathering.add_node(key, node(NodeKind::Switch, &block, line.mark));
            }
        }
    }
    let mut here: Option<Block<'_>> = None;
    let mut columns: Option<Columns> = None;
    for line in lines(source) {
        if let Some(block) = block(line.text) {
            here = Some(block);
        } else if are_names(line.text) {
            columns = Some(Columns::new(line, ':'));
        } else if let (Some(block), Some(columns)) = (&here, &columns)
            && is_row(line.text)
        {
            if add_row(source, &mut gathering, block, columns, line, &mut notes)? {
                line.note_end(&mut notes);
            }
        } else if is_row(line.text) {
            let found = "the line of a port that belongs to no switch";
            let expected = "the switch's own line and the names of the columns before it";
            return Err(source.unexpected(line.mark.offset, found, expected));
        } else if !line.is_whole && line.text.trim_start().starts_with('"') {
            return Err(cut_line(source, line, "a switch's GUID and LID"));
        } else if line.text.trim_start().starts_with('"') {
            let expected = "a switch's name, vendor, GUID and LID, between commas";
            return Err(source.unexpected(line.mark.offset, "a line of something else", expected));
        } else if !line.text.trim().is_empty() && !line.text.starts_with('#') {
            notes.push(line.note(&unknown_reason(line.text, "ibdiagnet")));
        }
    }
    let fabric = finish(source, gathering, &mut notes)?;
    Ok((fabric, notes))
}

/// Tells whether a line is one of a port: more cells than any other has.
fn is_row(line: &str) -> bool {
    line.matches(" : ").count() >= 4
}

fn node<'a>(kind: NodeKind, block: &Block<'a>, mark: Mark) -> Node<'a> {
    Node {
        kind,
        id: block.id,
        guid: Some(block.guid).filter(|_| kind == NodeKind::Switch),
        lids: block.lids.filter(|_| kind == NodeKind::Switch),
        description: Some(block.description).filter(|text| !text.is_empty()),
        port_count: 1,
        system_image: None,
        device: None,
        mark: Some(mark),
        ports: PortLines::default(),
    }
}

/// Adds what a port's line says, and tells whether there is a cable.
fn add_row<'a>(
    source: Source<'a>,
    gathering: &mut Gathering<'a>,
    here: &Block<'a>,
    columns: &Columns,
    line: TextLine<'a>,
    notes: &mut Vec<ReadNote>,
) -> Result<bool, FormatError> {
    let row = Row::new(line, ':');
    let number_at = columns.need(source, &["ib#"])?;
    let own = row.need(source, number_at, "a port, 1 to 254", port)?;
    let key = NodeKey::Guid(NodeKind::Switch, here.guid);
    if let Some(&index) = gathering.index.get(&key) {
        let known = &mut gathering.nodes[index];
        known.port_count = known.port_count.max(own);
    }
    let state = row.cell(columns.find(&["sta"]));
    let guid_at = columns.need(source, &["neighbor guid"])?;
    if state.eq_ignore_ascii_case("DOWN") {
        return Ok(false);
    }
    if row.cells.len() < columns.count() {
        let found = format!("a port that is up in a line of {} cells", row.cells.len());
        let expected = format!("{} as in the line of names", columns.count());
        if !line.is_whole {
            return Err(cut_line(source, line, &expected));
        }
        return Err(source.unexpected(line.mark.offset, found, expected));
    }
    if ["", "N/A"].contains(&row.cell(Some(guid_at))) {
        return Ok(false);
    }
    let far_guid = row.need(source, guid_at, "a GUID such as 0xb8599f0300000201", guid)?;
    let far_at = columns.need(source, &["n#"])?;
    let far = row.need(source, far_at, "the port at the other end, 1 to 254", port)?;
    let lid = number(row.cell(columns.find(&["nlid"]))).and_then(|lid| u32::try_from(lid).ok());
    let as_switch = NodeKey::Guid(NodeKind::Switch, far_guid);
    let far_key = if gathering.index.contains_key(&as_switch) {
        as_switch
    } else {
        NodeKey::PortGuid(far_guid)
    };
    let lids = lid.and_then(|lid| Lids::new(lid, 0));
    if !gathering.index.contains_key(&far_key) {
        let adapter = Block {
            description: row.cell(columns.find(&["neighbor description"])),
            id: row.cell(Some(guid_at)),
            guid: far_guid,
            lids,
        };
        gathering.add_node(far_key, node(NodeKind::Adapter, &adapter, line.mark));
    }
    let is_adapter = far_key != as_switch;
    if let Some(&index) = gathering.index.get(&far_key) {
        let known = &mut gathering.nodes[index];
        known.port_count = known.port_count.max(far);
    }
    let ends = [
        CableEnd {
            key,
            port: own,
            guid: None,
            lids: None,
        },
        CableEnd {
            key: far_key,
            port: far,
            guid: is_adapter.then_some(far_guid),
            lids: lids.filter(|_| is_adapter),
        },
    ];
    let width = row.cell(columns.find(&["lwa"]));
    let rate = rate(width, row.cell(columns.find(&["lsa"])), width);
    if is_adapter {
        gathering.join(ends, rate, line.text, line.mark, notes);
    } else {
        gathering.tell(ends, rate, line.text, line.mark, notes);
    }
    Ok(true)
}
