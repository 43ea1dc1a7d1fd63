// Colours of the drawing: those of Weft's charts, and what dark pages make of them.

export type Colour = readonly [number, number, number];

/** From idle to busy; each is darker than the one before, so the order survives without colour. */
const HEAT = ["#c4ced8", "#f0c04a", "#e2702f", "#b01d3a", "#3d0a26"].map(parsed);
/** Less, as before and more, told apart with every common colour-vision deficiency. */
const DIFFERENCE = ["#2d69b4", "#c4ced8", "#b43c00"].map(parsed);

const JOBS = ["#2d69b4", "#b43c00", "#69965a", "#c378a5", "#4b2d87", "#c36900"].map(parsed);

export interface Theme {
  readonly isDark: boolean;
  readonly page: Colour;
  readonly text: Colour;
  readonly quiet: Colour;
  readonly accent: Colour;
  readonly other: Colour;
  readonly bad: Colour;
  readonly node: Colour;
  /** Colours of jobs, told apart with every common colour-vision deficiency. */
  readonly jobs: readonly Colour[];
  readonly heat: readonly Colour[];
  readonly difference: readonly Colour[];
}

export const LIGHT: Theme = {
  isDark: false,
  page: parsed("#ffffff"),
  text: parsed("#1b1f24"),
  quiet: parsed("#55606c"),
  accent: parsed("#0b5cad"),
  other: parsed("#872d5a"),
  bad: parsed("#a3240f"),
  node: parsed("#e6eaee"),
  jobs: JOBS,
  heat: HEAT,
  difference: DIFFERENCE,
};

export const DARK: Theme = {
  isDark: true,
  page: parsed("#12161b"),
  text: parsed("#e4e8ed"),
  quiet: parsed("#a3aeba"),
  accent: parsed("#74b4f2"),
  other: parsed("#e3a0c4"),
  bad: parsed("#ff9580"),
  node: parsed("#333c46"),
  jobs: JOBS.map(filtered),
  heat: HEAT.map(filtered),
  difference: DIFFERENCE.map(filtered),
};

function parsed(text: string): Colour {
  return [1, 3, 5].map((at) => parseInt(text.slice(at, at + 2), 16)) as unknown as Colour;
}

/** What `invert(1) hue-rotate(180deg) brightness(1.2)` makes of a colour, as in the reports. */
export function filtered([r, g, b]: Colour): Colour {
  const [x, y, z] = [255 - r, 255 - g, 255 - b];
  const turned = [
    -0.574 * x + 1.43 * y + 0.144 * z,
    0.426 * x + 0.43 * y + 0.144 * z,
    0.426 * x + 1.43 * y - 0.856 * z,
  ];
  return turned.map((part) =>
    Math.round(Math.min(1.2 * Math.min(Math.max(part, 0), 255), 255)),
  ) as unknown as Colour;
}

/** The colour of a share 0…1 along some colours. */
export function along(colours: readonly Colour[], share: number): Colour {
  const at = Math.min(Math.max(share, 0), 1) * (colours.length - 1);
  const before = Math.min(Math.floor(at), colours.length - 2);
  const [low, high] = [colours[before] as Colour, colours[before + 1] as Colour];
  return low.map((part, i) =>
    Math.round(part + (at - before) * ((high[i] as number) - part)),
  ) as unknown as Colour;
}

export function css([r, g, b]: Colour): string {
  return `rgb(${r}, ${g}, ${b})`;
}

/** Contrast of two colours by WCAG 2. */
export function contrast(one: Colour, other: Colour): number {
  const [low, high] = [luminance(one), luminance(other)].sort((a, b) => a - b) as [number, number];
  return (high + 0.05) / (low + 0.05);
}

function luminance(colour: Colour): number {
  const [r, g, b] = colour.map((part) => {
    const share = part / 255;
    return share <= 0.03928 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  }) as [number, number, number];
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}
