// The bodies of the first machine as a tree, with a slider for each joint that can be set.
const INDENT = 10; // pixels
const MOST = 400; // rows; a larger pile is no list to read

function made(tag, parent, text = "") {
  const element = document.createElement(tag);
  element.textContent = text;
  parent.append(element);
  return element;
}

export class Tree {
  constructor(panel, viewer) {
    this.viewer = viewer;
    const [machine] = viewer.machines;
    this.machine = machine;
    this.list = panel.querySelector("ul");
    this.sliders = [];
    const { bodies, parents, settable } = machine.film;
    const depth = [-1];
    parents.forEach((parent, k) => { depth[k + 1] = depth[parent] + 1; });
    this.rows = this.#order(parents).slice(0, MOST).map((body) => {
      const row = this.#row(body, bodies[body], depth[body]);
      for (const slider of settable?.sliders ?? []) {
        if (slider.body === body) this.sliders.push(this.#slider(row, slider));
      }
      return { body, row };
    });
    const rest = panel.querySelector("#rest");
    rest.hidden = this.sliders.length === 0;
    rest.onclick = () => this.rest();
  }

  // Every body behind the one that carries it, before the next of the same depth.
  #order(parents) {
    const carried = [...parents, 0].map(() => []);
    parents.forEach((parent, k) => carried[parent].push(k + 1));
    const found = [];
    const rest = [...carried[0]].reverse();
    while (rest.length) {
      const body = rest.pop();
      found.push(body);
      rest.push(...[...carried[body]].reverse());
    }
    return found;
  }

  #row(body, name, depth) {
    const row = made("li", this.list);
    row.style.setProperty("--indent", `${INDENT * Math.min(depth, 8)}px`);
    const head = made("div", row);
    head.hidden = !name;
    const label = made("button", head, name);
    label.className = "name";
    label.onclick = () => this.viewer.picker.select({ machine: this.machine, world: 0, body, name });
    const seen = made("input", head);
    seen.type = "checkbox";
    seen.checked = true;
    seen.setAttribute("aria-label", `show ${name}`);
    seen.onchange = () => {
      this.machine.showBody(body, seen.checked);
      this.viewer.draw();
    };
    return row;
  }

  #slider(row, { k, name, unit, lower, upper, start }) {
    const label = made("label", row);
    made("span", label, name);
    const input = made("input", label);
    const told = made("output", label);
    Object.assign(input, { type: "range", min: lower, max: upper, step: "any", value: start });
    input.oninput = () => this.#set();
    return { k, unit, start, input, told };
  }

  rest() {
    for (const { input, start } of this.sliders) input.value = start;
    this.#set();
  }

  #set() {
    const values = [];
    for (const { k, input } of this.sliders) values[k] = Number(input.value);
    this.viewer.pose(values);
  }

  update() {
    const selected = this.viewer.picker.selected?.body;
    for (const { body, row } of this.rows) row.classList.toggle("selected", body === selected);
    for (const { unit, input, told } of this.sliders) {
      told.textContent = `${Number(input.value).toFixed(2).replace("-", "\u2212")} ${unit}`;
    }
  }
}
