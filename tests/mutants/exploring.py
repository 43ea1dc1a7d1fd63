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
crates/weft-explore/src/answers/cable.rs
  service ends count in loads
    - pairs.retain(|one| !one.pair.iter().any(|&host| fabric.is_service(host)));
    + pairs.retain(|one| one.pair[0] != one.pair[1]);
  a pair brings as much whatever the pattern
    - let load = one.load * shares[place].1;
    + let load = one.load;
  names are searched as they are written
    - shown.search.is_empty() || name.to_lowercase().contains(&shown.search)
    + shown.search.is_empty() || name.contains(&shown.search)
  the first portion is shown always
    - let page = matching.iter().skip(shown.first).take(shown.count);
    + let page = matching.iter().take(shown.count);
crates/weft-explore/src/answers/without.rs
  what failed before is whole again
    - let failed = state.failed.and(part);
    + let failed = crate::state::Failed::default().and(part);
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
    - f"default-src 'none'; script-src {_digest(script)} 'wasm-unsafe-eval';"
    + f"default-src 'none'; script-src 'unsafe-inline' 'wasm-unsafe-eval';"
  a page has any size
    - if size > MOST_BYTES:
    + if size > 100 * MOST_BYTES * MOST_BYTES:
  pages differ by the hour
    - return base64.b64encode(gzip.compress(content, mtime=0)).decode()
    + return base64.b64encode(gzip.compress(content, mtime=id(content))).decode()
python/weft/explore/scene.py
  cables are links of hosts, too
    - is_cable = fabric.is_switch_channel[::2]
    + is_cable = fabric.is_switch_channel[::2] | True
""",
)
