// The camera: where it looks from, what it follows, and how mouse and keys move it.
import * as THREE from "three";
import { OrbitControls } from "three/examples/jsm/controls/OrbitControls.js";

const ANGLE = 25; // degrees
const WAY = [0.95, 0.36, 1];
const REFOCUS = 1.1;
export const LIFT = 34; // pixels

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
    this.lift = LIFT;
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

  // How a sphere is seen at first; the direction, towards the camera, as the stage has it.
  setInitial(centre, radius, { direction, zoom = 1, locus = [0, 0] } = {}) {
    const way = (direction ?? new THREE.Vector3(...WAY)).clone().normalize();
    this.initial = { centre: centre.clone(), radius, way, zoom, locus };
  }

  reset() {
    const { centre, radius, way, zoom, locus } = this.initial;
    const tan = Math.tan(THREE.MathUtils.degToRad(ANGLE / 2));
    const half = Math.min(Math.atan(tan), Math.atan(tan * this.camera.aspect));
    const free = this.height / Math.max(this.height - 2 * this.lift, 1);
    const distance = (1.08 * radius * free) / Math.sin(half) / zoom;
    this.roll = 0;
    this.locus = locus;
    this.target.copy(centre).add(this.followed);
    this.camera.position.copy(this.target).addScaledVector(way, distance);
    this.camera.near = distance / 200;
    this.camera.far = distance * 60;
    this.orbit.minDistance = 0.05 * radius;
    this.orbit.maxDistance = 60 * radius;
    this.orbit.update();
    this.#shift();
  }

  resize(width, height) {
    Object.assign(this, { width, height });
    this.camera.aspect = width / Math.max(height, 1);
    this.#shift();
  }

  // The locus, in half widths and heights, is where the target appears in the picture; all is
  // lifted a little, off the controls at the bottom.
  #shift() {
    const [x, y] = this.locus;
    const { width, height } = this;
    this.camera.setViewOffset(width, height, (-x * width) / 2, (y * height) / 2 + this.lift,
      width, height);
    this.camera.updateProjectionMatrix();
  }

  setLift(pixels) {
    this.lift = pixels;
    this.#shift();
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
