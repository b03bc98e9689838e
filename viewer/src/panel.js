// Buttons, slider, keys and the label under the mouse.  Names enter as text, never as markup.
import * as THREE from "three";
import { SPEEDS } from "./player.js";

const $ = (id) => document.getElementById(id);
const seconds = (time, digits) => time.toFixed(digits);

export class Panel {
  constructor(viewer) {
    this.viewer = viewer;
    const { data, player } = viewer;
    this.digits = player.duration < 100 ? 2 : 1;
    document.title = data.title;
    $("title").textContent = data.title;
    $("subtitle").textContent = data.subtitle;
    for (const note of data.notes) {
      const line = document.createElement("li");
      line.textContent = note;
      $("notes").append(line);
    }
    $("notes").hidden = data.notes.length === 0;
    $("bar").classList.toggle("still", player.duration <= 0);
    $("seek").max = player.duration;
    $("seek").step = "any";
    $("follow").hidden = data.follow < 1;
    $("energy").hidden = !data.energy;
    this.#buttons();
    this.#keys();
    this.#hover();
  }

  #buttons() {
    const { viewer } = this;
    const { player } = viewer;
    $("play").onclick = () => player.toggle();
    $("rewind").onclick = () => player.seek(0);
    $("seek").oninput = () => player.seek($("seek").value);
    $("speed").onclick = () => {
      player.speed = SPEEDS[(SPEEDS.indexOf(player.speed) + 1) % SPEEDS.length];
      this.update();
    };
    $("loop").onclick = () => { player.loop = !player.loop; this.update(); };
    $("follow").onclick = () => viewer.setFollow(!viewer.following);
    $("energy").onclick = () => viewer.setEnergy(!viewer.energyShown);
    $("axes").onclick = () => viewer.setAxes(!viewer.axesShown);
    $("fit").onclick = () => viewer.fit();
    $("theme").onclick = () => viewer.setTheme(viewer.theme === "dark" ? "light" : "dark");
    $("help").onclick = () => { $("keys").hidden = !$("keys").hidden; };
    $("keys").onclick = () => { $("keys").hidden = true; };
  }

  #keys() {
    const { viewer } = this;
    const { player } = viewer;
    const actions = {
      " ": () => player.toggle(),
      ArrowLeft: (e) => player.jog(e.shiftKey ? -10 : -1),
      ArrowRight: (e) => player.jog(e.shiftKey ? 10 : 1),
      ArrowUp: () => player.faster(1),
      ArrowDown: () => player.faster(-1),
      Home: () => player.seek(0),
      End: () => player.seek(player.duration),
      f: () => $("fit").click(),
      t: () => $("follow").click(),
      e: () => $("energy").click(),
      a: () => $("axes").click(),
      l: () => $("loop").click(),
      d: () => $("theme").click(),
      h: () => $("help").click(),
      "?": () => $("help").click(),
      Escape: () => { $("keys").hidden = true; },
    };
    window.addEventListener("keydown", (event) => {
      const action = actions[event.key];
      if (!action || event.ctrlKey || event.metaKey || event.altKey) return;
      event.preventDefault();
      action(event);
    });
    // A focused button must not also take the space bar.
    window.addEventListener("keyup", (event) => {
      if (event.key === " ") event.preventDefault();
    });
  }

  #hover() {
    const { stage, machine } = this.viewer;
    const ray = new THREE.Raycaster();
    stage.canvas.addEventListener("pointermove", (event) => {
      const label = $("label");
      label.hidden = true;
      if (event.buttons) return;
      const box = stage.canvas.getBoundingClientRect();
      const at = new THREE.Vector2(
        ((event.clientX - box.left) / box.width) * 2 - 1,
        1 - ((event.clientY - box.top) / box.height) * 2,
      );
      ray.setFromCamera(at, stage.camera);
      const hit = ray.intersectObject(machine.root, true).find((h) => h.object.isMesh);
      if (!hit) return;
      label.textContent = hit.object.userData.name;
      label.style.left = `${event.clientX + 14}px`;
      label.style.top = `${event.clientY + 12}px`;
      label.hidden = false;
    });
  }

  update() {
    const { viewer } = this;
    const { player } = viewer;
    const share = player.duration > 0 ? (100 * player.time) / player.duration : 0;
    $("seek").value = player.time;
    $("seek").style.setProperty("--share", `${share}%`);
    $("now").textContent = seconds(player.time, this.digits);
    $("end").textContent = seconds(player.duration, this.digits);
    $("speed").textContent = `${player.speed}\u00d7`;
    $("play").classList.toggle("on", player.playing);
    $("play").setAttribute("aria-label", player.playing ? "pause" : "play");
    const pressed = {
      loop: player.loop, follow: viewer.following, energy: viewer.energyShown,
      axes: viewer.axesShown,
    };
    for (const [id, on] of Object.entries(pressed)) $(id).setAttribute("aria-pressed", String(on));
  }
}
