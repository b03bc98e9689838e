// The motion of a body on the ground: steps of Moreau, with impulses from the contact solver.

const CONE = [0.36, 0.5, 0.71];
const SIDES = 24; // lines of a cone
const CONE_HEIGHT = 0.07; // m

class ContactSimulation extends Simulation {
  constructor(programs, data, solver) {
    super(programs, data);
    this.solver = solver;
  }

  get ground() {
    return this.data.ground;
  }

  get inclination() {
    return (this.slope * Math.PI) / 180;
  }

  // Velocities without contact, then those with impulses that obey all laws, then positions.
  step(f_ext, drag) {
    const { v } = this.solved(f_ext, drag);
    const [q] = this.programs.run("integrate", { q: this.q, v, dt: [this.seconds] });
    Object.assign(this, { q, qd: v, time: this.time + this.seconds });
  }

  // The contact problem of a step from the present state, and its solution.
  solved(f_ext, drag) {
    const { q, qd, seconds, friction } = this;
    const [qdd] = this.dynamics(q, qd, f_ext, drag);
    const [jacobian, bias] = this.programs.run(
      "contact_rows", { q, dt: [seconds], slope: [this.inclination] },
    );
    const mu = this.ground.points.map(() => friction);
    const x = new Float64Array(bias.length); // no warm start: a state has one answer
    const rows = { mass: this.inertia(), free: add(qd, qdd, seconds), jacobian, bias, mu, x };
    return { jacobian, bias, ...this.solver.run(rows) };
  }

  quantities() {
    const found = super.quantities();
    const { jacobian, bias, x, v, residual } = this.solved(this.pull && this.pullForces(this.poses()));
    const u = bias.map((b, r) => b + dot([...jacobian.slice(v.length * r, v.length * (r + 1))], v));
    const contacts = this.ground.points.map((point, k) => {
      const [impulse, velocity] = [x, u].map((all) => [...all.slice(3 * k, 3 * k + 3)]);
      const lift = this.friction * Math.hypot(velocity[1], velocity[2]);
      return { point, gap: bias[3 * k] * this.seconds, impulse, velocity, lifted: add(velocity, [lift, 0, 0]) };
    });
    return { ...found, contacts, residual, friction: this.friction };
  }

  // Cones at the corners that carry load, and in them the force of each.
  lines({ contacts }) {
    const poses = this.poses();
    const [c, s] = [Math.cos(this.inclination), Math.sin(this.inclination)];
    const [normal, down, across] = [[s, 0, c], [c, 0, -s], [0, 1, 0]];
    const out = ([n, a, b]) => add(add(normal.map((z) => z * n), down, a), across, b);
    return contacts.filter(({ impulse }) => impulse[0] > 0).flatMap(({ point, impulse }) => {
      const at = transformed(poses, this.ground.body, point);
      const force = impulse.map((x) => x / (this.seconds * this.weight));
      const rim = (k) => {
        const [height, turn] = [CONE_HEIGHT, (2 * Math.PI * k) / SIDES];
        const radius = height * this.friction;
        return add(at, out([height, radius * Math.cos(turn), radius * Math.sin(turn)]));
      };
      const cone = Array.from({ length: SIDES }, (_, k) => [...at, ...rim(k), ...rim(k), ...rim(k + 1)]);
      return [
        { color: CONE, points: cone.flat() },
        { color: FORCE, points: arrow(at, out(force), 0.4) },
      ];
    });
  }
}
