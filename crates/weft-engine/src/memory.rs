//! Memory that is asked for before it is needed.
//!
//! On fabrics of ten thousand hosts and more, what an event looks at first is in no cache, and handling one
//! is a chain of such looks. Where several events are at hand, what all of them look at is asked for first, so
//! that their memory comes at the same time.

/// How many are asked for together.
pub(crate) const TOGETHER: usize = 16;

/// Bytes of a cache line.
const LINE: usize = 64;

/// Has the processor bring the cache line in which an item begins, and goes on.
#[inline]
pub(crate) fn fetch<T>(item: &T) {
    fetch_place(std::ptr::from_ref(item).cast());
}

/// The same of all cache lines of an item that begins with one.
#[inline]
pub(crate) fn fetch_whole<T>(item: &T) {
    let first = std::ptr::from_ref(item).cast::<u8>();
    for offset in (0..size_of::<T>()).step_by(LINE) {
        fetch_place(first.wrapping_add(offset));
    }
}

/// The same of the cache line of a place in memory.
#[inline]
#[expect(
    unsafe_code,
    reason = "the standard library has no safe prefetch; to read the items instead costs small fabrics a tenth \
              and helps large ones half as much"
)]
#[cfg(target_arch = "x86_64")]
pub(crate) fn fetch_place(place: *const u8) {
    use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
    // SAFETY: a prefetch changes nothing but caches, whatever the address.
    unsafe { _mm_prefetch::<_MM_HINT_T0>(place.cast()) }
}

/// Does nothing where the compiler has no stable prefetch.
#[inline]
#[cfg(not(target_arch = "x86_64"))]
pub(crate) fn fetch_place(_: *const u8) {}
