// The page: reads the recordings, builds the stage, plays.
import * as THREE from "three";
import { readData } from "./data.js";
import { Grab } from "./grab.js";
import { listen } from "./keys.js";
import { LivePlayer } from "./live.js";
import { Machine } from "./machine.js";
import { Overlays } from "./overlays.js";
import { Panel } from "./panel.js";
import { Picker } from "./pick.js";
import { Player } from "./player.js";
import { Plots } from "./plots.js";
import { Stage } from "./stage.js";
import { Tree } from "./tree.js";

const SLOW_FRAME = 1 / 32; // seconds; a machine slower than that gets fewer pixels while playing
const WIDER = 0.1; // radii that a live view keeps around what would leave it
const MOST_SPHERES = 4096;
const SPREAD = 8; // radii that a plane without end is drawn wide
const COARSEST = 0.5;
const ROOMY = 900; // pixels; a narrower window opens without panels beside the picture
const LOW = 640; // pixels; a lower window opens without plots
const PLAIN = 0.75; // of the pixels each way, where there is no graphics card
const SELDOM = 100; // milliseconds between two looks at the clock, there too

// The radius of a ball around spheres, about the middle of the box around them.
function radiusOf(spheres) {
  const box = new THREE.Box3();
  for (const sphere of spheres) box.union(sphere.getBoundingBox(new THREE.Box3()));
  const centre = box.getCenter(new THREE.Vector3());
  return spheres.reduce((farthest, { center, radius }) =>
    Math.max(farthest, centre.distanceTo(center) + radius), 1e-3);
}

class Viewer {
  constructor(data) {
    this.data = data;
    this.opens = true;
    const isStill = new URLSearchParams(location.hash.slice(1)).has("t");
    this.stage = new Stage(document.getElementById("stage"), isStill);
    this.world = new THREE.Group();
    const up = new THREE.Vector3().fromArray(data.up);
    this.world.quaternion.setFromUnitVectors(up, new THREE.Vector3(0, 1, 0));
    this.stage.scene.add(this.world);
    const overlaid = data.layout === "overlay";
    this.machines = data.films.map((film, k) => new Machine(film, overlaid && k > 0,
      this.stage.plain));
    this.machines.forEach((machine, k) => {
      machine.root.position.fromArray(data.films[k].place);
      this.world.add(machine.root);
    });
    const duration = Math.max(...this.machines.map((machine) => machine.duration));
    this.player = data.live
      ? new LivePlayer(data.films[0], () => this.draw())
      : new Player(duration, data.films[0].step, () => this.draw());
    this.plotsShown = this.treeShown = this.tracking = false;
    this.ground = data.ground;
    this.#measure();
    this.overlays = new Overlays(this.machines, this.stage, this.radius);
    this.picker = new Picker(this);
    if (data.live) this.grab = new Grab(this);
    this.panel = new Panel(this);
    if (data.signals.length) {
      const count = window.innerWidth > ROOMY ? 2 : 1;
      this.plots = new Plots(document.getElementById("plots"), data.signals, count,
        (time) => this.seek(time));
    }
    if (data.films[0].bodies.length > 1) this.tree = new Tree(document.getElementById("bodies"), this);
    this.setTheme(matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light");
    this.setPlots(!isStill && window.innerWidth > 720 && window.innerHeight > LOW);
    this.setTree(this.settable && !isStill && window.innerWidth > ROOMY);
    this.reset();
    listen(this);
  }

  // What has to be seen, what is followed and where the floor lies is told with the recording.
  #measure() {
    const { camera, framing, films } = this.data;
    const spheres = [];
    for (let k = 0; k < framing.spheres.length; k += 4) {
      const center = new THREE.Vector3().fromArray(framing.spheres, k);
      spheres.push(new THREE.Sphere(center.applyQuaternion(this.world.quaternion),
        framing.spheres[k + 3]));
    }
    for (const machine of this.machines) machine.place(0);
    this.trackable = camera?.body || films[0].follow || null;
    this.home = this.trackable && this.#tracked();
    this.tracking = framing.follows;
    this.radius = radiusOf(spheres);
    const planes = this.#hidePlanes();
    this.floorIsPlane = planes.length > 0;
    this.stage.addFloor(framing.floor, this.radius, !this.ground, planes[0]?.userData.color);
    for (const machine of this.machines) machine.spreadPlanes(SPREAD * this.radius);
    const way = new THREE.Vector3().fromArray(framing.direction);
    this.stage.view.setInitial(spheres, this.radius, way.applyQuaternion(this.world.quaternion),
      camera ?? {});
  }

  // Level planes, the highest first: the floor is drawn for them, in its colour.
  #hidePlanes() {
    const height = (plane) => plane.getWorldPosition(new THREE.Vector3()).y;
    const planes = this.machines.flatMap((machine) => machine.levelPlanes());
    for (const plane of planes) plane.visible = false;
    return planes.sort((a, b) => height(b) - height(a));
  }

  // What covers the picture, in pixels: margins of bar, plots and bodies, and how far the title
  // reaches from the upper left corner.
  #covered() {
    const { clientHeight: height } = this.stage.canvas;
    const box = (name) => {
      const found = document.querySelector(name).getBoundingClientRect();
      return found.width > 0 ? found : null;
    };
    const [title, bar, plots, tree] = ["header", "#bar", "#plots", "#bodies"].map(box);
    const bottom = height - Math.min(bar?.top ?? height, plots?.top ?? height);
    return { left: tree?.right ?? 0, bottom, title: [title?.right ?? 0, title?.bottom ?? 0] };
  }

  // Where a live run goes is only seen as it goes: the view widens.  A floor that is no plane of
  // the scene sinks.
  #widen() {
    const { view, floor } = this.stage;
    const spheres = this.machines.flatMap((machine) => machine.spheres());
    if (!this.floorIsPlane) {
      floor.sinkTo(Math.min(...spheres.map(({ center, radius }) => center.y - radius)));
    }
    if (!view.isUntouched || spheres.every((sphere) => view.shows(sphere))) return;
    for (const sphere of spheres) {
      sphere.center.sub(view.followed);
      sphere.radius += WIDER * this.radius;
    }
    const { initial } = view;
    initial.spheres = [...initial.spheres.slice(-MOST_SPHERES), ...spheres];
    initial.radius = radiusOf(initial.spheres);
    view.reset(this.#covered());
  }

  // The tracked point, in the coordinates of the stage.
  #tracked() {
    const machine = this.machines[this.data.camera?.film ?? 0];
    const { body, point } = this.target ?? { body: this.trackable, point: this.data.camera?.point };
    return machine.point(body, point ?? [0, 0, 0]);
  }

  seek(time) {
    if (this.data.live) return;
    this.player.playing = false;
    this.player.seek(time);
  }

  play() { this.player.play(); }

  pause() { this.player.pause(); }

  reset() {
    this.stage.resize();
    if (!this.tracking) this.stage.view.followed.set(0, 0, 0);
    this.stage.view.reset(this.#covered());
    this.draw();
  }

  // After a change of what covers the picture: all is seen again, unless somebody has chosen.
  refit() {
    const { view } = this.stage;
    if (view.home && view.isUntouched) {
      this.stage.resize();
      view.reset(this.#covered());
    }
    this.draw();
  }

  setTheme(theme) {
    this.theme = theme;
    document.documentElement.dataset.theme = theme;
    this.stage.setTheme(theme);
    this.draw();
  }

  setLoop(on) {
    this.player.loop = on;
    this.draw();
  }

  // Tracks the selected body from where it is, or what is tracked at first.
  setTracking(on) {
    const { selected } = this.picker;
    if (on && selected && selected.machine === this.machines[0]) {
      this.target = { body: selected.body, point: [0, 0, 0] };
      this.home = this.#tracked().sub(this.stage.view.followed);
    }
    this.tracking = on && this.trackable !== null;
    this.draw();
  }

  setPlots(on) {
    this.plotsShown = on && Boolean(this.plots);
    document.getElementById("plots").hidden = !this.plotsShown;
    document.body.classList.toggle("plotted", this.plotsShown);
    this.refit();
  }

  get settable() { return Boolean(this.data.films[0].settable?.sliders.length); }

  setTree(on) {
    this.treeShown = on && Boolean(this.tree);
    document.getElementById("bodies").hidden = !this.treeShown;
    document.body.classList.toggle("tree", this.treeShown);
    this.refit();
  }

  // Sets the joints of the first machine, until time goes on.
  pose(values) {
    this.player.playing = false;
    this.posedAt = this.player.time;
    this.machines[0].values = values;
    this.draw();
  }

  setGround(on) {
    this.ground = on;
    this.stage.floor.group.visible = on;
    this.draw();
  }

  toggle(name) {
    if (!this.overlays.has(name)) return;
    this.overlays.set(name, !this.overlays.shown.has(name));
    this.draw();
  }

  savePicture() {
    this.draw();
    const link = document.createElement("a");
    link.download = `${this.data.title}.png`;
    link.href = this.stage.canvas.toDataURL("image/png");
    link.click();
  }

  draw() {
    const { time, playing } = this.player;
    if (playing || time !== this.posedAt) this.machines[0].values = null;
    for (const machine of this.machines) machine.place(time);
    this.picker?.update(time);
    if (this.tracking) this.stage.view.followTo(this.#tracked().sub(this.home).setY(0));
    this.overlays?.update(time);
    this.grab?.update();
    if (this.data.live && !this.data.camera && this.stage.view.home) this.#widen();
    if (this.opens) this.stage.resize();
    else this.stage.render();
    // Text and plots cost as much as a picture where there is no graphics card.
    const now = performance.now();
    if (this.stage.plain && this.player.playing && now - this.told < SELDOM) return;
    this.told = now;
    this.plots?.show(time);
    this.tree?.update();
    this.panel?.update();
  }

  run() {
    let last = performance.now();
    let usual = 0;
    const tick = (now) => {
      const elapsed = (now - last) / 1000;
      last = now;
      usual += 0.1 * (Math.min(elapsed, 1) - usual);
      this.#adapt(usual);
      this.player.advance(Math.min(elapsed, 0.1));
      requestAnimationFrame(tick);
    };
    this.stage.view.orbit.addEventListener("change", () => this.player.playing || this.draw());
    window.addEventListener("resize", () => this.refit());
    this.stage.canvas.addEventListener("webglcontextrestored", () => this.draw());
    requestAnimationFrame(tick);
  }

  // Stills are drawn with all pixels; what plays too slowly gets by with fewer.
  #adapt(usual) {
    const { stage, player } = this;
    if (player.playing !== stage.moves) {
      stage.moves = player.playing;
      stage.setResolution(stage.moves && stage.plain ? PLAIN : 1);
      if (!stage.moves) this.draw();
    } else if (player.playing && usual > SLOW_FRAME && stage.resolution > COARSEST) {
      stage.setResolution(Math.max(stage.resolution - 0.04, COARSEST));
    }
  }

  // Each wish changes the picture, which is drawn once: without a graphics card it takes seconds.
  open(hash) {
    this.obey(hash);
    this.opens = false;
    this.stage.moves = this.player.playing;
    if (this.stage.plain) this.stage.setResolution(this.stage.moves ? PLAIN : 1);
    this.draw();
  }

  // "#t=1.5&theme=dark&plots=0": a still of a known moment.
  obey(hash) {
    const wish = new URLSearchParams(hash.replace(/^#/, ""));
    if (wish.has("theme")) this.setTheme(wish.get("theme") === "dark" ? "dark" : "light");
    if (wish.has("plots")) this.setPlots(wish.get("plots") !== "0");
    if (wish.has("bodies")) this.setTree(wish.get("bodies") !== "0");
    if (wish.has("show")) wish.get("show").split(",").forEach((name) => this.toggle(name));
    if (wish.has("track")) this.setTracking(wish.get("track") !== "0");
    if (wish.has("bare")) this.panel.toggle();
    if (wish.has("t")) this.seek(Number(wish.get("t")));
    else if (!this.data.live) this.play();
  }
}

async function start() {
  try {
    const viewer = new Viewer(await readData());
    window.viewer = viewer;
    viewer.open(location.hash);
    viewer.run();
    document.documentElement.dataset.ready = "yes";
  } catch (error) {
    const box = document.getElementById("failure");
    box.textContent =
      `This page could not be drawn: ${error.message}. It needs a browser with WebGL 2.`;
    box.hidden = false;
    console.error(error);
  }
}

start();
