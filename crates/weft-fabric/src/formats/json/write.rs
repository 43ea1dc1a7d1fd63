//! From a fabric to the file.

use super::super::json_text::list;
use super::{MARK, VERSION};
use crate::{Cable, Fabric, Layout, LidRange};

/// Writes a fabric in our own format, one switch, host or link a line; [`read`](crate::formats::read)
/// gives it back unchanged.
pub(super) fn write(fabric: &Fabric) -> String {
    let quoted = |text: &str| serde_json::Value::from(text).to_string();
    let guid = |member: &str, guid: Option<u64>| {
        guid.map_or_else(String::new, |guid| {
            format!(", \"{member}\": \"0x{guid:016x}\"")
        })
    };
    let switches = fabric
        .switch_ids()
        .map(|id| fabric.switch(id))
        .map(|switch| {
            let (name, ports) = (quoted(&switch.name), switch.port_count);
            let guids = guid("guid", switch.guid) + &guid("system_guid", switch.system_guid);
            let rest = guids + &address(switch.lids);
            format!("{{\"name\": {name}, \"ports\": {ports}{rest}}}")
        });
    let hosts = fabric.host_ids().map(|id| fabric.host(id)).map(|host| {
        let name = quoted(&host.name);
        let guids = guid("guid", host.guid) + &guid("adapter_guid", host.adapter_guid);
        let service = host
            .service
            .map(|reason| format!(", \"service\": \"{reason}\""));
        let rest = address(host.lids) + &service.unwrap_or_default();
        format!("{{\"name\": {name}{guids}{rest}}}")
    });
    let links = fabric.link_ids().map(|id| fabric.link(id)).map(|link| {
        let [a, b] = link
            .ends
            .map(|end| format!("[{}, {}]", quoted(fabric.node_name(end.node)), end.port));
        let cable = cable(link.cable);
        format!("{{\"ends\": [{a}, {b}]{cable}}}")
    });
    let layout = match fabric.layout() {
        Layout::Unstructured => String::new(),
        Layout::Grid { extents } => {
            format!("  \"layout\": {{\"grid\": {{\"extents\": {extents:?}}}}},\n")
        }
    };
    format!(
        "{{\n  \"format\": \"{MARK}\",\n  \"version\": {VERSION},\n  \"name\": {},\n{layout}  \
         \"switches\": {},\n  \"hosts\": {},\n  \"links\": {}\n}}\n",
        quoted(fabric.name()),
        list(switches),
        list(hosts),
        list(links)
    )
}

/// The members for what is known of a cable.
fn cable(cable: Cable) -> String {
    let rate = cable.rate.map(|rate| format!(", \"rate\": \"{rate}\""));
    let length = cable.length.map(|length| format!(", \"metres\": {length}"));
    let kind = cable.port_kind;
    let kind = kind.map(|kind| format!(", \"port_kind\": \"{kind}\""));
    let one_way = cable.is_one_way.then(|| ", \"one_way\": true".to_owned());
    let disputed = (cable.is_disputed).then(|| ", \"disputed\": true".to_owned());
    [rate, length, kind, one_way, disputed]
        .into_iter()
        .flatten()
        .collect()
}

/// The members for a port's LIDs.
fn address(lids: Option<LidRange>) -> String {
    let Some(lids) = lids else {
        return String::new();
    };
    let lid = format!(", \"lid\": {}", lids.base());
    match lids.mask_bits() {
        0 => lid,
        bits => lid + &format!(", \"lmc\": {bits}"),
    }
}
