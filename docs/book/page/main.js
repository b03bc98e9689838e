// The page: what is drawn and shown in each frame, and what the reader does.

const get = (id) => document.getElementById(id);

class Page {
  constructor(simulation, data) {
    this.simulation = simulation;
    this.stage = new Stage(get("stage"), data.shapes);
    const Panel = data.ground ? Contacts : data.shown.length ? Results : Numbers;
    this.numbers = new Panel(get("numbers"), data);
    this.curves = [new Curves(get("energies"), get("energy"), ENERGIES)];
    if (data.loop) this.curves.push(new Curves(get("drifts"), get("drift"), DRIFT));
    this.isPlaying = true;
    this.setSliders(data);
    this.listen();
    document.querySelectorAll("[data-exercise]").forEach((root) => {
      root.className = "exercise";
      exerciseForm(root, data.exercises[root.dataset.exercise], (state) => this.setState(state));
    });
    this.reset();
    this.stage.frame([data.q0, data.q0.map((x) => -x)].map((q) => this.simulation.poses(q)));
  }

  setSliders(data) {
    const { simulation } = this;
    const [gravity, damping] = ["gravity", "damping"].map((name) => slider(
      get(name), get(name).nextElementSibling, (value) => { simulation[name] = value; },
    ));
    const masses = massSliders(get("masses"), data, (k, value) => { simulation.mass[k] = value; });
    const own = data.sliders.map((each) => ownSlider(
      get("controls"), each, (value) => { simulation[each.name] = value; },
    ));
    this.tellSliders = () => {
      data.sliders.forEach(({ name }, k) => own[k](simulation[name]));
      gravity(simulation.gravity);
      damping(simulation.damping);
      masses(simulation.mass);
    };
  }

  reset() {
    this.simulation.reset();
    this.curves.forEach((curve) => curve.clear());
    this.tellSliders();
  }

  // The state of an exercise, with the masses as they were, at rest in time.
  setState(state) {
    this.reset();
    this.simulation.set(state);
    this.tellSliders();
    this.play(false);
  }

  play(isPlaying) {
    this.isPlaying = isPlaying;
    get("play").textContent = isPlaying ? "Pause" : "Play";
  }

  listen() {
    const { stage, simulation } = this;
    const { canvas } = stage;
    get("play").onclick = () => this.play(!this.isPlaying);
    get("reset").onclick = () => this.reset();
    canvas.addEventListener("pointerdown", (event) => {
      canvas.setPointerCapture(event.pointerId);
      const found = stage.pick(simulation.poses(), event);
      if (found) this.take(found);
      else this.isTurning = true;
    });
    canvas.addEventListener("pointermove", (event) => this.move(event));
    for (const end of ["pointerup", "pointercancel"]) {
      canvas.addEventListener(end, () => {
        this.isTurning = false;
        simulation.pull = null;
      });
    }
    canvas.addEventListener("wheel", (event) => {
      event.preventDefault();
      stage.distance *= Math.exp(0.001 * event.deltaY);
    }, { passive: false });
  }

  take({ body, place }) {
    const point = transformedBack(this.simulation.poses(), body, place);
    this.simulation.pull = { body, point, target: place };
  }

  move(event) {
    const { stage, simulation } = this;
    if (simulation.pull) simulation.pull.target = stage.aim(event, simulation.pull.target);
    if (!this.isTurning) return;
    const [azimuth, height] = stage.angles;
    const raised = height + 0.008 * event.movementY;
    stage.angles = [azimuth - 0.008 * event.movementX, Math.min(Math.max(raised, -1.5), 1.5)];
  }

  // One frame, some seconds after the one before.
  frame(seconds) {
    const { simulation } = this;
    if (this.isPlaying) simulation.advance(seconds);
    const found = simulation.quantities();
    const poses = simulation.poses();
    if (this.simulation.ground) this.follow(poses);
    this.stage.draw(poses, simulation.pull, simulation.lines(found));
    this.numbers.show(found);
    this.curves.forEach((curve) => curve.add(simulation.time, found));
  }

  // The view goes with a body that slides down the ground.
  follow(poses) {
    const { ground, inclination } = this.simulation;
    this.stage.incline(inclination);
    this.stage.center = transformed(poses, ground.body, [0, 0, 0]);
  }

  run(before) {
    requestAnimationFrame((now) => {
      this.frame((now - before) / 1000);
      this.run(now);
    });
  }
}

async function start() {
  const data = JSON.parse(get("data").textContent);
  const programs = await Programs.load(data);
  const simulation = data.ground
    ? new ContactSimulation(programs, data, await Solver.load(data.ground))
    : new Simulation(programs, data);
  window.book = new Page(simulation, data);
  window.book.run(performance.now());
  document.documentElement.dataset.ready = "yes";
}

start();
