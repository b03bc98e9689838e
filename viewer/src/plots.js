// Signals over time below the scene, with a cursor: energies, joints, whatever was recorded.
const SVG = "http://www.w3.org/2000/svg";
const WIDTH = 300;
const HEIGHT = 104;
const MOST = 8;

function element(name, attributes, parent) {
  const made = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  parent.append(made);
  return made;
}

function readable(value, unit) {
  const size = Math.abs(value);
  if (!Number.isFinite(value)) return "\u2013";
  const text = size > 0 && (size < 1e-3 || size >= 1e5)
    ? value.toExponential(2) : value.toFixed(size >= 100 ? 0 : size >= 10 ? 1 : size >= 1 ? 2 : 3);
  return `${text} ${unit}`.trim().replace("-", "\u2212");
}

export class Plots {
  constructor(panel, signals, onSeek) {
    this.signals = signals;
    this.select = panel.querySelector("select");
    this.svg = panel.querySelector("svg");
    this.legend = panel.querySelector("dl");
    this.svg.setAttribute("viewBox", `0 0 ${WIDTH} ${HEIGHT}`);
    signals.forEach((signal, k) => {
      const option = document.createElement("option");
      option.value = k;
      option.textContent = signal.unit ? `${signal.group} [${signal.unit}]` : signal.group;
      this.select.append(option);
    });
    this.select.hidden = signals.length < 2;
    this.select.onchange = () => this.choose(Number(this.select.value));
    this.svg.onpointerdown = (event) => this.#seek(event, onSeek);
    this.svg.onpointermove = (event) => event.buttons && this.#seek(event, onSeek);
    this.choose(0);
  }

  choose(k) {
    this.signal = this.signals[k];
    this.select.value = k;
    const { times, values, names } = this.signal;
    this.svg.replaceChildren();
    this.legend.replaceChildren();
    this.end = Math.max(...this.signals.map((signal) => signal.times.at(-1))) || 1;
    const shown = values.slice(0, MOST);
    let [low, high] = [Infinity, -Infinity];
    for (const row of shown) {
      for (const x of row) {
        if (Number.isFinite(x)) [low, high] = [Math.min(low, x), Math.max(high, x)];
      }
    }
    const scale = (HEIGHT - 8) / (high - low || 1);
    const y = (value) => HEIGHT - 4 - (value - low) * scale;
    if (low < 0 && high > 0) {
      element("line", { x1: 0, x2: WIDTH, y1: y(0), y2: y(0), class: "zero" }, this.svg);
    }
    this.readouts = shown.map((row, n) => {
      const points = [];
      row.forEach((value, i) => {
        if (Number.isFinite(value)) {
          points.push(`${((times[i] / this.end) * WIDTH).toFixed(1)},${y(value).toFixed(1)}`);
        }
      });
      element("polyline", { points: points.join(" "), class: `s${n}` }, this.svg);
      return this.#entry(names[n], n);
    });
    this.cursor = element("line", { y1: 0, y2: HEIGHT, class: "cursor" }, this.svg);
    if (this.time !== undefined) this.show(this.time);
  }

  #entry(name, n) {
    const row = document.createElement("div");
    const term = document.createElement("dt");
    const value = document.createElement("dd");
    row.className = `s${n}`;
    term.textContent = name;
    row.append(term, value);
    this.legend.append(row);
    return value;
  }

  #seek(event, onSeek) {
    const box = this.svg.getBoundingClientRect();
    onSeek(((event.clientX - box.left) / box.width) * this.end);
  }

  show(time) {
    this.time = time;
    const x = ((time / this.end) * WIDTH).toFixed(2);
    this.cursor.setAttribute("x1", x);
    this.cursor.setAttribute("x2", x);
    const { times, values } = this.signal;
    // Of lines in different units the heading names them all.
    const unit = this.signal.unit.includes(",") ? "" : this.signal.unit;
    let [low, high] = [0, times.length - 1];
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (times[middle] <= time + 1e-9) low = middle;
      else high = middle - 1;
    }
    this.readouts.forEach((value, n) => { value.textContent = readable(values[n][low], unit); });
  }
}
