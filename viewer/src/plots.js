// Signals over time under the timeline, some side by side: energies, joints, contacts, one's own.
const SVG = "http://www.w3.org/2000/svg";
const HEIGHT = 92;
const MARGIN = { left: 46, right: 18, top: 6, bottom: 16 }; // of the numbers on the axes
const MOST_LINES = 8; // of a run in one plot
const MOST_CHARTS = 4;
const [FEW_TICKS, TICK_WIDTH] = [5, 70]; // upwards, and pixels between two of them across

function element(name, attributes, parent, text = "") {
  const made = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  made.textContent = text;
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

// Round numbers between two bounds, about `count` of them, and how they are written.
function ticks(low, high, count) {
  const raw = (high - low) / count;
  const decade = 10 ** Math.floor(Math.log10(raw));
  const step = [1, 2, 5, 10].map((k) => k * decade).find((s) => s >= 0.999 * raw);
  const first = Math.ceil(low / step - 1e-9);
  const last = Math.floor(high / step + 1e-9);
  const digits = Math.max(-Math.floor(Math.log10(step) + 1e-9), 0);
  const isFar = digits > 3 || Math.max(Math.abs(low), Math.abs(high)) >= 1e5;
  return Array.from({ length: Math.max(last - first + 1, 0) }, (_, k) => {
    const value = (first + k) * step;
    const text = isFar ? value.toExponential(1) : value.toFixed(digits);
    return { value, text: Number(text) === 0 ? "0" : text.replace(/-/g, "\u2212") };
  });
}

function rangeOf(lines) {
  let [low, high] = [Infinity, -Infinity];
  for (const { values } of lines) {
    for (const x of values) {
      if (Number.isFinite(x)) [low, high] = [Math.min(low, x), Math.max(high, x)];
    }
  }
  if (low > high) return [0, 1];
  const pad = 0.5 * (high - low < 1e-9 * Math.max(Math.abs(low), 1e-6)) * (Math.abs(low) || 1);
  return [low - pad, high + pad];
}

class Chart {
  constructor(plots, k) {
    this.plots = plots;
    this.box = document.createElement("figure");
    this.select = document.createElement("select");
    this.select.setAttribute("aria-label", "signal");
    plots.signals.forEach(({ group, unit }, n) => {
      const option = document.createElement("option");
      option.value = n;
      option.textContent = unit ? `${group} [${unit}]` : group;
      this.select.append(option);
    });
    this.select.onchange = () => this.choose(Number(this.select.value));
    this.remove = document.createElement("button");
    this.remove.textContent = "\u00d7";
    this.remove.setAttribute("aria-label", "remove this plot");
    this.remove.onclick = () => plots.remove(this);
    this.svg = document.createElementNS(SVG, "svg");
    this.svg.setAttribute("role", "img");
    this.svg.setAttribute("aria-label", "plot over time");
    this.svg.onpointerdown = (event) => this.#seek(event);
    this.svg.onpointermove = (event) => event.buttons && this.#seek(event);
    this.legend = document.createElement("dl");
    this.box.append(this.select, this.remove, this.svg, this.legend);
    plots.charts.append(this.box);
    new ResizeObserver(() => this.#draw()).observe(this.svg);
    this.choose(k);
  }

  choose(k) {
    this.k = k;
    this.select.value = k;
    const { lines, unit } = this.plots.signals[k];
    this.lines = lines.filter(({ tone }) => tone < MOST_LINES);
    // Of lines in different units the heading names them all.
    this.unit = unit.includes(",") ? "" : unit;
    this.legend.replaceChildren();
    this.readouts = this.lines.map((line) => this.#entry(line));
    this.#draw();
  }

  #entry({ name, tone, run }) {
    const row = document.createElement("div");
    const term = document.createElement("dt");
    const value = document.createElement("dd");
    row.className = `s${tone} r${run}`;
    term.textContent = name;
    row.append(term, value);
    this.legend.append(row);
    return value;
  }

  // In pixels, so that the numbers keep their shape however wide the plot is.
  #draw() {
    const width = this.svg.clientWidth || 300;
    const [left, right] = [MARGIN.left, Math.max(width - MARGIN.right, MARGIN.left + 1)];
    const [top, bottom] = [MARGIN.top, HEIGHT - MARGIN.bottom];
    const [low, high] = rangeOf(this.lines);
    const { end } = this.plots;
    this.x = (time) => left + ((right - left) * time) / end;
    const y = (value) => bottom - ((bottom - top) * (value - low)) / (high - low);
    this.svg.setAttribute("viewBox", `0 0 ${width} ${HEIGHT}`);
    this.svg.replaceChildren();
    this.area = element("rect",
      { class: "area", x: left, y: top, width: right - left, height: bottom - top }, this.svg);
    for (const { value, text } of ticks(low, high, FEW_TICKS)) {
      const at = y(value).toFixed(1);
      const kind = value === 0 ? "zero" : "grid";
      element("line", { x1: left, x2: right, y1: at, y2: at, class: kind }, this.svg);
      element("text", { x: left - 6, y: at, class: "value" }, this.svg, text);
    }
    for (const { value, text } of ticks(0, end, Math.max((right - left) / TICK_WIDTH, 2))) {
      const at = this.x(value).toFixed(1);
      element("line", { x1: at, x2: at, y1: bottom, y2: bottom + 3, class: "grid" }, this.svg);
      element("text", { x: at, y: HEIGHT - 1, class: "time" }, this.svg, `${text} s`);
    }
    for (const { times, values, tone, run } of this.lines) {
      const points = [];
      values.forEach((value, i) => {
        if (Number.isFinite(value)) {
          points.push(`${this.x(times[i]).toFixed(1)},${y(value).toFixed(1)}`);
        }
      });
      element("polyline", { points: points.join(" "), class: `s${tone} r${run}` }, this.svg);
    }
    this.cursor = element("line", { y1: top, y2: bottom, class: "cursor" }, this.svg);
    this.show(this.plots.time ?? 0);
  }

  #seek(event) {
    const box = this.area.getBoundingClientRect();
    this.plots.onSeek(((event.clientX - box.left) / box.width) * this.plots.end);
  }

  show(time) {
    const x = this.x(Math.min(time, this.plots.end)).toFixed(2);
    this.cursor.setAttribute("x1", x);
    this.cursor.setAttribute("x2", x);
    this.lines.forEach(({ times, values }, n) => {
      let [low, high] = [0, times.length - 1];
      while (low < high) {
        const middle = (low + high + 1) >> 1;
        if (times[middle] <= time + 1e-9) low = middle;
        else high = middle - 1;
      }
      this.readouts[n].textContent = readable(values[low], this.unit);
    });
  }
}

export class Plots {
  constructor(panel, signals, count, onSeek) {
    Object.assign(this, { signals, onSeek, shown: [] });
    this.charts = panel.querySelector("div");
    this.more = panel.querySelector("button");
    this.more.onclick = () => this.add();
    this.end = Math.max(...signals.flatMap(({ lines }) => lines.map((l) => l.times.at(-1)))) || 1;
    for (let k = 0; k < Math.min(count, signals.length); k++) this.add();
  }

  // Shows one signal more: the first that is not there yet.
  add() {
    const taken = new Set(this.shown.map((chart) => chart.k));
    const k = this.signals.findIndex((_, n) => !taken.has(n));
    this.shown.push(new Chart(this, Math.max(k, 0)));
    this.#count();
  }

  remove(chart) {
    chart.box.remove();
    this.shown = this.shown.filter((each) => each !== chart);
    this.#count();
  }

  #count() {
    const most = Math.min(MOST_CHARTS, this.signals.length);
    this.more.hidden = this.shown.length >= most;
    for (const chart of this.shown) chart.remove.hidden = this.shown.length < 2;
  }

  show(time) {
    this.time = time;
    for (const chart of this.shown) chart.show(time);
  }
}
