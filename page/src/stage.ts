// One drawing on the page: WebGL below, names and marks above, or an SVG where there is no WebGL.

import type { Place } from "./address";
import { type Box, fitted, type Lens, lensOf, moved, type Size, zoomed } from "./camera";
import { type Gestures, listen } from "./gestures";
import type { Ground } from "./ground";
import type { Bundles } from "./bundles";
import type { Mark } from "./marks";
import { cleared, paintAbove, paintNetwork } from "./paint";
import { emptySvg, SvgPen } from "./pen";
import type { Picture } from "./picture";
import type { Scene } from "./scene";
import { type Hit, Sight } from "./sight";
import type { Theme } from "./theme";
import { GlDrawing } from "./webgl";

/** All that a drawing shows. */
export interface Shown {
  readonly scene: Scene;
  readonly ground: Ground;
  readonly bundles: Bundles;
  readonly picture: Picture;
  readonly marks: readonly Mark[];
  readonly camera: Place | null;
  readonly theme: Theme;
}

export interface Listeners {
  /** One looks elsewhere; null shows all again. */
  look(camera: Place | null): void;
  pick(hit: Hit | null, isMore: boolean): void;
  over(hit: Hit | null): void;
}

/** Without WebGL, networks of more switches are not drawn. */
export const MOST_IN_SVG = 500;
/**
 * Where drawing takes longer, as without a graphics processor, moving the camera moves the picture that
 * is there, drawn with what is around it, and it is drawn anew when one rests.
 */
const QUICK_MS = 7;
/** What is drawn around, as a part of the size at each side. */
const AROUND = 0.25;
/** In motion it is drawn anew after so many times as long as it takes. */
const PATIENCE = 12;
const REST_MS = 140;

export class Stage {
  /** Frames that were drawn and the time of the last in ms, for whoever measures. */
  readonly told = { frames: 0, draw_ms: 0 };
  private readonly base = document.createElement("canvas");
  private readonly above = document.createElement("canvas");
  private readonly gl: GlDrawing | null;
  private readonly watcher: ResizeObserver;
  private readonly deaf: () => void;
  private size: Size = { width: 0, height: 0 };
  private shown: Shown | null = null;
  /** Where the picture of a large network was drawn from. */
  private drawn: { lens: Lens; around: number } | null = null;
  private isStale = true;
  /** How long the last whole drawing took, in ms, and when it ended. */
  private cost_ms = 0;
  private drawn_at = 0;
  /** Where what is above was painted from; null where it must be painted anew. */
  private painted: Lens | null = null;
  private frame = 0;
  private rest = 0;
  private camera: Place | null = null;
  /** Marks of packets under way, above the others. */
  private moving: readonly Mark[] = [];

  constructor(
    private readonly container: HTMLElement,
    private readonly to: Listeners,
  ) {
    this.base.className = "base";
    this.above.className = "above";
    this.gl = GlDrawing.on(this.base);
    container.append(...(this.gl ? [this.base] : []), this.above);
    this.base.addEventListener("webglcontextlost", (event) => event.preventDefault());
    this.base.addEventListener("webglcontextrestored", () => location.reload());
    this.watcher = new ResizeObserver(() => this.resize());
    this.watcher.observe(container);
    this.deaf = listen(container, this.gestures());
    this.resize();
  }

  get hasGl(): boolean {
    return this.gl !== null;
  }

  show(shown: Shown): void {
    const before = this.shown;
    const isSame = before?.picture === shown.picture && before.theme === shown.theme;
    // An answer that changes nothing here is there as soon as its text is.
    const isAsDrawn = isSame && this.camera === shown.camera && areAlike(before.marks, shown.marks);
    this.shown = shown;
    this.camera = shown.camera;
    if (isAsDrawn) return;
    if (!isSame) {
      this.gl?.take(shown.picture);
      this.isStale = true;
    }
    this.painted = null;
    this.redraw();
  }

  /** Look from elsewhere at what is shown. */
  look(camera: Place | null): void {
    if (this.camera === camera) return;
    this.camera = camera;
    this.redraw();
  }

  /** Show packets where they are now. */
  move(marks: readonly Mark[]): void {
    this.moving = marks;
    this.painted = null;
    this.redraw();
  }

  /** All marks that are shown now. */
  get marks(): readonly Mark[] {
    return [...(this.shown?.marks ?? []), ...this.moving];
  }

  close(): void {
    this.deaf();
    this.watcher.disconnect();
    cancelAnimationFrame(this.frame);
    clearTimeout(this.rest);
    this.container.replaceChildren();
  }

  /** What is seen now, for figures. */
  sight(): Sight | null {
    const { shown } = this;
    if (!shown || !this.size.width) return null;
    return new Sight(shown.scene, shown.ground, shown.bundles, this.place(shown.ground), this.size);
  }

  /** The place from which a box of the scene is seen whole. */
  fit(box: Box): Place {
    return fitted(box, this.size, this.shown?.ground.steepest ?? Infinity);
  }

  private place(ground: Ground): Place {
    return this.camera ?? fitted(ground.box, this.size, ground.steepest);
  }

  private resize(): void {
    const { clientWidth: width, clientHeight: height } = this.container;
    if (!width || !height || (width === this.size.width && height === this.size.height)) return;
    this.size = { width, height };
    this.isStale = true;
    this.redraw();
  }

  private redraw(): void {
    if (!this.frame) this.frame = requestAnimationFrame(() => this.draw());
  }

  private draw(): void {
    this.frame = 0;
    const sight = this.sight();
    if (!sight || !this.shown) return;
    const begin = performance.now();
    if (this.drawBase(sight, this.shown) || !this.painted || this.moving.length) {
      const pen = cleared(this.above, this.size.width, this.size.height, this.ratio);
      if (pen) paintAbove(pen, sight, this.shown.picture, this.marks, this.shown.theme);
      this.painted = sight.lens;
      this.above.style.transform = "none";
    } else {
      this.above.style.transform = shifted(this.painted, sight.lens);
    }
    this.told.frames += 1;
    this.told.draw_ms = performance.now() - begin;
    this.container.dataset.drawn = String(this.told.frames);
  }

  private get ratio(): number {
    return Math.min(window.devicePixelRatio || 1, 2);
  }

  /** Draw the network, or move what is there; says whether it was drawn. */
  private drawBase(sight: Sight, shown: Shown): boolean {
    if (!this.gl) {
      this.drawSvg(sight, shown);
      return true;
    }
    // In motion, what is long in drawing is drawn anew now and then alone, where it does not reach.
    const isDue = performance.now() - this.drawn_at > PATIENCE * this.cost_ms;
    if (this.isStale || this.cost_ms < QUICK_MS || (isDue && !this.covers(sight))) {
      const around = this.cost_ms < QUICK_MS ? 0 : AROUND;
      const { width, height } = this.size;
      const large = { width: width * (1 + 2 * around), height: height * (1 + 2 * around) };
      const begin = performance.now();
      this.gl.draw(sight.lens, large, around ? 1 : this.ratio, shown.ground, shown.theme.page);
      if (this.isStale) {
        this.gl.finish();
        this.cost_ms = performance.now() - begin;
      }
      this.drawn_at = performance.now();
      this.settle(sight.lens, around);
      // What took long the first time is drawn once more with what is around it.
      if (!around && this.cost_ms >= QUICK_MS) this.wait();
      return true;
    }
    if (this.drawn) this.base.style.transform = shifted(this.drawn.lens, sight.lens);
    this.wait();
    return false;
  }

  /** Draw anew from where one looks once that rests. */
  private wait(): void {
    clearTimeout(this.rest);
    this.rest = window.setTimeout(() => {
      this.isStale ||= this.isMoved();
      if (this.isStale) this.redraw();
    }, REST_MS);
  }

  private settle(lens: Lens, around: number): void {
    const isOther = this.drawn?.around !== around;
    this.drawn = { lens, around };
    this.isStale = false;
    const { width, height } = this.size;
    if (isOther || this.base.dataset.size !== `${width} ${height}`) {
      this.base.dataset.size = `${width} ${height}`;
      Object.assign(this.base.style, {
        left: `${-around * width}px`,
        top: `${-around * height}px`,
        width: `${width * (1 + 2 * around)}px`,
        height: `${height * (1 + 2 * around)}px`,
      });
    }
    this.base.style.transform = "none";
  }

  private isMoved(): boolean {
    const { drawn } = this;
    return !drawn?.around || JSON.stringify(drawn.lens) !== JSON.stringify(this.sight()?.lens);
  }

  /** Tell whether the picture that is there reaches over all that is seen. */
  private covers(sight: Sight): boolean {
    if (!this.drawn) return false;
    const { lens, around } = this.drawn;
    const now = sight.lens;
    const { width, height } = this.size;
    // Zoomed far in, the picture would be coarse, and its names and lines out of place.
    return (
      Math.abs(lens.x - now.x) + width / 2 / now.scale <= ((0.5 + around) * width) / lens.scale &&
      Math.abs(lens.y - now.y) + height / 2 / now.down <= ((0.5 + around) * height) / lens.down &&
      now.scale / lens.scale < 3
    );
  }

  private drawSvg(sight: Sight, shown: Shown): void {
    const svg = emptySvg(this.size.width, this.size.height, shown.theme.page);
    svg.setAttribute("class", "base");
    svg.setAttribute("aria-hidden", "true");
    if (shown.scene.switches.name.length <= MOST_IN_SVG) {
      paintNetwork(new SvgPen(svg), sight, shown.picture);
    }
    this.container.querySelector("svg.base")?.remove();
    this.container.prepend(svg);
  }

  private gestures(): Gestures {
    const change = (next: (lens: Lens, ground: Ground) => Place): void => {
      if (!this.shown) return;
      const { ground } = this.shown;
      this.camera = next(lensOf(this.place(ground), ground.steepest), ground);
      this.redraw();
      this.to.look(this.camera);
    };
    return {
      pan: (across, down) => change((lens) => moved(lens, across, down)),
      zoom: (factor, at) =>
        change((lens, { box, spacing, steepest }) =>
          zoomed(lens, this.size, factor, at ?? [this.size.width / 2, this.size.height / 2], {
            whole: fitted(box, this.size, steepest).scale,
            spacing,
            steepest,
          }),
        ),
      whole: () => {
        this.camera = null;
        this.redraw();
        this.to.look(null);
      },
      pick: (x, y, reach, isMore) => this.to.pick(this.hit(x, y, reach), isMore),
      over: (x, y) => this.to.over(this.hit(x, y, 5)),
    };
  }

  /** Zoom about the middle, as a button does. */
  zoom(factor: number): void {
    this.gestures().zoom(factor, null);
  }

  private hit(x: number, y: number, reach: number): Hit | null {
    const sight = this.sight();
    return sight && this.shown ? sight.hit(this.shown.picture, x, y, reach) : null;
  }
}

function areAlike(marks: readonly Mark[], others: readonly Mark[]): boolean {
  return marks.length === others.length && JSON.stringify(marks) === JSON.stringify(others);
}

/** How a picture is moved and scaled that was drawn from one place and is seen from another. */
function shifted(from: Lens, to: Lens): string {
  const [across, down] = [(from.x - to.x) * to.scale, (from.y - to.y) * to.down];
  return `translate(${across}px, ${down}px) scale(${to.scale / from.scale}, ${to.down / from.down})`;
}
