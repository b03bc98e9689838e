// Numbers, curves, sliders and exercises.

const LARGEST_TABLE = 8; // degrees of freedom; of more, H is shown as a picture
const SPAN = 10; // seconds of the curves
const CURVES = [["kinetic", "#e0995e"], ["potential", "#5b7fb5"], ["total", "#6aa889"]];

function element(tag, properties = {}, ...children) {
  const made = Object.assign(document.createElement(tag), properties);
  made.append(...children);
  return made;
}

const figure = (x) => (Math.abs(x) < 5e-13 ? "0" : Number(x.toPrecision(4)).toString());

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

class Energies {
  constructor(canvas, line) {
    this.canvas = canvas;
    this.line = line;
    this.clear();
  }

  clear() {
    this.rows = [];
  }

  add(time, { kinetic, potential }) {
    const last = this.rows.at(-1);
    if (last && time < last.time) this.clear();
    if (last?.time === time) this.rows.pop();
    this.rows.push({ time, kinetic, potential, total: kinetic + potential });
    while (this.rows[0].time < time - SPAN) this.rows.shift();
    this.line.textContent = `kinetic ${figure(kinetic)} J, potential ${figure(potential)} J, `
      + `total ${figure(kinetic + potential)} J`;
    this.draw(time);
  }

  draw(time) {
    const { canvas, rows } = this;
    const [width, height] = [canvas.clientWidth, canvas.clientHeight];
    if (canvas.width !== width || canvas.height !== height) Object.assign(canvas, { width, height });
    const pen = canvas.getContext("2d");
    const values = rows.flatMap((row) => CURVES.map(([name]) => row[name]));
    const [low, high] = [Math.min(...values), Math.max(...values)];
    const y = (x) => height - 4 - ((height - 24) * (x - low)) / (high - low || 1);
    pen.clearRect(0, 0, width, height);
    CURVES.forEach(([name, color], k) => {
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
