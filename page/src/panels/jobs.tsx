// Plays jobs that ran: what ranks do below the drawing, messages in it, both on one clock.

import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import { usePlayed } from "../hooks";
import type { Model } from "../model";
import type { Clock } from "../player";
import { ACTIVITIES, MOST_DRAWN, type Replayer } from "../replaying";
import { css, type Theme } from "../theme";
import { counted, duration, hostName, quantity, visible } from "../words";
import { Act } from "./parts";

/** Seconds that a whole run may take to be played. */
const LENGTHS_S = [10, 30, 100, 300];
/** So many messages are told in words. */
const NAMED = 8;
/** Most rows of pixels of the timeline. */
const MOST_HEIGHT = 150;

export function JobsPanel(props: { model: Model; replayer: Replayer; clock: Clock; theme: Theme }) {
  const { model, replayer, clock, theme } = props;
  const { recording } = replayer;
  const [length, setLength] = useState(30);
  const { time, isPlaying, setPlaying } = usePlayed(clock, recording.end_ns, recording.end_ns / length);
  const doing = replayer.doing(time);
  const underWay = replayer.underWay(time);
  const { ranks, messages } = recording;
  return (
    <>
      <ul class="key">
        {recording.jobs.map((job, at) => (
          <li key={job}>
            <span class="swatch" style={{ background: css(theme.jobs[at % theme.jobs.length] ?? theme.accent) }} />{" "}
            <bdi>{visible(job)}</bdi>, {counted(ranks.job.filter((one) => one === at).length, "rank")}
          </li>
        ))}
      </ul>
      <p class="acts">
        <Act does={() => setPlaying(!isPlaying)} isPressed={isPlaying}>Play</Act>
        <label>
          in{" "}
          <select value={String(length)} onChange={(event) => setLength(Number(event.currentTarget.value))}>
            {LENGTHS_S.map((one) => (
              <option key={one} value={String(one)}>
                {one} s
              </option>
            ))}
          </select>
        </label>
      </p>
      <label class="timeline">
        {duration(time)} of {duration(recording.end_ns)}, by {visible(recording.routing)}
        <input
          type="range"
          min={0}
          max={recording.end_ns}
          step="any"
          value={time}
          onInput={(event) => {
            setPlaying(false);
            clock.set(Number(event.currentTarget.value));
          }}
        />
      </label>
      <p>
        {ACTIVITIES.filter(([letter]) => doing.has(letter))
          .map(([letter, does]) => `${counted(doing.get(letter) ?? 0, "rank")} ${does}`)
          .join(", ")}
        .
      </p>
      <p>
        {counted(underWay.length, "message")} under way
        {recording.one_in > 1 ? `, of one in ${quantity(recording.one_in, 12)} that are kept` : ""}
        {underWay.length > MOST_DRAWN ? `; the longest ${MOST_DRAWN} are drawn` : ""}
        {underWay.length ? ":" : "."}
      </p>
      <ul class="shares">
        {underWay.slice(0, NAMED).map((at) => {
          const [source, destination] = [messages.source[at] as number, messages.destination[at] as number];
          const hosts = [ranks.host[source] as number, ranks.host[destination] as number] as const;
          return (
            <li key={at}>
              <button type="button" onClick={() => model.go({ picked: { source: hosts[0], destination: hosts[1] } })}>
                <bdi>{hostName(model.scene, hosts[0])}</bdi> → <bdi>{hostName(model.scene, hosts[1])}</bdi>
              </button>
              : {quantity(messages.bytes[at], 12)} bytes of <bdi>{visible(recording.jobs[ranks.job[source] as number] ?? "")}</bdi>
            </li>
          );
        })}
      </ul>
    </>
  );
}

/** What all ranks do over the whole run, a row a rank, with the moment that is shown. */
export function Timeline(props: { replayer: Replayer; clock: Clock; theme: Theme }) {
  const { replayer, clock, theme } = props;
  const { activities } = replayer.recording.ranks;
  const canvas = useRef<HTMLCanvasElement>(null);
  const cursor = useRef<HTMLDivElement>(null);
  const bins = Math.max(...activities.map((row) => row.length));
  useLayoutEffect(() => {
    const to = canvas.current?.getContext("2d");
    if (!to) return;
    const colours = new Map(ACTIVITIES.map(([letter], at) => [letter, activityColours(theme)[at] ?? theme.page]));
    const image = to.createImageData(bins, activities.length);
    activities.forEach((row, y) => {
      for (let x = 0; x < bins; x++) {
        image.data.set([...(colours.get(row[x] ?? ".") ?? theme.page), 255], 4 * (y * bins + x));
      }
    });
    to.putImageData(image, 0, 0);
  }, [activities, theme, bins]);
  useEffect(() => {
    const follow = (time: number): void => {
      if (cursor.current) cursor.current.style.left = `${(100 * time) / replayer.recording.end_ns}%`;
    };
    follow(clock.cycle);
    return clock.listen(follow);
  }, [clock, replayer]);
  const height = Math.min(Math.max(3 * activities.length, 24), MOST_HEIGHT);
  return (
    <figure class="ranks">
      <figcaption>
        {ACTIVITIES.map(([letter, does], at) => (
          <span key={letter}>
            <span class="swatch" style={{ background: css(activityColours(theme)[at] ?? theme.page) }} /> {does}
          </span>
        ))}
      </figcaption>
      <div class="rows" style={{ height: `${height}px` }}
        onPointerDown={(event) => {
          const box = event.currentTarget.getBoundingClientRect();
          clock.set(((event.clientX - box.left) / box.width) * replayer.recording.end_ns);
        }}
      >
        <canvas ref={canvas} width={bins} height={activities.length} role="img"
          aria-label={`What ${activities.length} ranks do, from the beginning to the end; the panel of jobs tells it as text`} />
        <div class="cursor" ref={cursor} />
      </div>
    </figure>
  );
}

function activityColours(theme: Theme): readonly (readonly [number, number, number])[] {
  const [blue, orange, green] = theme.jobs as [typeof theme.page, typeof theme.page, typeof theme.page];
  return [blue, orange, green, theme.heat[1] ?? theme.quiet, theme.heat[0] ?? theme.quiet, theme.page];
}
