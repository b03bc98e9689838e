// Kinetic, potential and total energy over time, with a cursor.
const SVG = "http://www.w3.org/2000/svg";
const WIDTH = 300;
const HEIGHT = 104;
const SERIES = ["potential", "kinetic", "total"];

function element(name, attributes, parent) {
  const made = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  parent.append(made);
  return made;
}

const readable = (value) => {
  const size = Math.abs(value);
  return `${value.toFixed(size >= 100 ? 0 : size >= 10 ? 1 : 2)} J`.replace("-", "\u2212");
};

export class EnergyPanel {
  constructor(panel, energy) {
    this.energy = energy;
    this.readouts = Object.fromEntries(
      SERIES.map((name) => [name, panel.querySelector(`[data-energy=${name}]`)]),
    );
    const svg = panel.querySelector("svg");
    svg.setAttribute("viewBox", `0 0 ${WIDTH} ${HEIGHT}`);
    const values = SERIES.flatMap((name) => [...energy[name]]).filter(Number.isFinite);
    const low = Math.min(...values);
    const high = Math.max(...values);
    const scale = (HEIGHT - 8) / (high - low || 1);
    this.end = energy.times.at(-1) || 1;
    const y = (value) => HEIGHT - 4 - (value - low) * scale;
    if (low < 0 && high > 0) {
      element("line", { x1: 0, x2: WIDTH, y1: y(0), y2: y(0), class: "zero" }, svg);
    }
    for (const name of SERIES) {
      const points = [...energy[name]].map(
        (value, k) => `${((energy.times[k] / this.end) * WIDTH).toFixed(1)},${y(value).toFixed(1)}`,
      );
      element("polyline", { points: points.join(" "), class: name }, svg);
    }
    this.cursor = element("line", { y1: 0, y2: HEIGHT, class: "cursor" }, svg);
  }

  show(time) {
    const x = ((time / this.end) * WIDTH).toFixed(2);
    this.cursor.setAttribute("x1", x);
    this.cursor.setAttribute("x2", x);
    const { times } = this.energy;
    let k = 0;
    while (k + 1 < times.length && times[k + 1] <= time + 1e-9) k++;
    for (const name of SERIES) this.readouts[name].textContent = readable(this.energy[name][k]);
  }
}
