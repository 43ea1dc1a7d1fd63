//! What a switch is told of adaptive routing apart from its tables: the words after its GUID.
//!
//! ```text
//! ar_en: 1, by_sl_en: 1, enable_by_sl_mask: 0x00ff, by_sl_hbf_en: 0, whbf_en: 0, pfrn_enabled: 1, sub_grps_active: 2
//! Adaptive Routing: enabled, SL mask: 0x00ff, FR disabled
//! ```
//!
//! Versions of ibdiagnet call them each in its way; they are taken by what is left of their names without blanks,
//! signs and capitals.

/// The state of a switch, as far as it is told.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct SwitchState {
    /// Whether it chooses at all.
    is_enabled: Option<bool>,
    /// Whether it does for some service levels alone, and which.
    is_by_level: Option<bool>,
    levels: Option<u16>,
    /// The same of what a hash decides.
    is_hashed_by_level: Option<bool>,
    hashed_levels: Option<u16>,
    /// Whether weights are in use.
    pub(super) has_weights: Option<bool>,
    /// Whether it tells of ports that lead nowhere, or goes by what it is told.
    notifies: bool,
}

/// Names that say what is of no consequence for where packets may go.
const OTHERS: [&str; 7] = [
    "subgrps",
    "subgrpsactive",
    "subgroups",
    "grouptop",
    "algorithm",
    "groupcap",
    "name",
];

impl SwitchState {
    /// The service levels whose packets may choose.
    pub(super) fn adaptive_levels(&self) -> u16 {
        match (self.is_enabled, self.is_by_level) {
            (Some(false), _) => 0,
            (_, Some(false)) => u16::MAX,
            _ => self.levels.unwrap_or(u16::MAX),
        }
    }

    /// The service levels whose flows may be hashed, where they are others.
    pub(super) fn hashed_levels(&self) -> Option<u16> {
        match (self.is_enabled, self.is_hashed_by_level) {
            (Some(false), _) => None,
            (_, Some(false)) => Some(0),
            (_, Some(true)) => Some(self.hashed_levels.unwrap_or(u16::MAX)),
            (_, None) => self.hashed_levels,
        }
    }

    /// Whether it leaves out ports that lead nowhere any more.
    pub(super) fn notifies(&self) -> bool {
        self.notifies
    }

    /// Takes what a line tells; what it does not know is given to `unknown`.
    pub(super) fn take(&mut self, line: &str, mut unknown: impl FnMut(&str)) {
        let line = without_quoted(line);
        for part in line.split([',', ';', '(', ')', '\t']) {
            let mut name = String::new();
            let mut is_named = false;
            for word in part.split([' ', ':', '=']).filter(|word| !word.is_empty()) {
                match Value::of(word) {
                    Some(value) if is_named || value.is_word() => {
                        if !self.set(&name, value) {
                            unknown(part.trim());
                        }
                        name.clear();
                        is_named = false;
                    }
                    _ => {
                        let letters = word.chars().filter(char::is_ascii_alphanumeric);
                        name.extend(letters.map(|c| c.to_ascii_lowercase()));
                        is_named = true;
                    }
                }
            }
            if is_named && !is_one_of(&name, &OTHERS) && !name.starts_with("algorithm") {
                unknown(part.trim());
            }
        }
    }

    /// Sets what has a name; tells whether it is known.
    fn set(&mut self, name: &str, value: Value) -> bool {
        match name {
            "" | "ar" | "aren" | "arenabled" | "e" | "en" | "enabled" | "state"
            | "adaptiverouting" => self.is_enabled = Some(value.is_true()),
            "byslen" | "arbyslen" => self.is_by_level = Some(value.is_true()),
            "slmask" | "arslmask" | "enslmask" | "enablebyslmask" | "enabledslmask" => {
                self.levels = value.bits();
                return self.levels.is_some();
            }
            "hbf" | "hbfen" | "hbfenabled" | "byslhbfen" => {
                self.is_hashed_by_level = Some(value.is_true());
            }
            "hbfslmask" | "enablebyslmaskhbf" | "hbfenablebyslmask" => {
                self.hashed_levels = value.bits();
                return self.hashed_levels.is_some();
            }
            "whbf" | "whbfen" | "whbfenabled" => self.has_weights = Some(value.is_true()),
            "fr" | "fren" | "frenabled" | "frn" | "shield" | "rnxmit" | "rnxmiten"
            | "rnxmitenabled" | "pfrn" | "pfrnen" | "pfrnenabled" => {
                self.notifies |= value.is_true();
            }
            name => {
                return is_one_of(name, &OTHERS)
                    || name.starts_with("is")
                    || name.ends_with("cap")
                    || name.ends_with("sup");
            }
        }
        true
    }
}

fn is_one_of(name: &str, names: &[&str]) -> bool {
    names.contains(&name)
}

/// A line without what stands in quotes, a name that may be anything.
fn without_quoted(line: &str) -> String {
    let mut is_quoted = false;
    let keeps = |c: &char| {
        is_quoted ^= *c == '"';
        !is_quoted && *c != '"'
    };
    line.chars().filter(keeps).collect()
}

/// What a switch is told under a name.
#[derive(Clone, Copy)]
enum Value {
    Word(bool),
    Number(u64),
}

impl Value {
    fn of(word: &str) -> Option<Self> {
        let number = match word.strip_prefix("0x") {
            Some(digits) => u64::from_str_radix(digits, 16),
            None => word.parse(),
        };
        if let Ok(number) = number {
            return Some(Self::Number(number));
        }
        let is = |other: &str| word.eq_ignore_ascii_case(other);
        if is("enabled") || is("yes") || is("true") {
            Some(Self::Word(true))
        } else if is("disabled") || is("no") || is("false") {
            Some(Self::Word(false))
        } else {
            None
        }
    }

    /// Tells whether it says by itself that it is a value.
    fn is_word(self) -> bool {
        matches!(self, Self::Word(_))
    }

    fn is_true(self) -> bool {
        match self {
            Self::Word(is) => is,
            Self::Number(number) => number != 0,
        }
    }

    /// One bit for each service level, if it is no more.
    fn bits(self) -> Option<u16> {
        match self {
            Self::Word(is) => Some(u16::from(is).wrapping_neg()),
            Self::Number(number) => number.try_into().ok(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::SwitchState;

    fn state(lines: &[&str]) -> (SwitchState, Vec<String>) {
        let (mut state, mut unknown) = (SwitchState::default(), Vec::new());
        for line in lines {
            state.take(line, |part| unknown.push(part.to_owned()));
        }
        (state, unknown)
    }

    #[test]
    fn each_version_calls_the_same_by_other_names() {
        for lines in [
            &["ar_en: 1, by_sl_en: 1, enable_by_sl_mask: 0x00f0, pfrn_enabled: 1"][..],
            &["ar_en:1 by_sl_en:1 en_sl_mask:0xf0 fr_en:0 rn_xmit:1 sub_grps:2 group_top:9"],
            &[
                "\"leaf, disabled\" (enabled, SL mask: 240)",
                "SHIELD: enabled",
            ],
            &[
                "Adaptive Routing: enabled",
                "SL mask = 0x00f0",
                "FR enabled, Algorithm ar_updn",
            ],
        ] {
            let (state, unknown) = state(lines);
            assert_eq!(unknown, [""; 0], "{lines:?}");
            let found = (
                state.adaptive_levels(),
                state.hashed_levels(),
                state.notifies(),
            );
            assert_eq!(found, (0xf0, None, true), "{lines:?}");
        }
    }

    #[test]
    fn what_is_not_told_is_as_the_switch_has_it_by_itself() {
        let levels = |line| state(&[line]).0.adaptive_levels();
        assert_eq!([levels(""), levels("disabled")], [u16::MAX, 0]);
        assert_eq!(levels("AR disabled, SL mask: 0xff"), 0);
        // Without a choice by level the mask says nothing.
        assert_eq!(levels("ar_en:1 by_sl_en:0 sl_mask:0x1"), u16::MAX);
        let hashed = |line| state(&[line]).0.hashed_levels();
        assert_eq!([hashed("by_sl_hbf_en: 0"), hashed("")], [Some(0), None]);
        assert_eq!(hashed("hbf_en: 1, enable_by_sl_mask_hbf: 0x3"), Some(3));
        assert_eq!(state(&["whbf_en: 0"]).0.has_weights, Some(false));
    }

    #[test]
    fn what_is_unknown_is_told() {
        let (_, unknown) = state(&["ar_en: 1, warp: 9, strange words, sl_mask: 0x10000"]);
        assert_eq!(unknown, ["warp: 9", "strange words", "sl_mask: 0x10000"]);
    }
}
