//! The reader of ibnetdiscover's output: what it makes of files as clusters produce them, and what
//! it tells of the rest.

mod doubtful;
mod logs;
mod samples;
mod twins;
mod whole;
