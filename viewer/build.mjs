// Bundles src/ into the one script, one style sheet and one page that the wheel carries.
import { copyFile, mkdir } from "node:fs/promises";
import { build } from "esbuild";

const assets = new URL("../src/polhode/viewer/assets/", import.meta.url).pathname;
const here = (path) => new URL(path, import.meta.url).pathname;

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
await copyFile(here("src/page.html"), assets + "page.html");
