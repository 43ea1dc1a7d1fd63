//! The parts of a text of XML one after the other, so that no more of it is in memory than is asked for.

use super::super::{FormatError, Source};
use super::error::{broken, no_attribute, no_xml, undeclared};
use super::{NAMESPACE, is_held};
use crate::narrow;
use quick_xml::XmlVersion::Explicit1_0;
use quick_xml::events::{BytesRef, BytesStart, Event};
use quick_xml::name::{Namespace, NamespaceResolver, ResolveResult};
use quick_xml::reader::Reader;
use std::borrow::Cow;

/// How deep elements of GraphML may stand; what is deeper is drawn by other programs.
const DEEPEST: usize = 16;

/// What has been read of a text.
pub(super) struct Parts<'x> {
    source: Source<'x>,
    reader: Reader<&'x [u8]>,
    namespaces: NamespaceResolver,
    /// Elements that are open.
    depth: usize,
    has_root: bool,
}

/// One part of a text; an element without content begins and ends as others do.
enum Part<'x> {
    Begin(Element<'x>),
    Text(Cow<'x, str>),
    End,
}

/// An element that begins.
pub(super) struct Element<'x> {
    source: Source<'x>,
    start: BytesStart<'x>,
    pub(super) offset: usize,
    /// Whether it is in the namespace of GraphML or in none.
    is_of_graphml: bool,
}

impl<'x> Parts<'x> {
    pub(super) fn new(source: Source<'x>) -> Self {
        let mut reader = Reader::from_str(source.text);
        reader.config_mut().expand_empty_elements = true;
        Self {
            source,
            reader,
            namespaces: NamespaceResolver::default(),
            depth: 0,
            has_root: false,
        }
    }

    /// Goes through the elements directly in the one that began last, or through that of the whole text, up to its end;
    /// what `visit` leaves of each is passed over.
    pub(super) fn each_child(
        &mut self,
        mut visit: impl FnMut(&mut Self, &Element<'x>) -> Result<(), FormatError>,
    ) -> Result<(), FormatError> {
        let depth = self.depth;
        while let Some(part) = self.next()? {
            match part {
                Part::Begin(child) if self.depth == depth + 1 => visit(self, &child)?,
                Part::End if self.depth < depth => break,
                _ => {}
            }
        }
        Ok(())
    }

    /// All text in the element that began last, up to its end.
    pub(super) fn text(&mut self) -> Result<String, FormatError> {
        let depth = self.depth;
        let mut text = String::new();
        while let Some(part) = self.next()? {
            match part {
                Part::Text(piece) => text.push_str(&piece),
                Part::End if self.depth < depth => break,
                _ => {}
            }
        }
        Ok(text)
    }

    /// The next part; none at the end.
    fn next(&mut self) -> Result<Option<Part<'x>>, FormatError> {
        loop {
            let offset = place(self.reader.buffer_position());
            let event = self.reader.read_event().map_err(|error| {
                broken(self.source, place(self.reader.error_position()), &error)
            })?;
            let text = match event {
                Event::Start(start) => return self.begin(start, offset).map(Some),
                Event::End(_) => {
                    if self.depth <= DEEPEST {
                        self.namespaces.pop();
                    }
                    self.depth -= 1;
                    return Ok(Some(Part::End));
                }
                Event::Text(text) => text.xml10_content(),
                Event::CData(text) => text.xml10_content(),
                Event::GeneralRef(reference) => self.referred_to(&reference, offset)?.into(),
                Event::DocType(_) => {
                    let expected =
                        "none: the entities it may declare are not read; delete it".to_owned();
                    let found = "a document type declaration";
                    return Err(self.source.unexpected(offset, found, expected));
                }
                Event::Eof if self.depth > 0 || !self.has_root => {
                    return Err(self.source.ended("the rest of the XML"));
                }
                Event::Eof => return Ok(None),
                // Elements without content are made to begin and end.
                Event::Comment(_) | Event::Decl(_) | Event::PI(_) | Event::Empty(_) => continue,
            };
            if self.depth > 0 {
                let text = legal(self.source, text, offset)?;
                return Ok(Some(Part::Text(text)));
            }
            if !text.trim().is_empty() {
                let found = text.len() - text.trim_start().len();
                return Err(no_xml(
                    self.source,
                    offset + found,
                    "text outside of its element",
                ));
            }
        }
    }

    fn begin(&mut self, start: BytesStart<'x>, offset: usize) -> Result<Part<'x>, FormatError> {
        if self.depth == 0 && self.has_root {
            return Err(no_xml(
                self.source,
                offset,
                "a second element outside of all",
            ));
        }
        self.has_root = true;
        self.depth += 1;
        check_attributes(self.source, &start, offset)?;
        let mut is_of_graphml = false;
        if self.depth <= DEEPEST {
            let opened = self.namespaces.push(&start);
            opened.map_err(|error| no_xml(self.source, offset, &error.to_string()))?;
            is_of_graphml = match self.namespaces.resolve_element(start.name()).0 {
                ResolveResult::Bound(namespace) => namespace == Namespace(NAMESPACE),
                ResolveResult::Unbound => true,
                ResolveResult::Unknown(prefix) => {
                    let what = format!("the prefix “{prefix}” is not declared");
                    return Err(no_xml(self.source, offset, &what));
                }
            };
        }
        Ok(Part::Begin(Element {
            source: self.source,
            start,
            offset,
            is_of_graphml,
        }))
    }

    /// What `&…;` stands for.
    fn referred_to(&self, reference: &BytesRef<'_>, offset: usize) -> Result<String, FormatError> {
        let character = reference
            .resolve_char_ref()
            .map_err(|error| broken(self.source, offset, &error))?;
        let known = || quick_xml::escape::resolve_predefined_entity(reference);
        match character {
            Some(character) => Ok(character.into()),
            None => known()
                .map(str::to_owned)
                .ok_or_else(|| no_xml(self.source, offset, &undeclared(reference))),
        }
    }
}

impl Element<'_> {
    /// Tells whether it is this one of GraphML.
    pub(super) fn is(&self, name: &str) -> bool {
        self.is_of_graphml && self.name() == name
    }

    pub(super) fn name(&self) -> &str {
        self.start.local_name().into_inner()
    }

    /// The value of an attribute.
    pub(super) fn attribute(&self, name: &str) -> Result<Option<String>, FormatError> {
        let mut attributes = self.start.attributes();
        let all = attributes.with_checks(false).filter_map(Result::ok);
        let Some(found) = all.into_iter().find(|one| one.key.into_inner() == name) else {
            return Ok(None);
        };
        let value = found.normalized_value(Explicit1_0);
        let value = value.map_err(|error| broken(self.source, self.offset, &error))?;
        Ok(Some(legal(self.source, value, self.offset)?.into_owned()))
    }

    /// The value of an attribute that it must have.
    pub(super) fn required(&self, name: &str) -> Result<String, FormatError> {
        self.attribute(name)?.ok_or_else(|| {
            let found = format!("<{}> without {name}", self.name());
            self.unexpected(found, &format!("{name}=\"…\" in it"))
        })
    }

    pub(super) fn unexpected(&self, found: impl Into<String>, expected: &str) -> FormatError {
        self.source.unexpected(self.offset, found, expected)
    }
}

/// Refuses attributes that are no XML, in whatever element.
fn check_attributes(
    source: Source<'_>,
    start: &BytesStart<'_>,
    offset: usize,
) -> Result<(), FormatError> {
    let mut names = Vec::new();
    // Each would be compared with all before it.
    for attribute in start.attributes().with_checks(false) {
        let attribute = attribute.map_err(|error| no_attribute(source, offset, &error))?;
        if attribute.value.contains('<') {
            return Err(no_xml(source, offset, "“<” in the value of an attribute"));
        }
        names.push(attribute.key);
    }
    names.sort_unstable();
    match names.windows(2).find(|pair| pair[0] == pair[1]) {
        None => Ok(()),
        Some(pair) => {
            let what = format!("the attribute “{}” twice", pair[0].into_inner());
            Err(no_xml(source, offset, &what))
        }
    }
}

fn place(position: u64) -> usize {
    narrow(position, "a place in a text that is in memory")
}

/// A text all of whose characters XML has.
fn legal<'x>(
    source: Source<'_>,
    text: Cow<'x, str>,
    offset: usize,
) -> Result<Cow<'x, str>, FormatError> {
    match text.char_indices().find(|&(_, c)| !is_held(c)) {
        None => Ok(text),
        Some((_, found)) => {
            let what = format!("XML has no character U+{:04X}", u32::from(found));
            Err(no_xml(source, offset, &what))
        }
    }
}
