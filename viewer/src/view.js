// The camera: where it looks from, what it follows, and how mouse and keys move it.
import * as THREE from "three";
import { OrbitControls } from "three/examples/jsm/controls/OrbitControls.js";

const ANGLE = 25; // degrees
const REFOCUS = 1.1;
const FILL = 0.92; // of the free part of the picture, across and upwards
const LEAST = 0.5; // of the picture is free at least, however small it is
const LOWER = [0, 0.25, 0.5, 0.75, 1]; // of the title's height that may be left free above
const SLANTS = 8; // directions in which the title may be beside what is seen, less one
const NEAREST = 0.05; // metres at least from the camera to its target, in radii

export class View {
  constructor(canvas) {
    this.camera = new THREE.PerspectiveCamera(ANGLE, 1, 0.01, 1000);
    this.orbit = new OrbitControls(this.camera, canvas);
    this.orbit.enableDamping = false;
    this.orbit.mouseButtons = {
      LEFT: THREE.MOUSE.ROTATE, MIDDLE: THREE.MOUSE.PAN, RIGHT: null,
    };
    this.roll = 0;
    this.locus = [0, 0];
    this.free = { left: 0, right: 0, top: 0, bottom: 0 };
    this.followed = new THREE.Vector3();
    // Wheel with the left button held: what lies nearer or farther becomes the centre.
    canvas.addEventListener("wheel", (event) => {
      if (!(event.buttons & 1)) return;
      event.preventDefault();
      event.stopImmediatePropagation();
      this.refocus(event.deltaY > 0 ? REFOCUS : 1 / REFOCUS);
    }, { capture: true, passive: false });
  }

  get target() { return this.orbit.target; }

  // What is seen at first: spheres, from a direction towards the camera, as the stage has it.
  setInitial(spheres, radius, way, { zoom = 1, locus = [0, 0] } = {}) {
    this.initial = { spheres, radius, way: way.clone().normalize(), zoom, locus };
  }

  // As near as shows all spheres in the middle of what the panels leave free, and the title
  // uncovered.
  reset({ left, bottom, title }) {
    const { radius, way, zoom, locus } = this.initial;
    Object.assign(this.orbit, { minDistance: 0, maxDistance: Infinity });
    this.target.set(0, 0, 0);
    this.camera.position.copy(way);
    this.orbit.update();
    this.camera.updateMatrix();
    const fits = LOWER.map((share) =>
      this.#fit(this.#bounded({ left, right: 0, top: share * title[1], bottom })));
    const best = fits.find((fit) => this.#clears(fit, title)) ?? fits.at(-1);
    const distance = Math.max(best.distance, NEAREST * radius) / zoom;
    this.roll = 0;
    this.locus = locus;
    this.free = best.free;
    this.target.copy(best.target).add(this.followed);
    this.camera.position.copy(this.target).addScaledVector(way, distance);
    this.camera.near = distance / 200;
    this.camera.far = distance * 60;
    this.orbit.minDistance = 0.05 * radius;
    this.orbit.maxDistance = 60 * radius;
    this.orbit.update();
    this.#shift();
    this.home = this.#standpoint();
  }

  // To the right, upwards and towards the camera.
  #axes() {
    return [0, 1, 2].map((k) => new THREE.Vector3().setFromMatrixColumn(this.camera.matrix, k));
  }

  // Margins that leave enough of a small picture: as they are, or less.
  #bounded(part) {
    const { left, right, top, bottom } = part;
    const across = Math.min(1, ((1 - LEAST) * this.width) / Math.max(left + right, 1));
    const upwards = Math.min(1, ((1 - LEAST) * this.height) / Math.max(top + bottom, 1));
    if (across === 1 && upwards === 1) return part;
    return { left: left * across, right: right * across, top: top * upwards,
      bottom: bottom * upwards };
  }

  // A sphere lies between two opposite sides of the view where both of their planes have it
  // inside; each pair of sides has a least distance, the larger one counts.
  #fit(free) {
    const axes = this.#axes();
    const tan = Math.tan(THREE.MathUtils.degToRad(ANGLE / 2)) * FILL;
    const half = [
      (tan * this.camera.aspect * (this.width - free.left - free.right)) / this.width,
      (tan * (this.height - free.top - free.bottom)) / this.height,
    ];
    const low = [Infinity, Infinity, Infinity];
    const high = [-Infinity, -Infinity, -Infinity];
    for (const { center, radius } of this.initial.spheres) {
      const [x, y, z] = axes.map((axis) => axis.dot(center));
      [x, y].forEach((place, k) => {
        const reach = radius * Math.hypot(1, half[k]) + half[k] * z;
        high[k] = Math.max(high[k], place + reach);
        low[k] = Math.min(low[k], place - reach);
      });
      high[2] = Math.max(high[2], z + radius);
      low[2] = Math.min(low[2], z - radius);
    }
    const back = Math.max(...half.map((h, k) => (high[k] - low[k]) / 2 / h));
    const middle = low.map((bound, k) => (bound + high[k]) / 2);
    const target = new THREE.Vector3();
    axes.forEach((axis, k) => target.addScaledVector(axis, middle[k]));
    return { free, target, distance: back - middle[2] };
  }

  // Whether what lies between the spheres keeps out of the upper left corner: some straight line
  // has them all on one side.
  #clears({ free, target, distance }, [right, bottom]) {
    const focal = this.height / 2 / Math.tan(THREE.MathUtils.degToRad(ANGLE / 2));
    const axes = this.#axes();
    const least = (place, radius, depth) =>
      (place - radius) / (place < radius ? depth - radius : depth + radius);
    const corners = this.initial.spheres.map(({ center, radius }) => {
      const [x, y, z] = axes.map((axis) => axis.dot(center) - axis.dot(target));
      return [(free.left + this.width - free.right) / 2 + focal * least(x, radius, distance - z),
        (free.top + this.height - free.bottom) / 2 + focal * least(-y, radius, distance - z)];
    });
    const slants = Array.from({ length: SLANTS + 1 }, (_, k) => (k / SLANTS) * (Math.PI / 2));
    return slants.some((slant) => corners.every(([x, y]) =>
      Math.cos(slant) * (x - right) + Math.sin(slant) * (y - bottom) >= 0));
  }

  #standpoint() {
    const { camera, target, followed, roll } = this;
    return [...camera.position.clone().sub(followed), ...target.clone().sub(followed), roll];
  }

  // Whether the camera is still where reset has put it.
  get isUntouched() {
    const near = 1e-6 * this.initial.radius;
    return this.#standpoint().every((x, k) => Math.abs(x - this.home[k]) < near);
  }

  // Whether a sphere lies inside the picture.
  shows({ center, radius }) {
    const place = center.clone().applyMatrix4(this.camera.matrixWorldInverse);
    const tan = Math.tan(THREE.MathUtils.degToRad(ANGLE / 2));
    return [tan * this.camera.aspect, tan].every((half, k) =>
      Math.abs(place.getComponent(k)) + radius * Math.hypot(1, half) <= -half * place.z);
  }

  resize(width, height) {
    Object.assign(this, { width, height });
    this.camera.aspect = width / Math.max(height, 1);
    this.#shift();
  }

  // The target appears in the middle of the free part, moved by the locus in half widths and
  // heights.
  #shift() {
    const { width, height, free: { left, right, top, bottom } } = this;
    const [x, y] = this.locus;
    this.camera.setViewOffset(width, height, (right - left - x * width) / 2,
      (bottom - top + y * height) / 2, width, height);
    this.camera.updateProjectionMatrix();
  }

  // Moves camera and target by what the followed point has moved since the last time.
  followTo(place) {
    const step = place.clone().sub(this.followed);
    this.followed.copy(place);
    this.camera.position.add(step);
    this.target.add(step);
  }

  // Turns about the target: around the vertical, and up or down.
  turn(around, over) {
    const way = this.camera.position.clone().sub(this.target);
    const up = this.camera.up;
    way.applyAxisAngle(up, around);
    const side = new THREE.Vector3().crossVectors(up, way).normalize();
    const polar = way.angleTo(up);
    const wanted = Math.min(Math.max(polar + over, 0.01), Math.PI - 0.01);
    way.applyAxisAngle(side, wanted - polar);
    this.camera.position.copy(this.target).add(way);
    this.orbit.update();
  }

  pan(right, up) {
    const distance = this.camera.position.distanceTo(this.target);
    const size = 2 * distance * Math.tan(THREE.MathUtils.degToRad(ANGLE / 2));
    const step = new THREE.Vector3(right * size, up * size, 0).applyQuaternion(
      this.camera.quaternion,
    );
    this.camera.position.add(step);
    this.target.add(step);
    this.orbit.update();
  }

  zoom(factor) {
    const way = this.camera.position.clone().sub(this.target);
    this.camera.position.copy(this.target).addScaledVector(way, 1 / factor);
    this.orbit.update();
  }

  refocus(factor) {
    const way = this.target.clone().sub(this.camera.position).multiplyScalar(factor);
    this.target.copy(this.camera.position).add(way);
    this.orbit.update();
  }

  // Roll turns the picture only, so that the controls keep their notion of up.
  draw(render) {
    const { camera, roll } = this;
    if (roll) camera.rotateZ(roll);
    camera.updateMatrixWorld();
    render();
    if (roll) camera.rotateZ(-roll);
  }
}
