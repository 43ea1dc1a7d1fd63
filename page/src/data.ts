// Where the network comes from: data that the page holds, or the server that gave it.

import type { Asker } from "./asker";
import { ServerAsker } from "./asker";
import { openCore } from "./core";
import { Damaged, readScene, type Scene } from "./scene";

type Bytes = Uint8Array<ArrayBuffer>;

export interface Opened {
  readonly scene: Scene;
  readonly asker: Asker;
}

export async function opened(): Promise<Opened> {
  const held = document.getElementById("weft-scene");
  if (!held) return served();
  const scene = readScene(parsed(await unpacked("weft-scene")));
  const parts = ["weft-core", "weft-fabric", "weft-routes", "weft-patterns"].map(unpacked);
  const [core, fabric, routes, patterns] = (await Promise.all(parts)) as [Bytes, Bytes, Bytes, Bytes];
  const given = { routes: readNamed(parsed(routes), "routes"), patterns: readNamed(parsed(patterns), "patterns") };
  return { scene, asker: await openCore(core, fabric, given) };
}

/** Texts that are given, each with the name that states give it. */
function readNamed(value: unknown, what: string): [string, string][] {
  const isNamed = (one: unknown): boolean =>
    Array.isArray(one) && one.length === 2 && one.every((text) => typeof text === "string");
  if (!Array.isArray(value) || !value.every(isNamed)) {
    throw new Damaged(`The ${what} in this page are none: the file was damaged on its way.`);
  }
  return value as [string, string][];
}

async function served(): Promise<Opened> {
  let response: Response;
  try {
    response = await fetch("scene.json");
  } catch {
    throw new Damaged("The server of this page does not answer: is weft explore still running?");
  }
  if (!response.ok) throw new Damaged(`The server of this page has no network for it (${response.status}).`);
  return { scene: readScene(parsed(new Uint8Array(await response.arrayBuffer()))), asker: new ServerAsker("ask") };
}

function parsed(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes));
  } catch {
    throw new Damaged("The data of this page is not JSON: the file was damaged on its way.");
  }
}

/** Unpack what an element of the page holds as gzip in base64. */
async function unpacked(id: string): Promise<Bytes> {
  const text = document.getElementById(id)?.textContent;
  if (!text) throw new Damaged(`This page lacks its part “${id}”: the file was damaged on its way.`);
  try {
    const packed = Uint8Array.from(atob(text.trim()), (letter) => letter.charCodeAt(0));
    const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream("gzip"));
    return new Uint8Array(await new Response(stream).arrayBuffer());
  } catch {
    throw new Damaged(`The part “${id}” of this page cannot be unpacked: the file was damaged on its way.`);
  }
}
