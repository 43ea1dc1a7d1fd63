//! Records of protobuf, as far as execution traces need them: fields of whole numbers, texts and lists.

/// A field's value.
#[derive(Clone, Copy, Debug)]
pub(super) enum Value<'a> {
    /// Of a varint, or of 32 or 64 bits.
    Number(u64),
    /// Of a text, a message, or a packed list.
    Bytes(&'a [u8]),
}

impl<'a> Value<'a> {
    pub(super) fn number(self) -> Option<u64> {
        match self {
            Self::Number(number) => Some(number),
            Self::Bytes(_) => None,
        }
    }

    pub(super) fn bytes(self) -> Option<&'a [u8]> {
        match self {
            Self::Number(_) => None,
            Self::Bytes(bytes) => Some(bytes),
        }
    }

    pub(super) fn text(self) -> Option<&'a str> {
        std::str::from_utf8(self.bytes()?).ok()
    }

    /// The numbers of a list, packed or one of several fields; none if it is no list of varints.
    pub(super) fn numbers(self) -> Option<Vec<u64>> {
        let mut packed = match self {
            Self::Number(number) => return Some(vec![number]),
            Self::Bytes(bytes) => bytes,
        };
        let mut numbers = Vec::new();
        while !packed.is_empty() {
            numbers.push(varint(&mut packed)?);
        }
        Some(numbers)
    }
}

/// Takes a varint.
pub(super) fn varint(bytes: &mut &[u8]) -> Option<u64> {
    let mut value = 0;
    for shift in (0..64).step_by(7) {
        let (&byte, rest) = bytes.split_first()?;
        *bytes = rest;
        value |= u64::from(byte & 0x7f) << shift;
        if byte < 0x80 {
            return Some(value);
        }
    }
    None
}

/// Takes the next field of a message and its number: `Ok(None)` at its end, `Err` where it is broken.
pub(super) fn field<'a>(message: &mut &'a [u8]) -> Result<Option<(u64, Value<'a>)>, ()> {
    if message.is_empty() {
        return Ok(None);
    }
    let key = varint(message).ok_or(())?;
    let value = match key & 7 {
        0 => Value::Number(varint(message).ok_or(())?),
        1 => {
            let (number, rest) = message.split_first_chunk::<8>().ok_or(())?;
            *message = rest;
            Value::Number(u64::from_le_bytes(*number))
        }
        2 => {
            let length = varint(message).ok_or(())?;
            let length = usize::try_from(length).map_err(|_| ())?;
            let (bytes, rest) = message.split_at_checked(length).ok_or(())?;
            *message = rest;
            Value::Bytes(bytes)
        }
        5 => {
            let (number, rest) = message.split_first_chunk::<4>().ok_or(())?;
            *message = rest;
            Value::Number(u32::from_le_bytes(*number).into())
        }
        _ => return Err(()),
    };
    Ok(Some((key >> 3, value)))
}
