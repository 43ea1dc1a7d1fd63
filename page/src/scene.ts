// What the page draws: switches with their places, cables between them, hosts by name.

export interface Scene {
  readonly name: string;
  readonly kind: string;
  readonly switches: {
    readonly name: readonly string[];
    readonly x: readonly number[];
    readonly y: readonly number[];
    readonly level: readonly (number | null)[];
    readonly chassis: readonly (number | null)[];
    readonly hosts: readonly number[];
  };
  readonly hosts: {
    readonly name: readonly string[];
    readonly switch: readonly number[];
    readonly service: readonly boolean[];
  };
  readonly cables: {
    readonly a: readonly number[];
    readonly b: readonly number[];
    readonly port_a: readonly string[];
    readonly port_b: readonly string[];
    readonly gbit_per_s: readonly (number | null)[];
  };
  readonly chassis: readonly { readonly name: string; readonly x: number; readonly y: number }[];
  readonly routings: readonly Choice[];
  /** What may be shown as colours besides loads that are worked out. */
  readonly layers?: readonly Layer[];
  /** What has failed when the page is opened. */
  readonly start?: { readonly failed_cables: readonly number[]; readonly failed_switches: readonly number[] };
  /** Jobs that ran, to be played. */
  readonly recording?: Recording | null;
  /** The preset that suits the network. */
  readonly hardware?: string | null;
  /** Patterns that may be picked beside uniform traffic. */
  readonly patterns?: readonly Choice[];
  /** Presets of hardware that may be picked. */
  readonly presets?: readonly Choice[];
}

/** A figure of each cable and direction, counted or measured before the page was made. */
export interface Layer {
  readonly name: string;
  readonly words: string;
  readonly unit: string;
  readonly forward: readonly (number | null)[];
  readonly back: readonly (number | null)[];
  /** What else there is to say of a cable, by its number. */
  readonly notes: Readonly<Record<string, string>>;
  /** Whether colours go by logarithms. */
  readonly steep: boolean;
  /** A figure of each switch, where these have some, and what else there is to say of one, by its number. */
  readonly switches: readonly (number | null)[] | null;
  readonly switch_notes: Readonly<Record<string, string>>;
}

/** Jobs that ran beside one another, and their messages. */
export interface Recording {
  /** By which routing. */
  readonly routing: string;
  readonly end_ns: number;
  readonly jobs: readonly string[];
  readonly ranks: {
    readonly job: readonly number[];
    readonly host: readonly number[];
    /** Of each rank a letter a bin of time: what it did for most of it. */
    readonly activities: readonly string[];
  };
  readonly messages: {
    readonly sent_ns: readonly number[];
    readonly there_ns: readonly number[];
    /** Ranks. */
    readonly source: readonly number[];
    readonly destination: readonly number[];
    readonly bytes: readonly number[];
  };
  /** One in so many messages is kept. */
  readonly one_in: number;
}

/** What may be picked by name, and what it is in words. */
export interface Choice {
  readonly name: string;
  readonly words: string;
}

const FORMAT = "weft-scene";
const VERSION = 1;

/** Says in one sentence what of the page's data is not as it should be. */
export class Damaged extends Error {}

/** Look through what was read before anything is drawn from it. */
export function readScene(value: unknown): Scene {
  const scene = record(value, "the scene");
  if (scene.format !== FORMAT || scene.version !== VERSION) {
    throw new Damaged(
      `The data of this page is “${String(scene.format)}” of version ${String(scene.version)}, ` +
        `where “${FORMAT}” of version ${VERSION} was expected.`,
    );
  }
  const switches = record(scene.switches, "the switches");
  const hosts = record(scene.hosts, "the hosts");
  const cables = record(scene.cables, "the cables");
  const chassis = list(scene.chassis, "the chassis", isChassis);
  const count = list(switches.name, "names of switches", isText).length;
  const known = (index: unknown): boolean => isIndex(index, count);
  const checks: [unknown, string, (item: unknown) => boolean, number][] = [
    [switches.x, "places of switches across", Number.isFinite, count],
    [switches.y, "places of switches down", Number.isFinite, count],
    [switches.level, "levels of switches", (item) => item === null || Number.isInteger(item), count],
    [
      switches.chassis,
      "chassis of switches",
      (item) => item === null || isIndex(item, chassis.length),
      count,
    ],
    [switches.hosts, "numbers of hosts", (item) => isIndex(item, Infinity), count],
  ];
  const hostCount = list(hosts.name, "names of hosts", isText).length;
  checks.push(
    [hosts.switch, "switches of hosts", known, hostCount],
    [hosts.service, "services of hosts", (item) => typeof item === "boolean", hostCount],
  );
  const cableCount = list(cables.a, "ends of cables", known).length;
  checks.push(
    [cables.b, "ends of cables", known, cableCount],
    [cables.port_a, "ports of cables", isText, cableCount],
    [cables.port_b, "ports of cables", isText, cableCount],
    [cables.gbit_per_s, "rates of cables", (item) => item === null || Number.isFinite(item), cableCount],
  );
  for (const [found, what, isRight, length] of checks) {
    const items = list(found, what, isRight);
    if (items.length !== length) {
      throw new Damaged(
        `The data of this page has ${items.length} ${what} where ${length} were expected.`,
      );
    }
  }
  list(scene.routings, "the routings", isChoice);
  if (scene.layers !== undefined) {
    for (const layer of list(scene.layers, "the colourings", isLayer) as Layer[]) {
      const columns = [[layer.forward, "cables", cableCount], [layer.back, "cables", cableCount]] as [unknown, string, number][];
      if (layer.switches !== null) columns.push([layer.switches, "switches", count]);
      for (const [figures, parts, expected] of columns) {
        const found = list(figures, `figures of ${parts}`, isFigure).length;
        if (found !== expected) {
          throw new Damaged(
            `The data of this page has ${found} figures of ${parts} where ${expected} were expected.`,
          );
        }
      }
    }
  }
  if (scene.patterns !== undefined) list(scene.patterns, "the patterns", isChoice);
  if (scene.presets !== undefined) list(scene.presets, "the presets", isChoice);
  if (scene.start !== undefined) {
    const start = record(scene.start, "what has failed");
    list(start.failed_cables, "cables that failed", (item) => isIndex(item, cableCount));
    list(start.failed_switches, "switches that failed", known);
  }
  if (scene.recording) checkRecording(record(scene.recording, "the recording"), hostCount);
  if (!isText(scene.name) || !isText(scene.kind)) {
    throw new Damaged("The data of this page does not say whose network it is.");
  }
  return scene as unknown as Scene;
}

function checkRecording(found: Record<string, unknown>, hosts: number): void {
  const ranks = record(found.ranks, "ranks of the recording");
  const messages = record(found.messages, "messages of the recording");
  const jobs = list(found.jobs, "jobs of the recording", isText).length;
  const count = list(ranks.host, "hosts of ranks", (item) => isIndex(item, hosts)).length;
  const times = list(messages.sent_ns, "times of messages", Number.isFinite).length;
  const isRank = (item: unknown): boolean => isIndex(item, count);
  const columns: [unknown, string, (item: unknown) => boolean, number][] = [
    [ranks.job, "jobs of ranks", (item) => isIndex(item, jobs), count],
    [ranks.activities, "activities of ranks", (item) => isText(item) && item.length > 0, count],
    [messages.there_ns, "arrivals of messages", Number.isFinite, times],
    [messages.source, "sources of messages", isRank, times],
    [messages.destination, "destinations of messages", isRank, times],
    [messages.bytes, "lengths of messages", Number.isFinite, times],
  ];
  for (const [items, what, isRight, length] of columns) {
    if (list(items, what, isRight).length !== length) throw new Damaged(`The data of this page lacks some ${what}.`);
  }
  if (!isText(found.routing) || !Number.isFinite(found.end_ns) || !Number.isInteger(found.one_in)) {
    throw new Damaged("The data of this page does not say how long its jobs took.");
  }
}

function record(value: unknown, what: string): Record<string, unknown> {
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    throw new Damaged(`The data of this page lacks ${what}.`);
  }
  return value as Record<string, unknown>;
}

function list(value: unknown, what: string, isRight: (item: unknown) => boolean): unknown[] {
  if (!Array.isArray(value)) throw new Damaged(`The data of this page lacks ${what}.`);
  const wrong = value.findIndex((item) => !isRight(item));
  if (wrong >= 0) {
    const found = JSON.stringify(value[wrong])?.slice(0, 60);
    throw new Damaged(`Among ${what} in the data of this page, number ${wrong} is ${found}.`);
  }
  return value;
}

function isText(value: unknown): value is string {
  return typeof value === "string";
}

function isIndex(value: unknown, count: number): boolean {
  return Number.isInteger(value) && (value as number) >= 0 && (value as number) < count;
}

function isChassis(value: unknown): boolean {
  const found = value as { name?: unknown; x?: unknown; y?: unknown } | null;
  return isText(found?.name) && Number.isFinite(found?.x) && Number.isFinite(found?.y);
}

function isFigure(value: unknown): boolean {
  return value === null || Number.isFinite(value);
}

function isLayer(value: unknown): boolean {
  const found = value as Partial<Record<keyof Layer, unknown>> | null;
  const areTexts = (notes: unknown): boolean =>
    typeof notes === "object" && notes !== null && Object.values(notes).every(isText);
  return (
    [found?.name, found?.words, found?.unit].every(isText) &&
    [found?.notes, found?.switch_notes].every(areTexts) &&
    typeof found?.steep === "boolean"
  );
}

function isChoice(value: unknown): boolean {
  const found = value as { name?: unknown; words?: unknown } | null;
  return isText(found?.name) && isText(found?.words);
}
