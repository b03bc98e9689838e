// The page: reads the recording, builds the stage, plays.
import * as THREE from "three";
import { readRecording } from "./data.js";
import { EnergyPanel } from "./energy.js";
import { Machine } from "./machine.js";
import { Panel } from "./panel.js";
import { Player } from "./player.js";
import { Stage } from "./stage.js";

const EXTENT_SAMPLES = 24;

class Viewer {
  constructor(data) {
    this.data = data;
    this.machine = new Machine(data);
    this.stage = new Stage(document.getElementById("stage"));
    this.stage.scene.add(this.machine.root);
    const duration = (data.frames - 1) * data.step;
    this.player = new Player(duration, data.step, () => this.draw());
    this.following = this.energyShown = this.axesShown = false;
    this.#measure(duration);
    this.panel = new Panel(this);
    if (data.energy) this.energy = new EnergyPanel(document.getElementById("energies"), data.energy);
    this.setTheme(matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light");
    this.setEnergy(Boolean(data.energy) && window.innerWidth > 720);
    this.fit();
  }

  // A machine that travels is followed; one that falls leaves the floor where it started.
  #measure(duration) {
    const samples = Array.from({ length: EXTENT_SAMPLES }, (_, k) =>
      (k / (EXTENT_SAMPLES - 1)) * duration);
    const { whole, first } = this.machine.extent(samples);
    const start = first.getBoundingSphere(new THREE.Sphere()).radius;
    const all = whole.getBoundingSphere(new THREE.Sphere()).radius;
    this.travels = this.data.follow > 0 && all > 1.6 * start;
    this.following = this.travels;
    const seen = this.travels ? first : whole;
    const lowest = first.min.y - whole.min.y > 0.6 * start ? first.min.y : whole.min.y;
    const floor = this.data.fixed ? Math.min(0, lowest) : lowest;
    const sphere = seen.getBoundingSphere(new THREE.Sphere());
    this.centre = sphere.center;
    this.radius = Math.max(sphere.radius, 1e-3);
    this.stage.addFloor(floor, this.radius);
  }

  seek(time) {
    this.player.playing = false;
    this.player.seek(time);
  }

  play() { this.player.play(); }

  pause() { this.player.pause(); }

  fit() {
    this.stage.fit(this.centre, this.radius);
    this.draw();
  }

  setTheme(theme) {
    this.theme = theme;
    document.documentElement.dataset.theme = theme;
    this.stage.setTheme(theme);
    this.draw();
  }

  setFollow(on) {
    this.following = on && this.data.follow > 0;
    if (!this.following) this.stage.followTo(new THREE.Vector3());
    this.draw();
  }

  setEnergy(on) {
    this.energyShown = on && Boolean(this.energy);
    document.getElementById("energies").hidden = !this.energyShown;
    this.draw();
  }

  setAxes(on) {
    this.axesShown = on;
    this.machine.showAxes(on, 0.14 * this.radius);
    this.draw();
  }

  draw() {
    this.machine.place(this.player.time);
    if (this.following) this.stage.followTo(this.machine.drift());
    this.stage.render();
    this.energy?.show(this.player.time);
    this.panel?.update();
  }

  run() {
    let last = performance.now();
    const tick = (now) => {
      const elapsed = Math.min((now - last) / 1000, 0.1);
      last = now;
      this.player.advance(elapsed);
      requestAnimationFrame(tick);
    };
    this.stage.orbit.addEventListener("change", () => this.player.playing || this.draw());
    window.addEventListener("resize", () => this.draw());
    requestAnimationFrame(tick);
  }

  // "#t=1.5&theme=dark&energy=0": a still of a known moment.
  obey(hash) {
    const wish = new URLSearchParams(hash.replace(/^#/, ""));
    if (wish.has("theme")) this.setTheme(wish.get("theme") === "dark" ? "dark" : "light");
    if (wish.has("energy")) this.setEnergy(wish.get("energy") !== "0");
    if (wish.has("axes")) this.setAxes(wish.get("axes") !== "0");
    if (wish.has("t")) this.seek(Number(wish.get("t")));
    else this.play();
  }
}

try {
  const viewer = new Viewer(readRecording());
  window.viewer = viewer;
  viewer.run();
  viewer.obey(location.hash);
  document.documentElement.dataset.ready = "yes";
} catch (error) {
  const box = document.getElementById("failure");
  box.textContent = `This page could not be drawn: ${error.message}. It needs a browser with WebGL 2.`;
  box.hidden = false;
  console.error(error);
}
