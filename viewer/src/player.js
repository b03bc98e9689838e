// Time, and nothing else: what plays, how fast, which way, where it is.

export const SLOWEST = 0.001;
export const FASTEST = 20;
const CLOSE_TO_ONE = 0.08;

export class Player {
  constructor(duration, step, onChange) {
    Object.assign(this, { duration, step, onChange });
    this.time = 0;
    this.playing = false;
    this.loop = true;
    this.reversed = false;
    this.speed = 1;
  }

  play() {
    if (this.duration <= 0) return;
    if (!this.reversed && this.time >= this.duration) this.time = 0;
    if (this.reversed && this.time <= 0) this.time = this.duration;
    this.playing = true;
    this.onChange();
  }

  pause() {
    this.playing = false;
    this.onChange();
  }

  toggle() {
    this.playing ? this.pause() : this.play();
  }

  // The first stop holds the picture, the second goes back to the start.
  stop() {
    if (this.playing) this.pause();
    else this.seek(0);
  }

  reverse() {
    this.reversed = !this.reversed;
    this.onChange();
  }

  seek(time) {
    this.time = Math.min(Math.max(Number(time) || 0, 0), this.duration);
    this.onChange();
  }

  jog(seconds) {
    this.playing = false;
    this.seek(this.time + seconds);
  }

  jogFrames(frames) {
    this.playing = false;
    this.seek((Math.round(this.time / this.step) + frames) * this.step);
  }

  setSpeed(speed) {
    const near = Math.abs(Math.log(speed)) < CLOSE_TO_ONE ? 1 : speed;
    this.speed = Math.min(Math.max(near, SLOWEST), FASTEST);
    this.onChange();
  }

  advance(seconds) {
    if (!this.playing) return;
    this.time += seconds * this.speed * (this.reversed ? -1 : 1);
    if (this.time >= this.duration || this.time < 0) this.#atTheEnd();
    this.onChange();
  }

  #atTheEnd() {
    const { duration } = this;
    if (this.loop) {
      this.time = ((this.time % duration) + duration) % duration;
    } else {
      this.time = Math.min(Math.max(this.time, 0), duration);
      this.playing = false;
    }
  }
}
