// The motion of the model: Runge-Kutta steps of the articulated-body algorithm.

const STEP = 1 / 480; // seconds
const LONGEST = 1 / 20; // seconds of motion in a frame; a slow computer shows slow motion
const STIFFNESS = 10; // of a pull, in units of total mass / s^2
const STAGES = [[0, 1], [0.5, 2], [0.5, 2], [1, 1]]; // where each slope is taken, its weight in sixths

class Simulation {
  constructor(programs, data) {
    this.programs = programs;
    this.data = data;
    this.reset();
  }

  reset() {
    this.mass = [...this.data.masses];
    this.damping = this.data.damping;
    this.set({ q: this.data.q0, qd: new Array(this.data.nv).fill(0), gravity: this.data.gravity });
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

  // Order four for joints with one degree of freedom, two for the rotation of free bodies.
  step(f_ext, drag) {
    const { nv } = this.data;
    let [v, a] = [this.qd, new Float64Array(nv)];
    const [sumV, sumA] = [new Float64Array(nv), new Float64Array(nv)];
    for (const [share, weight] of STAGES) {
      const q = share ? this.moved(v, share * STEP) : this.q;
      v = this.qd.map((x, k) => x + share * STEP * a[k]);
      const tau = drag && v.map((x, k) => -this.damping * drag[k] * x);
      a = this.programs.run("aba", { q, qd: v, tau, f_ext, ...this.parameters })[0];
      for (let k = 0; k < nv; k++) {
        sumV[k] += (weight / 6) * v[k];
        sumA[k] += (weight / 6) * a[k];
      }
    }
    this.q = this.moved(sumV, STEP);
    this.qd = this.qd.map((x, k) => x + STEP * sumA[k]);
    this.time += STEP;
  }

  moved(v, dt) {
    return this.programs.run("integrate", { q: this.q, v, dt: [dt] })[0];
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
    };
  }
}
