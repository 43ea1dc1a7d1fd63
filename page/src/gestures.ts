// Mouse, touch and keys on the drawing: drag, pinch, wheel, arrows.

export interface Gestures {
  pan(across: number, down: number): void;
  zoom(factor: number, at: readonly [number, number] | null): void;
  whole(): void;
  pick(x: number, y: number, reach: number, isMore: boolean): void;
  over(x: number, y: number): void;
}

/** A press that moves less is a click. */
const STILL = 5;
const REACH = { mouse: 7, touch: 16 };
const STEP = 60;
const WHEEL = 0.0016;

/** Listen on an element until the function given back is called. */
export function listen(element: HTMLElement, to: Gestures): () => void {
  const pressed = new Map<number, [number, number]>();
  let way = 0;
  let spread = 0;
  const place = (event: MouseEvent): [number, number] => {
    const box = element.getBoundingClientRect();
    return [event.clientX - box.left, event.clientY - box.top];
  };
  const middle = (): [number, number] => {
    const points = [...pressed.values()];
    const sum = (at: 0 | 1): number => points.reduce((total, point) => total + point[at], 0);
    return [sum(0) / points.length, sum(1) / points.length];
  };
  const apart = (): number => {
    const [one, other] = [...pressed.values()];
    return one && other ? Math.hypot(one[0] - other[0], one[1] - other[1]) : 0;
  };
  const off = new AbortController();
  const on = <K extends keyof HTMLElementEventMap>(
    name: K,
    react: (event: HTMLElementEventMap[K]) => void,
    options: AddEventListenerOptions = {},
  ): void => element.addEventListener(name, react, { signal: off.signal, ...options });

  on("pointerdown", (event) => {
    if (event.button > 0) return;
    element.setPointerCapture(event.pointerId);
    if (pressed.size === 0) way = 0;
    pressed.set(event.pointerId, place(event));
    spread = apart();
  });
  on("pointermove", (event) => {
    const at = place(event);
    if (!pressed.has(event.pointerId)) {
      to.over(...at);
      return;
    }
    const before = middle();
    pressed.set(event.pointerId, at);
    const after = middle();
    const [across, down] = [after[0] - before[0], after[1] - before[1]];
    way += Math.hypot(across, down);
    if (pressed.size > 1) {
      const now = apart();
      if (spread > 0 && now > 0) to.zoom(now / spread, after);
      spread = now;
      way = Infinity;
    }
    if (way > STILL) to.pan(across, down);
  });
  const release = (event: PointerEvent, isPick: boolean): void => {
    if (!pressed.delete(event.pointerId)) return;
    spread = apart();
    if (isPick && pressed.size === 0 && way <= STILL) {
      to.pick(...place(event), event.pointerType === "mouse" ? REACH.mouse : REACH.touch, event.shiftKey);
    }
  };
  on("pointerup", (event) => release(event, true));
  on("pointercancel", (event) => release(event, false));
  on("pointerleave", () => to.over(-1e6, -1e6));
  on(
    "wheel",
    (event) => {
      event.preventDefault();
      const lines = event.deltaMode === WheelEvent.DOM_DELTA_LINE ? 16 : 1;
      const pinch = event.ctrlKey ? 6 : 1;
      to.zoom(Math.exp(-event.deltaY * lines * pinch * WHEEL), place(event));
    },
    { passive: false },
  );
  on("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const keys: Record<string, () => void> = {
      ArrowLeft: () => to.pan(STEP, 0),
      ArrowRight: () => to.pan(-STEP, 0),
      ArrowUp: () => to.pan(0, STEP),
      ArrowDown: () => to.pan(0, -STEP),
      "+": () => to.zoom(1.4, null),
      "=": () => to.zoom(1.4, null),
      "-": () => to.zoom(1 / 1.4, null),
      "0": () => to.whole(),
      Home: () => to.whole(),
    };
    const act = keys[event.key];
    if (!act) return;
    event.preventDefault();
    act();
  });
  return () => off.abort();
}
