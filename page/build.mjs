// Builds the page into python/weft/explore, or what is named: `node build.mjs FOLDER`, and with
// `node build.mjs tests` the tests of its pure parts into build/tests.
import { build } from "esbuild";
import { copyFile, mkdir, readdir, readFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const here = dirname(fileURLToPath(import.meta.url));
const [wanted] = process.argv.slice(2);
const shared = {
  absWorkingDir: here,
  bundle: true,
  charset: "utf8",
  format: "esm",
  jsx: "automatic",
  jsxImportSource: "preact",
  logLevel: "warning",
  target: "es2022",
};

if (wanted === "tests") {
  const names = (await readdir(join(here, "tests"))).filter((name) => name.endsWith(".test.ts"));
  await build({
    ...shared,
    entryPoints: names.map((name) => join("tests", name)),
    outdir: "build/tests",
    outExtension: { ".js": ".mjs" },
    platform: "node",
  });
} else {
  const folder = wanted ?? join(here, "..", "python", "weft", "explore");
  await mkdir(folder, { recursive: true });
  const licences = await Promise.all(
    Object.entries({ Preact: "preact/LICENSE", "twgl.js": "twgl.js/LICENSE.md" }).map(
      async ([name, path]) =>
        `${name}:\n${(await readFile(join(here, "node_modules", path), "utf8")).trim()}`,
    ),
  );
  await build({
    ...shared,
    entryPoints: { page: "src/main.tsx" },
    banner: { js: `/*\nWith parts of\n${licences.join("\n\n")}\n*/` },
    // In a page of one file it is no module.
    format: "iife",
    legalComments: "none",
    minify: true,
    outdir: folder,
  });
  await build({ ...shared, entryPoints: { page: "src/page.css" }, minify: true, outdir: folder });
  await copyFile(join(here, "src", "index.html"), join(folder, "index.html"));
}
