// Numbers, curves, sliders and exercises.

const LARGEST_TABLE = 8; // degrees of freedom; of more, H is shown as a picture
const SPAN = 10; // seconds of the curves
const POINTS = 300; // of a curve, at least
const ENERGIES = {
  curves: [["kinetic", "#e0995e"], ["potential", "#5b7fb5"], ["total", "#6aa889"]],
  of: ({ kinetic, potential }) => ({ kinetic, potential, total: kinetic + potential }),
  text: ({ kinetic, potential, total }) =>
    `kinetic ${figure(kinetic)} J, potential ${figure(potential)} J, total ${figure(total)} J`,
};
const DRIFT = {
  curves: [["log10 of the error of the loop", "#c66b6b"]],
  of: ({ drift }) => ({ drift, [DRIFT.curves[0][0]]: Math.log10(Math.max(drift, 1e-16)) }),
  text: ({ drift }) => `The loop is open by ${drift.toExponential(1)} m.`,
};

const CONTACT_COLUMNS = ["gap [mm]", "x_n [N s]", "|x_t|", "u_n [m/s]", "|u_t|", "x . (u + lift)"];
const N_LOWEST = 4; // corners that the table has
const NOISE = 1e-8; // less than that is what the solver leaves
const [IMPULSE_COLOR, VELOCITY_COLOR] = ["#e0995e", "#5b7fb5"];
const CONE_NAMES = [
  ["impulse x, in its cone K", IMPULSE_COLOR],
  ["lifted velocity u + mu |u_t| n, in the dual cone K*", VELOCITY_COLOR],
];

function element(tag, properties = {}, ...children) {
  const made = Object.assign(document.createElement(tag), properties);
  made.append(...children);
  return made;
}

const figure = (x) => (Math.abs(x) < 5e-13 ? "0" : Number(x.toPrecision(4)).toString());

const rounded = (x) => figure(Math.abs(x) < NOISE ? 0 : x);

class Numbers {
  constructor(root, { coordinates }) {
    this.names = coordinates;
    this.isTable = coordinates.length <= LARGEST_TABLE;
    this.table = element("table", { className: "matrix" });
    this.heat = element("canvas", { className: "heat", width: coordinates.length, height: coordinates.length });
    this.under = element("p");
    this.heat.addEventListener("pointermove", (event) => this.point(event));
    const picture = this.isTable ? [] : [element("div", {}, this.heat, this.under)];
    root.append(element("div", { className: "beside" }, ...picture, this.table));
    this.cells = this.rows();
  }

  // A row for each coordinate: C, the acceleration, and the row of H if it is short.
  rows() {
    const head = ["", "C", "qdd", ...(this.isTable ? ["H", ...this.names.slice(1).map(() => "")] : [])];
    this.table.append(element("tr", {}, ...head.map((text) => element("th", { textContent: text }))));
    return this.names.map((name) => {
      const cells = head.slice(1).map(() => element("td"));
      this.table.append(element("tr", {}, element("th", { textContent: name }), ...cells));
      return cells;
    });
  }

  show(found) {
    const { H, C, qdd } = found;
    const n = this.names.length;
    this.found = found;
    this.cells.forEach((cells, r) => {
      const row = this.isTable ? H.slice(n * r, n * (r + 1)) : [];
      [C[r], qdd[r], ...row].forEach((x, k) => { cells[k].textContent = figure(x); });
    });
    if (!this.isTable) this.picture(H, n);
  }

  // Zeros stay blank; the darker, the larger on a logarithmic scale.
  picture(H, n) {
    const pen = this.heat.getContext("2d");
    const image = pen.createImageData(n, n);
    const largest = Math.max(...H.map(Math.abs));
    H.forEach((x, k) => {
      const share = x ? Math.max(1 + Math.log10(Math.abs(x) / largest) / 6, 0.12) : 0;
      image.data.set([47, 111, 179, 255 * share], 4 * k);
    });
    pen.putImageData(image, 0, 0);
    if (!this.at) this.under.textContent = "H, blank where it is zero; point at an entry to read it.";
    else this.tell(H, n);
  }

  point(event) {
    const { offsetX, offsetY } = event;
    const n = this.names.length;
    const cell = (x, size) => Math.min(Math.max(Math.floor((n * x) / size), 0), n - 1);
    this.at = [cell(offsetY, this.heat.clientHeight), cell(offsetX, this.heat.clientWidth)];
    this.tell(this.found.H, n);
  }

  tell(H, n) {
    const [r, c] = this.at;
    this.under.textContent = `H[${this.names[r]}, ${this.names[c]}] = ${figure(H[n * r + c])}`;
  }
}

// The results that a chapter is about, each as a table of rows.
class Results {
  constructor(root, { shown }) {
    this.tables = shown.map(({ label, rows }) => {
      const body = element("tbody");
      root.append(element("table", { className: "matrix" }, element("caption", { textContent: label }), body));
      return { rows, body };
    });
  }

  show({ shown }) {
    this.tables.forEach(({ rows, body }, t) => {
      const width = shown[t].length / rows.length;
      body.replaceChildren(...rows.map((name, r) => element("tr", {},
        element("th", { textContent: name }),
        ...shown[t].slice(width * r, width * (r + 1)).map((x) => element("td", { textContent: figure(x) })),
      )));
    });
  }
}

// The contacts as rows of numbers, and the cones of the one that bears most.
class Contacts {
  constructor(root) {
    const head = CONTACT_COLUMNS.map((text) => element("th", { textContent: text }));
    this.body = element("tbody");
    this.picture = element("canvas", { className: "cones" });
    this.under = element("p");
    const legend = CONE_NAMES.map(([text, color]) => {
      const line = element("p", { textContent: text });
      line.style.color = color;
      return line;
    });
    root.append(
      element("table", { className: "matrix" }, element("thead", {}, element("tr", {}, ...head)), this.body),
      element("div", { className: "beside" }, this.picture, element("div", {}, ...legend, this.under)),
    );
  }

  show({ contacts, residual, friction }) {
    const lowest = [...contacts].sort((a, b) => a.gap - b.gap).slice(0, N_LOWEST);
    const listed = contacts.filter((contact) => lowest.includes(contact));
    this.body.replaceChildren(...listed.map(({ gap, impulse, velocity, lifted }) => {
      const tangents = (z) => Math.hypot(z[1], z[2]);
      const numbers = [
        1000 * gap, impulse[0], tangents(impulse), velocity[0], tangents(velocity), dot(impulse, lifted),
      ];
      return element("tr", {}, ...numbers.map((x) => element("td", { textContent: rounded(x) })));
    }));
    const most = contacts.reduce((a, b) => (b.impulse[0] > a.impulse[0] ? b : a));
    const name = stateOf(most, friction);
    this.under.textContent = `The corner that bears most ${name}. Residual of the laws: ${residual.toExponential(1)}.`;
    this.draw(most, friction);
  }

  // The plane of the normal and the friction: both cones, the impulse, the lifted velocity.
  draw({ impulse, velocity, lifted }, friction) {
    const pen = sized(this.picture);
    const { width, height } = this.picture;
    const [x, y, reach] = [width / 2, height - 6, height - 12];
    const way = unit([0, ...(Math.hypot(...velocity.slice(1)) > 1e-9 ? velocity : impulse).slice(1)]);
    const flat = (z) => [Number.isNaN(way[1]) ? 0 : dot(z, way), z[0]];
    const style = getComputedStyle(this.picture);
    const wedge = (slope, color) => {
      const side = reach / Math.hypot(1, slope);
      pen.beginPath();
      pen.moveTo(x - slope * side, y - side);
      pen.lineTo(x, y);
      pen.lineTo(x + slope * side, y - side);
      Object.assign(pen, { fillStyle: color, globalAlpha: 0.22 });
      pen.fill();
      pen.globalAlpha = 1;
    };
    const ray = (z, color) => {
      const [a, b] = flat(z);
      const length = Math.hypot(a, b);
      if (!(length > 1e-9)) return;
      Object.assign(pen, { strokeStyle: color, lineWidth: 2.5 });
      pen.beginPath();
      pen.moveTo(x, y);
      pen.lineTo(x + (0.8 * reach * a) / length, y - (0.8 * reach * b) / length);
      pen.stroke();
    };
    wedge(1 / Math.max(friction, 1e-6), VELOCITY_COLOR);
    wedge(friction, IMPULSE_COLOR);
    ray(impulse, IMPULSE_COLOR);
    ray(lifted, VELOCITY_COLOR);
    pen.fillStyle = style.color;
    pen.fillRect(0, y, width, 1);
  }
}

function stateOf({ impulse, velocity }, friction) {
  if (!(impulse[0] > 0)) return "is open";
  const isSliding = Math.hypot(impulse[1], impulse[2]) > (1 - 1e-6) * friction * impulse[0];
  return isSliding && Math.hypot(velocity[1], velocity[2]) > 1e-9 ? "slides" : "sticks";
}

// The pen of a canvas that has as many points as it is large.
function sized(canvas) {
  const [width, height] = [canvas.clientWidth, canvas.clientHeight];
  if (canvas.width !== width || canvas.height !== height) Object.assign(canvas, { width, height });
  const pen = canvas.getContext("2d");
  pen.clearRect(0, 0, width, height);
  return pen;
}

// Curves over time, and a line with the numbers of now.
class Curves {
  constructor(canvas, line, kind) {
    Object.assign(this, { canvas, line, kind });
    this.clear();
  }

  clear() {
    this.rows = [];
  }

  add(time, found) {
    const last = this.rows.at(-1);
    if (last && time < last.time) this.clear();
    if (last?.time === time || last?.time - this.rows.at(-2)?.time < SPAN / POINTS) this.rows.pop();
    const row = { time, ...this.kind.of(found) };
    this.rows.push(row);
    while (this.rows[0].time < time - SPAN) this.rows.shift();
    this.line.textContent = this.kind.text(row);
    this.draw(time);
  }

  draw(time) {
    const { canvas, rows, kind: { curves } } = this;
    const pen = sized(canvas);
    const { width, height } = canvas;
    const values = rows.flatMap((row) => curves.map(([name]) => row[name]));
    const [low, high] = [Math.min(...values), Math.max(...values)];
    const y = (x) => height - 4 - ((height - 24) * (x - low)) / (high - low || 1);
    curves.forEach(([name, color], k) => {
      Object.assign(pen, { strokeStyle: color, fillStyle: color, lineWidth: 1.5 });
      pen.beginPath();
      for (const row of rows) pen.lineTo(width * (1 + (row.time - Math.max(time, SPAN)) / SPAN), y(row[name]));
      pen.stroke();
      pen.fillText(name, 6 + 55 * k, 10);
    });
  }
}

// A slider with its number beside it; the function returned sets both.
function slider(input, output, change) {
  const tell = () => { output.textContent = figure(Number(input.value)); };
  input.addEventListener("input", () => {
    tell();
    change(Number(input.value));
  });
  return (value) => {
    input.value = value;
    tell();
  };
}

// A slider of the chapter's own; the function returned sets it.
function ownSlider(root, { name, label, least, most, step, unit }, change) {
  const input = element("input", { type: "range", id: name, min: least, max: most, step });
  const output = element("output");
  root.append(element("label", {}, `${label} `, input, output, ` ${unit}`));
  return slider(input, output, change);
}

// A slider for each body with a mass; the function returned sets them all.
function massSliders(root, { bodies, masses }, change) {
  const setters = bodies.map((name, k) => {
    if (!masses[k]) return () => {};
    const input = element("input", { type: "range", min: 0, max: 5 * masses[k], step: masses[k] / 100 });
    const output = element("output");
    root.append(element("label", {}, name, input, element("span", {}, output, " kg")));
    return slider(input, output, (value) => change(k, value));
  });
  return (values) => setters.forEach((set, k) => set(values[k]));
}

function exerciseForm(root, exercise, setState) {
  const input = element("input", { type: "text", inputMode: "decimal", ariaLabel: "Your answer" });
  const verdict = element("output");
  const check = () => {
    const { answer, tolerance, hint } = exercise;
    const given = Number(input.value.replace(",", ".") || NaN);
    const isRight = Math.abs(given - answer) <= tolerance * Math.abs(answer);
    verdict.className = isRight ? "right" : "wrong";
    if (isRight) verdict.textContent = `Right: ${figure(answer)}.`;
    else verdict.innerHTML = Number.isNaN(given) ? "Enter a number." : `Not yet. ${hint}`;
  };
  input.addEventListener("keydown", (event) => event.key === "Enter" && check());
  const buttons = [["Check", check], ["Set this state", () => setState(exercise)]].map(
    ([textContent, onclick]) => element("button", { type: "button", textContent, onclick }),
  );
  root.append(input, buttons[0], " ", buttons[1], verdict);
}
