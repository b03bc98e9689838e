// Bundles src/ into the script, the style sheet and the page that the wheel carries, and
// writes down what they were made from, so that a stale bundle can be told without Node.
import { createHash } from "node:crypto";
import { mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { build } from "esbuild";

const here = (path) => new URL(path, import.meta.url).pathname;
const assets = here("../src/polhode/viewer/assets/");

await mkdir(assets, { recursive: true });
await build({
  entryPoints: { viewer: here("src/main.js"), page: here("src/page.css") },
  outdir: assets,
  bundle: true,
  minify: true,
  format: "iife",
  target: ["es2022", "chrome105", "firefox110", "safari16"],
  charset: "ascii",
  legalComments: "inline",
  entryNames: "[name].min",
  logLevel: "warning",
});
await writeFile(assets + "page.html", await readFile(here("src/page.html")));

const sources = (await readdir(here("src"))).sort().map((name) => `src/${name}`);
const digest = createHash("sha256");
for (const path of [...sources, "package-lock.json"]) digest.update(await readFile(here(path)));
await writeFile(here("built.sha256"), digest.digest("hex") + "\n");
