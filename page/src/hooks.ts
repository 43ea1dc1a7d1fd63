// What components hear of: changes of the model, light and dark.

import { useEffect, useState } from "preact/hooks";
import type { Model } from "./model";
import { DARK, LIGHT, type Theme } from "./theme";

export function useModel(model: Model): void {
  const [, setCount] = useState(0);
  useEffect(() => model.listen(() => setCount((count) => count + 1)), [model]);
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
