//! Numbers as JSON has them.

use serde_json::{Number, Value};

/// Whole numbers up to here are written without a point.
const LARGEST_WHOLE: f64 = 9_007_199_254_740_992.0;

/// A number; one that JSON cannot hold is null.
pub(crate) fn number(value: f64) -> Value {
    if value.fract() == 0.0 && (0.0..LARGEST_WHOLE).contains(&value) {
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "whole, and in the range that is looked at"
        )]
        return Value::Number(Number::from(value as u64));
    }
    Number::from_f64(value).map_or(Value::Null, Value::Number)
}
