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

const EXTENT_SAMPLES = 24;
const SLOW_FRAME = 1 / 32; // seconds; a machine slower than that gets fewer pixels while playing
const SPREAD = 8; // radii that a plane without end is drawn wide
const COARSEST = 0.5;
const PLAIN = 0.75; // of the pixels each way, where there is no graphics card
const SELDOM = 100; // milliseconds between two looks at the clock, there too

// How far the farthest of some spheres lies from a centre.
function reach(centre, spheres) {
  let farthest = 1e-3;
  for (const { center, radius } of spheres) {
    farthest = Math.max(farthest, centre.distanceTo(center) + radius);
  }
  return farthest;
}

class Viewer {
  constructor(data) {
    this.data = data;
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
    this.plotsShown = this.tracking = false;
    this.ground = data.ground;
    this.#measure(duration);
    this.overlays = new Overlays(this.machines, this.stage, this.radius);
    this.picker = new Picker(this);
    if (data.live) this.grab = new Grab(this);
    this.panel = new Panel(this);
    if (data.signals.length) {
      this.plots = new Plots(document.getElementById("plots"), data.signals, (time) => this.seek(time));
    }
    this.setTheme(matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light");
    this.setPlots(data.signals.length > 0 && data.plots && window.innerWidth > 720);
    this.reset();
    listen(this);
  }

  // A machine that travels is followed; one that falls leaves the floor where it started.
  #measure(duration) {
    const { data } = this;
    const samples = Array.from({ length: EXTENT_SAMPLES }, (_, k) =>
      (k / (EXTENT_SAMPLES - 1)) * duration);
    const whole = new THREE.Box3();
    const first = new THREE.Box3();
    const spheres = { all: [], early: [] };
    for (const machine of this.machines) {
      const extent = machine.extent(samples);
      whole.union(extent.whole);
      first.union(extent.first);
      spheres.all.push(...extent.spheres);
      spheres.early.push(...extent.early);
    }
    if (whole.isEmpty()) whole.setFromCenterAndSize(new THREE.Vector3(), new THREE.Vector3(1, 1, 1));
    if (first.isEmpty()) first.copy(whole);
    const start = first.getBoundingSphere(new THREE.Sphere()).radius;
    const all = whole.getBoundingSphere(new THREE.Sphere()).radius;
    const { follow } = data.films[0];
    const { camera } = data;
    this.trackable = camera?.body || follow || null;
    this.home = this.trackable && this.#tracked();
    this.tracking = camera ? camera.body > 0 : follow > 0 && all > 1.6 * start;
    const lowest = first.min.y - whole.min.y > 0.6 * start ? first.min.y : whole.min.y;
    const ground = this.#ground();
    const floor = ground?.height ?? (data.fixed ? Math.min(0, lowest) : lowest);
    const centre = (this.tracking ? first : whole).getCenter(new THREE.Vector3());
    this.radius = reach(centre, this.tracking ? spheres.early : spheres.all);
    if (data.live) this.#expect(centre, spheres.all);
    this.stage.addFloor(floor, this.radius, !this.ground, ground?.color);
    for (const machine of this.machines) machine.spreadPlanes(SPREAD * this.radius);
    const direction = camera?.direction
      && new THREE.Vector3().fromArray(camera.direction).applyQuaternion(this.world.quaternion);
    this.stage.view.setInitial(centre, this.radius, { ...camera, direction });
  }

  // The highest level plane that the scene stands on: the floor is drawn in its place.
  #ground() {
    const planes = this.machines.flatMap((machine) => machine.levelPlanes());
    for (const plane of planes) plane.visible = false;
    return planes
      .map((plane) => ({ height: plane.getWorldPosition(new THREE.Vector3()).y,
        color: plane.userData.color }))
      .reduce((best, each) => (best && best.height >= each.height ? best : each), null);
  }

  // Where it will go nobody knows yet: what is fixed may turn about its base, all else move on.
  #expect(centre, spheres) {
    const turning = reach(new THREE.Vector3(), spheres);
    if (this.data.fixed && turning < 2.5 * this.radius) {
      centre.set(0, 0, 0);
      this.radius = turning;
    } else {
      this.radius *= 1.3;
    }
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
    this.stage.view.reset();
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
    const { time } = this.player;
    for (const machine of this.machines) machine.place(time);
    this.picker?.update(time);
    if (this.tracking) this.stage.view.followTo(this.#tracked().sub(this.home).setY(0));
    this.overlays?.update(time);
    this.grab?.update();
    this.stage.render();
    // Text and plots cost as much as a picture where there is no graphics card.
    const now = performance.now();
    if (this.stage.plain && this.player.playing && now - this.told < SELDOM) return;
    this.told = now;
    this.plots?.show(time);
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
    window.addEventListener("resize", () => this.draw());
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

  // "#t=1.5&theme=dark&plots=0": a still of a known moment.
  obey(hash) {
    const wish = new URLSearchParams(hash.replace(/^#/, ""));
    if (wish.has("theme")) this.setTheme(wish.get("theme") === "dark" ? "dark" : "light");
    if (wish.has("plots")) this.setPlots(wish.get("plots") !== "0");
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
    viewer.run();
    viewer.obey(location.hash);
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
