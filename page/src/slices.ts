// What is under way at a moment, looked up by slices of time.

const SLICES = 512;

export class Slices {
  private readonly slices: number[][] = Array.from({ length: SLICES }, () => []);

  constructor(private readonly end: number) {}

  /** Have something be under way between two moments. */
  add(index: number, from: number, to: number): void {
    const last = this.slice(to);
    for (let at = this.slice(from); at <= last; at++) this.slices[at]?.push(index);
  }

  /** What may be under way at a moment: all that is, and some of what is just before or after. */
  around(time: number): readonly number[] {
    return this.slices[this.slice(time)] ?? [];
  }

  private slice(time: number): number {
    return Math.min(Math.max(Math.floor((time / this.end) * SLICES), 0), SLICES - 1);
  }
}
