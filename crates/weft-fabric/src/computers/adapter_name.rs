//! What the name of an end says of its computer and of its adapter.

/// Words that software gives adapters, each followed by a number; where nothing but a sign parts them
/// from the computer's name, these alone are told from a number of the computer.
const WORDS: [&str; 18] = [
    "mlx4_", "mlx5_", "mthca", "hfi1_", "qib", "irdma", "bnxt_re", "efa", "cxi", "hsn", "ibp",
    "ibs", "ib", "hca", "enp", "ens", "eth", "nic",
];

/// What software of adapters counts from one: `HCA-1` is `mlx5_0`.
const FROM_ONE: &str = "HCA-";
/// What is numbered as such an adapter is, from zero.
const FROM_ZERO: [&str; 3] = ["mlx5_", "mlx4_", "hfi1_"];

/// Signs that may stand between a computer's name and its adapter's.
const SIGNS: [char; 6] = [' ', '-', '_', '.', ':', '/'];

/// An end among the ends of its computer: which adapter it belongs to, and its port there.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct Adapter {
    /// All numbers of the name, in their order: those of a PCI address, or the adapter's own.
    numbers: Vec<u32>,
    /// The name, where its numbers are not those by which most adapters are counted.
    name: String,
    /// The port, where the adapter's ports are ends of their own; else 0.
    port: u32,
}

impl Adapter {
    /// The adapter for people, as its software counts it.
    pub(super) fn describe(&self) -> String {
        let adapter = match (&*self.name, &*self.numbers) {
            ("", []) => String::new(),
            ("", [number, ..]) => format!("adapter {}", number + 1),
            (name, _) => name.to_owned(),
        };
        match self.port {
            0 => adapter,
            port if adapter.is_empty() => format!("port {port}"),
            port => format!("{adapter} port {port}"),
        }
    }
}

/// Splits the name of an end into its computer's and its adapter; `None` where it names none.
pub(super) fn split(name: &str) -> Option<(&str, Adapter)> {
    let name = without_guid(name);
    let (name, port) = without_port(name);
    let parted = parted(name).filter(|(computer, _)| !computer.is_empty());
    match (parted, port) {
        (Some((computer, adapter)), port) => {
            let (numbers, name) = counted(adapter);
            let port = port.unwrap_or(0);
            Some((
                computer,
                Adapter {
                    numbers,
                    name,
                    port,
                },
            ))
        }
        (None, Some(port)) if !name.is_empty() => {
            let (numbers, none) = (Vec::new(), String::new());
            Some((
                name,
                Adapter {
                    numbers,
                    name: none,
                    port,
                },
            ))
        }
        (None, _) => None,
    }
}

/// The name without the GUID that sets it apart from others alike.
fn without_guid(name: &str) -> &str {
    let marked = name
        .rsplit_once(" 0x")
        .filter(|(_, guid)| guid.len() == 16 && guid.chars().all(|sign| sign.is_ascii_hexdigit()));
    marked.map_or(name, |(plain, _)| plain)
}

/// The name without the port of its adapter.
fn without_port(name: &str) -> (&str, Option<u32>) {
    let split = name.rsplit_once(" port ");
    match split.and_then(|(plain, port)| Some((plain, port.parse().ok()?))) {
        Some((plain, port)) => (plain, Some(port)),
        None => (name, None),
    }
}

/// The computer's name and the adapter's.
fn parted(name: &str) -> Option<(&str, &str)> {
    // `HCA-1` has a sign of its own.
    let from_one = name.rfind(FROM_ONE).filter(|&at| {
        let number = &name[at + FROM_ONE.len()..];
        !number.is_empty() && number.chars().all(|sign| sign.is_ascii_digit())
    });
    let by_word = WORDS.iter().filter_map(|word| {
        let at = name.rfind(word)?;
        let rest = &name[at + word.len()..];
        let is_alone = name[..at]
            .chars()
            .next_back()
            .is_none_or(|sign| SIGNS.contains(&sign));
        let is_number = rest.starts_with(|sign: char| sign.is_ascii_digit())
            && rest.chars().all(|sign| sign.is_ascii_alphanumeric());
        (is_alone && is_number).then_some(at)
    });
    let spaced = name.rfind(' ').map(|at| at + 1).filter(|&at| {
        let last = &name[at..];
        last.starts_with(|sign: char| sign.is_ascii_alphabetic())
            && last.ends_with(|sign: char| sign.is_ascii_digit())
    });
    let at = from_one.or_else(|| by_word.min()).or(spaced)?;
    let computer = name[..at].trim_end_matches(SIGNS);
    Some((computer, &name[at..]))
}

/// The numbers that order an adapter among its computer's, and the word they come with, which is none
/// where adapters are counted one after the other.
fn counted(adapter: &str) -> (Vec<u32>, String) {
    if let Some(number) = number_after(adapter, FROM_ONE) {
        return (vec![number.saturating_sub(1)], String::new());
    }
    if let Some(number) = FROM_ZERO
        .iter()
        .find_map(|word| number_after(adapter, word))
    {
        return (vec![number], String::new());
    }
    let numbers = adapter
        .split(|sign: char| !sign.is_ascii_digit())
        .filter_map(|number| number.parse().ok());
    (numbers.collect(), adapter.to_owned())
}

fn number_after(adapter: &str, word: &str) -> Option<u32> {
    adapter.strip_prefix(word)?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(name: &str) -> Option<(&str, String)> {
        split(name).map(|(computer, adapter)| (computer, adapter.describe()))
    }

    #[test]
    fn names_as_software_gives_them_are_split() {
        for (name, computer, adapter) in [
            ("a06-p1-dgx-02-c01 HCA-6", "a06-p1-dgx-02-c01", "adapter 6"),
            ("a08-p1-dgx-04-c04 mlx5_5", "a08-p1-dgx-04-c04", "adapter 6"),
            ("node7 HCA-1 port 2", "node7", "adapter 1 port 2"),
            ("node7 port 2", "node7", "port 2"),
            (
                "localhost mlx5_0 0xe09d730300857d78",
                "localhost",
                "adapter 1",
            ),
            ("gpu-12-ib3", "gpu-12", "ib3"),
            ("gpu12_mlx5_3", "gpu12", "adapter 4"),
            ("c1-n2 hfi1_1", "c1-n2", "adapter 2"),
            ("n1 ibp12s0", "n1", "ibp12s0"),
        ] {
            assert_eq!(found(name), Some((computer, adapter.to_owned())), "{name}");
        }
    }

    #[test]
    fn names_without_an_adapter_are_not() {
        for name in [
            "host17",
            "rack-3-node-12",
            "HCA-1",
            "mlx5_0",
            "",
            "MT4129 ConnectX7   Mellanox Technologies",
        ] {
            assert_eq!(found(name), None, "{name}");
        }
    }

    #[test]
    fn adapters_are_ordered_by_all_their_numbers() {
        let of = |name| split(name).map(|(_, adapter)| adapter);
        assert!(of("n1 ibp3s0") < of("n1 ibp12s0"));
        assert!(of("n1 HCA-2") < of("n1 HCA-10"));
    }
}
