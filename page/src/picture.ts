// What is drawn of a network under some load: lines and boxes in places of the scene, for any pen.

import type { Bundles } from "./bundles";
import type { Lens, Size } from "./camera";
import { type Ground, MOST_LINES } from "./ground";
import type { Scene } from "./scene";
import { along, type Colour, type Theme } from "./theme";

/** Loads of all channels and the colours they are shown by. */
export interface Heat {
  readonly forward: ArrayLike<number>;
  readonly back: ArrayLike<number>;
  /** What the last colour stands for. */
  readonly end: number;
  /** Differences have less, as before and more; loads begin with idle. */
  readonly isDifference: boolean;
  /** Whether colours go by logarithms: figures are far apart. */
  readonly isSteep?: boolean;
  /** Of switches, where these have figures. */
  readonly switches?: readonly (number | null)[] | null;
}

export interface Failed {
  readonly cables: ReadonlySet<number>;
  readonly switches: ReadonlySet<number>;
}

/** Lines from end to end, those that matter most last. */
export interface Lines {
  readonly count: number;
  /** x, y of one end and x, y of the other. */
  readonly ends: Float32Array;
  /** Place beside the middle in slots, width in CSS pixels, 1 where dashed, share of the heat. */
  readonly shape: Float32Array;
  /** Red, green, blue, opacity. */
  readonly colours: Uint8Array;
  /** The bundle, or twice the cable and 1 for its way back. */
  readonly of: Int32Array;
}

export interface Nodes {
  readonly count: number;
  readonly at: Float32Array;
  /** Half width and half height in units of the scene, the least and the most half in CSS pixels. */
  readonly half: Float32Array;
  /** Whether they cover ground, high as rows are apart, or are as high as they are wide. */
  readonly areGround: boolean;
  readonly fill: Uint8Array;
  readonly edge: Uint8Array;
  /** Place of each: a switch, or a chassis after them. */
  readonly of: Int32Array;
}

export interface Picture {
  /** Of bundles that lie together where all of a large network is seen, the busiest alone. */
  readonly crowds: Lines;
  readonly bundles: Lines;
  readonly channels: Lines;
  /** Open chassis, below the lines. */
  readonly frames: Nodes;
  readonly nodes: Nodes;
}

const HALF_SWITCH = 0.16;
const HALF_CHASSIS = 0.36;
/** More bundles than these are drawn as crowds where all of them are seen. */
const MANY_LINES = 3000;
const [LEAST_SWITCH, LEAST_CHASSIS] = [2, 5];
const [MOST_SWITCH, MOST_CHASSIS] = [30, 70];
/** Bundles are drawn as their cables, both ways beside each other, from so many pixels a spacing on. */
const CHANNELS_FROM = 110;

/** Bundles lie together if both their ends do, in cells of this part of the drawing. */
const CELL = 1 / 130;
/** Crowds are drawn while a cell is at most so many pixels. */
const CELL_PIXELS = 10;

export type Detail = "crowds" | "bundles" | "channels";

/** Which lines are drawn at a scale. */
export function detailAt(ground: Ground, scale: number): Detail {
  if (ground.spacing * scale >= CHANNELS_FROM) return "channels";
  return cellOf(ground) * scale > CELL_PIXELS && scale > ground.sparseFrom ? "bundles" : "crowds";
}

function cellOf({ box }: Ground): number {
  return CELL * Math.max(box.right - box.left, box.bottom - box.top);
}

/** Distance of neighbouring slots in CSS pixels. */
export function spreadAt(ground: Ground, scale: number): number {
  return detailAt(ground, scale) === "channels" ? Math.min(0.03 * ground.spacing * scale, 10) : 0;
}

/** Pixels to a spacing below which lines are so many that they are drawn thinner and paler. */
const CROWDED = 30;
/** So few lines are drawn in full wherever they are. */
const FEW = 150;
const LEAST_CROWD = 0.12;

/** How far lines are drawn in full, 0…1: those of little load fade where they crowd. */
export function fullnessAt(ground: Ground, scale: number, count: number): number {
  return Math.min(Math.max((ground.spacing * scale) / CROWDED, FEW / (count + 1), LEAST_CROWD), 1);
}

/** Width in CSS pixels and opacity of a line where lines are drawn in full or less. */
export function thinned(width: number, opacity: number, weight: number, fullness: number): [number, number] {
  const kept = fullness + (1 - fullness) * weight ** 3 * 0.5;
  return [Math.max(width * (0.3 + 0.7 * fullness), 0.8), opacity * kept];
}

/** Slot of a channel beside the middle of its bundle. */
export function slotOf(bundles: Bundles, cable: number, isBack: boolean): number {
  const bundle = bundles.of[cable] as number;
  const first = bundles.start[bundle] as number;
  const count = (bundles.start[bundle + 1] as number) - first;
  const place = bundles.cables.indexOf(cable, first) - first;
  return 2 * place + (isBack ? 1 : 0) - (2 * count - 1) / 2;
}

/** The share of the colours' way that a load stands at. */
export function shareOf(heat: Heat, load: number): number {
  if (!(heat.end > 0)) return heat.isDifference ? 0.5 : 0;
  if (heat.isSteep) return Math.log1p(load) / Math.log1p(heat.end);
  return heat.isDifference ? 0.5 + (0.5 * load) / heat.end : load / heat.end;
}

export function weightOf(heat: Heat, load: number): number {
  if (!(heat.end > 0)) return 0;
  return Math.min(heat.isSteep ? shareOf(heat, Math.abs(load)) : Math.abs(load) / heat.end, 1);
}

export function pictured(
  scene: Scene,
  ground: Ground,
  bundles: Bundles,
  heat: Heat | null,
  failed: Failed,
  theme: Theme,
): Picture {
  const lines = once(() => bundleLines(scene, bundles, heat, failed, theme));
  const crowds = once(() => packed(crowded(lines(), ground, bundles), ground, bundles));
  const all = once(() => packed([...lines()], ground, bundles));
  const channels = once(() => channelLines(scene, ground, bundles, heat, failed, theme));
  return {
    // Of a large network, what is not seen at a scale is not made either.
    get crowds() {
      return crowds();
    },
    get bundles() {
      return all();
    },
    get channels() {
      return channels();
    },
    frames: frames(scene, ground, bundles, theme),
    nodes: nodes(scene, ground, bundles, heat, failed, theme),
  };
}

function once<T>(make: () => T): () => T {
  let made: T | undefined;
  return () => (made ??= make());
}

function isCut(scene: Scene, failed: Failed, cable: number): boolean {
  return (
    failed.cables.has(cable) ||
    failed.switches.has(scene.cables.a[cable] as number) ||
    failed.switches.has(scene.cables.b[cable] as number)
  );
}

/** The busiest of a bundle's channels and whether all of it has failed. */
export function busiestOf(
  scene: Scene,
  bundles: Bundles,
  heat: Heat | null,
  failed: Failed,
  bundle: number,
): { load: number; cable: number; isCut: boolean } {
  let [load, chosen, live] = [0, -1, -1];
  for (let at = bundles.start[bundle] as number; at < (bundles.start[bundle + 1] as number); at++) {
    const cable = bundles.cables[at] as number;
    if (isCut(scene, failed, cable)) continue;
    if (live < 0) live = cable;
    if (!heat) continue;
    for (const found of [heat.forward[cable] as number, heat.back[cable] as number]) {
      if (Math.abs(found) > Math.abs(load)) [load, chosen] = [found, cable];
    }
  }
  const first = bundles.cables[bundles.start[bundle] as number] as number;
  return { load, cable: chosen >= 0 ? chosen : live >= 0 ? live : first, isCut: live < 0 };
}

interface Line {
  of: number;
  bundle: number;
  slot: number;
  width: number;
  weight: number;
  colour: Colour;
  opacity: number;
  isDashed: boolean;
}

function styled(heat: Heat | null, load: number, isOut: boolean, theme: Theme, extra: number) {
  const weight = heat && !isOut ? weightOf(heat, load) : 0;
  const colours = heat?.isDifference ? theme.difference : theme.heat;
  const colour = isOut ? theme.quiet : along(colours, heat ? shareOf(heat, load) : 0);
  return {
    colour,
    weight: isOut ? -1 : weight,
    width: isOut ? 1.2 : 1.2 + 2 * weight + extra,
    opacity: isOut ? 0.8 : heat ? 0.7 + 0.3 * weight : 0.9,
    isDashed: isOut,
  };
}

function bundleLines(
  scene: Scene,
  bundles: Bundles,
  heat: Heat | null,
  failed: Failed,
  theme: Theme,
): Line[] {
  const lines: Line[] = [];
  for (let bundle = 0; bundle < bundles.a.length; bundle++) {
    const busiest = busiestOf(scene, bundles, heat, failed, bundle);
    const count = (bundles.start[bundle + 1] as number) - (bundles.start[bundle] as number);
    const style = styled(heat, busiest.load, busiest.isCut, theme, 0.5 * Math.log2(count));
    lines.push({ of: bundle, bundle, slot: 0, ...style });
  }
  return lines;
}

/** Keep the busiest of the lines that lie together; few lines are all kept. */
function crowded(lines: Line[], ground: Ground, bundles: Bundles): Line[] {
  let kept = lines;
  // Where lines lead from anywhere to anywhere, more of them are taken for one.
  for (let size = cellOf(ground); kept.length > (kept === lines ? MANY_LINES : MOST_LINES); size *= 1.5) {
    kept = busiestByCells(kept, ground, bundles, size);
  }
  return kept;
}

/** Of the lines between two cells of a size, the busiest. */
function busiestByCells(lines: Line[], ground: Ground, bundles: Bundles, size: number): Line[] {
  const columns = Math.ceil(1 / CELL) + 1;
  const cell = (place: number): number =>
    Math.floor(((ground.x[place] as number) - ground.box.left) / size) +
    columns * Math.floor(((ground.y[place] as number) - ground.box.top) / size);
  const kept = new Map<number, Line>();
  for (const line of lines) {
    const [a, b] = [cell(bundles.a[line.bundle] as number), cell(bundles.b[line.bundle] as number)];
    const key = Math.min(a, b) * columns * columns + Math.max(a, b);
    const other = kept.get(key);
    if (!other || line.weight > other.weight) kept.set(key, line);
  }
  return [...kept.values()];
}

function channelLines(
  scene: Scene,
  ground: Ground,
  bundles: Bundles,
  heat: Heat | null,
  failed: Failed,
  theme: Theme,
): Lines {
  const lines: Line[] = [];
  for (let bundle = 0; bundle < bundles.a.length; bundle++) {
    const first = bundles.start[bundle] as number;
    const count = (bundles.start[bundle + 1] as number) - first;
    for (let place = 0; place < count; place++) {
      const cable = bundles.cables[first + place] as number;
      const isOut = isCut(scene, failed, cable);
      // The first slot of a cable is that of its own first end towards the other.
      for (const isBack of [false, true]) {
        const load = heat ? ((isBack ? heat.back : heat.forward)[cable] as number) : 0;
        const slot = 2 * place + (isBack ? 1 : 0) - (2 * count - 1) / 2;
        const of = 2 * cable + (isBack ? 1 : 0);
        lines.push({ of, bundle, slot, ...styled(heat, load, isOut, theme, 0.4) });
      }
    }
  }
  return packed(lines, ground, bundles);
}

function packed(lines: Line[], ground: Ground, bundles: Bundles): Lines {
  lines.sort((one, other) => one.weight - other.weight || one.of - other.of);
  const count = lines.length;
  const ends = new Float32Array(4 * count);
  const shape = new Float32Array(4 * count);
  const colours = new Uint8Array(4 * count);
  const of = new Int32Array(count);
  lines.forEach((line, at) => {
    const a = bundles.a[line.bundle] as number;
    const b = bundles.b[line.bundle] as number;
    ends.set([ground.x[a] as number, ground.y[a] as number, ground.x[b] as number, ground.y[b] as number], 4 * at);
    shape.set([line.slot, line.width, line.isDashed ? 1 : 0, Math.abs(line.weight)], 4 * at);
    colours.set([...line.colour, Math.round(255 * line.opacity)], 4 * at);
    of[at] = line.of;
  });
  return { count, ends, shape, colours, of };
}

/** Those of many lines that end where one looks; what only passes by there would hide them. */
export function endingIn(lines: Lines, lens: Lens, size: Size): Lines {
  if (lines.count <= MOST_LINES) return lines;
  const [across, down] = [size.width / 2 / lens.scale, size.height / 2 / lens.down];
  const { ends } = lines;
  const isSeen = (at: number): boolean =>
    Math.abs((ends[at] as number) - lens.x) <= across && Math.abs((ends[at + 1] as number) - lens.y) <= down;
  const kept: number[] = [];
  for (let line = 0; line < lines.count; line++) if (isSeen(4 * line) || isSeen(4 * line + 2)) kept.push(line);
  const found = {
    count: kept.length,
    ends: new Float32Array(4 * kept.length),
    shape: new Float32Array(4 * kept.length),
    colours: new Uint8Array(4 * kept.length),
    of: new Int32Array(kept.length),
  };
  kept.forEach((line, at) => {
    for (const part of ["ends", "shape", "colours"] as const) {
      found[part].set(lines[part].subarray(4 * line, 4 * line + 4), 4 * at);
    }
    found.of[at] = lines.of[line] as number;
  });
  return found;
}

interface Node {
  of: number;
  x: number;
  y: number;
  half: [number, number, number, number];
  fill: readonly number[];
  edge: readonly number[];
}

function nodes(
  scene: Scene,
  ground: Ground,
  bundles: Bundles,
  heat: Heat | null,
  failed: Failed,
  theme: Theme,
): Nodes {
  const found: Node[] = [];
  const switches = scene.switches.name.length;
  const half = HALF_SWITCH * ground.spacing;
  const drawn = new Set<number>();
  const members = scene.chassis.map(() => 0);
  for (const chassis of scene.switches.chassis) if (chassis !== null) members[chassis] = (members[chassis] ?? 0) + 1;
  const hottest = new Map<number, number>();
  heat?.switches?.forEach((figure, index) => {
    const place = bundles.place[index] as number;
    if (figure !== null) hottest.set(place, Math.max(figure, hottest.get(place) ?? 0));
  });
  bundles.place.forEach((place, index) => {
    if (drawn.has(place)) return;
    drawn.add(place);
    const isChassis = place >= switches;
    const size = isChassis ? HALF_CHASSIS * ground.spacing * Math.sqrt(members[place - switches] ?? 1) : half;
    const isOut = !isChassis && failed.switches.has(index);
    const hasHosts = isChassis || (scene.switches.hosts[index] as number) > 0;
    const figure = hottest.get(place);
    const fill =
      isOut ? theme.page
      : heat && figure !== undefined ? along(theme.heat, shareOf(heat, figure))
      : hasHosts ? theme.node
      : theme.page;
    found.push({
      of: place,
      x: ground.x[place] as number,
      y: ground.y[place] as number,
      half: [
        size,
        isChassis ? 0.8 * size : size,
        isChassis ? LEAST_CHASSIS : hasHosts ? LEAST_SWITCH : LEAST_SWITCH - 0.5,
        isChassis ? MOST_CHASSIS : MOST_SWITCH,
      ],
      fill: [...fill, 255],
      edge: [...(isOut ? theme.bad : theme.quiet), 255],
    });
  });
  return packedNodes(found, false);
}

function frames(scene: Scene, ground: Ground, bundles: Bundles, theme: Theme): Nodes {
  const found: Node[] = [];
  const switches = scene.switches.name.length;
  const open = new Set<number>();
  scene.switches.chassis.forEach((chassis, index) => {
    if (chassis !== null && bundles.place[index] === index) open.add(chassis);
  });
  for (const chassis of open) {
    const box = ground.chassis[chassis];
    if (!box) continue;
    found.push({
      of: switches + chassis,
      x: (box.left + box.right) / 2,
      y: (box.top + box.bottom) / 2,
      half: [(box.right - box.left) / 2, (box.bottom - box.top) / 2, LEAST_CHASSIS, Infinity],
      fill: [...theme.node, 90],
      edge: [...theme.quiet, 200],
    });
  }
  return packedNodes(found, true);
}

function packedNodes(found: Node[], areGround: boolean): Nodes {
  const count = found.length;
  const at = new Float32Array(2 * count);
  const half = new Float32Array(4 * count);
  const fill = new Uint8Array(4 * count);
  const edge = new Uint8Array(4 * count);
  const of = new Int32Array(count);
  found.forEach((node, index) => {
    at.set([node.x, node.y], 2 * index);
    half.set(node.half, 4 * index);
    fill.set(node.fill, 4 * index);
    edge.set(node.edge, 4 * index);
    of[index] = node.of;
  });
  return { count, at, half, areGround, fill, edge, of };
}

/** Half width and height of a node on the screen. */
export function halfOnScreen(nodes: Nodes, index: number, lens: Lens): [number, number] {
  const [across, down, least, most] = nodes.half.subarray(4 * index, 4 * index + 4) as unknown as number[];
  const within = (pixels: number): number => Math.min(Math.max(pixels, least as number), most as number);
  const down_scale = nodes.areGround ? lens.down : lens.scale;
  return [within((across as number) * lens.scale), within((down as number) * down_scale)];
}
