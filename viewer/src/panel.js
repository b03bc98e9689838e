// Buttons, sliders and dialogs.  Names enter as text, never as markup.
import { HELP } from "./keys.js";
import { FASTEST, SLOWEST } from "./player.js";

const $ = (id) => document.getElementById(id);
const FINE = 0.01; // share of the time that the fine slider spans
const OVERLAYS = ["frames", "joints", "com", "inertia", "trails", "contacts", "collisions"];
const DIALOGS = ["keys", "about", "layers", "tempo", "menu"];

const toSlider = (speed) => Math.log(speed / SLOWEST) / Math.log(FASTEST / SLOWEST);
const fromSlider = (share) => SLOWEST * (FASTEST / SLOWEST) ** share;

function fill(list, rows) {
  for (const [term, text] of rows) {
    const row = document.createElement("div");
    const dt = document.createElement("dt");
    const dd = document.createElement("dd");
    dt.textContent = term;
    dd.textContent = text;
    row.append(dt, dd);
    list.append(row);
  }
}

export class Panel {
  constructor(viewer) {
    this.viewer = viewer;
    const { data, player } = viewer;
    document.title = data.title;
    $("title").textContent = data.title;
    $("subtitle").textContent = data.subtitle;
    for (const note of data.notes) {
      const line = document.createElement("li");
      line.textContent = note;
      $("notes").append(line);
    }
    $("notes").hidden = data.notes.length === 0;
    $("bar").classList.toggle("still", player.duration <= 0);
    if (!data.live) $("seek").max = player.duration;
    $("seek").step = "any";
    $("bar").classList.toggle("live", data.live);
    $("menu-end").hidden = $("status").hidden = !data.live;
    $("track").hidden = viewer.trackable === null;
    $("tree").hidden = data.films[0].bodies.length < 2;
    $("plot").hidden = data.signals.length === 0;
    fill($("keys-list"), HELP);
    fill($("about-list"), Object.entries(data.about));
    $("about-text").textContent = data.subtitle;
    for (const name of OVERLAYS) $(`layer-${name}`).hidden = !viewer.overlays.has(name);
    this.#play();
    this.#look();
    this.#menu();
  }

  #play() {
    const { viewer } = this;
    const { player } = viewer;
    $("play").onclick = () => player.toggle();
    $("rewind").onclick = () => player.stop();
    $("step").onclick = () => player.jogFrames(1);
    $("seek").oninput = () => player.seek($("seek").value);
    $("reverse").onclick = () => player.reverse();
    $("speed").onclick = () => this.open("tempo");
    $("speed-slider").oninput = () => player.setSpeed(fromSlider(Number($("speed-slider").value)));
    $("fine").onpointerdown = () => { this.coarse = player.time; };
    $("fine").oninput = () => {
      player.playing = false;
      this.coarse ??= player.time;
      player.seek(this.coarse + Number($("fine").value) * FINE * player.duration);
    };
    $("fine").onchange = () => { $("fine").value = 0; this.coarse = undefined; };
    $("loop").onclick = () => viewer.setLoop(!player.loop);
  }

  #look() {
    const { viewer } = this;
    $("track").onclick = () => viewer.setTracking(!viewer.tracking);
    $("plot").onclick = () => viewer.setPlots(!viewer.plotsShown);
    $("tree").onclick = () => viewer.setTree(!viewer.treeShown);
    $("layer").onclick = () => this.open("layers");
    for (const name of OVERLAYS) $(`layer-${name}`).onclick = () => viewer.toggle(name);
    $("layer-ground").onclick = () => viewer.setGround(!viewer.ground);
    $("fit").onclick = () => viewer.reset();
    $("theme").onclick = () => viewer.setTheme(viewer.theme === "dark" ? "light" : "dark");
    $("help").onclick = () => this.help();
    for (const name of ["keys", "about"]) $(name).onclick = () => this.close();
  }

  #menu() {
    const entries = {
      "menu-about": () => this.open("about"),
      "menu-panel": () => this.toggle(),
      "menu-initial": () => this.viewer.reset(),
      "menu-save": () => this.viewer.savePicture(),
      "menu-end": () => this.viewer.player.end(),
    };
    for (const [id, action] of Object.entries(entries)) {
      $(id).onclick = () => { this.close(); action(); };
    }
    $("details-close").onclick = () => this.viewer.picker.select(null);
  }

  open(name) {
    const hidden = $(name).hidden;
    this.close();
    $(name).hidden = !hidden;
  }

  close() {
    for (const name of DIALOGS) $(name).hidden = true;
  }

  help() { this.open("keys"); }

  toggle() {
    document.body.classList.toggle("bare");
    this.viewer.refit();
  }

  // More decimals the slower it runs.
  #digits() {
    const { player } = this.viewer;
    const usual = player.duration < 100 || this.viewer.data.live ? 2 : 1;
    return Math.min(usual + Math.max(Math.ceil(-Math.log10(player.speed)), 0), 5);
  }

  // What a simulation that runs elsewhere is doing.
  #status() {
    const { status, error, playing, rate } = this.viewer.player;
    const told = { live: playing ? `live, ${rate.toFixed(2)}\u00d7 the clock` : "paused",
      ended: "the simulation has ended", connecting: "connecting \u2026" };
    $("status").textContent = error ?? told[status];
    $("status").classList.toggle("alert", Boolean(error));
  }

  update() {
    const { viewer } = this;
    const { player } = viewer;
    if (viewer.data.live) this.#status();
    const share = player.duration > 0 ? (100 * player.time) / player.duration : 0;
    const digits = this.#digits();
    if (!viewer.data.live) $("seek").value = player.time;
    $("seek").style.setProperty("--share", `${share}%`);
    $("now").textContent = player.time.toFixed(digits);
    $("end").textContent = player.duration.toFixed(player.duration < 100 ? 2 : 1);
    const speed = player.speed >= 10 ? player.speed.toFixed(0) : String(+player.speed.toPrecision(2));
    $("speed").textContent = `${player.reversed ? "\u2212" : ""}${speed}\u00d7`;
    $("speed-slider").value = toSlider(player.speed);
    $("play").classList.toggle("on", player.playing);
    $("play").setAttribute("aria-label", player.playing ? "pause" : "play");
    const pressed = {
      loop: player.loop, track: viewer.tracking, plot: viewer.plotsShown, tree: viewer.treeShown,
      reverse: player.reversed, "layer-ground": viewer.ground,
    };
    for (const name of OVERLAYS) pressed[`layer-${name}`] = viewer.overlays.shown.has(name);
    for (const [id, on] of Object.entries(pressed)) $(id).setAttribute("aria-pressed", String(on));
  }
}
