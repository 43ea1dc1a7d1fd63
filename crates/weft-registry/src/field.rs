//! Parameters that are the fields of a struct.

use crate::{RegistryError, Spec, Value};

/// A parameter that is a field of `T`, with the way to it; [`parameters!`](crate::parameters) makes them.
#[derive(Clone, Copy, Debug)]
pub struct Field<T: 'static> {
    /// What is known of the parameter.
    pub spec: Spec,
    /// Its value.
    pub get: fn(&T) -> Value,
    /// Changes its value to one of its kind.
    pub set: fn(&mut T, Value),
}

impl<T> Field<T> {
    /// Changes the value to what a text says; `owner` names `holder` in errors.
    ///
    /// # Errors
    /// [`RegistryError::InvalidValue`].
    pub fn read(&self, owner: &str, holder: &mut T, text: &str) -> Result<(), RegistryError> {
        let text = text.trim();
        let value = self.spec.kind.read(text);
        (self.set)(holder, value.ok_or_else(|| self.spec.invalid(owner, text))?);
        Ok(())
    }

    /// Refuses a value out of range; `owner` names `holder` in errors.
    ///
    /// # Errors
    /// [`RegistryError::InvalidValue`].
    pub fn check(&self, owner: &str, holder: &T) -> Result<(), RegistryError> {
        let text = (self.get)(holder).to_string();
        if self.spec.kind.accepts(&text) {
            return Ok(());
        }
        Err(self.spec.invalid(owner, &text))
    }

    /// Refuses the first value out of range of several parameters.
    ///
    /// # Errors
    /// [`RegistryError::InvalidValue`].
    pub fn check_all(fields: &[Self], owner: &str, holder: &T) -> Result<(), RegistryError> {
        fields
            .iter()
            .try_for_each(|field| field.check(owner, holder))
    }

    /// Changes the value to a default or a preset's.
    ///
    /// # Panics
    /// When the text is no value of the parameter's kind, a bug: presets are written with it.
    pub fn preset(&self, holder: &mut T, text: &str) {
        match self.spec.kind.read(text) {
            Some(value) => (self.set)(holder, value),
            None => unreachable!("{} cannot be {text}", self.spec.name),
        }
    }
}

/// A type of fields that are parameters.
pub trait Held {
    /// The value as the parameter's.
    fn value(&self) -> Value;

    /// Takes a value that is of the parameter's kind.
    fn hold(&mut self, value: Value);
}

impl Held for f64 {
    fn value(&self) -> Value {
        Value::Number(*self)
    }

    fn hold(&mut self, value: Value) {
        match value {
            Value::Number(number) => *self = number,
            other => unreachable!("{other:?} is no number"),
        }
    }
}

macro_rules! whole {
    ($($type:ty),+) => {
        $(impl Held for $type {
            fn value(&self) -> Value {
                Value::Whole((*self).into())
            }

            fn hold(&mut self, value: Value) {
                match value {
                    Value::Whole(number) => {
                        // Invariant: the range of the parameter is within that of the type.
                        *self = number.try_into().unwrap_or_else(|_| unreachable!("{number} was checked"));
                    }
                    other => unreachable!("{other:?} is no whole number"),
                }
            }
        })+
    };
}

whole!(u32, u64);

impl Held for bool {
    fn value(&self) -> Value {
        Value::Word(if *self { "1" } else { "0" })
    }

    fn hold(&mut self, value: Value) {
        *self = value == Value::Word("1");
    }
}

/// A struct of parameters and the list of their [`Field`]s. Each parameter says once: its field's name
/// and type, default and unit, kind, summary, and, where one is given, where the default comes from.
#[macro_export]
macro_rules! parameters {
    (
        $(#[$attribute:meta])*
        $visibility:vis struct $owner:ident
        $({ $($(#[$own_attribute:meta])* $own:ident: $own_type:ty),* $(,)? })? $(;)?

        $(#[$list_attribute:meta])*
        $list_visibility:vis const $list:ident;

        $(
            $field:ident: $type:ty = $default:literal $unit:literal, $kind:expr,
            $summary:literal $(, $source:expr)?;
        )+
    ) => {
        $(#[$attribute])*
        $visibility struct $owner {
            $($($(#[$own_attribute])* pub $own: $own_type,)*)?
            $(#[doc = $summary] pub $field: $type,)+
        }

        impl $owner {
            /// Has no parameter set yet.
            pub(crate) fn blank() -> Self {
                Self {
                    $($($own: <$own_type>::default(),)*)?
                    $($field: <$type>::default(),)+
                }
            }
        }

        $(#[$list_attribute])*
        $list_visibility const $list: &[$crate::Field<$owner>] = &[$(
            $crate::Field {
                spec: $crate::Spec::of(stringify!($field), $kind, $default)
                    .says($summary)
                    .unit($unit)
                    $(.source($source))?,
                get: |holder| $crate::Held::value(&holder.$field),
                set: |holder, value| $crate::Held::hold(&mut holder.$field, value),
            }
        ),+];
    };
}

/// The words that stand for the values of an enum: its `NAMES`, the `name` of each, and [`Held`] for
/// fields of it.
#[macro_export]
macro_rules! words {
    ($type:ident { $($variant:ident = $word:literal),+ $(,)? }) => {
        impl $type {
            /// All values.
            pub const ALL: [Self; [$($word),+].len()] = [$(Self::$variant),+];

            /// Names of all values, in the same order.
            pub const NAMES: [&'static str; [$($word),+].len()] = [$($word),+];

            /// The value's name in files.
            pub const fn name(self) -> &'static str {
                match self {
                    $(Self::$variant => $word),+
                }
            }
        }

        impl $crate::Held for $type {
            fn value(&self) -> $crate::Value {
                $crate::Value::Word(self.name())
            }

            fn hold(&mut self, value: $crate::Value) {
                match value {
                    $($crate::Value::Word($word) => *self = Self::$variant,)+
                    other => unreachable!("{other:?} is no {}", stringify!($type)),
                }
            }
        }
    };
}
