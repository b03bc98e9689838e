// The mouse pulls what runs live: a force from the grabbed point to where the mouse is.
import * as THREE from "three";
import { STILL } from "./pick.js";

const COLOR = "#e0483e";
const HEAD = 0.05; // of what is seen

export class Grab {
  constructor(viewer) {
    this.viewer = viewer;
    const { canvas } = viewer.stage;
    this.arrow = new THREE.ArrowHelper(new THREE.Vector3(0, 1, 0), undefined, 1, COLOR);
    for (const part of [this.arrow.line, this.arrow.cone]) {
      part.material.depthTest = false;
      part.renderOrder = 7;
    }
    this.arrow.visible = false;
    viewer.stage.scene.add(this.arrow);
    // Before the camera's own listeners, which are to leave this drag alone.
    canvas.addEventListener("pointerdown", (event) => this.#take(event), { capture: true });
    canvas.addEventListener("pointermove", (event) => this.#move(event), { capture: true });
    for (const end of ["pointerup", "pointercancel"]) {
      canvas.addEventListener(end, () => this.#drop(), { capture: true });
    }
  }

  #take(event) {
    if (event.button !== 0 || event.shiftKey || !this.viewer.player.connected) return;
    const hit = this.viewer.picker.at(event);
    if (!hit || hit.body === 0) return;
    const node = hit.machine.worlds[hit.world][hit.body];
    const local = node.worldToLocal(hit.point.clone());
    const away = this.viewer.stage.view.camera.getWorldDirection(new THREE.Vector3());
    const plane = new THREE.Plane().setFromNormalAndCoplanarPoint(away, hit.point);
    this.held = { hit, node, local, plane, from: [event.clientX, event.clientY] };
    this.viewer.stage.view.orbit.enabled = false;
    this.viewer.stage.canvas.setPointerCapture(event.pointerId);
  }

  #move(event) {
    const { held } = this;
    if (!held) return;
    const [x, y] = held.from;
    if (!held.target && Math.hypot(event.clientX - x, event.clientY - y) < STILL) return;
    const target = this.viewer.picker.aim(event).intersectPlane(held.plane, new THREE.Vector3());
    if (!target) return;
    held.target = target;
    const base = held.hit.machine.worlds[held.hit.world][0];
    this.viewer.player.send({
      do: "pull",
      body: held.hit.body,
      point: held.local.toArray(),
      target: base.worldToLocal(target.clone()).toArray(),
    });
    this.viewer.draw();
  }

  #drop() {
    if (!this.held) return;
    if (this.held.target) this.viewer.player.send({ do: "release" });
    this.held = null;
    this.viewer.stage.view.orbit.enabled = true;
    this.viewer.draw();
  }

  update() {
    const { held, arrow } = this;
    arrow.visible = Boolean(held?.target);
    if (!arrow.visible) return;
    const from = held.node.localToWorld(held.local.clone());
    const way = held.target.clone().sub(from);
    const length = Math.max(way.length(), 1e-6);
    const head = Math.min(HEAD * this.viewer.radius, 0.5 * length);
    arrow.position.copy(from);
    arrow.setDirection(way.divideScalar(length));
    arrow.setLength(length, head, 0.5 * head);
  }
}
