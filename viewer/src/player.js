// Time, and nothing else: what plays, how fast, where it is.

export const SPEEDS = [0.1, 0.25, 0.5, 1, 2, 4];

export class Player {
  constructor(duration, step, onChange) {
    Object.assign(this, { duration, step, onChange });
    this.time = 0;
    this.playing = false;
    this.loop = true;
    this.speed = 1;
  }

  play() {
    if (this.duration <= 0) return;
    if (this.time >= this.duration) this.time = 0;
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

  seek(time) {
    this.time = Math.min(Math.max(Number(time) || 0, 0), this.duration);
    this.onChange();
  }

  jog(frames) {
    this.playing = false;
    this.seek((Math.round(this.time / this.step) + frames) * this.step);
  }

  faster(by) {
    const at = SPEEDS.indexOf(this.speed);
    this.speed = SPEEDS[Math.min(Math.max(at + by, 0), SPEEDS.length - 1)];
    this.onChange();
  }

  advance(seconds) {
    if (!this.playing) return;
    this.time += seconds * this.speed;
    if (this.time >= this.duration) {
      if (this.loop) this.time %= this.duration;
      else Object.assign(this, { time: this.duration, playing: false });
    }
    this.onChange();
  }
}
