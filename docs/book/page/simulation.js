// The motion of the model: Runge-Kutta steps of the articulated-body algorithm.

const INTERVAL = 1000 / 480; // milliseconds of a step
const LONGEST = 1 / 20; // seconds of motion in a frame; a slow computer shows slow motion
const FORCE = [0.88, 0.48, 0.16];
const STIFFNESS = 10; // of a pull, in units of total mass / s^2

class Simulation {
  constructor(programs, data) {
    this.programs = programs;
    this.data = data;
    this.interval = INTERVAL;
    this.reset();
  }

  reset() {
    this.mass = [...this.data.masses];
    this.damping = this.data.damping;
    for (const { name, start } of this.data.sliders) this[name] = start;
    const { q0, qd0, gravity } = this.data;
    this.set({ q: q0, qd: qd0, gravity });
  }

  set({ q, qd, gravity, settings }) {
    Object.assign(this, settings);
    this.q = Float64Array.from(q);
    this.qd = Float64Array.from(qd);
    this.gravity = gravity;
    this.time = 0;
    this.left = 0;
    this.pull = null; // {body, point, target}: point in body, target in base coordinates
  }

  get parameters() {
    const { mass, gravity, stabilization } = this;
    return { mass, gravity: [0, 0, -gravity], stabilization: [1 / (stabilization ?? 0)] };
  }

  get seconds() {
    return this.interval / 1000; // of a step
  }

  advance(seconds) {
    this.left += Math.min(Math.max(seconds, 0), LONGEST); // a first frame may have begun before
    const poses = this.pull && this.poses();
    const f_ext = this.pull && this.pullForces(poses);
    const drag = this.damping ? this.inertia().filter((_, k) => k % (this.data.nv + 1) === 0) : null;
    for (; this.left >= this.seconds; this.left -= this.seconds) this.step(f_ext, drag);
    if (![...this.q, ...this.qd].every(Number.isFinite)) this.reset();
  }

  // Accelerations, and the forces of constraints.
  dynamics(q, qd, f_ext, drag) {
    const tau = drag && qd.map((x, k) => -this.damping * drag[k] * x);
    return this.programs.run("dynamics", { q, qd, tau, f_ext, ...this.parameters });
  }

  // The classical Runge-Kutta method of order four; the rotation of spherical joints needs the
  // brackets of Munthe-Kaas (1998), here for velocities in the coordinates of the body.
  step(f_ext, drag) {
    const h = this.seconds;
    const moved = (v, dt) => this.programs.run("integrate", { q: this.q, v, dt: [dt] })[0];
    const later = (a, dt) => add(this.qd, a, dt);
    const slope = (q, qd) => this.dynamics(q, qd, f_ext, drag)[0];
    const v1 = this.qd;
    const a1 = slope(this.q, v1);
    const v2 = later(a1, h / 2);
    const a2 = slope(moved(v1, h / 2), v2);
    const v3 = later(a2, h / 2);
    const a3 = slope(moved(add(v2, this.bracket(v1, v2), h / 4), h / 2), v3);
    const v4 = later(a3, h);
    const a4 = slope(moved(v3, h), v4);
    const mean = (k1, k2, k3, k4) => k1.map((x, k) => (x + 2 * k2[k] + 2 * k3[k] + k4[k]) / 6);
    this.q = moved(add(mean(v1, v2, v3, v4), this.bracket(v1, v4), h / 12), h);
    this.qd = later(mean(a1, a2, a3, a4), h);
    this.time += h;
  }

  bracket(v, w) {
    const made = new Float64Array(v.length);
    for (const k of this.data.spherical) {
      made.set(cross(v.subarray(k, k + 3), w.subarray(k, k + 3)), k);
    }
    return made;
  }

  poses(q = this.q) {
    return this.programs.run("poses", { q, ...this.parameters })[0];
  }

  inertia() {
    return this.programs.run("crba", { q: this.q, ...this.parameters })[0];
  }

  // A spring from the held point to the pointer: a force at the base origin for each body.
  pullForces(poses) {
    const { body, point, target } = this.pull;
    const held = transformed(poses, body, point);
    const total = this.mass.reduce((sum, m) => sum + m, 0);
    const force = target.map((x, k) => STIFFNESS * total * (x - held[k]));
    const f_ext = new Float64Array(6 * this.data.bodies.length);
    f_ext.set([...cross(held, force), ...force], 6 * (body - 1));
    return f_ext;
  }

  // What the page shows of the present state.
  quantities() {
    const f_ext = this.pull && this.pullForces(this.poses());
    const state = { q: this.q, qd: this.qd, f_ext, ...this.parameters };
    const [kinetic, potential] = this.programs.run("energy", state).map(([x]) => x);
    const [qdd, force] = this.dynamics(this.q, this.qd, f_ext);
    return {
      H: this.inertia(),
      C: this.programs.run("rnea", state)[0],
      qdd,
      force,
      drift: this.data.loop && Math.hypot(...this.programs.run("errors", state)[0]),
      kinetic,
      potential,
      shown: this.data.shown.map((_, k) =>
        this.programs.run(`shown_${k}`, state).flatMap((part) => [...part])),
    };
  }

  // What is drawn beside the model: lines, each with its color.
  lines({ force }) {
    const { loop } = this.data;
    if (!loop) return [];
    const total = loop.axes.reduce((sum, axis, k) => add(sum, axis, force[k]), [0, 0, 0]);
    return [{ color: FORCE, points: arrow(loop.place, total.map((x) => x / this.weight)) }];
  }

  // Forces are drawn as shares of the weight that the model has on Earth.
  get weight() {
    return 9.81 * this.mass.reduce((sum, m) => sum + m, 0);
  }
}
