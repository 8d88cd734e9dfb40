// Shapes and thresholds of the scenarios; the same as ghz's (../ghz/scenarios.json).
import type { Options, Scenario } from "k6/options";

export type Name =
  | "single"
  | "hundred"
  | "thousand"
  | "mixed"
  | "stream"
  | "cold-start"
  | "overload"
  | "soak";

export interface Shape {
  partitions: number;
  callers: number;
  duration: string;
  /** Calls per second, where a scenario has a fixed rate. */
  rate?: number;
  /** Calls in all, where a scenario has so many. */
  calls?: number;
  /** Requests that one stream carries. */
  messages?: number;
  /** How many others commit meanwhile. */
  committers?: number;
  /** Whether the server may refuse calls as too many. */
  mayRefuse?: boolean;
  /** Milliseconds below which p99 has to stay. */
  p99: number;
}

export const SHAPES: Record<Name, Shape> = {
  single: { partitions: 1, callers: 16, duration: "20s", p99: 20 },
  hundred: { partitions: 100, callers: 16, duration: "20s", p99: 40 },
  thousand: { partitions: 1000, callers: 8, duration: "20s", p99: 200 },
  mixed: { partitions: 100, callers: 8, duration: "20s", committers: 8, p99: 60 },
  stream: { partitions: 100, callers: 8, duration: "20s", messages: 20, p99: 400 },
  "cold-start": { partitions: 100, callers: 1, duration: "1m", calls: 50, p99: 2000 },
  overload: { partitions: 1000, callers: 400, duration: "20s", mayRefuse: true, p99: 2000 },
  soak: { partitions: 100, callers: 16, duration: "30m", rate: 300, p99: 40 },
};

const QUICK_SECONDS = 2;

/** As in ghz's soak (calls_at_least). */
const LEAST_SHARE_OF_RATE = 0.95;

export function isName(name: string): name is Name {
  return name in SHAPES;
}

/** What k6 is told of a scenario: who calls which function how often, and when the run fails. */
export function options(name: Name, quick: boolean): Options {
  const shape = SHAPES[name];
  const duration = quick ? `${QUICK_SECONDS}s` : shape.duration;
  const scenarios: Record<string, Scenario> = { [name]: load(name, shape, duration) };
  if (shape.calls === undefined) {
    // After it, not beside it: they would share the processors.
    scenarios["noop"] = {
      executor: "constant-vus",
      exec: "noop",
      vus: shape.callers,
      duration: quick ? `${QUICK_SECONDS}s` : "20s",
      startTime: duration,
    };
  }
  if (shape.committers !== undefined) {
    scenarios["commits"] = { executor: "constant-vus", exec: "commits", vus: shape.committers, duration };
  }
  return {
    scenarios,
    summaryTrendStats: ["count", "med", "p(99)", "max"],
    thresholds: {
      // No call fails; where some may be refused, they don't count as failed.
      whence_failed: ["count==0"],
      [`grpc_req_duration{scenario:${name}}`]: [`p(99)<${shape.p99}`],
      // A run without load, or without the load that was asked for, has shown nothing.
      whence_answered: [`count>=${leastAnswers(shape, quick)}`],
      ...(shape.mayRefuse === true ? { whence_refused: ["count>0"] } : {}),
      ...(shape.rate === undefined
        ? {}
        : { [`dropped_iterations{scenario:${name}}`]: [`count<=${asked(shape, quick) - leastAnswers(shape, quick)}`] }),
    },
  };
}

/** Calls at a fixed rate, which k6 drops where callers are all busy. */
function asked(shape: Shape, quick: boolean): number {
  const seconds = quick ? QUICK_SECONDS : parseInt(shape.duration) * (shape.duration.endsWith("m") ? 60 : 1);
  return (shape.rate ?? 0) * seconds;
}

function leastAnswers(shape: Shape, quick: boolean): number {
  if (shape.rate !== undefined) {
    return Math.floor(LEAST_SHARE_OF_RATE * asked(shape, quick));
  }
  return shape.calls ?? (shape.mayRefuse === true ? 1 : shape.callers);
}

function load(name: Name, shape: Shape, duration: string): Scenario {
  const exec = name === "stream" ? "stream" : "lookup";
  if (shape.calls !== undefined) {
    return {
      executor: "shared-iterations",
      exec,
      vus: shape.callers,
      iterations: shape.calls,
      maxDuration: duration,
    };
  }
  if (shape.rate !== undefined) {
    return {
      executor: "constant-arrival-rate",
      exec,
      rate: shape.rate,
      timeUnit: "1s",
      duration,
      preAllocatedVUs: shape.callers,
    };
  }
  return { executor: "constant-vus", exec, vus: shape.callers, duration };
}
