// What components hear of: changes of the model, light and dark.

import { useEffect, useLayoutEffect, useState } from "preact/hooks";
import type { Model } from "./model";
import type { Clock } from "./player";
import { DARK, LIGHT, type Theme } from "./theme";

export function useModel(model: Model): void {
  const [, setChanges] = useState(model.changes);
  // Before anything is painted: an answer may be there before that.
  useLayoutEffect(() => {
    const off = model.listen(() => setChanges(model.changes));
    setChanges(model.changes);
    return off;
  }, [model]);
}

const dark = typeof matchMedia === "undefined" ? null : matchMedia("(prefers-color-scheme: dark)");

export function useTheme(): Theme {
  const [isDark, setDark] = useState(dark?.matches ?? false);
  useEffect(() => {
    const follow = (): void => setDark(dark?.matches ?? false);
    dark?.addEventListener("change", follow);
    return () => dark?.removeEventListener("change", follow);
  }, []);
  return isDark ? DARK : LIGHT;
}

/** The moment of a clock, and whether it goes on by itself: from the beginning once it was at its end. */
export function usePlayed(
  clock: Clock,
  end: number,
  perSecond: number,
): { time: number; isPlaying: boolean; setPlaying: (isPlaying: boolean) => void } {
  const [time, setTime] = useState(clock.cycle);
  useEffect(() => clock.listen(setTime), [clock]);
  const [isPlaying, setPlaying] = useState(false);
  useEffect(() => {
    if (!isPlaying) return undefined;
    let at = clock.cycle >= end ? 0 : clock.cycle;
    let before = performance.now();
    let frame = requestAnimationFrame(function step(now: number) {
      at = Math.min(at + ((now - before) / 1000) * perSecond, end);
      before = now;
      clock.set(at);
      if (at < end) frame = requestAnimationFrame(step);
      else setPlaying(false);
    });
    return () => cancelAnimationFrame(frame);
  }, [isPlaying, perSecond, end, clock]);
  return { time, isPlaying, setPlaying };
}

/** Keep the last value that was there. */
export function useLast<T>(value: T | null, key: unknown): T | null {
  const [kept] = useState<{ value: T | null; key: unknown }>({ value: null, key });
  if (kept.key !== key) [kept.value, kept.key] = [null, key];
  if (value !== null) kept.value = value;
  return kept.value;
}
