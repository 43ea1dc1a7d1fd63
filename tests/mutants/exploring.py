"""The mistakes planted in what answers questions about a fabric, and in what serves a page."""

from __future__ import annotations

from mutants import mutants

EXPLORING = mutants(
    "explore",
    r"""
crates/weft-explore/src/whole.rs
  forward and back are mistaken
    - Some((cable, channel.index() & 1 == 0))
    + Some((cable, channel.index() & 1 == 1))
crates/weft-explore/src/left.rs
  what is cut off counts as failed
    - let gone = [&degraded.cut_off_hosts, &degraded.left_out_hosts];
    + let gone = [&degraded.cut_off_hosts, &degraded.cut_off_hosts];
  parts beyond the largest stay
    - keep: Keep::LargestPart,
    + keep: Keep::AllParts,
crates/weft-explore/src/answers/run.rs
  stretches that touch are told apart
    - Some(last) if last[1] == stretch[0] => last[1] = stretch[1],
    + Some(last) if last[1] > stretch[0] => last[1] = stretch[1],
  a pause is taken for none
    - _ => known.stretches.push(stretch),
    + Some(last) => last[1] = stretch[1],
    + None => known.stretches.push(stretch),
crates/weft-explore/src/crossing.rs
  the first block alone is known
    - *known |= block;
    + *known = block;
  what several cores have walked is not put together
    - *known |= more;
    + *known &= more;
crates/weft-explore/src/answers/cable.rs
  service ends count in loads
    - pairs.retain(|one| !one.pair.iter().any(|&host| fabric.is_service(host)));
    + pairs.retain(|one| one.pair[0] != one.pair[1]);
  a pair brings as much whatever the pattern
    - let load = one.load * amounts[place].1;
    + let load = one.load;
  names are searched as they are written
    - shown.search.is_empty() || name.to_lowercase().contains(&shown.search)
    + shown.search.is_empty() || name.contains(&shown.search)
  the first portion is shown always
    - let page = matching.iter().skip(shown.first).take(shown.count);
    + let page = matching.iter().take(shown.count);
crates/weft-explore/src/mended.rs
  what failed before is whole again
    - let failed = state.failed.and(part);
    + let failed = crate::state::Failed::default().and(part);
crates/weft-explore/src/answers/transition.rs
  switches are numbered as in what is left
    - *entries.entry(left.switch(write.switch)).or_default() += 1;
    + *entries.entry(write.switch.number()).or_default() += 1;
  a switch is written one entry
    - *entries.entry(left.switch(write.switch)).or_default() += 1;
    + *entries.entry(left.switch(write.switch)).or_default() = 1;
crates/weft-explore/src/answers/ways.rs
  backwards is forwards
    - .map(|(cable, forward)| 2 * cable + u32::from(!forward))
    + .map(|(cable, _)| 2 * cable)
crates/weft-explore/src/kept.rs
  given tables stay as they are after failures
    - Some(given) if left.is_whole => Ok(Routed::of(left, given.clone())),
    + Some(given) if left.is_whole || !left.is_whole => Ok(Routed::of(left, given.clone())),
  failures are forgotten
    - let key = (state.routing.clone(), state.failed.clone());
    + let key = (state.routing.clone(), Failed::default());
crates/weft-explore/src/question.rs
  members that nobody knows are passed over
    - Some((name, value)) => Err(self.wrong(name, shown(value), "no such member".to_owned())),
    + Some(_) => Ok(()),
""",
)

PAGES = mutants(
    "pages",
    r"""
python/weft/explore/server.py
  other hosts are served
    - if len(given) != 1 or given[0] not in hosts:
    + if len(given) != 1:
  other pages may ask
    - if origin is not None and origin not in {f"http://{host}" for host in hosts}:
    + if origin == "null":
  any token will do
    - is_known = hmac.compare_digest(token.encode(), self.server.token.encode())
    + is_known = True
  forms of other pages may ask
    - if kind != _JSON:
    + if not kind:
  questions have any length
    - if len(given[0]) > len(str(_LONGEST_QUESTION)) or int(given[0]) > _LONGEST_QUESTION:
    + if len(given[0]) > 4000:
  a bug ends the connection without a word
    - except RuntimeError as error:
    + except ValueError as error:
python/weft/explore/file.py
  any script may run in a page
    - f"default-src 'none'; script-src {permission(script)} 'wasm-unsafe-eval';"
    + f"default-src 'none'; script-src 'unsafe-inline' 'wasm-unsafe-eval';"
  a page has any size
    - if size > MOST_BYTES:
    + if size > 100 * MOST_BYTES * MOST_BYTES:
  pages differ by the hour
    - return base64.b64encode(gzip.compress(content, _LEVEL, mtime=0)).decode()
    + return base64.b64encode(gzip.compress(content, _LEVEL, mtime=id(content))).decode()
python/weft/explore/layers.py
  errors are of the channel away from the port
    - for way, (switch, port) in enumerate([(other, other_port), (one, one_port)]):
    + for way, (switch, port) in enumerate([(one, one_port), (other, other_port)]):
  both ways of a cable change places
    - return Layer(name, words, unit, forward=figures[::2], back=figures[1::2], notes={})
    + return Layer(name, words, unit, forward=figures[1::2], back=figures[::2], notes={})
  failures of switches count as those of cables
    - part = int(place[links[0]]) if len(links) else cables + int(switches[0])
    + part = int(place[links[0]]) if len(links) else int(switches[0])
python/weft/explore/beside.py
  results of any network are shown
    - if fabric.fingerprint != other.fingerprint:
    + if fabric.switch_count < 0:
  what returns has failed
    - failed.pop(event.part, None)
    + failed.setdefault(event.part, None)
python/weft/explore/recording.py
  time before the first bin is lost
    - first = min(int(span.begin_ns / width), bins - 1)
    + first = min(int(span.begin_ns / width) + 1, bins - 1)
python/weft/report/explore.py
  a report permits any script
    - permitted = [permission(script) for script in scripts]
    + permitted = ["'unsafe-inline'"]
python/weft/explore/switch_links.py
  cables are links of hosts, too
    - return fabric.is_switch_channel[::2]
    + return fabric.is_switch_channel[::2] | True
""",
)
