//! Walking along a line.

use super::super::{FormatError, Source};
use super::{Lids, Mark};
use crate::PortNumber;

/// A line that begins as one of the format but does not go on as one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Malformed {
    /// Byte offset in the line.
    pub(crate) offset: usize,
    pub(crate) found: String,
    pub(crate) expected: &'static str,
}

impl Malformed {
    /// The error of the line that begins at `mark`.
    pub(crate) fn error(self, source: Source<'_>, mark: Mark) -> FormatError {
        source.unexpected(mark.offset + self.offset, self.found, self.expected)
    }
}

/// A place in a line.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Cursor<'a> {
    pub(crate) text: &'a str,
    pub(crate) offset: usize,
}

impl<'a> Cursor<'a> {
    /// Stands at the first word of a line.
    pub(crate) fn new(text: &'a str) -> Self {
        let mut cursor = Self { text, offset: 0 };
        cursor.skip_blanks();
        cursor
    }

    pub(crate) fn rest(&self) -> &'a str {
        &self.text[self.offset..]
    }

    pub(crate) fn skip_blanks(&mut self) {
        self.offset += self.rest().len() - self.rest().trim_start().len();
    }

    pub(crate) fn misfit(&self, expected: &'static str) -> Malformed {
        let found: String = self
            .rest()
            .split_whitespace()
            .next()
            .unwrap_or("")
            .chars()
            .take(30)
            .collect();
        let found = if found.is_empty() {
            "the end of the line".to_owned()
        } else {
            format!("“{found}”")
        };
        Malformed {
            offset: self.offset,
            found,
            expected,
        }
    }

    pub(crate) fn eat(&mut self, symbol: char, expected: &'static str) -> Result<(), Malformed> {
        if self.rest().starts_with(symbol) {
            self.offset += symbol.len_utf8();
            Ok(())
        } else {
            Err(self.misfit(expected))
        }
    }

    /// Takes everything up to `end`, and `end`.
    pub(crate) fn until(
        &mut self,
        end: char,
        expected: &'static str,
    ) -> Result<&'a str, Malformed> {
        let (content, _) = self
            .rest()
            .split_once(end)
            .ok_or_else(|| self.misfit(expected))?;
        self.offset += content.len() + end.len_utf8();
        Ok(content)
    }

    pub(crate) fn port_number(&mut self, expected: &'static str) -> Result<u8, Malformed> {
        let digits = self.rest().bytes().take_while(u8::is_ascii_digit).count();
        let number = self.rest()[..digits].parse().ok();
        let number = number
            .filter(|number| (1..=PortNumber::MAX).contains(number))
            .ok_or_else(|| self.misfit(expected))?;
        self.offset += digits;
        Ok(number)
    }

    pub(crate) fn bracketed_port(&mut self) -> Result<u8, Malformed> {
        self.eat('[', "a port in brackets")?;
        let port = self.port_number("a port, 1 to 254")?;
        self.eat(']', "“]”")?;
        Ok(port)
    }

    pub(crate) fn quoted(&mut self, expected: &'static str) -> Result<&'a str, Malformed> {
        self.skip_blanks();
        let start = self.offset;
        self.eat('"', expected)?;
        let content = self.until('"', "the closing quote")?;
        if content.trim().is_empty() {
            self.offset = start;
            return Err(self.misfit(expected));
        }
        Ok(content.trim())
    }

    /// Takes external port numbers and the GUID that may follow a port, and hands over the GUID.
    pub(crate) fn attachments(&mut self) -> Result<Option<u64>, Malformed> {
        let mut guid = None;
        loop {
            let before = self.offset;
            self.skip_blanks();
            if self.rest().starts_with("[ext") {
                self.until(']', "“]”")?;
            } else if self.rest().starts_with('(') {
                self.offset += 1;
                let digits = self.until(')', "“)”")?.trim();
                guid = hexadecimal(digits);
            } else {
                self.offset = before;
                return Ok(guid);
            }
        }
    }
}

impl<'a> Cursor<'a> {
    /// Takes the next word, which `is_right` must accept.
    pub(crate) fn word(
        &mut self,
        expected: &'static str,
        is_right: impl Fn(&str) -> bool,
    ) -> Result<&'a str, Malformed> {
        self.skip_blanks();
        let word = self.rest().split_whitespace().next();
        let word = word.filter(|word| is_right(word));
        let word = word.ok_or_else(|| self.misfit(expected))?;
        self.offset += word.len();
        Ok(word)
    }

    /// Takes a word that begins with `name` and hands over the rest of it.
    pub(crate) fn field(
        &mut self,
        name: &str,
        expected: &'static str,
    ) -> Result<&'a str, Malformed> {
        let word = self.word(expected, |word| word.len() > name.len())?;
        let value = word.strip_prefix(name);
        self.offset -= if value.is_some() { 0 } else { word.len() };
        value.ok_or_else(|| self.misfit(expected))
    }

    /// Takes a decimal LID; 0 stands for none.
    pub(crate) fn lid(&mut self) -> Result<Option<Lids>, Malformed> {
        let word = self.word("a LID", |word| word.parse::<u16>().is_ok())?;
        let lid: Option<u16> = word.parse().ok();
        Ok(lid.and_then(|lid| Lids::new(lid.into(), 0)))
    }

    /// Takes a GUID that begins with `0x`, and hands it over as written and as a number.
    pub(crate) fn guid(&mut self) -> Result<(&'a str, u64), Malformed> {
        let is_guid = |word: &str| word.starts_with("0x") && hexadecimal(word).is_some();
        let word = self.word("a GUID such as 0x0002c90300000001", is_guid)?;
        Ok((word, hexadecimal(word).unwrap_or(0)))
    }

    /// Takes exactly `text`.
    pub(crate) fn text_of(&mut self, text: &str, expected: &'static str) -> Result<(), Malformed> {
        if !self.rest().starts_with(text) {
            return Err(self.misfit(expected));
        }
        self.offset += text.len();
        Ok(())
    }
}

/// Reads a GUID as the tools print it, with or without `0x`.
pub(crate) fn hexadecimal(digits: &str) -> Option<u64> {
    let digits = digits.strip_prefix("0x").unwrap_or(digits);
    // `from_str_radix` would take a sign.
    digits
        .bytes()
        .all(|digit| digit.is_ascii_hexdigit())
        .then(|| u64::from_str_radix(digits, 16).ok())
        .flatten()
}
