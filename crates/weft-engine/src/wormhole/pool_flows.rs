//! What flows into the in-transit pools of hosts and out of them.

use super::Core;
use super::run::{Run, Timing};
use super::state::NONE;

impl<T: Timing> Core<'_, T> {
    /// Brings a host's pool up to date, before a change of what it receives or sends.
    #[inline]
    pub(super) fn touch_pool(&mut self, host: u32) {
        if self.pool_active[host as usize] && !self.nics[host as usize].pool.is_at(self.now) {
            self.follow_pool(host);
        }
    }

    pub(super) fn follow_pool(&mut self, host: u32) {
        let (arriving, leaving) = self.pool_flows(host);
        let nic = &mut self.nics[host as usize];
        nic.pool.follow(self.now, arriving, leaving);
        self.pool_active[host as usize] =
            nic.sends_pooled || nic.last_mark.0 != NONE || !nic.pool.is_empty();
    }

    /// The runs of pooled flits that arrive at and leave a host's NIC, in cycles there.
    pub(super) fn pool_flows(&self, host: u32) -> (Run<T::Stride>, Run<T::Stride>) {
        let nic = &self.nics[host as usize];
        let (injection, ejection) = (
            &self.channels[nic.channel as usize].output,
            &self.channels[(nic.channel ^ 1) as usize].output,
        );
        let arriving = if nic.last_mark == (ejection.packet, true) {
            self.arrival_run(nic.channel ^ 1, ejection.run, ejection.sent_before_run == 0)
        } else {
            Run::NONE
        };
        let leaving = if nic.sends_pooled {
            injection.run
        } else {
            Run::NONE
        };
        (arriving, leaving)
    }

    /// A run of an ejection channel in cycles of arrival, without the mark if it begins with it.
    fn arrival_run(&self, channel: u32, run: Run<T::Stride>, has_mark: bool) -> Run<T::Stride> {
        run.later(self.timing.latency(channel))
            .after(u64::from(has_mark))
    }

    /// Notes a finished run of an in-transit packet on an ejection channel; `sent` is about to
    /// be closed, the pool up to date.
    pub(super) fn note_pool_arrival(&mut self, channel: u32, host: u32, sent: Run<T::Stride>) {
        let output = &self.channels[channel as usize].output;
        if output.delivers {
            return;
        }
        let packet = output.packet;
        let run = self.arrival_run(channel, sent, output.sent_before_run == 0);
        self.follow_pool(host);
        self.pool_active[host as usize] = true;
        let nic = &mut self.nics[host as usize];
        let pooled = (nic.last_mark.0 == packet).then_some(nic.last_mark.1);
        nic.pool.add_arrival(run, packet, pooled);
    }
}
