// Bundles src/ into the script, the style sheet and the page that the wheel carries, and
// writes down what they were made from, so that a stale bundle can be told without Node.
import { createHash } from "node:crypto";
import { mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { build } from "esbuild";

const here = (path) => new URL(path, import.meta.url).pathname;
const assets = here("../src/polhode/viewer/assets/");

// What is bundled, with the licences that go with it: they are in the wheel and in every page.
const { dependencies, devDependencies } = JSON.parse(await readFile(here("package.json")));
const licence = await readFile(here("node_modules/three/LICENSE"), "utf8");
const notices = `This page contains three.js ${{ ...dependencies, ...devDependencies }.three}, \
https://threejs.org, under the licence below. Its RoomEnvironment is based on EnvironmentScene of \
model-viewer, Copyright Google LLC, under the Apache License 2.0, \
https://www.apache.org/licenses/LICENSE-2.0.

${licence.trim()}
`;

// Light of the surroundings comes from a cube of 256 pixels at least.  For the room, which is blurred,
// 64 look the same; without a graphics card a page then opens in half the time.
const smallRoom = {
  name: "small-room",
  setup: ({ onLoad }) => onLoad({ filter: /three\.module\.js$/ }, async ({ path }) => {
    const source = await readFile(path, "utf8");
    const [before, after, ...more] = source.split("const MIN_SIZE = 256;");
    if (after === undefined || more.length) throw new Error(`${path}: expected one MIN_SIZE`);
    return { contents: `${before}const MIN_SIZE = 64;${after}`, loader: "js" };
  }),
};

await mkdir(assets, { recursive: true });
await writeFile(assets + "THIRD_PARTY_NOTICES.txt", notices);
await build({
  entryPoints: { viewer: here("src/main.js"), page: here("src/page.css") },
  outdir: assets,
  bundle: true,
  plugins: [smallRoom],
  minify: true,
  format: "iife",
  target: ["es2022", "chrome105", "firefox110", "safari16"],
  charset: "ascii",
  legalComments: "inline",
  banner: { js: `/*!\n${notices}*/` },
  entryNames: "[name].min",
  logLevel: "warning",
});
await writeFile(assets + "page.html", await readFile(here("src/page.html")));

const sources = (await readdir(here("src"))).sort().map((name) => `src/${name}`);
const digest = createHash("sha256");
for (const path of [...sources, "package-lock.json"]) digest.update(await readFile(here(path)));
await writeFile(here("built.sha256"), digest.digest("hex") + "\n");
