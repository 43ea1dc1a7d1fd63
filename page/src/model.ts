// All that the page knows: the network, what is chosen, answers; and who wants to hear of changes.

import { type Place, read, firstView, type View, written } from "./address";
import { Answers } from "./answers";
import type { Asker } from "./asker";
import { rounded } from "./camera";
import { type Ground, groundOf } from "./ground";
import type { State } from "./questions";
import type { Scene } from "./scene";

/** Of networks of more switches, what takes long is worked out when it is asked for. */
const MOST_AT_ONCE = 500;
/** The address follows the camera so long after it rests. */
const REST_MS = 400;

export class Model {
  readonly ground: Ground;
  readonly answers: Answers;
  readonly first: View;
  view: View;
  /** How often anything has changed. */
  changes = 0;
  /** What the address asked for in vain. */
  complaint: string | null;
  private readonly listeners = new Set<() => void>();
  private readonly lookers = new Set<() => void>();
  private fragment: string;
  private rest = 0;
  private isTold = false;

  constructor(
    readonly scene: Scene,
    readonly asker: Asker,
  ) {
    this.ground = groundOf(scene);
    this.answers = new Answers(asker, () => this.tell());
    this.first = firstView(scene);
    this.fragment = location.hash;
    ({ view: this.view, complaint: this.complaint } = read(this.fragment, scene));
    const follow = (): void => {
      if (location.hash === this.fragment) return;
      this.fragment = location.hash;
      ({ view: this.view, complaint: this.complaint } = read(this.fragment, scene));
      this.tell();
    };
    window.addEventListener("popstate", follow);
    window.addEventListener("hashchange", follow);
  }

  /** Whether what takes long, as other tables or bounds, keeps everybody waiting. */
  get isLarge(): boolean {
    return this.scene.switches.name.length > MOST_AT_ONCE;
  }

  listen(listener: () => void): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  /** Hear of every move of the camera; others hear of it when it rests. */
  follow(looker: () => void): () => void {
    this.lookers.add(looker);
    return () => this.lookers.delete(looker);
  }

  /** Choose something: a step that one can go back from. */
  go(change: Partial<View>): void {
    this.view = { ...this.view, ...change };
    this.write("pushState");
    this.tell();
  }

  /** Choose among routings, patterns and failures. */
  choose(change: Partial<State>): void {
    this.go({ state: { ...this.view.state, ...change }, step: null });
  }

  /** Look elsewhere: the address follows when one rests, and no step is added to go back. */
  look(camera: Place | null): void {
    this.view = { ...this.view, camera };
    for (const looker of this.lookers) looker();
    clearTimeout(this.rest);
    this.rest = window.setTimeout(() => {
      if (this.view.camera) this.view = { ...this.view, camera: rounded(this.view.camera) };
      this.write("replaceState");
      this.tell();
    }, REST_MS);
  }

  private write(how: "pushState" | "replaceState"): void {
    clearTimeout(this.rest);
    const fragment = written(this.view, this.first);
    history[how](null, "", `${location.href.split("#")[0]}${fragment ? `#${fragment}` : ""}`);
    this.fragment = location.hash;
  }

  private tell(): void {
    if (this.isTold) return;
    this.isTold = true;
    queueMicrotask(() => {
      this.isTold = false;
      this.changes += 1;
      for (const listener of [...this.listeners]) listener();
    });
  }
}
