//! What a figure is: its name, unit and shape, and how its value is read.

use super::{LATENCY_PARTS, LatencyBins, LatencyPart, LatencySummary, Reason};
use crate::probe::WaitingPacket;

/// A figure as its table tells it, read from an `M`.
#[derive(Clone, Debug)]
pub struct Entry<M> {
    /// Name, the unit last where the figure has one.
    pub name: &'static str,
    /// Type of its value.
    pub kind: Kind,
    /// What there is a value of.
    pub shape: Shape,
    /// Unit, empty for texts.
    pub unit: &'static str,
    /// Lines of its documentation: what it is, then, where there is more to say, the rest.
    doc: &'static [&'static str],
    /// How it is read.
    pub value: fn(&M) -> Value<'_>,
}

/// The type of a figure's value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A text.
    Text,
    /// A [`Reason`].
    Reason,
    /// Packets that wait for one another.
    Waiting,
    /// A real number.
    Real,
    /// A whole number.
    Integer,
    /// A [`LatencySummary`].
    Latency,
    /// Real numbers of single precision.
    Reals,
    /// Whole numbers below 2³².
    Integers,
    /// A distribution in [`LatencyBins`].
    Histogram,
}

impl Kind {
    /// The kind as Python knows it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Text => "text",
            Self::Reason => "reason",
            Self::Waiting => "waiting",
            Self::Real => "real",
            Self::Integer => "integer",
            Self::Latency => "latency",
            Self::Reals => "reals",
            Self::Integers => "integers",
            Self::Histogram => "histogram",
        }
    }
}

/// What there is a value of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shape {
    /// The run.
    Run,
    /// Each channel.
    Channel,
    /// Each lane of each channel.
    Lane,
    /// Each host.
    Host,
    /// Each host in each interval of the window.
    Interval,
}

impl Shape {
    /// What the axes of an array of the figure are.
    pub fn axes(self) -> &'static [&'static str] {
        match self {
            Self::Run => &[],
            Self::Channel => &["channel_count"],
            Self::Lane => &["channel_count", "lanes"],
            Self::Host => &["host_count"],
            Self::Interval => &["intervals", "host_count"],
        }
    }
}

/// The value of a figure.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Value<'a> {
    /// A text, or the name of a reason.
    Text(&'a str),
    /// Packets that wait for one another.
    Waiting(&'a [WaitingPacket]),
    /// A real number.
    Real(f64),
    /// A whole number.
    Integer(u64),
    /// A latency.
    Latency(&'a LatencySummary),
    /// Real numbers, row by row.
    Reals(&'a [f32]),
    /// Whole numbers, row by row.
    Integers(&'a [u32]),
    /// A distribution.
    Histogram(&'a LatencyBins),
}

/// A type that figures have.
pub(super) trait Measured {
    const KIND: Kind;
    fn value(&self) -> Value<'_>;
}

macro_rules! measured {
    ($($type:ty: $kind:ident, |$own:ident| $value:expr;)+) => {
        $(impl Measured for $type {
            const KIND: Kind = Kind::$kind;
            fn value(&self) -> Value<'_> {
                let $own = self;
                $value
            }
        })+
    };
}

measured! {
    String: Text, |text| Value::Text(text);
    Reason: Reason, |reason| Value::Text(reason.name());
    Vec<WaitingPacket>: Waiting, |packets| Value::Waiting(packets);
    f64: Real, |number| Value::Real(*number);
    u64: Integer, |number| Value::Integer(*number);
    LatencySummary: Latency, |latency| Value::Latency(latency);
    Vec<f32>: Reals, |numbers| Value::Reals(numbers);
    Vec<u32>: Integers, |numbers| Value::Integers(numbers);
    LatencyBins: Histogram, |bins| Value::Histogram(bins);
}

/// A column in which results files and exports hold a figure of a run, or a part of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Column {
    /// Name, the unit last.
    pub name: String,
    /// [`Kind::Text`], [`Kind::Real`] or [`Kind::Integer`].
    pub kind: Kind,
    /// Unit, empty for texts.
    pub unit: &'static str,
    /// What it is, in a phrase.
    pub summary: String,
    /// Name of the part of the figure; none where the column holds all of it.
    pub part: Option<&'static str>,
}

impl<M> Entry<M> {
    pub(super) const fn of<T: Measured>(
        name: &'static str,
        shape: Shape,
        unit: &'static str,
        doc: &'static [&'static str],
        value: fn(&M) -> Value<'_>,
    ) -> Self {
        Self {
            name,
            kind: T::KIND,
            shape,
            unit,
            doc,
            value,
        }
    }

    /// The figure in a phrase, without a full stop.
    pub fn summary(&self) -> String {
        phrase(self.doc.split(|line| line.is_empty()).next().unwrap_or(&[]))
    }

    /// What else is to be said of the figure, in sentences; empty where that is nothing.
    pub fn details(&self) -> String {
        let mut paragraphs = self.doc.splitn(2, |line| line.is_empty());
        paragraphs.next();
        joined(paragraphs.next().unwrap_or(&[]))
    }

    /// The columns that hold the figure; none for arrays and distributions.
    pub fn columns(&self) -> Vec<Column> {
        let whole = |kind, summary| {
            vec![Column {
                name: self.name.to_owned(),
                kind,
                unit: self.unit,
                summary,
                part: None,
            }]
        };
        match self.kind {
            Kind::Text | Kind::Reason => whole(Kind::Text, self.summary()),
            Kind::Waiting => whole(Kind::Text, format!("JSON list of {}", self.summary())),
            Kind::Real | Kind::Integer => whole(self.kind, self.summary()),
            Kind::Latency => self.latency_columns(),
            Kind::Reals | Kind::Integers | Kind::Histogram => Vec::new(),
        }
    }

    fn latency_columns(&self) -> Vec<Column> {
        let stem = self.name.trim_end_matches("_ns");
        let column = |part: &LatencyPart| Column {
            name: match part.kind {
                Kind::Integer => format!("{stem}_packets"),
                _ => format!("{stem}_{}_ns", part.name),
            },
            kind: part.kind,
            unit: part.unit,
            summary: format!("{}, {}", part.summary(), self.summary()),
            part: Some(part.name),
        };
        LATENCY_PARTS.iter().map(column).collect()
    }
}

fn joined(lines: &[&str]) -> String {
    let lines: Vec<&str> = lines.iter().map(|line| line.trim()).collect();
    lines.join(" ")
}

/// The lines as a phrase that can stand within a sentence.
fn phrase(lines: &[&str]) -> String {
    let text = joined(lines);
    let mut letters = text.trim_end_matches('.').chars();
    letters
        .next()
        .into_iter()
        .flat_map(char::to_lowercase)
        .chain(letters)
        .collect()
}
