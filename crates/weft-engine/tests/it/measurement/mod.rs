//! Measurements of networks whose true figures are known: queues, transients, and networks that
//! stand still.

mod figures;
mod generated;
mod limits;
mod queues;
#[cfg(test)]
mod replay;
mod warm_up;
