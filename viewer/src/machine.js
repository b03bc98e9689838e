// The bodies of one or more worlds and where they are at a time.
import * as THREE from "three";
import { buildShape } from "./shapes.js";

const POSE = 7;

export class Machine {
  constructor(data) {
    this.data = data;
    this.root = new THREE.Group();
    const up = new THREE.Vector3().fromArray(data.up);
    this.root.quaternion.setFromUnitVectors(up, new THREE.Vector3(0, 1, 0));
    this.worlds = data.offsets.map((offset) => this.#buildWorld(offset));
    this.axes = this.worlds.flat().slice(1).map((body) => {
      const axes = new THREE.AxesHelper(1);
      axes.material.depthTest = false;
      axes.renderOrder = 5;
      axes.visible = false;
      axes.scale.setScalar(1e-6); // hidden ones still count in the extent
      body.add(axes);
      return axes;
    });
    this.#a = new THREE.Quaternion();
    this.#b = new THREE.Quaternion();
  }

  #a;
  #b;

  #buildWorld(offset) {
    const world = new THREE.Group();
    world.position.fromArray(offset);
    this.root.add(world);
    const bodies = this.data.bodies.map((name) => {
      const body = new THREE.Group();
      body.userData.name = name;
      world.add(body);
      return body;
    });
    for (const shape of this.data.shapes) bodies[shape.body].add(buildShape(shape));
    return bodies;
  }

  // Sets every body to its pose at `time`: positions linear, rotations by slerp.
  place(time) {
    const { poses, frames, step } = this.data;
    const moving = this.data.bodies.length - 1;
    const stride = this.worlds.length * moving * POSE;
    const at = frames > 1 ? Math.min(Math.max(time / step, 0), frames - 1) : 0;
    const low = Math.min(Math.floor(at), Math.max(frames - 2, 0));
    const share = at - low;
    const high = Math.min(low + 1, frames - 1);
    this.worlds.forEach((bodies, w) => {
      for (let i = 1; i <= moving; i++) {
        const body = bodies[i];
        const from = low * stride + (w * moving + i - 1) * POSE;
        const to = high * stride + (w * moving + i - 1) * POSE;
        for (const [k, axis] of ["x", "y", "z"].entries()) {
          body.position[axis] = poses[from + k] + share * (poses[to + k] - poses[from + k]);
        }
        this.#a.fromArray(poses, from + 3);
        this.#b.fromArray(poses, to + 3);
        body.quaternion.copy(this.#a.slerp(this.#b, share));
      }
    });
    this.root.updateMatrixWorld(true);
  }

  showAxes(visible, length) {
    for (const axes of this.axes) {
      axes.visible = visible;
      axes.scale.setScalar(length);
    }
  }

  // What the camera has to see and where the floor lies, from the shapes at some times.
  extent(samples) {
    const whole = new THREE.Box3();
    const first = new THREE.Box3();
    samples.forEach((time, k) => {
      this.place(time);
      const box = new THREE.Box3().setFromObject(this.root);
      if (k === 0) first.copy(box);
      whole.union(box);
    });
    this.place(0);
    return { whole, first };
  }

  // Horizontal way of the first moving body since the start.
  drift() {
    if (this.data.follow < 1) return new THREE.Vector3();
    const now = this.worlds[0][this.data.follow].getWorldPosition(new THREE.Vector3());
    this.home ??= this.#homeOf();
    return now.sub(this.home).setY(0);
  }

  #homeOf() {
    const p = this.data.poses;
    const at = (this.data.follow - 1) * POSE;
    const home = new THREE.Vector3(p[at], p[at + 1], p[at + 2]);
    return this.worlds[0][0].parent.localToWorld(home);
  }
}
