// The body under the mouse: its name on hover, its state when selected, a menu on right click.
import * as THREE from "three";

const $ = (id) => document.getElementById(id);
export const STILL = 4; // pixels a click may move

export class Picker {
  constructor(viewer) {
    this.viewer = viewer;
    this.ray = new THREE.Raycaster();
    const { canvas } = viewer.stage;
    canvas.addEventListener("pointermove", (event) => this.#hover(event));
    canvas.addEventListener("pointerleave", () => { $("label").hidden = true; });
    canvas.addEventListener("pointerdown", (event) => {
      this.from = [event.clientX, event.clientY];
      $("menu").hidden = true;
    });
    canvas.addEventListener("pointerup", (event) => {
      const [x, y] = this.from ?? [0, 0];
      const moved = Math.hypot(event.clientX - x, event.clientY - y);
      if (event.button === 0 && moved < STILL) this.select(this.at(event));
    });
    canvas.addEventListener("contextmenu", (event) => {
      event.preventDefault();
      const [x, y] = this.from ?? [0, 0];
      if (Math.hypot(event.clientX - x, event.clientY - y) < STILL) this.#menu(event);
    });
  }

  // The ray from the eye through the mouse.
  aim(event) {
    const { stage } = this.viewer;
    const box = stage.canvas.getBoundingClientRect();
    const place = new THREE.Vector2(
      ((event.clientX - box.left) / box.width) * 2 - 1,
      1 - ((event.clientY - box.top) / box.height) * 2,
    );
    this.ray.setFromCamera(place, stage.view.camera);
    return this.ray.ray;
  }

  // The body under a mouse event: {machine, world, body, name, point}, or null.
  at(event) {
    const { machines } = this.viewer;
    this.aim(event);
    const roots = machines.map((machine) => machine.root);
    const hit = this.ray.intersectObjects(roots, true).find((h) => h.object.userData.shape);
    if (!hit) return null;
    const node = hit.object.parent;
    const machine = machines.find((m) => m.worlds.some((world) => world.includes(node)));
    const world = machine.worlds.findIndex((bodies) => bodies.includes(node));
    return { machine, world, body: node.userData.body, name: hit.object.userData.name,
      point: hit.point };
  }

  #hover(event) {
    const label = $("label");
    label.hidden = true;
    if (event.buttons) return;
    const hit = this.at(event);
    if (!hit) return;
    label.textContent = hit.name;
    label.style.left = `${event.clientX + 14}px`;
    label.style.top = `${event.clientY + 12}px`;
    label.hidden = false;
  }

  #menu(event) {
    const hit = this.at(event);
    const menu = $("menu");
    $("menu-name").textContent = hit ? hit.name : this.viewer.data.title;
    $("menu-track").hidden = !hit || hit.body === 0;
    $("menu-track").onclick = () => { this.select(hit); this.viewer.setTracking(true); };
    menu.hidden = false;
    menu.style.left = `${Math.min(event.clientX, window.innerWidth - menu.offsetWidth - 8)}px`;
    menu.style.top = `${Math.min(event.clientY, window.innerHeight - menu.offsetHeight - 8)}px`;
  }

  select(hit) {
    this.#paint(0);
    this.selected = hit && hit.body > 0 ? hit : null;
    this.#paint(0.22);
    $("details").hidden = !this.selected;
    if (this.selected) $("details-name").textContent = this.selected.name;
    this.viewer.draw();
  }

  #paint(glow) {
    if (!this.selected) return;
    const { machine, world, body } = this.selected;
    for (const child of machine.worlds[world][body].children) {
      if (child.userData.shape && child.material.emissive) {
        child.material.emissive.set("#ffb648");
        child.material.emissiveIntensity = glow;
      }
    }
  }

  // Pose in base coordinates, and velocity from the frames around.
  update(time) {
    if (!this.selected) return;
    const here = this.#pose(time);
    const step = this.selected.machine.film.step;
    const end = this.selected.machine.duration;
    const [from, to] = [Math.max(time - step / 2, 0), Math.min(time + step / 2, end)];
    const [before, after] = [this.#pose(from), this.#pose(to)];
    this.#pose(time);
    const span = to - from || 1;
    const velocity = after.place.sub(before.place).divideScalar(span);
    const turn = after.turn.multiply(before.turn.conjugate()).normalize();
    if (turn.w < 0) turn.set(-turn.x, -turn.y, -turn.z, -turn.w);
    const sine = Math.hypot(turn.x, turn.y, turn.z);
    const rate = sine > 0 ? (2 * Math.atan2(sine, turn.w)) / sine / span : 0;
    const angles = new THREE.Euler().setFromQuaternion(here.turn, "ZYX");
    const triple = (values, digits = 3) =>
      values.map((x) => x.toFixed(digits).replace("-", "\u2212")).join("  ");
    $("details-place").textContent = triple(here.place.toArray());
    $("details-turn").textContent = triple(
      [angles.x, angles.y, angles.z].map(THREE.MathUtils.radToDeg), 1);
    $("details-velocity").textContent = triple(velocity.toArray());
    $("details-rate").textContent = triple([turn.x, turn.y, turn.z].map((x) => x * rate));
  }

  #pose(time) {
    const { machine, world, body } = this.selected;
    machine.place(time);
    const base = machine.worlds[world][0];
    const matrix = base.matrixWorld.clone().invert().multiply(
      machine.worlds[world][body].matrixWorld);
    const place = new THREE.Vector3();
    const turn = new THREE.Quaternion();
    matrix.decompose(place, turn, new THREE.Vector3());
    return { place, turn };
  }
}
