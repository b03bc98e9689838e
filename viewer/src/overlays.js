// What can be laid over the bodies: frames, joint axes, centre of mass, inertia, trails, contacts, collision shapes.
import * as THREE from "three";
import { buildShape } from "./shapes.js";

const SAMPLES = 400;
const EDGE = 20; // degrees between faces that share an edge
const COLORS = { joint: "#d94f9a", com: "#e6b422", trail: "#2a9d6f", collision: "#9b4dff", contact: "#e0483e" };

function onTop(object, order = 5) {
  for (const material of [object.material].flat()) material.depthTest = false;
  object.renderOrder = order;
  return object;
}

function lineOf(points, color) {
  const geometry = new THREE.BufferGeometry().setFromPoints(points);
  return onTop(new THREE.Line(geometry, new THREE.LineBasicMaterial({ color })), 4);
}

// Every overlay has a size it is drawn with, is built when first wanted, and may move with time.
export class Overlays {
  constructor(machines, stage, size) {
    Object.assign(this, { machines, stage, size });
    this.shown = new Set();
    this.built = new Map();
    this.moving = new Map();
  }

  has(name) {
    const films = this.machines.map((machine) => machine.film);
    return {
      frames: films.some((film) => film.bodies.length > 1),
      joints: films.some((film) => film.joints.length > 0),
      com: films.some((film) => film.masses.length > 0),
      inertia: films.some((film) => film.masses.some((mass) => mass.axes)),
      trails: films.some((film) => film.frames > 1 && film.bodies.length > 1 && !film.live),
      collisions: films.some((film) => film.collisions.length > 0),
      contacts: films.some((film) => film.contacts),
    }[name];
  }

  set(name, on) {
    if (on && !this.built.has(name)) this.built.set(name, this.#build(name));
    for (const object of this.built.get(name) ?? []) object.visible = on;
    if (on) this.shown.add(name);
    else this.shown.delete(name);
  }

  update(time) {
    for (const name of this.shown) this.moving.get(name)?.(time);
  }

  #build(name) {
    return this.machines.flatMap((machine) => this[`_${name}`](machine));
  }

  _frames(machine) {
    return machine.worlds.flatMap((bodies) => bodies.slice(1).map((body) => {
      const axes = onTop(new THREE.AxesHelper(0.14 * this.size));
      body.add(axes);
      return axes;
    }));
  }

  _joints(machine) {
    const length = 0.22 * this.size;
    return machine.worlds.flatMap((bodies) => machine.film.joints.map(({ body, axis }) => {
      const way = new THREE.Vector3().fromArray(axis).normalize();
      const arrow = new THREE.ArrowHelper(way, way.clone().multiplyScalar(-length / 2), length,
        COLORS.joint, 0.24 * length, 0.12 * length);
      onTop(arrow.line);
      onTop(arrow.cone);
      bodies[body].add(arrow);
      return arrow;
    }));
  }

  _com(machine) {
    const past = machine.film.live ? [] : this.#sampled(machine, () => machine.centreOfMass());
    const path = lineOf(past, COLORS.com);
    const ball = onTop(new THREE.Mesh(
      new THREE.SphereGeometry(0.025 * this.size, 20, 14),
      new THREE.MeshBasicMaterial({ color: COLORS.com }),
    ), 6);
    this.stage.scene.add(path, ball);
    this.#each("com", () => ball.position.copy(machine.centreOfMass() ?? new THREE.Vector3()));
    return [path, ball];
  }

  _inertia(machine) {
    const look = new THREE.MeshBasicMaterial({ color: COLORS.com, wireframe: true, opacity: 0.4,
      transparent: true });
    return machine.worlds.flatMap((bodies) =>
      machine.film.masses.filter((mass) => mass.axes).map(({ body, com, axes, turn }) => {
        const shell = onTop(new THREE.Mesh(new THREE.SphereGeometry(1, 16, 10), look));
        shell.scale.fromArray(axes);
        shell.position.fromArray(com);
        shell.quaternion.fromArray(turn);
        bodies[body].add(shell);
        return shell;
      }));
  }

  // What touches, where something else is drawn: seen through, with its edges.
  _collisions(machine) {
    const look = new THREE.MeshBasicMaterial({ color: COLORS.collision, opacity: 0.3,
      transparent: true, depthWrite: false });
    const ink = new THREE.LineBasicMaterial({ color: COLORS.collision });
    const setting = { count: machine.film.collisions.length, plain: true };
    return machine.worlds.flatMap((bodies) => machine.film.collisions.map((shape) => {
      const object = buildShape(shape, true, setting);
      object.material = look;
      object.userData = {};
      object.add(onTop(new THREE.LineSegments(new THREE.EdgesGeometry(object.geometry, EDGE), ink)));
      onTop(object, 3);
      bodies[shape.body].add(object);
      return object;
    }));
  }

  // Of the bodies that carry nothing further: hands, feet, heads.
  _trails(machine) {
    const carriers = new Set(machine.film.parents);
    const tips = machine.film.bodies.map((_, i) => i).filter((i) => i > 0 && !carriers.has(i));
    const paths = tips.slice(0, 24).map(() => []);
    this.#sampled(machine, () => {
      tips.slice(0, 24).forEach((body, k) => paths[k].push(machine.point(body)));
    });
    return paths.map((points) => {
      const trail = lineOf(points, COLORS.trail);
      this.stage.scene.add(trail);
      return trail;
    });
  }

  _contacts(machine) {
    if (!machine.film.contacts) return [];
    const group = new THREE.Group();
    machine.root.add(group);
    let largest = this.#typical(machine.film.contacts.values);
    this.#each("contacts", (time) => {
      const rows = machine.contacts(time);
      // Of a run that goes on nobody knows what is to come.
      if (machine.film.live) largest = Math.max(0.99 * largest, this.#typical(rows));
      this.#arrows(group, rows, largest);
    });
    return [group];
  }

  // A force that few exceed: arrows are drawn in proportion to it.
  #typical(values) {
    const sizes = [];
    for (let k = 0; k < values.length; k += 6) {
      sizes.push(Math.hypot(values[k + 3], values[k + 4], values[k + 5]));
    }
    sizes.sort((p, q) => p - q);
    return sizes[Math.floor(0.98 * (sizes.length - 1))] || 1e-9;
  }

  #arrows(group, rows, largest) {
    const count = rows.length / 6;
    while (group.children.length < count) {
      const arrow = new THREE.ArrowHelper(new THREE.Vector3(1, 0, 0), undefined, 1, COLORS.contact);
      onTop(arrow.line);
      onTop(arrow.cone);
      group.add(arrow);
    }
    group.children.forEach((arrow, k) => {
      arrow.visible = k < count;
      if (!arrow.visible) return;
      const force = new THREE.Vector3().fromArray(rows, 6 * k + 3);
      const length = this.size * (0.03 + 0.4 * Math.min(force.length() / largest, 1.5));
      arrow.position.fromArray(rows, 6 * k);
      arrow.setDirection(force.lengthSq() > 0 ? force.normalize() : new THREE.Vector3(0, 0, 1));
      arrow.setLength(length, 0.25 * length, 0.12 * length);
    });
  }

  #each(name, move) {
    const before = this.moving.get(name);
    this.moving.set(name, (time) => { before?.(time); move(time); });
  }

  #sampled(machine, measure) {
    const count = Math.min(SAMPLES, machine.film.frames);
    const points = [];
    for (let k = 0; k < count; k++) {
      machine.place((machine.duration * k) / Math.max(count - 1, 1));
      const point = measure();
      if (point) points.push(point);
    }
    return points;
  }
}
