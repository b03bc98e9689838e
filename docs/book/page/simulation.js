// The motion of the model: Runge-Kutta steps of the articulated-body algorithm.

const STEP = 1 / 480; // seconds
const LONGEST = 1 / 20; // seconds of motion in a frame; a slow computer shows slow motion
const STIFFNESS = 10; // of a pull, in units of total mass / s^2

class Simulation {
  constructor(programs, data) {
    this.programs = programs;
    this.data = data;
    this.reset();
  }

  reset() {
    this.mass = [...this.data.masses];
    this.damping = this.data.damping;
    const { q0, qd0, gravity } = this.data;
    this.set({ q: q0, qd: qd0, gravity });
  }

  set({ q, qd, gravity }) {
    this.q = Float64Array.from(q);
    this.qd = Float64Array.from(qd);
    this.gravity = gravity;
    this.time = 0;
    this.left = 0;
    this.pull = null; // {body, point, target}: point in body, target in base coordinates
  }

  get parameters() {
    return { mass: this.mass, gravity: [0, 0, -this.gravity] };
  }

  advance(seconds) {
    this.left += Math.min(seconds, LONGEST);
    const poses = this.pull && this.poses();
    const f_ext = this.pull && this.pullForces(poses);
    const drag = this.damping ? this.inertia().filter((_, k) => k % (this.data.nv + 1) === 0) : null;
    for (; this.left >= STEP; this.left -= STEP) this.step(f_ext, drag);
    if (![...this.q, ...this.qd].every(Number.isFinite)) this.reset();
  }

  // The classical Runge-Kutta method of order four; the rotation of spherical joints needs the
  // brackets of Munthe-Kaas (1998), here for velocities in the coordinates of the body.
  step(f_ext, drag) {
    const h = STEP;
    const moved = (v, dt) => this.programs.run("integrate", { q: this.q, v, dt: [dt] })[0];
    const later = (a, dt) => add(this.qd, a, dt);
    const slope = (q, qd) => {
      const tau = drag && qd.map((x, k) => -this.damping * drag[k] * x);
      return this.programs.run("aba", { q, qd, tau, f_ext, ...this.parameters })[0];
    };
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
    const state = { q: this.q, qd: this.qd, ...this.parameters };
    const f_ext = this.pull && this.pullForces(this.poses());
    const [kinetic, potential] = this.programs.run("energy", state).map(([x]) => x);
    return {
      H: this.inertia(),
      C: this.programs.run("rnea", state)[0],
      qdd: this.programs.run("aba", { ...state, f_ext })[0],
      kinetic,
      potential,
      shown: this.data.shown.map((_, k) =>
        this.programs.run(`shown_${k}`, state).flatMap((part) => [...part])),
    };
  }
}
