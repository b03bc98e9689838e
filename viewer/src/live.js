// A simulation that runs elsewhere: its frames come through a socket, commands go back.
import { FASTEST, Player, SLOWEST } from "./player.js";

const HEAD = 24; // bytes: time, rate, numbers of bodies and of contacts
const POSE = 7;
const FRAME = 1 / 60;

// Where time comes from when the page does not make it.
export class LivePlayer extends Player {
  constructor(film, onChange) {
    super(Infinity, FRAME, onChange);
    Object.assign(this, { film, loop: false, rate: 0, status: "connecting", connected: false });
    film.live = true;
    const scheme = location.protocol === "https:" ? "wss" : "ws";
    this.socket = new WebSocket(`${scheme}://${location.host}/live${location.search}`);
    this.socket.binaryType = "arraybuffer";
    this.socket.onopen = () => { this.connected = true; };
    this.socket.onmessage = ({ data }) => {
      if (typeof data === "string") this.#heard(JSON.parse(data));
      else this.arrived = data;
    };
    this.socket.onclose = () => this.#ended();
  }

  send(message) {
    if (this.socket.readyState === WebSocket.OPEN) this.socket.send(JSON.stringify(message));
  }

  play() { this.#want(true); }

  pause() { this.#want(false); }

  stop() {
    if (this.playing) this.pause();
    else this.send({ do: "reset" });
  }

  jogFrames(frames) {
    if (frames > 0) this.send({ do: "step" });
  }

  setSpeed(speed) {
    super.setSpeed(speed);
    this.send({ do: "speed", speed: Math.min(Math.max(this.speed, SLOWEST), FASTEST) });
  }

  end() { this.send({ do: "close" }); }

  // Time goes on elsewhere, and one way.
  reverse() {}

  seek() {}

  jog() {}

  advance() {
    if (!this.arrived) return;
    this.#take(this.arrived);
    this.arrived = null;
    this.onChange();
    this.send({ do: "seen" });
  }

  #want(playing) {
    this.send({ do: playing ? "play" : "pause" });
  }

  #heard({ playing, speed, open, error }) {
    Object.assign(this, { playing, speed, error });
    this.status = error ?? (open ? "live" : "ended");
    this.onChange();
  }

  #ended() {
    Object.assign(this, { connected: false, playing: false });
    if (!this.error) this.status = "ended";
    this.onChange();
  }

  // The film is the last two moments, so that velocities can be told.
  #take(buffer) {
    const head = new DataView(buffer);
    const { film } = this;
    const time = head.getFloat64(0, true);
    const [bodies, contacts] = [head.getUint32(12, true), head.getUint32(16, true)];
    const now = new Float32Array(buffer, HEAD, POSE * bodies);
    const goesOn = this.latest && time > this.time;
    const before = goesOn ? this.latest : now;
    film.start = goesOn ? this.time : time - FRAME;
    film.step = time - film.start;
    film.frames = 2;
    film.poses = new Float32Array(2 * now.length);
    film.poses.set(before);
    film.poses.set(now, now.length);
    if (film.contacts) {
      film.contacts.now = new Float32Array(buffer, HEAD + 4 * POSE * bodies, 6 * contacts);
    }
    Object.assign(this, { time, latest: now, rate: head.getFloat32(8, true) });
    this.frames = (this.frames ?? 0) + 1;
  }
}
