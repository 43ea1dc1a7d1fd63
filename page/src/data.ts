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
  const [core, fabric, routes] = await Promise.all(["weft-core", "weft-fabric", "weft-routes"].map(unpacked));
  return { scene, asker: await openCore(core as Bytes, fabric as Bytes, readRoutes(parsed(routes as Bytes))) };
}

/** Routes that are given, each with the name that states give them. */
function readRoutes(value: unknown): [string, string][] {
  const isRoutes = (one: unknown): boolean =>
    Array.isArray(one) && one.length === 2 && one.every((text) => typeof text === "string");
  if (!Array.isArray(value) || !value.every(isRoutes)) {
    throw new Damaged("The routes in this page are none: the file was damaged on its way.");
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
