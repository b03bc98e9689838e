// The bodies of one recording, in one or more worlds, and where they are at a time.
import * as THREE from "three";
import { placeBodies } from "./joints.js";
import { buildShape } from "./shapes.js";
import { Stretched } from "./stretched.js";

const POSE = 7;
const LEVEL = 1 - 1e-6; // cosine of what is still horizontal
const a = new THREE.Quaternion();
const b = new THREE.Quaternion();

// The limb of every body: a body starts one where the tree branches, at the base, too.
function limbsOf(parents) {
  const carried = [0, ...parents.map(() => 0)];
  for (const parent of parents) carried[parent]++;
  const limbs = [0];
  let count = 0;
  parents.forEach((parent, k) => {
    const goesOn = parent > 0 && carried[parent] === 1;
    limbs[k + 1] = goesOn ? limbs[parent] : ++count;
  });
  return limbs;
}

export class Machine {
  constructor(film, ghost, plain) {
    this.film = film;
    this.root = new THREE.Group();
    this.stretched = [];
    this.worlds = film.offsets.map((offset) => this.#buildWorld(offset, ghost, plain));
  }

  // Bodies hang in a tree: every pose is in the parent's frame.
  #buildWorld(offset, ghost, plain) {
    const base = new THREE.Group();
    base.position.fromArray(offset);
    this.root.add(base);
    const bodies = [base];
    this.film.bodies.slice(1).forEach((name, k) => {
      const body = new THREE.Group();
      bodies[this.film.parents[k]].add(body);
      bodies.push(body);
    });
    bodies.forEach((body, i) => { body.userData = { body: i, name: this.film.bodies[i] }; });
    const count = this.film.shapes.length * this.film.offsets.length;
    const limbs = limbsOf(this.film.parents);
    for (const shape of this.film.shapes) {
      bodies[shape.body].add(buildShape(shape, ghost, { count, plain, limb: limbs[shape.body] }));
    }
    for (const spring of this.film.springs) {
      this.stretched.push(new Stretched(spring, bodies, buildShape(spring, ghost, { count, plain })));
    }
    return bodies;
  }

  get duration() { return (this.film.start ?? 0) + (this.film.frames - 1) * this.film.step; }

  // Frame below `time` and the share of the way to the next.
  at(time) {
    const { frames, step, start = 0 } = this.film;
    const exact = frames > 1 ? Math.min(Math.max((time - start) / step, 0), frames - 1) : 0;
    const low = Math.min(Math.floor(exact), Math.max(frames - 2, 0));
    return { low, high: Math.min(low + 1, frames - 1), share: exact - low };
  }

  // Sets every body to its pose at `time`, or to where the joints were set by hand.
  place(time) {
    if (this.values) placeBodies(this.worlds[0].slice(1), this.film.settable, this.values);
    else this.#placeAt(time);
    this.root.updateWorldMatrix(true, true);
    for (const spring of this.stretched) spring.place();
  }

  // Positions linear, rotations by slerp.
  #placeAt(time) {
    const { poses, bodies } = this.film;
    const moving = bodies.length - 1;
    const stride = this.worlds.length * moving * POSE;
    const { low, high, share } = this.at(time);
    this.worlds.forEach((world, w) => {
      for (let i = 1; i <= moving; i++) {
        const from = low * stride + (w * moving + i - 1) * POSE;
        const to = high * stride + (w * moving + i - 1) * POSE;
        world[i].position.set(
          poses[from] + share * (poses[to] - poses[from]),
          poses[from + 1] + share * (poses[to + 1] - poses[from + 1]),
          poses[from + 2] + share * (poses[to + 2] - poses[from + 2]),
        );
        a.fromArray(poses, from + 3).normalize();
        b.fromArray(poses, to + 3).normalize();
        world[i].quaternion.copy(a.slerp(b, share));
      }
    });
  }

  showBody(body, on) {
    for (const world of this.worlds) {
      for (const child of world[body].children) if (child.userData.shape) child.visible = on;
    }
  }

  // Points and forces of the contacts at `time`, six numbers each.
  contacts(time) {
    const { counts, values, now } = this.film.contacts;
    if (now) return now;
    if (!this.starts) {
      this.starts = [0];
      for (const count of counts) this.starts.push(this.starts.at(-1) + count);
    }
    const { low, high, share } = this.at(time);
    const frame = share < 0.5 ? low : high;
    return values.subarray(6 * this.starts[frame], 6 * this.starts[frame + 1]);
  }

  // Around every shape that has an end, where it is now.
  spheres() {
    const found = [];
    this.root.traverse((object) => {
      if (!object.userData.shape || object.userData.endless) return;
      const { geometry } = object;
      if (!geometry.boundingSphere) geometry.computeBoundingSphere();
      found.push(geometry.boundingSphere.clone().applyMatrix4(object.matrixWorld));
    });
    return found;
  }

  // Position of a point of a body of the first world, in the coordinates of the scene.
  point(body, place = [0, 0, 0]) {
    return this.worlds[0][body].localToWorld(new THREE.Vector3().fromArray(place));
  }

  // Planes of the base that are horizontal on the stage.
  levelPlanes() {
    const up = new THREE.Vector3();
    return this.#planes().filter((plane) =>
      up.setFromMatrixColumn(plane.matrixWorld, 2).normalize().y > LEVEL);
  }

  spreadPlanes(width) {
    for (const plane of this.#planes()) plane.scale.setScalar(width);
  }

  #planes() {
    return this.worlds.flatMap((bodies) => bodies[0].children.filter((c) => c.userData.endless));
  }

  centreOfMass(world = this.worlds[0]) {
    const sum = new THREE.Vector3();
    let total = 0;
    for (const { body, mass, com } of this.film.masses) {
      sum.addScaledVector(world[body].localToWorld(new THREE.Vector3().fromArray(com)), mass);
      total += mass;
    }
    return total > 0 ? sum.divideScalar(total) : null;
  }
}
