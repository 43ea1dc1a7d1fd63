// What components hear of: changes of the model, light and dark.

import { useEffect, useLayoutEffect, useState } from "preact/hooks";
import type { Model } from "./model";
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

/** Keep the last value that was there. */
export function useLast<T>(value: T | null, key: unknown): T | null {
  const [kept] = useState<{ value: T | null; key: unknown }>({ value: null, key });
  if (kept.key !== key) [kept.value, kept.key] = [null, key];
  if (value !== null) kept.value = value;
  return kept.value;
}
