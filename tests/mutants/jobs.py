"""The mistakes planted in what ranks placements of jobs, and tells what jobs cost each other."""

from __future__ import annotations

from mutants import mutants

JOBS = mutants(
    "jobs",
    r"""
python/weft/jobs/times.py
  all runs start as told
    - if run == 0:
    + if True:
  the first run starts later as well
    - if run == 0:
    + if False:
  packets are longer though a run is cut to no small part
    - too_many = sum(packets) * _WORK_OF_PACKET / (_MOST_CUT * most_work)
    + too_many = sum(packets) * _WORK_OF_PACKET / most_work
  packets are longer though four repetitions say what all would
    - too_many /= max(1, least // _LEAST_REPETITIONS)
    + too_many /= 1
  a job that has received nothing has no end
    - if any(map(math.isnan, ends)):
    + if False:
  longer packets in buffers as before
    - values[name] = min(int(values[name]) * times, most)
    + values[name] = min(int(values[name]) * (times if name == "mtu_bytes" else 1), most)
  packets are as long as before in buffers that are larger
    - changes["packet_bytes"] = packet_bytes
    + changes["packet_bytes"] = packet_bytes // longer
  a single run in full counts as all of them
    - return not is_short and len(self.runs_ns) >= _RUNS_IN_FULL
    + return not is_short
  traffic beside jobs is left out
    - background=background, nodes=nodes, cancel=cancel
    + background=None, nodes=nodes, cancel=cancel
python/weft/jobs/cut_runs.py
  a job is as far as its first rank
    - sums.append(sum(of_ranks[first : first + job.ranks]))
    + sums.append(of_ranks[first])
  what a job received before it was halfway counts as fast as after
    - left * (now_ns - since_ns) / more
    + left * now_ns / more
  jobs that are over go on
    - if not math.isnan(ends[number]):
    + if False:
python/weft/jobs/placing.py
  the best of what was shortened stays so
    - return one if one.times.is_in_full else replace(one, times=times(one.hosts, whole))
    + return one
  the same hosts are tried twice
    - if hosts not in places.values():
    + if True:
  a placement is told what the first one takes
    - return PlacedJob(placement, hosts, times(hosts, in_part))
    + return PlacedJob(placement, hosts, times(next(iter(places.values())), in_part))
  an interrupt leaves the runs of placements going
    - cancel.cancel()
    + pass
python/weft/placement.py
  the adapters of a rank are of several computers
    - size = max(len(own), 1) if is_whole else adapters
    + size = max(len(own), 1) if is_whole else 1
  a job is given some adapters of a computer and not the others
    - size = max(len(own), 1) if is_whole else adapters
    + size = adapters
  what is too little for another rank is given, too
    - own = own[: len(own) // adapters * adapters]
    + pass
python/weft/jobs/sharing.py
  what traffic sends does not count among the others
    - if beside[channel] > 0:
    + if False:
python/weft/jobs/running.py
  traffic is there as long as the longest job
    - part = (end - job.start_ns) / together.simulated_ns
    + part = 100.0
  traffic beside jobs is blamed for what fails
    - events=events,
    -             retries=retries,
    -             cancel=cancel,
    -         )
    -         if without.end
    + cancel=cancel,
    +         )
    +         if without.end
  what jobs take without another is told of others
    - [*durations[:other], math.nan, *durations[other:]]
    + [math.nan, *durations]
python/weft/jobs/job_lists.py
  jobs are placed in the order of the file
    - key=lambda number: "hosts" not in entries[number].told
    + key=lambda number: False
  a rule that is asked for leaves those that the file says
    - rule = placement or a_text(
    + rule = a_text(
""",
)
