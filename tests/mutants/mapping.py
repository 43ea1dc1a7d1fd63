"""The mistakes planted where parts of a wormhole network fail and a mapper gives hosts routes."""

from __future__ import annotations

from mutants import mutants

MAPPING = mutants(
    "mapping",
    r"""
crates/weft-engine/src/wormhole/core/changes.rs
  a claim of a cycle to come stands when its channel fails
    - self.is_claimed_ahead(channel)
    + self.is_claimed_ahead(channel) && false
  what holds a channel that fails arrives whole
    - self.traffic.packets[packet].is_broken = true;
  who waits for what fails goes on waiting
    - self.clock.refused.push(input);
  a NIC does not look when its link returns
    - self.clock.undecided.push(host);
  who asked in the cycle of a failure and a return is forgotten
    - self.clock.contested.push(channel);
  a NIC takes two packets without a route in a cycle
    - self.taken_in_vain[host] = now;
  a packet without a route has its timer since it left before
    - self.traffic.packets[packet].injection_cycle = now; self.lose
    + self.lose
  sources send again once more often
    - packet.tries < retries.count
    + packet.tries <= retries.count
  changes behind the first wait for something to happen
    - self.plan_change(); } /// Takes care
    + } /// Takes care
crates/weft-engine/src/happening.rs
  a channel works when its link returns, its switch or not
    - self.failures[channel] -= 1;
    + self.failures[channel] = 0;
  a switch that fails twice must return twice
    - !set(&mut self.failed_switches, switch, has_failed)
    + !set(&mut self.failed_switches, switch, has_failed) && !has_failed
  a failed switch leaves the channels to it alone
    - .flat_map(|&channel| [channel, channel.reverse()]);
    + .flat_map(|&channel| [channel]);
crates/weft-engine/src/wormhole/core/claims.rs
  what is down is claimed
    - if self.is_down(output) || !self.is_clear
    + if !self.is_clear
crates/weft-engine/src/wormhole/core/tails.rs
  who asks while a switch fails and returns is thought to meet nobody
    - self.flow.touch_fresh(&mut self.clock, input); self.clock.refused.push(input);
    + self.clock.refused.push(input);
  what is down is asked for
    - if self.is_down(output) {
    + if self.is_down(output) && !arrives {
crates/weft-engine/src/wormhole/core/departures.rs
  what is down is granted when it falls free
    - if self.is_down(output) { continue; }
crates/weft-engine/src/wormhole/core/losses.rs
  what has failed and works again is discarded as too late
    - is_late.then_some(LossCause::Timeout)
    + (is_late || T::HAS_CHANGES).then_some(LossCause::Timeout)
crates/weft-engine/src/wormhole/core/sending.rs
  a NIC sends over its own failed link
    - self.is_cut_off(host) || self.has_taken_in_vain(host)
    + self.has_taken_in_vain(host)
  firmware that sends over a failed link is lucky
    - self.traffic.packets[packet].is_broken |= self.is_cut_off(host);
  a packet without a route is sent
    - !self.traffic.packets[packet].has_route
    + !self.traffic.packets[packet].has_route && false
crates/weft-engine/src/wormhole/core/receptions.rs
  what is broken is delivered
    - T::HAS_CHANGES && self.traffic.packets[packet].is_broken
    + T::HAS_CHANGES && self.traffic.packets[packet].is_broken && is_damaged
  what failures took counts for nothing
    - self.traffic.packets[again].tries += 1;
crates/weft-engine/src/wormhole/hosts/backlog.rs
  what is sent again takes the routes of its loss
    - traffic.renew(again.packet);
  what is due in one cycle goes by where it was lost
    - other.lost <= lost
    + (other.lost.due, other.lost.place) <= (lost.due, lost.place)
crates/weft-engine/src/wormhole/hosts/firmware.rs
  firmware sends while its link is down
    - !self.is_send_taken && self.is_connected;
    + !self.is_send_taken;
  a buffer is taken for a packet without a route
    - if !traffic.packets[packet].has_route { return Some(packet); } self.buffers_taken += 1;
    + self.buffers_taken += 1; if !traffic.packets[packet].has_route { return Some(packet); }
crates/weft-engine/src/wormhole/traffic.rs
  a packet that is far takes the first routes
    - self.steps_between(state.routes, state.source, state.destination)
    + self.steps_between(0, state.source, state.destination)
  a packet that is sent again is as broken as before
    - packet.is_broken = false;
  stops are counted by the first routes
    - Some(before) => &self.others[before as usize].stops,
    + Some(_) => self.stops,
crates/weft-routing/src/form/mapped_routes.rs
  routes lead from hosts that are not found
    - self.finds(source) && self.finds(destination)
    + self.finds(destination)
""",
)
