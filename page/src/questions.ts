// The questions that the core answers, and the forms of its answers.

/** What routes, what traffic, and what has failed: it stands in every question. */
export interface State {
  readonly routing: string;
  readonly pattern: string;
  readonly failed_cables: readonly number[];
  readonly failed_switches: readonly number[];
  /** Preset of the hardware that latencies are told of. */
  readonly hardware?: string | null;
}

export interface CycleStep {
  readonly cable: number | null;
  readonly forward: boolean;
  readonly lane: number;
  readonly source: number;
  readonly destination: number;
  readonly words: string;
}

/** Loads of all channels of cables; null where a cable has failed. */
export interface Loads {
  readonly forward: readonly (number | null)[];
  readonly back: readonly (number | null)[];
}

export interface RoutingAnswer {
  readonly verdict: {
    readonly free: boolean;
    readonly verdict: "deadlock-free" | "deadlock" | "unreachable" | "loop";
    readonly words: string;
    readonly cycle: readonly CycleStep[] | null;
  };
  readonly lanes: number;
  readonly adaptive: boolean;
  /** Null where packets choose their way freely. */
  readonly largest_load: number | null;
  readonly loads: Loads | null;
  readonly cut_off: readonly number[];
  readonly unreached_pairs: number;
}

export interface LimitsAnswer {
  readonly bound: number | null;
  readonly bisection_percent: number | null;
}

export interface Crossing {
  readonly load: number;
  readonly pairs: number;
  readonly matching: number;
  readonly shown: readonly {
    readonly source: number;
    readonly destination: number;
    readonly load: number;
  }[];
}

export interface CableAnswer {
  readonly forward: Crossing;
  readonly back: Crossing;
}

export interface LoadRow {
  readonly routing: string;
  readonly forward?: number | null;
  readonly back?: number | null;
  readonly largest_load?: number | null;
  readonly free?: boolean;
  readonly error?: string;
}

export interface LoadsAnswer {
  readonly rows: readonly LoadRow[];
}

export interface Hop {
  readonly switch: number;
  readonly port: string;
  readonly cable: number | null;
  readonly forward: boolean | null;
  readonly lane: number;
}

export interface Way {
  readonly hops: readonly Hop[];
  readonly arrives: boolean;
  /** Why it does not arrive. */
  readonly words: string | null;
  readonly service_level: number | null;
  readonly addresses: number;
  readonly stops: readonly number[];
  /** What packets may take whose switches choose, each with its part of them; null of a route. */
  readonly choices: readonly { readonly cable: number; readonly forward: boolean; readonly part: number }[] | null;
  readonly idle_latency_ns: number | null;
  /** Why there is no latency. */
  readonly no_latency: string | null;
}

export interface PairAnswer {
  readonly there: Way;
  readonly back: Way;
  readonly shares: readonly {
    readonly cable: number;
    readonly forward: boolean;
    readonly load: number;
  }[];
}

export interface WithoutAnswer {
  readonly way: "repaired" | "anew";
  readonly why_anew: string | null;
  readonly free: boolean;
  readonly words: string;
  readonly largest_load: number | null;
  readonly before: number | null;
  readonly cut_off: readonly number[];
  readonly changed_entries: number | null;
  readonly entries: number | null;
}

export type TransitionStep =
  | { readonly kind: "write"; readonly switches: readonly number[]; readonly entries: readonly number[] }
  | { readonly kind: "write_lanes"; readonly switches: readonly number[] }
  | { readonly kind: "answer" | "renew"; readonly addresses: number }
  | { readonly kind: "wait"; readonly most_switches: number };

export interface TransitionAnswer {
  readonly way: "repaired" | "anew";
  readonly why_anew: string | null;
  /** Whether no packets can deadlock at any moment. */
  readonly free: boolean;
  readonly changed_entries: number;
  readonly levels: "none" | "at_any_time" | "last" | "first" | "in_turn";
  readonly drained: readonly string[];
  readonly dropped: readonly string[];
  readonly steps: readonly TransitionStep[];
}

export interface WaysAnswer {
  /** Of each pair twice each cable on its way, and one more where it is taken backwards. */
  readonly ways: readonly (readonly number[])[];
}

/** A channel that a packet crosses. */
export interface PacketHop {
  readonly cable: number | null;
  /** The host at the end of a channel that is no cable between switches. */
  readonly host: number | null;
  readonly forward: boolean;
  readonly lane: number;
  /** Cycles in which flits leave, from the first until after the last: several where they are stopped. */
  readonly stretches: readonly (readonly [number, number])[];
}

export interface Packet {
  readonly source: number;
  readonly destination: number;
  readonly generated: number;
  readonly delivered: number | null;
  readonly hops: readonly PacketHop[];
}

export interface Waiting {
  readonly cable: number | null;
  readonly forward: boolean | null;
  readonly lane: number;
  readonly source: number;
  readonly destination: number;
  readonly words: string;
}

export interface RunAnswer {
  readonly unit_ns: number;
  /** How many were simulated; fewer than were asked for where too many packets moved. */
  readonly cycles: number;
  readonly whole: boolean;
  readonly packets: readonly Packet[];
  /** Packets that wait for one another for ever. */
  readonly waiting: readonly Waiting[] | null;
}

interface Forms {
  routing: [Record<never, never>, RoutingAnswer];
  limits: [Record<never, never>, LimitsAnswer];
  cable: [{ cable: number; search: string; first: number; count: number }, CableAnswer];
  loads_of_cable: [{ cable: number; routings: readonly string[] }, LoadsAnswer];
  pair: [{ source: number; destination: number }, PairAnswer];
  without: [{ cable: number } | { switch: number }, WithoutAnswer];
  transition: [{ cable: number } | { switch: number }, TransitionAnswer];
  ways: [{ pairs: readonly (readonly [number, number])[] }, WaysAnswer];
  run: [{ load: number; cycles: number; seed: number }, RunAnswer];
}

export type Kind = keyof Forms;
export type Question<K extends Kind = Kind> = { [N in K]: { question: N; state: State } & Forms[N][0] }[K];
export type AnswerTo<K extends Kind> = Forms[K][1];
