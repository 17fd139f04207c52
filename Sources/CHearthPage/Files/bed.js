// A soft sound under the story: rain, the sea, wind. It is computed here from noise; nothing is recorded.

const seconds = 8;
const overlap = 1.5;

/** Noise that can be played in a circle: its end is mixed into its beginning. @param isBrown whether low tones prevail. */
export function noise(rate, isBrown, random = Math.random) {
  const count = Math.round(seconds * rate);
  const seam = Math.round(overlap * rate);
  const raw = new Float32Array(count + seam);
  let last = 0;
  for (let i = 0; i < raw.length; i++) {
    const white = random() * 2 - 1;
    // A leaky sum: 6 dB less an octave.
    last = isBrown ? (last + 0.02 * white) / 1.02 : white;
    raw[i] = isBrown ? last * 3.5 : white * 0.5;
  }
  const samples = raw.slice(0, count);
  for (let i = 0; i < seam; i++) {
    // Of equal power, because the two have nothing to do with each other.
    const angle = (i / seam) * Math.PI / 2;
    samples[i] = raw[i] * Math.sin(angle) + raw[count + i] * Math.cos(angle);
  }
  // A leaky sum may drift beyond 1 by chance, where it would be cut off.
  const peak = samples.reduce((most, x) => Math.max(most, Math.abs(x)), 0);
  return peak > 1 ? samples.map((x) => x / peak) : samples;
}

/** Each: layers of noise, a filter, how loud, and what moves slowly: its gain or its filter, by how much, a turn in seconds. */
const recipes = {
  rain: [
    { isBrown: false, filter: ["bandpass", 2600, 0.4], gain: 0.13 },
    { isBrown: true, filter: ["lowpass", 420, 0.3], gain: 0.35, moves: ["gain", 0.08, 11] },
  ],
  sea: [
    { isBrown: true, filter: ["lowpass", 520, 0.2], gain: 0.5, moves: ["gain", 0.32, 9] },
    { isBrown: false, filter: ["bandpass", 1400, 0.5], gain: 0.035, moves: ["gain", 0.03, 9] },
  ],
  wind: [
    { isBrown: true, filter: ["bandpass", 340, 0.7], gain: 0.9, moves: ["frequency", 150, 13] },
    { isBrown: true, filter: ["bandpass", 700, 1.2], gain: 0.35, moves: ["gain", 0.2, 7] },
  ],
};

export class SoundBed {
  #context = null;
  #master = null;
  #playing = [];
  #kind = "none";
  #volume = 0;

  /** To be called while a tap or key is being handled, or later. @param volume from 0 to 1. */
  play(kind, volume) {
    this.#volume = volume;
    if (kind === "none" || !globalThis.AudioContext) return this.stop(0.5);
    this.#context ??= new AudioContext();
    this.#context.resume().catch(() => {});
    if (kind !== this.#kind) {
      this.#end(1);
      this.#begin(kind);
    }
    this.fade(1, 2);
  }

  /** @param level from 0 to 1 of the volume. */
  fade(level, over = 0.3) {
    if (!this.#master) return;
    this.#master.gain.setTargetAtTime(level * this.#volume * 0.5, this.#context.currentTime, over / 3);
  }

  stop(over = 6) {
    this.#end(over);
    this.#kind = "none";
  }

  /** Whether anything sounds. */
  get isPlaying() {
    return this.#kind !== "none" && this.#context?.state === "running";
  }

  #begin(kind) {
    const context = this.#context;
    this.#kind = kind;
    this.#master = context.createGain();
    this.#master.gain.value = 0;
    this.#master.connect(context.destination);
    for (const { isBrown, filter: [type, frequency, q], gain, moves } of recipes[kind]) {
      const samples = noise(context.sampleRate, isBrown);
      const buffer = context.createBuffer(1, samples.length, context.sampleRate);
      buffer.copyToChannel(samples, 0);
      const source = new AudioBufferSourceNode(context, { buffer, loop: true });
      const filter = new BiquadFilterNode(context, { type, frequency, Q: q });
      const level = new GainNode(context, { gain });
      source.connect(filter).connect(level).connect(this.#master);
      source.start();
      this.#playing.push(source);
      if (!moves) continue;
      const [what, depth, turn] = moves;
      const wave = new OscillatorNode(context, { frequency: 1 / turn });
      wave.connect(new GainNode(context, { gain: depth })).connect(what === "gain" ? level.gain : filter.frequency);
      wave.start();
      this.#playing.push(wave);
    }
  }

  #end(over) {
    if (!this.#master) return;
    const [master, playing] = [this.#master, this.#playing];
    master.gain.setTargetAtTime(0, this.#context.currentTime, over / 3);
    for (const source of playing) source.stop(this.#context.currentTime + over * 2);
    setTimeout(() => master.disconnect(), over * 2000 + 200);
    this.#master = null;
    this.#playing = [];
  }
}
