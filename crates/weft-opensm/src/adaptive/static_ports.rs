//! Static ports beside groups: ibdiagnet's `.fdbs`, for switches that the file of groups leaves out.

use super::gathering::{Gathering, MOST_TABLES, Refused};
use super::group_rows::{LidRow, NO_PORT};
use super::unknown_lids::UnknownLids;
use crate::passed_over::PassedOver;
use crate::tables::fdb_file::{FdbRow, each_row};
use weft_fabric::SwitchId;
use weft_fabric::formats::{FormatError, ReadNote, Source};
use weft_routing::LidState;

/// What becomes of the entries of a switch.
#[derive(Clone, Copy)]
enum At {
    Nobody,
    /// The file of groups has none of them.
    Taken(SwitchId),
    /// It has them; they should be the same.
    Compared(SwitchId),
}

pub(super) fn read(
    source: Source<'_>,
    gathering: &mut Gathering<'_>,
) -> Result<Vec<ReadNote>, FormatError> {
    let mut passed_over = PassedOver::default();
    let (mut at, mut table) = (At::Nobody, 0);
    let mut unknown = UnknownLids::default();
    each_row(source, |offset, row| {
        match row {
            FdbRow::Switch(guid) => {
                let switch = gathering.switch_of(source, offset, guid, &mut passed_over)?;
                at = match switch {
                    None => At::Nobody,
                    Some(switch) if gathering.is_met(switch) => At::Compared(switch),
                    Some(switch) => At::Taken(switch),
                };
                table = 0;
                if let At::Taken(switch) = at {
                    gathering.begin(switch);
                    gathering.begin_table(switch, 0);
                }
            }
            FdbRow::Table(number) => {
                table = number;
                match at {
                    At::Taken(switch) if number < MOST_TABLES => {
                        gathering.begin_table(switch, number);
                    }
                    At::Taken(_) => {
                        let found = format!("table {number}");
                        return Err(source.unexpected(offset, found, "a table, 0 to 7"));
                    }
                    _ => {}
                }
            }
            FdbRow::Entry(lid, port) => match at {
                At::Nobody => {}
                At::Compared(switch) => {
                    let known = gathering.static_port(switch, lid);
                    if table == 0 && known.is_some() && known != port {
                        let text = "static ports that are others in the file of groups";
                        let reason = "those of the file of groups count; the files are of \
                                      different times";
                        passed_over.tell(offset, text, reason);
                    }
                }
                At::Taken(switch) => {
                    let row = LidRow {
                        lid,
                        static_port: port.unwrap_or(NO_PORT),
                        state: LidState::Static,
                        is_bounded: false,
                        group: 0,
                    };
                    match gathering.enter(switch, table, &row) {
                        Err(Refused::UnknownLid) => {
                            gathering.require_lids(source, offset, lid)?;
                            unknown.add(offset, lid);
                        }
                        Err(Refused::Twice) => {
                            let found = format!("LID 0x{lid:04x}");
                            let expected = "each LID of a table once; it has another entry already";
                            return Err(source.unexpected(offset, found, expected));
                        }
                        Err(Refused::NoPort) => {
                            let text = "ports that their switch does not have";
                            passed_over.tell(offset, text, "packets end there");
                        }
                        Err(Refused::NoCable) => {
                            let text = "ports that the wiring has no cable at";
                            passed_over.tell(offset, text, "packets end there");
                        }
                        Ok(()) | Err(Refused::NoGroup) => {}
                    }
                }
            },
            FdbRow::Other(line) => passed_over.add_line(offset, line),
        }
        Ok(())
    })?;
    unknown.tell(gathering.fabric(), &mut passed_over);
    Ok(passed_over.notes(source))
}
