"""The mistakes planted in what makes two points the same, and in which loads a sweep simulates."""

from __future__ import annotations

from mutants import mutants

IDENTITY = mutants(
    "identity",
    r"""
python/weft/study/case.py
  point: two patterns share their points
    - if key != "seeds"}
    + if key not in ("seeds", "pattern")}
  point: two loads share their points
    - "traffic": {**traffic, "load": load, "seed": seed},
    + "traffic": {**traffic, "seed": seed},
  point: two seeds share their points
    - "traffic": {**traffic, "load": load, "seed": seed},
    + "traffic": {**traffic, "load": load},
  point: hardware does not count
    - "hardware": conditions["hardware"],
  point: what ends a run does not count
    - "run": conditions["run"],
  point: the fabric does not count
    - "fabric": routed.fabric_digest,
  point: the parameters of a routing do not count
    - "routing": [routing.label, routing.algorithm, routed.parameters],
    + "routing": [routing.label, routing.algorithm],
  point: another version has the same
    - "weft": weft_version(),
  point: routes of one's own are known by their name
    - if routing.algorithm not in own_algorithms() and traffic == ALL_TO_ALL:
    + if traffic == ALL_TO_ALL:
  program: hosts do not count
    - "hosts": hosts}
    + "hosts": len(hosts)}
  program: what ranks do does not count
    - **routed.spec.identity(), "hosts": hosts}
    + "hosts": hosts}
python/weft/study/router.py
  point: the digest is that of the first fabric
    - self._fabric, self._fabric_digest = fabric, text_digest(fabric_text(fabric))
    + self._fabric = fabric
    +             self._fabric_digest = self._fabric_digest or text_digest(fabric_text(fabric))
python/weft/spec/study.py
  study: shares of bytes are those of packets
    - "share_of": self.traffic.share_of,
    + "share_of": "packets",
  study: sizes count without their shares
    - {str(size): share for size, share in self.traffic.sizes.items()}
    + {str(size): 1.0 for size in self.traffic.sizes}
  study: arrivals do not count
    - "arrivals": self.traffic.arrivals,
    + "arrivals": "poisson",
  study: what is in the pattern's file does not count
    - traffic["pattern_text"] = self.traffic.pattern_text
    + traffic["pattern_text"] = ""
  study: the preset alone stands for hardware
    - "hardware": {"preset": self.hardware.preset, **self.hardware.parameters},
    + "hardware": {"preset": self.hardware.preset},
  study: precision does not count
    - "precision": self.precision,
    + "precision": 0.05,
  study: the interval of pools does not count
    - "pool_interval_ns": self.pool_interval_ns,
    + "pool_interval_ns": None,
  study: packets allowed are not those of the fabric
    - if self.max_packets is not None:
    + if True:
  traffic: the seed of a point is that of the study
    - return replace(self.traffic, load=load, seed=seed)
    + return replace(self.traffic, load=load)
python/weft/spec/programs.py
  program: operations of any length are the same
    - other = _OF_OPERATIONS if self.trace is not None else _OF_TRACES
    + other = _OF_OPERATIONS if self.trace is None else _OF_TRACES
  program: what the messaging layer takes does not count
    - return {**own, **contents, **self.messaging}
    + return {**own, **contents}
python/weft/results/store.py
  file: a point that has come is that of any seed
    - load = ? AND seed = ?"
    -         return bool(
    -     self._database.rows(query, (self._study_id, key.label, key.load, key.seed)))
    + load = ?"
    +         return bool(self._database.rows(query, (self._study_id, key.label, key.load)))
  file: the outcome is that of the network alone
    - measurement.generation_latency_ns.mean,
    + measurement.network_latency_ns.mean,
python/weft/results/identity.py
  file: sections that are new do not differ
    - for section in dict.fromkeys([*there, *here]):
    + for section in there:
  file: keys that are new do not differ
    - for key in dict.fromkeys([*old, *new])
    + for key in old
python/weft/study/sweep.py
  sweep: half of the seeds saturate a load
    - if 2 * stuck > len(outcomes) else
    + if 2 * stuck >= len(outcomes) else
  sweep: the first seed stands for all
    - accepted = _mean([outcome.accepted_load for outcome in outcomes])
    + accepted = outcomes[0].accepted_load
  sweep: a round is complete with its first points
    - return all(len(self._outcomes[load]) == len(self._seeds) for load in self._round)
    + return all(self._outcomes[load] for load in self._round)
  sweep: headers do not count
    - return payload / (payload + _trailer_bytes(spec.hardware) + mean_hops_links + 1)
    + return payload / (payload + mean_hops_links + 1)
python/weft/study/preparation.py
  sweep: the bound is that of uniform traffic
    - bound = expected.saturation_bound
    + bound = load.saturation_bound
  sweep: links of several rates are taken for alike
    - bound = bound if of_rates is None else of_rates
    + bound = bound if of_rates is None else bound
python/weft/load_gap.py
  gap: hosts of several rates send alike
    - return len(between) < 2 and len(set(compress(rates, counts))) < 2
    + return len(between) < 2
  gap: cables of several rates are as full by as many routes
    - return len(between) < 2 and len(set(compress(rates, counts))) < 2
    + return len(set(compress(rates, counts))) < 2
python/weft/study/ladder.py
  ladder: a climb ends while traffic rises
    - return self._has_most_saturated() and not self._is_rising()
    + return self._has_most_saturated()
  ladder: a climb ends where most hosts get through no more
    - RISING = 0.1
    + RISING = 0.5
  ladder: one saturated load ends the climb
    - if not (last.saturated and before[-1].saturated):
    + if not last.saturated:
  ladder: gaps are measured by the load beside
    - self.bracket * top.load and not
    + self.bracket * rung.load * 2 and not
  ladder: the gap above the maximum stays
    - for index in (best - 1, best + 1) if
    + for index in (best - 1,) if
  ladder: a plateau is searched for its maximum
    - is_alike and top.saturated and beside.saturated
    + is_alike and top.saturated and beside.saturated and beside.accepted > top.accepted
  ladder: the knee is not looked for
    - return [(below + above) / 2] if above - below > KNEE_BRACKET * above else []
    + return [(below + above) / 2] if above - below > 3 * KNEE_BRACKET * above else []
""",
)
