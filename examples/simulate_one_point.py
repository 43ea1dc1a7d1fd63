"""Simulate one load on a 4x4 torus and look at what limits it."""

import numpy as np

import weft

fabric = weft.torus(4, 4, hosts_per_switch=4)
routing = weft.route(fabric, "ud_itb", seed=1)
assert weft.prove(fabric, routing).deadlock_free  # noqa: S101 - an example

traffic = weft.Traffic(load=0.10, payload_bytes={32: 0.5, 512: 0.5}, arrivals="poisson", seed=1)
measured = weft.simulate(fabric, routing, weft.hardware("myrinet", routing_delay_ns=100), traffic)

print(f"{measured.reason}: {measured.reason_text}")
print(f"accepted {measured.accepted_load:.4f} of {measured.offered_load:.4f} offered")
latency = measured.generation_latency_ns
print(f"latency {latency.mean:.0f} ± {latency.mean_half_width:.0f} ns, 99 %: {latency.p99:.0f} ns")

busiest = np.argsort(measured.channel_utilization)[-3:][::-1]
for channel in busiest:
    share = measured.channel_utilization[channel]
    print(f"{fabric.describe_channel(channel)}: in use {share:.1%} of the time")
