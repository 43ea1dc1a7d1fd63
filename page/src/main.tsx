// Opens the page: reads what it holds or is served, and says in words what is wrong with it.

import { render } from "preact";
import { App } from "./app";
import { opened } from "./data";
import { Model } from "./model";
import { Damaged } from "./scene";

async function open(page: HTMLElement): Promise<void> {
  try {
    const { scene, asker } = await opened();
    render(<App model={new Model(scene, asker)} />, page);
    document.documentElement.dataset.opened = "yes";
  } catch (error) {
    if (!(error instanceof Damaged)) console.error(error);
    const why = error instanceof Error ? error.message : String(error);
    render(<Damage why={why} />, page);
    document.documentElement.dataset.opened = "no";
  }
}

function Damage(props: { why: string }) {
  return (
    <main class="damage">
      <h1>This page cannot be opened</h1>
      <p role="alert">{props.why}</p>
      <p>
        Make it anew with <code>weft explore</code>; <code>weft report</code> and <code>weft audit</code> tell the same
        figures as text.
      </p>
    </main>
  );
}

const page = document.getElementById("page");
if (page) void open(page);
