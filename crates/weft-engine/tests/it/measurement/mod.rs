//! Measurements of networks whose true figures are known: queues, transients, and networks that
//! stand still.

mod figures;
mod limits;
mod queues;
#[cfg(test)]
mod replay;
mod warm_up;
