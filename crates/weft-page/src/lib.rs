//! The questions of [`weft_explore`] for a page: bytes in and out of WebAssembly.
//!
//! ```text
//! room(bytes) ─► the page writes UTF-8 there ─► open(), add() or ask() ─► answer(): bytes to read
//! ```
//!
//! A page has one fabric, in Weft's own format or any other, and asks one question at a time. There are no
//! imports: nothing here can reach a network, a clock or a file. A panic, which would be a bug, traps; the
//! page then starts anew.

use std::cell::RefCell;
use weft_explore::Explorer;

/// What is kept between calls.
#[derive(Default)]
struct Page {
    /// What the page wrote.
    input: Vec<u8>,
    answer: String,
    explorer: Option<Explorer>,
}

thread_local! {
    static PAGE: RefCell<Page> = RefCell::default();
}

/// What is said where a question comes before its fabric.
const NO_FABRIC: &str =
    r#"{"error":{"what":"found a question before a fabric, expected a fabric first"}}"#;

/// What is said of an input that is no text.
const NO_TEXT: &str = r#"{"error":{"what":"found a question that is no UTF-8, expected JSON"}}"#;

/// What is said of routes that are none.
const NO_ROUTES: &str = r#"{"error":{"what":"found no routes, expected a line with their name, and the routes in UTF-8"}}"#;

/// What is said of a pattern that is none.
const NO_PATTERN: &str = r#"{"error":{"what":"found no pattern, expected a line with it, and what its file holds in UTF-8"}}"#;

/// Makes room for an input of so many bytes, and tells where it is.
#[expect(
    unsafe_code,
    reason = "the page finds functions by their names; no other library has them"
)]
#[unsafe(no_mangle)]
pub extern "C" fn weft_room(bytes: usize) -> *mut u8 {
    PAGE.with_borrow_mut(|page| {
        page.input.clear();
        page.input.resize(bytes, 0);
        page.input.as_mut_ptr()
    })
}

/// Takes the input as the fabric that questions are about: 0, or 1 where the answer says why it is none.
#[expect(unsafe_code, reason = "as for `weft_room`")]
#[unsafe(no_mangle)]
pub extern "C" fn weft_open() -> u32 {
    PAGE.with_borrow_mut(|page| {
        let input = std::mem::take(&mut page.input);
        match Explorer::read(&input, "fabric") {
            Ok(explorer) => {
                page.explorer = Some(explorer);
                page.answer.clear();
                0
            }
            Err(error) => {
                page.explorer = None;
                page.answer = error.as_json();
                1
            }
        }
    })
}

/// Takes the input as routes of the fabric: a line with the name that states give them, and the routes in
/// Weft's own format. 0, or 1 where the answer says why they are none.
#[expect(unsafe_code, reason = "as for `weft_room`")]
#[unsafe(no_mangle)]
pub extern "C" fn weft_add() -> u32 {
    PAGE.with_borrow_mut(|page| {
        let input = std::mem::take(&mut page.input);
        let named = str::from_utf8(&input).ok();
        let named = named.and_then(|text| text.split_once('\n'));
        let added = match (&mut page.explorer, named) {
            (None, _) => Err(NO_FABRIC.to_owned()),
            (Some(_), None) => Err(NO_ROUTES.to_owned()),
            (Some(explorer), Some((name, routes))) => explorer
                .read_routes(name, routes)
                .map_err(|error| error.as_json()),
        };
        page.answer = added.err().unwrap_or_default();
        u32::from(!page.answer.is_empty())
    })
}

/// Takes the input as what stands in the file of a pattern: a line with the pattern as states name it, and
/// the file. 0, or 1 where the answer says why it is none.
#[expect(unsafe_code, reason = "as for `weft_room`")]
#[unsafe(no_mangle)]
pub extern "C" fn weft_add_pattern() -> u32 {
    PAGE.with_borrow_mut(|page| {
        let input = std::mem::take(&mut page.input);
        let named = str::from_utf8(&input).ok();
        let named = named.and_then(|text| text.split_once('\n'));
        page.answer = match (&mut page.explorer, named) {
            (None, _) => NO_FABRIC.to_owned(),
            (Some(_), None) => NO_PATTERN.to_owned(),
            (Some(explorer), Some((pattern, text))) => {
                explorer.add_pattern(pattern, text);
                String::new()
            }
        };
        u32::from(!page.answer.is_empty())
    })
}

/// Answers the question that the input is.
#[expect(unsafe_code, reason = "as for `weft_room`")]
#[unsafe(no_mangle)]
pub extern "C" fn weft_ask() {
    PAGE.with_borrow_mut(|page| {
        let input = std::mem::take(&mut page.input);
        page.answer = match (&page.explorer, str::from_utf8(&input)) {
            (None, _) => NO_FABRIC.to_owned(),
            (Some(_), Err(_)) => NO_TEXT.to_owned(),
            (Some(explorer), Ok(question)) => explorer.ask(question),
        };
    });
}

/// Tells where the last answer is.
#[expect(unsafe_code, reason = "as for `weft_room`")]
#[unsafe(no_mangle)]
pub extern "C" fn weft_answer() -> *const u8 {
    PAGE.with_borrow(|page| page.answer.as_ptr())
}

/// Counts the bytes of the last answer.
#[expect(unsafe_code, reason = "as for `weft_room`")]
#[unsafe(no_mangle)]
pub extern "C" fn weft_answer_bytes() -> usize {
    PAGE.with_borrow(|page| page.answer.len())
}
