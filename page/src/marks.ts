// What is drawn above the network: what was picked, routes, a deadlock's cycle, packets.

import type { Colour } from "./theme";

export type Mark =
  | { readonly is: "cable"; readonly cable: number; readonly colour: Colour; readonly width: number }
  | {
      readonly is: "channel";
      readonly cable: number;
      readonly forward: boolean;
      readonly colour: Colour;
      readonly width: number;
      readonly words?: string;
    }
  | { readonly is: "switch"; readonly switch: number; readonly colour: Colour; readonly words?: string }
  | { readonly is: "cross"; readonly cable: number; readonly colour: Colour }
  | {
      /** A packet on a channel between two parts of the way, or at a switch. */
      readonly is: "packet";
      readonly cable: number;
      readonly forward: boolean;
      readonly from: number;
      readonly to: number;
      readonly colour: Colour;
    };
