"""The mistakes planted in what figures of a study are made of, and in the tables of exports."""

from __future__ import annotations

from mutants import mutants

FIGURES = [
    *mutants(
        "figures",
        r"""
python/weft/reproduce/spread.py
  extremes over many topologies: the least of all
    - drawn = min(count, len(values))
    + drawn = len(values)
  extremes over many topologies: values drawn again
    - ways = (math.comb(len(values) - 1 - place, drawn - 1) for place in range(len(values)))
    + ways = (math.comb(len(values) - place, drawn - 1) for place in range(len(values)))
  extremes over many topologies: the least are not first
    - for value, number in zip(sorted(values), ways, strict=True)
    + for value, number in zip(values, ways, strict=True)
python/weft/reproduce/low_load.py
  low traffic: a share of the most is all of it
    - return lambda most: share * most.at_load
    + return lambda most: most.at_load
  low traffic: what is carried at the load is the load
    - bytes_per_ns_per_switch * most.accepted_load / most.accepted_bytes_per_ns_per_switch
    + bytes_per_ns_per_switch * most.at_load / most.accepted_load
  penalty: of the longer latency
    - 100 * (more / less - 1)
    + 100 * (1 - less / more)
  penalty: of one draw of the phases
    - for seed in range(first, first + _SEEDS)
    + for seed in range(first, first + 1)
python/weft/results/throughput.py
  saturation: below 0.90 of what is offered
    - SATURATED_BELOW = 0.95
    + SATURATED_BELOW = 0.90
  saturation: exactly 0.95 is saturated
    - accepted_load < SATURATED_BELOW * offered_load
    + accepted_load <= SATURATED_BELOW * offered_load
  saturation: a run that ended saturated is not
    - stuck = reason in ("saturated", "deadlocked")
    + stuck = reason == "deadlocked"
  throughput: that of the largest load
    - best = max(range(len(by_load)), key=means.__getitem__)
    + best = len(by_load) - 1
  throughput: the best seed stands for its load
    - return math.fsum(point.measurement.accepted_load for point in group) / len(group)
    + return max(point.measurement.accepted_load for point in group)
  throughput: traffic of the first seed
    - accepted_bytes_per_ns_per_switch=math.fsum(traffic) / len(traffic),
    + accepted_bytes_per_ns_per_switch=traffic[0],
  throughput: its interval is that of one load alone
    - half_width=_half_width(group, _rivals(by_load, best)),
    + half_width=_half_width(group),
  throughput: an interval in loads, not in bytes
    - measurement.accepted_load_half_width * traffic[0] / measurement.accepted_load
    + measurement.accepted_load_half_width
  throughput: rivals by one side of the interval
    - widening = _NORMAL.inv_cdf(1 - miss / 2)
    + widening = _NORMAL.inv_cdf(1 - miss)
  throughput: all loads are rivals
    - return sum(mean >= means[best] - half_width for mean in means)
    + return len(means)
python/weft/results/knee.py
  knee: at three times the unloaded latency
    - KNEE_FACTOR = 2.0
    + KNEE_FACTOR = 3.0
  knee: any lowest load is an unloaded network
    - UNLOADED_SHARE = 0.25
    + UNLOADED_SHARE = 1.0
  knee: between latencies on a straight line
    - return math.log(limit / low) / math.log(high / low)
    + return (limit - low) / (high - low)
  knee: the limit itself is not yet there
    - if after >= limit_ns), None)
    + if after > limit_ns), None)
  knee: the narrow side of the interval
    - half_width=max(width) if
    + half_width=min(width) if
  knee: an end that crosses nowhere is left out
    - if len(width) == len(ends) else math.nan
    + if width else math.nan
  knee: the unloaded latency is known exactly
    - limit_ns *= 1 - side * known[0].spread
    + limit_ns *= 1 - 0 * side * known[0].spread
  knee: its interval is that of a load
    - return _between(below.traffic, above.traffic, _crossing(low, high, limit_ns))
    + return _between(below.load, above.load, _crossing(low, high, limit_ns))
  knee: latency of the network alone
    - [found.generation_latency_ns.mean for found in measured]
    + [found.network_latency_ns.mean for found in measured]
  knee: the interval of one seed stands for many
    - latency.half_width if len(group) > 1 else of_one
    + of_one
python/weft/results/link_use.py
  links: a flit is a byte
    - factors = {"flits/ns/switch": flit_bytes,
    + factors = {"flits/ns/switch": 1.0,
  links: percent are shares
    - "%": per_load / 100}
    + "%": per_load}
  links: those of hosts count
    - between = results.fabric.is_switch_channel.tolist()
    + between = [True] * results.fabric.channel_count
  links: at the load offered, not the traffic accepted
    - accepted = [point.measurement.accepted_bytes_per_ns_per_switch for point in group]
    + accepted = [point.measurement.offered_bytes_per_ns_per_switch for point in group]
  links: the nearest step stands for what lies between
    - low + share * (high - low) for low
    + low + round(share) * (high - low) for low
  links: at the throughput itself
    - SHARE_OF_LEAST_THROUGHPUT = 0.8
    + SHARE_OF_LEAST_THROUGHPUT = 1.0
  links: of the best routing
    - least = min(r.throughput
    + least = max(r.throughput
  links: blocked and busy change places
    - names = ("channel_utilization", "channel_blocked")
    + names = ("channel_blocked", "channel_utilization")
  links: 10 percent are 10 shares
    - fmean(share < 0.1 - _ROUNDING for
    + fmean(share < 10 for
python/weft/results/fairness.py
  fairness: hosts that do not send count
    - reverse=True)[:senders]
    + reverse=True)
  fairness: the hosts served worst stand for all
    - reverse=True)[:senders]
    + reverse=True)[-senders:]
  fairness: best over worst
    - return self.least / self.most if self.most else math.nan
    + return self.most / self.least if self.most else math.nan
python/weft/results/results.py
  fairness: of all hosts of the fabric
    - return fairness_of(figures.host_accepted_load, self.sending_hosts)
    + return fairness_of(figures.host_accepted_load, self.fabric.host_count)
python/weft/statistics.py
  jain: without the number of hosts
    - return math.fsum(values) ** 2 / (len(values) * squares) if squares else math.nan
    + return math.fsum(values) ** 2 / squares if squares else math.nan
  seeds: the spread of a whole population
    - for value in values) / (count - 1)
    + for value in values) / count
  seeds: an interval of one side
    - student_quantile(0.5 + confidence / 2, count - 1)
    + student_quantile(confidence, count - 1)
  seeds: the spread of one run, not of their mean
    - quantile * math.sqrt(variance / count), count)
    + quantile * math.sqrt(variance), count)
python/weft/results/lanes.py
  lanes: channels of hosts count
    - zip(*compress(of.tolist(), between), strict=True)
    + zip(*of.tolist(), strict=True)
  lanes: a lane that is blocked all the time is idle
    - or max(kept) > 0 or max(most) > 0
    + and min(used) > 0
python/weft/results/ranking.py
  ranking: equal within ten per cent
    - EQUAL_WITHIN = 0.03
    + EQUAL_WITHIN = 0.1
  ranking: unloaded at the highest load
    - unloaded = min(routing.points, key
    + unloaded = max(routing.points, key
  ranking: the unloaded latency of one seed
    - latency = math.fsum(latencies) / len(latencies) if is_known else math.nan
    + latency = latencies[0] if is_known else math.nan
  ranking: the unloaded latency of a saturated network
    - is_known = bool(first) and not any(map(is_point_saturated, first))
    + is_known = bool(first)
  ranking: latency of the network alone
    - point.measurement.generation_latency_ns.mean
    + point.measurement.network_latency_ns.mean
  ranking: knees count where each routing has one alone
    - return row.knee_bytes_per_ns_per_switch is not None or _most(row) <= highest
    + return row.knee_bytes_per_ns_per_switch is not None
  ranking: a knee beyond what was simulated is none
    - return _most(row) if row.is_knee_beyond else row.knee_bytes_per_ns_per_switch or 0.0
    + return row.knee_bytes_per_ns_per_switch or 0.0
  ranking: a knee beyond a low load is taken for a low one
    - return _most(row) >= highest * (1 - EQUAL_WITHIN)
    + return True
  ranking: a routing that deadlocked keeps its throughput
    - return None if _deadlock(routing) else routing.throughput
    + return routing.throughput
  ranking: a routing that deadlocked keeps its knee
    - knee = None if _deadlock(routing) else routing.knee
    + knee = routing.knee
  ranking: the quickest peer is compared with itself
    - if ratio > 1 - EQUAL_WITHIN:
    + if ratio > 1 + EQUAL_WITHIN:
""",
    ),
    *mutants(
        "export",
        r"""
python/weft/export.py
  lanes: channel and lane change places
    - *divmod(number, lanes), *row]
    + *reversed(divmod(number, lanes)), *row]
  pools: intervals begin at one
    - times = (number * interval_ns, (number + 1) * interval_ns)
    + times = ((number + 1) * interval_ns, (number + 2) * interval_ns)
  routings: the load offered stands for that accepted
    - found.at_load if found else None,
    + found.accepted_load if found else None,
  routings: links of a route instead of distinct switches
    - load.mean_distance_links if load else None,
    + load.mean_hops_links if load else None,
  routings: interval and value of the knee change places
    - row.knee_bytes_per_ns_per_switch, row.knee_half_width,
    + row.knee_half_width, row.knee_bytes_per_ns_per_switch,
  routings: the interval of the throughput is that of the knee
    - found.half_width if found else None,
    + row.knee_half_width if found else None,
  routings: a deadlock found in simulation is free by its proof
    - row.state, routing.proof.deadlock_free,
    + row.state, row.state == "simulated",
  channels: routes of every channel are those of the first
    - for row in zip(channels, names, between, routes, *figures, strict=True):
    + for row in zip(channels, names, between, routes[:1] * len(routes), *figures, strict=True):
  channels: any channel is between switches
    - between = fabric.is_switch_channel.tolist()
    + between = [not each for each in fabric.is_switch_channel.tolist()]
  hosts: names of switches
    - names = results.fabric.host_names for routing, point, key in _simulated(results): figures
    + names = results.fabric.host_names[::-1]
    +     for routing, point, key in _simulated(results):
    +         figures
  points: seed and load change places
    - yield routing, point, (routing.label, point.load, point.seed)
    + yield routing, point, (routing.label, point.seed, point.load)
  studies: every row names the first
    - for row in table.rows(results): yield [name, *row]
    + for row in table.rows(results):
    +             yield [next(iter(cases)), *row]
  parquet: rows of the last batch are counted
    - count += len(batch)
    + count = len(batch)
python/weft/results/fields.py
  points: a figure of an array has its place
    - elif field.kind == "real" and value is None: value = float("nan")
    + elif field.kind == "real" and value is None:
    +             value = 0.0
""",
    ),
]
