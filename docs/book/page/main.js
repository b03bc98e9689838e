// The page: what is drawn and shown in each frame, and what the reader does.

const get = (id) => document.getElementById(id);

class Page {
  constructor(programs, data) {
    this.simulation = new Simulation(programs, data);
    this.stage = new Stage(get("stage"), data.shapes);
    this.numbers = new (data.shown.length ? Results : Numbers)(get("numbers"), data);
    this.energies = new Energies(get("energies"), get("energy"));
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
    this.tellSliders = () => {
      gravity(simulation.gravity);
      damping(simulation.damping);
      masses(simulation.mass);
    };
  }

  reset() {
    this.simulation.reset();
    this.energies.clear();
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
    this.stage.draw(simulation.poses(), simulation.pull);
    this.numbers.show(found);
    this.energies.add(simulation.time, found);
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
  window.book = new Page(programs, data);
  window.book.run(performance.now());
  document.documentElement.dataset.ready = "yes";
}

start();
