//! Tables of cases: as text, so that quotes need no backslashes, and of what is refused.

/// Cases of `N` fields each: all but the last on one line with ` => ` between them, the last below,
/// further in, on as many lines as it takes.
///
/// A field within backticks keeps its blanks at both ends, and may be empty; `\n`, `\t`, `\r`, `\0` and
/// `\\` are what they are in Rust.
pub fn table<const N: usize>(text: &str) -> Vec<[String; N]> {
    let indent = |line: &str| line.len() - line.trim_start().len();
    let lines = text.lines().filter(|line| !line.trim().is_empty());
    let least = lines.clone().map(indent).min().unwrap_or(0);
    let mut cases: Vec<Vec<String>> = Vec::new();
    for line in lines {
        match cases.last_mut() {
            Some(case) if indent(line) > least => case[N - 1].extend([" ", line.trim()]),
            _ => {
                let fields = line.trim().split(" => ").chain([""]);
                cases.push(fields.map(str::to_owned).collect());
            }
        }
    }
    let field = |text: String| {
        let text = text.trim();
        let inner = text
            .strip_prefix('`')
            .and_then(|text| text.strip_suffix('`'));
        unescaped(inner.unwrap_or(text))
    };
    let case = |fields: Vec<String>| {
        let fields: Vec<String> = fields.into_iter().map(field).collect();
        fields.try_into().expect("every case has as many fields")
    };
    cases.into_iter().map(case).collect()
}

fn unescaped(text: &str) -> String {
    let (mut result, mut rest) = (String::new(), text.chars());
    while let Some(c) = rest.next() {
        result.push(match (c, (c == '\\').then(|| rest.next()).flatten()) {
            (_, Some('n')) => '\n',
            (_, Some('t')) => '\t',
            (_, Some('r')) => '\r',
            (_, Some('0')) => '\0',
            (c, escaped) => escaped.unwrap_or(c),
        });
    }
    result
}

/// Checks what is refused: each line has what is tried, and what is said of it.
#[macro_export]
macro_rules! refusals {
    ($($tried:expr => $said:expr;)+) => {
        $(
            let said = $tried.unwrap_err().to_string();
            assert_eq!(said, $said.to_string(), "{}", stringify!($tried));
        )+
    };
}
